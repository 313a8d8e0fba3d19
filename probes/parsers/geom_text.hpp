// SPDX-License-Identifier: BSD-2-Clause
// What the list and status outputs of GEOM's RAID classes share: classes and words for states.
// Source: freebsd/freebsd-src sys/geom/{mirror,stripe,concat,raid3,raid}/*.c (state names),
// sbin/geom/core/geom.c (columns).
#pragma once

#include <string_view>

#include "probes/parsers/command.hpp"

namespace diskwright::geom {

struct Class {
    std::string_view folder;  // of its providers: mirror/gm0
    VolumeKind kind;
    std::optional<RaidLevel> level;
};
/// The class of a provider by its folder, or by ".eli"; null when it is none of a volume.
const Class* class_of(std::string_view provider);

/// COMPLETE, DEGRADED, UP, OPTIMAL, ...; nothing for a word that is none.
std::optional<VolumeState> volume_state(std::string_view word);
/// ACTIVE, SYNCHRONIZING, STALE, ...: what stands first in the parentheses behind a component.
std::optional<ComponentState> component_state(std::string_view word);

/// Puts kind and level of the class, seen at that line.
void describe(Volume& set, const Class& c, const Scribe& scribe, std::size_t line);
/// A component being synchronized, with its "12%" or "".
void synchronizing(Volume& set, std::string_view percent, Scribe& scribe, std::size_t line);

}  // namespace diskwright::geom
