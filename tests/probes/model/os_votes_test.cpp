// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/os_votes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace diskwright {
namespace {

TEST(OsVotes, MostVotesWinAndATieTellsNothing) {
    struct Row {
        std::vector<Os> votes;
        std::optional<Os> winner;
    };
    for (const Row& row :
         std::initializer_list<Row>{{{}, {}},
                                    {{Os::netbsd}, Os::netbsd},
                                    {{Os::netbsd, Os::freebsd}, {}},
                                    {{Os::freebsd, Os::netbsd, Os::freebsd}, Os::freebsd},
                                    {{Os::linux_, Os::openbsd, Os::openbsd}, Os::openbsd},
                                    {{Os::netbsd, Os::freebsd, Os::openbsd, Os::openbsd}, Os::openbsd},
                                    {{Os::netbsd, Os::netbsd, Os::openbsd, Os::openbsd, Os::linux_}, {}}}) {
        OsVotes votes;
        votes.take({});
        std::size_t line = 0;
        for (const Os os : row.votes)
            votes.take(Known<Os>(os, Provenance("a.txt", ++line, "", Provenance::Kind::inferred)));
        const Known<Os> winner = votes.winner();
        EXPECT_EQ(winner ? std::optional(*winner) : std::nullopt, row.winner);
        if (!winner) continue;
        const auto first = std::find(row.votes.begin(), row.votes.end(), *winner) - row.votes.begin();
        EXPECT_EQ(winner.from().line(), static_cast<std::size_t>(first) + 1) << "its first vote";
    }
}

}  // namespace
}  // namespace diskwright
