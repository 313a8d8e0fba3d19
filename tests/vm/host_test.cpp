// SPDX-License-Identifier: BSD-2-Clause
// A host of real devices, looked at in every way that there is: they tell the same, and write nothing.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"
#include "tests/support/tool.hpp"
#include "tests/vm/booted.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// FFSv1 only: makefs puts the superblock of an FFSv2 at byte 8192, where the kernel does not look for one.
struct UfsImage {
    std::string options, order;
    std::uint64_t bytes;
};
const std::vector<UfsImage>& ufs_images() {
    static const std::vector<UfsImage> list{{"version=1,bsize=8192,fsize=1024", "le", 16 * MiB},
                                            {"version=1,bsize=16384,fsize=2048,minfree=8", "le", 24 * MiB},
                                            {"version=1,bsize=32768,fsize=4096,density=4096", "be", 48 * MiB},
                                            {"version=1,bsize=4096,fsize=512,density=2048", "le", 20 * MiB},
                                            {"version=1,bsize=8192,fsize=1024,minfree=0", "be", 16 * MiB}};
    return list;
}

class host : public test::Booted<host> {
 public:
    static constexpr const char* boot = "host";
    static void prepare(test::Machine& machine) {
        const auto makefs = test::find_tool("makefs");
        if (!makefs) return;
        const fs::path tree = machine.folder() / "tree";
        fs::create_directories(tree / "folder");
        for (int i = 0; i < 40; ++i)
            std::ofstream(tree / (i % 2 ? "folder" : ".") / fmt::format("file{}", i))
                << std::string(static_cast<std::size_t>(i) * 1777, static_cast<char>('a' + i % 26));
        for (const UfsImage& row : ufs_images()) {
            const fs::path path = machine.folder() / fmt::format("ufs{}.img", machine.drives.size());
            const auto made =
                test::run_tool({*makefs, "-t", "ffs", "-B", row.order, "-s", fmt::format("{}", row.bytes),
                                "-o", row.options, path.string(), tree.string()});
            EXPECT_EQ(made.status, 0) << made.output;
            machine.drives.push_back({path.string(), true});
        }
    }
};

void drop(Json& json, const std::string& key) {
    if (!json.is_structured()) return;
    if (json.is_object()) json.erase(key);
    for (auto& item : json) drop(item, key);
}

// What was found and what is known, without where each was read.
struct Told {
    Json facts, findings;
};
Told told(const std::string& shown, const std::string& audited) {
    const auto show = Json::parse(shown, nullptr, false), audit = Json::parse(audited, nullptr, false);
    EXPECT_FALSE(show.is_discarded() || audit.is_discarded()) << shown << audited;
    if (show.is_discarded() || audit.is_discarded()) return {};
    Told out{show["hosts"][0]["facts"], audit["hosts"][0]["findings"]};
    drop(out.facts, "provenance");
    for (auto& finding : out.findings) drop(finding, "evidence");
    return out;
}
Told told_of(const fs::path& capture) {
    return told(test::run_program({"show", "--format", "json", capture.string()}).output,
                test::run_program({"audit", "--format", "json", capture.string()}).output);
}

TEST_F(host, EachWayOfLookingTellsTheSame) {
    const auto& result = snippet("collect");
    const Told live = told(result.file("live.show"), result.file("live.audit"));
    ASSERT_FALSE(live.findings.empty());
    for (const char* capture : {"program.tar", "folder", "script.tar"}) {
        SCOPED_TRACE(capture);
        const Told other = told_of(result.folder / capture);
        for (const auto& [key, value] : live.facts.items())
            EXPECT_EQ(other.facts[key].dump(1), value.dump(1)) << key;
        EXPECT_EQ(other.findings.dump(1), live.findings.dump(1));
    }
    EXPECT_EQ(trim(result.file("live.status")), "1");
    EXPECT_EQ(result.file("live.errors"), "");
    EXPECT_EQ(result.file("script.errors"), "");
}

TEST_F(host, LookingWritesNothing) {
    const auto& result = snippet("collect");
    EXPECT_FALSE(result.file("writes_before").empty());
    EXPECT_EQ(result.file("writes_after"), result.file("writes_before"));
}

TEST_F(host, MeasuringWritesNothing) {
    const auto& result = snippet("probe");
    EXPECT_FALSE(result.file("before").empty());
    EXPECT_EQ(result.file("after"), result.file("before"));
    const std::string statuses = result.file("probes");
    ASSERT_EQ(split_lines(statuses).size(), 3U);
    for (const auto line : split_lines(statuses)) {
        EXPECT_TRUE(line.ends_with(" 0"))
            << line << result.file("probe." + std::string(words(line)[0]) + ".errors");
        const auto json = Json::parse(result.file("probe." + std::string(words(line)[0])), nullptr, false);
        EXPECT_FALSE(json.is_discarded()) << line;
    }
}

TEST_F(host, WhatIsInUseIsNoScratch) {
    const auto& result = snippet("probe");
    const std::string statuses = result.file("scratch");
    ASSERT_EQ(split_lines(statuses).size(), 3U);
    for (const auto line : split_lines(statuses))
        EXPECT_TRUE(line.ends_with(" 77")) << line << result.file("refused");
}

// The snippet's lines: device, and of statfs(2), as torvalds/linux:fs/ufs/super.c fills it, the fragment,
// then in fragments all, free and available, then inodes and free inodes.
TEST_F(host, SuperblocksTellWhatTheKernelTellsOfFfs) {
    if (!test::find_tool("makefs")) GTEST_SKIP() << "makefs is not installed";
    const auto& result = snippet("ufs");
    const std::string table = result.file("statfs");
    const auto lines = split_lines(table);
    ASSERT_EQ(lines.size(), ufs_images().size()) << table;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        SCOPED_TRACE(lines[i]);
        const auto field = words(lines[i]);
        ASSERT_EQ(field.size(), 7U);
        const auto number = [&](std::size_t n) { return to_unsigned(field[n]).value_or(0); };
        const auto shown = Json::parse(
            test::run_program({"show", "--format", "json", machine().drives[i].path}).output, nullptr, false);
        ASSERT_FALSE(shown.is_discarded());
        const auto& fs = shown["hosts"][0]["facts"]["filesystems"][0];
        SCOPED_TRACE(fs.dump());
        EXPECT_EQ(fs["type"], "ffs1");
        EXPECT_EQ(fs["fsize"], number(1));
        EXPECT_EQ(fs["used_bytes"], (number(2) - number(3)) * number(1));
        EXPECT_EQ(fs["inodes"], number(5));
        EXPECT_EQ(fs["inodes_used"], number(5) - number(6));
        // What is kept free is not available; the kernel rounds it down.
        const double kept = static_cast<double>(number(3) - number(4)) / static_cast<double>(number(2)) * 100;
        EXPECT_NEAR(fs["minfree_percent"].get<double>(), kept, 0.1);
        EXPECT_FALSE(result.file(fmt::format("vd{}.files", static_cast<char>('a' + i))).empty());
    }
}

}  // namespace
}  // namespace diskwright
