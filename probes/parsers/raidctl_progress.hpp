// SPDX-License-Identifier: BSD-2-Clause
// The lines on parity and progress that raidctl -s, -S, -p, -P and -i share.
#pragma once

#include <string_view>

#include "probes/parsers/command.hpp"
#include "probes/parsers/word_reader.hpp"

namespace diskwright {

/// The word after "Parity status:". It says nothing of RAID 0, which has none and prints DIRTY.
void read_parity_status(Scribe& scribe, Volume& set, std::string_view word, std::size_t line);
/// "Reconstruction is 64% complete." and its like for parity and copyback; false when the reader stands
/// elsewhere. 100% is what an idle set prints, so it sets nothing.
bool read_progress(WordReader& in, Scribe& scribe, Volume& set);

}  // namespace diskwright
