// SPDX-License-Identifier: BSD-2-Clause
// A capture without what tells whose it is: serial numbers, WWNs, UUIDs, DUIDs, host and user names, labels
// and names of sets, mail, IP and MAC addresses become pseudonyms of the same length. Sizes, models and
// offsets stay, and so does what every other host has too (root, swap, gm0, names of public build machines'
// systems). Of the disks' own bytes only what was read from them is kept.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "probes/capture/document.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

using ScrubKey = std::array<std::uint8_t, 16>;

/// From the system's random numbers.
Result<ScrubKey> random_scrub_key();
/// 32 hexadecimal digits; usage otherwise.
Result<ScrubKey> parse_scrub_key(std::string_view digits);

/// The same original becomes the same pseudonym everywhere in the capture, in whatever spelling (case,
/// separators, 0x); other originals become other pseudonyms. Without the key a pseudonym cannot be computed
/// from a guess.
Capture scrubbed(Capture capture, const ScrubKey& key);

}  // namespace diskwright
