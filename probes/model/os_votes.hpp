// SPDX-License-Identifier: BSD-2-Clause
// Which system a host has, by what only one system has: every such thing is a vote.
#pragma once

#include <array>
#include <cstddef>

#include "probes/model/enums.hpp"
#include "probes/support/known.hpp"

namespace diskwright {

class OsVotes {
 public:
    /// One vote; nothing unknown votes.
    void take(const Known<Os>& os) {
        if (!os) return;
        Candidate& candidate = candidates_.at(static_cast<std::size_t>(*os));
        if (candidate.votes++ == 0) candidate.first = os;
    }

    /// With the provenance of its first vote. Unknown without votes, and when two have as many.
    Known<Os> winner() const {
        const Candidate* best = nullptr;
        bool tie = false;
        for (const Candidate& candidate : candidates_) {
            if (candidate.votes == 0 || (best && candidate.votes < best->votes)) continue;
            tie = best && candidate.votes == best->votes;
            best = &candidate;
        }
        return best && !tie ? best->first : Known<Os>{};
    }

 private:
    struct Candidate {
        std::size_t votes = 0;
        Known<Os> first;
    };

    std::array<Candidate, EnumNames<Os>::names.size()> candidates_;
};

}  // namespace diskwright
