// SPDX-License-Identifier: BSD-2-Clause
// dumpfs and dumpfs -s, whole or through grep:
//   NetBSD   file system: /dev/rwd0e / format FFSv2 / endian little-endian / magic 19540119 time ... / ncg 6
//   size 262144 ... FreeBSD  magic 19540119 (UFS2) time ... / ncg 4 size 262144 blocks 253831 / bsize 32768
//   shift 15 ... OpenBSD  magic 19540119 (FFS2) time ...
// NetBSD alone prints the device. Values follow their labels; the order of the labels differs between
// releases. Sources: NetBSD src, freebsd-src and OpenBSD src, sbin/dumpfs/dumpfs.c.
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Words = std::vector<std::string_view>;

bool is_superblock_magic(std::string_view word) {
    return word == "19540119" || word == "11954" || word == "19012038";
}

bool begins_superblock(std::string_view line) {
    if (trim(line).starts_with("file system: ")) return true;
    const auto w = words(line);
    return w.size() >= 3 && w[0] == "magic" && is_superblock_magic(w[1]);
}

// First words of the lines of the first part.
bool is_superblock_line(std::string_view first) {
    constexpr std::array<std::string_view, 46> labels{
        "file",     "format",     "endian",   "location",  "magic",       "superblock", "last",
        "cylgrp",   "nbfree",     "ncg",      "bsize",     "fsize",       "frag",       "bpg",
        "minfree",  "symlinklen", "maxbsize", "maxbpg",    "maxfilesize", "nindir",     "avgfilesize",
        "avgfpdir", "sblkno",     "sbsize",   "csaddr",    "old_cpg",     "cgrotor",    "wapbl",
        "flags",    "fsmnt",      "volname",  "metaspace", "check",       "id",         "cpg",
        "rotdelay", "ntrak",      "nsect",    "quotas",    "time",        "size",       "optim",
        "fpg",      "ipg",        "inodes",   "maxcontig"};
    return std::find(labels.begin(), labels.end(), first) != labels.end();
}

// What follows: summaries and cylinder groups, of no interest here.
bool is_group_line(std::string_view line) {
    const auto text = trim(line);
    constexpr std::array<std::string_view, 20> openings{"cs[].",
                                                        "(",
                                                        "cg ",
                                                        "magic\t90255",
                                                        "magic 90255",
                                                        "cgx",
                                                        "cg_",
                                                        "iused",
                                                        "ndir",
                                                        "rotor",
                                                        "frsum",
                                                        "sum of frsum",
                                                        "clusters",
                                                        "inodes used",
                                                        "blks free",
                                                        "blocks in last",
                                                        "cylinders in last",
                                                        "superblock",
                                                        "unrefs",
                                                        "c0"};
    return text.empty() ||
           std::any_of(openings.begin(), openings.end(),
                       [&](std::string_view o) { return text.starts_with(o); }) ||
           text.find_first_not_of("0123456789,-\t ") == std::string_view::npos || text.starts_with("nbfree");
}

class Superblock {
 public:
    Superblock(const Output& out, Scribe& scribe) : out_(out), scribe_(scribe) {}

    std::size_t read(std::size_t at) {
        std::size_t next = at;
        for (; next < out_.lines.size(); ++next) {
            const auto w = words(out_.text(next));
            if (w.empty()) {
                // A blank line inside is fine, the end of a paragraph of text is not.
                if (next + 1 < out_.lines.size() && next > at && !words(out_.text(next + 1)).empty() &&
                    is_superblock_line(words(out_.text(next + 1))[0]) && seen_size_)
                    continue;
                break;
            }
            if (next > at && begins_superblock(out_.text(next)) && (seen_size_ || w[0] != "magic")) break;
            if (!is_superblock_line(w[0])) {
                if (w[0].starts_with('(')) continue;  // "(no rotational position table)"
                break;
            }
            line(w, next);
        }
        if (seen_size_)
            while (next < out_.lines.size() && is_group_line(out_.text(next)) &&
                   !begins_superblock(out_.text(next)))
                ++next;
        finish(at);
        return next - at;
    }

