// SPDX-License-Identifier: BSD-2-Clause
// Where sets read and write, beside real RAIDframe sets (tests/data/model/raidframe-mapping.json).
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/files.hpp"
#include "tests/support/recording_drive.hpp"

namespace diskwright {
namespace {

using test::NotedRequest;
using Json = nlohmann::json;

// Of each row, the component on which no data was found holds the parity.
TEST(ArrayMapping, UnitsAndParityLieWhereRaidframePutsThem) {
    const Json rows =
        Json::parse(test::read_file(test::data_folder() / "model/raidframe-mapping.json"), nullptr, false);
    ASSERT_TRUE(rows.is_array());
    for (const Json& row : rows) {
        const RaidLevel level = *from_string<RaidLevel>(row["level"].get<std::string>());
        test::SetDescription set;
        set.level = level;
        set.columns = row["columns"];
        set.unit_blocks = row["unit_sectors"];
        SCOPED_TRACE(row["level"].get<std::string>() + " of " + std::to_string(set.columns) + ", " +
                     std::to_string(set.unit_blocks));
        const bool parity = level == RaidLevel::raid4 || level == RaidLevel::raid5;
        if (parity && set.columns < 3) continue;                     // no such configuration
        std::map<std::uint64_t, std::set<std::uint64_t>> with_data;  // components, by sector
        for (const Json& unit : row["units"])
            for (const Json& copy : unit[1]) with_data[copy[1]].insert(copy[0].get<std::uint64_t>());
        set.component_blocks = with_data.rbegin()->first + set.unit_blocks + set.unit_blocks - 1;
        std::vector<NotedRequest> notes;
        const auto array = test::recorded_array(set, &notes);
        ASSERT_TRUE(array);
        EXPECT_EQ(array->blocks(), row["units"].size() * set.unit_blocks);
        test::asked_of_components(*array, notes,
                                  {0, 0, 1, DriveOperation::write, false, 0});  // marks the map
        double now_s = 1;
        for (const Json& unit : row["units"]) {
            const std::uint64_t block = unit[0];
            std::set<std::pair<std::uint64_t, std::uint64_t>> expected, written;
            for (const Json& copy : unit[1]) expected.emplace(copy[0], copy[1]);
            const auto read = test::asked_of_components(
                *array, notes, {1, block, 1, DriveOperation::read, false, now_s += 1});
            ASSERT_EQ(read.size(), 1U);
            EXPECT_TRUE(expected.contains({read[0].component, read[0].request.block}));
            for (const NotedRequest& note : test::asked_of_components(
                     *array, notes, {2, block, 1, DriveOperation::write, false, now_s += 1}))
                if (note.request.operation == DriveOperation::write)
                    written.emplace(note.component, note.request.block);
            const std::uint64_t sector = unit[1][0][1];
            for (std::uint64_t i = 0; parity && i < set.columns; ++i)
                if (!with_data[sector].contains(i)) expected.emplace(i, sector);
            EXPECT_EQ(written, expected) << "sector " << block;
        }
    }
}

// Every copy and every parity of any layout lies within the components, and no two units share a block.
TEST(ArrayMapping, NoTwoUnitsShareABlock) {
    const test::SetDescription sets[] = {
        {VolumeKind::gstripe, RaidLevel::raid0, 3, 8, "", "", ""},
        {VolumeKind::softraid, RaidLevel::raid5, 4, 8, "", "", ""},
        {VolumeKind::softraid, RaidLevel::raid6, 5, 8, "", "", ""},
        {VolumeKind::md, RaidLevel::raid5, 5, 8, "right-asymmetric", "", ""},
        {VolumeKind::md, RaidLevel::raid6, 6, 8, "left-symmetric", "", ""},
        {VolumeKind::md, RaidLevel::raid10, 4, 8, "near=2", "", ""},
        {VolumeKind::md, RaidLevel::raid10, 5, 8, "far=2", "", ""},
        {VolumeKind::md, RaidLevel::raid10, 3, 8, "offset=2", "", ""},
        {VolumeKind::gconcat, RaidLevel::concat, 3, 0, "", "", ""},
        {VolumeKind::hardware, RaidLevel::raid5, 8, 8, "left-asymmetric", "", ""},
    };
    for (test::SetDescription set : sets) {
        SCOPED_TRACE(std::string(to_string(set.kind)) + " " + std::string(to_string(set.level)) + " " +
                     set.layout);
        set.component_blocks = set.kind == VolumeKind::md ? 2048 + 512 : 1024;
        std::vector<NotedRequest> notes;
        const auto array = test::recorded_array(set, &notes);
        ASSERT_TRUE(array);
        ASSERT_GT(array->blocks(), 64U);
        std::set<std::pair<std::uint32_t, std::uint64_t>> taken;
        for (std::uint64_t block = 0; block + 8 <= array->blocks(); block += 8)
            for (const NotedRequest& note : test::asked_of_components(
                     *array, notes, {1, block, 8, DriveOperation::read, false, double(block)}))
                for (std::uint64_t i = 0; i < note.request.blocks; ++i)
                    EXPECT_TRUE(taken.emplace(note.component, note.request.block + i).second);
    }
}

}  // namespace
}  // namespace diskwright
