// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace diskwright {
namespace {

bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= ' ';
}
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

template <class T>
std::optional<T> whole_number(std::string_view text, int base) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

// Length of the valid UTF-8 sequence at `at`, 0 when broken (overlong, surrogate, out of range, cut).
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(at);
    std::size_t length = 0;
    unsigned minimum = 0, value = 0;
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0)
        length = 2, minimum = 0x80, value = first & 0x1f;
    else if (first >= 0xe0 && first < 0xf0)
        length = 3, minimum = 0x800, value = first & 0x0f;
    else if (first >= 0xf0 && first < 0xf5)
        length = 4, minimum = 0x10000, value = first & 0x07;
    else
        return 0;
    if (at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
        value = value << 6 | (byte(at + i) & 0x3f);
    }
    if (value < minimum || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
    return length;
}

// C1 controls and the characters that turn the direction of text can forge what a terminal shows.
bool forges_terminal(std::string_view sequence) {
    if (sequence.size() == 2 && static_cast<unsigned char>(sequence[0]) == 0xc2)
        return static_cast<unsigned char>(sequence[1]) < 0xa0;
    if (sequence.size() != 3 || static_cast<unsigned char>(sequence[0]) != 0xe2) return false;
    const auto second = static_cast<unsigned char>(sequence[1]),
               third = static_cast<unsigned char>(sequence[2]);
    if (second == 0x80) return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
    return second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

}  // namespace

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> out;
    std::size_t at = 0;
    while (at < text.size()) {
        while (at < text.size() && is_blank(text[at])) ++at;
        const std::size_t begin = at;
        while (at < text.size() && !is_blank(text[at])) ++at;
        if (at > begin) out.push_back(text.substr(begin, at - begin));
    }
    return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    for (;;) {
        const auto at = text.find(separator);
        out.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return out;
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        out.push_back(line);
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return out;
}

bool starts_with_word(std::string_view text, std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || is_blank(text[word.size()]));
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool iequals(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

bool icontains(std::string_view text, std::string_view part) {
    for (std::size_t i = 0; i + part.size() <= text.size(); ++i)
        if (iequals(text.substr(i, part.size()), part)) return true;
    return false;
}

std::string lowercase(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower(c);
    return out;
}

std::optional<std::uint64_t> to_unsigned(std::string_view text) {
    return whole_number<std::uint64_t>(text, 10);
}
std::optional<std::int64_t> to_signed(std::string_view text) {
    return whole_number<std::int64_t>(text, 10);
}

std::optional<std::uint64_t> to_hex(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
    return whole_number<std::uint64_t>(text, 16);
}

std::optional<double> to_double(std::string_view text) {
    // By hand: libc++ 16 has no floating-point from_chars, and strtod obeys the locale.
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    double value = 0, scale = 1;
    bool digits = false, point = false;
    if (text.size() > 40) return std::nullopt;
    for (const char c : text) {
        if (is_digit(c)) {
            digits = true;
            value = value * 10 + (c - '0');
            if (point) scale *= 10;
        } else if ((c == '.' || c == ',') && !point) {
            point = true;
        } else {
            return std::nullopt;
        }
    }
    if (!digits) return std::nullopt;
    return (negative ? -value : value) / scale;
}

std::optional<LeadingNumber> leading_unsigned(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    const auto value = to_unsigned(text.substr(0, end));
    if (!value) return std::nullopt;
    return LeadingNumber{*value, text.substr(end)};
}

std::optional<std::uint64_t> to_size(std::string_view text, bool decimal_b) {
    text = trim(text);
    std::size_t end = 0;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == ',')) ++end;
    const auto number = text.substr(0, end);
    auto unit = trim(text.substr(end));
    double multiplier = 1;
    constexpr std::string_view prefixes = "kmgtpe";
    if (!unit.empty() && prefixes.find(lower(unit[0])) != std::string_view::npos) {
        const auto power = prefixes.find(lower(unit[0])) + 1;
        const bool decimal = decimal_b && unit.size() == 2 && lower(unit[1]) == 'b';
        for (std::size_t i = 0; i < power; ++i) multiplier *= decimal ? 1000 : 1024;
        unit.remove_prefix(1);
        if (unit.starts_with('i') || unit.starts_with('I')) unit.remove_prefix(1);
    }
    if (!unit.empty() && !iequals(unit, "b") && !iequals(unit, "bytes")) return std::nullopt;
    if (const auto whole = to_unsigned(number))
        return multiply(*whole, static_cast<std::uint64_t>(multiplier));
    const auto value = to_double(number);
    if (!value || *value < 0 || *value * multiplier >= 18446744073709551615.0) return std::nullopt;
    return static_cast<std::uint64_t>(*value * multiplier + 0.5);
}

std::optional<std::string_view> after(std::string_view text, std::string_view before) {
    const auto at = text.find(before);
    if (at == std::string_view::npos) return std::nullopt;
    return text.substr(at + before.size());
}

std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view end) {
    const auto rest = after(text, before);
    if (!rest) return std::nullopt;
    const auto at = rest->find(end);
    if (at == std::string_view::npos) return std::nullopt;
    return rest->substr(0, at);
}

std::optional<std::uint64_t> multiply(std::uint64_t a, std::uint64_t b) {
    if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return std::nullopt;
    return a * b;
}

std::optional<std::uint64_t> add(std::uint64_t a, std::uint64_t b) {
    if (b > std::numeric_limits<std::uint64_t>::max() - a) return std::nullopt;
    return a + b;
}

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto length = utf8_length(text, at);
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool control = length == 1 && ((byte < 0x20 && byte != '\t') || byte == 0x7f);
        if (length == 0 || control || forges_terminal(text.substr(at, length))) {
            for (std::size_t i = 0; i < (length ? length : 1); ++i)
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at + i]));
            at += length ? length : 1;
        } else {
            out.append(text.substr(at, length));
            at += length;
        }
    }
    return out;
}

std::string human_size(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    std::uint64_t whole = bytes;
    while (unit + 1 < units.size() && whole >= 1024 && whole % 1024 == 0) whole /= 1024, ++unit;
    if (whole < 1024 * 10) return fmt::format("{} {}", whole, units[unit]);
    double value = static_cast<double>(bytes);
    unit = 0;
    while (unit + 1 < units.size() && value >= 1024) value /= 1024, ++unit;
    return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, units[unit]);
}

}  // namespace diskwright
