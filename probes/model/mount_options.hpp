// SPDX-License-Identifier: BSD-2-Clause
// Mount options have two spellings: what mount -o takes and what mount(8) prints.
#pragma once

#include <string>
#include <string_view>

#include "probes/model/host_facts.hpp"

namespace diskwright {

/// The spelling that fstab takes: "asynchronous" -> "async", "read-only" -> "ro", "soft dependencies" and
/// "soft-updates" -> "softdep"; "journaled soft-updates" -> "suj". Others as they are, in lower case.
std::string canonical_mount_option(std::string_view option);
/// Is one of the options this one? `canonical` in the spelling of canonical_mount_option.
bool has_mount_option(const TextList& options, std::string_view canonical);

}  // namespace diskwright
