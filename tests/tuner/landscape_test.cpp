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
    const nlohmann::ordered_json again{{"bsize", 16384}, {"journal", 1.5}};
    JsonObject object(again, "again");
    EXPECT_EQ(read_point(landscape->space, object), (Point{1, 3}));
    EXPECT_FALSE(object.error());
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
        {"", "l.json: not JSON at byte 1"},
        {"{\n\n\"a\": ,\n}", "l.json: not JSON at byte 9"},
        {"[]", "not an object"},
        {"{\"a\": 1e999}", "not JSON"},
        {std::string(10'000'000, '['), "nested deeper than 64"},
        {with("\"context\": {}", "\"context\": {\"a\": " + std::string(1'000'000, '[')),
         "nested deeper than 64"},
        {with("\"title\"", "\"titel\""), "titel: unknown key; did you mean 'title'?"},
        {with("\"t\"", "3"), "title: not a text"},
        {with("\"context\": {}", "\"context\": 1"), "context: not an object"},
        {"{\"objective\": {}}", "parameters: missing"},
        {"{\"objective\": {}, \"parameters\": []}", "rows: missing"},
        {with("\"rows\"", "\"source\""), "the key 'source' is there twice"},
        {with("\"s\"", "[]"), "source: not a text"},
        {with("\"scale\": \"log2\"", "\"scale\": \"log\""),
         "parameters[0].scale: 'log' is none of linear, log2, choice"},
        {with("\"scale\": \"log2\"", "\"scael\": \"log2\""), "parameters[0].scale: missing"},
        {with("\"name\": \"bsize\", ", ""), "parameters[0].name: missing"},
        {with("[8192, 16384]", "[]"), "bsize: no values"},
        {with("[8192, 16384]", "{}"), "parameters[0].values: not a list"},
        {with("[8192, 16384]", "[8192, null]"), "parameters[0].values[1]: neither"},
        {with("[8192, 16384]", "[8192, 8192.0]"), "there twice"},
        {with("\"direction\": \"min\"", "\"direction\": \"mix\""), "did you mean 'min'?"},
        {with("\"name\": \"time_s\"", "\"name\": \"bsize\""), "objective.name: bsize is a parameter"},
        {with("\"default\": {\"bsize\": 8192", "\"default\": {\"bsize\": 4096"),
         "default.bsize: 4096 is none of its values"},
        {with("\"default\": {\"bsize\": 8192", "\"default\": {\"bsise\": 8192"),
         "default.bsise: unknown key; did you mean 'bsize'?"},
        {with("\"default\": {\"bsize\": 8192, ", "\"default\": {"), "default.bsize: missing"},
        {with("\"time_s\": 0.5", "\"time_s\": \"x\""), "rows[1].time_s: not a number"},
        {with(", \"time_s\": 0.5", ""), "rows[1].time_s: missing"},
        {with("{\"bsize\": 16384.0, \"journal\": true", "{\"bsize\": 8192, \"journal\": \"wapbl\""),
         "rows[1]: this point was there before"},
        {with("\"journal\": true, \"time_s\"", "\"journal\": [[[1]]], \"time_s\""),
         "rows[1].journal: array is none"},
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

// Not a figure: the square of these takes hours.
TEST(Landscape, AMillionKeysAreRefused) {
    std::string many;
    for (int i = 0; i < 1'000'000; ++i) many += "\"k" + std::to_string(i) + "\": 1,";
    for (const std::string& text : {"{" + many + "\"z\": 1}", with("\"time_s\": 2", many + "\"time_s\": 2"),
                                    with("\"scale\": \"log2\"", many + "\"scale\": \"log2\"")}) {
        const auto landscape = landscape_from_json(text, "l.json", Rows::wanted);
        ASSERT_FALSE(landscape);
        EXPECT_TRUE(contains(landscape.error().message, "k0: unknown key")) << landscape.error().message;
    }
}

TEST(Landscape, TheShippedOnesAreWhole) {
    EXPECT_EQ(test::recorded("netbsd_r5x3A_touchrm").rows.size(), 128U);
    EXPECT_EQ(test::recorded("netbsd_r5x5C_seqwrite").rows.size(), 160U);
    EXPECT_FALSE(test::recorded("linux_raid5_write_tcq0").objective.minimise);
}

}  // namespace
}  // namespace diskwright
