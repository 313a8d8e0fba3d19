// SPDX-License-Identifier: BSD-2-Clause
// Files that are neither a disk nor text: what they are can be said by their first bytes.
#pragma once

#include <string_view>

namespace diskwright {

/// "an ELF program or library", "a zip archive", from the head of a file; empty when it is none of the kinds
/// known here, or when a partition table stands in it: whatever else it is, it is a disk then.
std::string_view foreign_kind(std::string_view head);

}  // namespace diskwright
