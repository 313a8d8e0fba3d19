// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/json_object.hpp"

#include <gtest/gtest.h>

#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// What a small file of ours could look like: every kind of value once.
std::string first_error(std::string_view text) {
    const auto json = parse_json(text, "f.json");
    if (!json) return json.error().message;
    JsonObject top(*json, "f.json");
    top.number("ratio");
    top.count("size_bytes");
    top.flag("battery");
    top.word("journal", {"none", "wapbl", "softdep"});
    std::size_t index = 0;
    for (const auto* element : top.list("disks")) {
        JsonObject disk = top.element("disks", index++, *element);
        disk.text("model");
        disk.reject_unknown_keys();
    }
    if (auto os = top.object("os")) {
        os->text("name");
        os->reject_unknown_keys();
    }
    top.reject_unknown_keys();
    return top.error() ? top.error()->message : "";
}

TEST(JsonObject, NamesThePathOfWhatIsWrong) {
    struct Row {
        std::string_view text, error;
    };
    constexpr std::array<Row, 23> rows{{
        {R"({"ratio": 0.5, "size_bytes": 3e12, "battery": true, "journal": "wapbl", "disks": [{"model": "a"}],
             "os": {"name": "netbsd"}})",
         ""},
        {"{}", ""},
        {R"({"ratio": "0.5"})", "f.json: ratio: not a number"},
        {R"({"ratio": null})", "f.json: ratio: not a number"},
        {R"({"size_bytes": -1})", "f.json: size_bytes: not a whole number of 0 or more"},
        {R"({"size_bytes": 1.5})", "f.json: size_bytes: not a whole number of 0 or more"},
        {R"({"size_bytes": 1e300})", "f.json: size_bytes: not a whole number of 0 or more"},
        {R"({"battery": 1})", "f.json: battery: neither true nor false"},
        {R"({"journal": "wapl"})",
         "f.json: journal: 'wapl' is none of none, wapbl, softdep; did you mean 'wapbl'?"},
        {R"({"journal": "x"})", "f.json: journal: 'x' is none of none, wapbl, softdep"},
        {R"({"disks": {}})", "f.json: disks: not a list"},
        {R"({"disks": [{}, 3]})", "f.json: disks[1]: not an object"},
        {R"({"disks": [{"modle": "a"}]})", "f.json: disks[0].modle: unknown key; did you mean 'model'?"},
        {R"({"os": []})", "f.json: os: not an object"},
        {R"({"os": {"name": 3}})", "f.json: os.name: not a text"},
        {R"({"colour": "red"})", "f.json: colour: unknown key"},
        {R"({"\u001b[31m": 1})", "f.json: \\x1b[31m: unknown key"},
        {"[]", "f.json: not an object"},
        {R"({"a": )", "f.json: not JSON at byte 7"},
        {R"({"a": 1e999})", "f.json: not JSON at byte 11"},
        {"{} {}", "f.json: not JSON at byte 4"},
        {"", "f.json: not JSON at byte 1"},
        {R"({"os": {"b": 1, "c": [], "b": 2}})", "f.json: the key 'b' is there twice in one object"},
    }};
    for (const Row& row : rows) EXPECT_EQ(first_error(row.text), row.error) << row.text;
}

TEST(JsonObject, ValuesStayWhatTheyAre) {
    const std::string text =
        R"({"z":[1,-2,0.5,"x",true,null,[],{}],"a":{"b":{"c":18446744073709551615}},"":""})";
    const auto json = parse_json(text, "f.json");
    ASSERT_TRUE(json);
    EXPECT_EQ(json->dump(), text);
    EXPECT_EQ(parse_json(" 3 ", "f.json")->dump(), "3");
}

// Not a figure: the square of these takes hours.
TEST(JsonObject, AMillionKeysAreReadAndRefused) {
    std::string wide = "{";
    for (int i = 0; i < 1'000'000; ++i) wide += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
    wide.back() = '}';
    const auto json = parse_json(wide, "f.json");
    ASSERT_TRUE(json);
    EXPECT_EQ(json->size(), 1'000'000U);
    JsonObject top(*json, "f.json");
    EXPECT_EQ(top.count("k999999"), 999'999U);
    top.reject_unknown_keys();
    ASSERT_TRUE(top.error());
    EXPECT_TRUE(contains(top.error()->message, "k0: unknown key")) << top.error()->message;
    const auto array = parse_json("[" + wide + "," + wide + "]", "f.json");
    EXPECT_TRUE(array);
}

TEST(JsonObject, DepthIsBounded) {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_TRUE(parse_json(nested(60), "f.json"));
    EXPECT_FALSE(parse_json(nested(70), "f.json"));
    const auto deep = parse_json(nested(1'000'000), "f.json");
    ASSERT_FALSE(deep);
    EXPECT_EQ(deep.error().kind, ErrorKind::bad_data);
}

}  // namespace
}  // namespace diskwright
