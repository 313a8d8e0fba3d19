// SPDX-License-Identifier: BSD-2-Clause
// What is known of one host. Pure data: no I/O, no decisions. Member names are the JSON keys of
// diskwright-json(5): sizes in bytes and times in seconds unless the suffix says otherwise.
//
// Every struct lists its members once, in visit(); JSON in both directions, merging, --assume, provenance and
// the published schema all walk that list. v.key() is the member that identifies the element among its
// siblings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probes/model/enums.hpp"
#include "probes/support/known.hpp"

namespace diskwright {

using Text = Known<std::string>;
using Number = Known<std::uint64_t>;
using Real = Known<double>;
using Flag = Known<bool>;
using TextList = Known<std::vector<std::string>>;

struct Platform {
    Known<Os> name;
    Text release;  // "9.1-RC3", "5.10.62"
    Text machine;  // "amd64"
    Number ram_bytes;
    Text hostname;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v("name", s.name), v("release", s.release), v("machine", s.machine), v("ram_bytes", s.ram_bytes);
        v("hostname", s.hostname);
    }
    bool operator==(const Platform&) const = default;
};

struct Disk {
    std::string name;
    Text model, serial, firmware;
    Number size_bytes, logical_sector_bytes;
    Number physical_sector_bytes;  // of the medium; never an optimal I/O size
    Number physical_offset_bytes;  // where the first physical sector boundary lies: logical 0 is this far
                                   // into it
    Number reported_stripe_bytes;  // GEOM's stripesize as shown, whatever it means there
    Flag rotational;
    Number rpm;
    Known<Switch> write_cache;
    Flag cache_protected;  // battery or flash behind the write cache
    Flag ignores_flush;    // measured: a flush returns before the data is on the medium
    Number queue_depth;
    Flag trim;
    Text transport;    // sata, sas, usb, nvme, virtio, ...
    Text driver_mode;  // "ata" for legacy ATA/IDE mode, "ahci", "nvme", ...
    Flag removable, read_only;
    Flag shingled;
    Flag thin;  // a virtual or thin-provisioned medium
    Flag health_passed;
    Number reallocated_sectors, pending_sectors, uncorrectable_sectors, interface_crc_errors, media_errors;
    Number critical_warning;
    Number cylinder_sectors;   // sectors of a cylinder of the drive's own geometry
    Number erase_block_bytes;  // measured
    Real flush_latency_s;      // average of a cache flush, measured or seen
    Real flushes_per_s;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("name", s.name);
        v("model", s.model), v("serial", s.serial), v("firmware", s.firmware), v("size_bytes", s.size_bytes);
        v("logical_sector_bytes", s.logical_sector_bytes),
            v("physical_sector_bytes", s.physical_sector_bytes);
        v("physical_offset_bytes", s.physical_offset_bytes),
            v("reported_stripe_bytes", s.reported_stripe_bytes);
        v("rotational", s.rotational), v("rpm", s.rpm), v("write_cache", s.write_cache);
        v("cache_protected", s.cache_protected), v("ignores_flush", s.ignores_flush);
        v("queue_depth", s.queue_depth), v("trim", s.trim);
        v("transport", s.transport), v("driver_mode", s.driver_mode), v("removable", s.removable);
        v("read_only", s.read_only), v("shingled", s.shingled), v("thin", s.thin);
        v("health_passed", s.health_passed), v("reallocated_sectors", s.reallocated_sectors);
        v("pending_sectors", s.pending_sectors), v("uncorrectable_sectors", s.uncorrectable_sectors);
        v("interface_crc_errors", s.interface_crc_errors), v("media_errors", s.media_errors);
        v("critical_warning", s.critical_warning), v("cylinder_sectors", s.cylinder_sectors);
        v("erase_block_bytes", s.erase_block_bytes), v("flush_latency_s", s.flush_latency_s);
        v("flushes_per_s", s.flushes_per_s);
    }
    bool operator==(const Disk&) const = default;
};

