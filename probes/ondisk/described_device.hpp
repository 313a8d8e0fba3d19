// SPDX-License-Identifier: BSD-2-Clause
// What the name of a device and the tables on it say of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "probes/ondisk/format.hpp"

namespace diskwright {

/// What a device of that name holds of tables, if its name is right.
ByteSource::Tables tables_on(std::string_view name);

/// Size and sector of the disk or volume that the source is: as it knows them itself, else as its tables say.
void write_device(const ByteSource& source, const Found& tables, std::optional<std::uint64_t> size,
                  HostFacts& facts);

}  // namespace diskwright
