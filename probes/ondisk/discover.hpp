// SPDX-License-Identifier: BSD-2-Clause
// From the bytes of a host's disks to its facts: tables, what lies in their slots, sets put together from
// their members, and what lies in those.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probes/ondisk/format.hpp"

namespace diskwright {

struct Discovery {
    HostFacts facts;
    /// Names of sources in which nothing was recognised.
    std::vector<std::string> unrecognised;
};

/// Bounded: a set is put together once, and only from members found before it, so that none can lie in
/// itself; slots and sets beyond what any host has are left out, and that is said.
/// A source without a size may be only the head of its device: it counts as the whole of it unless something
/// in it reaches further. That it ends early is no damage.
/// os: the host's system where it is known otherwise; decides what a flag means that is not of one system
/// only.
Discovery discover(std::span<ByteSource* const> disks, std::optional<Os> os = {},
                   std::span<const OnDiskFormat> formats = on_disk_formats());

}  // namespace diskwright