/// One partition table (MBR, GPT, disklabel) of one device, as last listed.
struct PartitionTable {
    std::string parent;  // the device that holds it
    Known<Scheme> scheme;
    Number first_usable_bytes, last_usable_bytes;  // last byte + 1, relative to the parent
    Number total_bytes;                            // size of the device as this table gives it
    Number sector_bytes;
    Flag fictitious;    // made up by the kernel, nothing on the disk yet
    Flag corrupt;       // shown as [CORRUPT] or with a bad checksum
    Flag protective;    // an MBR that only protects a GPT
    Number free_bytes;  // in free rows, when the tool lists them
    Number largest_free_bytes;
    Number entries_shown;  // rows listed, when the listing is complete

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("parent", s.parent), v.key("scheme", s.scheme);
        v("first_usable_bytes", s.first_usable_bytes), v("last_usable_bytes", s.last_usable_bytes);
        v("total_bytes", s.total_bytes), v("sector_bytes", s.sector_bytes), v("fictitious", s.fictitious);
        v("corrupt", s.corrupt), v("protective", s.protective), v("free_bytes", s.free_bytes);
        v("largest_free_bytes", s.largest_free_bytes), v("entries_shown", s.entries_shown);
    }
    bool operator==(const PartitionTable&) const = default;
};

struct Partition {
    std::string name;  // ada0p2, wd0e, "<disk>:<n>" (MBR entry), "<disk>#<n>" (GPT row without a wedge)
    std::string parent;
    Known<Scheme> scheme;
    Number index;                    // as the table counts
    Number start_bytes, size_bytes;  // start relative to the parent
    Text type;                       // as printed: freebsd-ufs, 4.2BSD, swap, "169", ...
    Text label;
    TextList attributes;       // active, bootme, ...
    Number bsize, fsize;       // of a disklabel's row; what newfs is to use, no proof of a file system
    Text mounted_on;           // where the listing itself says it
    Flag misaligned_reported;  // a tool or the kernel called its start misaligned

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("name", s.name);
        v.text("parent", s.parent);
        v("scheme", s.scheme), v("index", s.index), v("start_bytes", s.start_bytes),
            v("size_bytes", s.size_bytes);
        v("type", s.type), v("label", s.label), v("attributes", s.attributes), v("bsize", s.bsize);
        v("fsize", s.fsize), v("mounted_on", s.mounted_on), v("misaligned_reported", s.misaligned_reported);
    }
    bool operator==(const Partition&) const = default;
};

struct Component {
    std::string name;  // empty for a removed slot
    Known<ComponentState> state;
    Number slot;               // column, role
    Number data_offset_bytes;  // reserved area at its head
    Number size_bytes;         // of the component itself
    Number used_bytes;         // what the set uses of it
    Number events;             // md events, RAIDframe modification counter, GEOM syncid
    Number priority;           // gmirror
    Number logical_sector_bytes;
    Text role;  // data, parity, log, cache, journal where the tool tells

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("name", s.name);
        v("state", s.state), v("slot", s.slot), v("data_offset_bytes", s.data_offset_bytes);
        v("size_bytes", s.size_bytes), v("used_bytes", s.used_bytes), v("events", s.events);
        v("priority", s.priority), v("logical_sector_bytes", s.logical_sector_bytes), v("role", s.role);
    }
    bool operator==(const Component&) const = default;
};

