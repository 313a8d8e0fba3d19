// SPDX-License-Identifier: BSD-2-Clause
// Source: freebsd/freebsd-src:sbin/tunefs/tunefs.c.
#include <algorithm>

#include "advisor/prediction/mkfs_freebsd.hpp"
#include "advisor/prediction/tool_numbers.hpp"
#include "advisor/prediction/tunefs.hpp"

namespace diskwright {
namespace {

constexpr std::int64_t usual_minfree = 8, least_journal = 4 << 20;

struct Wanted {
    std::optional<std::int64_t> maxbpg, avgfilesize, avgfpdir, minfree, metaspace;
    std::int64_t journal_bytes = 0;
    std::optional<bool> space, acls, nfs4_acls, multilabel, softupdates, su_journal, gjournal, trim;
    std::optional<std::string> label;
    bool prints = false;
    unsigned options = 0;
};

struct SwitchOption {
    char letter;
    std::string_view what;  // when the value is wrong
    std::optional<bool> Wanted::*member;
};
constexpr SwitchOption switch_options[] = {
    {'a', "POSIX.1e ACLs", &Wanted::acls},
    {'j', "softdep journaled file system", &Wanted::su_journal},
    {'J', "gjournaled file system", &Wanted::gjournal},
    {'l', "multilabel MAC file system", &Wanted::multilabel},
    {'N', "NFSv4 ACLs", &Wanted::nfs4_acls},
    {'n', "soft updates", &Wanted::softupdates},
    {'t', "trim", &Wanted::trim},
};

struct NumberOption {
    char letter;
    std::string_view what;
    std::optional<std::int64_t> Wanted::*member;
};
constexpr NumberOption number_options[] = {
    {'e', "maximum blocks per file in a cylinder group", &Wanted::maxbpg},
    {'f', "average file size", &Wanted::avgfilesize},
    {'s', "expected number of files per directory", &Wanted::avgfpdir},
};

class FreebsdTunefs {
 public:
    FreebsdTunefs(const ToolRelease& release, const TunedFilesystem& before)
        : release_(release), fields_(before, usual_minfree, "remains unchanged as") {}

    Prediction run(const std::vector<std::string>& args) {
        auto wrong = read(args);
        if (!wrong) wrong = check_clean();
        if (wrong) return refused(std::move(*wrong), std::move(fields_.messages()));
        if (wanted_.prints) return fields_.done(false);
        apply();
        return fields_.done();
    }

 private:
    using Stop = std::optional<Refusal>;

    Stop read(const std::vector<std::string>& args) {
        const bool journals = release_.at_least(9);
        OptionReader options(Os::freebsd, args,
                             journals ? "Aa:e:f:j:J:k:L:l:m:N:n:o:ps:S:t:" : "Aa:e:f:J:L:l:m:n:o:ps:");
        while (const char letter = options.next()) {
            if (letter == '?') return Refusal{2, options.complaint()};
            ++wanted_.options;
            if (auto wrong = take(letter, options.value())) return wrong;
        }
        if (wanted_.options == 0 || options.operands().size() > 1)
            return Refusal{2, "usage: tunefs [options] special | filesystem (one option at least)"};
        return std::nullopt;
    }

    Stop take(char letter, const std::string& value) {
        switch (letter) {
            case 'A':
                return std::nullopt;
            case 'p':
                wanted_.prints = true;
                return std::nullopt;
            case 'L':
                return take_label(value);
            case 'm':
                wanted_.minfree = c_atoi(value);
                if (*wanted_.minfree < 0 || *wanted_.minfree > 99)
                    return Refusal{10,
                                   fmt::format("bad minimum percentage of free space ({})", shown(value))};
                return std::nullopt;
            case 'k':
                wanted_.metaspace = c_atoi(value);
                if (*wanted_.metaspace < 0)
                    return Refusal{10,
                                   fmt::format("bad space to hold for metadata blocks ({})", shown(value))};
                return std::nullopt;
            case 'o':
                if (value != "space" && value != "time")
                    return Refusal{10, "bad optimization preference (options are `space' or `time')"};
                wanted_.space = value == "space";
                return std::nullopt;
            case 'S':
                wanted_.journal_bytes = c_atoi(value);
                if (wanted_.journal_bytes < least_journal)
                    return Refusal{10, fmt::format("Softdep Journal Size must be >= {} (was {})",
                                                   least_journal, shown(value))};
                return std::nullopt;
            default:
                return take_other(letter, value);
        }
    }

