// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array_geometry.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "advisor/commissioning/simulated_device.hpp"
#include "tests/support/simulated_disk.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {
namespace {

constexpr double noise = 0.1;

struct Array {
    VolumeKind kind;
    RaidLevel level;
    std::uint64_t disks, unit_bytes;
    std::string layout = "";           // of the configuration
    std::string disk = "sas-7200-3t";  // a shipped one
    std::optional<std::uint64_t> cache_bytes = {};
    Switch write_cache = Switch::off;
};

std::unique_ptr<SimulatedDevice> device_of(const Array& array) {
    MachineConfiguration machine;
    DiskParameters disk = shipped_disks().at(array.disk);
    disk.name.clear();
    disk.write_cache = array.write_cache;
    machine.disks.push_back({disk, array.disks});
    machine.volume = MachineConfiguration::Array();
    auto& volume = *machine.volume;
    volume.kind = array.kind;
    volume.level = array.level;
    if (array.unit_bytes > 0) volume.stripe_unit_bytes = array.unit_bytes;
    if (!array.layout.empty()) volume.layout = array.layout;
    if (array.cache_bytes) {
        machine.controller_cache_bytes = array.cache_bytes;
        machine.controller_battery = true;
    }
    auto made = make_array(machine);
    if (!made) {
        ADD_FAILURE() << made.error().message;
        return nullptr;
    }
    return std::make_unique<SimulatedDevice>("array", std::move(made->array), noise, array.disks);
}

std::string text_of(const Measurement& measured) {
    if (const auto* number = std::get_if<double>(&measured.value))
        return std::to_string(static_cast<std::uint64_t>(*number));
    if (const auto* text = std::get_if<std::string>(&measured.value)) return *text;
    return "?";
}

// The four answers, those that are none as "?".
std::string answers(const ArrayGeometry& geometry) {
    std::string out;
    for (const auto quantity : geometry_quantities)
        out += (out.empty() ? "" : " ") + text_of(geometry.profile.at(std::string(quantity)));
    return out;
}

ArrayGeometry measure(TimedDevice& device, ScratchDevice* scratch, std::chrono::seconds time,
                      ProgressMeter& progress) {
    return measure_array_geometry({device, scratch, time, 1, progress});
}

ArrayGeometry measure(TimedDevice& device, ScratchDevice* scratch) {
    test::StopAfter never;
    return measure(device, scratch, std::chrono::seconds(120), never);
}

TEST(ArrayGeometry, OfArraysOfAllKinds) {
    using enum VolumeKind;
    using enum RaidLevel;
    struct Row {
        Array array;
        std::string answers;
    };
    const std::vector<Row> rows{
        {{hardware, raid0, 2, 65536}, "65536 2 none ?"},
        {{gstripe, raid0, 5, 131072}, "131072 5 none ?"},
        {{raidframe, raid0, 12, 16384, "", "sas-15k-600g"}, "16384 12 none ?"},
        {{softraid, raid0, 7, 12288, "", "sata-7200-1t"}, "12288 7 none ?"},
        {{ccd, raid0, 16, 1 << 20, "", "sata-5400-4k", {}, Switch::on}, "1048576 16 none ?"},
        {{raidframe, raid4, 6, 32768}, "32768 5 parity ?"},
        {{hardware, raid4, 9, 51200, "", "sata-7200-1t"}, "51200 8 parity ?"},
        {{raidframe, raid5, 3, 16384}, "16384 2 parity left-symmetric"},
        {{raidframe, raid5, 5, 4096}, "4096 4 parity left-symmetric"},
        {{md, raid5, 8, 524288, "left-symmetric"}, "524288 7 parity left-symmetric"},
        {{softraid, raid5, 4, 65536}, "65536 3 parity left-asymmetric"},
        {{md, raid5, 6, 98304, "right-symmetric"}, "98304 5 parity right-symmetric"},
        {{hardware, raid5, 16, 65536, "right-asymmetric"}, "65536 15 parity right-asymmetric"},
        {{hardware, raid5, 3, 4608, "left-asymmetric"}, "4608 2 parity left-asymmetric"},
        {{md, raid6, 4, 524288, "left-symmetric"}, "524288 2 double-parity left-symmetric"},
        {{md, raid6, 10, 65536, "right-asymmetric"}, "65536 8 double-parity right-asymmetric"},
        {{hardware, raid6, 7, 40960, "left-asymmetric"}, "40960 5 double-parity left-asymmetric"},
        {{softraid, raid6, 6, 65536}, "65536 4 double-parity ?"},
        {{hardware, raid10, 4, 65536, "near=2"}, "65536 2 mirror near2"},
        {{md, raid10, 5, 65536, "near=2"}, "65536 ? mirror near2"},
        {{raidframe, raid1, 6, 32768}, "32768 3 mirror near2"},
        {{md, raid10, 6, 65536, "far=2"}, "65536 3 mirror far2"},
        {{md, raid10, 8, 131072, "offset=2"}, "131072 4 mirror offset2"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.answers);
        const auto device = device_of(row.array);
        ASSERT_TRUE(device);
        const auto geometry = measure(*device, device.get());
        EXPECT_EQ(answers(geometry), row.answers) << geometry.profile.at("redundancy").reason;
        EXPECT_FALSE(geometry.failure);
        EXPECT_LE(device->clock().now(), std::chrono::seconds(121));
        for (const auto& [quantity, measured] : geometry.profile) {
            EXPECT_EQ(measured.confidence == Confidence::inconclusive, text_of(measured) == "?");
            EXPECT_TRUE(measured.confidence == Confidence::high || !measured.reason.empty()) << quantity;
            EXPECT_TRUE(measured.confidence == Confidence::inconclusive || measured.samples > 20) << quantity;
        }
    }
}

TEST(ArrayGeometry, SaysWhyItCannotTell) {
    using enum VolumeKind;
    using enum RaidLevel;
    struct Row {
        Array array;
        bool scratch;
        std::string answers;
        std::string quantity, reason;  // a part of it
    };
    const std::vector<Row> rows{
        {{hardware, concat, 1, 0}, true, "? ? ? ?", "stripe_unit_bytes", "one disk"},
        {{gmirror, raid1, 2, 0}, true, "? ? ? ?", "data_disks", "a mirror"},
        {{hardware, raid0, 4, 65536, "", "ssd-consumer"}, true, "? ? ? ?", "stripe_unit_bytes", "flash"},
        {{hardware, raid5, 4, 65536, "", "ssd-consumer"}, true, "? ? ? ?", "redundancy", "flash"},
        {{hardware, raid0, 4, 65536}, false, "65536 ? ? ?", "data_disks", "needs a scratch area"},
        {{raidframe, raid5, 4, 65536}, false, "65536 ? ? ?", "redundancy", "reads go round 4 disks"},
        {{softraid, raid5, 4, 65536}, false, "65536 3 parity left-asymmetric", "redundancy", ""},
        {{hardware, raid10, 6, 65536, "near=2"}, false, "65536 3 mirror near2", "redundancy", ""},
        {{hardware, raid5, 5, 65536, "left-symmetric", "sas-7200-3t", 512 << 20},
         true,
         "65536 ? ? ?",
         "redundancy",
         "a cache answers the writes"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.answers + " " + row.reason);
        const auto device = device_of(row.array);
        ASSERT_TRUE(device);
        const auto geometry = measure(*device, row.scratch ? device.get() : nullptr);
        EXPECT_EQ(answers(geometry), row.answers);
        EXPECT_NE(geometry.profile.at(row.quantity).reason.find(row.reason), std::string::npos)
            << geometry.profile.at(row.quantity).reason;
    }
}

/// An array that fails, or that is seen through something else.
class Shim final : public ScratchDevice {
 public:
    explicit Shim(SimulatedDevice& below) : below_(below), size(below.size_bytes()) {}

