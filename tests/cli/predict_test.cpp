// SPDX-License-Identifier: BSD-2-Clause
// predict from its command line: what reaches the tool, forms of the answer, exit statuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"
#include "tests/support/images.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::json;
using test::run_program;
using Words = std::vector<std::string>;

Json asked(Words words) {
    words.insert(words.begin(), "predict");
    words.insert(words.begin() + 1, {"--format", "json"});
    const auto result = run_program(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output, nullptr, false);
}

TEST(PredictCommand, AcceptedNewfs) {
    const Json told =
        asked({"--os", "freebsd-14", "--size", "1g", "--", "newfs", "-O", "2", "-b", "16384", "/dev/da0p1"});
    EXPECT_EQ(told["accepted"], true);
    EXPECT_EQ(told["verified"], true);
    EXPECT_FALSE(told.contains("reason"));
    EXPECT_EQ(told["superblock"]["bsize"], 16384);
    EXPECT_EQ(told["superblock"]["fsize"], 4096);
    EXPECT_EQ(told["superblock"]["softupdates"], true);
    EXPECT_TRUE(told["warnings"].is_array());
}

TEST(PredictCommand, RefusedIsAnAnswer) {
    const Json told = asked({"--os", "netbsd-10", "--size", "1g", "--", "newfs", "-b", "24k", "wd0e"});
    EXPECT_EQ(told["accepted"], false);
    EXPECT_EQ(told["verified"], false);
    EXPECT_EQ(told["compared_with"], "netbsd-8");
    EXPECT_EQ(told["exit"], 16);
    EXPECT_TRUE(contains(told["reason"].get<std::string>(), "power of 2"));
    EXPECT_FALSE(told.contains("superblock"));
}

