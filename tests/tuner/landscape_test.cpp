// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/landscape.hpp"

#include <gtest/gtest.h>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/spaces.hpp"

namespace diskwright {
namespace {

constexpr std::string_view whole = R"({"title": "t", "source": "s", "context": {},
 "parameters": [{"name": "bsize", "scale": "log2", "values": [8192, 16384]},
                {"name": "journal", "scale": "choice", "values": ["wapbl", "softdep", true, 1.50]}],
 "objective": {"name": "time_s", "direction": "min"},
 "default": {"bsize": 8192, "journal": "wapbl"},
 "rows": [{"bsize": 8192, "journal": "wapbl", "time_s": 2},
          {"bsize": 16384.0, "journal": true, "time_s": 0.5}]})";

std::string with(std::string_view part, std::string_view instead) {
    std::string text(whole);
    const auto at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), instead);
}

TEST(Landscape, IsRead) {
    const auto landscape = landscape_from_json(whole, "l.json", Rows::wanted);
    ASSERT_TRUE(landscape) << landscape.error().message;
    EXPECT_EQ(landscape->title, "t");
    EXPECT_TRUE(landscape->objective.minimise);
    EXPECT_EQ(landscape->default_point, (Point{0, 0}));
    EXPECT_EQ(landscape->rows, (std::map<Point, double>{{{0, 0}, 2}, {{1, 2}, 0.5}}));
}

TEST(Landscape, ValuesLeaveWithTheTypesTheyCameWith) {
    const auto landscape = landscape_from_json(whole, "l.json", Rows::wanted);
    ASSERT_TRUE(landscape);
    EXPECT_EQ(point_json(landscape->space, {1, 1}).dump(), R"({"bsize":16384,"journal":"softdep"})");
    EXPECT_EQ(point_json(landscape->space, {1, 2}).dump(), R"({"bsize":16384,"journal":true})");
    EXPECT_EQ(point_json(landscape->space, {1, 3}).dump(), R"({"bsize":16384,"journal":1.5})");
    const auto again = point_from_json(landscape->space, nlohmann::json{{"bsize", 16384}, {"journal", 1.5}});
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, (Point{1, 3}));
}

TEST(Landscape, ASpaceNeedsNoRowsAndIgnoresThem) {
    const auto space =
        landscape_from_json(with("\"rows\": [{", "\"rows\": [{\"x\": 1, "), "s.json", Rows::unwanted);
    ASSERT_TRUE(space) << space.error().message;
    EXPECT_TRUE(space->rows.empty());
}

TEST(Landscape, Rejects) {
    struct Row {
        std::string text;
        std::string_view message;
    };
    const std::vector<Row> rows{
        {"", "l.json:1: not JSON"},
        {"{\n\n\"a\": ,\n}", "l.json:3: not JSON"},
        {"[]", "not an object"},
        {"{\"a\": 1e999}", "not JSON"},
        {std::string(100'000, '['), "not JSON"},
        {with("\"title\"", "\"titel\""), "'titel' is not known; did you mean 'title'?"},
        {with("\"t\"", "3"), "title: not a string"},
        {with("\"context\": {}", "\"context\": 1"), "context: not an object"},
        {"{\"objective\": {}}", "parameters: missing"},
        {"{\"objective\": {}, \"parameters\": []}", "rows: missing"},
        {with("\"rows\"", "\"source\""), "source: not a string"},
        {with("\"scale\": \"log2\"", "\"scale\": \"log\""), "parameters[0].scale: scale 'log' is not known"},
        {with("\"scale\": \"log2\"", "\"scael\": \"log2\""),
         "parameters[0]: key 'scael' is not known; did you mean 'scale'?"},
        {with("\"name\": \"bsize\", ", ""), "parameters[0]: name is missing"},
        {with("[8192, 16384]", "[]"), "bsize: no values"},
        {with("[8192, 16384]", "{}"), "parameters[0].values: not a list"},
        {with("[8192, 16384]", "[8192, null]"), "parameters[0].values[1]: neither"},
        {with("[8192, 16384]", "[8192, 8192.0]"), "there twice"},
        {with("\"direction\": \"min\"", "\"direction\": \"mix\""), "did you mean 'min'?"},
        {with("\"name\": \"time_s\"", "\"name\": \"bsize\""), "objective.name: bsize is a parameter"},
        {with("\"default\": {\"bsize\": 8192", "\"default\": {\"bsize\": 4096"),
         "default: bsize: 4096 is none of its values"},
        {with("\"default\": {\"bsize\": 8192", "\"default\": {\"bsise\": 8192"),
         "default: key 'bsise' is not known; did you mean 'bsize'?"},
        {with("\"default\": {\"bsize\": 8192, ", "\"default\": {"), "default: bsize is missing"},
        {with("\"time_s\": 0.5", "\"time_s\": \"x\""), "rows[1]: time_s: not a number"},
        {with(", \"time_s\": 0.5", ""), "rows[1]: time_s is missing"},
        {with("{\"bsize\": 16384.0, \"journal\": true", "{\"bsize\": 8192, \"journal\": \"wapbl\""),
         "rows[1]: this point was there before"},
        {with("\"journal\": true, \"time_s\"", "\"journal\": [[[1]]], \"time_s\""),
         "rows[1]: journal: array is none"},
        {with("\"journal\": true, \"time_s\"", "\"journal\": \"\\u001b[31m\", \"time_s\""),
         "\\x1b[31m is none"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.message);
        const auto landscape = landscape_from_json(row.text, "l.json", Rows::wanted);
        ASSERT_FALSE(landscape);
        EXPECT_EQ(landscape.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(landscape.error().message.starts_with("l.json")) << landscape.error().message;
        EXPECT_TRUE(contains(landscape.error().message, row.message)) << landscape.error().message;
    }
}

TEST(Landscape, AMillionParametersAreRefusedAtOnce) {
    std::string many = "[";
    for (int i = 0; i < 1'000'000; ++i) many += "1,";
    many.back() = ']';
    const auto landscape = landscape_from_json(
        "{\"objective\": {}, \"rows\": [], \"parameters\": " + many + "}", "l.json", Rows::wanted);
    ASSERT_FALSE(landscape);
    EXPECT_TRUE(contains(landscape.error().message, "1000000 parameters, at most 64"))
        << landscape.error().message;
}

TEST(Landscape, TheShippedOnesAreWhole) {
    EXPECT_EQ(test::recorded("netbsd_r5x3A_touchrm").rows.size(), 128U);
    EXPECT_EQ(test::recorded("netbsd_r5x5C_seqwrite").rows.size(), 160U);
    EXPECT_FALSE(test::recorded("linux_raid5_write_tcq0").objective.minimise);
}

}  // namespace
}  // namespace diskwright
