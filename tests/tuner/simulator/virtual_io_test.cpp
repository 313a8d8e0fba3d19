// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/virtual_io.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Completes a request that nobody made, again and again: the one that is waited for never comes.
class DistractedDrive final : public SimulatedDrive {
 public:
    explicit DistractedDrive(double step_s) : step_s_(step_s) {}
    std::uint64_t blocks() const override { return 1 << 20; }
    std::uint32_t logical_blocks() const override { return 1; }
    std::uint32_t physical_blocks() const override { return 1; }
    void submit(const DriveRequest&) override {}
    std::optional<DriveCompletion> next(double until_s) override {
        if (!(at_s_ + step_s_ <= until_s)) return std::nullopt;
        at_s_ += step_s_;
        return DriveCompletion{none, at_s_, at_s_};
    }
    std::uint64_t dirty_blocks() const override { return 0; }
    const DriveCounters& counters() const override { return counters_; }

 private:
    static constexpr std::uint64_t none = 1'000'000;
    double step_s_, at_s_ = 0;
    DriveCounters counters_;
};

template <class Does>
Error stopped(Does does) {
    try {
        does();
    } catch (const StoppedSimulation& stop) {
        return stop.error;
    }
    return {ErrorKind::usage, "it was not stopped"};
}

TEST(VirtualIo, EveryWaitCanBeLeft) {
    using Wait = void (*)(VirtualIo&, std::uint64_t);
    const Wait waits[] = {[](VirtualIo& io, std::uint64_t id) { io.wait(id, IoPurpose::data); },
                          [](VirtualIo& io, std::uint64_t) { io.wait_for_all(); },
                          [](VirtualIo& io, std::uint64_t) { io.wait_until_fewer(1, IoPurpose::data); },
                          [](VirtualIo& io, std::uint64_t) { io.idle_until(1); },
                          [](VirtualIo& io, std::uint64_t id) {
                              while (io.outstanding(id)) io.spend(0);
                          }};
    for (const Wait& wait : waits) {
        SCOPED_TRACE(&wait - waits);
        DistractedDrive drive(0);  // its clock stands still
        unsigned asked = 0;
        VirtualIo io(drive, 0, false, [&asked] { return ++asked < 10; });
        const auto id = io.submit(DriveOperation::write, IoPurpose::data, 0, 512);
        const Error error = stopped([&] { wait(io, id); });
        EXPECT_EQ(error.kind, ErrorKind::internal) << error.message;
        EXPECT_EQ(asked, 10U);
    }
}

TEST(VirtualIo, ARequestThatNeverEndsIsAnError) {
    using Wait = void (*)(VirtualIo&, std::uint64_t);
    const Wait waits[] = {[](VirtualIo& io, std::uint64_t id) { io.wait(id, IoPurpose::data); },
                          [](VirtualIo& io, std::uint64_t) { io.wait_for_all(); },
                          [](VirtualIo& io, std::uint64_t) { io.wait_until_fewer(1, IoPurpose::data); }};
    for (const Wait& wait : waits) {
        SCOPED_TRACE(&wait - waits);
        DistractedDrive drive(std::numeric_limits<double>::quiet_NaN());  // completes nothing
        VirtualIo io(drive, 0, false);
        const auto id = io.submit(DriveOperation::write, IoPurpose::data, 0, 512);
        const Error error = stopped([&] { wait(io, id); });
        EXPECT_EQ(error.kind, ErrorKind::internal);
        EXPECT_TRUE(contains(error.message, "never ends")) << error.message;
    }
}

TEST(VirtualIo, TheClockHasAnEnd) {
    for (const double step_s : {1e9, 1e300, std::numeric_limits<double>::infinity()}) {
        SCOPED_TRACE(step_s);
        DistractedDrive drive(step_s);
        VirtualIo io(drive, 0, false);
        io.submit(DriveOperation::write, IoPurpose::data, 0, 512);
        EXPECT_EQ(stopped([&] { io.spend(step_s); }).kind, ErrorKind::bad_data);
        EXPECT_EQ(stopped([&] { io.idle_until(step_s); }).kind, ErrorKind::bad_data);
    }
    DistractedDrive drive(1);
    VirtualIo io(drive, 0, false);
    EXPECT_EQ(stopped([&] { io.spend(std::numeric_limits<double>::quiet_NaN()); }).kind, ErrorKind::bad_data);
    io.spend(VirtualIo::longest_s);
    EXPECT_EQ(io.now_s(), VirtualIo::longest_s);
}

TEST(VirtualIo, ToIdleWithoutEndEnds) {
    DistractedDrive drive(1);
    VirtualIo io(drive, 0, false);
    const Error error = stopped([&] {
        for (;;) io.idle_until(0.5);
    });
    EXPECT_EQ(error.kind, ErrorKind::internal);
    EXPECT_TRUE(contains(error.message, "stands still")) << error.message;
    VirtualIo busy(drive, 0, false);
    for (unsigned i = 0; i < 300'000; ++i) {
        busy.submit(DriveOperation::write, IoPurpose::data, 0, 512);
        busy.idle_until(0.5);
    }
}

}  // namespace
}  // namespace diskwright
