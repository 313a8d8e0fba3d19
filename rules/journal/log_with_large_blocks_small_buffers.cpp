// SPDX-License-Identifier: BSD-2-Clause
// JRNL006: a log that can hold all buffers of a small cache.
//
// Measured with NetBSD's own code: 64 KiB blocks, a log and a buffer cache of 15 % of 256 to 512 MiB made
// mkdir loops stall in getnewbuf for about 300 s or for ever. vm.bufcache: 15 by default, 0 to 100 (NetBSD
// sys/kern/vfs_bio.c).
#include <fmt/format.h>

#include <algorithm>

#include "rules/journal/protection.hpp"
#include "rules/sysctl.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t default_bufcache_percent = 15, highest_bufcache_percent = 60;

Number ram_of(const HostFacts& host) {
    if (host.os.ram_bytes) return host.os.ram_bytes;
    for (const char* name : {"hw.physmem64", "hw.physmem"})
        if (const auto value = sysctl_number(host, name))
            return Number(*value, sysctl_of(host, name)->from());
    return {};
}

void check(const RuleContext& context, Findings& out) {
    const HostFacts& host = context.host;
    for (const Journalled& j : wapbl_filesystems(context)) {
        const Filesystem* fs = j.filesystem;
        Number bsize = fs ? fs->bsize : Number{};
        if (!bsize)
            if (const Partition* p = context.graph.partition(j.device)) bsize = p->bsize;
        if (!bsize || *bsize < 64 * KiB || (j.mount && read_only(*j.mount))) continue;
        const Number ram = ram_of(host);
        if (!ram) {
            out.skip(j.device, {"sysctl hw.physmem64 vm.bufcache"});
            continue;
        }
        const auto percent = std::min<std::uint64_t>(
            sysctl_number(host, "vm.bufcache").value_or(default_bufcache_percent), 100);
        const double cache = static_cast<double>(*ram) * static_cast<double>(percent) / 100;
        const std::uint64_t log = fs && fs->wapbl_log_bytes ? *fs->wapbl_log_bytes : 0;
        const double wanted = std::max(static_cast<double>(context.thresholds.buffer_cache_bytes),
                                       context.thresholds.buffer_cache_logs * static_cast<double>(log));
        if (cache >= wanted) continue;

        auto report = out.report(j.device);
        report
            .message(fmt::format(
                "blocks of {} with a journal and a buffer cache of {} ({} % of {}): {} would be enough",
                human_size(*bsize), human_size(static_cast<std::uint64_t>(cache)), percent, human_size(*ram),
                human_size(static_cast<std::uint64_t>(wanted))))
            .evidence(bsize)
            .evidence(j.from)
            .evidence(ram);
        if (fs) report.evidence(fs->wapbl_log_bytes);
        if (const Text* shown = sysctl_of(host, "vm.bufcache")) report.evidence(*shown);
        report.cost(
            "the log can hold every buffer: writers stop in getnewbuf, for about 300 s or for ever, in "
            "measurements with NetBSD's own code (a loop of mkdir, cache of 15 % of 256 to 512 MiB)");

        const auto share = [&](double bytes) {
            return (static_cast<std::uint64_t>(bytes * 100 / static_cast<double>(*ram)) / 5 + 1) * 5;
        };
        const std::uint64_t enough = share(wanted);
        const double most = static_cast<double>(*ram) * static_cast<double>(highest_bufcache_percent) / 100;
        const auto smaller_log =
            static_cast<std::uint64_t>(most / context.thresholds.buffer_cache_logs) / MiB * MiB;
        if (enough <= highest_bufcache_percent) {
            report.change(Setting::sysctl, "vm.bufcache", fmt::format("{}", enough))
                .note(
                    "vm.bufcache is an upper limit: memory that buffers do not need stays with the rest. Put "
                    "it into /etc/sysctl.conf.");
        } else if (most >= static_cast<double>(context.thresholds.buffer_cache_bytes) && fs && log > 0 &&
                   smaller_log >= 16 * MiB) {
            report.change(Setting::sysctl, "vm.bufcache", fmt::format("{}", highest_bufcache_percent))
                .change(Setting::wapbl_log_bytes, j.device, smaller_log)
                .note(
                    "This host has too little memory for its log as it is, so the log becomes smaller as "
                    "well; tunefs changes it on the unmounted file system, and the next mount makes the new "
                    "one.");
        } else {
            report.note(
                "This host has too little memory for blocks of 64 KiB with a journal: at the next occasion "
                "make the file system with blocks of 32 KiB or 16 KiB, or add memory.");
        }
    }
}

}  // namespace

extern const Rule journal_log_with_large_blocks_small_buffers;
const Rule journal_log_with_large_blocks_small_buffers{
    {.code = "JRNL006",
     .slug = "log-with-large-blocks-small-buffers",
     .severity = Severity::warning,
     .impact = 15,
     .summary = "WAPBL with 64 KiB blocks and a small buffer cache",
     .why = "Buffers of an open transaction stay locked until it is in the log. With blocks of 64 KiB each "
            "touched directory or inode block locks 64 KiB, so that a transaction can lock the whole buffer "
            "cache (vm.bufcache per cent of memory); then every writer waits for a buffer and the "
            "transaction cannot end.",
     .cost = "Stalls of about 300 s or for ever, measured with NetBSD's own code and 15 % of 256 to 512 MiB.",
     .remedy = "Raise vm.bufcache, make the log smaller, or use smaller blocks.",
     .bad =
         R"({"os": {"name": "netbsd", "release": "9.3", "ram_bytes": 4294967296}, "filesystems": [{"device": "wd1e", "type": "ffs2", "bsize": 65536,
        "fsize": 8192, "wapbl": true, "wapbl_log_bytes": 67108864, "size_bytes": 549755813888}], "sysctls": {"vm.bufcache": "15"}})",
     .good =
         R"({"os": {"name": "netbsd", "release": "9.3", "ram_bytes": 34359738368}, "filesystems": [{"device": "wd1e", "type": "ffs2", "bsize": 65536,
        "fsize": 8192, "wapbl": true, "wapbl_log_bytes": 67108864, "size_bytes": 549755813888}], "sysctls": {"vm.bufcache": "15"}})",
     .references = "wapbl(4), sysctl(7)"},
    check};

}  // namespace diskwright
