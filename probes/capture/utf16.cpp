// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/utf16.hpp"

#include <cstddef>
#include <cstdint>

namespace diskwright {
namespace {

constexpr std::string_view little = "\xff\xfe", big = "\xfe\xff";
constexpr char32_t replacement = 0xfffd;

// The units behind the mark, one after the other.
class Units {
 public:
    explicit Units(std::string_view bytes) : bytes_(bytes), little_(bytes.starts_with(little)) {}

    bool ended() const { return at_ + 1 >= bytes_.size(); }
    std::uint16_t peek() const {
        const auto a = static_cast<unsigned char>(bytes_[at_]),
                   b = static_cast<unsigned char>(bytes_[at_ + 1]);
        return static_cast<std::uint16_t>(little_ ? a | b << 8 : a << 8 | b);
    }
    void skip() { at_ += 2; }

 private:
    std::string_view bytes_;
    bool little_;
    std::size_t at_ = 2;
};

bool is_first_half(char32_t unit) {
    return unit >= 0xd800 && unit < 0xdc00;
}
bool is_second_half(char32_t unit) {
    return unit >= 0xdc00 && unit < 0xe000;
}

void append(std::string& out, char32_t c) {
    const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) return put(c);
    if (c < 0x800) {
        put(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            put(0xe0 | c >> 12);
        } else {
            put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f));
        }
        put(0x80 | (c >> 6 & 0x3f));
    }
    put(0x80 | (c & 0x3f));
}

}  // namespace

bool is_utf16(std::string_view head) {
    if (!head.starts_with(little) && !head.starts_with(big)) return false;
    std::size_t ascii = 0, all = 0;
    for (Units units(head); !units.ended(); units.skip(), ++all) {
        if (units.peek() == 0) return false;
        ascii += units.peek() < 0x80 ? 1 : 0;
    }
    return all > 0 && ascii * 2 > all;
}

std::string utf8_of(std::string_view utf16) {
    std::string out;
    out.reserve(utf16.size() / 2);
    for (Units units(utf16); !units.ended();) {
        char32_t c = units.peek();
        units.skip();
        if (is_first_half(c) && !units.ended() && is_second_half(units.peek())) {
            c = 0x10000 + ((c - 0xd800) << 10) + (units.peek() - 0xdc00U);
            units.skip();
        } else if (is_first_half(c) || is_second_half(c)) {
            c = replacement;
        }
        append(out, c);
    }
    return out;
}

}  // namespace diskwright
