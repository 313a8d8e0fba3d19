// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "probes/model/enums.hpp"

namespace diskwright {

/// What a system calls its disk number `index` (from 0): wd0, ada0, sd0, sda, nvme0n1. transport: sata, sas,
/// nvme, or "" for the usual one. Without a system d0, d1, ...
std::string new_disk_name(std::optional<Os> os, std::string_view transport, std::size_t index);

}  // namespace diskwright
