// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/scratch_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Geometry {
    std::uint64_t bsize, fsize;
};
constexpr std::array<Geometry, 5> geometries{
    {{1024, 1024}, {4096, 4096}, {8192, 1024}, {32768, 4096}, {65536, 65536}}};

TEST(ScratchPattern, BlocksAndFragmentsLieWhereAnFfsPutsThem) {
    for (const auto& [bsize, fsize] : geometries) {
        const auto commits = small_file_writes({}, bsize, fsize, 64 * MiB);
        ASSERT_EQ(commits.size(), 12U);  // 48 files, 4 a commit
        for (const auto& writes : commits)
            for (const auto& write : writes) {
                EXPECT_EQ(write.offset % fsize, 0U);
                EXPECT_EQ(write.length % fsize, 0U);
                EXPECT_GT(write.length, 0U);
                EXPECT_LE(write.offset + write.length, 64 * MiB);
                const bool whole = write.length % bsize == 0;
                const bool inside = write.offset / bsize == (write.offset + write.length - 1) / bsize;
                EXPECT_TRUE(inside || whole)
                    << "a tail crosses a block: " << write.offset << "+" << write.length;
            }
    }
}

// Data goes to places of its own; only inodes and the directory are written again.
TEST(ScratchPattern, OnlyMetadataIsRewritten) {
    for (const auto& [bsize, fsize] : geometries) {
        const auto commits = small_file_writes({}, bsize, fsize, 64 * MiB);
        const std::uint64_t data = (48 * 256 + bsize - 1) / bsize * bsize + bsize;
        std::uint64_t last = data, metadata = 0;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
        for (const auto& writes : commits)
            for (const auto& write : writes)
                if (write.offset < data)
                    ++metadata;
                else
                    ranges.emplace_back(write.offset, write.offset + write.length);
        std::sort(ranges.begin(), ranges.end());
        for (const auto& [begin, end] : ranges) {
            EXPECT_GE(begin, last);
            last = end;
        }
        EXPECT_EQ(metadata, 2 * commits.size());
    }
}

TEST(ScratchPattern, TheSameFilesWhateverTheBlock) {
    // Smaller fragments waste less: the bytes written fall or stay, never below the files' own.
    std::uint64_t before = ~std::uint64_t{0};
    for (const std::uint64_t fsize : {32768, 16384, 8192, 4096}) {
        std::uint64_t bytes = 0;
        for (const auto& writes : small_file_writes({}, 32768, fsize, 64 * MiB))
            for (std::size_t i = 0; i + 2 < writes.size(); ++i) bytes += writes[i].length;
        EXPECT_LT(bytes, before);
        before = bytes;
    }
}

TEST(ScratchPattern, AnAreaThatIsTooSmallGivesNothing) {
    EXPECT_TRUE(small_file_writes({}, 65536, 65536, MiB).empty());
}

// A scratch device that takes a microsecond for each 512 bytes and a millisecond for a flush.
class FakeScratch final : public ScratchDevice {
 public:
    explicit FakeScratch(std::uint64_t sector) : sector_(sector) {}
    std::string name() const override { return "fake"; }
    std::uint64_t size_bytes() const override { return 64 * MiB; }
    std::uint64_t logical_sector_bytes() const override { return sector_; }
    std::string cached_because() const override { return {}; }
    Clock& clock() override { return clock_; }
    Result<RunTiming> read(std::span<const ReadRequest>, unsigned) override {
        return Error{ErrorKind::io_error, "fake: not read"};
    }
    std::optional<Error> begin_step() override {
        ++steps;
        return refusal;
    }
    Result<WriteTiming> write_at(std::uint64_t offset, std::span<const std::byte> from) override {
        EXPECT_EQ(offset % sector_, 0U);
        EXPECT_GT(steps, 0U) << "written before a check";
        contents.emplace(from.begin(), from.end());
        if (written == 0 && first_is_late) {
            first_is_late = false;
            return WriteTiming{std::chrono::seconds(1), true};
        }
        written += from.size();
        if (fail_after && written > *fail_after) return Error{ErrorKind::io_error, "fake: broken"};
        ++writes;
        return WriteTiming{std::chrono::nanoseconds(from.size() / 512 * 1000)};
    }
    Result<std::chrono::nanoseconds> flush() override {
        ++flushes;
        return std::chrono::nanoseconds(1'000'000);
    }
    std::uint64_t written = 0, writes = 0, flushes = 0, steps = 0;
    bool first_is_late = false;  // the first write comes after a check and takes a second
    std::set<std::vector<std::byte>> contents;
    std::optional<Error> refusal;
    std::optional<std::uint64_t> fail_after;

 private:
    std::uint64_t sector_;
    SteadyClock clock_;
};

struct NeverStop final : ProgressMeter {
    void at(std::string_view, double, double) override {}
    bool cancelled() const override { return stop; }
    bool stop = false;
};

