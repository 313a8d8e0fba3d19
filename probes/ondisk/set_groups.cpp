// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/set_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace diskwright {

// Only members found before a set was put together lie below it, so the walk ends.
std::size_t SetGroup::nesting() const {
    std::size_t deepest = 0;
    for (const FoundMember& m : members)
        if (m.inside) deepest = std::max(deepest, m.inside->nesting() + 1);
    return deepest;
}

bool SetGroup::lies_in(const SetGroup& other) const {
    return this == &other || std::any_of(members.begin(), members.end(), [&](const FoundMember& m) {
               return m.inside && m.inside->lies_in(other);
           });
}

void SetGroups::take(FoundMember&& found) {
    if (found.member.stands_by) {
        standing_by_.push_back(std::move(found));
        return;
    }
    const auto [at, added] = group_of_.emplace(found.member.identity, groups_.size());
    if (added) groups_.emplace_back();
    SetGroup& group = groups_[at->second];
    if (found.inside && found.inside->lies_in(group)) {
        group.copies.push_back(found.member.device);
        return;
    }
    group.members.push_back(std::move(found));
    group.extent.reset();
    reunited_ = false;
}

// A member whose label has one wrong number seems to be of a set of its own. It fills a gap of the one that
// it belongs to, of which at least two agree.
void SetGroups::reunite() {
    constexpr std::size_t most_groups = 256;
    if (std::exchange(reunited_, true) || groups_.size() > most_groups) return;
    for (SetGroup& lone : groups_) {
        if (lone.taken || lone.members.size() != 1) continue;
        const FoundMember& odd = lone.members.front();
        if (!odd.member.column || odd.member.shared.empty()) continue;
        for (SetGroup& home : groups_) {
            const Member& one = home.members.front().member;
            if (home.taken || home.members.size() < 2 || contradictions(odd.member, one).size() != 1)
                continue;
            const bool gap =
                std::none_of(home.members.begin(), home.members.end(),
                             [&](const FoundMember& m) { return m.member.column == odd.member.column; });
            if (!gap || *odd.member.column >= extent_of(home.members).columns) continue;
            home.members.push_back(odd);
            home.extent.reset();
            lone.members.clear();
            lone.taken = true;
            break;
        }
    }
    std::erase_if(group_of_, [&](const auto& row) { return groups_[row.second].members.empty(); });
}

bool SetGroups::contested(const SetGroup& group) const {
    const Volume& set = group.members.front().member.set;
    return !set.name.empty() && std::any_of(groups_.begin(), groups_.end(), [&](const SetGroup& other) {
        return &other != &group && !other.members.empty() &&
               device_of(other.members.front().member.set) == device_of(set);
    });
}

SetGroup* SetGroups::next() {
    reunite();
    SetGroup* best = nullptr;
    std::uint64_t least = 0;
    for (SetGroup& group : groups_) {
        if (group.taken) continue;
        if (!group.extent) group.extent = extent_of(group.members);
        const std::uint64_t missing = group.extent->missing;
        if (!best || missing < least) best = &group, least = missing;
        if (missing == 0) break;
    }
    if (best) best->taken = true;
    return best;
}

bool SetGroups::count_components(std::uint64_t more) {
    components_ += more;
    too_many_components_ = too_many_components_ || components_ > most_components;
    return components_ <= most_components;
}

std::optional<MemberSet> SetGroups::make(SetGroup& group) {
    const auto columns = std::max<std::uint64_t>(extent_of(group.members).columns, group.members.size());
    if (!count_components(columns)) return std::nullopt;
    MemberSet set = make_set(group.members);
    group.made_of = group.members.size();
    group.damage = std::move(set.damage), group.superseded = std::move(set.superseded);
    return set;
}

// A member may have been found in a set which was itself put together later.
void SetGroups::bring_up_to_date(SetGroup& group, HostFacts& facts) {
    if (group.name.empty()) return;
    if (group.members.size() != group.made_of) {
        MemberSet set = make_set(group.members);
        set.volume.name = group.name;
        group.damage = std::move(set.damage), group.superseded = std::move(set.superseded);
        volume(facts, group.name) = std::move(set.volume);
    }
    for (const std::string& text : group.damage)
        facts.damages.push_back({text, place_of_damage(text, group.name)});
    for (const auto& [device, text] : group.superseded) facts.unparsed.push_back({device, 0, 0, text});
    for (const std::string& device : group.copies)
        facts.unparsed.push_back(
            {device, 0, 0,
             fmt::format("it has metadata of {}, in which it lies itself: a copy, and no "
                         "component",
                         group.name)});
}

void SetGroups::add_what_stands_by(HostFacts& facts) {
    for (const FoundMember& spare : standing_by_) {
        bool has_a_set = false;
        for (const SetGroup& group : groups_) {
            if (group.name.empty() || !group.members.front().member.set.kind.is(*spare.member.set.kind))
                continue;
            if (!count_components(1)) return;
            has_a_set = true;
            volume(facts, group.name).components.push_back(stand_by(spare));
        }
        if (has_a_set) continue;
        if (!count_components(1)) return;
        Volume& unknown = volume(facts, device_of(spare.member.set));
        unknown.kind = spare.member.set.kind;
        unknown.components.push_back(stand_by(spare));
    }
}

void SetGroups::report(HostFacts& facts) {
    for (SetGroup& group : groups_) bring_up_to_date(group, facts);
    add_what_stands_by(facts);
}

Provenance place_of_damage(const std::string& damage, std::string_view otherwise) {
    const auto colon = damage.find(": ");
    return {colon == std::string::npos ? std::string(otherwise) : damage.substr(0, colon), 0, damage,
            Provenance::Kind::device};
}

}  // namespace diskwright
