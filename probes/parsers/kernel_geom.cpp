// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/kernel_geom.hpp"

#include <algorithm>

#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright::kernel {
namespace {

// A line broken by another message still has its tail.
std::string_view from_geom(std::string_view message) {
    const auto at = message.find("GEOM");
    return at == std::string_view::npos ? std::string_view{} : message.substr(at);
}

std::string_view without_dot(std::string_view word) {
    while (!word.empty() && (word.back() == '.' || word.back() == ',' || word.back() == ':'))
        word.remove_suffix(1);
    return word;
}

}  // namespace

bool GeomMessages::is_message(std::string_view message) {
    const auto text = from_geom(message);
    if (text.starts_with("GEOM: ")) return contains(text.substr(6), ": ");
    if (!text.starts_with("GEOM_")) return false;
    const auto name = text.substr(0, text.find(':'));
    return text.size() > name.size() + 2 && name.size() < 20;
}

bool GeomMessages::read(std::string_view message, std::size_t line) {
    if (!is_message(message)) return false;
    const auto text = from_geom(message);
    scribe_.suggest_os(Os::freebsd, line);
    const auto colon = text.find(':');
    const auto name = text.substr(0, colon), said = trim(text.substr(colon + 1));
    if (name == "GEOM") {
        const auto end = said.find(": ");
        if (end != std::string_view::npos) read_gpt(said.substr(0, end), said.substr(end + 2), line);
    } else if (name == "GEOM_PART") {
        read_part(said, line);
    } else if (name == "GEOM_MIRROR") {
        read_redundant("mirror/", VolumeKind::gmirror, RaidLevel::raid1, said, line);
    } else if (name == "GEOM_RAID3") {
        read_redundant("raid3/", VolumeKind::graid3, RaidLevel::raid3, said, line);
    } else if (name == "GEOM_STRIPE") {
        read_joined("stripe/", VolumeKind::gstripe, RaidLevel::raid0, said, line);
    } else if (name == "GEOM_CONCAT") {
        read_joined("concat/", VolumeKind::gconcat, RaidLevel::concat, said, line);
    }
    return true;
}

void GeomMessages::read_gpt(std::string_view provider, std::string_view said, std::size_t line) {
    const std::string name = device_name(provider);
    if (said.starts_with("the primary GPT"))
        notes_.event(Event::Kind::primary_gpt_corrupt, name, said, line);
    else if (said.starts_with("the secondary GPT"))
        notes_.event(Event::Kind::secondary_gpt_missing, name, said, line);
    else if (contains(said, "corrupt or invalid GPT detected") || contains(said, "GPT rejected"))
        notes_.event(Event::Kind::stale_gpt, name, said, line);
}

// "partition 1 on (ada0, MBR) is not aligned on 4096 bytes".
void GeomMessages::read_part(std::string_view said, std::size_t line) {
    if (!contains(said, "is not aligned on")) return;
    const auto disk = between(said, "(", ",");
    if (disk) notes_.event(Event::Kind::misaligned, device_name(*disk), said, line);
}

void GeomMessages::read_redundant(std::string_view folder, VolumeKind kind, RaidLevel level,
                                  std::string_view said, std::size_t line) {
    const auto w = words(said);
    if (w.size() < 3 || w[0] != "Device") return;
    std::string name(without_dot(w[1]));
    if (!name.starts_with(folder)) name = std::string(folder) + name;
    const auto set = [&]() -> Volume& {
        Volume& v = volume(scribe_.facts, name);
        v.kind = scribe_.known(kind, line);
        v.level = scribe_.known(level, line);
        return v;
    };
    if (w[2] == "launched" && w.size() > 3) {
        // "(1/2)": components found of those it has.
        const auto found = leading_unsigned(w[3].substr(w[3].starts_with('(') ? 1 : 0));
        std::uint64_t of = 0;
        if (found && found->rest.starts_with('/'))
            if (const auto total = leading_unsigned(found->rest.substr(1))) of = total->value;
        Volume& v = set();
        if (of == 0) return;
        v.columns = passing(of, scribe_, line);
        v.state = passing(found->value < of ? VolumeState::degraded : VolumeState::optimal, scribe_, line);
    } else if (w[2] == "rebuilding" && w.size() > 4 && w[3] == "provider") {
        Volume& v = set();
        Component& member = component(v, without_dot(w[4]));
        if (said.find("finished") != std::string_view::npos) {
            member.state = passing(ComponentState::optimal, scribe_, line);
            v.activity.reset(), v.activity_progress.reset();
        } else if (contains(said, "stopped")) {
            v.activity_progress = passing(Progress::paused, scribe_, line);
        } else {
            member.state = passing(ComponentState::rebuilding, scribe_, line);
            v.activity = passing(Activity::rebuild, scribe_, line);
            v.activity_progress = passing(Progress::running, scribe_, line);
        }
    } else if (w[2] == "provider" && w.size() > 4 && without_dot(w[4]) == "disconnected") {
        component(set(), w[3]).state = passing(ComponentState::missing, scribe_, line);
    } else if (w[2] == "provider" && w.size() > 4 &&
               (without_dot(w[4]) == "activated" || without_dot(w[4]) == "detected")) {
        component(set(), w[3]).state = passing(ComponentState::optimal, scribe_, line);
    }
}

void GeomMessages::read_joined(std::string_view folder, VolumeKind kind, RaidLevel level,
                               std::string_view said, std::size_t line) {
    const auto w = words(said);
    const auto set_of = [&](std::string_view word) -> Set& {
        std::string name(without_dot(word));
        if (!name.starts_with(folder)) name = std::string(folder) + name;
        return sets_.try_emplace(name, Set{kind, level, line, {}, 0, false, false, false}).first->second;
    };
    if (w.size() >= 5 && w[0] == "Disk" && w[2] == "attached" && w[3] == "to") {
        auto& disks = set_of(w[4]).disks;
        const auto name = device_name(w[1]);
        if (std::find(disks.begin(), disks.end(), name) == disks.end()) disks.push_back(name);
    } else if (w.size() >= 3 && w[0] == "Device") {
        Set& set = set_of(w[1]);
        const auto what = without_dot(w[2]);
        if (what == "activated") set.active = true, set.gone = false;
        if (what == "removed" || what == "destroyed") set.gone = true;
    } else if (w.size() >= 6 && w[0] == "Cannot" && w[1] == "add" && w[4] == "to") {
        Set& set = set_of(w[5]);
        set.refused = true, set.refused_line = line;
    }
}

void GeomMessages::finish() {
    for (auto& [name, set] : sets_) {
        if (set.refused && !set.disks.empty())
            for (const auto& device : set.disks)
                notes_.event(Event::Kind::stale_raid_metadata, disk_name(device),
                             "metadata of " + name + " found on " + device, set.refused_line);
        if (set.gone || set.refused || !set.active) continue;
        Volume& v = volume(scribe_.facts, name);
        v.kind = scribe_.known(set.kind, set.line);
        v.level = scribe_.known(set.level, set.line);
        for (const auto& device : set.disks) component(v, device);
    }
}

}  // namespace diskwright::kernel
