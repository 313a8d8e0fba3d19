// SPDX-License-Identifier: BSD-2-Clause
// tunefs of NetBSD and of OpenBSD, which began as a copy. Sources: NetBSD/src:sbin/tunefs/tunefs.c (1.48 of
// 7.0, 1.57 of 10.0), openbsd/src:sbin/tunefs/tunefs.c.
#include <algorithm>
#include <bit>
#include <limits>

#include "advisor/prediction/tool_numbers.hpp"
#include "advisor/prediction/tunefs.hpp"

namespace diskwright {
namespace {

constexpr std::int64_t int_most = std::numeric_limits<std::int32_t>::max(), usual_minfree = 5;
constexpr std::int64_t in_filesystem = 2, at_end = 1, create_log = 1, clear_log = 2;  // ufs_wapbl.h

struct Wanted {
    std::optional<std::int64_t> maxbpg, avgfilesize, avgfpdir, log_bytes, minfree, sector_bytes;
    std::optional<bool> space, nfs4_acls, acls;
    bool quotas = false, print_only = false;
};

struct NumberOption {
    char letter;
    std::string_view what;
    std::int64_t least, most;
    std::optional<std::int64_t> Wanted::*member;
};
constexpr NumberOption number_options[] = {
    {'e', "maximum blocks per file in a cylinder group", 1, int_most, &Wanted::maxbpg},
    {'g', "average file size", 1, int_most, &Wanted::avgfilesize},
    {'h', "expected number of files per directory", 1, int_most, &Wanted::avgfpdir},
    {'l', "journal log file size", 0, int_most, &Wanted::log_bytes},
    {'m', "minimum percentage of free space", 0, 99, &Wanted::minfree},
    {'S', "physical sector size", 0, int_most, &Wanted::sector_bytes},
};

class BerkeleyTunefs {
 public:
    BerkeleyTunefs(const ToolRelease& release, const TunedFilesystem& before)
        : release_(release), fields_(before, usual_minfree, "remains unchanged at") {}

    Prediction run(const std::vector<std::string>& args) {
        auto wrong = read(args);
        if (!wrong) wrong = apply();
        if (wrong) return refused(std::move(*wrong), std::move(fields_.messages()));
        return fields_.done(!wanted_.print_only);
    }

 private:
    using Stop = std::optional<Refusal>;
    bool netbsd() const { return release_.os == Os::netbsd; }

    std::string_view letters() const {
        if (!netbsd()) return "AFNe:g:h:m:o:";
        if (release_.at_least(10)) return "AFNa:e:g:h:l:m:o:p:q:S:";
        return release_.at_least(7) ? "AFNe:g:h:l:m:o:q:S:" : "AFNe:g:h:l:m:o:q:";
    }

    Stop read(const std::vector<std::string>& args) {
        OptionReader options(release_.os, args, letters());
        while (const char letter = options.next()) {
            if (letter == '?') return Refusal{2, options.complaint()};
            if (auto wrong = take(letter, options.value())) return wrong;
        }
        if (options.operands().size() > 1)
            return Refusal{2, "usage: tunefs [-AFN] tuneup-options special-device"};
        return std::nullopt;
    }

    Stop take(char letter, const std::string& value) {
        switch (letter) {
            case 'A':
            case 'F':
                return std::nullopt;
            case 'N':
                wanted_.print_only = true;
                return std::nullopt;
            case 'a':
                return take_switch(value, "ACLs", wanted_.nfs4_acls);
            case 'p':
                return take_switch(value, "POSIX1e ACLs", wanted_.acls);
            case 'o':
                if (value != "space" && value != "time")
                    return Refusal{10, "bad optimization preference (options are `space' or `time')"};
                wanted_.space = value == "space";
                return std::nullopt;
            case 'q':
                return take_quota(value);
            default:
                return take_number(letter, value);
        }
    }

    static Stop take_switch(const std::string& value, std::string_view what, std::optional<bool>& wanted) {
        if (value != "enable" && value != "disable")
            return Refusal{10, fmt::format("bad {} (options are `enable' or `disable')", what)};
        wanted = value == "enable";
        return std::nullopt;
    }

    Stop take_quota(const std::string& value) {
        if (value != "user" && value != "group" && value != "nouser" && value != "nogroup")
            return Refusal{11, fmt::format("invalid quota type {}", shown(value))};
        if (value[0] != 'n') wanted_.quotas = true;
        return std::nullopt;
    }

    Stop take_number(char letter, const std::string& value) {
        const auto* const option =
            std::find_if(std::begin(number_options), std::end(number_options),
                         [&](const NumberOption& row) { return row.letter == letter; });
        if (!netbsd()) {
            const auto number = openbsd_number(value, option->least, option->most);
            if (!number.error.empty())
                return Refusal{1, fmt::format("Invalid number `{}' for {}: {}", shown(value), option->what,
                                              number.error)};
            wanted_.*option->member = number.value;
            return std::nullopt;
        }
        auto number = netbsd_product(option->what, value, option->least, option->most);
        if (!number.error.empty()) return Refusal{1, std::move(number.error)};
        wanted_.*option->member = number.value;
        if (letter == 'S' && number.value != 0 &&
            !std::has_single_bit(static_cast<std::uint64_t>(number.value)))
            return Refusal{12, fmt::format("sector size {} is not a power of two", number.value)};
        return std::nullopt;
    }

