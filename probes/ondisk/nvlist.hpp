// SPDX-License-Identifier: BSD-2-Clause
// Name-value lists in XDR, as ZFS keeps its configuration. Layout: openzfs/zfs:module/nvpair/nvpair.c (above
// nvs_xdr_nvl_fini), include/sys/nvpair.h (data_type_t); XDR: RFC 4506.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace diskwright {

/// Numbers, texts and lists; values of other types are skipped.
struct NvList {
    std::map<std::string, std::uint64_t> numbers;
    std::map<std::string, std::string> texts;
    std::map<std::string, std::vector<NvList>> lists;  // one element for a single list

    std::optional<std::uint64_t> number(const std::string& name) const;
    std::string text(const std::string& name) const;  // "" where it is not there
};

/// Nothing where the bytes are no such list, end before it does, or nest deeper than pools do.
std::optional<NvList> read_nvlist(std::span<const std::byte> bytes);

}  // namespace diskwright
