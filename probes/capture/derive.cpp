// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/capture/assemble.hpp"
#include "probes/capture/join.hpp"
#include "probes/capture/unnamed_disks.hpp"
#include "probes/model/drive_models.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

template <class T>
void set_if_unknown(Known<T>& value, T derived, const Provenance& from) {
    if (!value.known()) value = Known<T>(std::move(derived), from);
}

Provenance inferred_from(const Provenance& fact) {
    return Provenance(fact.source(), fact.line(), fact.text(), Provenance::Kind::inferred);
}

// ---- systems

void system_from_volumes(HostFacts& facts) {
    if (facts.os.name) return;
    for (const Volume& v : facts.volumes) {
        if (!v.kind) continue;
        switch (*v.kind) {
            case VolumeKind::gmirror:
            case VolumeKind::gstripe:
            case VolumeKind::graid3:
            case VolumeKind::graid:
            case VolumeKind::gconcat:
                facts.os.name = Known<Os>(Os::freebsd, inferred_from(v.kind.from()));
                return;
            case VolumeKind::softraid:
                facts.os.name = Known<Os>(Os::openbsd, inferred_from(v.kind.from()));
                return;
            case VolumeKind::md:
                facts.os.name = Known<Os>(Os::linux_, inferred_from(v.kind.from()));
                return;
            default:
                break;
        }
    }
}

// ---- disks

void apply_drive_models(HostFacts& facts) {
    for (Disk& d : facts.disks) {
        if (d.rpm) set_if_unknown(d.rotational, *d.rpm != 0, inferred_from(d.rpm.from()));
        if (d.name.starts_with("nvme") || d.name.starts_with("nda") || d.name.starts_with("nvd"))
            set_if_unknown(d.rotational, false,
                           Provenance(d.name, 0, "NVMe device", Provenance::Kind::inferred));
        const DriveModel* row = d.model ? find_drive_model(*d.model) : nullptr;
        if (!row) continue;
        const Provenance from(d.model.from().source(), d.model.from().line(), d.model.from().text(),
                              Provenance::Kind::table);
        if (row->physical_sector)
            set_if_unknown(d.physical_sector_bytes, std::uint64_t{row->physical_sector}, from);
        if (row->rotational) set_if_unknown(d.rotational, *row->rotational, from);
        if (row->shingled) set_if_unknown(d.shingled, *row->shingled, from);
    }
}

// ---- one thing under two names

// gpt show numbers its rows, dkctl and the kernel name the wedges: same parent, same start.
void join_wedges(HostFacts& facts) {
    std::vector<Partition> rows;
    for (const Partition& row : facts.partitions) {
        if (!contains(row.name, "#") || !row.start_bytes) continue;
        const bool wedge =
            std::any_of(facts.partitions.begin(), facts.partitions.end(), [&](const Partition& p) {
                return !contains(p.name, "#") && p.parent == row.parent && p.start_bytes.is(*row.start_bytes);
            });
        if (wedge) rows.push_back(row);
    }
    for (Partition& row : rows) {
        std::erase_if(facts.partitions, [&](const Partition& p) { return p.name == row.name; });
        const auto wedge = std::find_if(
            facts.partitions.begin(), facts.partitions.end(),
            [&](const Partition& p) { return p.parent == row.parent && p.start_bytes.is(*row.start_bytes); });
        // What gpt show prints is the table itself; the wedge adds its name.
        row.name = wedge->name;
        HostFacts one;
        one.partitions.push_back(std::move(row));
        const auto conflicts = facts.conflicts.size();
        merge(facts, std::move(one));
        facts.conflicts.resize(conflicts);  // "ffs" beside "NetBSD FFSv1/FFSv2" is no disagreement
    }
}

// A volume shows itself to fdisk, disklabel or the kernel as a disk; what they tell of it belongs to the
// volume.
void join_disks_that_are_volumes(HostFacts& facts) {
    std::erase_if(facts.disks, [&](const Disk& d) {
        const auto at = std::find_if(facts.volumes.begin(), facts.volumes.end(), [&](const Volume& v) {
            return same_device(v.name, d.name) && !v.kind.is(VolumeKind::hardware);
        });
        if (at == facts.volumes.end()) return false;
        if (!at->size_bytes) at->size_bytes = d.size_bytes;
        if (!at->logical_sector_bytes) at->logical_sector_bytes = d.logical_sector_bytes;
        return true;
    });
}

bool share_a_component(const Volume& a, const Volume& b) {
    return std::any_of(a.components.begin(), a.components.end(), [&](const Component& x) {
        return !x.name.empty() &&
               std::any_of(b.components.begin(), b.components.end(),
                           [&](const Component& y) { return same_device(x.name, y.name); });
    });
}