Point point(const SearchSpace& space, double bsize, double fsize) {
    return {*space.index_of(0, {Value::Kind::number, "", bsize}),
            *space.index_of(1, {Value::Kind::number, "", fsize})};
}

TEST(PatternRunner, MeasuresWritesAndFlushes) {
    const SearchSpace space = pattern_space(true);
    FakeScratch scratch(512);
    NeverStop stop;
    PatternRunner runner(space, scratch, {}, stop);
    const auto trial = runner.run(point(space, 32768, 4096), {});
    ASSERT_TRUE(trial);
    EXPECT_EQ(trial->state, TrialState::ok);
    EXPECT_EQ(scratch.flushes, 12U);
    EXPECT_NEAR(*trial->value, 12e-3 + static_cast<double>(scratch.written) / 512e6, 1e-9);
}

TEST(PatternRunner, EachTrialBeginsWithACheckThatIsNotPartOfItsTime) {
    const SearchSpace space = pattern_space(false);
    NeverStop stop;
    FakeScratch plain(512), checked(512), refused(512);
    checked.first_is_late = true;
    refused.refusal = Error{ErrorKind::no_permission, "mounted"};
    const auto time = [&](FakeScratch& scratch) {
        return PatternRunner(space, scratch, {}, stop).run(usual_point(space, HostFacts{}), {});
    };
    const auto usual = time(plain);
    EXPECT_EQ(plain.steps, 1U);
    EXPECT_EQ(time(checked)->value, usual->value);
    EXPECT_EQ(time(refused).error().kind, ErrorKind::no_permission);
    EXPECT_EQ(refused.written, 0U);
    EXPECT_EQ(plain.contents.size(), plain.writes) << "no content is written twice";
}

TEST(PatternRunner, WhatNoFileSystemHasIsInvalid) {
    const SearchSpace space = pattern_space(true);
    FakeScratch large_sectors(4096);
    NeverStop stop;
    PatternRunner runner(space, large_sectors, {}, stop);
    struct Row {
        double bsize, fsize;
        TrialState state;
    };
    constexpr std::array<Row, 5> rows{{{8192, 16384, TrialState::invalid},
                                       {65536, 4096, TrialState::invalid},
                                       {8192, 2048, TrialState::invalid},  // below the sector
                                       {32768, 4096, TrialState::ok},
                                       {65536, 8192, TrialState::ok}}};
    for (const Row& row : rows) {
        const auto trial = runner.run(point(space, row.bsize, row.fsize), {});
        ASSERT_TRUE(trial);
        EXPECT_EQ(trial->state, row.state) << row.bsize << "/" << row.fsize;
        EXPECT_EQ(trial->value.has_value(), row.state == TrialState::ok);
        EXPECT_EQ(trial->note.empty(), row.state == TrialState::ok);
    }
}

TEST(PatternRunner, AnErrorOfTheDeviceEndsTheSearch) {
    const SearchSpace space = pattern_space(false);
    FakeScratch scratch(512);
    scratch.fail_after = 100000;
    NeverStop stop;
    PatternRunner runner(space, scratch, {}, stop);
    const auto trial = runner.run(Point{2}, {});
    ASSERT_FALSE(trial);
    EXPECT_EQ(trial.error().kind, ErrorKind::io_error);
}

TEST(PatternRunner, StopsBetweenCommits) {
    const SearchSpace space = pattern_space(false);
    FakeScratch scratch(512);
    NeverStop stop;
    stop.stop = true;
    PatternRunner runner(space, scratch, {}, stop);
    const auto trial = runner.run(Point{2}, {});
    ASSERT_TRUE(trial);
    EXPECT_FALSE(trial->value);
    EXPECT_EQ(scratch.written, 0U);
}

// newfs(8) of each system on a device of some hundred gigabytes; mke2fs(8).
TEST(PatternSpace, UsualPointIsWhatTheSystemTakes) {
    struct Row {
        std::string_view os, release;
        double bsize, fsize;
    };
    constexpr std::array<Row, 5> rows{{{"freebsd", "14.0-RELEASE", 32768, 4096},
                                       {"freebsd", "8.3-RELEASE", 16384, 2048},
                                       {"openbsd", "7.6", 16384, 2048},
                                       {"netbsd", "10.0", 32768, 4096},
                                       {"linux", "6.1", 4096, 0}}};
    for (const Row& row : rows) {
        HostFacts facts;
        facts.os.name = Known<Os>(*from_string<Os>(row.os), {});
        facts.os.release = Text(std::string(row.release), {});
        const SearchSpace space = pattern_space(row.fsize != 0);
        const Point usual = usual_point(space, facts);
        EXPECT_EQ(space.value(usual, 0).number, row.bsize) << row.os << row.release;
        if (row.fsize != 0) {
            EXPECT_EQ(space.value(usual, 1).number, row.fsize) << row.os << row.release;
        }
    }
}

}  // namespace
}  // namespace diskwright
