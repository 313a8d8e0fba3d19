// SPDX-License-Identifier: BSD-2-Clause
// For reseal.cpp and reseal_sets.cpp alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/support/byte_reader.hpp"

namespace diskwright::test {

/// The bytes of an image by their places; what lies outside is not there.
class SealedImage {
 public:
    explicit SealedImage(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    ByteReader read(ByteOrder order = ByteOrder::little) const { return ByteReader(bytes_, order); }
    bool has(std::uint64_t at, std::string_view mark) const {
        return read().text(at, mark.size()) == std::string(mark);
    }
    std::optional<std::span<std::byte>> part(std::uint64_t at, std::uint64_t length) const {
        if (at > bytes_.size() || length > bytes_.size() - at) return std::nullopt;
        return std::span(bytes_).subspan(at, length);
    }
    void put(std::uint64_t at, std::uint64_t value, std::size_t size, ByteOrder order = ByteOrder::little) {
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t place = order == ByteOrder::little ? i : size - 1 - i;
            bytes_.at(at + place) = static_cast<std::byte>(value >> (8 * i) & 0xff);
        }
    }
    void copy(std::uint64_t at, std::span<const std::byte> from) {
        if (const auto to = part(at, from.size())) std::copy(from.begin(), from.end(), to->begin());
    }
    std::size_t size() const { return bytes_.size(); }

 private:
    std::vector<std::byte>& bytes_;
};

/// Metadata of sets: GEOM, softraid, md, DDF, Intel, ZFS.
void reseal_sets(SealedImage& image);

}  // namespace diskwright::test
