// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/inflate.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace diskwright {
namespace {

constexpr unsigned longest_code = 15;

enum class Outcome { more, end, cut, damaged };

// Bits from the lowest of each byte on, as RFC 1951 section 3.1.1 packs them.
class Bits {
 public:
    explicit Bits(std::string_view bytes) : bytes_(bytes) {}

    // Nothing when fewer are left.
    std::optional<unsigned> take(unsigned count) {
        while (held_ < count) {
            if (at_ == bytes_.size()) return std::nullopt;
            pool_ |= std::uint32_t{static_cast<unsigned char>(bytes_[at_++])} << held_;
            held_ += 8;
        }
        const unsigned value = pool_ & ((1U << count) - 1);
        pool_ >>= count;
        held_ -= count;
        return value;
    }
    void to_next_byte() { pool_ = held_ = 0; }

 private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    std::uint32_t pool_ = 0;
    unsigned held_ = 0;
};

// A canonical code (section 3.2.2): codes of one length are consecutive, in the order of their symbols.
class Code {
 public:
    explicit Code(std::span<const std::uint8_t> lengths) {
        for (const std::uint8_t length : lengths) ++count_.at(length);
        count_[0] = 0;
        std::array<std::uint16_t, longest_code + 2> next{};
        for (unsigned length = 1; length <= longest_code; ++length)
            next.at(length + 1) = static_cast<std::uint16_t>(next.at(length) + count_.at(length));
        symbols_.resize(next.back());
        for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
            if (lengths[symbol] > 0)
                symbols_[next.at(lengths[symbol])++] = static_cast<std::uint16_t>(symbol);
    }

    Outcome read(Bits& in, unsigned& symbol) const {
        unsigned code = 0, first = 0, index = 0;
        for (unsigned length = 1; length <= longest_code; ++length) {
            const auto bit = in.take(1);
            if (!bit) return Outcome::cut;
            code = code << 1 | *bit;
            const unsigned count = count_.at(length);
            if (code >= first && code - first < count) {
                symbol = symbols_[index + (code - first)];
                return Outcome::more;
            }
            index += count;
            first = (first + count) << 1;
        }
        return Outcome::damaged;
    }

