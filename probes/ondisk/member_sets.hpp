// SPDX-License-Identifier: BSD-2-Clause
// Members of sets to sets: who belongs together, who is missing, whose data is old.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "probes/ondisk/assembled_source.hpp"
#include "probes/ondisk/format.hpp"

namespace diskwright {

struct SetGroup;

struct FoundMember {
    Member member;
    ByteSource* source = nullptr;
    const SetGroup* inside = nullptr;  // the set that the source lies in
};

/// One set: its facts, with a component for every column and spare, and the columns to read it by. Members
/// whose counter lags keep what their metadata says of them, and are not read.
struct MemberSet {
    Volume volume;
    std::vector<AssembledSource::Column> columns;
    std::vector<std::string> damage;  // members that contradict each other
    /// Devices whose label is older than that of another one in the same column, and what is said of it.
    std::vector<std::pair<std::string, std::string>> superseded;
};
MemberSet make_set(const std::vector<FoundMember>& members);

/// Names of the fields in which two members of metadata without a checksum differ that all members share;
/// nothing else than how they differ speaks against one of them.
std::vector<std::string_view> contradictions(const Member& a, const Member& b);

/// How large that set is and how much of it is not there. At least one member.
struct SetExtent {
    std::uint64_t columns = 0, missing = 0;
};
SetExtent extent_of(const std::vector<FoundMember>& members);

/// The name of the device that the system shows for it: "mirror/gm0" for gm0 of gmirror, "raid?" for a set of
/// RAIDframe whose metadata has no name.
std::string device_of(const Volume& set);

/// A member that stands by (Member::stands_by), as a component of a set that it may step into.
Component stand_by(const FoundMember& spare);

}  // namespace diskwright
