// SPDX-License-Identifier: BSD-2-Clause
// Words of Linux md that /proc/mdstat, mdadm, mdadm.conf and the superblocks share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probes/model/host_facts.hpp"

namespace diskwright {

/// "raid5", "raid10", "linear", "stripe", "mirror", "5": the level; nothing for multipath, faulty, container.
std::optional<RaidLevel> md_level(std::string_view word);
/// Levels that survive the loss of a member.
bool md_is_redundant(RaidLevel level);
/// The name mdadm gives to the kernel's "algorithm N" of levels 5 and 6; nothing for a number it does not
/// know.
std::optional<std::string_view> md_layout_name(std::uint64_t algorithm);
/// "/dev/md/0" and "/dev/md0" are one device: "md0". Other names as device_name() gives them.
std::string md_device_name(std::string_view as_written);
/// The device that a set of that name is usually assembled as: "nas1:0" and "0" -> "md0"; the name itself
/// otherwise.
std::string md_name_of_set(std::string_view set_name);
/// State of a running set by the slots it lacks; `absent` counts failed, removed and not yet rebuilt ones.
VolumeState md_state(RaidLevel level, std::uint64_t columns, std::uint64_t absent, bool rebuilding);
/// "512K", "64k", "512": KiB as mdadm prints and takes a chunk, in bytes.
std::optional<std::uint64_t> md_chunk_bytes(std::string_view text);

}  // namespace diskwright
