// SPDX-License-Identifier: BSD-2-Clause
// A partition that holds a component of a set and has to begin elsewhere. Whether another component may be
// taken out, and whether the smaller partition still is large enough, only the administrator of the running
// set can see, so the steps are said and no command is printed.
#include <fmt/format.h>

#include <string>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// How the set's own tool takes the component out and puts it back; nothing for kinds without redundancy.
std::string out_and_back(const FixBuilder& fix, const Volume& set, const std::string& component) {
    const std::string path = escaped(device_path(fix, component)), device = escaped(without_dev(component)),
                      name = escaped(base_name(set.name));
    switch (set.kind.value_or(VolumeKind::hardware)) {
        case VolumeKind::raidframe:
            return fmt::format("raidctl -f {0} {1}, afterwards raidctl -R {0} {1}", path, name);
        case VolumeKind::gmirror:
            return fmt::format("gmirror remove {0} {1}, afterwards gmirror insert {0} {1}", name, device);
        case VolumeKind::graid3:
            return fmt::format("graid3 remove -n NUMBER {0}, afterwards graid3 insert -n NUMBER {0} {1}",
                               name, device);
        case VolumeKind::softraid:
            return fmt::format("bioctl -O {0} {1}, afterwards bioctl -R {0} {1}", path, name);
        case VolumeKind::md:
            return fmt::format("mdadm {0} --fail {1} --remove {1}, afterwards mdadm {0} --add {1}",
                               escaped(device_path(fix, set.name)), path);
        case VolumeKind::zfs:
            return fmt::format("zpool offline {0} {1}, afterwards zpool replace {0} {1}", name, device);
        default:
            return {};
    }
}

bool survives_loss(const Volume& set) {
    return is_parity(set) || set.level.is(RaidLevel::raid1) || set.level.is(RaidLevel::raid10);
}

std::string at_byte(std::uint64_t start) {
    return start % 512 == 0 ? fmt::format("at byte {} (sector {} of 512 bytes)", start, start / 512)
                            : fmt::format("at byte {}", start);
}

void move_member(FixBuilder& fix, const Job& job, std::uint64_t start) {
    const Volume* set = fix.graph().volume_with_component(job.subject);
    if (!set)
        return fix.note(fmt::format("make {} again {}: it lists the range of a component",
                                    escaped(job.subject), at_byte(start)));
    const std::string way = survives_loss(*set) ? out_and_back(fix, *set, job.subject) : "";
    if (way.empty())
        return fix.note(fmt::format(
            "{0} has to be made anew with {1} beginning {2}: back up what lies on {0}, and restore it",
            escaped(set->name), escaped(job.subject), at_byte(start)));
    fix.note(
        fmt::format("{}; in between make {} again {}. Only while every other component of {} is in order, "
                    "and the next one only after the rebuild",
                    way, escaped(job.subject), at_byte(start), escaped(set->name)));
}

}  // namespace

void generate_moved_members(FixBuilder& fix) {
    for (const Job& job :
         fix.take({Setting::raid_component_start, Setting::partition_size}, {Setting::raid_component_start}))
        if (const auto start = job.number(Setting::raid_component_start)) move_member(fix, job, *start);
}

}  // namespace diskwright
