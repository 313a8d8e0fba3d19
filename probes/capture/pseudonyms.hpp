// SPDX-License-Identifier: BSD-2-Clause
// Stand-ins for identities: of the same length and class of characters, made by a keyed function.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "probes/capture/scrub.hpp"

namespace diskwright {

/// Letters and digits of it, in lower case: what two spellings of one identity share. A byte outside ASCII
/// counts as a letter.
std::string canonical_identity(std::string_view text);
bool is_identity_character(char c);

class Pseudonyms {
 public:
    enum class Kind {
        hex,   // digits of a number in hexadecimal: WWN, UUID, DUID, MAC
        word,  // a letter becomes a letter, a digit a digit
    };

    explicit Pseudonyms(const ScrubKey& key) : key_(key) {}

    /// Of the canonical form; in lower case and as long. Never one given for another original.
    const std::string& of(const std::string& canonical, Kind kind);
    /// The pseudonym in the spelling of the original: its separators and its case.
    static std::string spelled(std::string_view original, std::string_view pseudonym, Kind kind);

    /// "192.168.17.23" and "2001:db8::1" by the same rules; each number keeps its length and stays valid.
    std::string ipv4(std::string_view address) const;
    std::string ipv6(std::string_view address) const;

 private:
    std::uint64_t stream(std::string_view text, std::uint64_t counter) const;

    ScrubKey key_;
    std::map<std::string, std::string, std::less<>> given_;
    std::set<std::string, std::less<>> taken_;
};

/// SipHash-2-4 of the bytes (Aumasson and Bernstein 2012).
std::uint64_t siphash(const ScrubKey& key, std::string_view bytes);

}  // namespace diskwright