    Stop apply() {
        const auto change = [&](TunedFields::Member member, std::string_view field,
                                const std::optional<std::int64_t>& value, std::string_view what,
                                std::string_view suffix = {}) {
            if (value) fields_.change(member, field, *value, what, suffix);
        };
        change(&TunedFilesystem::maxbpg, "maxbpg", wanted_.maxbpg,
               "maximum blocks per file in a cylinder group");
        change(&TunedFilesystem::minfree, "minfree", wanted_.minfree, "minimum percentage of free space",
               "%");
        if (wanted_.minfree) fields_.warn_of_minfree(*wanted_.minfree);
        if (wanted_.space) fields_.change_optimization(*wanted_.space);
        if (wanted_.sector_bytes) change_sector(*wanted_.sector_bytes);
        change(&TunedFilesystem::avgfilesize, "avgfilesize", wanted_.avgfilesize, "average file size");
        change(&TunedFilesystem::avgfpdir, "avgfpdir", wanted_.avgfpdir,
               "expected number of files per directory");
        if (wanted_.log_bytes)
            if (auto wrong = change_log(*wanted_.log_bytes)) return wrong;
        if (wanted_.quotas) fields_.set_flags(ffs_flag::quota, 0);
        change_acls(wanted_.nfs4_acls, "NFSv4 ACLs", ffs_flag::nfs4_acls, ffs_flag::acls, "POSIX.1e ACLs");
        change_acls(wanted_.acls, "POSIX1e ACLs", ffs_flag::acls, ffs_flag::nfs4_acls, "ACLs");
        return std::nullopt;
    }

    // fs_fsbtodb is the only trace of it.
    void change_sector(std::int64_t wanted) {
        constexpr std::int64_t least = 512;
        const auto& fs = fields_.fs();
        const auto before = fs.sector_bytes;
        if (wanted == 0 && before) wanted = *before;
        if (wanted == 0) return fields_.tell("the sector size that it has is not known");
        if (wanted < least) return fields_.tell("sector size must be at least {}", least);
        if (!fs.fsize) return fields_.tell("the fragment size, which limits the sector size, is not known");
        if (wanted > *fs.fsize)
            return fields_.tell("sector size {} cannot be larger than fragment size {}", wanted, *fs.fsize);
        if (before == wanted) return fields_.tell("sector size remains unchanged as {}", wanted);
        fields_.tell("sector size changed from {} to {}", before ? std::to_string(*before) : "?", wanted);
        fields_.set_sector(wanted);
    }

    Stop change_log(std::int64_t bytes) {
        const auto& fs = fields_.fs();
        const bool known = fs.log_location && fs.log_count && fs.log_block_bytes;
        if (!known) fields_.tell("whether it has a log is not known");
        const std::int64_t location = fs.log_location.value_or(0);
        const bool there = location == in_filesystem || location == at_end;
        const std::int64_t old = there ? fs.log_count.value_or(0) * fs.log_block_bytes.value_or(0) : 0;
        const std::int64_t flags = fs.log_flags.value_or(0);
        if (bytes == 0) {
            fields_.set(&TunedFilesystem::log_flags, "journal_flags", (flags | clear_log) & ~create_log);
            fields_.tell("log file size cleared from {}", old);
            return std::nullopt;
        }
        if (location != in_filesystem && old > 0)
            return Refusal{1, "Can't change size of non-in-filesystem log"};
        if (old == bytes) {
            fields_.tell("log file size remains unchanged at {}", bytes);
            return std::nullopt;
        }
        if (old != 0)
            return Refusal{1, fmt::format("Can't change existing log size from {} to {}", old, bytes)};
        fields_.set(&TunedFilesystem::log_location, "journal_location", in_filesystem);
        fields_.set(&TunedFilesystem::log_count, "journal_count", bytes);
        fields_.set(&TunedFilesystem::log_block_bytes, "journal_block_bytes", 0);
        fields_.set(&TunedFilesystem::log_flags, "journal_flags", (flags | create_log) & ~clear_log);
        fields_.tell("log file size set to {}", bytes);
        return std::nullopt;
    }

    void change_acls(const std::optional<bool>& wanted, std::string_view what, std::uint32_t bit,
                     std::uint32_t other, std::string_view other_what) {
        if (!wanted) return;
        const bool on = fields_.flag(bit).value_or(false);
        if (!*wanted) {
            fields_.tell("{} {}", what, on ? "cleared" : "remains unchanged as disabled");
            return fields_.set_flags(0, bit);
        }
        if (fields_.fs().ufs2.value_or(false) && !fields_.fs().extended)
            return fields_.tell("{} not supported by this fs", what);
        if (on) return fields_.tell("{} remains unchanged as enabled", what);
        if (fields_.flag(other).value_or(false))
            return fields_.tell("{} and {} are mutually exclusive", what, other_what);
        fields_.tell("{} set", what);
        fields_.set_flags(bit, 0);
    }

    const ToolRelease& release_;
    TunedFields fields_;
    Wanted wanted_;
};

}  // namespace

Prediction predict_netbsd_tunefs(const ToolRelease& release, const TunedFilesystem& before,
                                 const std::vector<std::string>& args) {
    return BerkeleyTunefs(release, before).run(args);
}
Prediction predict_openbsd_tunefs(const ToolRelease& release, const TunedFilesystem& before,
                                  const std::vector<std::string>& args) {
    return BerkeleyTunefs(release, before).run(args);
}

}  // namespace diskwright