 private:
    void line(const Words& w, std::size_t at) {
        const auto raw = trim(out_.text(at));
        if (w[0] == "file" && w.size() >= 3) {
            device_ = w[2];
            return;
        }
        if (w[0] == "flags") return flags(w, at);
        if (w[0] == "wapbl") return wapbl(w, at);
        if (w[0] == "quotas" || w[0] == "check" || w[0] == "superblock" || w[0] == "last" ||
            w[0] == "location")
            return;
        if (w[0] == "fsmnt") {
            if (w.size() > 1) fs_.last_mounted_on = scribe_.text(trim(raw.substr(5)), at);
            return;
        }
        if (w[0] == "volname") {
            if (w.size() > 1 && w[1] != "swuid") fs_.label = scribe_.text(w[1], at);
            return;
        }
        for (std::size_t i = 0; i + 1 < w.size(); ++i) pair(w[i], w[i + 1], at);
        if (w[0] == "magic" && w.size() > 2) {
            if (w[2] == "(UFS2)" || w[2] == "(UFS1)") scribe_.suggest_os(Os::freebsd, at);
            if (w[2] == "(FFS2)" || w[2] == "(FFS1)") scribe_.suggest_os(Os::openbsd, at);
        }
        if (w[0] == "format" || w[0] == "endian") scribe_.suggest_os(Os::netbsd, at);
    }

    void pair(std::string_view label, std::string_view value, std::size_t at) {
        const auto number = [&](Number& field) {
            if (const auto v = scribe_.number(value, at, label)) field = scribe_.known(*v, at);
        };
        if (label == "magic" && is_superblock_magic(value))
            fs_.type = scribe_.text(value == "11954" ? "ffs1" : "ffs2", at);
        else if (label == "format" && (value == "FFSv1" || value == "FFSv2"))
            fs_.type = scribe_.text(value == "FFSv1" ? "ffs1" : "ffs2", at);
        else if (label == "ncg")
            number(fs_.cylinder_groups), seen_size_ = true;
        else if (label == "size" && value.find(':') == std::string_view::npos)
            number(size_), size_line_ = at;
        else if (label == "bsize")
            number(fs_.bsize);
        else if (label == "fsize")
            number(fs_.fsize);
        else if (label == "fpg")
            number(fs_.fragments_per_group);
        else if (label == "ipg")
            number(fs_.inodes_per_group);
        else if (label == "nifree")
            number(free_inodes_);
        else if (label == "maxcontig")
            number(fs_.maxcontig);
        else if (label == "maxbpg")
            number(fs_.maxbpg);
        else if (label == "avgfilesize")
            number(fs_.avgfilesize);
        else if (label == "avgfpdir")
            number(fs_.avgfpdir);
        else if (label == "minfree" && value.ends_with('%'))
            value.remove_suffix(1), number(fs_.minfree_percent);
        else if (label == "optim" && (value == "time" || value == "space"))
            fs_.optimization = scribe_.known(*from_string<Optimization>(value), at);
        else if (label == "clean")
            clean(value, at);
    }

    // NetBSD prints hexadecimal and sets bit 1 while a clean file system is mounted; bit 0 is the clean mark
    // everywhere.
    void clean(std::string_view value, std::size_t at) {
        const auto v = value.starts_with("0x") ? to_hex(value) : to_unsigned(value);
        if (v) fs_.clean = scribe_.known((*v & 1) != 0, at);
    }

    void flags(const Words& w, std::size_t at) {
        const auto has = [&](std::string_view flag) {
            return std::find(w.begin(), w.end(), flag) != w.end();
        };
        const bool journal = has("soft-updates+journal");
        fs_.softupdates = scribe_.known(journal || has("soft-updates"), at);
        fs_.su_journal = scribe_.known(journal, at);
        fs_.gjournal = scribe_.known(has("gjournal"), at);
        fs_.trim = scribe_.known(has("trim"), at);
        fs_.acls = scribe_.known(has("acls") || has("nfsv4acls") || has("ACLs"), at);
        flags_line_ = at;
    }

