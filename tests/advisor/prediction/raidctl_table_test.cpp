// SPDX-License-Identifier: BSD-2-Clause
// Configurations that raidctl of NetBSD 8 refused or took, and the sectors of the set that resulted.
// Components of 64 MiB, unless the row names another size.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/prediction/prediction.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::json;
constexpr std::string_view raid5_of_three =
    "START array\n1 3 0\nSTART disks\n/dev/sd0e\n/dev/sd1e\n/dev/sd2e\nSTART layout\n32 1 1 5\n";

RaidRequest request_for(std::string conf) {
    RaidRequest request;
    request.conf = std::move(conf);
    request.conf_name = "raid0.conf";
    request.component.size_bytes = std::uint64_t{64} << 20;
    return request;
}

Prediction predicted(const RaidRequest& request, std::string_view os = "netbsd-8") {
    auto prediction = predict_raidctl(tool_release(os).value(), request);
    EXPECT_TRUE(prediction.ok());
    return std::move(prediction.value());
}

TEST(PredictRaidctl, RealToolsTable) {
    std::istringstream rows(test::read_file(test::data_folder() / "prediction/raidctl.jsonl"));
    std::size_t count = 0;
    for (std::string line; std::getline(rows, line); ++count) {
        const Json row = Json::parse(line);
        SCOPED_TRACE(line);
        RaidRequest request = request_for(row["conf"]);
        request.checks_labels = row.contains("labelled");
        if (request.checks_labels) request.labelled = raid5_of_three;
        request.component.sector_bytes = row.value("sector", 512U);
        request.component.size_bytes = row.value("component", request.component.size_bytes);
        request.devices = row.value("devices", request.devices);
        const Prediction told = predicted(request);
        EXPECT_EQ(told.exit_status, row.value("exit", 0)) << told.reason;
        EXPECT_EQ(told.accepted, !row.contains("exit"));
        EXPECT_EQ(told.reason, row.value("reason", ""));
        if (row.contains("sectors")) {
            ASSERT_TRUE(told.array);
            EXPECT_EQ(told.array->sectors, row["sectors"]);
        }
    }
    EXPECT_EQ(count, 81U);
}

// numRow went with NetBSD 9.
TEST(PredictRaidctl, TwoNumbersSinceNetbsd9) {
    std::string conf(raid5_of_three);
    conf.replace(conf.find("1 3 0"), 5, "3 0");
    EXPECT_FALSE(predicted(request_for(conf), "netbsd-8").accepted);
    const Prediction told = predicted(request_for(conf), "netbsd-10");
    ASSERT_TRUE(told.array) << told.reason;
    EXPECT_EQ(told.array->sectors, 262016U);
    EXPECT_FALSE(told.verified);
    EXPECT_EQ(told.compared_with, "netbsd-8");
}

struct Odd {
    std::string_view name, from, to, reason;
};
class OddConfigurations : public ::testing::TestWithParam<Odd> {};

TEST_P(OddConfigurations, Refused) {
    std::string conf(raid5_of_three);
    conf.replace(conf.find(GetParam().from), GetParam().from.size(), GetParam().to);
    const Prediction told = predicted(request_for(conf));
    EXPECT_FALSE(told.accepted);
    EXPECT_EQ(told.exit_status, 1);
    EXPECT_NE(told.reason.find(GetParam().reason), std::string::npos) << told.reason;
}

INSTANTIATE_TEST_SUITE_P(
    Table, OddConfigurations,
    ::testing::Values(Odd{"unit_of_nothing", "32 1 1 5", "0 1 1 5", "Invalid argument"},
                      Odd{"raw_device", "/dev/sd1e", "/dev/rsd1e", "Block device required"},
                      Odd{"named_twice", "/dev/sd1e", "/dev/sd0e", "Device busy"},
                      Odd{"carriage_return", "/dev/sd1e", "/dev/sd1e\r", "No such file"},
                      Odd{"huge_columns", "1 3 0", "1 2000000000 0", "disks overrun"},
                      Odd{"overflowing_columns", "1 3 0", "1 99999999999999999999 0", "Invalid argument"},
                      Odd{"no_numbers", "1 3 0", "one three none", "array"},
                      Odd{"no_layout", "START layout", "LAYOUT", "layout"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(PredictRaidctl, FreshComponentsNeedForce) {
    RaidRequest request = request_for(std::string(raid5_of_three));
    request.checks_labels = true;
    EXPECT_FALSE(predicted(request).accepted);
}

}  // namespace
}  // namespace diskwright
