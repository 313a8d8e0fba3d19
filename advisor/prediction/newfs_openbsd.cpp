// SPDX-License-Identifier: BSD-2-Clause
// OpenBSD's newfs. Sources: openbsd/src:sbin/newfs/newfs.c and mkfs.c (of 2025: Passw/SecBSD-src, the same
// files).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "advisor/prediction/newfs.hpp"
#include "advisor/prediction/tool_numbers.hpp"
#include "probes/model/ffs_layout.hpp"

namespace diskwright {
namespace {

constexpr std::int64_t int_most = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t device_block = 512, density_frags = 4, usual_minfree = 5;
constexpr std::int64_t usual_fragment = 2048, usual_block = 16384, fewest_groups = 4;
constexpr std::int64_t most_blocks = 0x7fffffffffffLL;  // MAXDISKSIZE

struct Wanted {
    std::int64_t format = 2, sector_bytes = 0, bsize = 0, fsize = 0, most_group_frags = int_most;
    std::int64_t maxbpg = 0, avgfilesize = usual_avgfilesize, avgfpdir = usual_avgfpdir, density = 0;
    std::int64_t minfree = usual_minfree, size = 0;
    bool size_in_bytes = false, space = false, chose_optimization = false, print_only = false;
};

struct NumberOption {
    char letter;
    std::string_view what;
    std::int64_t least, most;
    std::int64_t Wanted::*member;
};
constexpr NumberOption number_options[] = {
    {'b', "block size", least_ffs_block, largest_ffs_block, &Wanted::bsize},
    {'c', "fragments per cylinder group", 1, int_most, &Wanted::most_group_frags},
    {'e', "blocks per file in a cylinder group", 1, int_most, &Wanted::maxbpg},
    {'f', "fragment size", least_ffs_block / most_ffs_fragments, largest_ffs_block, &Wanted::fsize},
    {'g', "average file size", 1, int_most, &Wanted::avgfilesize},
    {'h', "average files per dir", 1, int_most, &Wanted::avgfpdir},
    {'i', "bytes per inode", 1, int_most, &Wanted::density},
    {'m', "free space %", 0, 99, &Wanted::minfree},
};

class OpenbsdNewfs {
 public:
    OpenbsdNewfs(const ToolRelease& release, const Medium& medium) : release_(release), medium_(medium) {}

    Prediction run(const std::vector<std::string>& args) {
        auto wrong = read(args);
        if (!wrong) wrong = choose();
        if (!wrong) wrong = make();
        if (wrong) return refused(std::move(*wrong), std::move(out_.warnings));
        out_.accepted = true;
        return std::move(out_);
    }

 private:
    using Stop = std::optional<Refusal>;

    template <class... Args>
    void tell(fmt::format_string<Args...> form, Args&&... args) {
        out_.warnings.push_back(fmt::format(form, std::forward<Args>(args)...));
    }

    Stop read(const std::vector<std::string>& args) {
        // FFSv2 by default since 6.8.
        if (!release_.at_least(6, 8)) wanted_.format = 1;
        OptionReader options(Os::openbsd, args, "NO:S:T:b:c:e:f:g:h:i:m:o:qs:t:");
        while (const char letter = options.next()) {
            if (letter == '?') return Refusal{1, options.complaint()};
            if (auto wrong = take(letter, options.value())) return wrong;
            if (!type_.empty() && type_ != "ffs") return other_type();
        }
        const auto operands = options.operands();
        if (operands.size() > 1) return Refusal{1, "usage: newfs [options] special (one device)"};
        if (!operands.empty()) {
            device_ = operands.front();
            return check_device();
        }
        return std::nullopt;
    }

    Stop other_type() {
        tell("a file system of type {} is newfs_{}'s work, which is not predicted", shown(type_),
             shown(type_));
        return Refusal{1, fmt::format("newfs_{} not found: No such file or directory", shown(type_))};
    }

    // The partition is told by the last character.
    Stop check_device() const {
        if (device_.empty()) return Refusal{1, "empty partition name supplied"};
        const char last = device_.back();
        if ((last >= 'a' && last <= 'p') || (last >= '0' && last <= '9')) return std::nullopt;
        return Refusal{1, fmt::format("{}: can't figure out file system partition", shown(device_))};
    }

