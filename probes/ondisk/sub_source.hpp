// SPDX-License-Identifier: BSD-2-Clause
// A part of a source under a name of its own: a partition, or a whole device whose size is known better than
// the source knows it.
#pragma once

#include "probes/ondisk/byte_source.hpp"

namespace diskwright {

class SubSource final : public ByteSource {
 public:
    struct Part {
        std::string name;
        std::uint64_t start = 0;
        std::optional<std::uint64_t> size;  // nothing: to the end, wherever that is
        Tables tables = Tables::none;
        std::optional<Os> os, host;
    };
    /// The parent outlives it.
    SubSource(ByteSource& parent, Part part);

    const std::string& name() const override { return part_.name; }
    std::optional<std::uint64_t> size_bytes() const override { return part_.size; }
    std::uint64_t readable_bytes() const override { return readable_; }
    std::uint64_t sector_bytes() const override { return parent_->sector_bytes(); }
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override;
    Result<std::span<const std::byte>> read_anew(std::uint64_t offset, std::size_t length) override;
    Tables tables() const override { return part_.tables; }
    std::optional<Os> os() const override { return part_.os ? part_.os : parent_->os(); }
    std::optional<Os> host() const override { return part_.host ? part_.host : parent_->host(); }

 private:
    bool there(std::uint64_t offset, std::size_t length) const {
        return offset <= readable_ && length <= readable_ - offset;
    }
    Error not_there(std::uint64_t offset, std::size_t length) const;

    ByteSource* parent_;
    Part part_;
    std::uint64_t readable_;
};

}  // namespace diskwright
