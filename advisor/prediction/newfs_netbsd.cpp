// SPDX-License-Identifier: BSD-2-Clause
// NetBSD's newfs: options, sizes it chooses, checks in its order. Sources: NetBSD/src:sbin/newfs/newfs.c and
// mkfs.c (of 7.0: execunix/vinos, the same files).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "advisor/prediction/newfs.hpp"
#include "advisor/prediction/tool_numbers.hpp"
#include "probes/model/ffs_layout.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::int64_t int_most = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_transfer = 65536;  // MAXPHYS and MAXBSIZE
constexpr std::int32_t usual_minfree = 5, usual_sector = 512;
constexpr std::int64_t density_frags = 4, usual_fragments = 8;

struct Wanted {
    std::int64_t format = 1, sector_bytes = 0, maxcontig = 0, bsize = 0, extent = 0, maxbpg = 0, fsize = 0;
    std::int64_t avgfilesize = usual_avgfilesize, avgfpdir = usual_avgfpdir, density = 0, inodes = 0;
    std::int64_t minfree = usual_minfree, verbosity = 3, size = 0;
    bool size_in_bytes = false, space = false, regular_file = false, print_only = false, tolerant = false;
    bool apple = false, disk_type = false;
    unsigned quotas = 0;  // files to make
};

struct NumberOption {
    char letter;
    std::string_view what;
    std::int64_t least, most;
    std::int64_t Wanted::*member;
};
constexpr NumberOption number_options[] = {
    {'O', "format", 0, 2, &Wanted::format},
    {'S', "sector size", 512, 65536, &Wanted::sector_bytes},
    {'V', "verbose", 0, 4, &Wanted::verbosity},
    {'a', "maximum contiguous blocks", 1, int_most, &Wanted::maxcontig},
    {'b', "block size", least_ffs_block, largest_ffs_block, &Wanted::bsize},
    {'d', "maximum extent size", 0, int_most, &Wanted::extent},
    {'e', "blocks per file in a cylinder group", 1, int_most, &Wanted::maxbpg},
    {'f', "fragment size", 1, largest_ffs_block, &Wanted::fsize},
    {'g', "average file size", 1, int_most, &Wanted::avgfilesize},
    {'h', "expected files per directory", 1, int_most, &Wanted::avgfpdir},
    {'i', "bytes per inode", 1, int_most, &Wanted::density},
    {'m', "free space %", 0, 99, &Wanted::minfree},
    {'n', "number of inodes", 1, int_most, &Wanted::inodes},
    {'s', "file system size", std::numeric_limits<std::int64_t>::min(),
     std::numeric_limits<std::int64_t>::max(), &Wanted::size},
};

class NetbsdNewfs {
 public:
    NetbsdNewfs(const ToolRelease& release, const Medium& medium) : release_(release), medium_(medium) {}

    Prediction run(const std::vector<std::string>& args) {
        if (auto wrong = read(args)) return refused(std::move(*wrong), std::move(out_.warnings));
        if (auto wrong = choose()) return refused(std::move(*wrong), std::move(out_.warnings));
        if (auto wrong = make()) {
            if (!wanted_.tolerant) return refused(std::move(*wrong), std::move(out_.warnings));
            out_.warnings.push_back(wrong->reason + " (-G goes on; what results is not predicted)");
            out_.superblock.reset();
        }
        out_.accepted = true;
        return std::move(out_);
    }

 private:
    using Stop = std::optional<Refusal>;

    Stop read(const std::vector<std::string>& args) {
        OptionReader options(Os::netbsd, args, "B:FGINO:S:T:V:Za:b:d:e:f:g:h:i:l:m:n:o:q:r:s:v:");
        while (const char letter = options.next()) {
            if (letter == '?') return Refusal{1, options.complaint()};
            if (auto wrong = take(letter, options.value())) return wrong;
        }
        const auto operands = options.operands();
        if (wanted_.format < 1 && wanted_.quotas != 0)
            return Refusal{1, "in-filesystem quota is incompatible with -O0"};
        if (operands.size() > 2) return usage("one device, and at most a disk type behind it");
        if (operands.size() == 2 || wanted_.disk_type)
            out_.warnings.push_back("what disktab says of the disk type is not known here");
        if (!operands.empty()) device_ = operands.front();
        return std::nullopt;
    }

    Stop usage(std::string_view why) const {
        return Refusal{1, fmt::format("usage: newfs [ fsoptions ] special-device [disk-type] ({})", why)};
    }

