// SPDX-License-Identifier: BSD-2-Clause
// FreeBSD's newfs: options and the sizes it chooses; mkfs_freebsd.cpp does the rest. Source:
// freebsd/freebsd-src:sbin/newfs/newfs.c.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "advisor/prediction/mkfs_freebsd.hpp"
#include "advisor/prediction/newfs.hpp"
#include "advisor/prediction/tool_numbers.hpp"

namespace diskwright {
namespace {

constexpr std::int32_t device_block = 512;  // DEV_BSIZE

struct NumberOption {
    char letter;
    std::string_view what;
    std::int32_t least;
    std::int32_t FreebsdMkfs::*member;
};
constexpr NumberOption number_options[] = {
    {'S', "bad sector size", 1, &FreebsdMkfs::sector_bytes},
    {'a', "bad maximum contiguous blocks", 1, &FreebsdMkfs::maxcontig},
    {'c', "bad blocks per cylinder group", 1, &FreebsdMkfs::most_group_frags},
    {'d', "bad extent block size", least_ffs_block, &FreebsdMkfs::extent},
    {'e', "bad blocks per file in a cylinder group", 1, &FreebsdMkfs::maxbpg},
    {'f', "bad fragment size", 1, &FreebsdMkfs::fsize},
    {'g', "bad average file size", 1, &FreebsdMkfs::avgfilesize},
    {'h', "bad average files per dir", 1, &FreebsdMkfs::avgfpdir},
    {'i', "bad bytes per inode", 1, &FreebsdMkfs::density},
};

class FreebsdNewfs {
 public:
    FreebsdNewfs(const ToolRelease& release, const Medium& medium) : release_(release), medium_(medium) {}

    Prediction run(const std::vector<std::string>& args) {
        if (auto wrong = read(args)) return refused(std::move(*wrong), std::move(warnings_));
        if (auto wrong = choose()) return refused(std::move(*wrong), std::move(warnings_));
        return predict_freebsd_mkfs(mkfs_, std::move(warnings_));
    }

 private:
    using Stop = std::optional<Refusal>;

    Stop read(const std::vector<std::string>& args) {
        OptionReader options(Os::freebsd, args, "EJL:NO:RS:T:UXa:b:c:d:e:f:g:h:i:jk:lm:no:p:r:s:t");
        while (const char letter = options.next()) {
            if (letter == '?') return Refusal{1, options.complaint()};
            if (auto wrong = take(letter, options.value())) return wrong;
        }
        const auto operands = options.operands();
        if (operands.size() > 1)
            return Refusal{1, "usage: newfs [ -fsoptions ] special-device [device-type] (one device)"};
        if (!operands.empty() && operands.front().empty()) return Refusal{1, "empty file/special name"};
        if (!operands.empty()) device_ = operands.front();
        return std::nullopt;
    }

    Stop take(char letter, const std::string& value) {
        switch (letter) {
            case 'E':
            case 'R':
                return std::nullopt;
            case 'J':
                mkfs_.gjournal = true;
                return std::nullopt;
            case 'N':
                mkfs_.print_only = true;
                return std::nullopt;
            case 'j':
                mkfs_.su_journal = true;
                mkfs_.softupdates = true;
                return std::nullopt;
            case 'U':
                mkfs_.softupdates = true;
                return std::nullopt;
            case 'X':
                warnings_.push_back("-X leaves the file system half made");
                return std::nullopt;
            case 'l':
                mkfs_.multilabel = true;
                return std::nullopt;
            case 'n':
                mkfs_.snapshot_folder = false;
                return std::nullopt;
            case 't':
                mkfs_.trim = true;
                return std::nullopt;
            case 'T':
                warnings_.push_back("what disktab says of the disk type is not known here");
                return std::nullopt;
            case 'p':
                in_file_ = true;
                return std::nullopt;
            case 'L':
                return take_label(value);
            default:
                return take_valued(letter, value);
        }
    }

    Stop take_label(const std::string& value) {
        constexpr std::size_t space = 32;  // MAXVOLLEN
        const bool dashes = release_.at_least(12, 2);
        const bool letters = std::all_of(value.begin(), value.end(), [&](char c) {
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                   (c == '-' && dashes);
        });
        if (!letters && dashes)
            return Refusal{1,
                           "bad volume label. Valid characters are alphanumerics, dashes, and underscores."};
        if (!letters) return Refusal{1, "bad volume label. Valid characters are alphanumerics."};
        if (value.size() >= space)
            return Refusal{1, fmt::format("bad volume label. Length is longer than {}.", space)};
        mkfs_.label = value;
        return std::nullopt;
    }

    Stop bad(const std::string& value, std::string_view what) const {
        return Refusal{1, fmt::format("{}: {}", shown(value), what)};
    }