    std::string name() const override { return named; }
    std::uint64_t size_bytes() const override { return size; }
    std::uint64_t first_byte() const override { return first; }
    std::uint64_t logical_sector_bytes() const override { return below_.logical_sector_bytes(); }
    std::string cached_because() const override { return cache; }
    Clock& clock() override { return below_.clock(); }
    unsigned most_in_flight() const override { return in_flight; }
    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned depth) override {
        std::vector<ReadRequest> shifted(requests.begin(), requests.end());
        for (ReadRequest& request : shifted) {
            if (request.offset + request.length > end)
                return Error{ErrorKind::io_error,
                             "array: short read at byte " + std::to_string(request.offset)};
            request.offset += first;
        }
        reads += requests.size();
        if (reads > good_reads)
            return Error{ErrorKind::io_error, "array: read at byte 7: Input/output error"};
        return below_.read(shifted, depth);
    }
    std::optional<Error> begin_step() override { return refusal; }
    Result<WriteTiming> write_at(std::uint64_t offset, std::span<const std::byte> from) override {
        return below_.write_at(first + offset, from);
    }
    Result<RunTiming> run(std::span<const MixedRequest> requests, unsigned depth,
                          std::span<const std::byte> from) override {
        std::vector<MixedRequest> shifted(requests.begin(), requests.end());
        std::uint64_t bytes = 0;
        for (MixedRequest& request : shifted) {
            bytes += request.write ? request.length : 0;
            writes += request.write ? 1 : 0;
            well_formed = well_formed && request.offset + request.length <= size;
            request.offset += first;
        }
        well_formed = well_formed && bytes == from.size();
        if (writes > good_writes)
            return Error{ErrorKind::io_error, "array: write at byte 9: Input/output error"};
        return below_.run(shifted, depth, from);
    }
    Result<std::chrono::nanoseconds> flush() override { return below_.flush(); }

