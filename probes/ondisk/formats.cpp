// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include "probes/ondisk/format.hpp"

namespace diskwright {

Provenance at_byte(const ByteSource& source, std::uint64_t offset, std::string text) {
    return {fmt::format("{}@{:#x}", source.name(), offset), 0, std::move(text), Provenance::Kind::device};
}

}  // namespace diskwright
