// SPDX-License-Identifier: BSD-2-Clause
// One structure of a source, read whole: its fields by offset, each with the place it was read from.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "probes/model/host_facts.hpp"
#include "probes/ondisk/format.hpp"
#include "probes/support/byte_reader.hpp"

namespace diskwright {

class Structure {
 public:
    /// `bytes` are those of the source at `at`.
    Structure(const ByteSource& source, std::uint64_t at, std::span<const std::byte> bytes,
              ByteOrder order = ByteOrder::little)
        : source_(&source), at_(at), bytes_(bytes), reader_(bytes, order), order_(order) {}

    std::uint64_t at() const { return at_; }
    ByteOrder order() const { return order_; }
    std::span<const std::byte> bytes() const { return bytes_; }
    Structure in_order(ByteOrder order) const { return {*source_, at_, bytes_, order}; }

    /// Offsets lie inside, or a debugging build stops: they are the layout's own constants. A reader that
    /// takes one, or the structure's length, from the bytes checks it first.
    std::uint64_t u8(std::size_t offset) const { return inside(reader_.u8(offset)); }
    std::uint64_t u16(std::size_t offset) const { return inside(reader_.u16(offset)); }
    std::uint64_t u32(std::size_t offset) const { return inside(reader_.u32(offset)); }
    std::uint64_t u64(std::size_t offset) const { return inside(reader_.u64(offset)); }
    std::string text(std::size_t offset, std::size_t length) const {
        return inside(reader_.text(offset, length));
    }
    /// These bytes, likewise; none where not all of them lie inside.
    std::span<const std::byte> part(std::size_t offset, std::size_t length) const {
        const bool fits = offset <= bytes_.size() && length <= bytes_.size() - offset;
        assert(fits);
        return fits ? bytes_.subspan(offset, length) : std::span<const std::byte>{};
    }
    std::span<const std::byte> from_byte(std::size_t offset) const {
        return part(offset, bytes_.size() - std::min(offset, bytes_.size()));
    }
    bool has(std::size_t offset, std::string_view mark) const {
        if (mark.size() > bytes_.size() || offset > bytes_.size() - mark.size()) return false;
        for (std::size_t i = 0; i < mark.size(); ++i)
            if (bytes_[offset + i] != static_cast<std::byte>(static_cast<unsigned char>(mark[i])))
                return false;
        return true;
    }

    /// "sd0a@0x10030", for damage.
    std::string place(std::size_t offset) const {
        return fmt::format("{}@{:#x}", source_->name(), at_ + offset);
    }
    Provenance from(std::size_t offset, std::string text) const {
        return at_byte(*source_, at_ + offset, std::move(text));
    }
    template <class T>
    Known<T> known(T value, std::size_t offset, std::string_view field) const {
        if constexpr (std::is_same_v<T, std::string>)
            return Known<T>(value, from(offset, fmt::format("{} {}", field, value)));
        else
            return Known<T>(value,
                            from(offset, fmt::format("{} {}", field, static_cast<std::uint64_t>(value))));
    }

 private:
    template <class T>
    static T inside(std::optional<T> value) {
        assert(value);
        return value.value_or(T{});
    }

    const ByteSource* source_;
    std::uint64_t at_;
    std::span<const std::byte> bytes_;
    ByteReader reader_;
    ByteOrder order_;
};

/// Nothing where the source has no such bytes; its other errors are passed on.
inline Result<std::optional<Structure>> read_structure(ByteSource& source, std::uint64_t at,
                                                       std::size_t length,
                                                       ByteOrder order = ByteOrder::little) {
    const auto bytes = source.read(at, length);
    if (bytes) return std::optional<Structure>(Structure(source, at, *bytes, order));
    if (bytes.error().kind == ErrorKind::no_input) return std::optional<Structure>();
    return bytes.error();
}

/// Whether a reader already recognised what fills this source. Backup copies alone prove nothing then: they
/// may be left over from what was there before.
inline bool something_recognised(const Found& found) {
    const HostFacts& f = found.facts;
    return !found.slots.empty() || !found.members.empty() || !f.tables.empty() || !f.volumes.empty() ||
           !f.filesystems.empty() || !f.swap.empty();
}

/// Whether to look for copies whose original left no trace.
inline bool copies_wanted(const Found& found) {
    return found.lost_originals && !something_recognised(found);
}

inline Known<Os> inferred_os(Os os, const Provenance& why) {
    return Known<Os>(os, Provenance(why.source(), why.line(), why.text(), Provenance::Kind::inferred));
}
/// This structure exists on that system only, or was written by it.
inline void suggest_os(const ByteSource& source, Found& found, Os os, const Provenance& why) {
    if (source.system() || found.facts.os.name.known()) return;
    found.facts.os.name = inferred_os(os, why);
}
/// That system's own, yet others use it too.
inline void vote_for_os(const ByteSource& source, Found& found, Os os, const Provenance& why) {
    if (!source.system()) found.os_votes.push_back(inferred_os(os, why));
}

inline bool power_of_two(std::uint64_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

}  // namespace diskwright
