// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/storage_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "probes/model/drive_models.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t deepest = 32;  // a device cannot lie on itself; hostile facts may say so

bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool letter(char c) {
    return c >= 'a' && c <= 'z';
}

// The class folder of a GEOM name: "mirror/gm0" -> "gm0".
std::string_view without_class(std::string_view name) {
    static constexpr std::array<std::string_view, 7> classes{"mirror/", "stripe/",  "raid3/", "concat/",
                                                             "raid/",   "journal/", "mapper/"};
    for (const auto c : classes)
        if (name.starts_with(c)) return name.substr(c.size());
    return name;
}

// Base names whose partitions take "p" and a number: they end in a digit themselves (Linux).
bool takes_p(std::string_view base) {
    return base.starts_with("nvme") || base.starts_with("mmcblk") || base.starts_with("md") ||
           base.starts_with("loop") || base.starts_with("nbd");
}

// Linux disks named by letters: sda, vdb, xvda, hda, sdaa.
bool letter_disk(std::string_view base) {
    for (const std::string_view prefix : {"sd", "vd", "xvd", "hd"}) {
        if (!base.starts_with(prefix)) continue;
        const auto rest = base.substr(prefix.size());
        if (!rest.empty() && std::all_of(rest.begin(), rest.end(), letter)) return true;
    }
    return false;
}

// Spellings of one device differ only in front of its last part, and there by the r of a raw device. Says no
// to nearly all pairs without building a string: rules compare every name with every other.
bool may_be_same_device(std::string_view a, std::string_view b) {
    const auto last_part = [](std::string_view name) {
        if (name.ends_with('/')) name.remove_suffix(1);
        return name.substr(name.rfind('/') + 1);
    };
    const auto x = last_part(a), y = last_part(b);
    if (x.size() == y.size()) return x == y;
    return x.size() < y.size() ? y.ends_with(x) && y.size() == x.size() + 1
                               : x.ends_with(y) && x.size() == y.size() + 1;
}

}  // namespace

bool same_device(std::string_view a, std::string_view b) {
    if (a == b) return true;
    if (!may_be_same_device(a, b)) return false;
    const std::string left = device_name(a), right = device_name(b);
    if (left == right) return true;
    const auto x = without_class(left), y = without_class(right);
    // gm0 is mirror/gm0, but mirror/x is not stripe/x.
    return x == y && (x.size() == left.size() || y.size() == right.size());
}

std::string whole_device_name(std::string_view partition) {
    const std::string name = device_name(partition);
    if (const auto at = name.find_last_of(":#"); at != std::string::npos) return name.substr(0, at);
    std::size_t end = name.size();
    while (end > 0 && digit(name[end - 1])) --end;
    if (end == name.size()) {
        // A letter at the end: wd0e, ada0s1a, raid0a, da0a, mirror/gm0s1e; Linux disks end in a letter too.
        if (end < 2 || !letter(name[end - 1]) || letter_disk(name)) return {};
        return digit(name[end - 2]) ? name.substr(0, end - 1) : std::string{};
    }
    if (end == 0) return {};
    if (letter_disk(std::string_view(name).substr(0, end))) return name.substr(0, end);
    // ada0p2, ada0s1, nvme0n1p3, md0p1: a letter p or s after a digit.
    if (end >= 2 && (name[end - 1] == 'p' || name[end - 1] == 's') && digit(name[end - 2])) {
        const auto base = name.substr(0, end - 1);
        return name[end - 1] == 'p' || !takes_p(base) ? base : std::string{};
    }
    // mirror/datap2: GEOM names need not end in a digit.
    if (name.find('/') != std::string::npos && end >= 2 && (name[end - 1] == 'p' || name[end - 1] == 's'))
        return name.substr(0, end - 1);
    return {};
}

std::string disk_name(std::string_view device) {
    std::string name = device_name(device);
    for (std::size_t i = 0; i < deepest; ++i) {
        auto parent = whole_device_name(name);
        if (parent.empty()) break;
        name = std::move(parent);
    }
    return name;
}

Number reserved_bytes(const Volume& volume, const Component& component) {
    if (component.data_offset_bytes) return component.data_offset_bytes;
    if (!volume.kind) return Number::unknown("kind of the volume");
    const Provenance& from = volume.kind.from();
    switch (*volume.kind) {
        case VolumeKind::raidframe: {
            // rf_protectedSectors: 64 sectors of the component's own size.
            const auto sector =
                component.logical_sector_bytes ? component.logical_sector_bytes : volume.logical_sector_bytes;
            return Number(64 * sector.value_or(512), from);
        }
        case VolumeKind::softraid:
            return Number(std::uint64_t{528} * 512, from);  // SR_DATA_OFFSET
        case VolumeKind::gmirror:
        case VolumeKind::gstripe:
        case VolumeKind::graid3:
        case VolumeKind::graid:
        case VolumeKind::gconcat:
        case VolumeKind::hardware:
            return Number(0, from);
        case VolumeKind::md:
            if (volume.metadata && (volume.metadata->starts_with("0.90") || *volume.metadata == "1.0"))
                return Number(0, from);
            return Number::unknown(fmt::format("mdadm --examine /dev/{}", component.name));
        case VolumeKind::ccd:  // 16 sectors on FreeBSD (sys/geom/geom_ccd.c, CCD_OFFSET), else none
        case VolumeKind::lvm:
        case VolumeKind::crypto:
        case VolumeKind::zfs:
            break;
    }
    return Number::unknown("data offset of the component");
}

