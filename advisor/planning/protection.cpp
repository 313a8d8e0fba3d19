// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "advisor/planning/plan_parts.hpp"
#include "probes/support/text.hpp"
#include "rules/mount/trim_path.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t journal_from = 4 * GiB;  // below, fsck is done in no time

bool disks_take_trim(const Planning& p) {
    const auto names = p.graph.disks_under(p.target.base);
    return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        const Disk* d = p.graph.disk(name);
        return d && d->rotational.is(false) && !d->trim.is(false);
    });
}

bool wants_journal(const Planning& p) {
    if (!p.release.su_journal) return false;
    if (p.layout.size != 0 && p.layout.size < journal_from) return false;
    return p.release.snapshots_with_journal || !p.workload.snapshots;
}

}  // namespace

void choose_protection(Planning& p) {
    p.softupdates = p.release.softupdates;
    p.su_journal = wants_journal(p);
    p.trim = p.release.trim && disks_take_trim(p) && trim_reaches_disks(p.graph, p.target.base);
    if (p.release.wapbl) p.options.emplace_back("log");
    if (p.release.softdep) p.options.emplace_back("softdep");
    if (p.workload.noatime) p.options.emplace_back("noatime");
}

}  // namespace diskwright
