// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/prediction/tool_numbers.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::int64_t int64_most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int_most = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t int_least = std::numeric_limits<std::int32_t>::min();

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
// 36: no digit of any base.
unsigned digit_of(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    const char l = lower(c);
    return l >= 'a' && l <= 'z' ? static_cast<unsigned>(l - 'a') + 10 : 36;
}
char at(std::string_view word, std::size_t place) {
    return place < word.size() ? word[place] : '\0';
}

std::size_t prefix_and_base(std::string_view word, std::size_t place, unsigned& base) {
    base = 10;
    if (at(word, place) != '0') return place;
    if (lower(at(word, place + 1)) == 'x' && digit_of(at(word, place + 2)) < 16) {
        base = 16;
        return place + 2;
    }
    base = 8;
    return place;
}

std::int64_t signed_of(std::uint64_t magnitude, bool negative, bool& out_of_range) {
    const std::uint64_t most = static_cast<std::uint64_t>(int64_most) + (negative ? 1 : 0);
    out_of_range = magnitude > most;
    if (out_of_range) return negative ? int64_least : int64_most;
    return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

struct NetbsdFactor {
    std::int64_t value;
    std::size_t used;
    bool too_large;
};
std::optional<NetbsdFactor> netbsd_factor(std::string_view word) {
    constexpr std::string_view units = "bkmgtw";
    constexpr std::int64_t factors[] = {
        512, std::int64_t{1} << 10, std::int64_t{1} << 20, std::int64_t{1} << 30, std::int64_t{1} << 40, 4};
    const CNumber number = c_number(word, 10);
    if (number.used == 0) return std::nullopt;
    NetbsdFactor out{number.value, number.used, number.out_of_range};
    const std::size_t unit = out.used < word.size() ? units.find(word[out.used]) : std::string_view::npos;
    if (unit == std::string_view::npos) return out;
    ++out.used;
    out.too_large |= __builtin_mul_overflow(number.value, factors[unit], &out.value);
    return out;
}

}  // namespace

CNumber c_number(std::string_view word, int base_wanted) {
    CNumber number;
    std::size_t place = 0;
    while (is_space(at(word, place))) ++place;
    const bool negative = at(word, place) == '-';
    if (negative || at(word, place) == '+') ++place;
    unsigned base = 10;
    if (base_wanted == 0) place = prefix_and_base(word, place, base);
    const std::size_t first = place;
    std::uint64_t magnitude = 0;
    bool over = false;
    for (; digit_of(at(word, place)) < base; ++place) {
        const auto times = multiply(magnitude, base);
        const auto sum = times ? add(*times, digit_of(at(word, place))) : std::nullopt;
        over = over || !sum;
        if (sum) magnitude = *sum;
    }
    if (place == first) return number;
    number.used = place;
    number.unsigned_out_of_range = over;
    number.unsigned_value = over ? UINT64_MAX : negative ? 0 - magnitude : magnitude;
    number.value = signed_of(over ? UINT64_MAX : magnitude, negative, number.out_of_range);
    return number;
}

std::int32_t c_atoi(std::string_view word) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(c_number(word, 10).value));
}

std::optional<std::int32_t> freebsd_number(std::string_view word) {
    constexpr std::string_view units = "bkmgtpe";
    const CNumber number = c_number(word, 0);
    if (number.unsigned_out_of_range) return std::nullopt;
    std::size_t place = number.used;
    std::uint64_t value = number.unsigned_value;
    if (place != word.size()) {
        const std::size_t unit = units.find(lower(word[place]));
        if (unit == std::string_view::npos) return std::nullopt;
        ++place;
        if (unit != 0 && lower(at(word, place)) == 'b') ++place;
        if (place != word.size()) return std::nullopt;
        const unsigned shift = static_cast<unsigned>(unit) * 10;
        if ((value << shift) >> shift != value) return std::nullopt;
        value <<= shift;
    }
    const auto as_signed = static_cast<std::int64_t>(value);
    if (as_signed > int_most || as_signed < int_least) return std::nullopt;
    return static_cast<std::int32_t>(as_signed);
}

