// SPDX-License-Identifier: BSD-2-Clause
#include "rules/cache/flushing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rules/journal/protection.hpp"
#include "rules/sysctl.hpp"

namespace diskwright {
namespace {

void add_disks(const RuleContext& context, const std::string& device, const std::string& point,
               Unflushed::By by, const Provenance& from, std::vector<Unflushed>& out) {
    for (auto& disk : context.graph.disks_under(device))
        out.push_back({device, point, std::move(disk), by, from});
}

}  // namespace

std::vector<Unflushed> unflushed_filesystems(const RuleContext& context) {
    std::vector<Unflushed> out;
    const HostFacts& host = context.host;
    const Text* flush = sysctl_of(host, "vfs.wapbl.flush_disk_cache");
    if (flush && trim(**flush) == "0")
        for (const Journalled& j : wapbl_filesystems(context))
            if (j.mount && !read_only(*j.mount))
                add_disks(context, j.device, j.point, Unflushed::By::sysctl, flush->from(), out);
    for (const Mount& m : host.mounts) {
        if (!m.device || !m.type || read_only(m) || !on_local_disk(*m.type)) continue;
        if (has_mount_option(m.options, "nobarrier"))
            add_disks(context, device_name(*m.device), m.point, Unflushed::By::mount_option, m.options.from(),
                      out);
    }
    for (const Disk& d : host.disks) {
        if (!d.ignores_flush.is(true)) continue;
        for (const Mount& m : host.mounts) {
            if (!m.device || !m.type || read_only(m) || !on_local_disk(*m.type)) continue;
            const auto below = context.graph.disks_under(*m.device);
            if (std::find(below.begin(), below.end(), d.name) != below.end())
                out.push_back(
                    {device_name(*m.device), m.point, d.name, Unflushed::By::drive, d.ignores_flush.from()});
        }
    }
    return out;
}

Flag volatile_cache(const RuleContext& context, const std::string& name) {
    if (const Volume* v = context.graph.volume(name); v && v->kind.is(VolumeKind::hardware)) {
        // A controller's own cache: write-through holds nothing back, a good battery keeps what it holds.
        if (v->cache_policy && *v->cache_policy == "write-through")
            return Flag(false, v->cache_policy.from());
        if (v->battery && *v->battery == "ok") return Flag(false, v->battery.from());
        if (v->cache_policy && *v->cache_policy == "write-back" && v->battery &&
            (*v->battery == "failed" || *v->battery == "missing"))
            return Flag(true, v->battery.from());
        return Flag::unknown("battery of the controller");
    }
    const Disk* d = context.graph.disk(name);
    if (!d || !d->write_cache) return Flag::unknown(cache_command(context.host, name));
    if (d->write_cache.is(Switch::off)) return Flag(false, d->write_cache.from());
    if (d->cache_protected.is(true)) return Flag(false, d->cache_protected.from());
    // The disk may be the volume of a controller that keeps its cache alive.
    if (!d->cache_protected)
        for (const Volume& v : context.host.volumes)
            if (v.kind.is(VolumeKind::hardware) && v.battery && *v.battery == "ok" &&
                !d->rotational.is(false) && !d->rpm)
                return Flag::unknown(
                    fmt::format("whether {} is a volume of the controller with the battery", name));
    return Flag(true, d->write_cache.from());
}

Real counted_commits(const RuleContext& context) {
    Real most;
    for (const JournalRate& r : context.host.journal_rates) {
        const Real& rate = r.flushes_per_s ? r.flushes_per_s : r.commits_per_s;
        if (rate && (!most || *rate > *most)) most = rate;
    }
    return most;
}

std::string cache_command(const HostFacts& host, const std::string& disk) {
    if (host.os.name) switch (*host.os.name) {
            case Os::netbsd:
                return fmt::format("dkctl {} getcache", disk);
            case Os::freebsd:
            case Os::dragonfly:
                return disk.starts_with("da") ? fmt::format("camcontrol modepage {} -m 0x08", disk)
                                              : fmt::format("camcontrol identify {}", disk);
            case Os::openbsd:
                return fmt::format("atactl {} identify", disk);
            case Os::linux_:
                return fmt::format("hdparm -W /dev/{}", disk);
        }
    return fmt::format("write cache of {}", disk);
}

}  // namespace diskwright
