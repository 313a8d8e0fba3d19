// SPDX-License-Identifier: BSD-2-Clause
// JRNL004: softdep asked for on a release that has none.
//
// NetBSD dropped soft updates in 6.0 and ignores the option (measured); OpenBSD made it do nothing in 7.4.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

struct Asked {
    Provenance from;
    std::string device;
};

void check(const RuleContext& context, Findings& out) {
    const HostFacts& host = context.host;
    const bool netbsd = host.is(Os::netbsd), openbsd = host.is(Os::openbsd);
    if (!netbsd && !openbsd) return;
    std::map<std::string, Asked> points;
    for (const Mount& m : host.mounts)
        if (has_mount_option(m.options, "softdep"))
            points.try_emplace(m.point, Asked{m.options.from(), m.device.value_or({})});
    for (const FstabEntry& e : host.fstab)
        if (has_mount_option(e.options, "softdep"))
            points.try_emplace(e.point, Asked{e.options.from(), e.device});
    if (points.empty()) return;
    const auto release = release_of(host);
    if (!release) {
        out.skip(points.begin()->first, {"uname -r"});
        return;
    }
    if (*release < (netbsd ? Release{6, 0} : Release{7, 4})) return;
    for (const auto& [point, asked] : points) {
        const Mount* mount = mount_at(host, point);
        const FstabEntry* entry = fstab_at(host, point);
        const Filesystem* fs = context.graph.filesystem(asked.device);
        const bool logged = (mount && has_mount_option(mount->options, "log")) ||
                            (entry && has_mount_option(entry->options, "log")) || (fs && fs->wapbl.is(true));
        const bool writable =
            !(mount && read_only(*mount)) && !(entry && has_mount_option(entry->options, "ro"));
        const bool bare = netbsd && !logged && writable;
        auto report = out.report(point);
        report
            .message(fmt::format("softdep is asked for, which {} {} ignores{}", netbsd ? "NetBSD" : "OpenBSD",
                                 *host.os.release, bare ? ": nothing keeps the file system consistent" : ""))
            .evidence(asked.from)
            .evidence(host.os.release)
            .change(Setting::mount_option_off, point, std::string("softdep"));
        if (bare) {
            report
                .cost(
                    "a full fsck after a crash, and synchronous metadata in place of what soft updates gave")
                .change(Setting::mount_option_on, point, std::string("log"))
                .note("The journal takes the place of soft updates.");
        } else {
            report.at_most(Severity::notice)
                .cost("none: the option does nothing any more")
                .note(netbsd ? "The journal is already in force; the option only misleads."
                             : "OpenBSD has no replacement: metadata is written synchronously, as with the "
                               "option left out.");
        }
    }
}

}  // namespace

extern const Rule journal_softdep_unsupported;
const Rule journal_softdep_unsupported{
    {.code = "JRNL004",
     .slug = "softdep-unsupported",
     .severity = Severity::warning,
     .impact = 10,
     .summary = "softdep is asked for on a release that dropped it",
     .why = "An fstab that was carried over may ask for soft updates on a system that has none: NetBSD since "
            "6.0 and OpenBSD since 7.4 accept the option and do nothing. On NetBSD that leaves the file "
            "system without protection unless it is mounted with log.",
     .cost = "NetBSD without a log: the price of JRNL001. Otherwise none. No other figure applies.",
     .remedy = "Take softdep out of fstab; on NetBSD put log there.",
     .bad =
         R"({"os": {"name": "openbsd", "release": "7.5"}, "fstab": [{"device": "sd0k", "point": "/home", "type": "ffs", "options": ["rw", "softdep"], "dump": 1, "pass": 2}]})",
     .good =
         R"({"os": {"name": "openbsd", "release": "7.3"}, "fstab": [{"device": "sd0k", "point": "/home", "type": "ffs", "options": ["rw", "softdep"], "dump": 1, "pass": 2}]})",
     .references = "mount(8), mount_ffs(8), wapbl(4); NetBSD 6.0 and OpenBSD 7.4 release notes"},
    check};

}  // namespace diskwright
