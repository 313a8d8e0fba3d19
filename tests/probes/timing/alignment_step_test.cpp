// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/alignment_step.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"
#include "probes/timing/probes.hpp"
#include "tests/support/files.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

using test::SimulatedDisk;
using test::StopAfter;

// Measured by others: 4 MiB erase blocks, and pages of 8 and 16 KiB below.
TEST(AlignmentStep, OfAPublishedCard) {
    const auto json = nlohmann::json::parse(test::read_file(test::data_folder() / "timing/flashbench_erase_block.json"));
    std::vector<AlignmentRow> rows;
    for (const auto& row : json.at("rows"))
        rows.push_back({static_cast<std::uint64_t>(row.at("align_bytes").get<double>()),
                        row.at("diff_us").get<double>() * 1e-6, 3e-6});
    EXPECT_EQ(step_of(rows), 4 * MiB);
}

TEST(AlignmentStep, OfRows) {
    struct Row {
        std::string_view name;
        std::vector<double> extra_us;  // from 8 KiB on, doubling
        double error_us;
        std::optional<std::uint64_t> step;
    };
    const std::vector<Row> table{
        {"one step", {0, 0, 0, 0, 100, 101, 99, 100}, 2, 128 * KiB},
        {"two steps: the larger size", {0, 0, 50, 50, 50, 100, 101, 99}, 2, 256 * KiB},
        {"nothing", {0, 1, -1, 0, 1, 0, -1, 0}, 2, {}},
        {"all the same", {100, 100, 100, 100, 100, 100, 100, 100}, 2, {}},
        {"lost in noise", {0, 0, 0, 0, 100, 101, 99, 100}, 40, {}},
        {"too few rows", {0, 100, 100}, 2, {}},
    };
    for (const Row& row : table) {
        std::vector<AlignmentRow> rows;
        for (std::size_t i = 0; i < row.extra_us.size(); ++i)
            rows.push_back({(8 * KiB) << i, row.extra_us[i] * 1e-6, row.error_us * 1e-6});
        EXPECT_EQ(step_of(rows), row.step) << row.name;
    }
}

// Reads that cross a multiple of the erase block or of the page cost more.
class Card final : public TimedDevice {
 public:
    std::uint64_t block = 4 * MiB;
    std::string name() const override { return "card"; }
    std::uint64_t size_bytes() const override { return std::uint64_t{16} << 30; }
    std::uint64_t logical_sector_bytes() const override { return 512; }
    std::string cached_because() const override { return ""; }
    Clock& clock() override { return clock_; }
    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned) override {
        RunTiming out;
        for (const auto& r : requests) {
            const auto crosses = [&](std::uint64_t size) {
                return r.offset / size != (r.offset + r.length - 1) / size;
            };
            const double seconds = 700e-6 + (crosses(block) ? 150e-6 : 0) + (crosses(16 * KiB) ? 150e-6 : 0);
            clock_.advance(seconds);
            out.service.emplace_back(static_cast<std::int64_t>(seconds * 1e9));
            out.elapsed += out.service.back();
        }
        return out;
    }

 private:
    test::VirtualClock clock_;
};

TEST(AlignmentStep, OfADevice) {
    for (const std::uint64_t block : {512 * KiB, 4 * MiB, 8 * MiB}) {
        Card card;
        card.block = block;
        StopAfter progress;
        const auto out = measure_alignment_step({card, nullptr, std::chrono::seconds(4), 1, progress});
        ASSERT_TRUE(std::holds_alternative<double>(out.measured.value)) << out.measured.reason;
        EXPECT_EQ(std::get<double>(out.measured.value), static_cast<double>(block));
        EXPECT_EQ(out.measured.confidence, Confidence::medium);
    }
}

TEST(AlignmentStep, NoneToFind) {
    SimulatedDisk flat;
    flat.command_s = 0.0001;
    StopAfter progress;
    const auto none = measure_alignment_step({flat, nullptr, std::chrono::seconds(4), 1, progress});
    EXPECT_TRUE(contains(none.measured.reason, "no step")) << none.measured.reason;
    SimulatedDisk tiny;
    tiny.size = 32 * KiB;
    const auto small = measure_alignment_step({tiny, nullptr, std::chrono::seconds(4), 1, progress});
    EXPECT_TRUE(contains(small.measured.reason, "too small")) << small.measured.reason;
    flat.read_error = Error{ErrorKind::io_error, "read at 4096: Input/output error"};
    const auto failed = measure_alignment_step({flat, nullptr, std::chrono::seconds(4), 1, progress});
    ASSERT_TRUE(failed.failure);
    EXPECT_EQ(failed.measured.confidence, Confidence::inconclusive);
}

}  // namespace
}  // namespace diskwright