    Stop take(char letter, const std::string& value) {
        switch (letter) {
            case 'B':
                return value == "be" || value == "le" ? std::nullopt : usage("-B takes be or le");
            case 'F':
                wanted_.regular_file = true;
                return std::nullopt;
            case 'G':
                out_.warnings.push_back("WARNING: -G may create file systems which cause kernel panics");
                wanted_.tolerant = true;
                return std::nullopt;
            case 'N':
                wanted_.print_only = true;
                return std::nullopt;
            case 'I':
            case 'Z':
                return std::nullopt;
            case 'T':
                wanted_.disk_type = true;
                return std::nullopt;
            case 'o':
                return take_optimization(value);
            case 'q':
                return take_quota(value);
            case 'v':
                return take_apple_name(value);
            case 'l':
            case 'r':
                return usage(fmt::format("-{} went long ago", letter));
            default:
                return take_number(letter, value);
        }
    }

    Stop take_optimization(const std::string& value) {
        if (value != "space" && value != "time")
            return Refusal{1, "unknown optimization preference:  use `space' or `time'."};
        wanted_.space = value == "space";
        return std::nullopt;
    }

    Stop take_quota(const std::string& value) {
        if (value != "user" && value != "group")
            return Refusal{1, fmt::format("invalid quota type {}", shown(value))};
        unsigned& seen = value == "user" ? user_quota_ : group_quota_;
        seen = 1;
        wanted_.quotas = user_quota_ + group_quota_;
        return std::nullopt;
    }

    Stop take_apple_name(const std::string& value) {
        if (contains(value, ":") || contains(value, "/"))
            return Refusal{1, "Apple UFS volume name cannot contain ':' or '/'"};
        if (value.empty()) return Refusal{1, "Apple UFS volume name cannot be zero length"};
        wanted_.apple = true;
        out_.warnings.push_back("Apple UFS: compared with no real newfs");
        return std::nullopt;
    }

    Stop take_number(char letter, const std::string& value) {
        if (letter == 'O' && release_.at_least(10) && value == "2ea") {
            wanted_.format = 2;
            out_.warnings.push_back("FFSv2 with extended attributes: only NetBSD 10 and later mount it");
            return std::nullopt;
        }
        const auto* const option =
            std::find_if(std::begin(number_options), std::end(number_options),
                         [&](const NumberOption& row) { return row.letter == letter; });
        if (option == std::end(number_options)) return usage("no such option");
        bool in_bytes = false;
        auto number = scaled(*option, value, in_bytes);
        if (auto* const wrong = std::get_if<Refusal>(&number)) return std::move(*wrong);
        std::int64_t read = std::get<std::int64_t>(number);
        if (letter == 's')
            wanted_.size_in_bytes = in_bytes;
        else
            read = static_cast<std::int32_t>(static_cast<std::uint32_t>(read));
        wanted_.*option->member = read;
        if (letter == 'S' && (read & (read - 1)) != 0)
            return Refusal{1, fmt::format("sector size `{}' is not a power of 2.", shown(value))};
        return std::nullopt;
    }

    // strsuftoi64.
    std::variant<std::int64_t, Refusal> scaled(const NumberOption& option, const std::string& value,
                                               bool& in_bytes) {
        constexpr std::string_view units = "bkmgt";
        const CNumber number = c_number(value, 10);
        const std::string_view rest = std::string_view(value).substr(number.used);
        const auto wrong = [&](std::string_view form, auto... more) {
            return Refusal{1, fmt::format(fmt::runtime(form), option.what, shown(value), more...)};
        };
        if (rest.size() > 1) return wrong("{} `{}' is not a valid number.");
        unsigned shift = 0;
        if (!rest.empty() && rest != "s" && rest != "S") {
            const std::size_t unit = units.find(lowercase(rest));
            if (unit == std::string_view::npos)
                return Refusal{1,
                               fmt::format("`{}' is not a valid suffix for {}.", shown(rest), option.what)};
            shift = static_cast<unsigned>(unit) * 10;
            in_bytes = true;
        }
        const auto result = static_cast<std::int64_t>(static_cast<std::uint64_t>(number.value) << shift);
        if (number.out_of_range || result >> shift != number.value)
            return wrong("{} `{}' is too large to convert.");
        const bool low = result < option.least;
        if (low || result > option.most) {
            Refusal outside =
                low ? wrong("{} `{}' ({}) is less than the minimum ({}).", result, option.least)
                    : wrong("{} `{}' ({}) is greater than the maximum ({}).", result, option.most);
            if (!wanted_.tolerant) return outside;
            out_.warnings.push_back(outside.reason);
        }
        return result;
    }

