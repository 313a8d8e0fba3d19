// SPDX-License-Identifier: BSD-2-Clause
// Members found on the disks of a host, by the set they belong to; and in which order sets are put together.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/ondisk/member_sets.hpp"

namespace diskwright {

/// The members of one set, and what was made of them.
struct SetGroup {
    std::vector<FoundMember> members;
    std::optional<SetExtent> extent;  // of these members
    bool taken = false;
    std::string name;  // in the facts; empty: not put together
    std::size_t made_of = 0;
    std::vector<std::string> damage;
    std::vector<std::pair<std::string, std::string>> superseded;
    /// Devices with a label of this set that lie in the set itself.
    std::vector<std::string> copies;

    /// How many sets lie below that one.
    std::size_t nesting() const;
    /// Whether any member of it lies in that set, or is a member of one that does; and so does the set
    /// itself.
    bool lies_in(const SetGroup& other) const;
};

class SetGroups {
 public:
    /// Of all sets together: labels without a checksum may each claim a thousand columns.
    static constexpr std::uint64_t most_components = 16384;

    void take(FoundMember&& member);
    /// The set that is to be put together next, each once; null when there is none. What is complete comes
    /// first: of the others a member may still be found inside of one of those. Then the one of which least
    /// is missing.
    SetGroup* next();
    /// Whether several sets claim its name, of which only one can have it.
    bool contested(const SetGroup& group) const;
    /// Of the members found so far, under the name that its metadata tells; nothing when there are too many
    /// components.
    std::optional<MemberSet> make(SetGroup& group);
    /// What is known when all sets have been looked into: members that were found later, damage, and what
    /// stands by.
    void report(HostFacts& facts);
    bool too_many_components() const { return too_many_components_; }

 private:
    bool count_components(std::uint64_t more);
    void reunite();
    static void bring_up_to_date(SetGroup& group, HostFacts& facts);
    void add_what_stands_by(HostFacts& facts);

    std::deque<SetGroup> groups_;
    std::map<std::string, std::size_t> group_of_;  // by identity
    std::vector<FoundMember> standing_by_;
    std::uint64_t components_ = 0;
    bool too_many_components_ = false, reunited_ = false;
};

/// Where a text of damage says it is ("sd0@0x200: ..."), and the device otherwise.
Provenance place_of_damage(const std::string& damage, std::string_view otherwise);

}  // namespace diskwright
