// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/sector_phases.hpp"

#include <gtest/gtest.h>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

TEST(SectorPhases, Patterns) {
    struct Row {
        std::string_view name;
        std::vector<double> ms;  // by place, 512 bytes apart
        double error_ms, turn_ms;
        PhasePattern::Kind kind;
        std::uint64_t sector = 0, offset = 0;
    };
    using enum PhasePattern::Kind;
    const std::vector<Row> table{
        {"512n", {9, 9.2, 8.9, 9.1, 9, 9, 9.2, 8.8}, 0.3, 8.3, alike},
        {"512e", {9, 17, 17.2, 17, 17.5, 17, 17, 17.1}, 0.3, 8.3, aligned, 4096, 0},
        {"512e, offset 1", {17, 17, 17.2, 17, 17.5, 17, 17, 9}, 0.3, 8.3, aligned, 4096, 3584},
        {"sectors of 1 KiB", {9, 17, 9, 17, 9.1, 17, 9, 17}, 0.3, 8.3, aligned, 1024, 0},
        {"sectors of 2 KiB, shifted", {17, 9, 17, 17, 17, 9.1, 17, 17}, 0.3, 8.3, aligned, 2048, 512},
        {"irregular", {9, 9, 17, 17, 17, 9, 17, 17}, 0.3, 8.3, unclear},
        {"noisy", {9, 17, 17.2, 17, 17.5, 17, 17, 17.1}, 3, 8.3, unclear},
        {"flash", {0.7, 0.8, 0.8, 0.81, 0.8, 0.8, 0.79, 0.8}, 0.005, 0, aligned, 4096, 0},
        {"two of eight samples missing", {9}, 0.3, 8.3, unclear},
    };
    for (const Row& row : table) {
        std::vector<Phase> phases;
        for (std::size_t i = 0; i < row.ms.size(); ++i)
            phases.push_back({i * 512, row.ms[i] / 1e3, row.error_ms / 1e3});
        const auto pattern = pattern_of(phases, 4096, row.turn_ms / 1e3);
        EXPECT_EQ(pattern.kind, row.kind) << row.name << ": " << pattern.why;
        if (row.kind == aligned) {
            EXPECT_EQ(pattern.sector, row.sector) << row.name;
            EXPECT_EQ(pattern.offset, row.offset) << row.name;
        }
        EXPECT_EQ(row.kind == unclear, !pattern.why.empty()) << row.name;
    }
}

}  // namespace
}  // namespace diskwright
