// SPDX-License-Identifier: BSD-2-Clause
// A set put together from its components, read-only, as its driver would show it. What a missing component
// held is taken from a copy or computed from the parity.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/ondisk/byte_source.hpp"

namespace diskwright {

class AssembledSource final : public ByteSource {
 public:
    /// Component of one column; no source where none is there or its data is old.
    struct Column {
        ByteSource* source = nullptr;
        std::uint64_t data_offset = 0;
        std::optional<std::uint64_t> data_bytes;
    };
    /// What one discovery may read through it, in all; and how many pieces of components that may take, since
    /// a small unit and many columns make much work of few bytes.
    static constexpr std::uint64_t budget = 4 << 20, most_pieces = 1 << 18;

    /// The facts of the set (level, unit, layout, columns; components in the order of the columns) say where
    /// each byte is. The sources outlive it.
    AssembledSource(Volume set, std::vector<Column> columns);

    const std::string& name() const override { return set_.name; }
    std::optional<std::uint64_t> size_bytes() const override { return size_; }
    std::uint64_t readable_bytes() const override { return readable_; }
    std::uint64_t sector_bytes() const override { return sector_; }
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override;
    std::optional<Os> os() const override { return os_; }

    /// More was asked for than one discovery may read.
    bool exhausted() const { return exhausted_; }

    /// Whether a set of that kind and level can be read at all.
    static bool possible(const Volume& set);

 private:
    using Bytes = std::vector<std::byte>;
    Result<Bytes> read_piece(std::uint64_t offset, std::size_t length);
    bool read_column(std::uint64_t column, std::uint64_t byte, std::size_t length, Bytes& out);
    bool compute_column(std::uint64_t column, std::uint64_t byte, std::size_t length, Bytes& out);
    bool compute_with_q(std::uint64_t column, std::uint64_t byte, std::size_t length, Bytes& out);
    std::uint64_t readable_from_columns() const;

    Volume set_;
    std::vector<Column> columns_;
    std::optional<std::uint64_t> size_;
    std::uint64_t readable_ = 0, sector_ = 512, piece_ = 0, spent_ = 0, pieces_ = 0;
    bool exhausted_ = false;
    std::optional<Os> os_;
    std::map<std::pair<std::uint64_t, std::size_t>, const Bytes*> cached_;
    std::deque<Bytes> buffers_;
};

}  // namespace diskwright