    // A wedge (dk) has a size of 64 bits, a partition of a disklabel one of 32.
    bool in_disklabel() const {
        if (wanted_.regular_file || device_.starts_with("NAME=")) return false;
        const std::size_t slash = device_.rfind('/');
        std::string_view name = std::string_view(device_).substr(slash == std::string::npos ? 0 : slash + 1);
        if (name.starts_with("rdk")) name.remove_prefix(1);
        return !(name.starts_with("dk") && name.size() > 2 && name[2] >= '0' && name[2] <= '9');
    }

    Stop choose_size() {
        if (wanted_.sector_bytes == 0)
            wanted_.sector_bytes = wanted_.regular_file ? usual_sector : medium_.sector_bytes;
        const std::int64_t sector = wanted_.sector_bytes;
        if (sector <= 0) return Refusal{1, "no default sector size"};
        if (wanted_.size_in_bytes) wanted_.size /= sector;
        if (wanted_.size > 0) return std::nullopt;
        const auto sectors =
            static_cast<std::int64_t>(medium_.size_bytes / static_cast<std::uint64_t>(sector));
        const bool too_large = in_disklabel() && medium_.size_bytes / medium_.sector_bytes > UINT32_MAX;
        if (!too_large) wanted_.size += sectors;
        if (!too_large && wanted_.size > 0) return std::nullopt;
        if (too_large)
            out_.warnings.push_back("a disklabel counts sectors in 32 bits: use a wedge (dk), or give -s");
        return Refusal{1, "Unable to determine file system size"};
    }

    Stop choose() {
        if (auto wrong = choose_size()) return wrong;
        if (wanted_.fsize == 0) {
            wanted_.fsize = wanted_.bsize / usual_fragments;
            if (wanted_.fsize <= 0) {
                wanted_.fsize =
                    wanted_.apple ? 1024 : netbsd_default_fragment(static_cast<std::uint64_t>(wanted_.size));
                if (!wanted_.apple) wanted_.fsize = std::max(wanted_.fsize, wanted_.sector_bytes);
            }
        }
        if (wanted_.bsize <= 0) wanted_.bsize = wanted_.apple ? 4096 : usual_fragments * wanted_.fsize;
        if (wanted_.maxcontig == 0)
            wanted_.maxcontig = std::max<std::int64_t>(1, most_transfer / wanted_.bsize);
        if (wanted_.density == 0) wanted_.density = density_frags * wanted_.fsize;
        if (wanted_.minfree < usual_minfree && !wanted_.space) {
            wanted_.space = true;
            out_.warnings.push_back(fmt::format(
                "Warning: changing optimization to space because minfree is less than {}%", usual_minfree));
        }
        if (wanted_.maxbpg == 0) wanted_.maxbpg = wanted_.bsize / (wanted_.format <= 1 ? 4 : 8);
        return std::nullopt;
    }

    Stop check_sizes() const {
        if (wanted_.avgfilesize <= 0)
            return Refusal{14, fmt::format("illegal expected average file size {}", wanted_.avgfilesize)};
        if (wanted_.avgfpdir <= 0)
            return Refusal{
                15, fmt::format("illegal expected number of files per directory {}", wanted_.avgfpdir)};
        return check_block_sizes(wanted_.bsize, wanted_.fsize, wanted_.sector_bytes);
    }

    // fs_contigsumsize counts what -d raises; fs_maxcontig is written without it.
    std::int64_t clusters() {
        const std::int64_t b = wanted_.bsize, extent = wanted_.extent;
        const bool usable = extent >= b && (extent & (extent - 1)) == 0;
        const std::int64_t blocks = usable ? extent / b : 1;
        if (wanted_.maxcontig >= blocks) return wanted_.maxcontig;
        if (wanted_.verbosity > 0)
            out_.warnings.push_back(fmt::format("Maxcontig raised to {}", usable ? extent : b));
        return blocks;
    }