// mdadm --examine knows a set by the name in its metadata, the kernel by its device.
void join_md_sets(HostFacts& facts) {
    const auto is_device = [](const std::string& name) {
        return name.starts_with("md") && name.size() > 2 && name[2] != '?';
    };
    for (std::size_t i = 0; i < facts.volumes.size();) {
        const Volume& examined = facts.volumes[i];
        const auto running = std::find_if(facts.volumes.begin(), facts.volumes.end(), [&](const Volume& v) {
            if (&v == &examined || !v.kind.is(VolumeKind::md) || !is_device(v.name)) return false;
            const bool same_uuid = v.uuid && examined.uuid && *v.uuid == *examined.uuid;
            return same_uuid || share_a_component(v, examined);
        });
        if (!examined.kind.is(VolumeKind::md) || is_device(examined.name) || running == facts.volumes.end()) {
            ++i;
            continue;
        }
        HostFacts one;
        one.volumes.push_back(examined);
        one.volumes.front().name = running->name;
        one.volumes.front().state.reset();  // the running kernel knows better
        facts.volumes.erase(facts.volumes.begin() + static_cast<std::ptrdiff_t>(i));
        merge(facts, std::move(one));
    }
}

// ---- volumes

// A GEOM name tells its class: a file system on /dev/mirror/gm0s1e shows that there is a mirror gm0.
void volumes_from_names(HostFacts& facts) {
    struct Class {
        std::string_view folder;
        VolumeKind kind;
        std::optional<RaidLevel> level;
    };
    static constexpr std::array<Class, 4> classes{{{"mirror/", VolumeKind::gmirror, RaidLevel::raid1},
                                                   {"stripe/", VolumeKind::gstripe, RaidLevel::raid0},
                                                   {"raid3/", VolumeKind::graid3, RaidLevel::raid3},
                                                   {"concat/", VolumeKind::gconcat, RaidLevel::concat}}};
    const auto add = [&](const std::string& device, const Provenance& from) {
        for (const Class& c : classes) {
            if (!device.starts_with(c.folder)) continue;
            const std::string name = disk_name(device);
            const bool known = std::any_of(facts.volumes.begin(), facts.volumes.end(),
                                           [&](const Volume& v) { return same_device(v.name, name); });
            if (known) return;
            Volume v;
            v.name = name;
            v.kind = Known<VolumeKind>(c.kind, inferred_from(from));
            if (c.level) v.level = Known<RaidLevel>(*c.level, inferred_from(from));
            facts.volumes.push_back(std::move(v));
            return;
        }
    };
    for (const Filesystem& f : facts.filesystems)
        add(f.device, f.bsize ? f.bsize.from() : f.type ? f.type.from() : Provenance(f.device, 0, f.device));
    for (const Mount& m : facts.mounts)
        if (m.device) add(device_name(*m.device), m.device.from());
}

void data_disks_from_level(Volume& v) {
    if (!v.columns && v.components_complete.is(true)) {
        const auto count = data_components(v).size();
        if (count) v.columns = Number(count, inferred_from(v.components_complete.from()));
    }
    if (v.data_disks || !v.level || !v.columns) return;
    const std::uint64_t n = *v.columns;
    const Provenance from = inferred_from(v.level.from());
    const auto set = [&](std::uint64_t count) {
        if (count) v.data_disks = Number(count, from);
    };
    switch (*v.level) {
        case RaidLevel::raid0:
            return set(n);
        case RaidLevel::raid1:
            return set(v.kind.is(VolumeKind::raidframe) ? n / 2 : 1);
        case RaidLevel::raid3:
        case RaidLevel::raid4:
        case RaidLevel::raid5:
            return n > 1 ? set(n - 1) : void();
        case RaidLevel::raid6:
            return n > 2 ? set(n - 2) : void();
        case RaidLevel::raid10: {
            // "near=2", "far=2", "offset=2": copies; n / copies where that is whole. Without a layout two
            // copies are the rule.
            std::uint64_t each = 2;
            if (v.layout) {
                const auto equals = v.layout->find('=');
                each =
                    equals == std::string::npos ? 2 : to_unsigned(v.layout->substr(equals + 1)).value_or(0);
            }
            if (each && n % each == 0) set(n / each);
            return;
        }
        case RaidLevel::concat:
            return;
    }
}

// What a set may lose and still answer.
std::uint64_t tolerated(const Volume& v, std::uint64_t columns) {
    if (!v.level) return 0;
    switch (*v.level) {
        case RaidLevel::raid1:
            return v.kind.is(VolumeKind::raidframe) && columns > 2 ? columns / 2 : columns - 1;
        case RaidLevel::raid10:
            return columns / 2;
        case RaidLevel::raid3:
        case RaidLevel::raid4:
        case RaidLevel::raid5:
            return 1;
        case RaidLevel::raid6:
            return 2;
        default:
            return 0;
    }
}

