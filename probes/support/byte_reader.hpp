// SPDX-License-Identifier: BSD-2-Clause
// Numbers from untrusted bytes: every read is checked against the view, no casts, explicit byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace diskwright {

enum class ByteOrder { little, big };

class ByteReader {
 public:
    explicit ByteReader(std::span<const std::byte> bytes, ByteOrder order = ByteOrder::little)
        : bytes_(bytes), order_(order) {}

    std::size_t size() const { return bytes_.size(); }
    /// Nothing where the number would reach past the end.
    std::optional<std::uint8_t> u8(std::size_t at) const { return read<std::uint8_t>(at); }
    std::optional<std::uint16_t> u16(std::size_t at) const { return read<std::uint16_t>(at); }
    std::optional<std::uint32_t> u32(std::size_t at) const { return read<std::uint32_t>(at); }
    std::optional<std::uint64_t> u64(std::size_t at) const { return read<std::uint64_t>(at); }
    /// length bytes up to the first NUL; nothing where they would reach past the end.
    std::optional<std::string> text(std::size_t at, std::size_t length) const {
        if (length > bytes_.size() || at > bytes_.size() - length) return std::nullopt;
        std::string out;
        for (std::size_t i = 0; i < length && bytes_[at + i] != std::byte{0}; ++i)
            out += static_cast<char>(std::to_integer<unsigned char>(bytes_[at + i]));
        return out;
    }

 private:
    template <class T>
    std::optional<T> read(std::size_t at) const {
        if (sizeof(T) > bytes_.size() || at > bytes_.size() - sizeof(T)) return std::nullopt;
        T value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            const std::size_t significance = order_ == ByteOrder::little ? i : sizeof(T) - 1 - i;
            value = static_cast<T>(
                value | static_cast<T>(static_cast<T>(std::to_integer<std::uint8_t>(bytes_[at + i]))
                                       << (8 * significance)));
        }
        return value;
    }
    std::span<const std::byte> bytes_;
    ByteOrder order_;
};

}  // namespace diskwright