OpenbsdNumber openbsd_number(std::string_view word, std::int64_t least, std::int64_t most) {
    const CNumber number = c_number(word, 10);
    if (number.used == 0 || number.used != word.size()) return {0, "invalid"};
    if ((number.out_of_range && number.value < 0) || number.value < least) return {0, "too small"};
    if (number.out_of_range || number.value > most) return {0, "too large"};
    return {number.value, {}};
}

std::optional<std::int64_t> openbsd_scaled(std::string_view word) {
    constexpr std::string_view units = "bkmgtpe";
    constexpr unsigned most_digits = 21;
    std::size_t place = 0;
    while (is_space(at(word, place))) ++place;
    const bool negative = at(word, place) == '-';
    if (negative || at(word, place) == '+') ++place;
    if (at(word, place) == '-' || at(word, place) == '+') return std::nullopt;
    std::int64_t whole = 0, part = 0;
    unsigned digits = 0, part_digits = 0;  // the point counts among the latter
    for (; is_digit(at(word, place)) || at(word, place) == '.'; ++place) {
        if (word[place] == '.') {
            if (part_digits > 0) return std::nullopt;
            part_digits = 1;
            continue;
        }
        if (part_digits >= most_digits - 1) continue;
        if (part_digits == 0 && ++digits >= most_digits) return std::nullopt;
        std::int64_t& sum = part_digits > 0 ? part : whole;
        if (part_digits > 0) ++part_digits;
        const std::int64_t digit = word[place] - '0';
        if (sum > int64_most / 10 || digit > int64_most - sum * 10) return std::nullopt;
        sum = sum * 10 + digit;
    }
    const std::int64_t sign = negative ? -1 : 1;
    if (place >= word.size()) return whole * sign;
    const std::size_t unit = units.find(lower(word[place]));
    if (unit == std::string_view::npos || is_alnum(at(word, place + 1))) return std::nullopt;
    const std::int64_t factor = std::int64_t{1} << (10 * unit);
    if (whole > int64_most / factor) return std::nullopt;
    for (; part >= int64_most / factor; --part_digits) part /= 10;
    part *= factor;
    for (unsigned i = 1; i < part_digits; ++i) part /= 10;
    return (whole * factor + part) * sign;
}

NetbsdProduct netbsd_product(std::string_view description, std::string_view word, std::int64_t least,
                             std::int64_t most) {
    const NetbsdProduct too_large{0, fmt::format("{}: Result too large or too small", description)};
    std::vector<std::int64_t> factors;
    for (std::string_view rest = word;;) {
        const auto factor = netbsd_factor(rest);
        if (!factor) return {0, fmt::format("{} `{}': illegal number", description, shown(word))};
        if (factor->too_large) return too_large;
        factors.push_back(factor->value);
        if (factor->used == rest.size()) break;
        if (rest[factor->used] != 'x' && rest[factor->used] != '*')
            return {0, fmt::format("{} `{}': illegal number", description, shown(word))};
        rest.remove_prefix(factor->used + 1);
    }
    // From the right, each product within the limits: the function calls itself for what follows an x.
    std::int64_t product = 1;
    for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
        if (__builtin_mul_overflow(product, *factor, &product)) return too_large;
        if (product < least) return {0, fmt::format("{} {} is less than {}.", description, product, least)};
        if (product > most) return {0, fmt::format("{} {} is greater than {}.", description, product, most)};
    }
    return {product, {}};
}

std::string shown(std::string_view word) {
    constexpr std::size_t most = 200;
    if (word.size() <= most) return escaped(word);
    return escaped(word.substr(0, most)) + fmt::format("... ({} characters)", word.size());
}

}  // namespace diskwright