void state_from_components(Volume& v) {
    // What is not listed may be what is lost.
    if (v.state || v.components.empty() || v.components_complete.is(false)) return;
    std::uint64_t lost = 0, rebuilding = 0, stood_in = 0, judged = 0;
    Provenance first_bad, any;
    for (const Component& c : v.components) {
        if (!c.state) continue;
        if (*c.state == ComponentState::spare) continue;
        ++judged;
        any = c.state.from();
        if (*c.state == ComponentState::used_spare) ++stood_in;
        if (*c.state == ComponentState::failed || *c.state == ComponentState::missing) {
            ++lost;
            if (first_bad.empty()) first_bad = c.state.from();
        }
        if (*c.state == ComponentState::rebuilding) {
            ++rebuilding;
            if (first_bad.empty()) first_bad = c.state.from();
        }
    }
    if (judged == 0) return;
    // A used spare stands in for one that failed.
    lost -= std::min(lost, stood_in);
    const std::uint64_t columns = v.columns.value_or(judged);
    VolumeState state = VolumeState::optimal;
    const bool redundant = v.level ? tolerated(v, columns) > 0 : true;
    if (lost > (v.level ? tolerated(v, columns) : columns))
        state = VolumeState::failed;
    else if (lost && !redundant)
        state = VolumeState::failed;
    else if (lost)
        state = VolumeState::degraded;
    else if (rebuilding)
        state = VolumeState::rebuilding;
    v.state = Known<VolumeState>(state, inferred_from(first_bad.empty() ? any : first_bad));
}

// raidctl prints what each component contributes, rounded down to whole stripe units, and not the sum.
void size_from_components(Volume& v) {
    if (v.size_bytes || !v.kind.is(VolumeKind::raidframe) || !v.data_disks || !v.columns) return;
    Number least;
    for (const Component& c : v.components)
        if (c.used_bytes && (!least || *c.used_bytes < *least)) least = c.used_bytes;
    if (!least) return;
    if (const auto product = multiply(*least, *v.data_disks))
        v.size_bytes = Number(*product, inferred_from(least.from()));
}

void spares_from_components(Volume& v) {
    if (v.spares || !v.components_complete.is(true)) return;
    const auto count = std::count_if(v.components.begin(), v.components.end(),
                                     [](const Component& c) { return c.state.is(ComponentState::spare); });
    v.spares = Number(static_cast<std::uint64_t>(count), inferred_from(v.components_complete.from()));
}

// The members of a mirror that nobody listed: exactly two disks whose writes agree in every sample of one
// run, on a host with one mirror. A mirror sends each write to both, and no other pair of disks does that for
// long.
void mirror_members_from_traces(HostFacts& facts) {
    Volume* mirror = nullptr;
    for (Volume& v : facts.volumes) {
        if (!v.kind.is(VolumeKind::gmirror)) continue;
        if (mirror) return;
        mirror = &v;
    }
    if (!mirror || !mirror->components.empty()) return;
    constexpr std::size_t samples_at_least = 10;
    constexpr double tolerance = 0.1;  // of the larger rate; one request of ten seconds apart is noise
    std::vector<const IoTrace*> disks;
    for (const IoTrace& t : facts.io_traces)
        if (disk_name(t.device) == t.device && !same_device(t.device, mirror->name)) disks.push_back(&t);
    if (disks.size() != 2 || disks[0]->device == disks[1]->device ||
        disks[0]->run.value_or(0) != disks[1]->run.value_or(0))
        return;
    const auto& a = disks[0]->samples;
    const auto& b = disks[1]->samples;
    if (a.size() != b.size() || a.size() < samples_at_least) return;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!a[i].writes_per_s || !b[i].writes_per_s) return;
        const double larger = std::max(*a[i].writes_per_s, *b[i].writes_per_s);
        if (std::abs(*a[i].writes_per_s - *b[i].writes_per_s) > std::max(tolerance * larger, 0.2)) return;
    }
    for (const IoTrace* t : disks) {
        Component c;
        c.name = t->device;
        mirror->components.push_back(std::move(c));
    }
    mirror->columns = Number(2, Provenance(a.front().from.source(), a.front().from.line(),
                                           fmt::format("{} and {} write alike in all {} samples",
                                                       disks[0]->device, disks[1]->device, a.size()),
                                           Provenance::Kind::inferred));
}

// ---- file systems

bool is_ffs_mount(const Mount& m) {
    return m.type && (*m.type == "ufs" || *m.type == "ffs" || *m.type == "4.2bsd");
}

bool has_option(const Mount& m, std::string_view option) {
    return m.options && std::find(m.options->begin(), m.options->end(), option) != m.options->end();
}

