// SPDX-License-Identifier: BSD-2-Clause
// Releases from the histories of NetBSD/src, freebsd/freebsd-src and openbsd/src: sbin/newfs, sbin/tunefs,
// sbin/mount*, sys/sys/param.h.
#include "advisor/planning/release_facts.hpp"

#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/release.hpp"

namespace diskwright {
namespace {

ReleaseFacts netbsd(const std::optional<Release>& release) {
    ReleaseFacts out;
    // WAPBL came with 5.0, which is older than any release still met; dkctl makewedges with 7.0.
    out.wapbl = !release || *release >= Release{5, 0};
    out.wedges = !release || *release >= Release{7, 0} ? Wedges::scanned : Wedges::added_by_hand;
    return out;
}

ReleaseFacts freebsd(const std::optional<Release>& release) {
    ReleaseFacts out;
    out.softupdates = true;
    out.minfree_percent = 8;
    const bool nine = release && *release >= Release{9, 0};
    out.su_journal = out.trim = nine;
    out.snapshots_with_journal = release && *release >= Release{13, 2};
    out.fragments_per_inode = nine ? 2 : 4;
    out.block_from_zero = nine ? 32768 : 16384;
    out.request_limit = release && *release >= Release{13, 0} ? 1048576 : 131072;
    return out;
}

ReleaseFacts openbsd(const std::optional<Release>& release) {
    ReleaseFacts out;
    out.softdep = release && *release < Release{7, 4};
    return out;
}

ReleaseFacts linux_system() {
    ReleaseFacts out;
    out.ext4 = true;
    out.request_limit = 1048576;
    out.block_from_zero = 4096;
    out.fragments_per_inode = 4;  // mke2fs.conf(5): one inode for 16 KiB
    return out;
}

std::string_view spelled(Os os) {
    switch (os) {
        case Os::netbsd:
            return "NetBSD";
        case Os::freebsd:
            return "FreeBSD";
        case Os::openbsd:
            return "OpenBSD";
        case Os::dragonfly:
            return "DragonFly";
        case Os::linux_:
            return "Linux";
    }
    return "";
}

}  // namespace

Result<ReleaseFacts> release_facts(const HostFacts& host) {
    if (!host.os.name)
        return Error{ErrorKind::usage, "the system is not known: name it with --os, such as --os netbsd-9.3"};
    const Os os = *host.os.name;
    if (os == Os::dragonfly)
        return Error{
            ErrorKind::unavailable,
            fmt::format("plan does not cover {}: only NetBSD, FreeBSD, OpenBSD and Linux", spelled(os))};
    const auto release = release_of(host);
    const Release oldest = os == Os::netbsd    ? Release{5, 0}
                           : os == Os::freebsd ? Release{8, 0}
                                               : Release{5, 0};
    if (os != Os::linux_ && release && *release < oldest)
        return Error{ErrorKind::unavailable, fmt::format("plan does not cover {} {}: its tools differ",
                                                         spelled(os), escaped(*host.os.release))};
    ReleaseFacts out = os == Os::netbsd    ? netbsd(release)
                       : os == Os::freebsd ? freebsd(release)
                       : os == Os::linux_  ? linux_system()
                                           : openbsd(release);
    out.os = os;
    out.known = release.has_value();
    out.name = release ? fmt::format("{} {}", spelled(os), escaped(*host.os.release))
                       : fmt::format("{}, release unknown", spelled(os));
    return out;
}

}  // namespace diskwright
