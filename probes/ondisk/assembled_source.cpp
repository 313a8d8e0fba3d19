// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/assembled_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/model/redundancy.hpp"
#include "probes/ondisk/galois.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t smallest_unit = 16;  // a graid3 sector of 512 bytes over many components
constexpr std::size_t largest_read = 1 << 20;

std::optional<Os> os_of(const Volume& set) {
    if (!set.kind) return std::nullopt;
    switch (*set.kind) {
        case VolumeKind::raidframe:
            return Os::netbsd;
        case VolumeKind::softraid:
            return Os::openbsd;
        case VolumeKind::gmirror:
        case VolumeKind::gstripe:
        case VolumeKind::graid3:
        case VolumeKind::gconcat:
            return Os::freebsd;
        case VolumeKind::md:
            return Os::linux_;
        default:
            return std::nullopt;
    }
}

bool is_mirror_of_all(const Volume& set) {
    return set.level.is(RaidLevel::raid1) && !set.kind.is(VolumeKind::raidframe);
}

// The class of GEOM found a fault in the metadata and makes no device of it (geom::refuse).
bool is_refused(const Volume& set) {
    return set.state.is(VolumeState::failed) && os_of(set) == Os::freebsd;
}

void add_to(std::vector<std::byte>& sum, const std::vector<std::byte>& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= more[i];
}

std::byte scaled(std::byte value, std::uint8_t factor) {
    return static_cast<std::byte>(galois::multiply(std::to_integer<std::uint8_t>(value), factor));
}

}  // namespace

bool AssembledSource::possible(const Volume& set) {
    // While it is reshaped a set lies in two shapes.
    if (!set.kind || !set.level || set.reshape_position_bytes) return false;
    // What an encrypted set holds is noise, in which something may look like anything.
    if (set.crypto_format) return false;
    switch (*set.kind) {
        case VolumeKind::graid:
        case VolumeKind::crypto:
        case VolumeKind::hardware:
        case VolumeKind::lvm:
        case VolumeKind::zfs:
            return false;
        default:
            break;
    }
    if (is_mirror_of_all(set) || set.level.is(RaidLevel::concat)) return true;
    if (set.level.is(RaidLevel::raid3)) return set.logical_sector_bytes.known();
    return set.stripe_unit_bytes.value_or(0) >= smallest_unit && !has_unknown_layout(set);
}

AssembledSource::AssembledSource(Volume set, std::vector<Column> columns)
    : set_(std::move(set)), columns_(std::move(columns)), os_(os_of(set_)) {
    if (set_.logical_sector_bytes.value_or(0) >= 128) sector_ = *set_.logical_sector_bytes;
    if (set_.size_bytes) size_ = *set_.size_bytes;
    if (set_.level.is(RaidLevel::raid3))
        piece_ = columns_.size() > 1 ? sector_ / (columns_.size() - 1) : 0;
    else if (!is_mirror_of_all(set_) && !set_.level.is(RaidLevel::concat))
        piece_ = set_.stripe_unit_bytes.value_or(0);
    readable_ = readable_from_columns();
    if (size_) readable_ = std::min(readable_, *size_);
}

// How far the shortest component reaches, in whole rows; of a mirror the longest, of a concatenation up to
// the first gap; of a stripe of md all there is, when each component is there whole and its zones are known.
std::uint64_t AssembledSource::readable_from_columns() const {
    if (is_refused(set_)) return 0;
    std::uint64_t shortest = ~std::uint64_t{0}, longest = 0, together = 0, whole_units = 0;
    bool any = false, gap = false;
    for (const Column& c : columns_) {
        if (!c.source) {
            gap = true;
            continue;
        }
        const std::uint64_t there = c.source->readable_bytes();
        std::uint64_t data = there - std::min(there, c.data_offset);
        if (c.data_bytes) data = std::min(data, *c.data_bytes);
        any = true;
        shortest = std::min(shortest, data), longest = std::max(longest, data);
        if (!gap) together = add(together, data).value_or(together);
        if (piece_ > 0) whole_units = add(whole_units, data / piece_ * piece_).value_or(whole_units);
        gap = gap || !c.data_bytes || data < *c.data_bytes;
    }
    if (!any) return 0;
    if (is_mirror_of_all(set_)) return longest;
    if (set_.level.is(RaidLevel::concat)) return together;
    if (piece_ == 0) return 0;
    const bool zones_are_known = set_.layout.is("original") || set_.layout.is("alternate");
    if (!gap && set_.kind.is(VolumeKind::md) && set_.level.is(RaidLevel::raid0) && zones_are_known)
        return whole_units;
    const std::uint64_t n = columns_.size(), row = shortest / piece_ * piece_;
    if (set_.level.is(RaidLevel::raid10))
        return multiply(row, n).value_or(shortest) / std::max<std::size_t>(copies_of(set_, 0).size(), 1);
    return multiply(row, data_columns(set_, n).value_or(n)).value_or(shortest);
}