// mount(8) lists what is in force, so what is not listed is off: soft updates on FreeBSD, the log on NetBSD.
void flags_from_mounts(HostFacts& facts) {
    for (const Mount& m : facts.mounts) {
        if (!m.device || !m.options || !is_ffs_mount(m)) continue;
        Filesystem& f = filesystem(facts, *m.device);
        const Provenance from = inferred_from(m.options.from());
        set_if_unknown(f.type, std::string("ffs"), from);
        if (facts.is(Os::netbsd)) set_if_unknown(f.wapbl, has_option(m, "log"), from);
        if (facts.is(Os::freebsd) || facts.is(Os::dragonfly)) {
            // mount -p prints fstab's options, which leave the superblock's flags out.
            if (has_option(m, "rw") || has_option(m, "ro")) continue;
            const bool journaled = has_option(m, "journaled soft-updates");
            set_if_unknown(f.softupdates, journaled || has_option(m, "soft-updates"), from);
            set_if_unknown(f.su_journal, journaled, from);
            set_if_unknown(f.gjournal, has_option(m, "gjournal"), from);
        }
    }
    // Other types are facts of their own.
    for (const Mount& m : facts.mounts) {
        if (!m.device || !m.type || is_ffs_mount(m)) continue;
        for (Filesystem& f : facts.filesystems)
            if (same_device(f.device, *m.device))
                set_if_unknown(f.type, *m.type, inferred_from(m.type.from()));
    }
}

// tunefs -p /mnt and df speak of the mount point; the mount table knows the device. Without one, two
// descriptions of the only FFS of the input are one file system when none of their values disagree.
void join_mount_points(HostFacts& facts) {
    for (std::size_t i = 0; i < facts.filesystems.size();) {
        Filesystem& by_point = facts.filesystems[i];
        if (!by_point.device.starts_with('/')) {
            ++i;
            continue;
        }
        std::string device;
        for (const Mount& m : facts.mounts)
            if (m.point == by_point.device && m.device) device = device_name(*m.device);
        for (const FstabEntry& e : facts.fstab)
            if (device.empty() && e.point == by_point.device) device = device_name(e.device);
        if (device.empty()) {
            const Filesystem* other = nullptr;
            std::size_t candidates = 0;
            for (const Filesystem& f : facts.filesystems)
                if (!f.device.starts_with('/') && f.bsize) ++candidates, other = &f;
            const auto agrees = [&](const Filesystem& f) {
                const auto clash = [](const auto& a, const auto& b) { return a && b && !(*a == *b); };
                return !clash(f.label, by_point.label) &&
                       !clash(f.minfree_percent, by_point.minfree_percent) &&
                       !clash(f.maxbpg, by_point.maxbpg) && !clash(f.avgfilesize, by_point.avgfilesize) &&
                       !clash(f.softupdates, by_point.softupdates) &&
                       !clash(f.optimization, by_point.optimization);
            };
            if (candidates == 1 && agrees(*other)) device = other->device;
        }
        if (device.empty()) {
            ++i;
            continue;
        }
        HostFacts one;
        one.filesystems.push_back(std::move(by_point));
        one.filesystems.back().last_mounted_on =
            Text(one.filesystems.back().device, one.filesystems.back().minfree_percent.from());
        one.filesystems.back().device = device;
        facts.filesystems.erase(facts.filesystems.begin() + static_cast<std::ptrdiff_t>(i));
        merge(facts, std::move(one));
    }
}

// Only FFS has these settings, whoever printed them.
void type_from_settings(HostFacts& facts) {
    for (Filesystem& f : facts.filesystems) {
        if (f.type) continue;
        for (const Provenance& from :
             {f.maxbpg.from(), f.avgfpdir.from(), f.optimization.from(), f.softupdates.from()})
            if (!from.empty()) {
                f.type = Text("ffs", inferred_from(from));
                break;
            }
    }
}

void inodes_from_geometry(HostFacts& facts) {
    for (Filesystem& f : facts.filesystems) {
        if (f.inodes || !f.cylinder_groups || !f.inodes_per_group) continue;
        if (const auto count = multiply(*f.cylinder_groups, *f.inodes_per_group))
            f.inodes = Number(*count, inferred_from(f.inodes_per_group.from()));
    }
}

}  // namespace

void derive(HostFacts& facts) {
    join_unnamed_disks(facts);
    join_wedges(facts);
    join_md_sets(facts);
    join_controller_volumes(facts);
    join_unnamed_pool(facts);
    join_single_reports(facts);
    apply_drive_models(facts);
    volumes_from_names(facts);
    join_disks_that_are_volumes(facts);
    system_from_volumes(facts);
    mirror_members_from_traces(facts);
    for (Volume& v : facts.volumes) {
        data_disks_from_level(v);
        state_from_components(v);
        spares_from_components(v);
        size_from_components(v);
    }
    join_mount_points(facts);
    flags_from_mounts(facts);
    type_from_settings(facts);
    inodes_from_geometry(facts);
}

}  // namespace diskwright
