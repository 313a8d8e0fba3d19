// SPDX-License-Identifier: BSD-2-Clause
// probe as scripts see it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "probes/model/device_profile.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using test::run_program;

class ProbeCommand : public testing::Test {
 protected:
    test::TemporaryFolder folder;
    const std::string file = folder.file("disk", std::string(32 * MiB, '\xa5'));
};

TEST_F(ProbeCommand, ExitStatus) {
    const std::string marked = folder.file("marked", "XFSB" + std::string(MiB, '\0'));
    struct Row {
        std::vector<std::string> argv;
        int status;
        std::string_view says;
    };
    const std::vector<Row> rows{
        {{"probe"}, 64, "TARGET"},
        {{"probe", file, "--time", "x"}, 64, "--time"},
        {{"probe", file, "--time", "0"}, 64, "--time"},
        {{"probe", file, "--time", "nan"}, 64, "--time"},
        {{"probe", file, "--format", "html"}, 64, "--format"},
        {{"probe", file, "--seed", "-1"}, 64, "--seed"},
        {{"probe", file, "--yes-destroy", file}, 64, "without --scratch"},
        {{"probe", file, "--scratch", file + ":1m", "--yes-destroy", file}, 66, "No such file"},
        {{"probe", file, "--scratch", file + ":0+x", "--yes-destroy", file}, 64, "START+LENGTH"},
        {{"probe", file, "--scratch", file + ":0+1t", "--yes-destroy", file}, 64, "not within"},
        {{"probe", folder.path("missing")}, 66, "No such file"},
        {{"probe", folder.path("")}, 66, "neither a device nor a file"},
        {{"probe", file, "--scratch", folder.path("no"), "--yes-destroy", folder.path("no")}, 66, "truncate"},
        {{"probe", file, "--scratch", file}, 77, "--yes-destroy"},
        {{"probe", file, "--scratch", file, "--yes-destroy", marked}, 77, "named twice"},
        {{"probe", file, "--scratch", marked, "--yes-destroy", marked}, 77, "XFS"},
    };
    for (const Row& row : rows) {
        const auto result = run_program(row.argv);
        EXPECT_EQ(result.status, row.status) << result.errors;
        EXPECT_TRUE(contains(result.errors, row.says)) << result.errors;
        EXPECT_EQ(result.output, "");
    }
    EXPECT_EQ(test::read_file(file), std::string(32 * MiB, '\xa5')) << "nothing was written";
}

TEST_F(ProbeCommand, JsonIsAProfile) {
    const auto result = run_program({"probe", file, "--time", "1", "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    const auto profile = profile_from_json(nlohmann::ordered_json::parse(result.output), "output");
    ASSERT_TRUE(profile) << profile.error().message;
    for (const auto* quantity : {"logical_sector_bytes", "sequential_read_bytes_per_s", "random_read_iops"})
        EXPECT_TRUE(profile->contains(quantity)) << quantity;
    EXPECT_EQ(profile->at("flush_latency_s").reason, "needs a scratch area");
    EXPECT_EQ(test::read_file(file), std::string(32 * MiB, '\xa5')) << "nothing was written";
}

TEST_F(ProbeCommand, TextHasALineForEachQuantity) {
    const auto result =
        run_program({"probe", file, "--time", "1", "--scratch", file + ":16m+8m", "--yes-destroy", file});
    ASSERT_EQ(result.status, 0) << result.errors;
    for (const auto* line : {"logical sector", "sequential read", "random read", "write, then flush"})
        EXPECT_TRUE(contains(result.output, std::string("\n") + line)) << result.output;
    const std::string bytes = test::read_file(file);
    EXPECT_EQ(bytes.substr(0, 16 * MiB), std::string(16 * MiB, '\xa5')) << "written beside the region";
    EXPECT_EQ(bytes.substr(24 * MiB), std::string(8 * MiB, '\xa5')) << "written beside the region";
}

TEST_F(ProbeCommand, AnInterruptPrintsWhatThereIsAndEndsByTheSignal) {
    const std::string out = folder.path("out");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        execl(DISKWRIGHT_PROGRAM, "diskwright", "probe", file.c_str(), "--time", "600", "--scratch",
              file.c_str(), "--yes-destroy", file.c_str(), "-o", out.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    kill(child, SIGINT);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), SIGINT);
    EXPECT_TRUE(contains(test::read_file(out), "interrupted")) << test::read_file(out);
}

}  // namespace
}  // namespace diskwright