    Stop take(char letter, const std::string& value) {
        switch (letter) {
            case 'N':
                wanted_.print_only = true;
                return std::nullopt;
            case 'q':
                return std::nullopt;
            case 'T':
                tell("what disktab says of the disk type is not known here");
                return std::nullopt;
            case 't':
                type_ = value;
                if (value.empty()) return Refusal{1, "newfs_ not found: No such file or directory"};
                return std::nullopt;
            case 'O':
                return take_format(value);
            case 'S':
                return take_sector(value);
            case 's':
                return take_size(value);
            case 'o':
                if (value != "space" && value != "time")
                    return Refusal{1,
                                   fmt::format("{}: unknown optimization preference: use `space' or `time'.",
                                               shown(value))};
                wanted_.space = value == "space";
                wanted_.chose_optimization = true;
                return std::nullopt;
            default:
                return take_number(letter, value);
        }
    }

    Stop take_format(const std::string& value) {
        // The format of 4.3BSD went between 5.8 and 6.7.
        const auto number = openbsd_number(value, release_.at_least(6, 0) ? 1 : 0, 2);
        if (!number.error.empty()) return Refusal{1, fmt::format("{}: invalid ffs version", shown(value))};
        wanted_.format = number.value;
        chose_format_ = true;
        return std::nullopt;
    }

    Stop take_sector(const std::string& value) {
        const auto bytes = openbsd_scaled(value);
        if (!bytes || *bytes <= 0 || *bytes % device_block != 0)
            return Refusal{1, fmt::format("sector size invalid: {}", shown(value))};
        wanted_.sector_bytes = *bytes;
        return std::nullopt;
    }

    Stop take_size(const std::string& value) {
        const auto size = openbsd_scaled(value);
        if (!size || *size <= 0) return Refusal{1, fmt::format("file system size invalid: {}", shown(value))};
        wanted_.size = *size;
        wanted_.size_in_bytes = std::any_of(value.begin(), value.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        });
        return std::nullopt;
    }

    Stop take_number(char letter, const std::string& value) {
        const auto* const option =
            std::find_if(std::begin(number_options), std::end(number_options),
                         [&](const NumberOption& row) { return row.letter == letter; });
        const auto number = openbsd_number(value, option->least, option->most);
        if (!number.error.empty())
            return Refusal{1, fmt::format("{} is {}: {}", option->what, number.error, shown(value))};
        wanted_.*option->member = number.value;
        return std::nullopt;
    }

    Stop choose_size() {
        const std::int64_t label_sectors =
            static_cast<std::int64_t>(medium_.size_bytes / medium_.sector_bytes);
        if (wanted_.sector_bytes == 0) wanted_.sector_bytes = medium_.sector_bytes;
        std::int64_t sectors = wanted_.size == 0 ? label_sectors : wanted_.size;
        if (wanted_.size_in_bytes)
            sectors =
                wanted_.size / wanted_.sector_bytes + (wanted_.size % wanted_.sector_bytes != 0 ? 1 : 0);
        if (sectors > label_sectors) {
            const char letter =
                device_.empty() || (device_.back() >= '0' && device_.back() <= '9') ? 'a' : device_.back();
            return Refusal{
                1, fmt::format("{}: maximum file system size on the `{}' partition is {} sectors",
                               device_.empty() ? "the device" : shown(device_), letter, label_sectors)};
        }
        const std::int64_t scale = wanted_.sector_bytes / device_block;
        if (sectors > std::numeric_limits<std::int64_t>::max() / scale)
            return Refusal{13, fmt::format("preposterous size, max is {}", most_blocks)};
        blocks_ = sectors * scale;
        if (blocks_ > static_cast<std::int64_t>(medium_.size_bytes) / device_block)
            tell("-S {} makes the file system larger than the medium: its end is not there",
                 wanted_.sector_bytes);
        return std::nullopt;
    }