    Stop take_valued(char letter, const std::string& value) {
        switch (letter) {
            case 'O': {
                const std::int32_t format = c_atoi(value);
                mkfs_.ufs2 = format == 2;
                return format < 1 || format > 2 ? bad(value, "bad file system format value") : std::nullopt;
            }
            case 'b':
                return take_block(value);
            case 'k':
                mkfs_.metaspace = c_atoi(value);
                if (mkfs_.metaspace < 0) return bad(value, "bad metadata space %");
                if (mkfs_.metaspace == 0) mkfs_.metaspace = -1;
                return std::nullopt;
            case 'm':
                mkfs_.minfree = c_atoi(value);
                if (mkfs_.minfree < 0 || mkfs_.minfree > 99) return bad(value, "bad free space %");
                if (c_number(value, 10).used == 0)
                    warnings_.push_back(fmt::format("-m {} is no number and counts as 0", shown(value)));
                return std::nullopt;
            case 'o':
                if (value != "space" && value != "time")
                    return bad(value, "unknown optimization preference: use `space' or `time'");
                mkfs_.space = value == "space";
                return std::nullopt;
            case 'r':
                return take_sectors(value, "bad reserved size", reserved_);
            case 's':
                return take_sectors(value, "bad file system size", mkfs_.size);
            default:
                return take_number(letter, value);
        }
    }

    Stop take_block(const std::string& value) {
        const auto bytes = freebsd_number(value);
        if (!bytes) return bad(value, "bad block size");
        mkfs_.bsize = *bytes;
        if (*bytes < least_ffs_block)
            return bad(value, fmt::format("block size too small, min is {}", least_ffs_block));
        if (*bytes > largest_ffs_block)
            return bad(value, fmt::format("block size too large, max is {}", largest_ffs_block));
        return std::nullopt;
    }

    Stop take_sectors(const std::string& value, std::string_view what, std::int64_t& sectors) {
        const CNumber number = c_number(value, 0);
        sectors = number.value;
        if (number.out_of_range || number.used == 0 || number.used != value.size() || number.value < 0)
            return bad(value, what);
        return std::nullopt;
    }

    Stop take_number(char letter, const std::string& value) {
        const auto* const option =
            std::find_if(std::begin(number_options), std::end(number_options),
                         [&](const NumberOption& row) { return row.letter == letter; });
        const auto number = freebsd_number(value);
        if (!number || *number < option->least) return bad(value, option->what);
        mkfs_.*option->member = *number;
        return std::nullopt;
    }

    std::string device() const {
        if (device_.empty()) return "the device";
        return device_.find('/') == std::string::npos ? "/dev/" + shown(device_) : shown(device_);
    }

    Stop choose_size() {
        const auto sector = static_cast<std::uint64_t>(mkfs_.sector_bytes);
        const auto sectors = static_cast<std::int64_t>(medium_.size_bytes / sector);
        const std::int64_t available = sectors - reserved_;
        if (available <= 0)
            return Refusal{1, fmt::format("{}: reserved not less than device size {}", device(), sectors)};
        if (mkfs_.size == 0) mkfs_.size = available;
        if (mkfs_.size > available)
            return Refusal{1, fmt::format("{}: maximum file system size is {}", device(), available)};
        return std::nullopt;
    }

    Stop choose() {
        // MAXPHYS of 64-bit systems; the sizes and the density of 9.0 (newfs.h).
        const bool since_9 = release_.at_least(9);
        mkfs_.most_transfer = (release_.at_least(13) ? 1024 : 128) * 1024;
        mkfs_.density_frags = since_9 ? 2 : 4;
        if (mkfs_.sector_bytes == 0) mkfs_.sector_bytes = static_cast<std::int32_t>(medium_.sector_bytes);
        if (auto wrong = choose_size()) return wrong;
        if (in_file_) {
            warnings_.push_back("-p looks for a BSD label, which a medium described by its size lacks");
            return Refusal{1, "no valid label found"};
        }
        if (mkfs_.fsize <= 0) mkfs_.fsize = std::max(since_9 ? 4096 : 2048, mkfs_.sector_bytes);
        if (mkfs_.bsize <= 0) {
            // An int that overflows, as newfs computes it.
            const auto wide = static_cast<std::uint32_t>(mkfs_.fsize) * std::uint32_t{8};
            mkfs_.bsize = std::min(since_9 ? 32768 : 16384, static_cast<std::int32_t>(wide));
        }
        constexpr std::int32_t usual_minfree = 8;
        if (mkfs_.minfree < usual_minfree && !mkfs_.space) {
            mkfs_.space = true;
            warnings_.push_back(fmt::format(
                "Warning: changing optimization to space because minfree is less than {}%", usual_minfree));
        }
        if (mkfs_.ufs2 && release_.at_least(14)) mkfs_.softupdates = true;
        mkfs_.real_sector_bytes = mkfs_.sector_bytes;
        if (mkfs_.sector_bytes != device_block) {
            if (mkfs_.sector_bytes % device_block != 0)
                warnings_.push_back(
                    fmt::format("a sector of {} bytes is no multiple of {}: the size is wrong",
                                mkfs_.sector_bytes, device_block));
            mkfs_.size *= mkfs_.sector_bytes / device_block;
            mkfs_.sector_bytes = device_block;
        }
        mkfs_.medium_bytes = medium_.size_bytes;
        return std::nullopt;
    }

    const ToolRelease& release_;
    const Medium& medium_;
    FreebsdMkfs mkfs_;
    std::int64_t reserved_ = 0;
    bool in_file_ = false;
    std::string device_;
    std::vector<std::string> warnings_;
};

}  // namespace

Prediction predict_freebsd_newfs(const ToolRelease& release, const Medium& medium,
                                 const std::vector<std::string>& args) {
    return FreebsdNewfs(release, medium).run(args);
}

}  // namespace diskwright