bool AssembledSource::read_column(std::uint64_t column, std::uint64_t byte, std::size_t length, Bytes& out) {
    if (column >= columns_.size() || !columns_[column].source) return false;
    if (pieces_ >= most_pieces) {
        exhausted_ = true;
        return false;
    }
    ++pieces_;
    const Column& c = columns_[column];
    if (c.data_bytes && (byte > *c.data_bytes || length > *c.data_bytes - byte)) return false;
    const auto at = add(c.data_offset, byte);
    if (!at) return false;
    const auto bytes = c.source->read(*at, length);
    if (!bytes) return false;
    out.assign(bytes->begin(), bytes->end());
    return true;
}

// The sum of all other columns but q.
bool AssembledSource::compute_column(std::uint64_t column, std::uint64_t byte, std::size_t length,
                                     Bytes& out) {
    if (!is_parity(set_)) return false;
    const auto parity = parity_columns(set_, byte);
    const bool double_parity = set_.level.is(RaidLevel::raid6);
    if (double_parity && (!parity || !parity->q)) return false;
    const std::uint64_t q = double_parity ? *parity->q : column;
    Bytes sum(length), other;
    for (std::uint64_t i = 0; i < columns_.size(); ++i) {
        if (i == column || i == q) continue;
        if (!read_column(i, byte, length, other))
            return double_parity && compute_with_q(column, byte, length, out);
        add_to(sum, other);
    }
    out = std::move(sum);
    return true;
}

// One data column with q in place of p, or two data columns with both.
bool AssembledSource::compute_with_q(std::uint64_t column, std::uint64_t byte, std::size_t length,
                                     Bytes& out) {
    const auto parity = parity_columns(set_, byte);
    Bytes p_sum, q_sum, other;
    if (!parity || !parity->q || !read_column(*parity->q, byte, length, q_sum)) return false;
    const bool with_p = read_column(parity->p, byte, length, p_sum);
    std::optional<std::uint64_t> second;
    const auto wanted = q_exponent(set_, *parity, column);
    if (!wanted) return false;
    for (std::uint64_t i = 0; i < columns_.size(); ++i) {
        if (i == column || i == parity->p || i == *parity->q) continue;
        const auto exponent = q_exponent(set_, *parity, i);
        if (!exponent) return false;
        if (!read_column(i, byte, length, other)) {
            if (second) return false;
            second = *exponent;
            continue;
        }
        if (with_p) add_to(p_sum, other);
        for (std::size_t b = 0; b < length; ++b) q_sum[b] ^= scaled(other[b], galois::power(*exponent));
    }
    if (second && !with_p) return false;
    // q = g^x Dx, or with a second unknown q = g^x Dx + g^y Dy and p = Dx + Dy.
    const std::uint8_t gx = galois::power(*wanted);
    out.resize(length);
    if (!second) {
        const std::uint8_t factor = galois::inverse(gx);
        for (std::size_t b = 0; b < length; ++b) out[b] = scaled(q_sum[b], factor);
        return true;
    }
    const std::uint8_t gy = galois::power(*second);
    if (gx == gy) return false;
    const std::uint8_t factor = galois::inverse(static_cast<std::uint8_t>(gx ^ gy));
    for (std::size_t b = 0; b < length; ++b) out[b] = scaled(q_sum[b] ^ scaled(p_sum[b], gy), factor);
    return true;
}

Result<AssembledSource::Bytes> AssembledSource::read_piece(std::uint64_t offset, std::size_t length) {
    Bytes out;
    const auto places = copies_of(set_, offset);
    for (const Location& place : places)
        if (read_column(place.column, place.byte, length, out)) return out;
    for (const Location& place : places)
        if (compute_column(place.column, place.byte, length, out)) return out;
    return Error{ErrorKind::no_input,
                 fmt::format("{}@{:#x}: on a component that is not there", set_.name, offset)};
}

Result<std::span<const std::byte>> AssembledSource::read(std::uint64_t offset, std::size_t length) {
    const auto missing = [&](std::string_view why) {
        return Error{ErrorKind::no_input, fmt::format("{}@{:#x}: {}", set_.name, offset, why)};
    };
    if (offset > readable_ || length > readable_ - offset || length > largest_read)
        return missing("not there");
    if (const auto known = cached_.find({offset, length}); known != cached_.end())
        return std::span<const std::byte>(*known->second);
    if (spent_ + length > budget || pieces_ >= most_pieces) {
        exhausted_ = true;
        return missing("more than one discovery reads of a set");
    }
    spent_ += length;
    Bytes whole;
    whole.reserve(length);
    for (std::uint64_t at = offset; at < offset + length;) {
        std::uint64_t piece = offset + length - at;
        if (piece_ > 0) piece = std::min(piece, piece_ - at % piece_);
        if (set_.level.is(RaidLevel::concat))
            // No component ends on less than a sector.
            piece = std::min(piece, sector_ - at % sector_);
        auto part = read_piece(at, static_cast<std::size_t>(piece));
        if (!part) return part.error();
        whole.insert(whole.end(), part->begin(), part->end());
        at += piece;
    }
    const Bytes& kept = buffers_.emplace_back(std::move(whole));
    cached_.emplace(std::pair(offset, length), &kept);
    return std::span<const std::byte>(kept);
}

}  // namespace diskwright