    Stop choose() {
        if (auto wrong = choose_size()) return wrong;
        if (!chose_format_ && blocks_ >= int_most) wanted_.format = 2;
        const bool usual_sizes = wanted_.fsize == 0;
        if (wanted_.bsize == 0 && usual_sizes)
            tell(
                "a label that disklabel(8) wrote has a block and a fragment of its own, which newfs takes: "
                "beyond 128 GiB larger ones than {} and {}",
                usual_block, usual_fragment);
        if (usual_sizes) wanted_.fsize = std::max<std::int64_t>(usual_fragment, medium_.sector_bytes);
        if (wanted_.bsize == 0) wanted_.bsize = std::min(usual_block, most_ffs_fragments * wanted_.fsize);
        if (wanted_.density == 0) {
            wanted_.density = density_frags * wanted_.fsize;
            if (usual_sizes && wanted_.sector_bytes > device_block) wanted_.density /= 2;
        }
        if (wanted_.minfree < usual_minfree && !wanted_.space && !wanted_.chose_optimization) {
            wanted_.space = true;
            tell("warning: changing optimization to space because minfree is less than {}%", usual_minfree);
        }
        if (wanted_.maxbpg == 0) wanted_.maxbpg = wanted_.bsize / (wanted_.format <= 1 ? 4 : 8);
        return std::nullopt;
    }

    Stop check_sizes() const {
        if (wanted_.format <= 1 && blocks_ > int_most)
            return Refusal{13, fmt::format("preposterous size {}, max is {}", blocks_, int_most)};
        if (wanted_.format == 2 && blocks_ > most_blocks)
            return Refusal{13, fmt::format("preposterous size {}, max is {}", blocks_, most_blocks)};
        return check_block_sizes(wanted_.bsize, wanted_.fsize, wanted_.sector_bytes);
    }

    std::int64_t inodes_of(std::int64_t frags) const {
        return up(parts(frags, frags_per_inode_), shape_.block_inodes);
    }
    std::int64_t maps() const {
        return static_cast<std::int64_t>(
            shape_.group_bytes(static_cast<std::uint64_t>(ipg_), static_cast<std::uint64_t>(fpg_)));
    }
    std::int64_t headers(std::int64_t inodes) const {
        return up(static_cast<std::int64_t>(shape_.dblkno(static_cast<std::uint64_t>(inodes))), shape_.frag);
    }

    Stop make() {
        if (auto wrong = check_sizes()) return wrong;
        shape_ = ffs_shape(FfsHeader::openbsd, wanted_.format == 2, static_cast<std::uint32_t>(wanted_.bsize),
                           static_cast<std::uint32_t>(wanted_.fsize), 1);
        frags_ = blocks_ >> shift_of(static_cast<std::uint64_t>(wanted_.fsize / device_block));
        choose_density();
        grow_groups();
        if (auto wrong = balance_last_group()) return wrong;
        const std::int64_t groups = parts(frags_, fpg_);
        if (ipg_ * groups > static_cast<std::int64_t>(UINT32_MAX))
            return Refusal{42, "more than 2^32 inodes, increase density, block or fragment size"};
        fill(groups);
        return check_first_group();
    }

    void choose_density() {
        const std::int64_t begun = wanted_.density;
        for (;; wanted_.density -= wanted_.fsize) {
            const std::int64_t per_inode =
                wanted_.density >> shift_of(static_cast<std::uint64_t>(wanted_.fsize));
            frags_per_inode_ = std::max<std::int64_t>(per_inode, 1);
            const std::int64_t least = std::min(frags_per_inode_ * shape_.block_inodes, frags_);
            ipg_ = shape_.block_inodes;
            for (int round = 0; round < 2; ++round) {
                fpg_ = std::max(headers(ipg_), least);
                ipg_ = inodes_of(fpg_);
            }
            if (maps() < wanted_.bsize) break;
        }
        if (wanted_.density != begun)
            tell("density reduced from {} to {} bytes per inode", begun, wanted_.density);
    }

