// SPDX-License-Identifier: BSD-2-Clause
// A newfs command line, typed or as dumpfs -m records it, and what it says of the file system. The three
// systems' option letters are read together: where a letter takes a value on one system only, the next word
// tells which one was meant. Sources: freebsd-src, NetBSD src and OpenBSD src, sbin/newfs/newfs.c and
// newfs.8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/parsers/command.hpp"

namespace diskwright {

struct NewfsCommand {
    std::string text;                     // with single blanks, ends with the device
    std::string device;                   // without /dev/; empty when none is given or it cannot be one
    std::optional<std::uint64_t> format;  // -O
    std::optional<std::uint64_t> bsize, fsize, maxcontig, maxbpg, avgfilesize, avgfpdir, bytes_per_inode,
        inodes;
    std::optional<std::uint64_t> minfree, size_bytes, sector_bytes;
    std::optional<Optimization> optimization;
    bool softupdates = false, su_journal = false, gjournal = false, trim = false, print_only = false;
    std::string label;
    std::optional<Os> os;        // told by an option or by the kind of device name
    bool value_missing = false;  // the last option waits for its value: the line was wrapped there
    std::string bad_option;      // the first value that is no number, as written
};

/// `words` begin with newfs. Nothing when it is no newfs command line (prose, "newfs command for ...").
std::optional<NewfsCommand> read_newfs_command(const std::vector<std::string_view>& words);
/// Writes its facts; nothing when no device is known.
void write_newfs_command(const NewfsCommand& command, const Provenance& from, Scribe& scribe);

/// What a device name tells of the system that made it: rwd0e, dk0, ada0p2, mirror/gm0 ...
std::optional<Os> os_of_device(std::string_view as_written);

}  // namespace diskwright
