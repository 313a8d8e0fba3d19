// SPDX-License-Identifier: BSD-2-Clause
// commission as scripts see it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using test::run_program;

class CommissionCommand : public testing::Test {
 protected:
    test::TemporaryFolder folder;
    std::string scratch() const { return folder.file("scratch", std::string(16 * MiB, '\0')); }
    static std::vector<std::string> on(const std::string& file, std::vector<std::string> more) {
        std::vector<std::string> argv{"commission", "--scratch", file, "--yes-destroy", file, "--time", "1"};
        argv.insert(argv.end(), more.begin(), more.end());
        return argv;
    }
};

TEST_F(CommissionCommand, ExitStatus) {
    const std::string bad = folder.file("bad.json", R"({"disks": [{"model": "sas-7200-3t", "cuont": 5}]})");
    struct Row {
        std::vector<std::string> argv;
        int status;
        std::string_view errors;
    };
    const std::vector<Row> rows{
        {{"commission", "--simulate", "list"}, 0, ""},
        {{"commission", "--simulate", "netbsd-raid5"}, 0, ""},
        {{"commission", "--simulate", "freebsd-gmirror", "--format", "json"}, 0, ""},
        {{"commission"}, 64, "--simulate PRESET"},
        {{"commission", "--simulate", "netbsd-riad5"}, 64, "did you mean 'netbsd-raid5'"},
        {{"commission", "--simulate", "netbsd-raid5", "--for", "datbase"}, 64, "database"},
        {{"commission", "--simulate", "netbsd-raid5", "/dev/null"}, 64, "touches no disk"},
        {{"commission", "--simulate", "netbsd-raid5", "--assume", "disks.sd0.colour=red"}, 64, "colour"},
        {{"commission", "--simulate", "netbsd-raid5", "--trials", "0"}, 64, "--trials"},
        {{"commission", "--yes-destroy", "/tmp/x"}, 64, "--scratch"},
        {{"commission", "--simulate", bad}, 65, "disks[0].cuont: unknown key; did you mean 'count'?"},
        {{"commission", "--simulate", folder.path("none.json")}, 66, "No such file"},
        {{"commission", folder.path("none")}, 66, "No such file"},
        {{"commission", "--scratch", folder.path("none"), "--yes-destroy", folder.path("none")}, 66, "none"},
        {{"commission", "--scratch", scratch(), "--time", "1"}, 77, "--yes-destroy"},
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

TEST_F(CommissionCommand, TextOfTheSamplesIsAsGolden) {
    for (const std::string name : {"netbsd-raid5", "freebsd-gmirror"})
        test::expect_golden(test::data_folder() / "commission" / (name + ".txt"),
                            run_program({"commission", "--simulate", name}).output);
}

TEST_F(CommissionCommand, ThePlanFollowsTheTrialsAndAuditsClean) {
    const auto result =
        run_program({"commission", "--simulate", "netbsd-raid5", "--for", "fileserver", "--format", "json"});
    const auto report = Json::parse(result.output);
    const auto& tuning = report.at("tuning");
    EXPECT_LT(tuning.at("best_value"), tuning.at("default_value"));
    EXPECT_EQ(tuning.at("verification").at("differs"), true);
    EXPECT_EQ(report.at("plan").at("layout").at("bsize"), tuning.at("best").at("bsize"));
    EXPECT_EQ(report.at("plan").at("layout").at("fsize"), tuning.at("best").at("fsize"));
    EXPECT_EQ(report.at("plan").at("layout").at("stripe_unit_bytes"),
              tuning.at("best").at("sectPerSU").get<std::uint64_t>() * 512);
    EXPECT_EQ(tuning.at("best").at("log"), 1) << "a log is never given up for speed";
    for (const auto& finding : report.at("remaining"))
        EXPECT_TRUE(finding.at("severity") == "info" || finding.at("severity") == "notice") << finding;
}

TEST_F(CommissionCommand, OnAScratchFileItMeasures) {
    const std::string file = scratch();
    const auto result = run_program(on(file, {"--trials", "2", "--format", "json"}));
    ASSERT_EQ(result.status, 0) << result.errors;
    const auto report = Json::parse(result.output);
    EXPECT_EQ(report.at("profile_measured"), true);
    EXPECT_TRUE(report.at("profile").contains("flush_latency_s"));
    EXPECT_GE(report.at("tuning").at("trials").size(), 2U);
    EXPECT_EQ(report.at("plan").at("device"), file);
}

TEST_F(CommissionCommand, TheReportNeverTakesThePlaceOfWhatIsMeasured) {
    const std::string file = scratch();
    const auto result = run_program(on(file, {"-o", file}));
    EXPECT_EQ(result.status, 64);
    EXPECT_EQ(std::filesystem::file_size(file), 16 * MiB);
}

TEST_F(CommissionCommand, AJournalIsOfOneServer) {
    const std::string job = folder.path("job");
    ASSERT_EQ(run_program({"commission", "--simulate", "netbsd-raid5", "--journal", job}).status, 0);
    EXPECT_EQ(run_program({"commission", "--simulate", "netbsd-raid5", "--resume", job}).status, 0);
    EXPECT_EQ(run_program({"commission", "--simulate", "freebsd-gmirror", "--resume", job}).status, 65);
    EXPECT_EQ(run_program({"commission", "--simulate", "netbsd-raid5", "--resume", folder.path("no")}).status,
              66);
    EXPECT_EQ(run_program({"commission", "--simulate", "netbsd-raid5", "--os", "netbsd-10"}).status, 0);
    EXPECT_EQ(run_program({"commission", "--simulate", "netbsd-raid5", "--os", "freebsd-14"}).status, 64);
}

TEST_F(CommissionCommand, WithoutScratchNothingIsTried) {
    const auto result = run_program({"commission", scratch(), "--time", "1", "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const auto report = Json::parse(result.output);
    EXPECT_FALSE(report.contains("tuning"));
    EXPECT_TRUE(contains(report.at("no_tuning").get<std::string>(), "--scratch"));
}

TEST_F(CommissionCommand, ResumesWithoutMeasuringAgain) {
    const std::string file = scratch(), job = folder.path("job");
    const auto first = run_program(on(file, {"--trials", "2", "--journal", job, "--format", "json"}));
    ASSERT_EQ(first.status, 0) << first.errors;
    const auto second = run_program(on(file, {"--trials", "3", "--resume", job, "--format", "json"}));
    ASSERT_EQ(second.status, 0) << second.errors;
    const auto a = Json::parse(first.output), b = Json::parse(second.output);
    EXPECT_EQ(a.at("profile"), b.at("profile"));
    EXPECT_EQ(a.at("tuning").at("trials")[0], b.at("tuning").at("trials")[0]);
    EXPECT_EQ(a.at("tuning").at("trials")[1], b.at("tuning").at("trials")[1]);
    EXPECT_EQ(run_program(on(file, {"--journal", job})).status, 77) << "there is a job in it";
    const std::string other = folder.file("other", std::string(16 * MiB, '\0'));
    const auto wrong = run_program(on(other, {"--resume", job}));
    EXPECT_EQ(wrong.status, 65);
    EXPECT_TRUE(contains(wrong.errors, "was begun for")) << wrong.errors;
}

}  // namespace
}  // namespace diskwright
