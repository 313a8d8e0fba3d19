// SPDX-License-Identifier: BSD-2-Clause
// Command lines that make something new: tables, partitions, sets, mounts. Unlike the fixes of generator.hpp
// nothing is kept. The caller has decided everything and has checked every name with safe_name().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/host_facts.hpp"

namespace diskwright {

/// One argv, and the text it reads from its standard input (empty: none). Interactive editors and files to
/// write take theirs that way.
struct SetupCommand {
    std::vector<std::string> argv;
    std::string input;
    bool operator==(const SetupCommand&) const = default;
};
using SetupCommands = std::vector<SetupCommand>;

enum class PartitionUse { filesystem, component };

/// Where a new partition lies on its device, in bytes of whole sectors.
struct NewPartition {
    std::string device;  // wd0, raid0, mirror/gm0
    std::string name;    // wd0a, dk0, mirror/gm0p1, as the system will call it
    Scheme scheme = Scheme::gpt;
    PartitionUse use = PartitionUse::filesystem;
    std::uint64_t sector = 512, start = 0;
    std::uint64_t size = 0;  // 0: all that is left
    std::string label;       // empty: none; only GPT has one
};

/// How a NetBSD kernel of the release learns of a new GPT partition.
enum class Wedges { added_by_hand, scanned };

/// What writes an empty table; nothing where the partition's own command makes it.
SetupCommands make_table(Os os, const Volume* volume, const std::string& device, Scheme scheme,
                         bool large_disk);
SetupCommands make_partition(Os os, const NewPartition& partition, Wedges wedges);

/// raid(4)'s configuration file, raidctl(8)'s text for it.
std::string raidframe_configuration(const Volume& set, std::uint64_t sector);
/// What makes the set of partitions that exist; nothing for kinds that have no such command here.
SetupCommands make_set(const Volume& set, std::uint64_t sector);

SetupCommands mount_new(std::string_view type, const std::string& device_path, const std::string& point,
                        const std::vector<std::string>& options);
/// "/dev/raid0a /home ffs rw,log 1 2".
std::string fstab_line(const FstabEntry& entry);
SetupCommands append_to_fstab(const FstabEntry& entry);

}  // namespace diskwright