 private:
    SimulatedDevice& below_;

 public:
    std::string named = "array", cache;
    std::uint64_t size, first = 0, end = UINT64_MAX;
    unsigned in_flight = 64;
    std::uint64_t good_reads = UINT64_MAX, good_writes = UINT64_MAX, reads = 0, writes = 0;
    std::optional<Error> refusal;
    bool well_formed = true;
};

struct Trouble {
    std::string name;
    std::function<void(Shim&)> change;
    std::string answers;
    std::string quantity, reason;  // a part of it
    bool fails;
};

TEST(ArrayGeometry, KeepsWhatItFoundBeforeTrouble) {
    const std::vector<Trouble> rows{
        {"fails at once", [](Shim& shim) { shim.good_reads = 10; }, "? ? ? ?", "stripe_unit_bytes", "byte 7",
         true},
        {"fails among the walks", [](Shim& shim) { shim.good_reads = 600; }, "? ? ? ?", "layout", "byte 7",
         true},
        {"ends early", [](Shim& shim) { shim.end = shim.size / 2; }, "? ? ? ?", "stripe_unit_bytes",
         "short read", true},
        {"fails to write", [](Shim& shim) { shim.good_writes = 100; }, "65536 ? ? ?", "redundancy", "byte 9",
         true},
        {"is refused",
         [](Shim& shim) {
             shim.refusal = Error{ErrorKind::no_permission, "array: is mounted"};
         },
         "65536 ? ? ?", "redundancy", "is mounted", true},
        {"takes one request at a time", [](Shim& shim) { shim.in_flight = 1; }, "65536 ? ? ?", "data_disks",
         "one request at a time", false},
        {"is cached by the host", [](Shim& shim) { shim.cache = "a file system's cache"; }, "? ? ? ?",
         "stripe_unit_bytes", "a file system's cache", false},
        {"is tiny", [](Shim& shim) { shim.size = 1 << 20; }, "? ? ? ?", "layout", "too small", false},
        {"is small", [](Shim& shim) { shim.size = std::uint64_t{1} << 30; }, "65536 ? ? ?", "redundancy",
         "scratch area is too small", false},
    };
    for (const Trouble& row : rows) {
        SCOPED_TRACE(row.name);
        const auto device = device_of({VolumeKind::raidframe, RaidLevel::raid5, 5, 65536});
        ASSERT_TRUE(device);
        Shim shim(*device);
        row.change(shim);
        const auto geometry = measure(shim, &shim);
        EXPECT_EQ(answers(geometry), row.answers);
        EXPECT_NE(geometry.profile.at(row.quantity).reason.find(row.reason), std::string::npos)
            << geometry.profile.at(row.quantity).reason;
        EXPECT_EQ(geometry.failure.has_value(), row.fails);
        EXPECT_TRUE(shim.well_formed);
        EXPECT_EQ(geometry.profile.size(), geometry_quantities.size());
    }
}

