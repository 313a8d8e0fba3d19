// SPDX-License-Identifier: BSD-2-Clause
// collect as scripts see it, on this machine.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "probes/capture/document.hpp"
#include "probes/live/collector.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;
using test::run_program;

void drop(nlohmann::ordered_json& json, const std::string& key) {
    if (!json.is_structured()) return;
    if (json.is_object()) json.erase(key);
    for (auto& item : json) drop(item, key);
}

class CollectCommand : public testing::Test {
 protected:
    void SetUp() override {
        if (!running_system()) GTEST_SKIP() << "a system that is not collected from";
    }
    test::TemporaryFolder folder;
};

TEST_F(CollectCommand, CapturesAreWrittenOnceAndAuditAsThisHost) {
    const std::string file = folder.path("a.tar.gz"), directory = folder.path("b/");
    const auto made = run_program({"collect", "-o", file, "--deadline", "5"});
    ASSERT_EQ(made.status, 0) << made.errors;
    EXPECT_EQ(made.output, file + "\n");
    const auto again = run_program({"collect", "-o", file, "--deadline", "5"});
    EXPECT_EQ(again.status, 77) << again.errors;
    EXPECT_TRUE(contains(again.errors, "File exists")) << again.errors;
    const auto unpacked = run_program({"collect", "-o", directory, "--deadline", "5", "--quiet"});
    ASSERT_EQ(unpacked.status, 0) << unpacked.errors;
    EXPECT_EQ(unpacked.errors, "");
    const auto shown = [](std::vector<std::string> argv) {
        auto json = nlohmann::ordered_json::parse(run_program(argv).output)["hosts"][0]["facts"];
        drop(json, "provenance");
        return json["disks"].dump(1) + json["volumes"].dump(1) + json["partitions"].dump(1) +
               json["os"].dump(1) + json["mounts"].dump(1);
    };
    const auto live = shown({"show", "--format", "json"});
    EXPECT_EQ(shown({"show", "--format", "json", file}), live);
    EXPECT_EQ(shown({"show", "--format", "json", directory}), live);
}

TEST_F(CollectCommand, TheDefaultNameHasHostAndDate) {
    const fs::path before = fs::current_path();
    fs::current_path(folder.path(""));
    const auto made = run_program({"collect", "--deadline", "1", "--quiet", "--scrub"});
    fs::current_path(before);
    ASSERT_EQ(made.status, 0) << made.errors;
    const std::string name(trim(made.output));
    EXPECT_TRUE(name.starts_with("diskwright-") && name.ends_with("Z.tar.gz")) << name;
    const auto capture = load_input(folder.path(name));
    ASSERT_TRUE(capture) << capture.error().message;
    ASSERT_TRUE(capture->info);
    EXPECT_TRUE(capture->info->scrubbed);
    EXPECT_TRUE(contains(name, capture->info->host.substr(0, capture->info->host.find('.')))) << name;
}

TEST(CollectOptions, WhatIsWrongIsSaid) {
    struct Row {
        std::vector<std::string> argv;
        int status;
        std::string_view errors;
    };
    for (const Row& row : std::vector<Row>{
             {{"collect", "--scrub-key", "xyz"}, 64, "32 hexadecimal digits"},
             {{"collect", "--deadline", "0"}, 64, "deadline"},
             {{"collect", "--deadline", "soon"}, 64, "deadline"},
             {{"collect", "--print"}, 64, "--print"},
             {{"collect", "--print-script", "--scrub"}, 64, "--scrub --from CAPTURE"},
             {{"collect", "--print-script", "--scrub-key", std::string(32, 'a')}, 64, "cannot scrub"},
             {{"collect", "--print-script", "--from", "x"}, 64, "--from"},
             {{"collect", "--from", "x"}, 64, "--scrub"},
             {{"collect", "--scrub", "--from", "/no/such/file"}, 66, "No such file"},
             {{"collect", "input.txt"}, 64, "input.txt"}}) {
        const auto result = run_program(row.argv);
        EXPECT_EQ(result.status, row.status) << row.argv[1];
        EXPECT_TRUE(contains(result.errors, row.errors)) << result.errors;
        EXPECT_EQ(result.output, "");
    }
}

TEST(CollectOptions, AFinishedCaptureIsScrubbed) {
    const test::TemporaryFolder folder;
    const std::string from = (test::data_folder() / "captures/netbsd-raid1").string();
    const std::string clean = folder.path("clean.tar.gz"), key(32, 'a');
    const auto made = run_program({"collect", "--scrub-key", key, "--from", from, "-o", clean});
    ASSERT_EQ(made.status, 0) << made.errors;
    EXPECT_EQ(made.output, clean + "\n");
    const auto capture = load_input(clean), original = load_input(from);
    ASSERT_TRUE(capture && original);
    ASSERT_TRUE(capture->info);
    EXPECT_TRUE(capture->info->scrubbed);
    ASSERT_EQ(capture->documents.size(), original->documents.size());
    for (std::size_t i = 0; i < capture->documents.size(); ++i) {
        EXPECT_FALSE(contains(capture->documents[i].bytes, "WMATV1234567"));
        EXPECT_EQ(capture->documents[i].argv.size(), original->documents[i].argv.size());
    }
    const auto prose = folder.file("prose.txt", "# mount\n/dev/wd0a on / type ffs (local)\n");
    EXPECT_EQ(run_program({"collect", "--scrub", "--from", prose, "-o", folder.path("x.tar.gz")}).status, 65);
    EXPECT_EQ(run_program({"collect", "--scrub", "--from", from, "-o", clean}).status, 77);
}

TEST(CollectOptions, TheScriptIsPrinted) {
    const auto result = run_program({"collect", "--print-script"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.errors, "");
    EXPECT_TRUE(result.output.starts_with("#!/bin/sh\n"));
    EXPECT_TRUE(result.output.ends_with("main \"$@\"\n"));
    EXPECT_TRUE(contains(result.output, "run root raidctl -s \"${each}\""));
}

}  // namespace
}  // namespace diskwright
