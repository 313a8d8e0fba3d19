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

// A server on one line.
std::string server(const std::string& changes = {}) {
    Json json = Json::parse(R"({"os": {"name": "netbsd", "release": "7.0"},
        "disks": [{"model": {"size_bytes": 2e9, "rpm": 7200}, "count": 3}],
        "volume": {"kind": "raidframe", "level": "5", "stripe_unit_bytes": 8192},
        "filesystem": {"type": "ffs2", "bsize": 16384, "fsize": 2048, "journal": "none"},
        "workload": {"name": "touch", "dirs": 20}})");
    if (!changes.empty()) json.merge_patch(Json::parse(changes));
    return json.dump();
}

std::vector<Json> lines_of(const std::string& output) {
    std::vector<Json> lines;
    for (std::size_t from = 0; from < output.size(); from = output.find('\n', from) + 1)
        lines.push_back(Json::parse(output.substr(from, output.find('\n', from) - from)));
    return lines;
}

TEST_F(Simulate, ABadLineIsNamedAndTheOthersAreReckoned) {
    const std::string smaller = R"({"workload": {"dirs": 5}})", larger = R"({"workload": {"dirs": 40}})";
    struct Row {
        std::string line;
        int status;
        std::string_view errors;
    };
    const Row rows[] = {
        {R"({"disks": [)", 65, "servers.jsonl:2: not JSON"},
        {server(R"({"wrkload": {}})"), 65, "servers.jsonl:2: wrkload: unknown"},
        {server(R"({"filesystem": {"bsize": 1000}})"), 65, "servers.jsonl:2: filesystem"},
        {server(R"({"volume": {"level": "6"}})"), 65, "servers.jsonl:2: volume.level"},
        {server(R"({"partition_start_bytes": 99000000000000})"), 65,
         "servers.jsonl:2: partition_start_bytes"},
        {server(R"({"filesystem": {"journal": "softdep"}})"), 65, "servers.jsonl:2: filesystem.journal: NetBSD 7 has no soft updates"},
        {"", 0, ""},
        {" \t\r", 0, ""},
        {"[1, 2]", 65, "servers.jsonl:2: "},
        {"17", 65, "servers.jsonl:2: "},
        {std::string(10'000'000, 'x'), 65, "servers.jsonl:2: not JSON"},
        {"{\"disks\": [" + std::string(10'000'000, ' ') + "]}", 65, "servers.jsonl:2: "},
        {std::string(1'000'000, '['), 65, "servers.jsonl:2: "},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.line.substr(0, 60));
        const std::string file = folder.file(
            "servers.jsonl", server(smaller) + "\n" + row.line + "\n" + server() + "\n" + server(larger));
        const auto result = run_program({"simulate", "--configs", file, "--format", "json"});
        EXPECT_EQ(result.status, row.status);
        EXPECT_TRUE(contains(result.errors, row.errors)) << result.errors.substr(0, 500);
        EXPECT_LT(result.errors.size(), 2000U);
        const auto lines = lines_of(result.output);
        ASSERT_EQ(lines.size(), 3U);
        EXPECT_LT(lines[0]["command_s"], lines[1]["command_s"]);
        EXPECT_LT(lines[1]["command_s"], lines[2]["command_s"]);
    }
}

TEST_F(Simulate, ASweepComesInItsOrder) {
    const std::string file = folder.file("server.json", server());
    const Words argv{"simulate",
                     "--config",
                     file,
                     "--vary",
                     "sectPerSU=8:64",
                     "--vary",
                     "journal=none,wapbl,softdep",
                     "--vary",
                     "level=0,5",
                     "--format",
                     "json"};
    const auto result = run_program(argv);
    EXPECT_EQ(result.status, 65);
    EXPECT_TRUE(contains(result.errors, "server.json (sectPerSU=8 journal=softdep level=0): filesystem.journal: "))
        << result.errors;
    const auto lines = lines_of(result.output);
    ASSERT_EQ(lines.size(), 16U);
    std::size_t at = 0;
    for (const char* unit : {"8", "16", "32", "64"})
        for (const char* journal : {"none", "wapbl"})
            for (const char* level : {"0", "5"})
                EXPECT_EQ(lines[at++]["point"],
                          std::string("sectPerSU=") + unit + " journal=" + journal + " level=" + level);
    EXPECT_EQ(run_program(argv).output, result.output);
}

TEST_F(Simulate, WhatCannotBeVaried) {
    const std::string file = folder.file("server.json", server());
    for (const char* vary :
         {"bsze=1", "bsize", "bsize=", "bsize=0:8", "bsize=8:4", "bsize=1:9000000000000000000", "bsize=x",
          "journal=none:wapbl", "journal=none,,wapbl", "level="}) {
        const auto result = run_program({"simulate", "--config", file, "--vary", vary});
        EXPECT_EQ(result.status, 64) << vary;
        EXPECT_TRUE(contains(result.errors, "--vary")) << result.errors;
    }
}

}  // namespace
}  // namespace diskwright
