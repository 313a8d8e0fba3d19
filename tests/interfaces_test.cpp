// SPDX-License-Identifier: BSD-2-Clause
// The interfaces of the rooms, each carried out once by a small fake: they compile on their own, they can be
// implemented, and what a type promises not to do it cannot do.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "probes/model/device_profile.hpp"
#include "probes/ondisk/format.hpp"
#include "probes/support/byte_reader.hpp"
#include "probes/support/clock.hpp"
#include "probes/support/command_runner.hpp"
#include "probes/support/progress.hpp"
#include "probes/timing/timed_device.hpp"
#include "tests/support/memory_source.hpp"
#include "tuner/search.hpp"

namespace diskwright {
namespace {

template <class Device>
concept can_write = requires(Device& device, std::span<const std::byte> bytes) {
    device.write_at(0, bytes);
};
static_assert(!can_write<TimedDevice>, "a probe that takes a TimedDevice cannot write");
static_assert(can_write<ScratchDevice>);
static_assert(std::is_base_of_v<TimedDevice, ScratchDevice>, "what can be written can be read");

// A disk in memory on which everything takes as many nanoseconds as it has bytes.
class MemoryDisk final : public ScratchDevice {
 public:
    std::string name() const override { return "memory"; }
    std::uint64_t size_bytes() const override { return bytes_.size(); }
    std::uint64_t logical_sector_bytes() const override { return 512; }
    std::string cached_because() const override { return "memory"; }
    Clock& clock() override { return clock_; }
    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned) override {
        RunTiming timing;
        for (const auto& request : requests) {
            if (request.offset + request.length > bytes_.size())
                return Error{ErrorKind::io_error, "memory: past the end"};
            timing.service.emplace_back(request.length);
            timing.elapsed += timing.service.back();
        }
        return timing;
    }
    std::optional<Error> begin_step() override { return std::nullopt; }
    Result<WriteTiming> write_at(std::uint64_t offset, std::span<const std::byte> from) override {
        if (offset + from.size() > bytes_.size()) return Error{ErrorKind::io_error, "memory: past the end"};
        std::memcpy(bytes_.data() + offset, from.data(), from.size());
        return WriteTiming{std::chrono::nanoseconds(from.size())};
    }
    Result<std::chrono::nanoseconds> flush() override {
        return Error{ErrorKind::unavailable, "memory: no cache"};
    }

 private:
    std::array<std::byte, 4096> bytes_{};
    SteadyClock clock_;
};

TEST(Interfaces, ScratchDeviceIsReadWrittenAndFlushed) {
    MemoryDisk disk;
    std::array<std::byte, 512> out{};
    EXPECT_EQ(disk.write_at(512, out)->time, std::chrono::nanoseconds(512));
    constexpr std::array<ReadRequest, 2> two{{{0, 512}, {512, 1024}}};
    const auto timing = disk.read(two, 1);
    ASSERT_TRUE(timing);
    EXPECT_EQ(timing->service.size(), 2U);
    EXPECT_EQ(timing->elapsed, std::chrono::nanoseconds(1536));
    constexpr std::array<ReadRequest, 1> beyond{{{4096, 512}}};
    EXPECT_FALSE(disk.read(beyond, 1));
    EXPECT_EQ(disk.flush().error().kind, ErrorKind::unavailable);
}

// A format that consists of the word "DISK" at byte 0 and a size at byte 4.
Result<bool> read_word(ByteSource& source, Found& found) {
    const auto head = source.read(0, 4);
    if (!head) return head.error();
    if (ByteReader(*head).text(0, 4) != "DISK") return false;
    const auto size = source.read(4, 4);
    if (!size) return Error{ErrorKind::bad_data, source.name() + "@0x4: size: cut off"};
    disk(found.facts, source.name()).size_bytes =
        Number(*ByteReader(*size).u32(0), at_byte(source, 4, "size"));
    return true;
}

TEST(Interfaces, OnDiskFormatTellsAbsentFromDamaged) {
    const OnDiskFormat format{"word", read_word};
    const std::vector<std::byte> bytes{std::byte{'D'}, std::byte{'I'}, std::byte{'S'}, std::byte{'K'},
                                       std::byte{0},   std::byte{2},   std::byte{0},   std::byte{0}};
    Found found;
    test::MemorySource whole("wd0", bytes), other("wd1", {bytes.rbegin(), bytes.rend()}),
        cut("wd2", {bytes.begin(), bytes.begin() + 6});
    EXPECT_TRUE(*format.read(whole, found));
    EXPECT_TRUE(found.facts.disks.at(0).size_bytes.is(512));
    EXPECT_EQ(found.facts.disks.at(0).size_bytes.from().source(), "wd0@0x4");
    EXPECT_FALSE(*format.read(other, found)) << "another word";
    EXPECT_FALSE(format.read(cut, found).ok()) << "cut";
}

TEST(Interfaces, ClockNeverGoesBack) {
    SteadyClock clock;
    const auto before = clock.now();
    EXPECT_GE(clock.now(), before);
}

class Countdown final : public ProgressMeter {
 public:
    explicit Countdown(int steps) : left_(steps) {}
    void at(std::string_view, double, double) override { --left_; }
    bool cancelled() const override { return left_ <= 0; }

 private:
    int left_;
};

TEST(Interfaces, ProgressAsksToStop) {
    Countdown progress(3);
    int done = 0;
    for (; !progress.cancelled(); ++done) progress.at("step", done, 10);
    EXPECT_EQ(done, 3);
}

TEST(Interfaces, AnInconclusiveMeasurementSaysWhy) {
    const auto flush = Measurement::inconclusive("s", "needs a scratch area");
    EXPECT_EQ(flush.confidence, Confidence::inconclusive);
    EXPECT_FALSE(flush.reason.empty());
    EXPECT_TRUE(std::holds_alternative<std::monostate>(flush.value));
}

// Proposes the values in order and stops when told that a trial failed.
class Ascending final : public Optimizer {
 public:
    std::optional<Point> propose() override {
        if (stopped_) return std::nullopt;
        return Point{next_};
    }
    void observe(const Trial& trial) override {
        stopped_ = trial.state != TrialState::ok;
        ++next_;
    }

 private:
    std::uint32_t next_ = 0;
    bool stopped_ = false;
};

class FirstTwoOnly final : public TrialRunner {
 public:
    Result<Trial> run(const Point& point, const CommandLimits&) override {
        Trial trial;
        trial.point = point;
        trial.state = point[0] < 2 ? TrialState::ok : TrialState::invalid;
        if (trial.state == TrialState::ok) trial.value = 1.0 / (point[0] + 1);
        return trial;
    }
};

TEST(Interfaces, MethodProposesRunnerMeasures) {
    Ascending method;
    FirstTwoOnly runner;
    int valid = 0;
    while (const auto point = method.propose()) {
        const auto trial = runner.run(*point, {});
        ASSERT_TRUE(trial);
        EXPECT_EQ(trial->value.has_value(), trial->state == TrialState::ok);
        valid += trial->state == TrialState::ok;
        method.observe(*trial);
    }
    EXPECT_EQ(valid, 2);
}

}  // namespace
}  // namespace diskwright
