// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/model/mount_options.hpp"
#include "probes/model/storage_graph.hpp"

namespace diskwright {
namespace {

Provenance as_changed(const Change& change) {
    return Provenance("change", 0, fmt::format("{}: {}", change.subject, to_string(change.value)),
                      Provenance::Kind::inferred);
}

template <class T>
Known<T> value_of(const Change& change) {
    if (const T* value = std::get_if<T>(&change.value)) return Known<T>(*value, as_changed(change));
    return {};
}
template <class E>
Known<E> enum_of(const Change& change) {
    const auto* name = std::get_if<std::string>(&change.value);
    const auto e = name ? from_string<E>(*name) : std::nullopt;
    return e ? Known<E>(*e, as_changed(change)) : Known<E>{};
}

Disk* find_disk(HostFacts& facts, const std::string& name) {
    for (Disk& d : facts.disks)
        if (same_device(d.name, name)) return &d;
    return nullptr;
}
Partition* find_partition(HostFacts& facts, const std::string& name) {
    for (Partition& p : facts.partitions)
        if (same_device(p.name, name)) return &p;
    return nullptr;
}
Volume* find_volume(HostFacts& facts, const std::string& name) {
    for (Volume& v : facts.volumes)
        if (same_device(v.name, name)) return &v;
    return nullptr;
}
Filesystem* find_filesystem(HostFacts& facts, const std::string& device) {
    for (Filesystem& f : facts.filesystems)
        if (same_device(f.device, device)) return &f;
    return nullptr;
}
Mount* find_mount(HostFacts& facts, const std::string& point) {
    for (Mount& m : facts.mounts)
        if (m.point == point || (m.device && same_device(*m.device, point))) return &m;
    return nullptr;
}
FstabEntry* find_fstab(HostFacts& facts, const std::string& point) {
    for (FstabEntry& e : facts.fstab)
        if (e.point == point || same_device(e.device, point)) return &e;
    return nullptr;
}

template <auto Member>
bool set_partition(HostFacts& facts, const Change& change) {
    Partition* p = find_partition(facts, change.subject);
    if (p) p->*Member = value_of<typename std::remove_reference_t<decltype(p->*Member)>::value_type>(change);
    return p != nullptr;
}
template <auto Member>
bool set_filesystem(HostFacts& facts, const Change& change) {
    Filesystem* f = find_filesystem(facts, change.subject);
    if (f) f->*Member = value_of<typename std::remove_reference_t<decltype(f->*Member)>::value_type>(change);
    return f != nullptr;
}
template <auto Member>
bool set_volume(HostFacts& facts, const Change& change) {
    Volume* v = find_volume(facts, change.subject);
    if (v) v->*Member = value_of<typename std::remove_reference_t<decltype(v->*Member)>::value_type>(change);
    return v != nullptr;
}

// ---- what needs more than one member

// A table that describes more of its device is made to use it: what lay last takes the rest. The copy of a
// GPT at the end fits into what alignment leaves there.
void fill_device(HostFacts& facts, const std::string& device, const Change& change) {
    constexpr std::uint64_t left_at_end = std::uint64_t{1} << 20;
    const Number size = StorageGraph(facts).size_of(device);
    Partition* last = nullptr;
    for (Partition& p : facts.partitions)
        if (same_device(p.parent, device) && p.start_bytes && p.size_bytes && *p.size_bytes > 0 &&
            (!last || *p.start_bytes > *last->start_bytes))
            last = &p;
    if (!last || !size || *size <= left_at_end || *last->start_bytes >= *size - left_at_end) return;
    last->size_bytes = Number(*size - left_at_end - *last->start_bytes, as_changed(change));
}

bool apply_table_scheme(HostFacts& facts, const Change& change) {
    const auto scheme = enum_of<Scheme>(change);
    bool found = false;
    for (PartitionTable& t : facts.tables)
        if (same_device(t.parent, change.subject)) t.scheme = scheme, found = true;
    for (Partition& p : facts.partitions)
        if (same_device(p.parent, change.subject)) p.scheme = scheme, found = true;
    if (scheme.is(Scheme::gpt)) fill_device(facts, change.subject, change);
    return found && scheme.known();
}

bool forget_events(HostFacts& facts, const std::string& subject, std::initializer_list<Event::Kind> kinds) {
    const auto before = facts.events.size();
    std::erase_if(facts.events, [&](const Event& e) {
        return same_device(e.subject, subject) &&
               std::find(kinds.begin(), kinds.end(), e.kind) != kinds.end();
    });
    return facts.events.size() != before;
}

bool apply_gpt_recover(HostFacts& facts, const Change& change) {
    // What was damaged at that place is written anew.
    std::erase_if(facts.damages, [&](const Damage& d) {
        return std::any_of(facts.events.begin(), facts.events.end(), [&](const Event& e) {
            return (e.kind == Event::Kind::primary_gpt_corrupt ||
                    e.kind == Event::Kind::secondary_gpt_missing) &&
                   same_device(e.subject, change.subject) && e.from.kind() == Provenance::Kind::device &&
                   e.from.source() == d.from.source();
        });
    });
    bool found = forget_events(facts, change.subject,
                               {Event::Kind::primary_gpt_corrupt, Event::Kind::secondary_gpt_missing});
    for (PartitionTable& t : facts.tables)
        if (same_device(t.parent, change.subject) && t.corrupt.is(true)) t.corrupt.reset(), found = true;
    return found;
}

// The message may be about the disk, the metadata on a partition of it.
bool apply_metadata_clear(HostFacts& facts, const Change& change) {
    bool found = false;
    for (const std::string& subject : {change.subject, disk_name(change.subject)})
        found = forget_events(facts, subject,
                              {Event::Kind::stale_raid_metadata, Event::Kind::stale_gpt,
                               Event::Kind::primary_gpt_corrupt, Event::Kind::secondary_gpt_missing}) ||
                found;
    return found;
}

bool apply_ffs_optimization(HostFacts& facts, const Change& change) {
    Filesystem* f = find_filesystem(facts, change.subject);
    if (f) f->optimization = enum_of<Optimization>(change);
    return f != nullptr;
}

// The superblock's flag shows among the mount options, too.
bool apply_softupdates(HostFacts& facts, const Change& change) {
    const bool* on = std::get_if<bool>(&change.value);
    bool found = set_filesystem<&Filesystem::softupdates>(facts, change);
    for (Mount& m : facts.mounts)
        if (m.device && same_device(*m.device, change.subject) && m.options && on) {
            auto options = *m.options;
            std::erase_if(options,
                          [](const std::string& o) { return canonical_mount_option(o) == "softdep"; });
            if (*on) options.emplace_back("soft-updates");
            m.options = TextList(std::move(options), as_changed(change)), found = true;
        }
    return found;
}

bool apply_su_journal(HostFacts& facts, const Change& change) {
    const bool* on = std::get_if<bool>(&change.value);
    bool found = set_filesystem<&Filesystem::su_journal>(facts, change);
    for (Mount& m : facts.mounts)
        if (m.device && same_device(*m.device, change.subject) && m.options && on) {
            auto options = *m.options;
            const auto soft = [](const std::string& o) {
                return canonical_mount_option(o) == "softdep" || canonical_mount_option(o) == "suj";
            };
            // Without the journal soft updates stay.
            const bool before = std::any_of(options.begin(), options.end(), soft);
            std::erase_if(options, soft);
            if (*on)
                options.emplace_back("journaled soft-updates");
            else if (before)
                options.emplace_back("soft-updates");
            m.options = TextList(std::move(options), as_changed(change)), found = true;
        }
    return found;
}

// The number of inodes follows, as newfs counts them.
bool apply_density(HostFacts& facts, const Change& change) {
    if (!set_filesystem<&Filesystem::bytes_per_inode>(facts, change)) return false;
    Filesystem* f = find_filesystem(facts, change.subject);
    const Number size = f->size_bytes ? f->size_bytes : StorageGraph(facts).size_of(f->device);
    if (f->inodes && size && f->bytes_per_inode.value_or(0) > 0)
        f->inodes = Number(*size / *f->bytes_per_inode, as_changed(change));
    return true;
}

// What does not fit into the partition any longer was made anew in it.
bool apply_partition_size(HostFacts& facts, const Change& change) {
    if (!set_partition<&Partition::size_bytes>(facts, change)) return false;
    const Partition* p = find_partition(facts, change.subject);
    Filesystem* f = find_filesystem(facts, change.subject);
    if (f && p->size_bytes && f->size_bytes && *f->size_bytes > *p->size_bytes) f->size_bytes = p->size_bytes;
    return true;
}

// What was measured of the set before it was made anew does not hold.
void forget_measurements(HostFacts& facts, const std::string& set) {
    std::erase_if(facts.io_traces, [&](const IoTrace& t) { return same_device(t.device, set); });
    std::erase_if(facts.throughputs, [&](const Throughput& t) { return same_device(t.device, set); });
}

bool apply_stripe_unit(HostFacts& facts, const Change& change) {
    if (!set_volume<&Volume::stripe_unit_bytes>(facts, change)) return false;
    forget_measurements(facts, change.subject);
    return true;
}

bool apply_filesystem_size(HostFacts& facts, const Change& change) {
    Filesystem* f = find_filesystem(facts, change.subject);
    const auto size = value_of<std::uint64_t>(change);
    if (!f || !size) return false;
    f->size_bytes = *size == 0 ? StorageGraph(facts).size_of(f->device) : size;
    return true;
}

bool set_option(TextList& list, const std::string& option, bool on, const Change& change) {
    std::vector<std::string> options = list.value_or({});
    const std::string name = canonical_mount_option(option);
    std::erase_if(options, [&](const std::string& o) { return canonical_mount_option(o) == name; });
    if (on) options.push_back(option);
    list = TextList(std::move(options), as_changed(change));
    return true;
}

// What the option means for the file system itself, where mounting decides it.
void follow_option(HostFacts& facts, const Mount& m, const std::string& option, bool on,
                   const Change& change) {
    if (!m.device) return;
    Filesystem* f = find_filesystem(facts, *m.device);
    if (f && option == "log") f->wapbl = Flag(on, as_changed(change));
}

bool apply_mount_option(HostFacts& facts, const Change& change, bool on) {
    const auto* option = std::get_if<std::string>(&change.value);
    if (!option) return false;
    bool found = false;
    if (Mount* m = find_mount(facts, change.subject)) {
        found = set_option(m->options, *option, on, change);
        follow_option(facts, *m, *option, on, change);
    }
    if (FstabEntry* e = find_fstab(facts, change.subject))
        found = set_option(e->options, *option, on, change);
    return found;
}
bool apply_option_on(HostFacts& facts, const Change& change) {
    return apply_mount_option(facts, change, true);
}
bool apply_option_off(HostFacts& facts, const Change& change) {
    return apply_mount_option(facts, change, false);
}

bool apply_fstab_pass(HostFacts& facts, const Change& change) {
    FstabEntry* e = find_fstab(facts, change.subject);
    if (e) e->pass = value_of<std::uint64_t>(change);
    return e != nullptr;
}

bool apply_fstab_options(HostFacts& facts, const Change& change) {
    FstabEntry* e = find_fstab(facts, change.subject);
    const auto* text = std::get_if<std::string>(&change.value);
    if (!e || !text) return false;
    std::vector<std::string> options;
    std::string word;
    for (const char c : *text + ",") {
        if (c != ',')
            word += c;
        else if (!word.empty())
            options.push_back(std::move(word)), word.clear();
    }
    e->options = TextList(std::move(options), as_changed(change));
    return true;
}

bool apply_fstrim(HostFacts& facts, const Change& change) {
    std::erase_if(facts.events, [](const Event& e) { return e.kind == Event::Kind::fstrim_absent; });
    facts.events.push_back({"", Event::Kind::fstrim_timer, "enabled", as_changed(change)});
    return true;
}

bool apply_raid_level(HostFacts& facts, const Change& change) {
    Volume* v = find_volume(facts, change.subject);
    if (v) v->level = enum_of<RaidLevel>(change);
    return v != nullptr;
}

bool apply_raid_rebuild(HostFacts& facts, const Change& change) {
    Volume* v = find_volume(facts, change.subject);
    if (!v) return false;
    for (Component& c : v->components) {
        if (c.state.is(ComponentState::failed) || c.state.is(ComponentState::missing) ||
            c.state.is(ComponentState::rebuilding))
            c.state = Known<ComponentState>(ComponentState::optimal, as_changed(change)), c.events.reset();
        if (c.state.is(ComponentState::spare))
            c.state = Known<ComponentState>(ComponentState::used_spare, as_changed(change));
    }
    if (v->state.known()) v->state = Known<VolumeState>(VolumeState::optimal, as_changed(change));
    forget_measurements(facts, change.subject);
    v->activity.reset(), v->activity_progress.reset(), v->activity_percent.reset();
    return true;
}

bool apply_raid_spare(HostFacts& facts, const Change& change) {
    Volume* v = find_volume(facts, change.subject);
    if (v) v->spares = Number(v->spares.value_or(0) + 1, as_changed(change));
    return v != nullptr;
}

bool apply_parity_rewrite(HostFacts& facts, const Change& change) {
    Volume* v = find_volume(facts, change.subject);
    if (!v) return false;
    v->parity_clean = Flag(true, as_changed(change));
    v->activity.reset(), v->activity_progress.reset(), v->activity_percent.reset();
    return true;
}

bool apply_raid_root(HostFacts& facts, const Change& change) {
    if (!set_volume<&Volume::root>(facts, change)) return false;
    find_volume(facts, change.subject)->boot_wanted.reset();
    return true;
}

bool apply_component_move(HostFacts& facts, const Change& change) {
    Volume* v = find_volume(facts, change.subject);
    const auto* name = std::get_if<std::string>(&change.value);
    if (!v || !name) return false;
    for (Component& c : v->components)
        if (same_device(c.name, *name)) c.name += "-moved";
    return true;
}

bool apply_reshape(HostFacts& facts, const Change& change) {
    Volume* v = find_volume(facts, change.subject);
    if (!v) return false;
    v->reshape_position_bytes.reset(), v->reshape_change.reset(), v->activity.reset(),
        v->activity_progress.reset();
    return true;
}

// The members of a set that does not run are listed as spares. What it was at goes on, to its end.
bool apply_run(HostFacts& facts, const Change& change) {
    Volume* v = find_volume(facts, change.subject);
    if (!v) return false;
    v->state = Known<VolumeState>(VolumeState::optimal, as_changed(change));
    for (Component& c : v->components)
        if (c.state.is(ComponentState::spare))
            c.state = Known<ComponentState>(ComponentState::optimal, as_changed(change));
    v->spares.reset();
    v->activity.reset(), v->activity_progress.reset(), v->activity_percent.reset();
    return true;
}

bool apply_write_cache(HostFacts& facts, const Change& change) {
    Disk* d = find_disk(facts, change.subject);
    if (d) d->write_cache = enum_of<Switch>(change);
    return d != nullptr;
}

bool apply_disk_replace(HostFacts& facts, const Change& change) {
    const std::string name = change.subject;
    // An error may be logged of one of its partitions.
    std::erase_if(facts.events, [&](const Event& e) {
        return e.kind == Event::Kind::medium_error &&
               (same_device(e.subject, name) || same_device(disk_name(e.subject), name));
    });
    Disk* d = find_disk(facts, name);
    if (!d) return true;
    Disk fresh;
    fresh.name = d->name, fresh.size_bytes = d->size_bytes, fresh.rotational = d->rotational;
    fresh.logical_sector_bytes = d->logical_sector_bytes,
    fresh.physical_sector_bytes = d->physical_sector_bytes;
    *d = std::move(fresh);
    return true;
}

bool apply_sysctl(HostFacts& facts, const Change& change) {
    const auto* value = std::get_if<std::string>(&change.value);
    if (!value) return false;
    facts.sysctls[change.subject] = Text(*value, as_changed(change));
    // How often a journal commits depends on what a commit costs: what was counted before does not hold.
    if (change.subject == "vfs.wapbl.flush_disk_cache")
        for (JournalRate& rate : facts.journal_rates) rate.commits_per_s.reset(), rate.flushes_per_s.reset();
    return true;
}

bool apply_swap_remove(HostFacts& facts, const Change& change) {
    const auto same = [&](const auto& e) { return same_device(e.device, change.subject); };
    const auto count = std::erase_if(facts.swap, same) + std::erase_if(facts.fstab, same);
    if (Partition* p = find_partition(facts, change.subject)) p->type = Text("unused", as_changed(change));
    return count > 0 || find_partition(facts, change.subject);
}

bool apply_swap_size(HostFacts& facts, const Change& change) {
    bool found = set_partition<&Partition::size_bytes>(facts, change);
    for (SwapArea& s : facts.swap)
        if (same_device(s.device, change.subject))
            s.size_bytes = value_of<std::uint64_t>(change), found = true;
    return found;
}

// A component to come: as many as are missing, the state follows.
bool apply_add_component(HostFacts& facts, const Change& change) {
    return apply_raid_rebuild(facts, change);
}

constexpr std::array rows{
    SettingInfo{Setting::partition_start, "offset", "start of the partition", Risk::destroys_data,
                set_partition<&Partition::start_bytes>},
    SettingInfo{Setting::partition_size, "size", "size of the partition", Risk::recreates_filesystem,
                apply_partition_size},
    SettingInfo{Setting::partition_type, "fstype", "type of the partition", Risk::writes_metadata,
                set_partition<&Partition::type>},
    SettingInfo{Setting::table_scheme, "scheme", "kind of partition table", Risk::destroys_data,
                apply_table_scheme},
    SettingInfo{Setting::gpt_recover, "recover", "restore one copy of the GPT from the other",
                Risk::writes_metadata, apply_gpt_recover},
    SettingInfo{Setting::stale_metadata_clear, "clear", "remove left-over metadata", Risk::writes_metadata,
                apply_metadata_clear},
    SettingInfo{Setting::ffs_format, "-O", "format of the file system", Risk::recreates_filesystem,
                set_filesystem<&Filesystem::type>},
    SettingInfo{Setting::ffs_bsize, "bsize", "block size", Risk::recreates_filesystem,
                set_filesystem<&Filesystem::bsize>},
    SettingInfo{Setting::ffs_fsize, "fsize", "fragment size", Risk::recreates_filesystem,
                set_filesystem<&Filesystem::fsize>},
    SettingInfo{Setting::ffs_density, "density", "bytes per inode", Risk::recreates_filesystem,
                apply_density},
    SettingInfo{Setting::ffs_minfree, "minfree", "space kept free", Risk::writes_metadata,
                set_filesystem<&Filesystem::minfree_percent>},
    SettingInfo{Setting::ffs_optimization, "optimization", "allocation preference", Risk::writes_metadata,
                apply_ffs_optimization},
    SettingInfo{Setting::ffs_trim, "trim", "TRIM of freed blocks", Risk::writes_metadata,
                set_filesystem<&Filesystem::trim>},
    SettingInfo{Setting::ffs_softupdates, "softupdates", "soft updates", Risk::writes_metadata,
                apply_softupdates},
    SettingInfo{Setting::ffs_su_journal, "su_journal", "soft updates journal", Risk::writes_metadata,
                apply_su_journal},
    SettingInfo{Setting::wapbl_log_bytes, "log size", "size of the journal", Risk::writes_metadata,
                set_filesystem<&Filesystem::wapbl_log_bytes>},
    SettingInfo{Setting::filesystem_size, "size", "size of the file system", Risk::writes_metadata,
                apply_filesystem_size},
    SettingInfo{Setting::ext_stride, "stride", "RAID stride", Risk::writes_metadata,
                set_filesystem<&Filesystem::stride_bytes>},
    SettingInfo{Setting::ext_stripe_width, "stripe_width", "RAID stripe width", Risk::writes_metadata,
                set_filesystem<&Filesystem::stripe_width_bytes>},
    SettingInfo{Setting::xfs_sunit, "sunit", "stripe unit of the file system", Risk::remount,
                set_filesystem<&Filesystem::sunit_bytes>},
    SettingInfo{Setting::xfs_swidth, "swidth", "stripe width of the file system", Risk::remount,
                set_filesystem<&Filesystem::swidth_bytes>},
    SettingInfo{Setting::mount_option_on, "mount option", "mount option, on", Risk::remount, apply_option_on},
    SettingInfo{Setting::mount_option_off, "mount option", "mount option, off", Risk::remount,
                apply_option_off},
    SettingInfo{Setting::fstab_pass, "fs_passno", "fsck pass in fstab", Risk::none, apply_fstab_pass},
    SettingInfo{Setting::fstab_options, "fs_mntops", "options in fstab", Risk::none, apply_fstab_options},
    SettingInfo{Setting::fstrim_timer, "fstrim.timer", "weekly TRIM", Risk::none, apply_fstrim},
    SettingInfo{Setting::raid_stripe_unit, "sectPerSU", "stripe unit", Risk::recreates_array,
                apply_stripe_unit},
    SettingInfo{Setting::raid_level, "level", "RAID level", Risk::recreates_array, apply_raid_level},
    SettingInfo{Setting::raid_rebuild, "rebuild", "rebuild of the missing component", Risk::writes_metadata,
                apply_raid_rebuild},
    SettingInfo{Setting::raid_add_component, "add", "a component in place of the missing one",
                Risk::writes_metadata, apply_add_component},
    SettingInfo{Setting::raid_spare, "spare", "a hot spare", Risk::writes_metadata, apply_raid_spare},
    SettingInfo{Setting::raid_parity_rewrite, "parity", "rewrite of the parity", Risk::writes_metadata,
                apply_parity_rewrite},
    SettingInfo{Setting::raid_parity_map, "parity map", "parity map or write-intent bitmap",
                Risk::writes_metadata, set_volume<&Volume::parity_map>},
    SettingInfo{Setting::raid_autoconfigure, "autoconfigure", "configuration at boot", Risk::writes_metadata,
                set_volume<&Volume::autoconfigure>},
    SettingInfo{Setting::raid_root, "root", "root on the set", Risk::writes_metadata, apply_raid_root},
    SettingInfo{Setting::raid_component_move, "component", "disk of a component", Risk::recreates_array,
                apply_component_move},
    SettingInfo{Setting::raid_component_start, "offset", "start of a component", Risk::recreates_array,
                set_partition<&Partition::start_bytes>},
    SettingInfo{Setting::raid_reshape_continue, "reshape", "an unfinished reshape", Risk::writes_metadata,
                apply_reshape},
    SettingInfo{Setting::raid_run, "run", "start of the set", Risk::writes_metadata, apply_run},
    SettingInfo{Setting::gmirror_balance, "balance", "read balance", Risk::writes_metadata,
                set_volume<&Volume::balance>},
    SettingInfo{Setting::crypto_sector, "sector", "sector of the crypto layer", Risk::destroys_data,
                set_volume<&Volume::crypto_sector_bytes>},
    SettingInfo{Setting::zfs_ashift, "ashift", "sector shift of the vdev", Risk::destroys_data,
                set_volume<&Volume::ashift>},
    SettingInfo{Setting::disk_write_cache, "write cache", "write cache of the drive", Risk::none,
                apply_write_cache},
    SettingInfo{Setting::disk_replace, "disk", "another disk in its place", Risk::none, apply_disk_replace},
    SettingInfo{Setting::controller_battery, "battery", "battery of the controller", Risk::none,
                set_volume<&Volume::battery>},
    SettingInfo{Setting::sysctl, "sysctl", "kernel variable", Risk::none, apply_sysctl},
    SettingInfo{Setting::swap_remove, "swap", "swap on this device", Risk::none, apply_swap_remove},
    SettingInfo{Setting::swap_size, "swap size", "size of the swap area", Risk::destroys_data,
                apply_swap_size},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (static_cast<std::size_t>(rows[i].setting) != i) return false;
    return rows.size() == static_cast<std::size_t>(Setting::swap_size) + 1;
}
static_assert(in_order(), "one row per enumerator, in their order");

}  // namespace

std::span<const SettingInfo> settings() {
    return rows;
}
const SettingInfo& info(Setting setting) {
    return rows.at(static_cast<std::size_t>(setting));
}

std::string to_string(const SettingValue& value) {
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *number);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
    return std::get<std::string>(value);
}

bool apply_changes(HostFacts& facts, std::span<const Change> changes) {
    bool all = true;
    for (const Change& change : changes) all = info(change.setting).apply(facts, change) && all;
    return all;
}

Risk risk_of(std::span<const Change> changes) {
    Risk worst = Risk::none;
    for (const Change& change : changes) worst = std::max(worst, info(change.setting).risk);
    return worst;
}

}  // namespace diskwright
