// SPDX-License-Identifier: BSD-2-Clause
// An image in memory, for tests of on-disk readers. Counts what is read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "probes/ondisk/byte_source.hpp"

namespace diskwright::test {

class MemorySource final : public ByteSource {
 public:
    MemorySource(std::string name, std::vector<std::byte> bytes,
                 std::optional<std::uint64_t> device_bytes = {}, std::uint64_t sector = 512)
        : name_(std::move(name)), bytes_(std::move(bytes)), device_bytes_(device_bytes), sector_(sector) {}

    const std::string& name() const override { return name_; }
    std::optional<std::uint64_t> size_bytes() const override { return device_bytes_; }
    std::uint64_t readable_bytes() const override { return bytes_.size(); }
    std::uint64_t sector_bytes() const override { return sector_; }
    std::optional<Os> os() const override { return belongs_to; }
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override {
        ++reads;
        bytes_read += length;
        if (offset > bytes_.size() || length > bytes_.size() - offset)
            return Error{ErrorKind::no_input, name_ + ": past the end"};
        return std::span<const std::byte>(bytes_).subspan(offset, length);
    }

    std::vector<std::byte>& bytes() { return bytes_; }
    std::optional<Os> belongs_to;
    std::size_t reads = 0;
    std::uint64_t bytes_read = 0;

 private:
    std::string name_;
    std::vector<std::byte> bytes_;
    std::optional<std::uint64_t> device_bytes_;
    std::uint64_t sector_;
};

}  // namespace diskwright::test
