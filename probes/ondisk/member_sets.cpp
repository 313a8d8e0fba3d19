// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/member_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "probes/model/device_names.hpp"
#include "probes/model/redundancy.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t most_columns = 1024;

// md accepts a member one event behind (torvalds/linux:drivers/md/md.c). RAIDframe, gmirror and graid3 take
// none whose counter is not that of the newest (NetBSD/src:sys/dev/raidframe/rf_netbsdkintf.c,
// rf_auto_config_set and rf_have_enough_components; freebsd/freebsd-src:sys/geom/mirror/g_mirror.c).
std::uint64_t tolerance(const Volume& set) {
    return set.kind.is(VolumeKind::md) ? 1 : 0;
}

// Names decide between equal counters, not the order in which the devices were given.
bool newer(const FoundMember& a, const FoundMember& b) {
    const std::uint64_t x = a.member.events.value_or(0), y = b.member.events.value_or(0);
    return x != y ? x > y : a.member.device < b.member.device;
}

// What stands beside the one that it replaces, and in its column when that one is gone.
bool is_replacement(const Member& m) {
    return m.role == "replacement";
}

Component component_of(const FoundMember& found, ComponentState otherwise) {
    const Member& m = found.member;
    Component c;
    c.name = m.device;
    auto state = m.state.value_or(otherwise);
    // Nobody wrote to the metadata of a member that was left behind.
    if (otherwise == ComponentState::failed && state == ComponentState::optimal) state = otherwise;
    c.state = Known<ComponentState>(state, m.from);
    if (m.column) c.slot = Number(*m.column, m.from);
    c.data_offset_bytes = Number(m.data_offset_bytes, m.from);
    if (const auto size = found.source->size_bytes()) c.size_bytes = Number(*size, m.from);
    if (m.data_bytes) c.used_bytes = Number(*m.data_bytes, m.from);
    if (m.events) c.events = Number(*m.events, m.from);
    if (m.priority) c.priority = Number(*m.priority, m.from);
    if (!m.role.empty()) c.role = Text(m.role, m.from);
    return c;
}

// Their members have no numbers: a mirror's hold the same, and firmware tells disks by serial numbers that do
// not stand on them.
bool numbers_its_members(const Volume& set) {
    return !set.kind.is(VolumeKind::gmirror) && !set.kind.is(VolumeKind::graid) &&
           !set.kind.is(VolumeKind::hardware);
}

bool stale(const FoundMember& found, std::uint64_t newest, const Volume& set) {
    return newest - found.member.events.value_or(newest) > tolerance(set);
}

bool readable(const FoundMember& found, std::uint64_t newest, const Volume& set) {
    const auto state = found.member.state.value_or(ComponentState::optimal);
    if (state != ComponentState::optimal && state != ComponentState::used_spare) return false;
    return !stale(found, newest, set);
}

std::optional<std::uint64_t> shared_value(const Member& m, std::string_view field) {
    for (const Member::Shared& s : m.shared)
        if (s.field == field) return s.value;
    return std::nullopt;
}

struct Difference {
    std::string_view field;
    std::string value, other;
};

// What all members of a set say alike.
std::vector<Difference> differences(const Member& a, const Member& b) {
    std::vector<Difference> out;
    const auto words = [](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_enum_v<T>)
            return std::string(to_string(value));
        else if constexpr (std::is_same_v<T, std::string>)
            return value;
        else
            return fmt::format("{}", value);
    };
    const auto compare = [&](std::string_view field, const auto& one, const auto& other) {
        if (one && other && *one != *other) out.push_back({field, words(*one), words(*other)});
    };
    if (!a.shared.empty()) {
        for (const std::string_view field : contradictions(a, b))
            out.push_back({field, words(*shared_value(a, field)), words(*shared_value(b, field))});
        return out;
    }
    const Volume &x = a.set, &y = b.set;
    compare("level", x.level, y.level), compare("layout", x.layout, y.layout);
    compare("columns", x.columns, y.columns);
    compare("stripe_unit_bytes", x.stripe_unit_bytes, y.stripe_unit_bytes);
    compare("logical_sector_bytes", x.logical_sector_bytes, y.logical_sector_bytes);
    compare("size_bytes", x.size_bytes, y.size_bytes);
    compare("autoconfigure", x.autoconfigure, y.autoconfigure), compare("root", x.root, y.root);
    return out;
}

// Of the members that are up to date the one that most others agree with; of two, the first.
const Member& spokesman(const std::vector<FoundMember>& newest_first) {
    constexpr std::size_t most_heard = 64;
    const std::uint64_t latest = newest_first.front().member.events.value_or(0);
    std::size_t best = 0, most = 0;
    const std::size_t heard = std::min(newest_first.size(), most_heard);
    for (std::size_t i = 0; i < heard; ++i) {
        if (stale(newest_first[i], latest, newest_first[i].member.set)) break;
        std::size_t agree = 0;
        for (std::size_t j = 0; j < heard; ++j)
            agree += differences(newest_first[i].member, newest_first[j].member).empty() ? 1 : 0;
        if (agree > most) most = agree, best = i;
    }
    return newest_first[best].member;
}

