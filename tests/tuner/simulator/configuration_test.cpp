// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/configuration.hpp"

#include <gtest/gtest.h>

#include <array>

#include "probes/model/json_object.hpp"
#include "probes/support/text.hpp"
#include "tuner/simulator/disk_files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json whole() {
    return Json::parse(R"({
        "os": {"name": "netbsd", "release": "6.0"},
        "disks": [{"model": "sas-7200-3t", "count": 5}],
        "controller": {"cache_bytes": 0, "battery": false},
        "volume": {"kind": "raidframe", "level": "5", "stripe_unit_bytes": 4096,
                   "layout": "left-symmetric", "component_start_bytes": 1048576, "state": "optimal"},
        "partition_start_bytes": 0,
        "filesystem": {"type": "ffs2", "bsize": 16384, "fsize": 2048, "journal": "wapbl", "size_bytes": 1e11},
        "sysctls": {"vfs.wapbl.flush_disk_cache": "1"},
        "host": {"ram_bytes": 4294967296, "syscall_s": 2e-05, "operation_s": 0.0025},
        "workload": {"name": "touchrm", "dirs": 3000, "end": "sync"},
        "seed": 7, "noise": 0.05})");
}

TEST(Configuration, EveryKeyIsRead) {
    const auto machine = configuration_from_json(whole(), "c.json");
    ASSERT_TRUE(machine) << machine.error().message;
    EXPECT_EQ(machine->os, Os::netbsd);
    EXPECT_EQ(machine->release, "6.0");
    EXPECT_EQ(machine->disk_count(), 5U);
    EXPECT_EQ(machine->disks.at(0).disk.size_bytes, 3000592982016U);
    EXPECT_EQ(machine->controller_battery, false);
    EXPECT_EQ(machine->volume->level, RaidLevel::raid5);
    EXPECT_EQ(machine->volume->component_start_bytes, MiB);
    EXPECT_EQ(machine->partition_start_bytes, 0U);
    EXPECT_EQ(machine->filesystem->journal, MachineConfiguration::Journal::wapbl);
    EXPECT_EQ(machine->filesystem->size_bytes, 100'000'000'000U);
    EXPECT_EQ(machine->sysctls.at("vfs.wapbl.flush_disk_cache"), "1");
    EXPECT_EQ(machine->host.operation_s, 0.0025);
    EXPECT_EQ(machine->workload->amounts.at("dirs"), 3000);
    EXPECT_EQ(machine->seed, 7U);
    EXPECT_EQ(machine->noise, 0.05);
}

TEST(Configuration, WhatIsLeftOutIsUnknown) {
    const auto machine =
        configuration_from_json(Json::parse(R"({"disks": [{"model": "sata-7200-1t"}]})"), "c");
    ASSERT_TRUE(machine) << machine.error().message;
    EXPECT_FALSE(machine->os);
    EXPECT_FALSE(machine->volume);
    EXPECT_FALSE(machine->filesystem);
    EXPECT_FALSE(machine->disks.at(0).disk.write_cache);
}

// One value of a good file replaced (or a key added), by its JSON pointer.
TEST(Configuration, WhatIsWrongIsNamed) {
    struct Row {
        std::string_view at, value, says;
    };
    constexpr std::array<Row, 28> rows{{
        {"/os/name", R"("netbds")", "os.name: 'netbds' is none of"},
        {"/os/name", R"("netbds")", "did you mean 'netbsd'"},
        {"/disks", "[]", "disks: missing or empty"},
        {"/disks/0/model", R"("sas-7200-3g")", "did you mean 'sas-7200-3t'"},
        {"/disks/0/model", R"({"rpm": 7200})", "disks[0].model.size_bytes: missing"},
        {"/disks/0/model", R"({"size_bytes": 1000})", "disks[0].model.size_bytes: 1000 is no whole number"},
        {"/disks/0/model", R"({"size_bytes": 512, "seek_min_s": 2, "seek_max_s": 1})", "seek_min_s: above"},
        {"/disks/0/model", R"({"size_bytes": 512, "physical_sector_bytes": 3000})", "no power of two"},
        {"/disks/0/model", R"({"size_bytes": 512, "seek_curve": [[5, 0.1], [4, 0.2]]})", "do not rise"},
        {"/disks/0/count", "0", "disks[0].count: not from 1 to"},
        {"/disks/0/count", "18446744073709551615", "disks[0].count: not from 1 to"},
        {"/disks/0/count", "2", "volume.level: 5 needs 3 disks, and there are 2"},
        {"/volume/level", "5", "volume.level: not a text"},
        {"/volume/stripe_unit_bytes", "0", "volume.stripe_unit_bytes: 0"},
        {"/volume/stripe_unit_bytes", "4097", "no whole number of sectors"},
        {"/volume/strip_unit_bytes", "4096", "volume.strip_unit_bytes: unknown key; did you mean"},
        {"/filesystem/fsize", "0", "filesystem.fsize: 0 is no power of two"},
        {"/filesystem/bsize", "0", "filesystem.bsize: 0 is no power of two"},
        {"/noise", "1e308", "noise: not from 0 to 10"},
        {"/filesystem/fsize", "1024", "filesystem.fsize: 1024 does not go into a block of 16384"},
        {"/filesystem/bsize", "20000", "filesystem.bsize: 20000 is no power of two"},
        {"/filesystem/journal", R"("wapl")", "did you mean 'wapbl'"},
        {"/workload/dirs", "0", "workload.dirs: not above 0"},
        {"/sysctls/vfs.wapbl.flush_disk_cache", "1", "sysctls.vfs.wapbl.flush_disk_cache: not a text"},
        {"/noise", "-1", "noise: not from 0 to 10"},
        {"/host/syscall_s", "1e300", "host.syscall_s: "},
        {"/host/ram_bytes", "1", "host.ram_bytes: not from 64 MiB"},
        {"/host/ram_bytes", "18446744073709551615", "host.ram_bytes: not from 64 MiB"},
    }};
    for (const Row& row : rows) {
        Json json = whole();
        json[Json::json_pointer(std::string(row.at))] = Json::parse(row.value);
        const auto machine = configuration_from_json(json, "c.json");
        ASSERT_FALSE(machine) << row.at << " " << row.value;
        EXPECT_EQ(machine.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(machine.error().message, row.says)) << machine.error().message;
    }
}

TEST(Configuration, EveryShippedDiskIsRead) {
    EXPECT_GE(disk_files().size(), 2U);
    EXPECT_EQ(shipped_disks().size(), disk_files().size());
    for (const EmbeddedFile& file : disk_files()) EXPECT_TRUE(contains(file.text, "\"source\"")) << file.name;
}

}  // namespace
}  // namespace diskwright