/// Anything that makes one block device of others: RAID sets, crypto layers, logical volumes, pools, hardware
/// sets.
struct Volume {
    std::string name;  // raid0, mirror/gm0, sd9, md127, vg-lv, zusr
    Known<VolumeKind> kind;
    Known<RaidLevel> level;
    Number stripe_unit_bytes;
    Number data_disks;  // distinct data units per full stripe; unknown where that is not whole
    Number columns;     // slots the set is made of, spares not counted
    Text layout;        // left-symmetric, near=2, ...
    Number size_bytes, logical_sector_bytes;
    Known<VolumeState> state;
    Flag parity_clean;
    Flag parity_map;  // RAIDframe parity map, md write-intent bitmap
    Number spares;
    Text balance;                // gmirror
    Number balance_slice_bytes;  // gmirror split
    Number ashift;
    Flag autoconfigure;  // RAIDframe
    Text root;           // RAIDframe root flag as shown: No, Yes, Force, Soft
    Flag boot_wanted;    // the input says it is to be booted from or configured at boot
    Known<Activity> activity;
    Known<Progress> activity_progress;
    Real activity_percent;
    Number reshape_position_bytes;  // recorded by members of an unfinished reshape
    Text reshape_change;            // what the reshape changes, as printed
    Flag auto_read_only;
    Text metadata;  // "1.2", "0.90", "Intel", ...
    Text uuid;
    Text set_name;               // name in the metadata ("nas1:0")
    Text from_configuration;     // the raid.conf or mdadm.conf this came from, when no running set was seen
    Number crypto_sector_bytes;  // of a crypto layer
    Text crypto_format;          // LUKS1, LUKS2, geli, softraid, cgd
    Text cache_policy;           // write-back or write-through of a controller
    Text battery;                // ok, failed, missing, learning
    Flag write_back_forced;      // write-back even without a good battery
    std::vector<Component> components;
    Flag components_complete;  // the listing named every slot

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("name", s.name);
        v("kind", s.kind), v("level", s.level), v("stripe_unit_bytes", s.stripe_unit_bytes);
        v("data_disks", s.data_disks), v("columns", s.columns), v("layout", s.layout),
            v("size_bytes", s.size_bytes);
        v("logical_sector_bytes", s.logical_sector_bytes), v("state", s.state),
            v("parity_clean", s.parity_clean);
        v("parity_map", s.parity_map), v("spares", s.spares), v("balance", s.balance);
        v("balance_slice_bytes", s.balance_slice_bytes), v("ashift", s.ashift),
            v("autoconfigure", s.autoconfigure);
        v("root", s.root), v("boot_wanted", s.boot_wanted), v("activity", s.activity);
        v("activity_progress", s.activity_progress), v("activity_percent", s.activity_percent);
        v("reshape_position_bytes", s.reshape_position_bytes), v("reshape_change", s.reshape_change);
        v("auto_read_only", s.auto_read_only), v("metadata", s.metadata), v("uuid", s.uuid);
        v("set_name", s.set_name), v("from_configuration", s.from_configuration);
        v("crypto_sector_bytes", s.crypto_sector_bytes), v("crypto_format", s.crypto_format);
        v("cache_policy", s.cache_policy), v("battery", s.battery),
            v("write_back_forced", s.write_back_forced);
        v.list("components", s.components);
        v("components_complete", s.components_complete);
    }
    bool operator==(const Volume&) const = default;
};

