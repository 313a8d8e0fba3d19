// SPDX-License-Identifier: BSD-2-Clause
// Members of sets to sets: who belongs together, who is missing, whose data is old.
#pragma once

#include <string>
#include <vector>

#include "probes/ondisk/assembled_source.hpp"
#include "probes/ondisk/format.hpp"

namespace diskwright {

struct FoundMember {
    Member member;
    ByteSource* source = nullptr;
};

/// One set: its facts, with a component for every column and spare, and the columns to read it by. Members
/// whose counter lags keep what their metadata says of them, and are not read.
struct MemberSet {
    Volume volume;
    std::vector<AssembledSource::Column> columns;
    std::vector<std::string> damage;  // members that contradict each other
};
MemberSet make_set(const std::vector<FoundMember>& members);

/// The members of one set each, in the order of first appearance.
std::vector<std::vector<FoundMember>> group_members(const std::vector<FoundMember>& members);

}  // namespace diskwright
