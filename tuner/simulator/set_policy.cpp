// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/set_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Array = MachineConfiguration::Array;

constexpr std::uint64_t mib_blocks = 2048;

bool one_of(RaidLevel level, std::initializer_list<RaidLevel> levels) {
    return std::find(levels.begin(), levels.end(), level) != levels.end();
}

// The number before the first point of a release.
std::optional<std::uint64_t> major_release(const MachineConfiguration& machine, Os os) {
    if (machine.os != os || !machine.release) return std::nullopt;
    const std::string_view text = *machine.release;
    return to_unsigned(text.substr(0, text.find_first_not_of("0123456789")));
}

bool linux_before(const MachineConfiguration& machine, std::uint64_t major, std::uint64_t minor) {
    const auto given = major_release(machine, Os::linux_);
    if (!given || *given != major) return given && *given < major;
    const std::string_view text = *machine.release;
    const auto point = text.find('.');
    if (point == std::string_view::npos) return false;
    const std::string_view rest = text.substr(point + 1);
    return to_unsigned(rest.substr(0, rest.find_first_not_of("0123456789"))).value_or(minor) < minor;
}

// NetBSD/src: sys/dev/raidframe/rf_netbsdkintf.c (RAIDOUTSTANDING, rf_sync_component_caches), rf_paritymap.c;
// MAXPHYS is that of amd64 and i386. raid(4) passes flushes on in every release that is known; a tree of July
// 2016 lost them.
SetPolicy raidframe(const MachineConfiguration& machine, const ArrayLayout& layout) {
    SetPolicy policy;
    policy.outstanding = 6;
    policy.most_blocks = 128;
    policy.depth = 100;
    policy.parity = ParityChoice::half_of_units;
    policy.balance = MirrorBalance::shorter_queue;
    policy.flush = FlushStyle::one_after_another;
    policy.rebuild = {static_cast<std::uint32_t>(layout.unit_blocks()), 0.01};  // one unit a tick, HZ 100
    if (machine.volume->level == RaidLevel::raid0) return policy;
    policy.locks = SetPolicy::Locks::parity_ranges;
    if (major_release(machine, Os::netbsd).value_or(6) < 6) return policy;  // came with 6.0
    const std::uint64_t stripe_blocks = layout.unit_blocks() * layout.data_units();
    const std::uint64_t stripes = layout.blocks() / stripe_blocks;
    const std::uint64_t regions =
        std::clamp<std::uint64_t>(layout.component_data_blocks() / (25 * mib_blocks), 1, 4096);
    policy.map = {(stripes + regions - 1) / regions * stripe_blocks, 40, 8, 34, 1, true, true, false, true};
    return policy;
}

// freebsd/freebsd-src: sys/geom; MAXPHYS is 128 KiB before FreeBSD 13, then 1 MiB. gmirror and graid3 write
// "dirty" into their last sector before the first write, and "clean" when nothing was written for 5 s.
SetPolicy geom(const MachineConfiguration& machine, const ArrayLayout& layout) {
    SetPolicy policy;
    policy.most_blocks = major_release(machine, Os::freebsd).value_or(12) < 13 ? 256 : 2048;
    policy.balance = MirrorBalance::load;
    policy.rebuild.blocks = 256;
    const VolumeKind kind = machine.volume->kind;
    if (kind == VolumeKind::gmirror || kind == VolumeKind::graid3)
        policy.map = {
            layout.blocks(), 5,     1,   layout.reserved_blocks() + layout.component_data_blocks(), 1, true,
            false,           false, true};
    if (kind == VolumeKind::graid3) policy.balance = MirrorBalance::prefer;
    return policy;
}

// openbsd/src: sys/dev/softraid*.c (SR_RAID5_NOWU, sr_raid_sync, sr_check_io_collision); MAXPHYS 64 KiB.
SetPolicy softraid(const MachineConfiguration& machine) {
    SetPolicy policy;
    policy.outstanding = 16;
    policy.most_blocks = 128;
    policy.balance = MirrorBalance::round_robin;
    policy.flush = FlushStyle::waits_only;
    policy.parity =
        machine.volume->level == RaidLevel::raid6 ? ParityChoice::from_the_old : ParityChoice::from_the_rest;
    if (one_of(machine.volume->level, {RaidLevel::raid5, RaidLevel::raid6}))
        policy.locks = SetPolicy::Locks::all;
    return policy;
}

// torvalds/linux: drivers/md (stripe cache of 256 pages a member, bitmap daemon every 5 s, resync windows of
// 64 KiB, speed_limit_min while others use the set); mdadm 3.3 to 4.3 make a bitmap on members above 100 GiB.
SetPolicy md(const MachineConfiguration& machine, const ArrayLayout& layout,
             std::vector<std::string>& assumed) {
    SetPolicy policy;
    policy.joins = true;
    policy.most_blocks = 2560;
    policy.locks = layout.has_parity() ? SetPolicy::Locks::writes : SetPolicy::Locks::none;
    const bool far = machine.volume->layout && machine.volume->layout->find("far") != std::string::npos;
    policy.balance = far ? MirrorBalance::lowest : MirrorBalance::nearest;
    policy.rebuild = {128, 64.0 / 1000};
    if (machine.volume->level != RaidLevel::raid0 &&
        layout.component_data_blocks() > 100 * 1024 * mib_blocks) {
        policy.map = {64 * mib_blocks * layout.data_units(), 5, 2, 16, 8, false, true, true, false};
        assumed.push_back("write-intent bitmap yes");
    }
    // rmw_level: a RAID 6 adds to its parity since Linux 4.1 (drivers/md/raid5.c, "activate raid6 rmw
    // feature").
    if (machine.volume->level == RaidLevel::raid6 && linux_before(machine, 4, 1))
        policy.parity = ParityChoice::from_the_rest;
    if (layout.has_parity()) {
        policy.gathering.on = true;
        policy.gathering.cache_blocks = std::uint64_t{256} * 8 * layout.data_units();
        policy.gathering.stripes = 0;
    }
    return policy;
}

