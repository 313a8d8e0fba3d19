// SPDX-License-Identifier: BSD-2-Clause
// Metadata that a controller's firmware writes and the system's own driver runs the set from: graid(8), md
// with external metadata. What is shared by its readers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "probes/ondisk/structure.hpp"

namespace diskwright::firmware {

struct Place {
    std::uint64_t at, sector_bytes;
};
/// At most one for each size that a sector may have.
class Places {
 public:
    const Place* begin() const { return places_.data(); }
    const Place* end() const { return places_.data() + count_; }
    void push_back(const Place& place) { places_.at(count_++) = place; }
    void keep_first() { count_ = std::min<std::size_t>(count_, 1); }

 private:
    std::array<Place, 3> places_{};
    std::size_t count_ = 0;
};
/// The sector that many before the end (1: the last), for each size a sector may have; an image does not tell
/// which. Empty without a size.
Places before_end(const ByteSource& source, std::uint64_t sectors);

/// A member of a set of which only the metadata's kind is known, read at `at`: each device for itself.
Member member(const ByteSource& source, std::string_view metadata, std::uint64_t at, const Provenance& from);

/// false when it is not there; bad_data when the signature is and the rest is damaged.
Result<bool> read_intel(ByteSource& source, Found& found);
Result<bool> read_ddf(ByteSource& source, Found& found);

}  // namespace diskwright::firmware
