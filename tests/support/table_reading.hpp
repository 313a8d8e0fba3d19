// SPDX-License-Identifier: BSD-2-Clause
// Images of tables in memory, what the readers of tables make of them, and how the rows compare it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/ondisk/formats.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright::test {

inline constexpr std::string_view netbsd_ffs = "49f48d5a-b10e-11dc-b99b-0019d1879648",
                                  netbsd_swap = "49f48d32-b10e-11dc-b99b-0019d1879648",
                                  freebsd_ufs = "516e7cb6-6ecf-11d6-8ff8-00022d09712b",
                                  openbsd_data = "824cc7a0-36a8-11e3-890a-952519ad3f61",
                                  linux_data = "0fc63daf-8483-4772-8e79-3d69d8477de4";

struct ReadAll {
    Found found;
    std::vector<Error> errors;
};

inline ReadAll read_tables(ByteSource& source) {
    ReadAll out;
    for (const auto reader : {read_gpt_table, read_mbr_table, read_disklabel, read_disklabel64}) {
        const auto result = reader(source, out.found);
        if (!result) out.errors.push_back(result.error());
    }
    return out;
}

inline ReadAll read_image(const std::string& name, Bytes image, std::uint64_t sector = 512) {
    const auto size = image.bytes().size();
    MemorySource source(name, std::move(image.bytes()), size, sector);
    return read_tables(source);
}

/// "name start size type", one a line, in the order of the facts.
inline std::string listing(const HostFacts& facts) {
    std::string out;
    for (const Partition& p : facts.partitions)
        out += p.name + " " + std::to_string(p.start_bytes.value_or(0)) + " " +
               std::to_string(p.size_bytes.value_or(0)) + " " + p.type.value_or("-") + "\n";
    return out;
}

inline std::vector<std::string> slots(const Found& found) {
    std::vector<std::string> out;
    for (const Slot& s : found.slots) out.push_back(s.name);
    return out;
}

inline const PartitionTable* table_of(const HostFacts& facts, Scheme scheme) {
    for (const PartitionTable& t : facts.tables)
        if (t.scheme.is(scheme)) return &t;
    return nullptr;
}

/// An FFS and a swap partition, both copies whole.
inline Bytes gpt_image(std::uint64_t sector = 512, std::size_t sectors = 4096) {
    Bytes image(sectors * sector);
    write_gpt(image, sector, {{netbsd_ffs, 64, 163, "root"}, {netbsd_swap, 200, 299}});
    return image;
}

/// A label as a NetBSD port has it, c and d among its eight rows.
inline std::vector<LabelRow> netbsd_rows() {
    return {{65536, 128, 7, 2048, 8},
            {32768, 65664, 1},
            {262016 - 63, 63, 0},
            {262016, 0, 0},
            {163584, 98432, 7, 2048, 8},
            {0, 0, 0},
            {0, 0, 0},
            {1000, 98432 + 163584, 19}};
}

}  // namespace diskwright::test