    Stop make() {
        if (auto wrong = check_sizes()) return wrong;
        const bool ufs2 = wanted_.format == 2;
        const FfsShape shape = ffs_shape(FfsHeader::netbsd, ufs2, static_cast<std::uint32_t>(wanted_.bsize),
                                         static_cast<std::uint32_t>(wanted_.fsize), clusters());
        const unsigned shift = shift_of(static_cast<std::uint64_t>(wanted_.fsize / wanted_.sector_bytes));
        const std::uint64_t frags = static_cast<std::uint64_t>(wanted_.size) >> shift;
        if (!ufs2 && frags >= std::uint64_t{1} << 31)
            return Refusal{22, fmt::format("Too many fragments (0x{:x}) for a FFSv1 filesystem", frags)};
        if (frags < least_ffs_frags(shape))
            return Refusal{
                23, fmt::format("Filesystem size {} < minimum size of {}", frags, least_ffs_frags(shape))};
        const FfsGroups groups = netbsd_ffs_groups(shape, frags, static_cast<std::uint64_t>(wanted_.inodes),
                                                   static_cast<std::uint64_t>(wanted_.density));
        const std::uint64_t maps = shape.group_bytes(groups.group_inodes, groups.group_frags);
        if (maps > shape.bsize)
            return Refusal{24, fmt::format("CGSIZE miscalculated {} > {}", maps, shape.bsize)};
        fill(shape, groups);
        return write(shape);
    }

    void fill(const FfsShape& shape, const FfsGroups& groups) {
        PredictedSuperblock fs;
        fs.ufs2 = shape.ufs2;
        fs.bsize = shape.bsize;
        fs.fsize = shape.fsize;
        fs.frags = groups.frags;
        fs.groups = groups.count;
        fs.group_inodes = groups.group_inodes;
        fs.group_frags = groups.group_frags;
        fs.minfree_percent = static_cast<std::uint32_t>(wanted_.minfree);
        fs.space = wanted_.space;
        fs.maxbpg = static_cast<std::uint32_t>(wanted_.maxbpg);
        fs.maxcontig = static_cast<std::uint32_t>(wanted_.maxcontig);
        fs.avgfilesize = static_cast<std::uint32_t>(wanted_.avgfilesize);
        fs.avgfpdir = static_cast<std::uint32_t>(wanted_.avgfpdir);
        fs.sector_bytes = static_cast<std::uint32_t>(wanted_.sector_bytes);
        out_.superblock = fs;
    }

    // What goes wrong once it writes; the summary is looked at with -N too.
    Stop write(const FfsShape& shape) {
        PredictedSuperblock& fs = *out_.superblock;
        const std::uint64_t dblkno = shape.dblkno(fs.group_inodes), summary = shape.summary_frags(fs.groups);
        const auto sector = static_cast<std::uint64_t>(wanted_.sector_bytes);
        const auto beyond = [&](std::uint64_t place) {
            return Refusal{36, fmt::format("wtfs: write error for sector {}: Invalid argument", place)};
        };
        const bool bounded = !wanted_.print_only && !wanted_.regular_file;
        const auto size = static_cast<std::uint64_t>(wanted_.size);
        if (bounded && multiply(size, sector).value_or(UINT64_MAX) > medium_.size_bytes)
            return beyond(size - 1);
        if (dblkno + summary >= fs.group_frags)
            return Refusal{40,
                           "Too many cylinder groups to fit summary information into first cylinder group"};
        // The superblock's copy, the maps and two blocks of inodes go out at once.
        const std::uint64_t chunk = std::max<std::uint64_t>(fs.bsize, ffs_superblock_space) + 3 * fs.bsize;
        const std::uint64_t last = (fs.groups - 1) * fs.group_frags + shape.sblkno;
        if (bounded && last * fs.fsize + chunk > medium_.size_bytes) return beyond(last * fs.fsize / sector);
        const std::uint64_t needed = 1 + wanted_.quotas;
        if (free_blocks_of_first_group(fs, dblkno, summary) < needed)
            out_.warnings.push_back(
                "first cylinder group ran out of space: there is no root directory, and "
                "newfs says nothing but this");
        const std::uint64_t free = free_ffs_blocks(fs, shape.sblkno, dblkno, summary);
        fs.free_blocks = free > needed ? free - needed : 0;
        return std::nullopt;
    }

    const ToolRelease& release_;
    const Medium& medium_;
    Wanted wanted_;
    std::string device_;
    unsigned user_quota_ = 0, group_quota_ = 0;
    Prediction out_;
};

}  // namespace

Prediction predict_netbsd_newfs(const ToolRelease& release, const Medium& medium,
                                const std::vector<std::string>& args) {
    return NetbsdNewfs(release, medium).run(args);
}

}  // namespace diskwright
