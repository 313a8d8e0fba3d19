// SPDX-License-Identifier: BSD-2-Clause
// simulate as scripts see it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;
using test::run_program;

class Simulate : public testing::Test {
 protected:
    test::TemporaryFolder folder;
    const std::string measured = (test::data_folder() / "disksim" / "trace_barracuda.json.gz").string();
    const std::string trace = folder.file("trace.json", R"({"columns": ["rw", "lbn_512", "blocks_512"],
                                                          "rows": [["R", 0, 8], ["W", 4000000, 16]]})");
};

TEST_F(Simulate, ExitStatus) {
    const std::string broken = folder.file("broken.json", "{\"rows\": ");
    const std::string outside = folder.file(
        "outside.json",
        R"({"columns": ["rw", "lbn_512", "blocks_512"], "rows": [["R", 0, 8], ["R", 99999999999, 8]]})");
    const std::string cut = folder.file("cut.json.gz", test::read_file(measured).substr(0, 5000));
    const std::string mistyped = folder.file("mistyped.json", R"({"size_bytes": 1e12, "rmp": 7200})");
    const std::string plain = folder.file("plain.json", R"({"size_bytes": 4e9, "rpm": 7200})");
    const std::string binary = folder.file("binary", std::string(100'000, '\1'));
    struct Row {
        Words argv;
        int status;
        std::string_view errors;
    };
    const std::vector<Row> rows{
        {{"--disk", "barracuda", "--trace", trace}, 0, ""},
        {{"--disk", plain, "--trace", trace}, 0, ""},
        {{"--disk", "list"}, 0, ""},
        {{}, 64, "--disk"},
        {{"--disk", "barracuda"}, 64, "--trace FILE"},
        {{"--disk", "baracuda", "--trace", trace}, 64, "did you mean 'barracuda'?"},
        {{"--disk", "-", "--trace", "-"}, 64, "standard input"},
        {{"--disk", "barracuda", "--trace", trace, "--format", "html"}, 64, "--format"},
        {{"--disk", "barracuda", "--trace", trace, "-o", trace}, 64, "trace.json"},
        {{"--disk", "barracuda", "--trace", broken}, 65, "broken.json: not JSON at byte"},
        {{"--disk", "barracuda", "--trace", outside}, 65, "outside.json: rows[1]: 8 blocks at 99999999999"},
        {{"--disk", "barracuda", "--trace", cut}, 65, "cut.json.gz"},
        {{"--disk", "barracuda", "--trace", binary}, 65, "binary"},
        {{"--disk", mistyped, "--trace", trace}, 65, "mistyped.json: rmp: unknown"},
        {{"--disk", broken, "--trace", trace}, 65, "broken.json"},
        {{"--disk", "barracuda", "--trace", folder.path("none.json")}, 66, "No such file"},
        {{"--disk", "./none.json", "--trace", trace}, 66, "No such file"},
    };
    for (const Row& row : rows) {
        Words argv{"simulate"};
        argv.insert(argv.end(), row.argv.begin(), row.argv.end());
        const auto result = run_program(argv);
        EXPECT_EQ(result.status, row.status) << result.errors;
        EXPECT_TRUE(contains(result.errors, row.errors)) << result.errors;
    }
}

TEST_F(Simulate, JsonHasWhatTheContractSays) {
    const auto result =
        run_program({"simulate", "--disk", "barracuda", "--trace", measured, "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json json = Json::parse(result.output);
    EXPECT_EQ(json.at("requests"), 10'000);
    EXPECT_EQ(json.at("service_us").size(), 10'000U);
    EXPECT_LE(json.at("rms_ms").get<double>(), 0.37);
    EXPECT_EQ(json.at("published_rms_ms"), 0.349);
    EXPECT_NEAR(json.at("mean_ms").get<double>(), 6.4, 0.2);

    const auto unmeasured =
        run_program({"simulate", "--disk", "barracuda", "--trace", trace, "--format", "json"});
    ASSERT_EQ(unmeasured.status, 0) << unmeasured.errors;
    const Json without = Json::parse(unmeasured.output);
    EXPECT_FALSE(without.contains("rms_ms"));
    EXPECT_EQ(without.at("service_us").size(), 2U);
    EXPECT_EQ(
        run_program({"simulate", "--disk", "barracuda", "--trace", measured, "--format", "json"}).output,
        result.output);
}

TEST_F(Simulate, TextSaysHowNearAndWhatWasAssumed) {
    const auto result = run_program({"simulate", "--disk", "barracuda", "--trace", measured});
    EXPECT_TRUE(contains(result.output, "barracuda: 10000 requests")) << result.output;
    EXPECT_TRUE(contains(result.output, "the reference simulator reaches 0.349 ms")) << result.output;
    const std::string plain = folder.file("plain.json", R"({"size_bytes": 4e9})");
    const auto assumed = run_program({"simulate", "--disk", plain, "--trace", trace});
    EXPECT_TRUE(contains(assumed.output, "assumed: rpm 7200")) << assumed.output;
}

TEST_F(Simulate, DriveAndTraceComeFromStandardInputToo) {
    const auto piped = run_program({"simulate", "--disk", "barracuda", "--trace", "-", "--format", "json"},
                                   test::read_file(measured));
    ASSERT_EQ(piped.status, 0) << piped.errors;
    EXPECT_EQ(Json::parse(piped.output).at("requests"), 10'000);
    EXPECT_EQ(
        run_program({"simulate", "--disk", "-", "--trace", trace}, R"({"size_bytes": 4e9, "rpm": 7200})")
            .status,
        0);
}

TEST_F(Simulate, EmptyTraces) {
    const std::string empty =
        folder.file("empty.json", R"({"columns": ["rw", "lbn_512", "blocks_512"], "rows": []})");
    const auto result =
        run_program({"simulate", "--disk", "barracuda", "--trace", empty, "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json json = Json::parse(result.output);
    EXPECT_EQ(json.at("requests"), 0);
    EXPECT_FALSE(json.contains("mean_ms"));
}

}  // namespace
}  // namespace diskwright
