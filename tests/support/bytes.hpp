// SPDX-License-Identifier: BSD-2-Clause
// Writes on-disk structures field by field, for tests that make their own images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "probes/support/byte_reader.hpp"

namespace diskwright::test {

class Bytes {
 public:
    explicit Bytes(std::size_t size, ByteOrder order = ByteOrder::little) : bytes_(size), order_(order) {}

    Bytes& u8(std::size_t at, std::uint8_t value) { return number(at, value, 1); }
    Bytes& u16(std::size_t at, std::uint16_t value) { return number(at, value, 2); }
    Bytes& u32(std::size_t at, std::uint32_t value) { return number(at, value, 4); }
    Bytes& u64(std::size_t at, std::uint64_t value) { return number(at, value, 8); }
    Bytes& text(std::size_t at, std::string_view value) {
        for (std::size_t i = 0; i < value.size(); ++i) bytes_.at(at + i) = static_cast<std::byte>(value[i]);
        return *this;
    }
    Bytes& copy(std::size_t at, const std::vector<std::byte>& from) {
        for (std::size_t i = 0; i < from.size(); ++i) bytes_.at(at + i) = from[i];
        return *this;
    }
    std::vector<std::byte>& bytes() { return bytes_; }
    std::span<const std::byte> part(std::size_t at, std::size_t length) const {
        return std::span(bytes_).subspan(at, length);
    }

 private:
    Bytes& number(std::size_t at, std::uint64_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t place = order_ == ByteOrder::little ? i : size - 1 - i;
            bytes_.at(at + place) = static_cast<std::byte>(value >> (8 * i) & 0xff);
        }
        return *this;
    }
    std::vector<std::byte> bytes_;
    ByteOrder order_;
};

}  // namespace diskwright::test
