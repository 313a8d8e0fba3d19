// SPDX-License-Identifier: BSD-2-Clause
// Which superblock counts. The kernels take the first of the four places that has one, skipping what is only
// the copy of group 0: freebsd/freebsd-src:sys/ufs/ffs/ffs_subr.c (readsuper), NetBSD/src:
// sys/ufs/ffs/ffs_vfsops.c (ffs_mountfs).
#include <algorithm>
#include <array>

#include "probes/ondisk/ffs_superblock.hpp"
#include "probes/ondisk/magics.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t unfinished_magic = 0x19960408;  // FS_BAD_MAGIC: newfs has not come to its end

// The copy of group 0 follows the first superblock's area at the next block: newfs rounds 8192 + 8192 (FFSv1,
// makefs) or 65536 + 8192 (FFSv2) up to the block size.
constexpr std::array<std::uint64_t, 7> copy_places{16384, 32768, 65536, 73728, 81920, 98304, 131072};

struct Candidate {
    FfsSuperblock superblock;
    std::vector<FfsSuperblock::Contradiction> contradictions;

    bool has(FfsSuperblock::Contradiction::Weight weight) const {
        return std::any_of(contradictions.begin(), contradictions.end(),
                           [&](const auto& c) { return c.weight >= weight; });
    }
    std::vector<std::string> texts() const {
        std::vector<std::string> out;
        for (const auto& c : contradictions) out.push_back(c.text);
        return out;
    }
};
using Weight = FfsSuperblock::Contradiction::Weight;

std::optional<Candidate> candidate_at(const Structure& bytes) {
    const auto sb = FfsSuperblock::recognise(bytes);
    if (!sb) return std::nullopt;
    // With 64 KiB blocks that is the first copy.
    if (bytes.at() == 65536 && !sb->version2()) return std::nullopt;
    const bool in_place = sb->recorded_place() == bytes.at();
    if (!in_place && sb->copy_place(0) == bytes.at()) return std::nullopt;
    Candidate out{*sb, sb->contradictions()};
    if (!in_place)
        out.contradictions.push_back(
            {Weight::geometry, fmt::format("{}: ffs: fs_sblockloc {} is not where this superblock lies",
                                           bytes.place(ffs_field::sblockloc), sb->recorded_place())});
    return out;
}

// A copy that is whole and lies where it says it does; the superblock it is a copy of must look like it,
// unless its magic is all that is left or its place was overwritten: then a second copy has to agree.
Result<std::optional<FfsSuperblock>> find_copy(ByteSource& source, const std::optional<Candidate>& damaged) {
    for (const std::uint64_t place : copy_places) {
        const auto bytes = read_structure(source, place, ffs_superblock_bytes);
        if (!bytes) return bytes.error();
        const auto copy = *bytes ? FfsSuperblock::recognise(**bytes) : std::nullopt;
        if (!copy || copy->copy_place(0) != place || !copy->contradictions().empty()) continue;
        const auto first = read_structure(source, copy->recorded_place(), ffs_superblock_bytes);
        if (!first) return first.error();
        if (*first && copy->resembles(**first)) return copy;
        const auto second_place = copy->copy_place(1);
        if (damaged || !second_place) continue;
        const auto second = read_structure(source, *second_place, ffs_superblock_bytes);
        if (!second) return second.error();
        const auto witness = *second ? FfsSuperblock::recognise(**second) : std::nullopt;
        if (witness && copy->differences(*witness).empty()) return copy;
    }
    return std::optional<FfsSuperblock>();
}

}  // namespace

Result<FfsChoice> find_ffs_superblock(ByteSource& source, bool only_copies_count) {
    std::optional<Candidate> damaged;
    for (const std::uint64_t place : ffs_places) {
        const auto bytes = read_structure(source, place, ffs_superblock_bytes);
        if (!bytes) return bytes.error();
        if (!*bytes) continue;
        auto candidate = candidate_at(**bytes);
        if (candidate && !candidate->has(Weight::geometry))
            return FfsChoice{candidate->superblock, candidate->texts()};
        if (candidate && !damaged) damaged = std::move(candidate);
        for (const ByteOrder order : {ByteOrder::little, ByteOrder::big})
            if (place == 65536 && (*bytes)->in_order(order).u32(ffs_field::magic) == unfinished_magic)
                return Error{ErrorKind::bad_data,
                             (*bytes)->place(ffs_field::magic) + ": ffs: newfs has not finished"};
    }
    if (!damaged && !only_copies_count) return FfsChoice{};
    const auto copy = find_copy(source, damaged);
    if (!copy) return copy.error();
    if (*copy) {
        auto texts = damaged ? damaged->texts() : std::vector<std::string>{};
        texts.push_back(fmt::format("{}@{:#x}: ffs: the superblock is unusable; read from its copy at {}",
                                    source.name(), (*copy)->recorded_place(), (*copy)->raw().place(0)));
        return FfsChoice{**copy, std::move(texts)};
    }
    if (!damaged) return FfsChoice{};
    if (!damaged->has(Weight::fatal)) return FfsChoice{damaged->superblock, damaged->texts()};
    return Error{ErrorKind::bad_data, damaged->contradictions.front().text + ", and no copy was found"};
}

}  // namespace diskwright
