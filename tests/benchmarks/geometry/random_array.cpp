// SPDX-License-Identifier: BSD-2-Clause
#include "tests/benchmarks/geometry/random_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/support/random.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t least_unit = 4 * KiB, most_unit = MiB;

class Draw {
 public:
    Draw(std::uint64_t seed, std::uint64_t number) : random_(Random::mixed(seed) ^ Random(number).next()) {}
    /// Both ends included.
    std::uint64_t number(std::uint64_t least, std::uint64_t most) {
        return least + random_.below(most - least + 1);
    }
    double between(double least, double most) { return least + (most - least) * random_.unit(); }
    double log_between(double least, double most) {
        return std::exp(between(std::log(least), std::log(most)));
    }
    bool share(double of) { return random_.unit() <= of; }
    template <class T>
    T one_of(std::initializer_list<T> list) {
        return list.begin()[random_.below(list.size())];
    }

 private:
    Random random_;
};

DiskParameters rotating_disk(Draw& draw) {
    DiskParameters disk;
    if (draw.share(0.4)) {
        disk.name = draw.one_of({"sas-7200-3t", "sata-7200-1t", "sas-15k-600g", "sata-5400-4k"});
        return disk;
    }
    disk.size_bytes = draw.number(500, 8000) * 1'000'000'000 / (4 * KiB) * (4 * KiB);
    disk.rpm = draw.one_of({5400.0, 5900.0, 7200.0, 10000.0, 15000.0});
    disk.seek_min_s = draw.between(0.0004, 0.0015);
    disk.seek_max_s = draw.between(0.009, 0.022);
    disk.settle_write_s = draw.between(0.0, 0.001);
    disk.transfer_bytes_per_s = draw.between(80e6, 250e6);
    disk.transfer_inner_bytes_per_s = *disk.transfer_bytes_per_s * draw.between(0.45, 1.0);
    disk.interface_bytes_per_s = draw.one_of({150e6, 300e6, 600e6});
    disk.command_s = draw.between(0.00005, 0.0002);
    disk.cache_bytes = draw.one_of<std::uint64_t>({8, 16, 32, 64, 128, 256}) * MiB;
    disk.read_ahead_bytes = draw.one_of<std::uint64_t>({128, 256, 512, 1024}) * KiB;
    disk.write_cache = draw.one_of({Switch::on, Switch::off});
    disk.queue_depth = draw.one_of<std::uint64_t>({1, 4, 31, 32, 64});
    disk.logical_sector_bytes = 512;
    disk.physical_sector_bytes = draw.one_of<std::uint64_t>({512, 4096});
    return disk;
}

DiskParameters flash_disk(Draw& draw) {
    DiskParameters disk;
    if (draw.share(0.4)) {
        disk.name = draw.one_of({"ssd-consumer", "ssd-datacenter", "nvme-datacenter"});
        return disk;
    }
    disk.size_bytes = draw.number(100, 4000) * 1'000'000'000 / (4 * KiB) * (4 * KiB);
    disk.rpm = 0;
    disk.interface_bytes_per_s = draw.between(300e6, 3000e6);
    disk.command_s = draw.between(5e-6, 40e-6);
    disk.cache_bytes = draw.one_of<std::uint64_t>({0, 8, 16, 64}) * MiB;
    disk.write_cache = draw.one_of({Switch::on, Switch::off});
    disk.queue_depth = draw.one_of<std::uint64_t>({1, 32, 128});
    auto& flash = disk.flash.emplace();
    flash.units = draw.number(4, 32);
    flash.page_bytes = draw.one_of<std::uint64_t>({4096, 8192, 16384});
    flash.read_s = draw.between(40e-6, 100e-6);
    flash.program_s = draw.between(150e-6, 800e-6);
    flash.protected_buffer = draw.share(0.3);
    return disk;
}