std::optional<std::uint64_t> copies(const Volume& volume) {
    if (!volume.level) return std::nullopt;
    const bool mirror = *volume.level == RaidLevel::raid1 || *volume.level == RaidLevel::raid10;
    if (!mirror) return 1;
    if (volume.kind.is(VolumeKind::raidframe)) return 2;
    if (!volume.columns) return std::nullopt;
    if (*volume.level == RaidLevel::raid1) return *volume.columns;
    if (volume.data_disks && *volume.data_disks > 0) return *volume.columns / *volume.data_disks;
    return std::nullopt;  // near=2 on three disks: see layout
}

bool is_parity(const Volume& volume) {
    return volume.level.is(RaidLevel::raid3) || volume.level.is(RaidLevel::raid4) ||
           volume.level.is(RaidLevel::raid5) || volume.level.is(RaidLevel::raid6);
}

bool is_striped(const Volume& volume) {
    if (volume.level.is(RaidLevel::raid1))
        return volume.kind.is(VolumeKind::raidframe) && volume.data_disks.value_or(1) > 1;
    return volume.level.is(RaidLevel::raid0) || volume.level.is(RaidLevel::raid4) ||
           volume.level.is(RaidLevel::raid5) || volume.level.is(RaidLevel::raid6) ||
           volume.level.is(RaidLevel::raid10);
}

Number full_stripe_bytes(const Volume& volume) {
    if (!volume.stripe_unit_bytes) return Number::unknown("stripe unit");
    if (!volume.data_disks) return Number::unknown("number of data disks");
    const auto product = multiply(*volume.stripe_unit_bytes, *volume.data_disks);
    return product ? Number(*product, volume.stripe_unit_bytes.from())
                   : Number::unknown("stripe out of range");
}

std::vector<const Component*> data_components(const Volume& volume) {
    std::vector<const Component*> out;
    for (const Component& c : volume.components) {
        if (c.state.is(ComponentState::spare)) continue;
        if (c.role && (*c.role == "log" || *c.role == "cache" || *c.role == "journal" || *c.role == "spare"))
            continue;
        out.push_back(&c);
    }
    return out;
}

template <class T>
void StorageGraph::Index<T>::add(std::string_view name, const T* element) {
    const std::string key = device_name(name);
    exact_.emplace(key, element);
    bare_.emplace(std::string(without_class(key)), element);
}

template <class T>
const T* StorageGraph::Index<T>::find(std::string_view name) const {
    const std::string key = device_name(name);
    if (const auto at = exact_.find(key); at != exact_.end()) return at->second;
    // gm0 is mirror/gm0 and the other way round, but mirror/x is not stripe/x.
    const auto bare = without_class(key);
    const auto& where = bare.size() == key.size() ? bare_ : exact_;
    const auto at = where.find(bare);
    return at == where.end() ? nullptr : at->second;
}

StorageGraph::StorageGraph(const HostFacts& facts) : facts_(&facts) {
    for (const Disk& d : facts.disks) disks_.add(d.name, &d);
    for (const Partition& p : facts.partitions) partitions_.add(p.name, &p);
    for (const Volume& v : facts.volumes) {
        volumes_.add(v.name, &v);
        for (const Component& c : v.components)
            if (!c.name.empty()) components_.add(c.name, &v);
    }
    for (const Filesystem& f : facts.filesystems) filesystems_.add(f.device, &f);
    for (const Mount& m : facts.mounts)
        if (m.device) mounts_.add(*m.device, &m);
    for (const FstabEntry& e : facts.fstab) fstab_.add(e.device, &e);
    for (const SwapArea& s : facts.swap) swap_.add(s.device, &s);
}

const Disk* StorageGraph::disk(std::string_view name) const {
    return disks_.find(name);
}
const Partition* StorageGraph::partition(std::string_view name) const {
    return partitions_.find(name);
}
const Volume* StorageGraph::volume(std::string_view name) const {
    return volumes_.find(name);
}
const Filesystem* StorageGraph::filesystem(std::string_view device) const {
    return filesystems_.find(device);
}
const Mount* StorageGraph::mount_of(std::string_view device) const {
    return mounts_.find(device);
}
const FstabEntry* StorageGraph::fstab_of(std::string_view device) const {
    return fstab_.find(device);
}
const SwapArea* StorageGraph::swap_on(std::string_view device) const {
    return swap_.find(device);
}
const Volume* StorageGraph::volume_with_component(std::string_view device) const {
    return components_.find(device);
}