// A controller that keeps writes only when they survive a loss of power. Its cost of a command is that of the
// one in scylladb/seastar issue 810 (63,000 a second).
SetPolicy hardware(const MachineConfiguration& machine, const ArrayLayout& layout,
                   std::vector<std::string>& assumed) {
    SetPolicy policy;
    policy.joins = true;
    policy.locks = layout.has_parity() ? SetPolicy::Locks::writes : SetPolicy::Locks::none;
    const std::uint64_t cache = machine.controller_cache_bytes.value_or(0) / 512;
    if (cache == 0 || !machine.controller_battery.value_or(false) || layout.is_byte_striped()) return policy;
    policy.flush = FlushStyle::needless;
    policy.gathering = {true, cache, true, 0.05, 8, 16e-6, 512 / 1.5e9};
    assumed.push_back("controller_command_s 0.000016");
    assumed.push_back("controller_idle_s 0.05");
    return policy;
}

struct KindLevels {
    VolumeKind kind;
    std::vector<RaidLevel> levels;
};

const std::vector<KindLevels>& simulated() {
    using enum RaidLevel;
    static const std::vector<KindLevels> kinds{
        {VolumeKind::raidframe, {raid0, raid1, raid4, raid5}},
        {VolumeKind::gmirror, {raid1}},
        {VolumeKind::gstripe, {raid0}},
        {VolumeKind::graid3, {raid3}},
        {VolumeKind::graid, {raid0, raid1, raid10}},
        {VolumeKind::gconcat, {concat}},
        {VolumeKind::softraid, {raid0, raid1, raid5, raid6, concat}},
        {VolumeKind::ccd, {raid0, concat}},
        {VolumeKind::md, {raid0, raid1, raid4, raid5, raid6, raid10, concat}},
        {VolumeKind::lvm, {raid0, raid1, concat}},
        {VolumeKind::hardware, {raid0, raid1, raid3, raid4, raid5, raid6, raid10, concat}},
    };
    return kinds;
}

Error refused(std::string why) {
    return {ErrorKind::bad_data, std::move(why)};
}

std::optional<Error> choose_balance(const Array& volume, SetPolicy& policy) {
    if (!volume.balance) return std::nullopt;
    const bool raid3 = volume.kind == VolumeKind::graid3;
    constexpr std::array<std::pair<std::string_view, MirrorBalance>, 4> names{{
        {"load", MirrorBalance::load},
        {"prefer", MirrorBalance::prefer},
        {"round-robin", MirrorBalance::round_robin},
        {"split", MirrorBalance::split},
    }};
    for (const auto& [name, balance] : names)
        if (*volume.balance == name &&
            (volume.kind == VolumeKind::gmirror || (raid3 && name == "round-robin"))) {
            policy.balance = balance;
            return std::nullopt;
        }
    return refused(fmt::format("volume.balance: '{}' is none of the kind's", escaped(*volume.balance)));
}

}  // namespace

std::optional<Error> unsimulated(const Array& volume) {
    const auto at = std::find_if(simulated().begin(), simulated().end(),
                                 [&](const KindLevels& known) { return known.kind == volume.kind; });
    if (at == simulated().end())
        return refused(fmt::format("volume.kind: '{}' is not simulated", to_string(volume.kind)));
    if (std::find(at->levels.begin(), at->levels.end(), volume.level) == at->levels.end())
        return refused(
            fmt::format("volume.level: {} has no level {}", to_string(volume.kind), to_string(volume.level)));
    if (volume.state == VolumeState::failed || volume.state == VolumeState::inactive)
        return refused(fmt::format("volume.state: a set that is {} does nothing", to_string(volume.state)));
    if (volume.state != VolumeState::optimal && one_of(volume.level, {RaidLevel::raid0, RaidLevel::concat}))
        return refused(fmt::format("volume.state: level {} can't be {}", to_string(volume.level),
                                   to_string(volume.state)));
    return std::nullopt;
}

Result<SetPolicy> policy_of(const MachineConfiguration& machine, const ArrayLayout& layout,
                            std::vector<std::string>& assumed) {
    SetPolicy policy;
    switch (machine.volume->kind) {
        case VolumeKind::raidframe:
            policy = raidframe(machine, layout);
            break;
        case VolumeKind::gmirror:
        case VolumeKind::gstripe:
        case VolumeKind::graid3:
        case VolumeKind::graid:
        case VolumeKind::gconcat:
        case VolumeKind::ccd:
            policy = geom(machine, layout);
            break;
        case VolumeKind::softraid:
            policy = softraid(machine);
            break;
        case VolumeKind::md:
        case VolumeKind::lvm:
            policy = md(machine, layout, assumed);
            break;
        default:
            policy = hardware(machine, layout, assumed);
    }
    if (auto error = choose_balance(*machine.volume, policy)) return *error;
    return policy;
}

}  // namespace diskwright