    Stop take_label(const std::string& value) {
        constexpr std::size_t space = 32;  // MAXVOLLEN
        const bool letters = std::all_of(value.begin(), value.end(), [](char c) {
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                   c == '-';
        });
        if (!letters)
            return Refusal{10,
                           "bad volume label. Valid characters are alphanumerics, dashes, and underscores."};
        if (value.size() >= space)
            return Refusal{10, fmt::format("bad volume label. Length is longer than {}.", space - 1)};
        wanted_.label = value;
        return std::nullopt;
    }

    Stop take_other(char letter, const std::string& value) {
        for (const SwitchOption& option : switch_options) {
            if (option.letter != letter) continue;
            if (value != "enable" && value != "disable")
                return Refusal{10, fmt::format("bad {} (options are `enable' or `disable')", option.what)};
            wanted_.*option.member = value == "enable";
            return std::nullopt;
        }
        for (const NumberOption& option : number_options) {
            if (option.letter != letter) continue;
            const std::int64_t number = c_atoi(value);
            if (number < 1)
                return Refusal{10, fmt::format("{} must be >= 1 (was {})", option.what, shown(value))};
            wanted_.*option.member = number;
        }
        return std::nullopt;
    }

    // Since 13.
    Stop check_clean() {
        const auto& fs = fields_.fs();
        const bool only_prints = wanted_.options == 1 && wanted_.prints;
        if (only_prints || !release_.at_least(13)) return std::nullopt;
        const bool marked = (fs.flags & (ffs_flag::unclean | ffs_flag::needs_fsck)) != 0;
        if (!fs.clean && !marked) fields_.tell("whether the file system is clean is not known");
        if (!marked && fs.clean.value_or(true)) return std::nullopt;
        return Refusal{1, "the file system is not clean - run fsck."};
    }

    void apply() {
        if (wanted_.label) fields_.set_label(*wanted_.label);
        if (wanted_.acls)
            switch_acls(*wanted_.acls, "POSIX.1e ACLs", ffs_flag::acls, ffs_flag::nfs4_acls, "NFSv4 ACLs");
        change(&TunedFilesystem::maxbpg, "maxbpg", wanted_.maxbpg,
               "maximum blocks per file in a cylinder group");
        change(&TunedFilesystem::avgfilesize, "avgfilesize", wanted_.avgfilesize, "average file size");
        if (wanted_.su_journal) switch_journal(*wanted_.su_journal);
        if (wanted_.gjournal) switch_flag(*wanted_.gjournal, "gjournal", ffs_flag::gjournal);
        if (wanted_.metaspace) change_metaspace(*wanted_.metaspace);
        if (wanted_.multilabel) switch_flag(*wanted_.multilabel, "multilabel", ffs_flag::multilabel);
        if (wanted_.minfree) {
            const bool changes = fields_.fs().minfree != *wanted_.minfree;
            change(&TunedFilesystem::minfree, "minfree", wanted_.minfree, "minimum percentage of free space",
                   "%");
            if (changes) fields_.warn_of_minfree(*wanted_.minfree);
        }
        if (wanted_.nfs4_acls)
            switch_acls(*wanted_.nfs4_acls, "NFSv4 ACLs", ffs_flag::nfs4_acls, ffs_flag::acls,
                        "POSIX.1e ACLs");
        if (wanted_.softupdates) switch_flag(*wanted_.softupdates, "soft updates", ffs_flag::softupdates);
        if (wanted_.space) fields_.change_optimization(*wanted_.space);
        change(&TunedFilesystem::avgfpdir, "avgfpdir", wanted_.avgfpdir,
               "expected number of files per directory");
        if (wanted_.trim) switch_flag(*wanted_.trim, "issue TRIM to the disk", ffs_flag::trim);
    }

