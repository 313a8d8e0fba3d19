// SPDX-License-Identifier: BSD-2-Clause
// The program as scripts see it: standard output, standard error and exit status together.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using test::run_program;

constexpr std::string_view space_optimised =
    "# tunefs -p /dev/ada0p2\n"
    "tunefs: soft updates: (-n)                                 enabled\n"
    "tunefs: minimum percentage of free space: (-m)             8%\n"
    "tunefs: optimization preference: (-o)                      space\n";
constexpr std::string_view fine =
    "# tunefs -p /dev/ada0p2\n"
    "tunefs: soft updates: (-n)                                 enabled\n"
    "tunefs: minimum percentage of free space: (-m)             8%\n"
    "tunefs: optimization preference: (-o)                      time\n";

class CommandLine : public testing::Test {
 protected:
    test::TemporaryFolder folder;
    const std::string bad = folder.file("bad.txt", std::string(space_optimised));
    const std::string good = folder.file("good.txt", std::string(fine));
    const std::string prose = folder.file("prose.txt", "Nothing of use here.\n");
};

TEST_F(CommandLine, ExitStatus) {
    struct Row {
        std::vector<std::string> argv;
        int status;
        std::string_view errors;  // part of standard error; empty: nothing may stand there
    };
    const std::vector<Row> rows{
        {{"audit", good}, 0, ""},
        {{"audit", bad}, 0, ""},  // a notice, and the default fails on warnings
        {{"audit", bad, "--fail-on", "notice"}, 1, ""},
        {{"audit", bad, "--fail-on", "never"}, 0, ""},
        {{"audit", bad, "--fail-on", "notice", "--ignore", "FFS008"}, 0, ""},
        {{"audit", bad, "--fail-on", "notice", "--ignore", "FFS008:ada0p2"}, 0, ""},
        {{"audit", bad, "--fail-on", "notice", "--ignore", "FFS008:ada1p2"}, 1, ""},
        {{"show", bad}, 0, ""},
        {{"audit", prose}, 65, "no command output was recognised"},
        {{"audit", folder.path("missing.txt")}, 66, "No such file"},
        {{"audit", prose, good}, 0, "no command output was recognised"},
        {{"audit", prose, good, "--strict-inputs"}, 65, "no command output was recognised"},
        {{}, 64, "name a command"},
        {{"audti"}, 64, "did you mean 'audit'"},
        {{"audit", "--fail-on", "sometimes", good}, 64, "sometimes"},
        {{"audit", "--ignore", "XYZ999", good}, 64, "XYZ999"},
        {{"audit", "--assume", "disks.ada0.colour=red", good}, 64, "colour"},
        {{"audit", "--os", "plan9", good}, 64, "plan9"},
        {{"audit", "--for", "mail", good}, 0, ""},
        {{"audit", "--for", "general", good}, 0, ""},
        {{"audit", "--for", "databse", good}, 64, "did you mean 'database'"},
        {{"audit", "--fail-on", "warnig", good}, 64, "did you mean 'warning'"},
        {{"audit", "--min-severity", "eror", good}, 64, "did you mean 'error'"},
        {{"audit", "--format", "jsnol", good}, 64, "did you mean 'jsonl'"},
        {{"audit", "--color", "sometimes", good}, 64, "'sometimes' is none of auto, always, never"},
        {{"audit", "--fial-on=error", good}, 64, "did you mean '--fail-on'"},
        {{"collect", "--deadlin", "9"}, 64, "did you mean '--deadline'"},
        {{"audit", "--deadline", "nan"}, 64, "deadline"},
        {{"audit", "--for", "file-server", good}, 64, "did you mean 'fileserver'"},
        {{"audit", "--for", "knitting", good}, 64, "general, fileserver, mail, source-control"},
        {{"explain", "FFS008"}, 0, ""},
        {{"explain", "optimization-space"}, 0, ""},
        {{"explain", "FFS800"}, 64, "FFS800"},
        {{"--help"}, 0, ""},
        {{"--version"}, 0, ""},
        {{"audit", good, "-o", folder.path("no/such/folder")}, 77, "No such file"},
    };
    for (const Row& row : rows) {
        std::string line;
        for (const auto& word : row.argv) line += word + " ";
        SCOPED_TRACE(line);
        const auto result = run_program(row.argv);
        EXPECT_EQ(result.status, row.status) << result.errors;
        if (row.errors.empty())
            EXPECT_EQ(result.errors, "");
        else
            EXPECT_TRUE(contains(result.errors, row.errors)) << result.errors;
    }
}