// Words that look like our own options, brackets, empty ones and a second -- belong to the tool.
TEST(PredictCommand, WordsBehindTheMarkAreTheTools) {
    const Words before{"--os", "freebsd-14", "--size", "1g", "--", "newfs"};
    const auto with = [&](Words more) {
        Words all = before;
        all.insert(all.end(), more.begin(), more.end());
        return asked(all);
    };
    EXPECT_EQ(with({"-o", "space"})["superblock"]["optimization"], "space");
    EXPECT_EQ(with({"-L", "a-b", "--", "da0"})["superblock"]["label"], "a-b");
    EXPECT_EQ(with({"--help"})["exit"], 1);
    EXPECT_EQ(with({"-L", "[a,b]"})["accepted"], false);
    EXPECT_EQ(with({"-b", ""})["accepted"], false);
    EXPECT_EQ(with({"-b", std::string(100'000, '9')})["accepted"], false);
}

TEST(PredictCommand, TextNamesWhatCounts) {
    const auto result =
        run_program({"predict", "--os", "netbsd-8", "--size", "64m", "--", "newfs", "-O", "2"});
    EXPECT_EQ(result.status, 0);
    for (const char* const part :
         {"accepted", "FFSv2", "8192, 1024 bytes", "4 of 16384 fragments and 3872 inodes"})
        EXPECT_TRUE(contains(result.output, part)) << result.output;
    const auto refused =
        run_program({"predict", "--os", "netbsd-10", "--size", "64m", "--", "newfs", "-O", "7"});
    EXPECT_TRUE(contains(refused.output, "refused with exit status 1")) << refused.output;
    EXPECT_TRUE(contains(refused.output, "netbsd-8 were")) << refused.output;
}

TEST(PredictCommand, TunefsFromDumpfs) {
    const test::TemporaryFolder folder;
    const std::string dumpfs = folder.file("dumpfs.txt",
                                           "magic\t19540119 (UFS2)\ttime\tTue Dec  1 10:00:00 2026\n"
                                           "superblock location\t65536\tid\t[ 5f0 1 ]\n"
                                           "ncg\t4\tsize\t262144\tblocks\t253815\n"
                                           "bsize\t32768\tshift\t15\tmask\t0xffff8000\n"
                                           "fsize\t4096\tshift\t12\tmask\t0xfffff000\n"
                                           "frag\t8\tshift\t3\tfsbtodb\t3\n"
                                           "minfree\t8%\toptim\ttime\tsymlinklen 120\n"
                                           "maxbsize 32768\tmaxbpg\t4096\tmaxcontig 32\tcontigsumsize 16\n"
                                           "avgfpdir 64\tavgfilesize 16384\n"
                                           "flags\tsoft-updates\n");
    const Json told =
        asked({"--os", "freebsd-14", "--from", dumpfs, "--", "tunefs", "-m", "5", "-o", "space"});
    EXPECT_EQ(told["accepted"], true);
    EXPECT_EQ(told["changed"], (Json{{"minfree", {8, 5}}, {"optim", {0, 1}}}));
}

// The superblock tells more than dumpfs does: all flags, and the room for metadata.
TEST(PredictCommand, TunefsFromAnImage) {
    const test::TemporaryFolder folder;
    const auto bytes = test::stored_image("ffs/freebsd-001-default-8m.gz");
    const std::string image =
        folder.file("fs.img", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    const Json told =
        asked({"--os", "freebsd-14", "--from", image, "--", "tunefs", "-m", "5", "-L", "x", "-t", "enable"});
    EXPECT_EQ(told["accepted"], true);
    EXPECT_EQ(told["changed"], (Json{{"minfree", {8, 5}}, {"volname", {"", "x"}}, {"flags", {514, 1538}}}));
}

TEST(PredictCommand, RaidctlConfiguration) {
    const test::TemporaryFolder folder;
    const std::string conf = folder.file(
        "raid0.conf",
        "START array\n1 3 0\nSTART disks\n/dev/wd0e\n/dev/wd1e\n/dev/wd2e\nSTART layout\n32 1 1 5\n");
    const Json told = asked({"--os", "netbsd-8", "--size", "64m", "--", "raidctl", "-C", conf, "raid0"});
    EXPECT_EQ(told["array"]["sectors"], 262016);
    EXPECT_EQ(told["array"]["level"], "5");
    EXPECT_FALSE(asked({"--os", "netbsd-8", "--", "raidctl", conf})["array"].contains("sectors"));
    const Json mixed =
        asked({"--os", "netbsd-8", "--size", "64m", "--device", "/dev/wd1e=32m", "--", "raidctl", conf});
    EXPECT_EQ(mixed["array"]["sectors"], 2 * (65536 - 64));
    EXPECT_EQ(asked({"--os", "netbsd-8", "--", "raidctl", "-c", conf, "raid0"})["accepted"], false);
    EXPECT_EQ(asked({"--os", "netbsd-8", "--from", conf, "--", "raidctl", "-c", conf, "raid0"})["accepted"],
              true);
}

TEST(PredictCommand, ExitStatuses) {
    const test::TemporaryFolder folder;
    const std::string prose = folder.file("prose.txt", "nothing of a disk\n");
    struct Row {
        Words argv;
        int status;
        std::string errors;
    };
    const Row rows[] = {
        {{"predict"}, 64, "--os"},
        {{"predict", "--os", "netbsd-10", "--size", "1g"}, 64, "-- newfs"},
        {{"predict", "--os", "netbsd-10", "--", "newfs"}, 64, "--size"},
        {{"predict", "--os", "netbsd-10", "--size", "much", "--", "newfs"}, 64, "much"},
        {{"predict", "--os", "netbsd-10", "--size", "0", "--", "newfs"}, 64, "--size"},
        {{"predict", "--os", "netbsd-10", "--size", "1g", "--sector", "700", "--", "newfs"}, 64, "--sector"},
        {{"predict", "--os", "netbds", "--size", "1g", "--", "newfs"}, 64, "did you mean 'netbsd'"},
        {{"predict", "--os", "netbsd-x", "--size", "1g", "--", "newfs"}, 64, "no release"},
        {{"predict", "--os", "linux", "--size", "1g", "--", "newfs"}, 64, "openbsd"},
        {{"predict", "--os", "netbsd", "--size", "1g", "--", "newsf"}, 64, "did you mean 'newfs'"},
        {{"predict", "--os", "freebsd", "--", "tunefs", "-m", "5"}, 64, "--from"},
        {{"predict", "--os", "freebsd", "--from", folder.path("none"), "--", "tunefs", "-m", "5"},
         66,
         "none"},
        {{"predict", "--os", "freebsd", "--from", prose, "--", "tunefs", "-m", "5"}, 65, ""},
        {{"predict", "--os", "netbsd", "--", "raidctl", folder.path("none.conf")}, 66, "none.conf"},
        {{"predict", "--os", "netbsd", "--", "raidctl", "-s", "raid0"}, 64, "setting up"},
        {{"predict", "--os", "freebsd", "--", "raidctl", prose}, 64, "NetBSD"},
    };
    for (const Row& row : rows) {
        std::string line;
        for (const auto& word : row.argv) line += word + " ";
        SCOPED_TRACE(line);
        const auto result = run_program(row.argv);
        EXPECT_EQ(result.status, row.status) << result.errors;
        EXPECT_TRUE(contains(result.errors, row.errors)) << result.errors;
    }
}

}  // namespace
}  // namespace diskwright
