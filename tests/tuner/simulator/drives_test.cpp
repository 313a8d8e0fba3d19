// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/drives.hpp"

#include <gtest/gtest.h>

#include "probes/support/text.hpp"
#include "tests/support/drives.hpp"
#include "tuner/simulator/disk_files.hpp"
#include "tuner/simulator/response_distribution.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json shipped_json(std::string_view name) {
    for (const EmbeddedFile& file : disk_files())
        if (file.name == name) return Json::parse(file.text);
    return {};
}

TEST(Drives, EveryShippedOneRunsAndHasItsSize) {
    EXPECT_EQ(disk_files().size(), 18U);
    for (const auto& [name, plain] : shipped_disks()) {
        SCOPED_TRACE(name);
        const auto named = shipped_drive(name);
        ASSERT_TRUE(named) << named.error().message;
        EXPECT_EQ(named->name, name);
        for (const std::string& figure : named->assumed) EXPECT_EQ(figure, "write_cache true");
        EXPECT_EQ(named->drive->blocks() * 512, plain.size_bytes);
        auto last = named->drive->blocks() - named->drive->logical_blocks();
        const auto service_s = test::one_at_a_time(
            *named->drive, {{0, last, named->drive->logical_blocks(), DriveOperation::read, false, 0}});
        ASSERT_EQ(service_s.size(), 1U);
        EXPECT_GT(service_s[0], 0);
        EXPECT_LT(service_s[0], 0.1);
    }
}

TEST(Drives, AnUnknownNameGetsTheNearest) {
    const auto drive = shipped_drive("cheetah9Lp");
    ASSERT_FALSE(drive);
    EXPECT_EQ(drive.error().kind, ErrorKind::usage);
    EXPECT_TRUE(contains(drive.error().message, "did you mean 'cheetah9LP'?")) << drive.error().message;
}

TEST(Drives, AFileOfAShippedDriveWithoutItsBusTakesThatDrives) {
    Json file = shipped_json("hp_c2490a");
    file.erase("bus");
    const auto from_file = drive_from_json(file, "f"), shipped = shipped_drive("hp_c2490a");
    ASSERT_TRUE(from_file && shipped);
    const auto requests = test::scattered(*shipped->drive, 200, 16);
    EXPECT_EQ(test::one_at_a_time(*from_file->drive, requests),
              test::one_at_a_time(*shipped->drive, requests));
    file["key"] = "another";
    const auto other = drive_from_json(file, "f");
    ASSERT_TRUE(other);
    EXPECT_LT(*mean(test::one_at_a_time(*other->drive, requests)),
              *mean(test::one_at_a_time(*shipped_drive("hp_c2490a")->drive, requests)));
}

TEST(Drives, WhatAPlainDescriptionLeavesOutIsSaid) {
    const auto drive = drive_from_json(Json{{"size_bytes", 1e12}, {"rpm", 5400}}, "d");
    ASSERT_TRUE(drive) << drive.error().message;
    const auto says = [&](std::string_view figure) {
        return std::any_of(drive->assumed.begin(), drive->assumed.end(),
                           [&](const std::string& line) { return line.starts_with(figure); });
    };
    for (const auto figure :
         {"transfer_bytes_per_s 150000000", "seek_max_s", "command_s", "queue_depth 32", "write_cache true"})
        EXPECT_TRUE(says(figure)) << figure;
    EXPECT_FALSE(says("rpm"));
}

TEST(Drives, ZonesAndACurveOfOnesOwn) {
    const auto drive = drive_from_json(
        Json::parse(
            R"({"size_bytes": 819200000, "rpm": 6000, "queue_depth": 1, "write_cache": "off", "command_s": 0,
                        "read_ahead_bytes": 0, "cache_bytes": 0, "seek_curve": [[1, 0.002], [1000, 0.002]],
                        "zones": [{"first_cylinder": 0, "cylinders": 500, "sectors_per_track": 400},
                                  {"first_cylinder": 500, "cylinders": 500, "sectors_per_track": 200}]})"),
        "d");
    ASSERT_TRUE(drive) << drive.error().message;
    EXPECT_EQ(drive->drive->blocks(), 1'600'000U);
    const auto service_s = test::one_at_a_time(*drive->drive, test::scattered(*drive->drive, 4000, 1));
    EXPECT_NEAR(*mean(service_s), 0.002 + 0.005, 0.0002);
}

