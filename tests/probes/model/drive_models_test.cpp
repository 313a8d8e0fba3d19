// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/drive_models.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace diskwright {
namespace {

// A model name that the pattern matches.
std::string example_of(std::string_view pattern) {
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '[') {
            out += pattern[i + 1];
            i = pattern.find(']', i);
        } else if (pattern[i] == '#') {
            out += '5';
        } else if (pattern[i] == '?') {
            out += 'Q';
        } else if (pattern[i] != '*') {
            out += pattern[i];
        }
    }
    return out;
}

// What one place of a pattern can be.
std::string characters_at(std::string_view pattern, std::size_t& i) {
    static const std::string digits = "0123456789", all = digits + "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (pattern[i] == '[') {
        const auto close = pattern.find(']', i);
        const std::string set(pattern.substr(i + 1, close - i - 1));
        i = close + 1;
        return set;
    }
    const char c = pattern[i++];
    if (c == '#') return digits;
    if (c == '?') return all;
    return std::string(1, static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
}

// Can one name match both?
bool overlap(std::string_view a, std::string_view b) {
    if (a.empty() && b.empty()) return true;
    if (!a.empty() && a[0] == '*')
        return overlap(a.substr(1), b) ||
               (!b.empty() && b[0] != '*' &&
                [&] {
                    std::size_t j = 0;
                    characters_at(b, j);
                    return overlap(a, b.substr(j));
                }()) ||
               (!b.empty() && b[0] == '*' && overlap(a, b.substr(1)));
    if (!b.empty() && b[0] == '*') return overlap(b, a);
    if (a.empty() || b.empty()) return false;
    std::size_t i = 0, j = 0;
    const auto x = characters_at(a, i), y = characters_at(b, j);
    return x.find_first_of(y) != std::string::npos && overlap(a.substr(i), b.substr(j));
}

TEST(DriveModels, RowsThatOverlapAgree) {
    const auto rows = drive_models();
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = i + 1; j < rows.size(); ++j) {
            if (!overlap(rows[i].pattern, rows[j].pattern)) continue;
            EXPECT_EQ(rows[i].physical_sector, rows[j].physical_sector)
                << rows[i].pattern << " and " << rows[j].pattern;
            EXPECT_EQ(rows[i].rotational, rows[j].rotational)
                << rows[i].pattern << " and " << rows[j].pattern;
        }
}

TEST(DriveModels, EveryRowIsReachedOnceAndHasASource) {
    std::set<std::string_view> patterns;
    for (const DriveModel& row : drive_models()) {
        EXPECT_TRUE(patterns.insert(row.pattern).second) << row.pattern;
        EXPECT_FALSE(row.source.empty()) << row.pattern;
        const std::string example = example_of(row.pattern);
        EXPECT_TRUE(matches_model_pattern(row.pattern, example)) << row.pattern << " " << example;
        const DriveModel* found = find_drive_model(example);
        ASSERT_NE(found, nullptr) << row.pattern;
        EXPECT_EQ(found->physical_sector, row.physical_sector) << example;
    }
}

TEST(DriveModels, ModelsAsTheToolsPrintThem) {
    struct Row {
        std::string_view model;
        std::uint32_t sector;  // 0: no row, or one that does not tell
        std::optional<bool> shingled;
    };
    for (const Row& row : std::initializer_list<Row>{
             {"WDC WD20EARS-00MVWB0", 4096, false},
             {"WDC WD20EARS-00S8B1", 4096, false},
             {"ATA ST2000DL003-9VT1 CC3C", 4096, false},
             {"ST2000DL003-9VT166", 4096, false},
             {"HUS723030ALS640", 512, false},
             {"HITACHI HUS723030ALS640 A222", 512, false},
             {"Hitachi HUA723030ALA640", 512, false},
             {"HGST HUS726T4TALE6L4", 4096, false},
             {"HUS726T4TALN6L4", 4096, false},
             {"WDC WD1002FBYS-02A6B0", 512, false},
             {"WD1002FBYS-02A6B", 512, false},
             {"WDC WD5002ABYS-02B1B0 02.03B03", 512, false},
             {"WDC WD5003ABYX-01WERA1", 512, false},
             {"WDC WD1003FBYX-0", 512, false},
             {"ST3200820AS", 512, false},
             {"ST3160815AS 3.ADA", 512, false},
             {"ST31000340NS", 512, false},
             {"SEAGATE ST3146855SS 0002", 512, false},
             {"ST2000DM001-1CH164", 4096, std::nullopt},
             {"ST6000NM0115-1YZ110", 4096, false},
             {"ST6000NM0235-1YZ110", 512, false},
             {"ST4000NM0035-1V4107", 512, false},
             {"ST2000NM000A-2J2100", 512, false},
             {"ST8000NM0055-1RM112", 4096, false},
             {"ST1000NM0011", 512, false},
             {"ST12000NM0007-2A1101", 4096, false},
             {"ST4000VN008-2DR166", 4096, false},
             {"SAMSUNG HD204UI", 4096, false},
             {"SAMSUNG HD103SJ", 512, false},
             {"Hitachi HTS547575A9E384", 4096, false},
             {"TOSHIBA DT01ACA300", 4096, false},
             // shingled, and the conventional neighbours of the same name
             {"WDC WD60EFAX-68SHWN0", 4096, true},
             {"WDC WD40EFAX-68JH4N0", 4096, true},
             {"WDC WD60EFRX-68L0BN1", 4096, false},
             {"WDC WD80EFAX-68KNBN0", 4096, false},
             {"ST8000DM004-2CX188", 4096, true},
             {"ST4000DM004-2CV104", 4096, true},
             {"ST8000AS0002-1NA17Z", 4096, true},
             {"WDC WD20EZAZ-00GGJB0", 4096, true},
             {"Samsung SSD 850 PRO 256GB EXM02B6Q", 0, false},
             {"INTEL SSDSC2BW240A4", 0, false},
             // none of the table
             {"ST1000NM0008-2F2", 0, std::nullopt},  // what is published of its sector disagrees
             {"VBOX HARDDISK", 0, std::nullopt},
             {"QEMU HARDDISK", 0, std::nullopt},
             {"SMC2108", 0, std::nullopt},
             {"AMCC 9650SE-4LP DISK 4.06", 0, std::nullopt},
             {"", 0, std::nullopt},
         }) {
        const DriveModel* found = find_drive_model(row.model);
        EXPECT_EQ(found ? found->physical_sector : 0u, row.sector) << row.model;
        EXPECT_EQ(found ? found->shingled : std::nullopt, row.shingled) << row.model;
    }
}

TEST(DriveModels, PatternsMatchWholeWords) {
    EXPECT_TRUE(matches_model_pattern("WD##??RS*", "wd20ears-00s8b1"));
    EXPECT_FALSE(matches_model_pattern("WD##??RS*", "WD2EARS"));
    EXPECT_FALSE(matches_model_pattern("WD##??RS", "WD20EARSX"));
    EXPECT_TRUE(matches_model_pattern("A[23]*Z", "A3xyzZ"));
    EXPECT_FALSE(matches_model_pattern("A[23]Z", "A4Z"));
    EXPECT_FALSE(matches_model_pattern("A[23", "A2"));
    // A long run of near misses ends quickly.
    EXPECT_FALSE(matches_model_pattern("*a*a*a*a*b", std::string(200, 'a')));
    EXPECT_EQ(find_drive_model(std::string(100000, 'x')), nullptr);
}

}  // namespace
}  // namespace diskwright
