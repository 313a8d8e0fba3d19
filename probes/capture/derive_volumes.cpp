// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <set>

#include "probes/capture/derive.hpp"
#include "probes/model/redundancy.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

void data_disks_from_level(Volume& v) {
    if (!v.columns && v.components_complete.is(true)) {
        const auto count = data_components(v).size();
        if (count) v.columns = Number(count, inferred_from(v.components_complete.from()));
    }
    if (v.data_disks || !v.level || !v.columns) return;
    const std::uint64_t n = *v.columns;
    const Provenance from = inferred_from(v.level.from());
    const auto set = [&](std::uint64_t count) {
        if (count) v.data_disks = Number(count, from);
    };
    if (const auto data = data_columns(v, n)) return set(*data);
    if (!v.level.is(RaidLevel::raid10) || has_unknown_layout(v)) return;
    // "near=2", "far=2", "offset=2": copies; n / copies where that is whole. Without a layout two copies are
    // the rule.
    std::uint64_t each = 2;
    if (v.layout) {
        const auto equals = v.layout->find('=');
        each = equals == std::string::npos ? 2 : to_unsigned(v.layout->substr(equals + 1)).value_or(0);
    }
    if (each && n % each == 0) set(n / each);
}

// What a set may lose and still answer.
std::uint64_t tolerated(const Volume& v, std::uint64_t columns) {
    if (v.level.is(RaidLevel::raid10)) return columns / 2;
    const auto data = data_columns(v, columns);
    // Of each pair one; an odd last column stays unused.
    if (data && v.level.is(RaidLevel::raid1) && v.kind.is(VolumeKind::raidframe)) return *data;
    return data && *data < columns ? columns - *data : 0;
}

// Mirrors of several pairs: whether all copies of some unit are among those columns.
bool all_copies_lost(const Volume& v, const std::set<std::uint64_t>& lost) {
    const bool pairs =
        v.level.is(RaidLevel::raid10) || (v.level.is(RaidLevel::raid1) && v.kind.is(VolumeKind::raidframe));
    const std::uint64_t unit = v.stripe_unit_bytes.value_or(0);
    constexpr std::uint64_t most_columns = 1024;
    if (!pairs || unit == 0 || v.columns.value_or(0) > most_columns) return false;
    // The pattern repeats after as many units as there are columns.
    for (std::uint64_t i = 0; i < v.columns.value_or(0); ++i) {
        const auto places = copies_of(v, i * unit);
        if (!places.empty() && std::all_of(places.begin(), places.end(), [&](const Location& place) {
                return lost.contains(place.column);
            }))
            return true;
    }
    return false;
}

void state_from_components(Volume& v) {
    // What is not listed may be what is lost.
    if (v.state || v.components.empty() || v.components_complete.is(false)) return;
    std::uint64_t lost = 0, rebuilding = 0, stood_in = 0, judged = 0;
    std::set<std::uint64_t> lost_columns;
    Provenance first_bad, any;
    for (const Component& c : v.components) {
        if (!c.state) continue;
        if (*c.state == ComponentState::spare) continue;
        ++judged;
        any = c.state.from();
        if (*c.state == ComponentState::used_spare) ++stood_in;
        if (*c.state == ComponentState::failed || *c.state == ComponentState::missing) {
            ++lost;
            if (c.slot) lost_columns.insert(*c.slot);
            if (first_bad.empty()) first_bad = c.state.from();
        }
        if (*c.state == ComponentState::rebuilding) {
            ++rebuilding;
            if (first_bad.empty()) first_bad = c.state.from();
        }
    }
    if (judged == 0) return;
    // A used spare stands in for one that failed.
    lost -= std::min(lost, stood_in);
    const std::uint64_t columns = v.columns.value_or(judged);
    VolumeState state = VolumeState::optimal;
    const bool redundant = v.level ? tolerated(v, columns) > 0 : true;
    if (lost > (v.level ? tolerated(v, columns) : columns))
        state = VolumeState::failed;
    else if (lost && stood_in == 0 && all_copies_lost(v, lost_columns))
        state = VolumeState::failed;
    else if (lost && !redundant)
        state = VolumeState::failed;
    else if (lost)
        state = VolumeState::degraded;
    else if (rebuilding)
        state = VolumeState::rebuilding;
    v.state = Known<VolumeState>(state, inferred_from(first_bad.empty() ? any : first_bad));
}

// raidctl prints what each component contributes, rounded down to whole stripe units, and not the sum.
void size_from_components(Volume& v) {
    if (v.size_bytes || !v.kind.is(VolumeKind::raidframe) || !v.data_disks || !v.columns) return;
    Number least;
    for (const Component& c : v.components)
        if (c.used_bytes && (!least || *c.used_bytes < *least)) least = c.used_bytes;
    if (!least) return;
    if (const auto product = multiply(*least, *v.data_disks))
        v.size_bytes = Number(*product, inferred_from(least.from()));
}

void spares_from_components(Volume& v) {
    if (v.spares || !v.components_complete.is(true)) return;
    const auto count = std::count_if(v.components.begin(), v.components.end(),
                                     [](const Component& c) { return c.state.is(ComponentState::spare); });
    v.spares = Number(static_cast<std::uint64_t>(count), inferred_from(v.components_complete.from()));
}

}  // namespace

void derive_volume(Volume& v) {
    data_disks_from_level(v);
    state_from_components(v);
    spares_from_components(v);
    size_from_components(v);
}

}  // namespace diskwright
