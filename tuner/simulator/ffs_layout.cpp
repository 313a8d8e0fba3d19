// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ffs_layout.hpp"

#include <algorithm>
#include <bit>

namespace diskwright {
namespace {

constexpr std::uint32_t bits = 8;
constexpr std::uint64_t most_in_a_row = 255;  // ffs_dirpref, fs_contigdirs

std::uint8_t mask(std::uint32_t frags) {
    return static_cast<std::uint8_t>((1U << frags) - 1);
}

// The first run of exactly so many free fragments in a block.
std::optional<std::uint32_t> run_in(std::uint8_t block, std::uint32_t frags, std::uint32_t wanted) {
    for (std::uint32_t at = 0; at < frags;) {
        if (!(block >> at & 1)) {
            ++at;
            continue;
        }
        std::uint32_t end = at;
        while (end < frags && (block >> end & 1)) ++end;
        if (end - at == wanted) return at;
        at = end;
    }
    return std::nullopt;
}

}  // namespace

FfsLayout::FfsLayout(const FfsGeometry& geometry, std::uint64_t seed, std::uint64_t log_bytes,
                     std::function<void(std::uint32_t)> used, std::function<void(std::uint32_t)> changed)
    : fs_(geometry), random_(seed), groups_(geometry.groups), summaries_(geometry.groups) {
    count_all();
    Group& first = group(0);
    first.inodes[0] = mask(root_inode + 1);
    summaries_[0].inodes -= root_inode + 1;
    inodes_free_ -= root_inode + 1;
    summaries_[0].directories = directories_ = 1;
    // newfs takes a new block for the root directory: its own allocator does not look at fragments.
    const auto whole = block_in(0, fs_.summary);
    root_block_ = whole.value_or(0);
    if (fs_.frag > 1) release(0, root_block_ + 1, fs_.frag - 1);
    if (log_bytes > 0) reserve_log(log_bytes);
    used_ = std::move(used);
    changed_ = std::move(changed);
}

std::uint64_t FfsLayout::group_length(std::uint32_t index) const {
    return std::min<std::uint64_t>(fs_.group_frags, fs_.frags - fs_.group_start(index));
}

// initcg of sbin/newfs/mkfs.c.
FfsLayout::Group& FfsLayout::group(std::uint32_t index) {
    Group& of = groups_[index];
    if (!of.free.empty()) return of;
    const std::uint64_t length = group_length(index);
    of.free.assign((fs_.group_frags + fs_.frag - 1) / fs_.frag, 0);
    const auto release = [&](std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t at = from; at < to; ++at)
            of.free[at / fs_.frag] = static_cast<std::uint8_t>(of.free[at / fs_.frag] | 1U << at % fs_.frag);
    };
    if (index > 0) release(0, fs_.superblock);
    release(fs_.data + (index == 0 ? fs_.frags_of(fs_.summary_bytes) : 0), length);
    for (const std::uint8_t block : of.free) count_runs(of, block, 1);
    of.inodes.assign((fs_.group_inodes + bits - 1) / bits, 0);
    of.initialised = fs_.ufs2 ? std::min(2 * fs_.block_inodes, fs_.group_inodes) : fs_.group_inodes;
    return of;
}

void FfsLayout::count_all() {
    for (std::uint32_t index = 0; index < fs_.groups; ++index) {
        Summary& of = summaries_[index];
        const std::uint64_t length = group_length(index);
        std::uint64_t from = fs_.data;
        if (index > 0) of.blocks += fs_.superblock / fs_.frag;
        if (index == 0) {
            from += fs_.frags_of(fs_.summary_bytes);
            if (from % fs_.frag != 0) of.frags += fs_.frag - from % fs_.frag;
            from += (fs_.frag - from % fs_.frag) % fs_.frag;
        }
        if (length > from) {
            of.blocks += (length - from) / fs_.frag;
            of.frags += (length - from) % fs_.frag;
        }
        of.inodes = fs_.group_inodes;
        blocks_free_ += of.blocks;
        frags_free_ += of.frags;
        inodes_free_ += of.inodes;
    }
}

