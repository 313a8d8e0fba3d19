// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/drive_models.hpp"

#include <array>
#include <string>
#include <vector>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Families of 4096-byte sectors that report 512: FreeBSD sys/cam/ata/ata_da.c, ada_quirk_table (ADA_Q_4K).
constexpr std::string_view quirk = "freebsd/freebsd-src: sys/cam/ata/ata_da.c, quirk table of 4K drives";

constexpr std::array models{
    DriveModel{"WD??EARS*", 4096, true, {}, quirk},
};

bool matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++, resume = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || lowercase(pattern.substr(p, 1)) == lowercase(text.substr(t, 1)))) {
            ++p, ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1, t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

}  // namespace

std::span<const DriveModel> drive_models() { return models; }

const DriveModel* find_drive_model(std::string_view model) {
    // The model word is the one with a digit: "WDC WD20EARS-00MVWB0", "ATA ST2000DL003-9VT1 CC3C", "ST3000DM001".
    for (const auto word : words(model))
        for (const DriveModel& row : models)
            if (matches(row.pattern, word)) return &row;
    return nullptr;
}

}  // namespace diskwright