struct Filesystem {
    std::string device;
    Text type;  // ffs1, ffs2, ffs (version unknown), ext2..4, xfs, zfs, msdos, ...
    Number bsize, fsize, size_bytes;
    Number sector_bytes;
    Number minfree_percent;
    Known<Optimization> optimization;
    Number avgfilesize, avgfpdir, maxbpg, maxcontig;
    Number cylinder_groups, fragments_per_group, inodes_per_group;
    Number bytes_per_inode, inodes, inodes_used;
    Number inodes_expected;  // files it shall hold, as the user states
    Real used_percent;  // of the capacity that df shows
    Number used_bytes, available_bytes;
    Flag softupdates, su_journal, gjournal, wapbl;
    Number wapbl_log_bytes;
    Flag trim, acls;
    Text label;
    Flag clean;
    Text newfs_command;                       // as recorded or shown
    Number stride_bytes, stripe_width_bytes;  // ext
    Number sunit_bytes, swidth_bytes;         // xfs
    Text last_mounted_on;                     // the superblock's own record
    Flag exported;                            // over NFS

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("device", s.device);
        v("type", s.type), v("bsize", s.bsize), v("fsize", s.fsize), v("size_bytes", s.size_bytes);
        v("sector_bytes", s.sector_bytes), v("minfree_percent", s.minfree_percent);
        v("optimization", s.optimization), v("avgfilesize", s.avgfilesize), v("avgfpdir", s.avgfpdir);
        v("maxbpg", s.maxbpg), v("maxcontig", s.maxcontig), v("cylinder_groups", s.cylinder_groups);
        v("fragments_per_group", s.fragments_per_group), v("inodes_per_group", s.inodes_per_group);
        v("bytes_per_inode", s.bytes_per_inode), v("inodes", s.inodes), v("inodes_used", s.inodes_used);
        v("inodes_expected", s.inodes_expected);
        v("used_percent", s.used_percent), v("used_bytes", s.used_bytes),
            v("available_bytes", s.available_bytes);
        v("softupdates", s.softupdates), v("su_journal", s.su_journal), v("gjournal", s.gjournal);
        v("wapbl", s.wapbl), v("wapbl_log_bytes", s.wapbl_log_bytes), v("trim", s.trim), v("acls", s.acls);
        v("label", s.label), v("clean", s.clean), v("newfs_command", s.newfs_command);
        v("stride_bytes", s.stride_bytes), v("stripe_width_bytes", s.stripe_width_bytes);
        v("sunit_bytes", s.sunit_bytes), v("swidth_bytes", s.swidth_bytes);
        v("last_mounted_on", s.last_mounted_on), v("exported", s.exported);
    }
    bool operator==(const Filesystem&) const = default;
};

struct Mount {
    std::string point;
    Text device, type;
    TextList options;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("point", s.point);
        v("device", s.device), v("type", s.type), v("options", s.options);
    }
    bool operator==(const Mount&) const = default;
};

struct FstabEntry {
    std::string device, point;  // point "none" for swap
    Text type;
    TextList options;
    Number dump, pass;  // absent field: 0, as fstab(5) says, with the line as its source

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("device", s.device), v.key("point", s.point);
        v("type", s.type), v("options", s.options), v("dump", s.dump), v("pass", s.pass);
    }
    bool operator==(const FstabEntry&) const = default;
};

/// A directory that is exported over NFS; the file system under it may not be known.
struct Export {
    std::string point;
    Text clients;  // hosts and options as written; empty for everyone

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("point", s.point);
        v("clients", s.clients);
    }
    bool operator==(const Export&) const = default;
};

struct SwapArea {
    std::string device;
    Number size_bytes, used_bytes;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("device", s.device);
        v("size_bytes", s.size_bytes), v("used_bytes", s.used_bytes);
    }
    bool operator==(const SwapArea&) const = default;
};

/// One row of an I/O report. A column the tool does not print is absent.
struct IoSample {
    std::optional<double> reads_per_s, writes_per_s, read_kb_per_s, write_kb_per_s, queue, service_ms,
        read_await_ms, write_await_ms, busy_percent, flushes_per_s, flush_await_ms, reads_merged_percent;
    std::optional<double> transfers_per_s, kb_per_s;  // of tools that do not tell reads from writes
    bool since_boot = false;  // the report covers the time since boot, not an interval
    Provenance from;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.optional("reads_per_s", s.reads_per_s), v.optional("writes_per_s", s.writes_per_s);
        v.optional("read_kb_per_s", s.read_kb_per_s), v.optional("write_kb_per_s", s.write_kb_per_s);
        v.optional("queue", s.queue), v.optional("service_ms", s.service_ms);
        v.optional("read_await_ms", s.read_await_ms), v.optional("write_await_ms", s.write_await_ms);
        v.optional("busy_percent", s.busy_percent), v.optional("flushes_per_s", s.flushes_per_s);
        v.optional("flush_await_ms", s.flush_await_ms),
            v.optional("reads_merged_percent", s.reads_merged_percent);
        v.optional("transfers_per_s", s.transfers_per_s), v.optional("kb_per_s", s.kb_per_s);
        v.boolean("since_boot", s.since_boot);
        v.provenance(s.from);
    }
    bool operator==(const IoSample&) const = default;
};