// The driver counts none to a set that differs from the others in what all share. Of two that differ nobody
// can tell which one is right.
bool is_misfit(const FoundMember& m, const std::vector<FoundMember>& all, const Member& reference) {
    if (contradictions(m.member, reference).empty()) return false;
    return std::count_if(all.begin(), all.end(), [&](const FoundMember& other) {
               return contradictions(other.member, reference).empty();
           }) > 1;
}

void report_differences(const std::vector<FoundMember>& members, const Member& reference,
                        std::uint64_t latest, std::vector<std::string>& damage) {
    for (const FoundMember& m : members) {
        if (stale(m, latest, reference.set)) continue;
        const bool misfit = is_misfit(m, members, reference);
        for (const auto& [field, value, other] : differences(m.member, reference))
            damage.push_back(fmt::format("{}: {} {}, where {} has {}{}", m.member.from.source(), field,
                                         escaped(value), reference.device, escaped(other),
                                         misfit ? ": the driver does not count it to the set" : ""));
    }
}

// raid0_size() of torvalds/linux:drivers/md/raid0.c: what is left of each member behind the shortest is
// striped in further zones.
std::optional<std::uint64_t> sum_in_units(const std::vector<AssembledSource::Column>& columns,
                                          std::uint64_t unit) {
    std::optional<std::uint64_t> sum = 0;
    for (const auto& c : columns) {
        if (!c.data_bytes) return std::nullopt;
        sum = sum ? add(*sum, *c.data_bytes / unit * unit) : sum;
    }
    return sum;
}

std::optional<std::uint64_t> size_of_stripe(const Volume& set, std::uint64_t least, std::uint64_t unit,
                                            std::uint64_t columns) {
    const auto data = data_columns(set, columns);
    return data && *data > 0 ? multiply(least / unit * unit, *data) : std::nullopt;
}

// What the members contribute, where the metadata does not say what the set has.
void size_from_members(Volume& set, const std::vector<AssembledSource::Column>& columns) {
    if (set.size_bytes || !set.level) return;
    const std::uint64_t unit = set.stripe_unit_bytes.value_or(1);
    if (unit == 0) return;
    std::optional<std::uint64_t> least, size;
    for (const auto& c : columns) {
        if (!c.data_bytes && c.source) return;
        if (c.data_bytes) least = std::min(least.value_or(*c.data_bytes), *c.data_bytes);
    }
    if (!least) return;
    if (set.level.is(RaidLevel::concat))
        size = sum_in_units(columns, 1);
    else if (set.level.is(RaidLevel::raid0) && set.kind.is(VolumeKind::md))
        size = sum_in_units(columns, unit);
    else
        size = size_of_stripe(set, *least, unit, columns.size());
    if (size && *size > 0) set.size_bytes = Number(*size, set.level.from());
}

// How many columns the members say there are; as many as the highest of them asks for where they do not.
std::uint64_t columns_of(const Volume& set, const std::vector<FoundMember>& members) {
    std::uint64_t columns = set.columns.value_or(0);
    if (columns == 0)
        for (const FoundMember& m : members)
            if (m.member.column) columns = std::max(columns, add(*m.member.column, 1).value_or(most_columns));
    return std::min(columns, most_columns);
}

}  // namespace

std::string device_of(const Volume& set) {
    if (set.name.empty())
        return set.kind
                   ? fmt::format("{}?", *set.kind == VolumeKind::raidframe ? "raid" : to_string(*set.kind))
                   : "set?";
    // Sets of firmware are no class's own: Linux has them, too.
    const bool of_geom = set.kind && *set.kind != VolumeKind::graid;
    const auto folder = of_geom ? geom_folder(*set.kind) : std::string_view{};
    return set.name.find('/') == std::string::npos ? std::string(folder) + set.name : set.name;
}

std::vector<std::string_view> contradictions(const Member& a, const Member& b) {
    std::vector<std::string_view> out;
    for (const Member::Shared& s : a.shared)
        if (const auto other = shared_value(b, s.field); other && *other != s.value) out.push_back(s.field);
    return out;
}

SetExtent extent_of(const std::vector<FoundMember>& members) {
    const auto newest = std::min_element(members.begin(), members.end(), newer);
    SetExtent out;
    out.columns = columns_of(newest->member.set, members);
    std::set<std::uint64_t> there;
    std::uint64_t unnumbered = 0;
    for (const FoundMember& m : members) {
        if (m.member.column && *m.member.column < out.columns)
            there.insert(*m.member.column);
        else if (!m.member.column && !numbers_its_members(newest->member.set))
            ++unnumbered;
    }
    out.missing = out.columns - std::min<std::uint64_t>(out.columns, there.size() + unnumbered);
    return out;
}

