// SPDX-License-Identifier: BSD-2-Clause
// Finds the spellings of many identities in a text, in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/capture/identities.hpp"

namespace diskwright {

class IdentityIndex {
 public:
    explicit IdentityIndex(const std::vector<Identity>& identities);

    struct Match {
        std::size_t length;  // in the text, from where it was looked for
        const Identity* identity;
    };
    /// The longest identity that begins at that place of the line, as a word of its own.
    std::optional<Match> match_at(std::string_view line, std::size_t at) const;

 private:
    struct Entry {
        Identity identity;
        std::vector<bool> separator_before;  // of each canonical character
    };
    struct Node {
        std::map<char, std::uint32_t> next;
        std::vector<std::uint32_t> entries;
    };
    bool accepts(const Entry& entry, const std::vector<bool>& separators, std::string_view line,
                 std::size_t at, std::size_t end) const;

    std::vector<Entry> entries_;
    std::vector<Node> nodes_{1};
};

}  // namespace diskwright