    // Version 1 in the file system or at the partition's end: address, count of blocks, block size. A log
    // that is only asked for (flag 1) has its size in bytes instead (NetBSD src sys/ufs/ufs/ufs_wapbl.h;
    // sbin/tunefs). Other versions are what an FFSv1 of old has there.
    void wapbl(const Words& w, std::size_t at) {
        const auto value = [&](std::string_view label) -> std::optional<std::uint64_t> {
            for (std::size_t i = 0; i + 1 < w.size(); ++i)
                if (w[i] == label)
                    return w[i + 1].starts_with("0x") ? to_hex(w[i + 1]) : to_unsigned(w[i + 1]);
            return std::nullopt;
        };
        if (const auto version = value("version")) {
            log_version_ = *version, log_flags_ = value("flags").value_or(0);
            const bool located = value("location").value_or(0) != 0;
            if (*version == 0) fs_.wapbl = scribe_.known(false, at);
            if (*version == 1 && located && (log_flags_ & 1) == 0) fs_.wapbl = scribe_.known(true, at);
            scribe_.suggest_os(Os::netbsd, at);
            return;
        }
        const auto count = value("loc1"), unit = value("loc2");
        if (log_version_ != 1 || !count || *count == 0) return;
        const auto bytes = (log_flags_ & 1) != 0 ? count : unit ? multiply(*count, *unit) : std::nullopt;
        if (bytes && *bytes > 0) fs_.wapbl_log_bytes = scribe_.known(*bytes, at);
    }

    void finish(std::size_t at) {
        if (size_ && fs_.fsize) {
            if (const auto bytes = multiply(*size_, *fs_.fsize))
                fs_.size_bytes = scribe_.known(*bytes, size_line_);
            else
                scribe_.unparsed(size_line_, size_line_, "dumpfs: size is out of range");
        }
        if (fs_.cylinder_groups && fs_.inodes_per_group) {
            const auto inodes = multiply(*fs_.cylinder_groups, *fs_.inodes_per_group);
            if (inodes) {
                fs_.inodes = Number(*inodes, fs_.inodes_per_group.from());
                if (free_inodes_ && *free_inodes_ <= *inodes)
                    fs_.inodes_used = Number(*inodes - *free_inodes_, free_inodes_.from());
            }
        }
        // NetBSD has no soft updates, journalled or not, and no such flags of its own since release 6.
        if (scribe_.facts.os.name.is(Os::netbsd)) {
            fs_.su_journal.reset(), fs_.gjournal.reset(), fs_.trim.reset();
            if (fs_.softupdates.is(false)) fs_.softupdates.reset();
        }
        if (scribe_.facts.os.name.is(Os::openbsd)) {
            fs_.softupdates.reset(), fs_.su_journal.reset(), fs_.gjournal.reset(), fs_.trim.reset(),
                fs_.acls.reset();
        }
        if (device_.empty() && out_.program() == "dumpfs") device_ = out_.operand(0, "b");
        add_filesystem(std::move(fs_), device_, "dumpfs", at, scribe_);
    }

    const Output& out_;
    Scribe& scribe_;
    Filesystem fs_;
    std::string device_;
    Number size_, free_inodes_;
    std::size_t size_line_ = 0, flags_line_ = 0;
    std::uint64_t log_version_ = 0, log_flags_ = 0;
    bool seen_size_ = false;
};

bool is_grepped_line(const Output& out, std::size_t at) {
    if (out.program() != "dumpfs") return false;
    const auto w = words(out.text(at));
    return w.size() >= 2 && is_superblock_line(w[0]) && w[0] != "file" && w[0] != "last" && w[0] != "time";
}

bool starts(const Output& out, std::size_t at) {
    return begins_superblock(out.text(at)) || is_grepped_line(out, at);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Superblock(out, scribe).read(at);
}

}  // namespace

extern const CommandParser dumpfs_parser{
    .id = "dumpfs",
    .programs = {"dumpfs"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"dumpfs", "-s", "{filesystem:ffs}"}, true},
             {Os::freebsd, {"dumpfs", "-m", "{filesystem:ffs}"}, true},
             {Os::openbsd, {"dumpfs", "-m", "{filesystem:ffs}"}, true}},
};

}  // namespace diskwright
