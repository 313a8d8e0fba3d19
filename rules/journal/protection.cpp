// SPDX-License-Identifier: BSD-2-Clause
#include "rules/journal/protection.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"
#include "rules/cache/flushing.hpp"
#include "rules/sysctl.hpp"

namespace diskwright {
namespace {

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view type) {
    return std::find(names.begin(), names.end(), lowercase(type)) != names.end();
}

const Filesystem* filesystem_of(const RuleContext& context, const Mount& mount) {
    return mount.device ? context.graph.filesystem(*mount.device) : nullptr;
}

}  // namespace

bool is_ffs(std::string_view type) {
    static constexpr std::array<std::string_view, 7> names{"ffs",  "ffs1", "ffs2",  "ufs",
                                                           "ufs1", "ufs2", "4.2bsd"};
    return among(names, type);
}
bool is_ext(std::string_view type) {
    static constexpr std::array<std::string_view, 4> names{"ext2", "ext3", "ext4", "ext2fs"};
    return among(names, type);
}
bool on_local_disk(std::string_view type) {
    static constexpr std::array<std::string_view, 5> others{"lfs", "xfs", "jfs", "btrfs", "f2fs"};
    return is_ffs(type) || is_ext(type) || among(others, type);
}

bool read_only(const Mount& mount) {
    return has_mount_option(mount.options, "ro");
}

bool is_memory_disk(const RuleContext& context, std::string_view device) {
    if (context.host.is(Os::linux_)) return false;
    const std::string name = device_name(device);
    return name.size() > 2 && name.starts_with("md") && name[2] >= '0' && name[2] <= '9';
}

const Mount* mount_at(const HostFacts& host, std::string_view point) {
    const auto at = std::find_if(host.mounts.begin(), host.mounts.end(),
                                 [&](const Mount& m) { return m.point == point; });
    return at == host.mounts.end() ? nullptr : &*at;
}
const FstabEntry* fstab_at(const HostFacts& host, std::string_view point) {
    const auto at = std::find_if(host.fstab.begin(), host.fstab.end(),
                                 [&](const FstabEntry& e) { return e.point == point; });
    return at == host.fstab.end() ? nullptr : &*at;
}

bool has_log(const RuleContext& context, const Mount& mount) {
    if (has_mount_option(mount.options, "log")) return true;
    // What mount prints decides; the superblock only where mount printed no options.
    const Filesystem* fs = filesystem_of(context, mount);
    return !mount.options && fs && fs->wapbl.is(true);
}
bool has_softupdates(const RuleContext& context, const Mount& mount) {
    if (has_mount_option(mount.options, "softdep") || has_mount_option(mount.options, "suj")) return true;
    const Filesystem* fs = filesystem_of(context, mount);
    return fs && (fs->softupdates.is(true) || fs->su_journal.is(true));
}
bool has_gjournal(const RuleContext& context, const Mount& mount) {
    if (has_mount_option(mount.options, "gjournal")) return true;
    const Filesystem* fs = filesystem_of(context, mount);
    return fs && fs->gjournal.is(true);
}

std::vector<Journalled> wapbl_filesystems(const RuleContext& context) {
    std::vector<Journalled> out;
    if (context.host.os.name && !context.host.is(Os::netbsd)) return out;
    for (const Filesystem& fs : context.host.filesystems) {
        if (!fs.wapbl.is(true)) continue;
        const Mount* m = context.graph.mount_of(fs.device);
        out.push_back({fs.device, m ? m->point : std::string{}, &fs, m, fs.wapbl.from()});
    }
    for (const Mount& m : context.host.mounts) {
        if (!m.device || !m.type || !is_ffs(*m.type) || !has_mount_option(m.options, "log")) continue;
        const bool listed =
            std::any_of(out.begin(), out.end(), [&](const Journalled& j) { return j.mount == &m; });
        if (!listed)
            out.push_back(
                {device_name(*m.device), m.point, context.graph.filesystem(*m.device), &m, m.options.from()});
    }
    return out;
}

const Volume* volume_below(const StorageGraph& graph, std::string_view device,
                           bool (*wanted)(const Volume&)) {
    std::vector<std::string> open{device_name(device)};
    for (std::size_t steps = 0; !open.empty() && steps < 64; ++steps) {
        const std::string name = std::move(open.back());
        open.pop_back();
        const Volume* v = graph.on_volume(name).volume;
        if (!v) continue;
        if (wanted(*v)) return v;
        for (const Component* c : data_components(*v))
            if (!c->name.empty() && c->name != name) open.push_back(c->name);
    }
    return nullptr;
}

const Volume* parity_below(const RuleContext& context, std::string_view device) {
    return volume_below(context.graph, device, [](const Volume& v) { return is_parity(v); });
}

namespace {

bool over_volatile_cache(const RuleContext& context, const std::string& device) {
    const auto disks = context.graph.disks_under(device);
    return std::any_of(disks.begin(), disks.end(),
                       [&](const std::string& d) { return volatile_cache(context, d).is(true); });
}

}  // namespace

bool add_journal(const RuleContext& context, const Mount& mount, Findings::Report& report) {
    if (!context.host.os.name || !mount.device) return false;
    const auto release = release_of(context.host);
    switch (*context.host.os.name) {
        case Os::netbsd:
            report.change(Setting::mount_option_on, mount.point,
                          std::string(release && release->major < 5 ? "softdep" : "log"));
            // A journal over a volatile cache is worth what its flushes are.
            if (sysctl_or(context.host, "vfs.wapbl.flush_disk_cache", "1") == "0" &&
                over_volatile_cache(context, *mount.device))
                report.change(Setting::sysctl, "vfs.wapbl.flush_disk_cache", std::string("1"));
            return true;
        case Os::freebsd:
            report.change(Setting::ffs_softupdates, device_name(*mount.device), true);
            // From 13.2 on snapshots work beside the journal, so nothing speaks against it.
            if (release && *release >= Release{13, 2})
                report.change(Setting::ffs_su_journal, device_name(*mount.device), true);
            return true;
        case Os::dragonfly:
            report.change(Setting::ffs_softupdates, device_name(*mount.device), true);
            return true;
        case Os::openbsd:
            if (!release || *release >= Release{7, 4}) return false;
            report.change(Setting::mount_option_on, mount.point, std::string("softdep"));
            return true;
        case Os::linux_:
            break;
    }
    return false;
}

}  // namespace diskwright