TEST(Drives, HostileFiles) {
    struct Row {
        std::string_view drive, at, value, says;
    };
    const std::string zone = "/mechanics/dm_disk SEAGATE_ST39102LW_validate_model/Layout Model/Zones/1";
    const std::string mechanics = "/mechanics/dm_disk SEAGATE_ST39102LW_validate_model/Mechanical Model";
    const std::string device = "/device/disksim_disk SEAGATE_ST39102LW_validate";
    const std::string slips = zone + "/slips", defects = zone + "/defects",
                      track = zone + "/Blocks per track", first = zone + "/First cylinder number",
                      spares = zone + "/Number of spares", rpm = mechanics + "/Rotation speed (in rpms)",
                      seek = mechanics + "/Seek type", segments = device + "/Number of buffer segments",
                      policy = device + "/Scheduler/Scheduling policy",
                      over = device + "/Read hit over. after read", more = device + "/Read hit overs",
                      fast = device + "/Enable caching in buffer", depth = device + "/Max queue length";
    const std::vector<Row> rows{
        {"cheetah9LP", "/device", "7", "f: device"},
        {"cheetah9LP", "/device", "{}", "f: device: holds not one"},
        {"cheetah9LP", "/mechanics", "{\"dm_disk X\": 3}", "f: mechanics"},
        {"cheetah9LP", "/mechanics", "{\"dm_disk X\": {}}", "Number of data surfaces: missing"},
        {"cheetah9LP", "/seek_curve_cylinders_ms", "[[1, 1], [1, 2]]", "seek_curve_cylinders_ms: not rising"},
        {"cheetah9LP", "/seek_curve_cylinders_ms", "[[1, -1]]", "seek_curve_cylinders_ms: not rising"},
        {"cheetah9LP", "/seek_curve_cylinders_ms", "[]", "seek_curve_cylinders_ms: missing"},
        {"cheetah9LP", slips, "[1e30]", "slips: not a list of whole numbers"},
        {"cheetah9LP", slips, "[4000000000]", "has a slip that lies outside"},
        {"cheetah9LP", defects, "[1, 2, 3]", "defects: not pairs"},
        {"cheetah9LP", defects, "[1, 4000000000]", "has a defect that lies outside"},
        {"cheetah9LP", track, "0", "Blocks per track: not from 1"},
        {"cheetah9LP", track, "1000000000000000", "Blocks per track: not from 1"},
        {"cheetah9LP", first, "5", "overlaps the one before"},
        {"cheetah9LP", first, "99999", "Last cylinder number: not from 99999"},
        {"cheetah9LP", spares, "4000000000", "no more than spares"},
        {"cheetah9LP", rpm, "0", "Rotation speed (in rpms): not from 1"},
        {"cheetah9LP", rpm, "\"fast\"", "Rotation speed (in rpms)"},
        {"cheetah9LP", seek, "\"extractd\"", "did you mean 'extracted'?"},
        {"cheetah9LP", segments, "0", "Number of buffer segments: not from 1"},
        {"cheetah9LP", policy, "20", "are modelled"},
        {"cheetah9LP", over, "-0.1", "Read hit over. after read: not from 0"},
        {"cheetah9LP", more, "1", "Read hit overs"},
        {"cheetah9LP", fast, "0", "Enable caching in buffer: off"},
        {"cheetah9LP", depth, "0", "Max queue length: not from 1"},
        {"cheetah9LP", "/bus", "{\"read_block_ms\": 1}", "bus.write_block_ms: missing"},
        {"sas-7200-3t", "/size_bytes", "0", "size_bytes"},
        {"sas-7200-3t", "/size_bytes", "512", ""},
        {"sas-7200-3t", "/size_bytes", "9007199254740480", "so many tracks"},
        {"sas-7200-3t", "/transfer_bytes_per_s", "1e-9", "transfer_bytes_per_s: not from 1"},
        {"sas-7200-3t", "/rpm", "-1", "rpm: not from 0"},
        {"sas-7200-3t", "/zones", R"([{"first_cylinder": 0, "cylinders": 1, "sectors_per_track": 1}])",
         "surfaces"},
        {"sas-7200-3t", "/zones", R"([{"first_cylinder": 0, "cylinders": 99999999, "sectors_per_track": 1}])",
         "zones[0]: more than"},
        {"sas-7200-3t", "/command_s", "1e18", "command_s: not from 0"},
        {"ssd-consumer", "/flash/program_s", "1e300", "flash.program_s: not from"},
        {"ssd-consumer", "/flash/units", "0", "flash.units: not from 1"},
        {"ssd-consumer", "/flash/page_bytes", "5000", "flash.page_bytes: 5000 is no power of two"},
        {"ssd-consumer", "/flash/spares", "1", "did you mean 'spare'?"},
        {"ssd-consumer", "/size_bytes", "512", "smaller than a page"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(std::string(row.at) + " = " + std::string(row.value));
        Json file = shipped_json(row.drive);
        std::string at(row.at);
        file[Json::json_pointer(at)] = Json::parse(row.value);
        const auto drive = drive_from_json(file, "f");
        if (row.says.empty()) {
            EXPECT_TRUE(drive) << drive.error().message;
            continue;
        }
        ASSERT_FALSE(drive);
        EXPECT_EQ(drive.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(drive.error().message, row.says)) << drive.error().message;
    }
}

TEST(Drives, FlashFollowsItsSpecification) {
    const auto rate = [](std::string_view name, DriveOperation operation, std::size_t depth) {
        const auto drive = shipped_drive(name);
        return test::rate_at_depth(*drive->drive, test::scattered(*drive->drive, 40'000, 8, operation),
                                   depth);
    };
    EXPECT_NEAR(rate("ssd-consumer", DriveOperation::read, 1), 10'000, 1000);
    EXPECT_NEAR(rate("ssd-consumer", DriveOperation::read, 32), 98'000, 10'000);
    EXPECT_NEAR(rate("ssd-datacenter", DriveOperation::read, 32), 75'000, 7500);
    EXPECT_NEAR(rate("nvme-datacenter", DriveOperation::read, 128), 460'000, 46'000);
}

TEST(Drives, FlashFlushesWhatIsNotProtectedAndSlowsDownWhenItsFreePagesAreGone) {
    const auto timing = [](std::string_view name) {
        const auto drive = shipped_drive(name);
        return test::one_at_a_time(*drive->drive, {{0, 0, 8, DriveOperation::write, false, 0},
                                                   {1, 0, 0, DriveOperation::flush, false, 0},
                                                   {2, 0, 0, DriveOperation::flush, false, 0}});
    };
    const auto consumer = timing("ssd-consumer"), datacenter = timing("ssd-datacenter");
    EXPECT_GT(consumer[1], 4 * consumer[2]);
    EXPECT_DOUBLE_EQ(datacenter[1], datacenter[2]);

    Json small = shipped_json("ssd-datacenter");
    small["size_bytes"] = std::uint64_t{64} << 20;
    const auto drive = drive_from_json(small, "f");
    ASSERT_TRUE(drive) << drive.error().message;
    const auto writes = test::scattered(*drive->drive, 150'000, 8, DriveOperation::write);
    const double fresh =
        test::rate_at_depth(*drive_from_json(small, "f")->drive, {writes.begin(), writes.begin() + 5000}, 32);
    const double worn = test::rate_at_depth(*drive->drive, writes, 32);
    EXPECT_LT(worn, 0.7 * fresh);
    EXPECT_NEAR(worn, 36'000, 8000) << "what its specification gives over all of it";
}

}  // namespace
}  // namespace diskwright