TEST(ArrayGeometry, KeepsTheUnitWhenBatchesFail) {
    const Array array{VolumeKind::raidframe, RaidLevel::raid5, 5, 65536};
    const auto whole = device_of(array), failing = device_of(array);
    Shim counting(*whole), shim(*failing);
    measure(counting, nullptr);
    shim.good_reads = counting.reads - 100;
    const auto geometry = measure(shim, nullptr);
    EXPECT_EQ(answers(geometry), "65536 ? ? ?");
    EXPECT_NE(geometry.profile.at("data_disks").reason.find("byte 7"), std::string::npos);
    EXPECT_TRUE(geometry.failure);
}

TEST(ArrayGeometry, OfAPartOfTheArrayCountsFromItsStart) {
    for (const auto& [layout, expected] : {std::pair{"right-symmetric", "65536 5 parity right-symmetric"},
                                           std::pair{"left-symmetric", "65536 5 parity left-symmetric"}}) {
        const auto device = device_of({VolumeKind::hardware, RaidLevel::raid5, 6, 65536, layout});
        ASSERT_TRUE(device);
        Shim shim(*device);
        shim.first = 1234567 * 512ULL;
        shim.size -= shim.first;
        EXPECT_EQ(answers(measure(shim, &shim)), expected);
        EXPECT_TRUE(shim.well_formed);
    }
}

TEST(ArrayGeometry, WritesOnlyToAScratchAreaOfTheSameDevice) {
    const auto device = device_of({VolumeKind::raidframe, RaidLevel::raid5, 5, 65536});
    ASSERT_TRUE(device);
    Shim scratch(*device);
    scratch.named = "other";
    const auto geometry = measure(*device, &scratch);
    EXPECT_EQ(answers(geometry), "65536 ? ? ?");
    EXPECT_NE(geometry.profile.at("redundancy").reason.find("another device"), std::string::npos);
    EXPECT_EQ(scratch.writes, 0U);
}

TEST(ArrayGeometry, StopsWhenAskedToAndInTime) {
    const Array array{VolumeKind::raidframe, RaidLevel::raid5, 5, 65536};
    for (const std::uint64_t reports : {0, 1, 2}) {
        const auto device = device_of(array);
        test::StopAfter progress(reports);
        const auto geometry = measure(*device, device.get(), std::chrono::seconds(120), progress);
        EXPECT_NE(geometry.profile.at("layout").reason.find("interrupted"), std::string::npos);
        EXPECT_FALSE(geometry.failure);
    }
    for (const int time : {0, 1, 4}) {
        const auto device = device_of(array);
        test::StopAfter never;
        const auto geometry = measure(*device, device.get(), std::chrono::seconds(time), never);
        EXPECT_NE(geometry.profile.at("layout").reason.find("time was over"), std::string::npos) << time;
        EXPECT_LE(device->clock().now(), std::chrono::milliseconds(1000 * time + 300));
    }
}

}  // namespace
}  // namespace diskwright
