// SPDX-License-Identifier: BSD-2-Clause
// Metadata that a controller's firmware writes and the system's own driver runs the set from: graid(8), md
// with external metadata. What is shared by its readers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/ondisk/structure.hpp"

namespace diskwright::firmware {

struct Place {
    std::uint64_t at, sector_bytes;
};
/// The sector that many before the end (1: the last), for each size a sector may have; an image does not tell
/// which. Empty without a size.
std::vector<Place> before_end(const ByteSource& source, std::uint64_t sectors);

/// A member of a set of which only the metadata's kind is known, read at `at`: each device for itself.
Member member(const ByteSource& source, std::string_view metadata, std::uint64_t at, const Provenance& from);

/// false when it is not there; bad_data when the signature is and the rest is damaged.
Result<bool> read_intel(ByteSource& source, Found& found);
Result<bool> read_ddf(ByteSource& source, Found& found);

}  // namespace diskwright::firmware
