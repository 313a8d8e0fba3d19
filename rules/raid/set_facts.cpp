// SPDX-License-Identifier: BSD-2-Clause
#include "rules/raid/set_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr int deepest = 32;  // hostile facts may put a device on itself

std::size_t count(const Volume& set, ComponentState state) {
    return static_cast<std::size_t>(std::count_if(set.components.begin(), set.components.end(),
                                                  [&](const Component& c) { return c.state.is(state); }));
}

// Listed without a state; a member that is known from its own metadata alone is no part of the running set.
std::size_t unclear(const Volume& set) {
    return static_cast<std::size_t>(std::count_if(set.components.begin(), set.components.end(),
                                                  [](const Component& c) { return !c.state && !c.events; }));
}

}  // namespace

bool is_redundant(const Volume& set) {
    return is_parity(set) || set.level.is(RaidLevel::raid1) || set.level.is(RaidLevel::raid10);
}

bool has_parity_units(const Volume& set) {
    return is_parity(set) && !set.level.is(RaidLevel::raid3);
}

Losses losses(const Volume& set) {
    Losses out;
    // One whose state is not known may be in use.
    const std::size_t in_use =
        count(set, ComponentState::optimal) + count(set, ComponentState::used_spare) + unclear(set);
    if (set.columns && in_use >= *set.columns) return out;
    for (const Component& c : set.components) {
        if (c.state.is(ComponentState::failed) || c.state.is(ComponentState::missing)) out.lost.push_back(&c);
        if (c.state.is(ComponentState::rebuilding)) out.rebuilding.push_back(&c);
    }
    // RAIDframe lists the failed column and, among the spares, the one that took its place.
    const std::size_t replaced =
        std::min(count(set, ComponentState::used_spare) + (set.columns ? 0 : unclear(set)), out.lost.size());
    out.lost.erase(out.lost.begin(), out.lost.begin() + static_cast<std::ptrdiff_t>(replaced));
    return out;
}

bool is_degraded(const Volume& set) {
    if (losses(set).any()) return true;
    if (!set.state) return false;
    switch (*set.state) {
        case VolumeState::degraded:
        case VolumeState::failed:
            return true;
        case VolumeState::rebuilding:
            // Copies that are only being made equal are all there.
            return !set.activity || *set.activity == Activity::rebuild;
        case VolumeState::optimal:
        case VolumeState::inactive:
            break;
    }
    return false;
}

bool is_inactive(const Volume& set) {
    return set.state.is(VolumeState::inactive);
}

bool is_only_configured(const Volume& set) {
    return set.from_configuration.known() && !set.state.known();
}

std::optional<std::uint64_t> idle_spares(const Volume& set) {
    const std::uint64_t listed = count(set, ComponentState::spare);
    if (listed > 0) return listed;
    if (set.spares) {
        // The count of a tool includes those that took a place or are being filled.
        const std::uint64_t busy =
            count(set, ComponentState::used_spare) + count(set, ComponentState::rebuilding);
        return *set.spares > busy ? *set.spares - busy : 0;
    }
    const bool lists_spares = set.kind.is(VolumeKind::raidframe) || set.kind.is(VolumeKind::softraid);
    if (lists_spares && set.components_complete.is(true)) return 0;
    return std::nullopt;
}

bool takes_spares(const Volume& set) {
    return set.kind.is(VolumeKind::raidframe) || set.kind.is(VolumeKind::softraid) ||
           set.kind.is(VolumeKind::md) || set.kind.is(VolumeKind::hardware) ||
           set.kind.is(VolumeKind::graid) || set.kind.is(VolumeKind::zfs);
}

std::optional<std::uint64_t> columns_of(const Volume& set) {
    if (set.columns) return *set.columns;
    if (set.components_complete.is(true)) return data_components(set).size();
    return std::nullopt;
}

Number component_size(const StorageGraph& graph, const Component& component) {
    if (component.size_bytes) return component.size_bytes;
    if (component.name.empty()) return Number::unknown("a removed component");
    return graph.size_of(component.name);
}