    void change(TunedFields::Member member, std::string_view field, const std::optional<std::int64_t>& value,
                std::string_view what, std::string_view suffix = {}) {
        if (value) fields_.change(member, field, *value, what, suffix);
    }

    void switch_flag(bool on, std::string_view what, std::uint32_t bit) {
        if (fields_.flag(bit) == on)
            return fields_.tell("{} remains unchanged as {}", what, on ? "enabled" : "disabled");
        fields_.tell("{} {}", what, on ? "set" : "cleared");
        fields_.set_flags(on ? bit : 0, on ? 0 : bit);
    }

    void switch_acls(bool on, std::string_view what, std::uint32_t bit, std::uint32_t other,
                     std::string_view other_what) {
        const bool excluded = on && fields_.flag(bit) != true && fields_.flag(other).value_or(false);
        if (excluded) return fields_.tell("{} and {} are mutually exclusive", what, other_what);
        switch_flag(on, what, bit);
    }

    void switch_journal(bool on) {
        constexpr std::string_view what = "soft updates journaling";
        constexpr std::uint32_t both = ffs_flag::softupdates | ffs_flag::su_journal;
        if (!on) {
            if (fields_.flag(ffs_flag::su_journal) == false)
                return fields_.tell("{} remains unchanged as disabled", what);
            fields_.set_flags(0, ffs_flag::su_journal);
            fields_.tell("{} cleared but soft updates still set.", what);
            return fields_.tell("remove .sujournal to reclaim space");
        }
        if (fields_.flag(both) == true) return fields_.tell("{} remains unchanged as enabled", what);
        if (!room_for_journal()) return fields_.tell("{} cannot be enabled", what);
        fields_.set_flags(both, 0);
        fields_.tell("{} set", what);
    }

    bool room_for_journal() {
        const auto& fs = fields_.fs();
        if (!fs.bsize || !fs.fsize || !fs.frags || !fs.group_frags || !fs.free_blocks) {
            fields_.tell("whether there is room for the journal is not known");
            return true;
        }
        const auto size = [](const std::optional<std::int64_t>& value) {
            return static_cast<std::uint64_t>(*value);
        };
        const FreebsdJournal journal =
            freebsd_journal(size(fs.bsize), size(fs.fsize), size(fs.frags), size(fs.group_frags),
                            fs.ufs2.value_or(true), static_cast<std::uint64_t>(wanted_.journal_bytes));
        fields_.tell("the journal takes {} bytes", journal.bytes);
        if (size(fs.free_blocks) >= journal.blocks) return true;
        fields_.tell("Insufficient free space for {} byte journal", journal.bytes);
        return false;
    }

    void change_metaspace(std::int64_t frags) {
        constexpr std::string_view what = "space to hold for metadata blocks";
        const auto& fs = fields_.fs();
        if (fs.metaspace == frags) return fields_.tell("{} remains unchanged as {}", what, frags);
        if (!fs.bsize || !fs.fsize || *fs.fsize <= 0 || *fs.bsize < *fs.fsize || !fs.group_frags)
            return fields_.tell("the sizes that limit the {} are not known", what);
        const std::int64_t frag = *fs.bsize / *fs.fsize;
        frags = frags / frag * frag;
        if (frags > *fs.group_frags / 2) {
            frags = *fs.group_frags / 2 / frag * frag;
            fields_.tell("{} cannot exceed half the file system space", what);
        }
        fields_.tell("{} changes from {} to {}", what,
                     fs.metaspace ? std::to_string(*fs.metaspace) : std::string("?"), frags);
        fields_.set(&TunedFilesystem::metaspace, "metaspace", frags);
    }

    const ToolRelease& release_;
    TunedFields fields_;
    Wanted wanted_;
};

}  // namespace

Prediction predict_freebsd_tunefs(const ToolRelease& release, const TunedFilesystem& before,
                                  const std::vector<std::string>& args) {
    return FreebsdTunefs(release, before).run(args);
}

}  // namespace diskwright