/// The samples of one device in one run of one tool. Two runs are two traces.
struct IoTrace {
    std::string device;
    Number run;       // runs of the input in order, from 0; same run: measured together
    Real interval_s;  // what a sample really covers
    Text load;        // a load named beside the trace, or another job seen running
    std::vector<IoSample> samples;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("device", s.device), v.key("run", s.run);
        v("interval_s", s.interval_s), v("load", s.load);
        v.list("samples", s.samples);
    }
    bool operator==(const IoTrace&) const = default;
};

struct Timing {
    std::string command;  // as typed; "?" when the input does not show it
    Real real_s, user_s, sys_s;
    Number inputs, outputs;  // block operations, as time(1) of csh and GNU print them

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.text("command", s.command);
        v("real_s", s.real_s), v("user_s", s.user_s), v("sys_s", s.sys_s), v("inputs", s.inputs);
        v("outputs", s.outputs);
    }
    bool operator==(const Timing&) const = default;
};

/// A rate somebody measured: dd, hdparm -t, diskinfo -t.
struct Throughput {
    std::string device;
    Text direction;  // read or write
    Real bytes_per_s;
    Number request_bytes;
    Text tool;
    Flag cached;  // went through a cache, so it says little of the disk

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.text("device", s.device);
        v("direction", s.direction), v("bytes_per_s", s.bytes_per_s), v("request_bytes", s.request_bytes);
        v("tool", s.tool), v("cached", s.cached);
    }
    bool operator==(const Throughput&) const = default;
};

/// Something a kernel or tool said that is no state of a device but matters to a rule.
struct Event {
    enum class Kind {
        medium_error,  // medium, hardware or uncorrectable I/O error of a disk
        primary_gpt_corrupt,
        secondary_gpt_missing,  // not in the last sector, or invalid
        stale_raid_metadata,    // a class attached leftovers, or says it cannot
        stale_gpt,              // headers or tables left where no GPT is in use
        misaligned,             // a tool refused or warned
        snapshot_refused,       // mksnap_ffs or dump -L failed
        snapshot_scheduled,     // a periodic, crontab or script line that runs them
        legacy_driver,          // ATA in IDE mode where AHCI would do
        parity_rewrite,         // a parity rewrite was started or done
        background_load,        // another job was running during a measurement
        read_only_device,
        fstrim_timer,   // seen active
        fstrim_absent,  // timers listed, fstrim not among them
    };
    std::string subject;  // device
    Kind kind = Kind::medium_error;
    std::string detail;  // what was said, shortened
    Provenance from;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.text("subject", s.subject);
        v.enumeration("kind", s.kind);
        v.text("detail", s.detail);
        v.provenance(s.from);
    }
    bool operator==(const Event&) const = default;
};

template <>
struct EnumNames<Event::Kind> {
    static constexpr std::array<std::string_view, 14> names{
        "medium_error",  "primary_gpt_corrupt", "secondary_gpt_missing", "stale_raid_metadata",
        "stale_gpt",     "misaligned",          "snapshot_refused",      "snapshot_scheduled",
        "legacy_driver", "parity_rewrite",      "background_load",       "read_only_device",
        "fstrim_timer",  "fstrim_absent"};
};

/// Counters of a journal (NetBSD vmstat -e, group wapbl) or of commits seen.
struct JournalRate {
    std::string filesystem;  // fsid or device
    Real commits_per_s, flushes_per_s;
    Number commits, flushes;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.key("filesystem", s.filesystem);
        v("commits_per_s", s.commits_per_s), v("flushes_per_s", s.flushes_per_s), v("commits", s.commits);
        v("flushes", s.flushes);
    }
    bool operator==(const JournalRate&) const = default;
};