// wapbl_find_log_start of sys/ufs/ffs/ffs_wapbl.c looks around the middle; its indirect blocks come first.
void FfsLayout::reserve_log(std::uint64_t bytes) {
    const std::uint64_t blocks = (bytes + fs_.bsize - 1) / fs_.bsize;
    const std::uint64_t pointers =
        blocks > FfsGeometry::direct ? (blocks - FfsGeometry::direct + fs_.indirect - 1) / fs_.indirect : 0;
    std::uint32_t index = fs_.groups / 2;
    std::uint64_t at = fs_.group_start(index) + fs_.data;
    if (index == 0) at = root_block_ + fs_.frag;
    log_block_ = at + (pointers + (pointers > 1 ? 1 : 0)) * fs_.frag;
    std::uint64_t left = log_block_ - at + blocks * fs_.frag;
    while (left > 0 && index < fs_.groups) {
        const std::uint64_t end = fs_.group_start(index) + group_length(index) / fs_.frag * fs_.frag;
        for (; left > 0 && at + fs_.frag <= end;
             at += fs_.frag, left -= std::min<std::uint64_t>(left, fs_.frag))
            if (group(index).free[(at - fs_.group_start(index)) / fs_.frag] == mask(fs_.frag))
                take(index, at - fs_.group_start(index), fs_.frag);
        if (++index < fs_.groups) at = fs_.group_start(index) + fs_.data;
    }
    Group& first = group(0);
    first.inodes[0] = static_cast<std::uint8_t>(first.inodes[0] | 1U << (root_inode + 1));
    --summaries_[0].inodes;
    --inodes_free_;
}

void FfsLayout::count_runs(Group& of, std::uint8_t block, int by) const {
    if (block == 0 || block == mask(fs_.frag)) return;
    for (std::uint32_t at = 0; at < fs_.frag;) {
        const auto run = static_cast<std::uint32_t>(std::countr_one(static_cast<std::uint8_t>(block >> at)));
        if (run > 0) of.runs[run] += static_cast<std::uint32_t>(by);
        at += std::max(run, 1U);
    }
}

void FfsLayout::count_free(std::uint32_t index, std::uint8_t before, std::uint8_t after) {
    Summary& sum = summaries_[index];
    const auto count = [&](std::uint8_t block, std::uint64_t by) {
        const bool whole = block == mask(fs_.frag);
        const auto loose = whole ? 0U : static_cast<unsigned>(std::popcount(block));
        sum.blocks += whole ? by : 0;
        blocks_free_ += whole ? by : 0;
        sum.frags += loose * by;
        frags_free_ += loose * by;
    };
    count(before, ~std::uint64_t{0});
    count(after, 1);
}

void FfsLayout::take(std::uint32_t index, std::uint64_t place, std::uint32_t frags) {
    Group& of = group(index);
    std::uint8_t& block = of.free[place / fs_.frag];
    const std::uint8_t before = block;
    count_runs(of, before, -1);
    block = static_cast<std::uint8_t>(block & ~(mask(frags) << place % fs_.frag));
    count_runs(of, block, 1);
    count_free(index, before, block);
}

void FfsLayout::release(std::uint32_t index, std::uint64_t place, std::uint32_t frags) {
    Group& of = group(index);
    std::uint8_t& block = of.free[place / fs_.frag];
    const std::uint8_t before = block;
    count_runs(of, before, -1);
    block = static_cast<std::uint8_t>(block | mask(frags) << place % fs_.frag);
    count_runs(of, block, 1);
    count_free(index, before, block);
}

void FfsLayout::free(std::uint64_t place, std::uint32_t frags) {
    const std::uint32_t index = fs_.group_of(place);
    if (used_) used_(index);
    release(index, place - fs_.group_start(index), frags);
    if (changed_) changed_(index);
}

// ffs_mapsearch: from the byte of the preferred place to the end, then from the start.
std::optional<std::uint64_t> FfsLayout::search(std::uint32_t index, std::uint64_t preferred,
                                               std::uint32_t frags) {
    Group& of = group(index);
    const std::uint64_t count = of.free.size();
    const std::uint64_t from = (preferred != 0 ? preferred : of.fragment_rotor) / bits * bits / fs_.frag;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t block = (from + i) % count;
        if (of.free[block] == 0) continue;
        const auto at = run_in(of.free[block], fs_.frag, frags);
        if (!at) continue;
        of.fragment_rotor = block * fs_.frag / bits * bits;
        return block * fs_.frag + *at;
    }
    return std::nullopt;
}

// ffs_alloccgblk; preferred within the group, 0 for none.
std::optional<std::uint64_t> FfsLayout::block_in(std::uint32_t index, std::uint64_t preferred) {
    Group& of = group(index);
    if (preferred != 0) {
        preferred -= preferred % fs_.frag;
        if (of.free[preferred / fs_.frag] == mask(fs_.frag)) {
            take(index, preferred, fs_.frag);
            return fs_.group_start(index) + preferred;
        }
    } else {
        preferred = of.rotor;
    }
    const auto found = search(index, preferred, fs_.frag);
    if (!found) return std::nullopt;
    of.rotor = *found;
    take(index, *found, fs_.frag);
    return fs_.group_start(index) + *found;
}

