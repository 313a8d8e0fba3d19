// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/sub_source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace diskwright {

SubSource::SubSource(ByteSource& parent, Part part) : parent_(&parent), part_(std::move(part)) {
    const std::uint64_t there = parent.readable_bytes();
    readable_ = there - std::min(there, part_.start);
    if (part_.size)
        readable_ = std::min(readable_, *part_.size);
    else if (const auto whole = parent.size_bytes(); whole && part_.start <= *whole)
        part_.size = *whole - part_.start;
}

Error SubSource::not_there(std::uint64_t offset, std::size_t length) const {
    return {ErrorKind::no_input, fmt::format("{}@{:#x}: {} bytes are not there", part_.name, offset, length)};
}

Result<std::span<const std::byte>> SubSource::read(std::uint64_t offset, std::size_t length) {
    if (!there(offset, length)) return not_there(offset, length);
    return parent_->read(part_.start + offset, length);
}

Result<std::span<const std::byte>> SubSource::read_anew(std::uint64_t offset, std::size_t length) {
    if (!there(offset, length)) return not_there(offset, length);
    return parent_->read_anew(part_.start + offset, length);
}

}  // namespace diskwright
