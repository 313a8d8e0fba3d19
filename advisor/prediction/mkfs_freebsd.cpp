// SPDX-License-Identifier: BSD-2-Clause
// Source: freebsd/freebsd-src:sbin/newfs/mkfs.c, and sbin/tunefs/tunefs.c for the journal of -j.
#include "advisor/prediction/mkfs_freebsd.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/prediction/newfs.hpp"
#include "probes/model/ffs_layout.hpp"

namespace diskwright {
namespace {

constexpr std::int32_t longest_cluster = 16, fewest_groups = 4;
constexpr std::uint64_t map_reserve = 8;  // CGSIZEFUDGE
constexpr std::uint64_t most_old_inodes = 0x7fff;
constexpr std::int64_t inode_numbers = std::int64_t{1} << 32;

// Of two ints that may overflow, as they do in newfs.
std::int32_t product(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

class FreebsdGroups {
 public:
    FreebsdGroups(FreebsdMkfs wanted, std::vector<std::string> warnings) : wanted_(std::move(wanted)) {
        out_.warnings = std::move(warnings);
    }

    Prediction run() {
        if (auto wrong = make()) return refused(std::move(*wrong), std::move(out_.warnings));
        fill();
        if (auto wrong = write()) return refused(std::move(*wrong), std::move(out_.warnings));
        out_.accepted = true;
        return std::move(out_);
    }

 private:
    using Stop = std::optional<Refusal>;

    static Refusal killed(std::string_view why) {
        return {136, fmt::format("newfs dies of SIGFPE ({})", why)};
    }
    template <class... Args>
    void tell(fmt::format_string<Args...> form, Args&&... args) {
        out_.warnings.push_back(fmt::format(form, std::forward<Args>(args)...));
    }

    Stop make() {
        density_ = wanted_.density;
        if (wanted_.size <= 0) return Refusal{13, fmt::format("preposterous size {}", wanted_.size)};
        // Where the density cannot be had, block and fragment are doubled and all is done again.
        constexpr int most_attempts = 32;
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            if (auto wrong = choose_sizes()) return wrong;
            if (choose_density()) {
                grow_groups();
                return balance_last_group();
            }
        }
        return killed("block and fragment grow without end");
    }

    Stop choose_sizes() {
        bsize_ = wanted_.bsize;
        fsize_ = wanted_.fsize;
        if (!power_of_two(bsize_))
            return Refusal{16, fmt::format("block size must be a power of 2, not {}", bsize_)};
        if (!power_of_two(fsize_))
            return Refusal{17, fmt::format("fragment size must be a power of 2, not {}", fsize_)};
        adjust(fsize_, "fragment", fsize_ < wanted_.sector_bytes, wanted_.sector_bytes, "sector size");
        adjust(bsize_, "block", bsize_ > largest_ffs_block, largest_ffs_block, "maximum");
        adjust(bsize_, "block", bsize_ < least_ffs_block, least_ffs_block, "minimum");
        adjust(fsize_, "fragment", fsize_ > largest_ffs_block, largest_ffs_block, "maximum");
        adjust(bsize_, "block", bsize_ < fsize_, fsize_, "fragment size");
        adjust(fsize_, "fragment", fsize_ * most_ffs_fragments < bsize_, bsize_ / most_ffs_fragments,
               "block size / 8");
        if (auto wrong = choose_extent()) return wrong;
        shape_ = ffs_shape(FfsHeader::freebsd, wanted_.ufs2, static_cast<std::uint32_t>(bsize_),
                           static_cast<std::uint32_t>(fsize_), maxcontig_);
        // With a second attempt the count of fragments is divided once more: newfs keeps one variable for
        // both.
        wanted_.size >>= shift_of(static_cast<std::uint64_t>(fsize_ / wanted_.sector_bytes));
        return std::nullopt;
    }

    void adjust(std::int32_t& bytes, std::string_view what, bool wrong, std::int32_t right,
                std::string_view why) {
        if (!wrong) return;
        tell("{} {} size from {} to {} ({})", right > bytes ? "increasing" : "decreasing", what, bytes, why,
             right);
        bytes = right;
    }

    // The block that was asked for decides, not the one that is made.
    Stop choose_extent() {
        if (wanted_.extent == 0) wanted_.extent = wanted_.bsize;
        extent_ = wanted_.extent;
        if (wanted_.extent < wanted_.bsize || !power_of_two(wanted_.extent)) {
            extent_ = bsize_;
            tell("Extent size set to {}", extent_);
        } else if (wanted_.extent > longest_cluster * bsize_) {
            extent_ = longest_cluster * bsize_;
            tell("Extent size reduced to {}", extent_);
        }
        if (wanted_.maxcontig == 0) {
            if (wanted_.bsize == 0) return killed("a block size of 0");
            wanted_.maxcontig = std::max(1, wanted_.most_transfer / wanted_.bsize);
        }
        maxcontig_ = wanted_.maxcontig;
        if (maxcontig_ < extent_ / bsize_) {
            maxcontig_ = extent_ / bsize_;
            tell("Maxcontig raised to {}", extent_);
        }
        return std::nullopt;
    }

    std::int64_t frags_in(std::int64_t bytes) const {
        return bytes >> shift_of(static_cast<std::uint64_t>(fsize_));
    }
    std::int64_t inodes_of(std::int64_t frags) const {
        return up(parts(frags, frags_per_inode_), shape_.block_inodes);
    }
    std::uint64_t maps() const {
        return shape_.group_bytes(static_cast<std::uint64_t>(ipg_), static_cast<std::uint64_t>(fpg_));
    }
    std::uint64_t map_room() const { return static_cast<std::uint64_t>(bsize_) - map_reserve; }
    std::int64_t headers(std::int64_t inodes) const {
        return up(static_cast<std::int64_t>(shape_.dblkno(static_cast<std::uint64_t>(inodes))), shape_.frag);
    }

    // The smallest group; false when fragments are too small for that many inodes.
    bool choose_density() {
        const auto least =
            static_cast<std::int32_t>(1 + wanted_.size / (inode_numbers - shape_.block_inodes));
        if (density_ == 0) {
            density_ = product(std::max(wanted_.density_frags, least), wanted_.fsize);
        } else if (density_ < product(least, wanted_.fsize)) {
            tell("density increased from {} to {}", density_, product(least, wanted_.fsize));
            density_ = product(least, wanted_.fsize);
        }
        const std::int64_t begun = density_;
        for (;; density_ -= fsize_) {
            frags_per_inode_ = std::max<std::int64_t>(frags_in(density_), 1);
            if (frags_per_inode_ < least) {
                wanted_.bsize = product(2, wanted_.bsize);
                wanted_.fsize = product(2, wanted_.fsize);
                tell("Block size too small for a file system of this size. Increasing blocksize to {}",
                     wanted_.bsize);
                return false;
            }
            const std::int64_t least_frags = std::min(frags_per_inode_ * shape_.block_inodes, wanted_.size);
            ipg_ = shape_.block_inodes;
            for (int round = 0; round < 2; ++round) {
                fpg_ = std::max(headers(ipg_), least_frags);
                ipg_ = inodes_of(fpg_);
            }
            if (maps() < map_room()) break;
        }
        if (density_ != begun) tell("density reduced from {} to {}", begun, density_);
        return true;
    }

    void grow_groups() {
        for (; fpg_ < wanted_.most_group_frags; fpg_ += shape_.frag) {
            ipg_ = inodes_of(fpg_);
            if (wanted_.ufs2 || static_cast<std::uint64_t>(ipg_) <= most_old_inodes) {
                if (wanted_.size / fpg_ < fewest_groups) return;
                if (maps() < map_room()) continue;
                if (maps() == map_room()) return;
            }
            fpg_ -= shape_.frag;
            ipg_ = inodes_of(fpg_);
            return;
        }
    }

    // A last group too small for its headers: smaller groups leave it more.
    Stop balance_last_group() {
        const std::int64_t best = fpg_;
        while (true) {
            if (fpg_ <= 0) return killed("no group is small enough");
            const std::int64_t least = headers(ipg_);
            if (wanted_.size < least)
                return Refusal{28,
                               fmt::format("Filesystem size {} < minimum size of {}", wanted_.size, least)};
            const std::int64_t last = wanted_.size % fpg_;
            if (last >= least || last == 0) break;
            fpg_ -= shape_.frag;
            ipg_ = fpg_ > 0 ? inodes_of(fpg_) : 0;
        }
        if (best != fpg_)
            tell("Reduced frags per cylinder group from {} to {} to enlarge last cyl group", best, fpg_);
        return std::nullopt;
    }

    void fill() {
        PredictedSuperblock fs;
        fs.ufs2 = wanted_.ufs2;
        fs.bsize = static_cast<std::uint32_t>(bsize_);
        fs.fsize = static_cast<std::uint32_t>(fsize_);
        fs.frags = static_cast<std::uint64_t>(wanted_.size);
        fs.groups = static_cast<std::uint64_t>(parts(wanted_.size, fpg_));
        fs.group_inodes = static_cast<std::uint64_t>(ipg_);
        fs.group_frags = static_cast<std::uint64_t>(fpg_);
        fs.minfree_percent = static_cast<std::uint32_t>(wanted_.minfree);
        fs.space = wanted_.space;
        fs.maxbpg = static_cast<std::uint32_t>(wanted_.maxbpg == 0 ? bsize_ / 8 : wanted_.maxbpg);
        fs.maxcontig = static_cast<std::uint32_t>(maxcontig_);
        fs.avgfilesize = static_cast<std::uint32_t>(wanted_.avgfilesize);
        fs.avgfpdir = static_cast<std::uint32_t>(wanted_.avgfpdir);
        fs.softupdates = wanted_.softupdates;
        fs.trim = wanted_.trim;
        fs.gjournal = wanted_.gjournal;
        fs.multilabel = wanted_.multilabel;
        fs.label = wanted_.label;
        fs.sector_bytes = static_cast<std::uint32_t>(wanted_.sector_bytes);
        fs.metaspace = metaspace();
        out_.superblock = fs;
        warn_of_traps();
    }

    std::uint64_t metaspace() const {
        std::int64_t frags = 0;
        if (wanted_.metaspace > 0 && wanted_.metaspace < fpg_ / 2)
            frags = wanted_.metaspace;
        else if (wanted_.metaspace != -1)
            frags = fpg_ * wanted_.minfree / 200;
        return static_cast<std::uint64_t>(frags / shape_.frag * shape_.frag);
    }

    // validate_sblock of sys/ufs/ffs/ffs_subr.c, 13.0 and later.
    void warn_of_traps() {
        if (extent_ < bsize_)
            tell("fs_maxbsize {} is below the block size {}: kernel, tunefs and dumpfs refuse the result",
                 extent_, bsize_);
        if (!wanted_.ufs2 && wanted_.size >= std::int64_t{1} << 31)
            tell("{} fragments do not fit into the 32 bits that UFS1 has for them", wanted_.size);
        if (fsize_ < wanted_.real_sector_bytes)
            tell("fragments of {} bytes are smaller than the sector of {}", fsize_,
                 wanted_.real_sector_bytes);
    }

    Stop write() {
        PredictedSuperblock& fs = *out_.superblock;
        const std::uint64_t dblkno = shape_.dblkno(fs.group_inodes),
                            summary = shape_.summary_frags(fs.groups);
        const std::uint64_t folders = wanted_.snapshot_folder ? 2 : 1;
        const std::uint64_t free = free_ffs_blocks(fs, shape_.sblkno, dblkno, summary);
        fs.free_blocks = free > folders ? free - folders : 0;
        if (!wanted_.print_only) {
            // Two blocks of inodes go out at once.
            const std::uint64_t last = (fs.groups - 1) * fs.group_frags + shape_.iblkno;
            if (last * fs.fsize + 2 * std::uint64_t{fs.bsize} > wanted_.medium_bytes)
                return Refusal{
                    36, fmt::format("wtfs: {} bytes at sector {}: write error", 2 * fs.bsize,
                                    last * fs.fsize / static_cast<std::uint64_t>(wanted_.sector_bytes))};
            if (free_blocks_of_first_group(fs, dblkno, summary) < folders)
                return Refusal{39, "first cylinder group ran out of space"};
            if (wanted_.su_journal) add_journal(fs);
        }
        return std::nullopt;
    }

    // tunefs runs then, and its failure is not newfs's.
    void add_journal(PredictedSuperblock& fs) {
        if (extent_ < bsize_) return tell("tunefs -j cannot read the result: there is no journal");
        const FreebsdJournal journal =
            freebsd_journal(fs.bsize, fs.fsize, fs.frags, fs.group_frags, fs.ufs2, 0);
        if (fs.free_blocks < journal.blocks)
            return tell("soft updates journaling cannot be enabled: {} bytes do not fit", journal.bytes);
        fs.su_journal = fs.softupdates = true;
        fs.free_blocks -= journal.blocks;
    }

    FreebsdMkfs wanted_;
    Prediction out_;
    FfsShape shape_;
    std::int32_t bsize_ = 0, fsize_ = 0, extent_ = 0, maxcontig_ = 0;
    std::int64_t density_ = 0, frags_per_inode_ = 1, fpg_ = 0, ipg_ = 0;
};

}  // namespace

FreebsdJournal freebsd_journal(std::uint64_t bsize, std::uint64_t fsize, std::uint64_t frags,
                               std::uint64_t group_frags, bool ufs2, std::uint64_t bytes) {
    constexpr std::uint64_t least = 4 << 20, share = 1024, direct = 12;
    FreebsdJournal journal;
    journal.bytes = bytes;
    if (bytes == 0) {
        journal.bytes = frags * bsize / share;
        if (journal.bytes / fsize > group_frags) {
            // The product of two ints, which overflows with large blocks.
            const auto product = static_cast<std::int32_t>(static_cast<std::uint32_t>(group_frags * fsize));
            journal.bytes = product > 0 ? static_cast<std::uint64_t>(product) : 0;
        }
        journal.bytes = std::max(journal.bytes, least);
    }
    const std::uint64_t data = (journal.bytes + bsize - 1) / bsize;
    journal.bytes = data * bsize;
    const std::uint64_t pointers = bsize / (ufs2 ? 8 : 4);
    std::uint64_t index = 0;
    if (data > direct) index = 1;
    if (data > direct + pointers) index += 1 + (data - direct - pointers + pointers - 1) / pointers;
    journal.blocks = data + index + 1;  // and the root directory's
    return journal;
}

Prediction predict_freebsd_mkfs(FreebsdMkfs wanted, std::vector<std::string> warnings) {
    return FreebsdGroups(std::move(wanted), std::move(warnings)).run();
}

}  // namespace diskwright
