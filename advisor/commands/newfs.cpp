// SPDX-License-Identifier: BSD-2-Clause
// newfs(8): a new FFS where block, fragment, density or format have to change. Whatever the old file system
// has and newfs would not choose by itself is asked for again. Flags and defaults per system: NetBSD/src
// sbin/newfs/newfs.c, freebsd/freebsd-src sbin/newfs/newfs.c, openbsd/src sbin/newfs/newfs.c.
#include "advisor/commands/newfs.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t largest_block = 65536, default_avgfilesize = 16384, default_avgfpdir = 64;

bool berkeley(const FixBuilder& fix) {
    return !fix.is({Os::linux_});
}

std::uint64_t default_minfree(Os os) {
    return os == Os::netbsd || os == Os::openbsd ? 5 : 8;
}

std::optional<std::uint64_t> wanted(const Job& job, Setting setting, const Number& present) {
    if (const auto change = job.number(setting)) return change;
    return present ? std::optional(*present) : std::nullopt;
}
std::optional<bool> wanted(const Job& job, Setting setting, const Flag& present) {
    if (const auto change = job.flag(setting)) return change;
    return present ? std::optional(*present) : std::nullopt;
}

/// Sizes of the new file system; the one that is unknown is an eighth or eight times of the other, as newfs
/// has it.
struct Geometry {
    std::uint64_t bsize = 0, fsize = 0;
};
std::optional<Geometry> geometry(const Job& job, const Filesystem& old) {
    const auto bsize = wanted(job, Setting::ffs_bsize, old.bsize),
               fsize = wanted(job, Setting::ffs_fsize, old.fsize);
    if (!bsize && !fsize) return std::nullopt;
    Geometry out;
    out.bsize = bsize ? *bsize : *fsize > largest_block / 8 ? largest_block : *fsize * 8;
    out.fsize = fsize ? *fsize : *bsize / 8;
    return out;
}

bool acceptable(const Geometry& g) {
    return std::has_single_bit(g.bsize) && std::has_single_bit(g.fsize) && g.bsize >= 4096 &&
           g.bsize <= largest_block && g.fsize <= g.bsize && g.bsize / g.fsize <= 8;
}

bool near(std::uint64_t value, std::uint64_t of) {
    return value >= of - of / 4 && value <= of + of / 4;
}

// newfs makes an inode per 4 fragments, FreeBSD from 9.0 per 2. The fact is often size / inodes, so only
// near.
bool default_density(const Filesystem& old) {
    return old.fsize &&
           (near(*old.bytes_per_inode, 4 * *old.fsize) || near(*old.bytes_per_inode, 2 * *old.fsize));
}

// The density to ask for: the change's; the old one where somebody chose it, or where the new default would
// leave too few inodes for the files that are there.
std::optional<std::uint64_t> density(const Job& job, const Filesystem& old, const Geometry& g) {
    if (const auto change = job.number(Setting::ffs_density)) return change;
    if (!old.bytes_per_inode || *old.bytes_per_inode < g.fsize) return std::nullopt;
    const bool crowded = old.inodes_used && old.size_bytes &&
                         *old.size_bytes / (4 * g.fsize) < *old.inodes_used + *old.inodes_used / 3;
    if (default_density(old) && !crowded) return std::nullopt;
    const std::uint64_t value = *old.bytes_per_inode, low = std::bit_floor(value);
    if (value - low <= low / 10) return low;
    return value <= (std::uint64_t{1} << 62) && 2 * low - value <= low / 5 ? 2 * low : value;
}