// ffs_alloccg
std::uint64_t FfsLayout::place_in(std::uint32_t index, std::uint64_t preferred, std::uint32_t frags) {
    Summary& sum = summaries_[index];
    if (sum.blocks == 0 && frags == fs_.frag) return 0;
    if (used_) used_(index);
    const std::uint64_t within =
        preferred != 0 && fs_.group_of(preferred) == index ? preferred - fs_.group_start(index) : 0;
    Group& of = group(index);
    std::uint32_t size = frags;
    while (size < fs_.frag && of.runs[size] == 0) ++size;
    std::uint64_t place = 0;
    if (size >= fs_.frag) {
        const auto whole = sum.blocks > 0 ? block_in(index, within) : std::nullopt;
        if (!whole) return 0;
        place = *whole;
        if (frags < fs_.frag) release(index, place - fs_.group_start(index) + frags, fs_.frag - frags);
    } else {
        const auto found = search(index, within, size);
        if (!found) return 0;
        take(index, *found, frags);
        place = fs_.group_start(index) + *found;
    }
    if (changed_) changed_(index);
    return place;
}

// ffs_hashalloc: the group wanted, then ever further ones, then all.
std::uint64_t FfsLayout::allocate(std::uint64_t inode, std::uint64_t preferred, std::uint32_t frags) {
    if (preferred >= fs_.frags) preferred = 0;
    const std::uint32_t wanted = preferred == 0 ? fs_.group_of_inode(inode) : fs_.group_of(preferred);
    if (const std::uint64_t place = place_in(wanted, preferred, frags)) return place;
    std::uint32_t at = wanted;
    for (std::uint32_t step = 1; step < fs_.groups; step *= 2) {
        at = (at + step) % fs_.groups;
        if (const std::uint64_t place = place_in(at, 0, frags)) return place;
    }
    for (std::uint32_t step = 2; step < fs_.groups; ++step)
        if (const std::uint64_t place = place_in((wanted + step) % fs_.groups, 0, frags)) return place;
    return 0;
}

bool FfsLayout::extend(std::uint64_t place, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t index = fs_.group_of(place);
    if (summaries_[index].frags < to - from) return false;
    const std::uint64_t within = place - fs_.group_start(index);
    if (within % fs_.frag + to > fs_.frag) return false;
    if (used_) used_(index);
    const std::uint8_t wanted = static_cast<std::uint8_t>(mask(to - from) << (within % fs_.frag + from));
    if ((group(index).free[within / fs_.frag] & wanted) != wanted) return false;
    take(index, within + from, to - from);
    if (changed_) changed_(index);
    return true;
}

std::uint64_t FfsLayout::preferred(std::uint64_t inode, std::uint64_t logical, std::uint64_t index,
                                   std::uint64_t before) const {
    if (index % fs_.blocks_per_group_and_file != 0 && before != 0) return before + fs_.frag;
    if (logical < FfsGeometry::direct + fs_.indirect)
        return fs_.group_start(fs_.group_of_inode(inode)) + fs_.frag;
    const std::uint64_t start =
        (before == 0 ? fs_.group_of_inode(inode) + logical / fs_.blocks_per_group_and_file
                     : fs_.group_of(before + 1)) %
        fs_.groups;
    const std::uint64_t average = blocks_free_ / fs_.groups;
    for (std::uint64_t i = 0; i < fs_.groups; ++i) {
        const std::uint64_t at = (start + i) % fs_.groups;
        if (summaries_[at].blocks >= average) return fs_.group_start(at) + fs_.frag;
    }
    return 0;
}

std::uint32_t FfsLayout::group_of_first_level() const {
    const auto from = static_cast<std::uint32_t>(random_.below(fs_.groups));
    std::uint32_t best = from;
    std::uint64_t fewest = fs_.group_inodes;
    for (std::uint32_t i = 0; i < fs_.groups; ++i) {
        const std::uint32_t at = (from + i) % fs_.groups;
        const Summary& of = summaries_[at];
        if (of.directories >= fewest || of.inodes < inodes_free_ / fs_.groups ||
            of.blocks < blocks_free_ / fs_.groups)
            continue;
        best = at;
        fewest = of.directories;
    }
    return best;
}