TEST_F(CommandLine, OneInputAsFileFolderTarAndStandardInput) {
    const std::string text = test::read_file(bad);
    folder.file("host/bad.txt", text);
    const auto findings = [](const test::ProgramResult& result) {
        return Json::parse(result.output)["hosts"].at(0)["findings"].size();
    };
    EXPECT_EQ(findings(run_program({"audit", "--format", "json", bad})), 1U);
    EXPECT_EQ(findings(run_program({"audit", "--format", "json", folder.path("host")})), 1U);
    EXPECT_EQ(findings(run_program({"audit", "--format", "json", "-"}, text)), 1U);
    ASSERT_EQ(
        std::system(("tar -C " + folder.path("host") + " -czf " + folder.path("host.tar.gz") + " .").c_str()),
        0);
    EXPECT_EQ(findings(run_program({"audit", "--format", "json", folder.path("host.tar.gz")})), 1U);
}

TEST_F(CommandLine, SeveralInputsKeepTheirOrderAndMayBeOneHost) {
    const auto several = Json::parse(run_program({"audit", "--format", "json", bad, prose, good}).output);
    ASSERT_EQ(several["hosts"].size(), 3U);
    EXPECT_EQ(several["hosts"][0]["input"], bad);
    EXPECT_EQ(several["hosts"][1]["error"]["status"], 65);
    EXPECT_EQ(several["hosts"][2]["input"], good);
    const auto one =
        Json::parse(run_program({"audit", "--format", "json", "--host=srv1", bad, prose}).output);
    ASSERT_EQ(one["hosts"].size(), 1U);
    EXPECT_EQ(one["hosts"][0]["input"], "srv1");
    const std::string list = folder.file("list", bad + "\n\n" + good + "\n");
    EXPECT_EQ(
        Json::parse(run_program({"audit", "--format", "json", "--inputs-from", list}).output)["hosts"].size(),
        2U);
    const auto lines = run_program({"audit", "--format", "jsonl", bad, good});
    EXPECT_EQ(split_lines(lines.output).size(), 2U);
}

TEST_F(CommandLine, SameBytesWhateverTheLocaleAndRepetition) {
    const auto first = run_program({"audit", "--format", "json", bad, good});
    for (const std::string locale : {"C", "de_DE.UTF-8", "tr_TR.UTF-8", "nonsense"})
        EXPECT_EQ(run_program({"audit", "--format", "json", bad, good}, {}, {"LC_ALL=" + locale}).output,
                  first.output)
            << locale;
}

TEST_F(CommandLine, ResultsToAFileAreOursAloneAndNeverThroughALink) {
    const std::string target = folder.path("report.json");
    EXPECT_EQ(run_program({"audit", "--format", "json", "-o", target, good}).status, 0);
    EXPECT_EQ(std::filesystem::status(target).permissions() & std::filesystem::perms::others_all,
              std::filesystem::perms::none);
    EXPECT_TRUE(Json::accept(test::read_file(target)));
    std::filesystem::create_symlink(target, folder.path("link"));
    EXPECT_EQ(run_program({"audit", "-o", folder.path("link"), good}).status, 77);
}

TEST_F(CommandLine, HostileBytesNeverReachTheTerminal) {
    const std::string path =
        folder.file("evil.txt",
                    "# tunefs -p /dev/ada0p2\ntunefs: optimization preference: (-o)    space\n"
                    "tunefs: volume label: (-L)     \x1b]0;evil\x07\x1b[2J\xff\n");
    for (const std::string format : {"text", "json"}) {
        const auto result = run_program({"show", "--format", format, path});
        for (const char c : result.output)
            EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
    }
}

TEST_F(CommandLine, BadInputsEndInAMessage) {
    const std::string zeros(100'000, '\0');
    struct Row {
        std::string bytes;
        int status;
    };
    int n = 0;
    for (const auto& [bytes, status] : std::vector<Row>{
             {"", 65}, {zeros, 65}, {"\x1f\x8b garbage", 65}, {std::string(3'000'000, 'x'), 65}}) {
        const auto result = run_program({"audit", folder.file("input" + std::to_string(n++), bytes)});
        EXPECT_EQ(result.status, status) << n;
        EXPECT_FALSE(result.errors.empty());
    }
    std::filesystem::create_directory_symlink(folder.path("loop"), folder.path("loop"));
    EXPECT_EQ(run_program({"audit", folder.path("loop")}).status, 66);
}

// Archives are read in memory: whatever their members are called, nothing is written, and only regular files
// count.
TEST_F(CommandLine, ArchivesWithLinksAndPathsAreHarmless) {
    folder.file("x/bad.txt", test::read_file(bad));
    std::filesystem::create_symlink("/etc/passwd", folder.path("x/link"));
    ASSERT_EQ(std::system(("tar -C " + folder.path("x") + " --transform 's,^,../../,' -P -cf " +
                           folder.path("evil.tar") + " bad.txt link")
                              .c_str()),
              0);
    const auto result = run_program({"audit", "--format", "json", folder.path("evil.tar")});
    EXPECT_EQ(result.status, 0) << result.errors;
    const Json host = Json::parse(result.output)["hosts"].at(0);
    EXPECT_EQ(host["findings"].size(), 1U);
    EXPECT_EQ(host["unparsed"].size(), 1U) << "the link is mentioned";
}

}  // namespace
}  // namespace diskwright