// What holds of a set only when it holds of each member that is up to date, and nothing is missing.
void say_what_all_say(const std::vector<FoundMember>& members, std::uint64_t latest, Volume& set) {
    for (const FoundMember& m : members)
        if (!stale(m, latest, set) && m.member.column && set.parity_clean.is(true) &&
            !m.member.set.parity_clean.is(true))
            set.parity_clean = m.member.set.parity_clean;
    const bool whole = std::none_of(set.components.begin(), set.components.end(), [](const Component& c) {
        return c.state.is(ComponentState::missing) || c.state.is(ComponentState::failed);
    });
    if (set.state.is(VolumeState::optimal) && !whole) set.state.reset();
}

MemberSet make_set(const std::vector<FoundMember>& members) {
    std::vector<FoundMember> sorted = members;
    std::stable_sort(sorted.begin(), sorted.end(), newer);
    MemberSet out;
    const Member& newest = spokesman(sorted);
    const std::uint64_t latest = sorted.front().member.events.value_or(0);
    out.volume = newest.set;
    out.volume.name = device_of(newest.set);
    const Provenance inferred(newest.from.source(), 0, newest.from.text(), Provenance::Kind::inferred);

    // A replacement comes before the one that was left behind, and after the one that still serves.
    std::vector<const FoundMember*> in_turn;
    for (const FoundMember& m : sorted) in_turn.push_back(&m);
    std::stable_sort(in_turn.begin(), in_turn.end(), [&](const FoundMember* a, const FoundMember* b) {
        const auto rank = [&](const FoundMember& m) {
            return is_misfit(m, sorted, newest)   ? 3
                   : stale(m, latest, out.volume) ? 2
                   : is_replacement(m.member)     ? 1
                                                  : 0;
        };
        return rank(*a) < rank(*b);
    });
    const std::uint64_t columns = columns_of(out.volume, sorted);
    std::vector<const FoundMember*> slots(static_cast<std::size_t>(columns), nullptr), spares;
    for (const FoundMember* each : in_turn) {
        const FoundMember& m = *each;
        if (!m.member.column) {
            // One that was thrown out has lost its number; its place is among those that are empty.
            const bool thrown_out = m.member.state == ComponentState::failed;
            const auto free = numbers_its_members(out.volume) && !thrown_out
                                  ? slots.end()
                                  : std::find(slots.begin(), slots.end(), nullptr);
            if (free != slots.end())
                *free = &m;
            else
                spares.push_back(&m);
        } else if (*m.member.column >= columns) {
            out.damage.push_back(fmt::format("{}: column {} of a set of {}", m.member.from.source(),
                                             *m.member.column, columns));
        } else if (auto& slot = slots[static_cast<std::size_t>(*m.member.column)]; !slot) {
            slot = &m;
        } else if (stale(m, latest, out.volume) && !stale(*slot, latest, out.volume)) {
            out.superseded.push_back(
                {m.member.device, fmt::format("its label is of column {} of {} as it was before {} took "
                                              "that place",
                                              *m.member.column, out.volume.name, slot->member.device)});
        } else if (stale(m, latest, out.volume) || is_replacement(m.member)) {
            spares.push_back(&m);  // what was in its place before, or is to be
        } else {
            out.damage.push_back(fmt::format("{}: column {} of {} is that of {} too", m.member.from.source(),
                                             *m.member.column, out.volume.name, slot->member.device));
        }
    }
    report_differences(sorted, newest, latest, out.damage);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        AssembledSource::Column column;
        if (!slots[i]) {
            Component gone;
            const bool recorded = std::count(newest.lost_columns.begin(), newest.lost_columns.end(), i) > 0;
            gone.state = Known<ComponentState>(ComponentState::missing, recorded ? newest.from : inferred);
            gone.slot = Number(i, inferred);
            out.volume.components.push_back(std::move(gone));
        } else {
            const bool old = stale(*slots[i], latest, out.volume) || is_misfit(*slots[i], sorted, newest);
            out.volume.components.push_back(
                component_of(*slots[i], old ? ComponentState::failed : ComponentState::optimal));
            column.data_offset = slots[i]->member.data_offset_bytes;
            column.data_bytes = slots[i]->member.data_bytes;
            if (!old && readable(*slots[i], latest, out.volume)) column.source = slots[i]->source;
        }
        out.columns.push_back(column);
    }
    say_what_all_say(sorted, latest, out.volume);
    for (const FoundMember* m : spares) {
        const bool left_over =
            (m->member.column || !numbers_its_members(out.volume)) && stale(*m, latest, out.volume);
        out.volume.components.push_back(
            component_of(*m, left_over ? ComponentState::failed : ComponentState::spare));
    }
    if (!out.volume.columns && columns > 0) out.volume.columns = Number(columns, inferred);
    out.volume.components_complete = Flag(true, newest.from);
    size_from_members(out.volume, out.columns);
    return out;
}

Component stand_by(const FoundMember& spare) {
    Component c = component_of(spare, ComponentState::spare);
    // It says nothing of where the data of a set would begin on it.
    c.data_offset_bytes.reset();
    return c;
}

}  // namespace diskwright