StorageGraph::Start StorageGraph::start_on_base(std::string_view device) const {
    Start start{device_name(device), Number(0, {})};
    for (std::size_t depth = 0; depth < deepest; ++depth) {
        const Partition* p = partition(start.base);
        if (!p) {
            const auto parent = whole_device_name(start.base);
            if (parent.empty() || disk(start.base) || volume(start.base)) return start;
            start.base = disk_name(start.base);
            start.bytes = Number::unknown(fmt::format("start of {}", device_name(device)));
            return start;
        }
        if (start.bytes.known()) {
            if (!p->start_bytes)
                start.bytes = Number::unknown(fmt::format("start of {}", p->name));
            else if (const auto sum = add(*start.bytes, *p->start_bytes))
                start.bytes = Number(*sum, depth == 0 ? p->start_bytes.from() : start.bytes.from());
            else
                start.bytes = Number::unknown(fmt::format("start of {} is out of range", p->name));
        }
        const std::string parent = p->parent.empty() ? whole_device_name(p->name) : device_name(p->parent);
        if (parent.empty() || parent == start.base) return start;
        start.base = parent;
    }
    start.bytes = Number::unknown("partitions lie on each other");
    return start;
}

Number StorageGraph::start_on_disk(std::string_view device) const {
    const Start start = start_on_base(device);
    if (const Volume* v = volume(start.base); v && !disk(start.base))
        return Number::unknown(fmt::format("{} lies on {}", device_name(device), v->name));
    return start.bytes;
}

StorageGraph::OnVolume StorageGraph::on_volume(std::string_view device) const {
    const Start start = start_on_base(device);
    return {volume(start.base), start.bytes};
}

std::vector<std::string> StorageGraph::disks_under(std::string_view device) const {
    std::set<std::string> out, seen;
    std::vector<std::string> open{device_name(device)};
    while (!open.empty()) {
        const std::string name = std::move(open.back());
        open.pop_back();
        if (!seen.insert(name).second) continue;
        const std::string base = start_on_base(name).base;
        const Volume* v = volume(base);
        if (!v || v->kind.is(VolumeKind::hardware)) {
            out.insert(base);
            continue;
        }
        for (const Component& c : v->components)
            if (!c.name.empty()) open.push_back(c.name);
    }
    return {out.begin(), out.end()};
}

StorageGraph::Medium StorageGraph::medium(std::string_view device) const {
    Medium out;
    const auto names = disks_under(device);
    bool first = true, all_512n = !names.empty();
    const auto combine_largest = [&](Number& into, const Number& now, const std::string& what) {
        if (!now.known()) {
            into = Number::unknown(what);
        } else if (first) {
            into = now;
        } else if (into.known() && *now > *into) {
            into = now;
        }
    };
    const auto combine_same = [&](Flag& into, const Flag& now, const std::string& what) {
        if (!now.known() || (!first && into.known() && *into != *now))
            into = Flag::unknown(what);
        else if (first)
            into = now;
    };
    for (const auto& name : names) {
        const Disk* d = disk(name);
        static const Disk nothing;
        if (!d) d = &nothing;
        const DriveModel* model = d->model ? find_drive_model(*d->model) : nullptr;
        Number physical = d->physical_sector_bytes;
        // A drive that is known to report less than it has: the larger one counts (ALIGN008).
        if (model && model->physical_sector && model->physical_sector > physical.value_or(0))
            physical =
                Number(model->physical_sector, Provenance(d->model.from().source(), d->model.from().line(),
                                                          d->model.from().text(), Provenance::Kind::table));
        // A logical sector above 512 is a lower bound that cannot be a lie.
        if (!physical && d->logical_sector_bytes && *d->logical_sector_bytes >= 4096)
            physical = d->logical_sector_bytes;
        combine_largest(out.physical_sector_bytes, physical, fmt::format("physical sector of {}", name));
        combine_largest(out.logical_sector_bytes, d->logical_sector_bytes,
                        fmt::format("logical sector of {}", name));
        combine_largest(out.physical_offset_bytes,
                        d->physical_offset_bytes ? d->physical_offset_bytes : Number(0, {}), {});
        combine_same(out.rotational, d->rotational, fmt::format("whether {} rotates", name));
        combine_same(out.removable, d->removable, fmt::format("whether {} is removable", name));
        combine_same(out.thin, d->thin, fmt::format("whether {} is thin-provisioned", name));
        all_512n = all_512n && physical.is(512);
        first = false;
    }
    out.known_512n = all_512n;
    return out;
}

Number StorageGraph::size_of(std::string_view device) const {
    if (const Partition* p = partition(device); p && p->size_bytes) return p->size_bytes;
    if (const Volume* v = volume(device); v && v->size_bytes) return v->size_bytes;
    if (const Disk* d = disk(device); d && d->size_bytes) return d->size_bytes;
    return Number::unknown(fmt::format("size of {}", device_name(device)));
}

}  // namespace diskwright
