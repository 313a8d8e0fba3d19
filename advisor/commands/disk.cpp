// SPDX-License-Identifier: BSD-2-Clause
// The write cache of a drive: dkctl(8) on NetBSD, a sysctl or mode page on FreeBSD, hdparm(8) or sdparm(8) on
// Linux; and the TRIM timer. OpenBSD has no tool for it.
#include <fmt/format.h>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

void freebsd_cache(FixBuilder& fix, const std::string& disk, bool on) {
    const auto unit = disk.starts_with("ada") ? to_unsigned(std::string_view(disk).substr(3)) : std::nullopt;
    if (unit) {
        fix.run(Command("sysctl").word(fmt::format("kern.cam.ada.{}.write_cache={}", *unit, on ? 1 : 0)));
        fix.note(
            "it is put into the drive at the next reset or boot; for good, put the same line into "
            "/boot/loader.conf");
    } else if (disk.starts_with("da")) {
        fix.run(Command("camcontrol").word("modepage").name(disk).word("-m").word("8").word("-e"));
        fix.note(fmt::format("in the editor, set WCE to {}", on ? 1 : 0));
    } else {
        fix.note(fmt::format(
            "turn the write cache of {} {} with the tool of its driver (hw.ata.wc in /boot/loader.conf for "
            "the old ATA driver)",
            escaped(disk), on ? "on" : "off"));
    }
}

void linux_cache(FixBuilder& fix, const std::string& disk, bool on) {
    const Disk* facts = fix.graph().disk(disk);
    const std::string transport = facts ? lowercase(facts->transport.value_or("")) : "";
    const std::string path = device_path(fix, disk);
    if (disk.starts_with("sd") && (transport == "sas" || transport == "scsi"))
        fix.run(Command("sdparm").word(fmt::format("--set=WCE={}", on ? 1 : 0)).word("--save").name(path));
    else if (disk.starts_with("sd") || disk.starts_with("hd"))
        fix.run(Command("hdparm").word(on ? "-W1" : "-W0").name(path));
    else
        fix.note(
            fmt::format("turn the write cache of {} {} where it is set: at the host or in the controller",
                        escaped(disk), on ? "on" : "off"));
}

void write_cache(FixBuilder& fix, const std::string& disk, bool on) {
    if (fix.is({Os::netbsd})) {
        fix.run(Command("dkctl").name(disk).word("setcache").word(on ? "rw" : "r"));
        fix.note(
            "it is lost at the next boot unless the drive takes `save` as well, or a line in /etc/rc.local "
            "sets it again");
    } else if (fix.is({Os::freebsd})) {
        freebsd_cache(fix, disk, on);
    } else if (fix.is({Os::linux_})) {
        linux_cache(fix, disk, on);
    } else {
        fix.note(fmt::format("this system has no tool that turns the write cache of {} {}", escaped(disk),
                             on ? "on" : "off"));
    }
}

}  // namespace

void generate_disk(FixBuilder& fix) {
    for (const Job& job : fix.take({Setting::disk_write_cache}))
        if (const std::string* state = job.text(Setting::disk_write_cache))
            write_cache(fix, job.subject, *state == "on");
    if (!fix.is({Os::linux_})) return;
    for (const Job& job : fix.take({Setting::fstrim_timer}))
        if (!job.changes.empty())
            fix.run(Command("systemctl").word("enable").word("--now").word("fstrim.timer"));
}

}  // namespace diskwright