/// A place where the input is visibly damaged: cut columns, digits or lines.
struct Damage {
    std::string what;
    Provenance from;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.text("what", s.what);
        v.provenance(s.from);
    }
    bool operator==(const Damage&) const = default;
};

/// Two values for one fact. superseded: both can have been true of one machine at two moments; the later one
/// is in the facts. Otherwise they contradict each other.
struct Conflict {
    struct Value {
        std::string value;
        Provenance from;
        bool operator==(const Value&) const = default;
    };
    std::string what;     // "volumes.raid0.stripe_unit_bytes"
    std::string subject;  // "raid0"
    bool superseded = false;
    std::vector<Value> values;
    bool operator==(const Conflict&) const = default;
};

/// Lines that look like a known command's output, or a value in them, that could not be used.
struct Unparsed {
    std::string source;
    std::uint32_t first_line = 0, last_line = 0;
    std::string reason;
    bool operator==(const Unparsed&) const = default;
};

struct HostFacts {
    Platform os;
    std::vector<Disk> disks;
    std::vector<PartitionTable> tables;
    std::vector<Partition> partitions;
    std::vector<Volume> volumes;
    std::vector<Filesystem> filesystems;
    std::vector<Mount> mounts;
    std::vector<FstabEntry> fstab;
    std::vector<Export> exports;
    std::vector<SwapArea> swap;
    std::map<std::string, Text> sysctls;
    std::vector<IoTrace> io_traces;
    std::vector<Timing> timings;
    std::vector<Throughput> throughputs;
    std::vector<JournalRate> journal_rates;
    std::vector<Event> events;
    std::vector<Damage> damages;

    std::vector<Conflict> conflicts;  // beside the facts in JSON, not among them
    std::vector<Unparsed> unparsed;

    template <class Self, class V>
    static void visit(Self& s, V&& v) {
        v.object("os", s.os);
        v.list("disks", s.disks), v.list("tables", s.tables), v.list("partitions", s.partitions);
        v.list("volumes", s.volumes), v.list("filesystems", s.filesystems), v.list("mounts", s.mounts);
        v.list("fstab", s.fstab), v.list("exports", s.exports), v.list("swap", s.swap);
        v.map("sysctls", s.sysctls);
        v.list("io_traces", s.io_traces), v.list("timings", s.timings), v.list("throughputs", s.throughputs);
        v.list("journal_rates", s.journal_rates), v.list("events", s.events), v.list("damages", s.damages);
    }
    bool operator==(const HostFacts&) const = default;

    bool is(Os wanted) const { return os.name.is(wanted); }
    /// Nothing at all was understood.
    bool empty() const;
};

/// The element with that key, made at the end of the list when it is not there. Order of first appearance is
/// kept.
Disk& disk(HostFacts& facts, std::string_view name);
Partition& partition(HostFacts& facts, std::string_view name);
PartitionTable& table(HostFacts& facts, std::string_view parent, Scheme scheme);
Volume& volume(HostFacts& facts, std::string_view name);
Component& component(Volume& volume, std::string_view name);
Filesystem& filesystem(HostFacts& facts, std::string_view device);
Mount& mount(HostFacts& facts, std::string_view point);
Export& exported(HostFacts& facts, std::string_view point);

/// "/dev/rwd0e" -> "wd0e", "/dev/mirror/gm0" -> "mirror/gm0", "mirror/gm0" as it is. The raw prefix goes only
/// before names of NetBSD and OpenBSD disk drivers (wd sd raid cgd ccd dk ld vnd xbd fd cd), so that "raid0"
/// stays.
std::string device_name(std::string_view as_written);

/// Puts `later` over `into`: unknown values are filled, known ones that differ are replaced and recorded as
/// conflicts (superseded where a state can change with time). Complete listings replace the earlier listing
/// of the same table or set. Deterministic: depends on the order of calls only.
void merge(HostFacts& into, HostFacts&& later);

}  // namespace diskwright
