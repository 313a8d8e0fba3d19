// SPDX-License-Identifier: BSD-2-Clause
// Includes point one way, third-party headers have one home each, and the system is asked for by #ifdef only
// where it may be. One row per folder: what it may include besides itself and the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;

struct Room {
    std::string_view folder;
    std::vector<std::string_view> may_include;
};
const std::vector<Room>& rooms() {
    // The longest matching folder counts.
    static const std::vector<Room> list{
        {"probes/support", {}},
        {"probes/model", {"probes/support"}},
        {"probes/ondisk", {"probes/support", "probes/model"}},
        {"probes/parsers", {"probes/support", "probes/model"}},
        {"probes/timing", {"probes/support", "probes/model"}},
        {"probes/capture", {"probes/support", "probes/model", "probes/parsers", "probes/ondisk"}},
        {"probes/live",
         {"probes/support", "probes/model", "probes/parsers", "probes/ondisk", "probes/capture",
          "probes/timing"}},
        {"rules", {"probes/support", "probes/model"}},
        {"tuner", {"probes/support", "probes/model"}},
        {"advisor",
         {"probes/support", "probes/model", "probes/parsers", "probes/ondisk", "probes/capture",
          "probes/live", "probes/timing", "rules", "tuner"}},
    };
    return list;
}

// Where each library may be included; a name not here is a system header.
struct Home {
    std::string_view header, folder;
};
constexpr std::array<Home, 6> homes{{{"CLI/", "advisor/cli"},
                                     {"boost/", "probes/live/process_runner.cpp"},
                                     {"nlopt", "tuner/optimizers"},
                                     {"archive", "probes/capture"},
                                     {"sqlite3", "advisor/history"},
                                     {"gtest/", "tests"}}};

std::vector<fs::path> sources() {
    std::vector<fs::path> out;
    for (const auto* top : {"probes", "rules", "tuner", "advisor"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(DISKWRIGHT_SOURCE_DIR) / top))
            if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
                out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

std::string from_top(const fs::path& path) {
    return path.lexically_relative(DISKWRIGHT_SOURCE_DIR).generic_string();
}

const Room* room_of(std::string_view file) {
    const Room* best = nullptr;
    for (const Room& room : rooms())
        if (file.starts_with(std::string(room.folder) + "/") &&
            (!best || room.folder.size() > best->folder.size()))
            best = &room;
    return best;
}

TEST(Architecture, IncludesPointOneWay) {
    std::size_t seen = 0;
    for (const auto& path : sources()) {
        const std::string file = from_top(path);
        const Room* room = room_of(file);
        ASSERT_TRUE(room) << file;
        const std::string text = test::read_file(path);
        for (const auto line : split_lines(text)) {
            const auto included = between(line, "#include \"", "\"");
            if (!included) continue;
            ++seen;
            const Room* target = room_of(*included);
            ASSERT_TRUE(target) << file << ": " << line << ": name the path from the top";
            const bool allowed =
                target == room || std::find(room->may_include.begin(), room->may_include.end(),
                                            target->folder) != room->may_include.end();
            EXPECT_TRUE(allowed) << file << " may not include " << *included;
        }
    }
    EXPECT_GT(seen, 100U);
}

TEST(Architecture, LibrariesHaveOneHome) {
    for (const auto& path : sources()) {
        const std::string file = from_top(path);
        const std::string text = test::read_file(path);
        for (const auto line : split_lines(text)) {
            const auto included = between(line, "#include <", ">");
            if (!included) continue;
            for (const Home& home : homes)
                if (included->starts_with(home.header)) {
                    EXPECT_TRUE(file.starts_with(home.folder)) << file << ": " << line;
                }
            EXPECT_NE(*included, "format") << file;
            EXPECT_NE(*included, "expected") << file;
            EXPECT_NE(*included, "regex") << file;
        }
    }
}

TEST(Architecture, SystemsDifferOnlyInTheirOwnFiles) {
    for (const auto& path : sources()) {
        const std::string name = path.filename().string();
        if (name.starts_with("device_") || name.starts_with("confine_")) continue;
        const std::string text = test::read_file(path);
        for (const auto line : split_lines(text)) {
            const auto code = trim(line);
            const bool conditional = code.starts_with("#if") || code.starts_with("#elif");
            EXPECT_FALSE(conditional) << from_top(path) << ": " << line;
        }
    }
}

}  // namespace
}  // namespace diskwright
