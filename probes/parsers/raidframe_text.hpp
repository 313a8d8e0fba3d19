// SPDX-License-Identifier: BSD-2-Clause
// What the outputs of raidctl share: names of sets, states, component labels.
// Formats: NetBSD/src sbin/raidctl/raidctl.c and sys/dev/raidframe/raidframevar.h (label fields,
// RF_ProtectedSectors).
#pragma once

#include <string>
#include <string_view>

#include "probes/parsers/command.hpp"
#include "probes/parsers/word_reader.hpp"

namespace diskwright::raidframe {

/// "raid0" of raid0, raid0:, /dev/rraid0d; "" when the word names no set.
std::string unit_name(std::string_view word);
/// The set that the command at the prompt names; "" when none.
std::string unit_at_prompt(const Output& out);
/// "raid?" for a set whose name the input does not show.
inline constexpr std::string_view unnamed = "raid?";

/// What `raidctl -s` calls a component. known is false for a word that is no state.
struct State {
    Known<ComponentState> value;
    bool known = false;
    bool spared = false;  // failed, but its data is on a spare
};
State state_of(std::string_view word, bool among_spares, Provenance from);

std::optional<RaidLevel> level_of(std::string_view word);

/// Reads "Component label for X:" and its fields. The component is added to the set unless its label was
/// never written (version 0: raidctl -C without -I). Returns the name under which it was last configured, or
/// "".
std::string read_label(WordReader& in, Scribe& scribe, Volume& set);
bool at_label(WordReader& in);

/// State of a whole set by the states of its columns.
void judge_state(Volume& set, std::size_t spared, const Provenance& listing);

}  // namespace diskwright::raidframe
