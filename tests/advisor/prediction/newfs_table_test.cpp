// SPDX-License-Identifier: BSD-2-Clause
// What real newfs of NetBSD 8, FreeBSD 14 and OpenBSD 7.6 wrote or said, one command line a row. Rows without
// a type are of runs that only printed: what was printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/prediction/prediction.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::json;

Json written(const PredictedSuperblock& fs, const ToolRelease& release) {
    Json out = {{"type", fs.ufs2 ? "ffs2" : "ffs1"},
                {"bsize", fs.bsize},
                {"fsize", fs.fsize},
                {"size_bytes", fs.size_bytes()},
                {"ncg", fs.groups},
                {"ipg", fs.group_inodes},
                {"fpg", fs.group_frags},
                {"minfree_percent", fs.minfree_percent},
                {"optimization", fs.space ? "space" : "time"},
                {"maxbpg", fs.maxbpg},
                {"maxcontig", fs.maxcontig},
                {"avgfilesize", fs.avgfilesize},
                {"avgfpdir", fs.avgfpdir},
                {"inodes", fs.inodes()}};
    if (release.os == Os::freebsd) {
        out["softupdates"] = fs.softupdates;
        out["su_journal"] = fs.su_journal;
        out["trim"] = fs.trim;
    }
    return out;
}

// What newfs prints of a file system.
void expect_printed(const Json& row, const PredictedSuperblock& fs) {
    const Json printed = {{"bsize", fs.bsize},
                          {"fsize", fs.fsize},
                          {"ncg", fs.groups},
                          {"ipg", fs.group_inodes},
                          {"group_blocks", fs.group_frags / (fs.bsize / fs.fsize)},
                          {"sectors", fs.size_bytes() / 512}};
    for (const auto& [key, value] : row.items()) EXPECT_EQ(printed[key], value) << key;
}

std::string with_device(std::string reason, const std::string& device) {
    for (std::size_t at = reason.find('@'); at != std::string::npos;
         at = reason.find('@', at + device.size()))
        reason.replace(at, 1, device);
    return reason;
}

TEST(PredictNewfs, RealToolsTable) {
    std::istringstream rows(test::read_file(test::data_folder() / "prediction/newfs.jsonl"));
    std::size_t count = 0, superblocks = 0;
    for (std::string line; std::getline(rows, line); ++count) {
        const Json row = Json::parse(line);
        SCOPED_TRACE(line);
        const auto release = tool_release(row["os"].get<std::string>());
        ASSERT_TRUE(release.ok());
        const Medium medium{row["size"], row.value("sector", 512U)};
        const auto prediction =
            predict_newfs(release.value(), medium, row["args"].get<std::vector<std::string>>());
        ASSERT_TRUE(prediction.ok());
        const Prediction& told = prediction.value();
        EXPECT_TRUE(told.verified);
        EXPECT_EQ(told.accepted, !row.contains("exit")) << told.reason;
        EXPECT_EQ(told.exit_status, row.value("exit", 0)) << told.reason;
        if (row.contains("reason")) {
            EXPECT_EQ(told.reason, with_device(row["reason"], "the device"));
        }
        for (const Json& warning : row.value("warnings", Json::array()))
            EXPECT_NE(std::find(told.warnings.begin(), told.warnings.end(), warning), told.warnings.end());
        if (!told.accepted || !row.contains("superblock")) continue;
        ASSERT_TRUE(told.superblock);
        if (row["superblock"].contains("type")) {
            EXPECT_EQ(written(*told.superblock, release.value()), row["superblock"]);
            ++superblocks;
        } else {
            expect_printed(row["superblock"], *told.superblock);
        }
    }
    EXPECT_EQ(count, 438U);
    EXPECT_EQ(superblocks, 241U);
}

}  // namespace
}  // namespace diskwright
