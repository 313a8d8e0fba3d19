// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/descriptor_source.hpp"

#include <fmt/format.h>

#include "probes/support/text.hpp"

namespace diskwright {

Result<std::span<const std::byte>> DescriptorSource::read(std::uint64_t offset, std::size_t length) {
    constexpr std::uint64_t most_bytes = 16 * MiB;
    const std::uint64_t size = geometry_.size_bytes, sector = geometry_.sector_bytes;
    const std::uint64_t begin = offset - offset % sector;
    if (offset > size || length > size - offset || length > most_bytes - bytes_read_)
        return Error{ErrorKind::no_input,
                     fmt::format("{}: {} bytes at {} are not to be had", escaped(name()), length, offset)};
    const std::uint64_t end = offset + length, whole = end + (sector - end % sector) % sector - begin;
    AlignedBuffer buffer(whole);
    ssize_t count = -1;
    do count = pread(device_.io.get(), buffer.bytes().data(), whole, static_cast<off_t>(begin));
    while (count < 0 && errno == EINTR);
    if (count < 0 || static_cast<std::uint64_t>(count) < offset - begin + length)
        return system_error(device_.path, fmt::format("read at byte {}", begin), count < 0 ? errno : EIO);
    bytes_read_ += std::min(whole, most_bytes - bytes_read_);
    read_.push_back(std::move(buffer));
    return std::span<const std::byte>(read_.back().bytes()).subspan(offset - begin, length);
}

}  // namespace diskwright
