// SPDX-License-Identifier: BSD-2-Clause
// JRNL003: a NetBSD journal far from the size the system would choose.
//
// NetBSD sys/ufs/ufs/ufs_wapbl.h: file system / 1024, at least 1 MiB, at most 64 MiB.
#include <fmt/format.h>

#include <algorithm>

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t scale = 1024, smallest = 1 * MiB, largest = 64 * MiB;

void check(const RuleContext& context, Findings& out) {
    if (context.host.os.name && !context.host.is(Os::netbsd)) return;
    for (const Filesystem& fs : context.host.filesystems) {
        if (!fs.wapbl_log_bytes || *fs.wapbl_log_bytes == 0 || fs.wapbl.is(false)) continue;
        const std::uint64_t log = *fs.wapbl_log_bytes;
        Number size = fs.size_bytes;
        if (!size) size = context.graph.size_of(fs.device);
        const double low = context.thresholds.log_small_share, high = context.thresholds.log_large_factor;
        const auto below = [&](std::uint64_t usual) {
            return static_cast<double>(log) < low * static_cast<double>(usual);
        };
        const auto above = [&](std::uint64_t usual) {
            return static_cast<double>(log) > high * static_cast<double>(usual);
        };
        if (!size) {
            // Whatever the size, the default lies between the limits.
            if (!below(smallest) && !above(largest)) {
                if (log != largest) out.skip(fs.device, {fmt::format("dumpfs -s {}", fs.device)});
                continue;
            }
        }
        const std::uint64_t usual = size              ? std::clamp(*size / scale, smallest, largest)
                                    : below(smallest) ? smallest
                                                      : largest;
        if (!below(usual) && !above(usual)) continue;
        const bool small = below(usual);
        out.report(fs.device)
            .message(fmt::format("the journal has {}, the system would make it {}{}", human_size(log),
                                 size ? "" : "at least ", human_size(usual)))
            .evidence(fs.wapbl_log_bytes)
            .evidence(size)
            .cost(small ? "a log that fills up is flushed while every writer waits, so the file system stops "
                          "for moments under load; no figure is published"
                        : "a large log pins that much of the buffer cache and takes as long to replay, "
                          "without being faster; no figure is published")
            .change(Setting::wapbl_log_bytes, fs.device, usual)
            .note(
                "tunefs changes it on a file system that is not mounted; the new log is made at the next "
                "mount with the option log and needs that much contiguous space.");
    }
}

}  // namespace

extern const Rule journal_log_size_out_of_range;
const Rule journal_log_size_out_of_range{
    {.code = "JRNL003",
     .slug = "log-size-out-of-range",
     .severity = Severity::notice,
     .impact = 2,
     .summary = "a WAPBL log is much smaller or larger than the default",
     .why = "NetBSD makes the log 1/1024 of the file system, at least 1 MiB and at most 64 MiB. Under a "
            "quarter of that, transactions fill it quickly and all writers wait while it is flushed; more "
            "than four times that only holds buffers back. A log of the system's own default never fires.",
     .cost = "Pauses of all writers under load; no figure is published.",
     .remedy = "tunefs -l with the default size on the unmounted file system, then mount with log.",
     .bad =
         R"({"os": {"name": "netbsd"}, "filesystems": [{"device": "wd1e", "type": "ffs2", "size_bytes": 549755813888, "wapbl": true, "wapbl_log_bytes": 262144}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "filesystems": [{"device": "wd1e", "type": "ffs2", "size_bytes": 549755813888, "wapbl": true, "wapbl_log_bytes": 67108864}]})",
     .references = "wapbl(4), tunefs(8)"},
    check};

}  // namespace diskwright
