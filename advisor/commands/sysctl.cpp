// SPDX-License-Identifier: BSD-2-Clause
// sysctl(8), and the file that keeps it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Read at boot only: FreeBSD loader tunables.
constexpr std::array<std::string_view, 5> tunables{"kern.maxphys", "kern.geom.stripe.maxmem", "hw.ata.wc",
                                                   "vfs.maxbufspace", "kern.maxbcache"};

bool tunable(const FixBuilder& fix, std::string_view name) {
    return fix.is({Os::freebsd, Os::dragonfly}) &&
           std::find(tunables.begin(), tunables.end(), name) != tunables.end();
}

}  // namespace

void generate_sysctl(FixBuilder& fix) {
    for (const Job& job : fix.take({Setting::sysctl})) {
        const std::string setting = fmt::format("{}={}", job.subject, to_string(job.changes.back().value));
        if (tunable(fix, job.subject)) {
            fix.note(fmt::format("put {} into /boot/loader.conf and reboot", escaped(setting)));
            continue;
        }
        Command sysctl("sysctl");
        // -w is an option of the past on FreeBSD and OpenBSD.
        if (fix.is({Os::netbsd, Os::linux_})) sysctl.word("-w");
        fix.run(sysctl.name(setting));
        fix.note(fmt::format("to keep it, put {} into /etc/sysctl.conf", escaped(setting)));
    }
}

}  // namespace diskwright
