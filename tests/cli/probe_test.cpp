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
    const std::string simulated = folder.file("c.json", R"({"disks": [{"model": "ssd-datacenter"}]})");
    const std::string wrong = folder.file("w.json", R"({"disks": [{"model": {"size_bytes": 1048576, "rpn": 0}}]})");
    const std::string wrong_lines = folder.file(
        "w.jsonl", "{\"disks\": [{\"model\": {\"size_bytes\": 1048576, \"rpm\": 0}}]}\n{\"disks\": []\n");
    struct Row {
        std::vector<std::string> argv;
        int status;
        std::string_view says;
    };
    const std::vector<Row> rows{
        {{"probe"}, 64, "TARGET"},
        {{"probe", file, "--time", "x"}, 64, "--time"},
        {{"probe", file, "--quick", "--time", "3"}, 64, "exclude"},
        {{"probe", file, "--quick", "--thorough"}, 64, "exclude"},
        {{"probe", file, "--limit", "12"}, 64, "--limit"},
        {{"probe", file, "--limit", "much"}, 64, "--limit"},
        {{"probe", file, "--simulated", simulated}, 64, "touches no disk"},
        {{"probe", "--simulated", folder.path("missing.json")}, 66, "missing.json"},
        {{"probe", "--simulated", wrong}, 65, "disks[0].model.rpn"},
        {{"probe", "--simulated", wrong_lines}, 65, ".jsonl:2"},
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
    const auto result = run_program({"probe", file, "--time", "1", "--quiet", "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    const auto profile = profile_from_json(nlohmann::ordered_json::parse(result.output), "output");
    ASSERT_TRUE(profile) << profile.error().message;
    for (const auto* quantity : {"logical_sector_bytes", "sequential_read_bytes_per_s", "random_read_iops"})
        EXPECT_TRUE(profile->contains(quantity)) << quantity;
    EXPECT_EQ(profile->at("flush_latency_s").reason, "needs a scratch area");
    EXPECT_EQ(test::read_file(file), std::string(32 * MiB, '\xa5')) << "nothing was written";
}

TEST_F(ProbeCommand, SimulatedDevices) {
    const std::string one = folder.file("c.json", R"({"disks": [{"model": "sata-7200-1t"}], "noise": 0.05})");
    const auto single = run_program({"probe", "--simulated", one, "--quick", "--format", "json"});
    ASSERT_EQ(single.status, 0) << single.errors;
    const auto profile = profile_from_json(nlohmann::ordered_json::parse(single.output), "output");
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(std::get<std::string>(profile->at("write_cache").value), "volatile");
    EXPECT_NEAR(std::get<double>(profile->at("rotation_s").value), 60.0 / 7200, 2e-4);
    EXPECT_EQ(run_program({"probe", "--simulated", one, "--quick", "--format", "json"}).output, single.output)
        << "the same configuration and seed";
    const auto read_only = run_program({"probe", "--simulated", one, "--quick", "--read-only", "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(read_only.output).at("flush_latency_s").at("reason"), "needs a scratch area");

    const std::string lines = folder.file("c.jsonl",
                                          "{\"disks\": [{\"model\": \"ssd-datacenter\"}]}\n\n"
                                          "{\"disks\": [{\"model\": {\"size_bytes\": 1048576, \"rpm\": 0}}]}\n");
    const auto both = run_program({"probe", "--simulated", lines, "--quick", "--format", "json"});
    ASSERT_EQ(both.status, 0) << both.errors;
    const auto rows = split_lines(both.output);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(nlohmann::json::parse(rows[0]).at("rotation_s").at("confidence"), "inconclusive");
    EXPECT_TRUE(contains(rows[1], "too small"));
    const auto text = run_program({"probe", "--simulated", one, "--quick"});
    EXPECT_TRUE(contains(text.output, "\nturn ")) << text.output;
}

TEST_F(ProbeCommand, AuditReadsTheProfile) {
    // 512 bytes by its word, 4096 by the time of its writes.
    const std::string lies = folder.file("c.json", R"({"disks": [{"model": {"size_bytes": 1000204886016, "rpm": 7200,
        "physical_sector_bytes": 4096, "reported_physical_sector_bytes": 512}}]})");
    const auto probed = run_program({"probe", "--simulated", lies, "--format", "json"});
    ASSERT_EQ(probed.status, 0) << probed.errors;
    auto json = nlohmann::ordered_json::parse(probed.output);
    nlohmann::ordered_json named{{"device", {{"value", "/dev/rwd0d"}, {"samples", 0}, {"confidence", "high"}}}};
    named.update(json);
    named["device"]["value"] = "/dev/rwd0";
    const std::string saved = folder.file("probe.json", named.dump(2) + "\n");
    const auto audit = run_program({"audit", saved, "--fail-on", "never"});
    EXPECT_EQ(audit.status, 0) << audit.errors;
    EXPECT_TRUE(contains(audit.output, "ALIGN008")) << audit.output;
    EXPECT_TRUE(contains(audit.output, "wd0")) << audit.output;
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
