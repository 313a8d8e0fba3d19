// SPDX-License-Identifier: BSD-2-Clause
// Steps that make the file system, mount it and keep it mounted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/newfs.hpp"
#include "advisor/planning/plan_parts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool holds_data(const Planning& p) {
    return p.target.partition != nullptr;
}

}  // namespace

std::vector<Step> unmount_steps(const Planning& p) {
    Step step;
    step.kind = StepKind::unmount;
    step.risk = Risk::remount;
    step.reason = "newfs refuses a mounted file system, and a table cannot be changed below one";
    step.cost = "the following steps fail";
    for (const std::string& used : in_use(p.graph, p.target))
        if (used.starts_with('/')) step.commands.push_back({{"umount", used}, ""});
    if (step.commands.empty()) return {};
    return {std::move(step)};
}

namespace {

SetupCommands mkfs_commands(const Planning& p) {
    const StorageGraph graph(p.facts);
    const FixBuilder fix(p.facts, graph, p.release.os, {});
    std::vector<std::string> argv{"mkfs.ext4", "-b", fmt::format("{}", p.layout.bsize)};
    if (p.layout.unit && p.layout.full_stripe)
        argv.insert(argv.end(),
                    {"-E", fmt::format("stride={},stripe_width={}", *p.layout.unit / p.layout.bsize,
                                       *p.layout.full_stripe / p.layout.bsize)});
    if (!p.intent.label.empty()) argv.insert(argv.end(), {"-L", p.intent.label});
    argv.push_back(device_path(fix, p.device));
    return {{std::move(argv), ""}};
}

SetupCommands newfs_commands(const Planning& p) {
    if (p.release.ext4) return mkfs_commands(p);
    HostFacts bare = facts_before_newfs(p);
    static const Provenance from("plan", 0, "the label wanted", Provenance::Kind::inferred);
    if (!p.intent.label.empty() && p.release.os == Os::freebsd)
        filesystem(bare, p.device).label = Text(p.intent.label, from);
    const StorageGraph graph(bare);
    FixBuilder fix(bare, graph, p.release.os, {});
    std::vector<Change> changes = filesystem_changes(p);
    // newfs -j runs tunefs by its search path; the step after it says it plainly.
    std::erase_if(changes, [](const Change& c) { return c.setting == Setting::ffs_su_journal; });
    Command newfs("newfs");
    if (!newfs_command(fix, Job{p.device, std::move(changes)}, newfs)) return {};
    return {{newfs.argv(), ""}};
}

Step newfs_step(const Planning& p) {
    Step step;
    step.kind = StepKind::newfs;
    step.changes = filesystem_changes(p);
    step.commands = newfs_commands(p);
    step.risk = holds_data(p) ? Risk::destroys_data : Risk::recreates_filesystem;
    step.reason = block_reason(p);
    step.cost = block_cost(p);
    if (holds_data(p))
        step.precondition = fmt::format(
            "this is a new set-up: everything on {} is lost; a backup of it has "
            "been made and read back",
            escaped(p.device));
    return step;
}

std::vector<Step> journal_steps(const Planning& p) {
    if (!p.su_journal) return {};
    const HostFacts bare = facts_before_newfs(p);
    const StorageGraph graph(bare);
    const FixBuilder fix(bare, graph, p.release.os, {});
    Step step;
    step.kind = StepKind::tunefs;
    step.changes = {{Setting::ffs_su_journal, p.device, true}};
    step.commands = {{{"tunefs", "-j", "enable", ffs_device(fix, p.device)}, ""}};
    step.reason =
        "the journal of soft updates replaces the check of the whole file system after a crash by "
        "reading the journal: seconds instead of minutes for each 100 GiB";
    if (!p.release.snapshots_with_journal)
        step.reason +=
            "; before 13.2 it rules out snapshots, and with them dump -L: leave it out where they "
            "are needed";
    step.cost = "fsck_ffs reads all metadata after every crash";
    step.risk = Risk::writes_metadata;
    step.undo = "tunefs -j disable";
    return {std::move(step)};
}

std::string log_sentence(const Planning& p) {
    std::string out = "log is the journal (WAPBL): consistent after a crash without fsck";
    if (p.target.volume && is_parity(*p.target.volume))
        out +=
            "; on a set with parity every commit is a small write with flushes, so a load of frequent fsync "
            "or of NFS may be slower with it (JRNL002: svn update 31 s without, 56 s with it), and it is "
            "still right";
    return out;
}

std::string mount_reason(const Planning& p) {
    std::vector<std::string> parts;
    const auto has = [&](std::string_view option) {
        return std::find(p.options.begin(), p.options.end(), option) != p.options.end();
    };
    if (has("log")) parts.push_back(log_sentence(p));
    if (has("softdep"))
        parts.emplace_back(
            "softdep orders metadata writes without waiting for each; 7.4 and later ignore it");
    if (has("noatime")) {
        parts.emplace_back("noatime saves a write of the inode for every read of a file");
        if (!p.workload.atime_note.empty()) parts.emplace_back(p.workload.atime_note);
    }
    if (p.release.os == Os::openbsd && !p.release.softdep)
        parts.emplace_back("this system's FFS has no journal; it is checked by fsck after a crash");
    if (parts.empty()) parts.emplace_back("the defaults fit");
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string mount_cost(const Planning& p) {
    if (p.release.wapbl)
        return "without log every creation and removal of a file waits for the disk, and a crash is followed "
               "by "
               "fsck of everything";
    return p.options.empty() ? "it cannot be used" : "more writes for the same work";
}

}  // namespace

std::vector<Change> filesystem_changes(const Planning& p) {
    if (p.release.ext4) {
        if (!p.layout.unit || !p.layout.full_stripe) return {};
        return {{Setting::ext_stride, p.device, *p.layout.unit},
                {Setting::ext_stripe_width, p.device, *p.layout.full_stripe}};
    }
    std::vector<Change> out{{Setting::ffs_format, p.device, std::string("ffs2")},
                            {Setting::ffs_bsize, p.device, p.layout.bsize},
                            {Setting::ffs_fsize, p.device, p.layout.fsize}};
    if (p.layout.density) out.push_back({Setting::ffs_density, p.device, *p.layout.density});
    if (p.softupdates) out.push_back({Setting::ffs_softupdates, p.device, true});
    if (p.su_journal) out.push_back({Setting::ffs_su_journal, p.device, true});
    if (p.trim) out.push_back({Setting::ffs_trim, p.device, true});
    return out;
}

std::vector<Step> filesystem_steps(const Planning& p) {
    std::vector<Step> out{newfs_step(p)};
    for (Step& step : journal_steps(p)) out.push_back(std::move(step));
    return out;
}

std::vector<Step> mount_steps(const Planning& p) {
    const HostFacts facts = planned_facts(p);
    const StorageGraph graph(facts);
    const FixBuilder fix(facts, graph, p.release.os, {});
    Step step;
    step.kind = StepKind::mount;
    step.commands = mount_new(mount_type(p), device_path(fix, p.device), p.point, p.options);
    for (const std::string& option : p.options)
        step.changes.push_back({Setting::mount_option_on, p.point, option});
    step.reason = mount_reason(p);
    step.cost = mount_cost(p);
    step.risk = Risk::remount;
    step.undo = fmt::format("umount {}", escaped(p.point));
    std::vector<Step> out{std::move(step)};
    if (const FstabEntry* entry = graph.fstab_of(p.device)) {
        Step fstab;
        fstab.kind = StepKind::fstab;
        fstab.commands = append_to_fstab(*entry);
        fstab.reason = "mounted at boot with the same options, and checked after the root file system";
        if (p.release.os == Os::openbsd)
            fstab.reason +=
                "; disk names can change: the duid of disklabel(8) before the letter, as in "
                "0123456789abcdef.a, does not";
        if (p.release.os == Os::netbsd && p.partition.scheme == Scheme::gpt)
            fstab.reason += "; wedge numbers can change: NAME= and the label of the partition do not";
        fstab.cost = "it is not mounted after the next boot";
        fstab.precondition = fmt::format("/etc/fstab has no line for {} yet", escaped(p.point));
        out.push_back(std::move(fstab));
    }
    return out;
}

}  // namespace diskwright