 private:
    std::array<std::uint16_t, longest_code + 1> count_{};
    std::vector<std::uint16_t> symbols_;
};

// Lengths and distances, section 3.2.5.
constexpr std::array<std::uint16_t, 29> length_base{3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                    15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                    67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint16_t, 30> distance_base{
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr unsigned length_bits(unsigned code) {
    return code < 8 || code == 28 ? 0 : (code - 4) / 4;
}
constexpr unsigned distance_bits(unsigned code) {
    return code < 4 ? 0 : (code - 2) / 2;
}

class Inflater {
 public:
    Inflater(std::string_view deflated, std::size_t most) : in_(deflated), most_(most) {}

    Inflated run() {
        Outcome outcome = Outcome::more;
        while (outcome == Outcome::more) outcome = block();
        out_.damaged = outcome == Outcome::damaged;
        return std::move(out_);
    }

 private:
    Outcome block() {
        const auto last = in_.take(1), kind = in_.take(2);
        if (!last || !kind) return Outcome::cut;
        Outcome outcome = Outcome::damaged;
        if (*kind == 0) outcome = stored();
        if (*kind == 1) outcome = fixed_codes();
        if (*kind == 2) outcome = own_codes();
        return outcome == Outcome::more && *last == 1 ? Outcome::end : outcome;
    }

    bool put(char byte) {
        if (out_.bytes.size() >= most_) return false;
        out_.bytes.push_back(byte);
        return true;
    }

    Outcome stored() {
        in_.to_next_byte();
        const auto length = in_.take(16), complement = in_.take(16);
        if (!length || !complement) return Outcome::cut;
        if ((*length ^ *complement) != 0xffff) return Outcome::damaged;
        for (unsigned i = 0; i < *length; ++i) {
            const auto byte = in_.take(8);
            if (!byte || !put(static_cast<char>(*byte))) return Outcome::cut;
        }
        return Outcome::more;
    }

    Outcome fixed_codes() {
        std::array<std::uint8_t, 288> literals{};
        for (std::size_t i = 0; i < literals.size(); ++i)
            literals.at(i) = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        std::array<std::uint8_t, 30> distances{};
        distances.fill(5);
        return compressed(Code(literals), Code(distances));
    }

    // Section 3.2.7: the lengths of both codes, themselves coded.
    Outcome own_codes() {
        const auto literals = in_.take(5), distances = in_.take(5), codes = in_.take(4);
        if (!literals || !distances || !codes) return Outcome::cut;
        constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                     11, 4,  12, 3, 13, 2, 14, 1, 15};
        std::array<std::uint8_t, 19> first{};
        for (unsigned i = 0; i < *codes + 4; ++i) {
            const auto length = in_.take(3);
            if (!length) return Outcome::cut;
            first.at(order.at(i)) = static_cast<std::uint8_t>(*length);
        }
        const Code code(first);
        const std::size_t literal_count = *literals + 257, all = literal_count + *distances + 1;
        std::vector<std::uint8_t> lengths;
        while (lengths.size() < all)
            if (const Outcome outcome = next_lengths(code, lengths); outcome != Outcome::more) return outcome;
        if (lengths.size() > all) return Outcome::damaged;
        const std::span<const std::uint8_t> both(lengths);
        return compressed(Code(both.first(literal_count)), Code(both.subspan(literal_count)));
    }

    Outcome next_lengths(const Code& code, std::vector<std::uint8_t>& lengths) {
        unsigned symbol = 0;
        if (const Outcome outcome = code.read(in_, symbol); outcome != Outcome::more) return outcome;
        if (symbol < 16) {
            lengths.push_back(static_cast<std::uint8_t>(symbol));
            return Outcome::more;
        }
        const auto extra = in_.take(symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
        if (!extra) return Outcome::cut;
        if (symbol == 16 && lengths.empty()) return Outcome::damaged;
        const std::uint8_t value = symbol == 16 ? lengths.back() : 0;
        lengths.insert(lengths.end(), *extra + (symbol == 18 ? 11 : 3), value);
        return Outcome::more;
    }

    Outcome compressed(const Code& literals, const Code& distances) {
        for (;;) {
            unsigned symbol = 0;
            if (const Outcome outcome = literals.read(in_, symbol); outcome != Outcome::more) return outcome;
            if (symbol == 256) return Outcome::more;
            if (symbol < 256) {
                if (!put(static_cast<char>(symbol))) return Outcome::cut;
                continue;
            }
            if (const Outcome outcome = repeated(symbol - 257, distances); outcome != Outcome::more)
                return outcome;
        }
    }

    Outcome repeated(unsigned code, const Code& distances) {
        if (code >= length_base.size()) return Outcome::damaged;
        const auto longer = in_.take(length_bits(code));
        if (!longer) return Outcome::cut;
        unsigned back = 0;
        if (const Outcome outcome = distances.read(in_, back); outcome != Outcome::more) return outcome;
        if (back >= distance_base.size()) return Outcome::damaged;
        const auto further = in_.take(distance_bits(back));
        if (!further) return Outcome::cut;
        const std::size_t distance = distance_base.at(back) + *further;
        if (distance > out_.bytes.size()) return Outcome::damaged;
        for (unsigned left = length_base.at(code) + *longer; left > 0; --left)
            if (!put(out_.bytes[out_.bytes.size() - distance])) return Outcome::cut;
        return Outcome::more;
    }

    Bits in_;
    std::size_t most_;
    Inflated out_;
};

// RFC 1952 section 2.3; nothing when the header itself is not all there.
std::optional<std::string_view> behind_header(std::string_view gzip) {
    constexpr std::size_t fixed = 10;
    constexpr unsigned has_crc = 2, has_extra = 4, has_name = 8, has_comment = 16;
    if (gzip.size() < fixed || !gzip.starts_with("\x1f\x8b\x08")) return std::nullopt;
    const unsigned flags = static_cast<unsigned char>(gzip[3]);
    std::size_t skip = fixed;
    if ((flags & has_extra) != 0) {
        if (gzip.size() < skip + 2) return std::nullopt;
        skip += 2 + static_cast<unsigned char>(gzip[skip]) +
                (std::size_t{static_cast<unsigned char>(gzip[skip + 1])} << 8);
    }
    for (const unsigned text : {has_name, has_comment}) {
        if ((flags & text) == 0) continue;
        const auto end = gzip.find('\0', skip);
        if (end == std::string_view::npos) return std::nullopt;
        skip = end + 1;
    }
    if ((flags & has_crc) != 0) skip += 2;
    return skip <= gzip.size() ? std::optional(gzip.substr(skip)) : std::nullopt;
}

}  // namespace

Inflated inflate_prefix(std::string_view gzip, std::size_t most) {
    const auto deflated = behind_header(gzip);
    return deflated ? Inflater(*deflated, most).run() : Inflated{};
}

}  // namespace diskwright
