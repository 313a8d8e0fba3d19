// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/capture/assemble.hpp"
#include "probes/capture/derive.hpp"
#include "probes/capture/join.hpp"
#include "probes/capture/unnamed_disks.hpp"
#include "probes/model/drive_models.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

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

}  // namespace

namespace {

bool read_from_device(const Component& c) {
    const auto from_bytes = [](const auto& fact) {
        return fact.known() && fact.from().kind() == Provenance::Kind::device;
    };
    return from_bytes(c.data_offset_bytes) || from_bytes(c.slot) || from_bytes(c.state) ||
           from_bytes(c.events);
}

// The metadata of one member, where no other disk was given that could hold another, tells how many there are
// and not whether they are there,
// unless its metadata records that.
void leave_open_what_one_member_cannot_tell(const HostFacts& facts, Volume& set) {
    if (facts.disks.size() > 1 || !facts.mounts.empty() || set.state || set.columns.value_or(1) < 2) return;
    const auto named = [](const Component& c) { return !c.name.empty(); };
    const auto one = std::find_if(set.components.begin(), set.components.end(), named);
    if (std::count_if(set.components.begin(), set.components.end(), named) != 1 || !read_from_device(*one) ||
        one->state.is(ComponentState::failed))
        return;
    std::erase_if(set.components, [](const Component& c) {
        return c.name.empty() && c.state.is(ComponentState::missing) &&
               c.state.from().kind() == Provenance::Kind::inferred;
    });
    // What is recorded as lost decides about the state; of the others nothing speaks against them.
    const bool recorded = std::any_of(set.components.begin(), set.components.end(),
                                      [&](const Component& c) { return c.name.empty(); });
    if (!recorded) set.components_complete = Flag(false, set.columns.from());
}

}  // namespace

void derive(HostFacts& facts, bool whole_host) {
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
        if (!whole_host) leave_open_what_one_member_cannot_tell(facts, v);
        derive_volume(v);
    }
    join_shortened_points(facts);
    derive_filesystems(facts);
}

}  // namespace diskwright