// ffs_dirpref
std::uint32_t FfsLayout::directory_group(std::uint64_t parent) const {
    if (parent == root_inode) return group_of_first_level();
    const std::uint64_t average_inodes = inodes_free_ / fs_.groups,
                        average_blocks = blocks_free_ / fs_.groups;
    const std::uint64_t average_directories = directories_ / fs_.groups;
    const std::uint64_t most =
        std::min<std::uint64_t>(average_directories + fs_.group_inodes / 16, fs_.group_inodes);
    const std::uint64_t quarter = fs_.group_frags / fs_.frag / 4;
    const std::uint64_t least_inodes =
        average_inodes - std::min<std::uint64_t>(average_inodes, fs_.group_inodes / 4);
    const std::uint64_t least_blocks = average_blocks - std::min(average_blocks, quarter);
    const std::uint64_t group_bytes = std::uint64_t{fs_.fsize} * fs_.group_frags;
    std::uint64_t directory = std::uint64_t{fs_.average_file_bytes} * fs_.average_files;
    if (average_directories != 0)
        directory = std::max(directory, (group_bytes - std::min(group_bytes, average_blocks * fs_.bsize)) /
                                            average_directories);
    std::uint64_t in_a_row =
        group_bytes < directory * most_in_a_row ? group_bytes / directory : most_in_a_row;
    in_a_row =
        std::max<std::uint64_t>(std::min<std::uint64_t>(in_a_row, fs_.group_inodes / fs_.average_files), 1);
    const std::uint32_t from = fs_.group_of_inode(parent);
    for (std::uint32_t i = 0; i < fs_.groups; ++i) {
        const std::uint32_t at = (from + i) % fs_.groups;
        const Summary& of = summaries_[at];
        if (of.directories < most && of.inodes >= least_inodes && of.blocks >= least_blocks &&
            of.in_a_row < in_a_row)
            return at;
    }
    for (std::uint32_t i = 0; i < fs_.groups; ++i)
        if (summaries_[(from + i) % fs_.groups].inodes >= average_inodes) return (from + i) % fs_.groups;
    return from;
}

// ffs_nodealloccg
std::optional<FfsLayout::NewInode> FfsLayout::inode_of(std::uint32_t index, std::uint64_t wanted,
                                                       bool directory) {
    Summary& sum = summaries_[index];
    if (sum.inodes == 0) return std::nullopt;
    if (used_) used_(index);
    Group& of = group(index);
    std::uint32_t inode = static_cast<std::uint32_t>(wanted % fs_.group_inodes);
    if (wanted == 0 || (of.inodes[inode / bits] >> inode % bits & 1)) {
        std::uint64_t byte = of.inode_rotor / bits;
        while (of.inodes[byte] == 0xff) byte = (byte + 1) % of.inodes.size();
        inode =
            static_cast<std::uint32_t>(byte * bits + static_cast<unsigned>(std::countr_one(of.inodes[byte])));
        of.inode_rotor = inode;
    }
    NewInode made{std::uint64_t{index} * fs_.group_inodes + inode, std::nullopt};
    if (fs_.ufs2 && inode + fs_.block_inodes > of.initialised && of.initialised < fs_.group_inodes) {
        made.initialised = fs_.inode_block(std::uint64_t{index} * fs_.group_inodes + of.initialised);
        of.initialised += fs_.block_inodes;
    }
    of.inodes[inode / bits] = static_cast<std::uint8_t>(of.inodes[inode / bits] | 1U << inode % bits);
    --sum.inodes;
    --inodes_free_;
    if (directory) {
        ++sum.directories;
        ++directories_;
    }
    if (changed_) changed_(index);
    return made;
}

std::optional<FfsLayout::NewInode> FfsLayout::new_inode(std::uint64_t parent, bool directory) {
    if (inodes_free_ == 0) return std::nullopt;
    const std::uint32_t wanted = directory ? directory_group(parent) : fs_.group_of_inode(parent);
    Summary& sum = summaries_[wanted];
    if (directory)
        sum.in_a_row = std::min<std::uint64_t>(sum.in_a_row + 1, most_in_a_row);
    else if (sum.in_a_row > 0)
        --sum.in_a_row;
    const std::uint64_t inode = directory ? std::uint64_t{wanted} * fs_.group_inodes : parent;
    for (std::uint32_t i = 0; i < fs_.groups; ++i)
        if (const auto made = inode_of((wanted + i) % fs_.groups, i == 0 ? inode : 0, directory)) return made;
    return std::nullopt;
}

void FfsLayout::free_inode(std::uint64_t inode, bool directory) {
    const std::uint32_t index = fs_.group_of_inode(inode);
    if (used_) used_(index);
    Group& of = group(index);
    const auto within = static_cast<std::uint32_t>(inode % fs_.group_inodes);
    of.inodes[within / bits] = static_cast<std::uint8_t>(of.inodes[within / bits] & ~(1U << within % bits));
    of.inode_rotor = std::min(of.inode_rotor, within);  // ffs_freefile: the rotor goes back
    ++summaries_[index].inodes;
    ++inodes_free_;
    if (directory) {
        --summaries_[index].directories;
        --directories_;
    }
    if (changed_) changed_(index);
}

}  // namespace diskwright
