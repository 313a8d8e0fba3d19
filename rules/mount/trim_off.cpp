// SPDX-License-Identifier: BSD-2-Clause
// MOUNT004: freed blocks that the flash never hears of.
#include <fmt/format.h>

#include <algorithm>

#include "rules/journal/protection.hpp"
#include "rules/mount/trim_path.hpp"

namespace diskwright {
namespace {

struct Flash {
    Provenance from;
    bool known = false;  // it is known whether it is flash or thin
    bool flash = false;
    bool no_trim = false;  // a disk below says it cannot
};

Flash flash_below(const RuleContext& context, const std::string& device) {
    Flash out;
    const auto names = context.graph.disks_under(device);
    out.known = !names.empty();
    for (const auto& name : names) {
        const Disk* d = context.graph.disk(name);
        const bool ssd = d && (d->rotational.is(false) || d->thin.is(true));
        if (!d || (!d->rotational && !d->thin)) out.known = false;
        if (d && d->trim.is(false)) out.no_trim = true;
        if (ssd && !out.flash)
            out.flash = true, out.from = d->rotational.is(false) ? d->rotational.from() : d->thin.from();
        if (d && d->rotational.is(true) && !d->thin.is(true)) return {{}, true, false, false};
    }
    return out;
}

constexpr std::string_view cost =
    "the drive copies blocks that were freed long ago when it cleans up: writes slow down and wear rises as "
    "it fills; no figure is published for this host";

void check_freebsd(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (!fs.type || !is_ffs(*fs.type) || fs.trim.is(true) || is_memory_disk(context, fs.device)) continue;
        const Mount* m = context.graph.mount_of(fs.device);
        if (m && read_only(*m)) continue;
        if (!trim_reaches_disks(context.graph, fs.device)) continue;
        const Flash flash = flash_below(context, fs.device);
        if (flash.no_trim || (flash.known && !flash.flash)) continue;
        const std::string subject = m ? m->point : fs.device;
        if (!flash.flash || !flash.known) {
            // Only where tunefs was shown is it worth asking.
            if (fs.trim.known())
                for (const auto& name : context.graph.disks_under(fs.device))
                    out.skip(subject, {fmt::format("diskinfo -v {}", name)});
            continue;
        }
        if (!fs.trim) {
            out.skip(subject, {fmt::format("tunefs -p /dev/{}", device_name(fs.device))});
            continue;
        }
        out.report(subject)
            .message(fmt::format("{} lies on flash or thin storage and does not send TRIM",
                                 device_name(fs.device)))
            .evidence(fs.trim)
            .evidence(flash.from)
            .cost(std::string(cost))
            .change(Setting::ffs_trim, fs.device, true)
            .note(
                "tunefs changes it on a file system that is not mounted, or on the root file system in "
                "single-user mode. What was freed before is trimmed when it is freed again, or by fsck_ffs "
                "-E.");
    }
}

void check_linux(const RuleContext& context, Findings& out) {
    const auto seen = [&](Event::Kind kind) {
        return std::find_if(context.host.events.begin(), context.host.events.end(),
                            [&](const Event& e) { return e.kind == kind; });
    };
    if (seen(Event::Kind::fstrim_timer) != context.host.events.end()) return;
    const auto absent = seen(Event::Kind::fstrim_absent);
    for (const Mount& m : context.host.mounts) {
        if (!m.device || !m.type || read_only(m) || !(is_ext(*m.type) || *m.type == "xfs")) continue;
        if (has_mount_option(m.options, "discard") || !trim_reaches_disks(context.graph, *m.device)) continue;
        const Flash flash = flash_below(context, device_name(*m.device));
        if (!flash.known || !flash.flash || flash.no_trim) continue;
        if (absent == context.host.events.end() || !m.options) {
            out.skip(m.point, {m.options ? "systemctl list-timers fstrim.timer" : "mount"});
            continue;
        }
        out.report(m.point)
            .message(fmt::format(
                "{} lies on flash, and neither discard nor the fstrim timer tells it of freed blocks",
                device_name(*m.device)))
            .evidence(absent->from)
            .evidence(m.options)
            .evidence(flash.from)
            .cost(std::string(cost))
            .change(Setting::fstrim_timer, m.point, true)
            .note(
                "The weekly timer is better than the mount option discard, which sends a command with each "
                "removal.");
    }
}

void check_netbsd(const RuleContext& context, Findings& out) {
    for (const Mount& m : context.host.mounts) {
        if (!m.device || !m.type || !is_ffs(*m.type) || read_only(m) ||
            has_mount_option(m.options, "discard"))
            continue;
        if (!trim_reaches_disks(context.graph, *m.device)) continue;
        const Flash flash = flash_below(context, device_name(*m.device));
        if (!flash.known || !flash.flash || flash.no_trim) continue;
        if (!m.options) {
            out.skip(m.point, {"mount -v"});
            continue;
        }
        out.report(m.point)
            .message(fmt::format("{} lies on flash and does not send TRIM", device_name(*m.device)))
            .at_most(Severity::info)
            .evidence(m.options)
            .evidence(flash.from)
            .cost(std::string(cost))
            .note(
                "NetBSD's mount option discard is experimental, so no command is given: leaving a tenth of "
                "the drive unpartitioned does much of the same, and blkdiscard(8) clears a partition before "
                "newfs.");
    }
}

void check(const RuleContext& context, Findings& out) {
    if (context.host.is(Os::freebsd)) check_freebsd(context, out);
    if (context.host.is(Os::linux_)) check_linux(context, out);
    if (context.host.is(Os::netbsd)) check_netbsd(context, out);
}

}  // namespace

extern const Rule mount_trim_off;
const Rule mount_trim_off{
    {.code = "MOUNT004",
     .slug = "trim-off",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "a file system on flash or thin storage sends no TRIM",
     .why = "A flash drive keeps copying blocks that the file system freed unless it is told. FreeBSD UFS "
            "sends TRIM when tunefs -t enabled it; Linux by the mount option discard or, better, a weekly "
            "fstrim. OpenBSD has neither and is never reported, NetBSD's option is experimental. Layers that "
            "do not pass TRIM down (RAIDframe, softraid, graid3, md with parity, controllers, LUKS by "
            "default) make it pointless.",
     .cost = "Slower writes and more wear as the drive fills; no figure is published.",
     .remedy = "FreeBSD: tunefs -t enable on the unmounted file system. Linux: enable fstrim.timer.",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada0", "rotational": false, "trim": true, "physical_sector_bytes": 512}],
        "filesystems": [{"device": "ada0p2", "type": "ffs2", "softupdates": true, "trim": false}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada0", "rotational": false, "trim": true, "physical_sector_bytes": 512}],
        "filesystems": [{"device": "ada0p2", "type": "ffs2", "softupdates": true, "trim": true}]})",
     .references = "tunefs(8), fstrim(8), mount_ffs(8), blkdiscard(8)"},
    check};

}  // namespace diskwright