void choose_driver(Draw& draw, RandomArray& out) {
    using enum VolumeKind;
    auto& volume = *out.machine.volume;
    const auto parity_layout = [&] {
        return draw.one_of({"left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"});
    };
    switch (volume.level) {
        case RaidLevel::raid0:
            volume.kind = draw.one_of({hardware, raidframe, gstripe, softraid, ccd, md});
            break;
        case RaidLevel::raid10:
            volume.kind = draw.one_of({hardware, md, md, graid, raidframe});
            out.truth.layout = "near2";
            if (volume.kind == md) out.truth.layout = draw.one_of({"near2", "far2", "offset2"});
            break;
        case RaidLevel::raid4:
            volume.kind = draw.one_of({hardware, raidframe, md});
            break;
        case RaidLevel::raid5:
            volume.kind = draw.one_of({hardware, hardware, md, md, raidframe, softraid});
            if (volume.kind == hardware || volume.kind == md) volume.layout = parity_layout();
            out.truth.layout =
                volume.layout.value_or(volume.kind == softraid ? "left-asymmetric" : "left-symmetric");
            break;
        default:
            volume.kind = draw.one_of({hardware, md, md, softraid});
            if (volume.kind != softraid) volume.layout = parity_layout();
            out.truth.layout = volume.layout.value_or("");
    }
}

std::uint64_t unit(Draw& draw, VolumeKind kind) {
    if (draw.share(0.4)) return least_unit << draw.number(0, 8);
    const bool odd = (kind == VolumeKind::raidframe || kind == VolumeKind::hardware) && draw.share(0.4);
    const std::uint64_t grain = odd ? 512 : 4 * KiB;
    const double size = draw.log_between(double(least_unit), double(most_unit));
    return std::max(least_unit, static_cast<std::uint64_t>(size) / grain * grain);
}

std::uint64_t least_disks(RaidLevel level) {
    switch (level) {
        case RaidLevel::raid0:
            return 2;
        case RaidLevel::raid4:
        case RaidLevel::raid5:
            return 3;
        default:
            return 4;
    }
}

}  // namespace

std::string RandomArray::describe() const {
    const auto& volume = *machine.volume;
    return fmt::format("{} {} {} disks{} of {}{} {}{}", to_string(volume.kind), to_string(volume.level),
                       machine.disks[0].count, volume.layout ? " " + *volume.layout : "",
                       truth.stripe_unit_bytes, flash ? ", flash" : ", rotating", machine.disks[0].disk.name,
                       cached ? ", cached" : "");
}

RandomArray random_array(std::uint64_t seed, std::uint64_t number) {
    Draw draw(seed, number);
    RandomArray out;
    out.machine.volume = MachineConfiguration::Array();
    auto& volume = *out.machine.volume;
    volume.level = draw.one_of(
        {RaidLevel::raid0, RaidLevel::raid10, RaidLevel::raid4, RaidLevel::raid5, RaidLevel::raid6});
    std::uint64_t disks = draw.number(least_disks(volume.level), 16);
    if (volume.level == RaidLevel::raid10) disks -= disks % 2;
    choose_driver(draw, out);
    volume.stripe_unit_bytes = unit(draw, volume.kind);
    out.flash = draw.share(0.3);
    out.machine.disks.push_back({out.flash ? flash_disk(draw) : rotating_disk(draw), disks});
    out.cached = volume.kind == VolumeKind::hardware && draw.share(0.6);
    if (out.cached) {
        out.machine.controller_cache_bytes = draw.one_of<std::uint64_t>({256, 512, 1024, 2048}) * MiB;
        out.machine.controller_battery = true;
    }
    out.machine.noise = 0.1;
    out.machine.seed = number + 1;
    out.truth.stripe_unit_bytes = *volume.stripe_unit_bytes;
    switch (volume.level) {
        case RaidLevel::raid0:
            out.truth.data_disks = disks;
            out.truth.redundancy = "none";
            break;
        case RaidLevel::raid10:
            out.truth.data_disks = disks / 2;
            out.truth.redundancy = "mirror";
            if (volume.kind == VolumeKind::raidframe)
                volume.level = RaidLevel::raid1;
            else
                volume.layout = out.truth.layout.substr(0, out.truth.layout.size() - 1) + "=2";
            break;
        case RaidLevel::raid6:
            out.truth.data_disks = disks - 2;
            out.truth.redundancy = "double-parity";
            break;
        default:
            out.truth.data_disks = disks - 1;
            out.truth.redundancy = "parity";
    }
    return out;
}

}  // namespace diskwright
