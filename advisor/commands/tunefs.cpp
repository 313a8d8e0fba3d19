// SPDX-License-Identifier: BSD-2-Clause
// tunefs(8): what an FFS lets one change in place. NetBSD/src sbin/tunefs/tunefs.c, freebsd/freebsd-src
// sbin/tunefs/tunefs.c, openbsd/src sbin/tunefs/tunefs.c.
#include <fmt/format.h>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::string_view enable(bool on) {
    return on ? "enable" : "disable";
}

// Soft updates, their journal and TRIM are flags of the superblock on FreeBSD alone.
void superblock_flags(FixBuilder& fix, const Job& job, Command& tunefs, bool& any) {
    const auto softupdates = job.flag(Setting::ffs_softupdates), journal = job.flag(Setting::ffs_su_journal),
               trim = job.flag(Setting::ffs_trim);
    if (fix.is({Os::freebsd})) {
        if (journal) tunefs.word("-j").word(enable(*journal)), any = true;
        // -j enable turns soft updates on as well.
        if (softupdates && !(journal.value_or(false) && *softupdates))
            tunefs.word("-n").word(enable(*softupdates)), any = true;
        if (trim) tunefs.word("-t").word(enable(*trim)), any = true;
        return;
    }
    if (softupdates && fix.is({Os::dragonfly}))
        tunefs.word("-n").word(enable(*softupdates)), any = true;
    else if (softupdates)
        fix.note(
            "soft updates are no setting of tunefs here: NetBSD dropped them in 6.0 for the journal (mount "
            "-o log), OpenBSD's were the mount option softdep until 7.4");
    if (journal) fix.note("only FreeBSD has journaled soft updates");
    if (trim) {
        fix.note(fix.is({Os::netbsd}) ? "TRIM is the mount option discard here; it is held to be experimental"
                                      : "FFS does not pass TRIM down on this system");
    }
}

}  // namespace

void generate_tunefs(FixBuilder& fix) {
    if (fix.is({Os::linux_})) return;
    for (const Job& job : fix.take({Setting::ffs_minfree, Setting::ffs_optimization, Setting::ffs_trim,
                                    Setting::ffs_softupdates, Setting::ffs_su_journal})) {
        Command tunefs("tunefs");
        bool any = false;
        if (const auto minfree = job.number(Setting::ffs_minfree)) tunefs.flag("-m", minfree), any = true;
        if (const std::string* optimization = job.text(Setting::ffs_optimization))
            tunefs.flag("-o", *optimization), any = true;
        superblock_flags(fix, job, tunefs, any);
        if (!any) continue;
        tunefs.name(ffs_device(fix, job.subject));
        while_unmounted(fix, job.subject, Needs::read_only, [&] { fix.run(tunefs); });
    }
}

// A log of another size: tunefs only sets a log's size while there is none, and -l 0 takes effect at the next
// mount (NetBSD/src sys/ufs/ffs/ffs_wapbl.c, ffs_wapbl_start and wapbl_log_position).
void generate_wapbl_log(FixBuilder& fix) {
    if (!fix.is({Os::netbsd})) return;
    for (const Job& job : fix.take({Setting::wapbl_log_bytes})) {
        const auto bytes = job.number(Setting::wapbl_log_bytes);
        if (!bytes) continue;
        const std::string device = ffs_device(fix, job.subject);
        const Filesystem* fs = fix.graph().filesystem(job.subject);
        const Mount* mount = fix.graph().mount_of(job.subject);
        const bool has_log = fs && (fs->wapbl.is(true) || fs->wapbl_log_bytes);
        const auto tunefs = [&](std::uint64_t size) {
            return Command("tunefs").word("-l").number(size).name(device);
        };
        if (has_log && (!mount || mount->point == "/")) {
            fix.note(fmt::format(
                "a log is resized by `tunefs -l 0`, one mount without log, and `tunefs -l {}`, each on the "
                "unmounted or read-only file system",
                *bytes));
            continue;
        }
        while_unmounted(fix, job.subject, Needs::read_only, [&] {
            if (has_log) {
                fix.run(tunefs(0));
                fix.run(Command("mount").word("-o").word("nolog").name(mount->point));
                fix.run(Command("umount").name(mount->point));
                fix.note(
                    "a log behind the end of the file system (dumpfs shows where it is) keeps its size: "
                    "there newfs is needed");
            }
            fix.run(tunefs(*bytes));
        });
    }
}

}  // namespace diskwright
