// SPDX-License-Identifier: BSD-2-Clause
// The simulator beside tables that others published or measured.
//
//     cmake --build build --target benchmark-published
//     build/tests/published_benchmark FOLDER [WORD]
//
// Of each row: what was measured, what is simulated, by which factor it is off, what was assumed. The status
// is 1 when what is asked of a table does not hold. WORD: only tables with it in the title.
#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "tests/support/published.hpp"

int main(int argc, char** argv) {
    using namespace diskwright;
    if (argc < 2) return 64;
    const std::string folder = argv[1], word = argc > 2 ? argv[2] : "";
    constexpr std::uint64_t files = 10'000;
    bool holds = true;
    for (const PublishedTables& tables :
         {seed_tables(folder), fsync_tables(folder), raid1_grid_tables(folder, files),
          journal_tables(folder, files), volume_tables(folder)})
        for (const PublishedTable& table : tables) {
            if (table.title.find(word) == std::string::npos) continue;
            const JudgedTable judged = judge(table);
            fmt::print("{}", rendered(table, judged));
            std::fflush(stdout);
            holds = holds && judged.broken.empty();
        }
    return holds ? 0 : 1;
}