const Component* component_on_set(const StorageGraph& graph, const Volume& set) {
    for (const Component& c : set.components) {
        if (c.name.empty()) continue;
        const Volume* below = graph.on_volume(c.name).volume;
        if (below && below != &set) return &c;
        // raid1a of a set that the input does not show.
        const std::string base = disk_name(c.name);
        if (set.kind.is(VolumeKind::raidframe) && base != set.name && base.starts_with("raid") &&
            base.size() > 4 &&
            std::all_of(base.begin() + 4, base.end(), [](char d) { return d >= '0' && d <= '9'; }))
            return &c;
    }
    return nullptr;
}

const Volume* set_below(const StorageGraph& graph, std::string_view device) {
    std::string name = device_name(device);
    for (int depth = 0; depth < deepest; ++depth) {
        const Volume* v = graph.on_volume(name).volume;
        if (!v) return nullptr;
        const bool passes_through = v->kind.is(VolumeKind::crypto) || v->kind.is(VolumeKind::lvm);
        if (!passes_through || v->components.size() != 1 || v->components.front().name.empty()) return v;
        name = v->components.front().name;
    }
    return nullptr;
}

std::vector<std::uint64_t> stripe_widths(const Volume& set) {
    std::vector<std::uint64_t> out;
    if (set.data_disks && *set.data_disks > 0) out.push_back(*set.data_disks);
    const bool may_be_md = !set.kind || set.kind.is(VolumeKind::md);
    if (!may_be_md || !set.level.is(RaidLevel::raid10)) return out;
    if (!set.columns) return set.layout && contains(*set.layout, "near") ? out : std::vector<std::uint64_t>{};
    // drivers/md/raid10.c advertises chunk x disks, divided by the near copies where that is whole.
    std::uint64_t near = 1;
    if (set.layout) {
        if (const auto digits = after(*set.layout, "near=")) near = to_unsigned(trim(*digits)).value_or(1);
    } else {
        near = 2;
    }
    out.push_back(near > 0 && *set.columns % near == 0 ? *set.columns / near : *set.columns);
    // Far and offset copies may be told either way, and so may what is not known.
    const bool told = set.kind && set.layout && (set.data_disks || contains(*set.layout, "near="));
    if (!told) out.insert(out.end(), {*set.columns, std::max<std::uint64_t>(*set.columns / 2, 1)});
    return out;
}

std::string status_command(const Volume& set) {
    if (!set.kind) return fmt::format("the state of {}", set.name);
    switch (*set.kind) {
        case VolumeKind::raidframe:
            return fmt::format("raidctl -s {}", set.name);
        case VolumeKind::gmirror:
            return "gmirror list";
        case VolumeKind::gstripe:
            return "gstripe list";
        case VolumeKind::graid3:
            return "graid3 list";
        case VolumeKind::graid:
            return "graid list";
        case VolumeKind::gconcat:
            return "gconcat list";
        case VolumeKind::softraid:
            return fmt::format("bioctl {}", set.name);
        case VolumeKind::ccd:
            return "ccdconfig -g";
        case VolumeKind::md:
            return fmt::format("mdadm -D /dev/{}", set.name);
        case VolumeKind::lvm:
            return "lvs -a -o +devices";
        case VolumeKind::zfs:
            return fmt::format("zpool status {}", set.name);
        case VolumeKind::crypto:
        case VolumeKind::hardware:
            break;
    }
    return fmt::format("the controller's own listing of {}", set.name);
}

Provenance source_of(const Component& c) {
    for (const Number* n :
         {&c.slot, &c.size_bytes, &c.used_bytes, &c.events, &c.data_offset_bytes, &c.priority})
        if (!c.state && n->known()) return n->from();
    return c.state.from();
}

Provenance source_of(const Volume& v) {
    if (v.state) return v.state.from();
    if (v.level) return v.level.from();
    if (v.kind) return v.kind.from();
    return v.size_bytes.from();
}

std::string name_of(const Component& c) {
    if (!c.name.empty()) return device_name(c.name);
    if (c.slot) return fmt::format("slot {}", *c.slot);
    return "a removed slot";
}

std::optional<std::uint64_t> major_release(const HostFacts& host) {
    if (!host.os.release) return std::nullopt;
    const auto number = leading_unsigned(*host.os.release);
    return number ? std::optional(number->value) : std::nullopt;
}

}  // namespace diskwright