void format_flags(FixBuilder& fix, const Job& job, const Filesystem& old, Command& newfs) {
    std::string type = old.type.value_or("");
    if (const std::string* change = job.text(Setting::ffs_format)) type = *change;
    if (fix.is({Os::dragonfly})) return;  // knows one format only
    if (type == "ffs1") {
        if (!fix.is({Os::netbsd})) newfs.word("-O").word("1");
    } else if (fix.is({Os::netbsd}) || (fix.is({Os::openbsd}) && type == "ffs2")) {
        // NetBSD's newfs makes FFSv1 by itself, OpenBSD's did before 6.8.
        newfs.word("-O").word("2");
        if (type != "ffs2")
            fix.note("the input does not show whether it is FFSv1 or FFSv2; -O 2 makes FFSv2");
    }
}

void freebsd_flags(const Job& job, const Filesystem& old, Command& newfs) {
    const bool journal = wanted(job, Setting::ffs_su_journal, old.su_journal).value_or(false);
    if (wanted(job, Setting::ffs_softupdates, old.softupdates).value_or(journal)) newfs.word("-U");
    if (journal) newfs.word("-j");
    if (old.gjournal.is(true)) newfs.word("-J");
    if (wanted(job, Setting::ffs_trim, old.trim).value_or(false)) newfs.word("-t");
    if (old.label && !old.label->empty()) newfs.flag("-L", *old.label);
}

void allocation_flags(FixBuilder& fix, const Job& job, const Filesystem& old, Command& newfs) {
    const auto usual = default_minfree(fix.os());
    const auto minfree = wanted(job, Setting::ffs_minfree, old.minfree_percent);
    if (minfree && *minfree != usual) newfs.flag("-m", minfree);
    std::string optimization = old.optimization ? std::string(to_string(*old.optimization)) : "";
    if (const std::string* change = job.text(Setting::ffs_optimization)) optimization = *change;
    const std::string_view by_itself = minfree.value_or(usual) < usual ? "space" : "time";
    if (!optimization.empty() && optimization != by_itself) newfs.flag("-o", optimization);
    if (old.maxbpg && old.bsize && *old.maxbpg != *old.bsize / 4 && *old.maxbpg != *old.bsize / 8)
        newfs.flag("-e", *old.maxbpg);
    if (old.avgfilesize && *old.avgfilesize != default_avgfilesize) newfs.flag("-g", *old.avgfilesize);
    if (old.avgfpdir && *old.avgfpdir != default_avgfpdir) newfs.flag("-h", *old.avgfpdir);
}

}  // namespace

bool newfs_command(FixBuilder& fix, const Job& job, Command& newfs) {
    static const Filesystem unknown;
    const Filesystem* found = fix.graph().filesystem(job.subject);
    const Filesystem& old = found ? *found : unknown;
    const auto g = geometry(job, old);
    if (g && !acceptable(*g)) {
        fix.note(fmt::format("no newfs is printed: it would refuse blocks of {} with fragments of {} bytes",
                             g->bsize, g->fsize));
        return false;
    }
    format_flags(fix, job, old, newfs);
    if (fix.is({Os::freebsd}))
        freebsd_flags(job, old, newfs);
    else if (fix.is({Os::dragonfly}) &&
             wanted(job, Setting::ffs_softupdates, old.softupdates).value_or(false))
        newfs.word("-U");
    if (g) {
        newfs.flag("-b", g->bsize).flag("-f", g->fsize).flag("-i", density(job, old, *g));
    } else {
        newfs.flag("-i", job.number(Setting::ffs_density));
        fix.note("the input shows no block and fragment size; newfs chooses them");
    }
    allocation_flags(fix, job, old, newfs);
    newfs.name(ffs_device(fix, job.subject));
    return true;
}

void generate_newfs(FixBuilder& fix) {
    if (!berkeley(fix)) return;
    const auto jobs = fix.take(
        told_to_newfs, {Setting::ffs_format, Setting::ffs_bsize, Setting::ffs_fsize, Setting::ffs_density});
    for (const Job& job : jobs) {
        Command newfs("newfs");
        if (!newfs_command(fix, job, newfs)) continue;
        while_unmounted(fix, job.subject, Needs::new_one, [&] { fix.run(newfs); });
    }
}

}  // namespace diskwright