    void grow_groups() {
        std::int64_t fewest = fewest_groups;
        if (wanted_.most_group_frags != int_most)
            // An int, whatever the quotient.
            fewest = std::clamp<std::int64_t>(static_cast<std::int32_t>(frags_ / wanted_.most_group_frags), 1,
                                              fewest_groups);
        do {
            fpg_ += shape_.frag;
            ipg_ = inodes_of(fpg_);
        } while (fpg_ <= wanted_.most_group_frags && frags_ / fpg_ >= fewest && maps() <= wanted_.bsize);
        fpg_ -= shape_.frag;
        ipg_ = inodes_of(fpg_);
        if (fpg_ > wanted_.most_group_frags) tell("can't honour -c: minimum is {}", fpg_);
    }

    Stop balance_last_group() {
        const std::int64_t best = fpg_;
        while (true) {
            if (fpg_ <= 0) return Refusal{136, "newfs dies of SIGFPE (no group is small enough)"};
            const std::int64_t least = headers(ipg_);
            if (frags_ < least)
                return Refusal{
                    28, fmt::format("file system size {} < minimum size of {} fragments", frags_, least)};
            const std::int64_t last = frags_ % fpg_;
            if (last >= least || last == 0) break;
            fpg_ -= shape_.frag;
            ipg_ = fpg_ > 0 ? inodes_of(fpg_) : 0;
        }
        if (best != fpg_)
            tell(
                "reduced number of fragments per cylinder group from {} to {} to enlarge last cylinder group",
                best, fpg_);
        return std::nullopt;
    }

    void fill(std::int64_t groups) {
        PredictedSuperblock fs;
        fs.ufs2 = shape_.ufs2;
        fs.bsize = shape_.bsize;
        fs.fsize = shape_.fsize;
        fs.frags = static_cast<std::uint64_t>(frags_);
        fs.groups = static_cast<std::uint64_t>(groups);
        fs.group_inodes = static_cast<std::uint64_t>(ipg_);
        fs.group_frags = static_cast<std::uint64_t>(fpg_);
        fs.minfree_percent = static_cast<std::uint32_t>(wanted_.minfree);
        fs.space = wanted_.space;
        fs.maxbpg = static_cast<std::uint32_t>(wanted_.maxbpg);
        fs.maxcontig = 1;
        fs.avgfilesize = static_cast<std::uint32_t>(wanted_.avgfilesize);
        fs.avgfpdir = static_cast<std::uint32_t>(wanted_.avgfpdir);
        fs.sector_bytes = static_cast<std::uint32_t>(device_block);
        out_.superblock = fs;
    }

    // With -N too.
    Stop check_first_group() {
        PredictedSuperblock& fs = *out_.superblock;
        const std::uint64_t dblkno = shape_.dblkno(fs.group_inodes),
                            summary = shape_.summary_frags(fs.groups);
        // The superblock's copy, the maps and two blocks of inodes go out at once.
        const std::uint64_t chunk = std::max<std::uint64_t>(fs.bsize, ffs_superblock_space) + 3 * fs.bsize;
        const auto reaches = [&](std::uint64_t group) {
            const std::uint64_t place = (group * fs.group_frags + shape_.sblkno) * fs.fsize;
            return place / device_block + chunk / device_block > static_cast<std::uint64_t>(blocks_);
        };
        if (reaches(0)) return Refusal{40, "inode table does not fit in cylinder group"};
        if (free_blocks_of_first_group(fs, dblkno, summary) == 0)
            return Refusal{42, "cg 0: summary info is too large to fit"};
        if (reaches(fs.groups - 1)) return Refusal{40, "inode table does not fit in cylinder group"};
        const std::uint64_t free = free_ffs_blocks(fs, shape_.sblkno, dblkno, summary);
        fs.free_blocks = free > 1 ? free - 1 : 0;
        return std::nullopt;
    }

    const ToolRelease& release_;
    const Medium& medium_;
    Wanted wanted_;
    bool chose_format_ = false;
    std::string type_, device_;
    std::int64_t blocks_ = 0;  // of 512 bytes
    FfsShape shape_;
    std::int64_t frags_ = 0, frags_per_inode_ = 1, fpg_ = 0, ipg_ = 0;
    Prediction out_;
};

}  // namespace

Prediction predict_openbsd_newfs(const ToolRelease& release, const Medium& medium,
                                 const std::vector<std::string>& args) {
    return OpenbsdNewfs(release, medium).run(args);
}

}  // namespace diskwright
