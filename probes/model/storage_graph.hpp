// SPDX-License-Identifier: BSD-2-Clause
// Which device lies on which, and the arithmetic of DESIGN section 4 along the way: absolute starts, stripe
// alignment, address mapping. Rules, planner and simulator ask here; nobody repeats it.
// Keeps pointers into the facts it was made from: those must outlive it unchanged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/host_facts.hpp"

namespace diskwright {

/// Same device under two spellings: with or without /dev/, raw prefix, GEOM class folder (gm0 and
/// mirror/gm0).
bool same_device(std::string_view a, std::string_view b);
/// The name of what a partition's name is a partition of, by the naming rules alone: wd0e -> wd0, ada0s1a ->
/// ada0s1, ada0p2 -> ada0, sda1 -> sda, nvme0n1p3 -> nvme0n1, mirror/gm0s1 -> mirror/gm0, md0p1 -> md0,
/// raid0a -> raid0. Empty when the name is that of a whole device.
std::string whole_device_name(std::string_view partition);
/// The disk at the bottom by the naming rules alone: ada0s1a -> ada0.
std::string disk_name(std::string_view device);

/// Bytes of each component that the driver keeps in front of the data: 64 sectors RAIDframe, 528 blocks
/// softraid, 0 GEOM and hardware; unknown for md without data_offset and for kinds not listed.
Number reserved_bytes(const Volume& volume, const Component& component);
/// Copies of each datum: 2 for mirrors of two, n for RAID 1 of n, near x far for md RAID 10, 1 for RAID 0, 4,
/// 5, 6.
std::optional<std::uint64_t> copies(const Volume& volume);
/// Is data recomputed from parity: 3 4 5 6.
bool is_parity(const Volume& volume);
/// Striped over several data disks: 0 4 5 6 10, and RAIDframe 1 with 4 or more columns.
bool is_striped(const Volume& volume);
/// stripe_unit_bytes x data_disks.
Number full_stripe_bytes(const Volume& volume);
/// Components that hold data (no spare, log or cache).
std::vector<const Component*> data_components(const Volume& volume);

/// Where a byte of a volume is: the slot of the component and the byte in its data area (without
/// reserved_bytes). For mirrors the first copy. Nothing when level, unit or number of columns is unknown, or
/// the layout is none of ours.
struct Location {
    std::uint64_t column;
    std::uint64_t byte;
    bool operator==(const Location&) const = default;
};
std::optional<Location> map_byte(const Volume& volume, std::uint64_t byte);

class StorageGraph {
 public:
    explicit StorageGraph(const HostFacts& facts);

    const HostFacts& facts() const { return *facts_; }
    /// Null when the facts have no such element.
    const Disk* disk(std::string_view name) const;
    const Partition* partition(std::string_view name) const;
    const Volume* volume(std::string_view name) const;
    const Filesystem* filesystem(std::string_view device) const;
    const Mount* mount_of(std::string_view device) const;
    const FstabEntry* fstab_of(std::string_view device) const;
    const SwapArea* swap_on(std::string_view device) const;
    /// The volume that has this device as a component (not as a spare of none); null when none is known.
    const Volume* volume_with_component(std::string_view device) const;
    /// Volumes and components that contain the device on the way up are not followed; only downwards.

    /// Start of a device on the disk (or volume) it is finally cut from, through nested partitions.
    struct Start {
        std::string base;  // the disk or volume
        Number bytes;      // unknown with the reason when a start on the way is unknown
    };
    Start start_on_base(std::string_view device) const;
    /// Absolute byte on the disk; unknown when a volume lies between, or a start is unknown.
    Number start_on_disk(std::string_view device) const;

    /// The nearest volume below (the device itself when it is one) and the device's start on it.
    struct OnVolume {
        const Volume* volume = nullptr;  // null: no volume below
        Number offset_bytes;
    };
    OnVolume on_volume(std::string_view device) const;

    /// Names of all disks below, through partitions and sets; sorted, each once. A name need not have a Disk
    /// element.
    std::vector<std::string> disks_under(std::string_view device) const;

    /// What the medium below is like. For several disks: the largest sector; unknown when any is unknown.
    struct Medium {
        Number physical_sector_bytes;
        Number physical_offset_bytes;  // 0 when the disk reports none
        Number logical_sector_bytes;
        Flag rotational, removable, thin;
        bool known_512n = false;  // every disk is 512-byte native by model or age
    };
    Medium medium(std::string_view device) const;

    /// The size of a partition, volume or disk, whichever the name is.
    Number size_of(std::string_view device) const;

 private:
    /// Finds what same_device() finds, first of the list first, without walking the list.
    template <class T>
    class Index {
     public:
        void add(std::string_view name, const T* element);
        const T* find(std::string_view name) const;

     private:
        std::map<std::string, const T*, std::less<>> exact_, bare_;  // bare: without the class folder
    };

    const HostFacts* facts_;
    Index<Disk> disks_;
    Index<Partition> partitions_;
    Index<Volume> volumes_, components_;
    Index<Filesystem> filesystems_;
    Index<Mount> mounts_;
    Index<FstabEntry> fstab_;
    Index<SwapArea> swap_;
};

}  // namespace diskwright
