// SPDX-License-Identifier: BSD-2-Clause
// Text helpers that every parser needs: no locale, no exceptions, nothing read past the view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diskwright {

inline constexpr std::uint64_t KiB = 1024, MiB = KiB * 1024, GiB = MiB * 1024, TiB = GiB * 1024;

/// Without blanks, tabs and control characters at either end.
std::string_view trim(std::string_view text);
/// Words separated by any run of blanks and tabs.
std::vector<std::string_view> words(std::string_view text);
/// Fields separated by exactly one `separator`; empty fields are kept.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Lines without their ends; CR before LF is dropped; a last line without an end counts.
std::vector<std::string_view> split_lines(std::string_view text);

bool starts_with_word(std::string_view text, std::string_view word);
bool contains(std::string_view text, std::string_view part);
/// ASCII only, whatever the locale.
bool iequals(std::string_view a, std::string_view b);
bool icontains(std::string_view text, std::string_view part);
std::string lowercase(std::string_view text);

/// The whole text as a decimal number; nothing when anything else is in it or it does not fit.
std::optional<std::uint64_t> to_unsigned(std::string_view text);
std::optional<std::int64_t> to_signed(std::string_view text);
/// The same with decimals ("1193.6", ".5", "1e3" is refused); a comma is taken as the decimal point, as some
/// locales print.
std::optional<double> to_double(std::string_view text);
/// Hexadecimal with or without 0x.
std::optional<std::uint64_t> to_hex(std::string_view text);
/// "16k", "1.8T", "512B", "476 GiB", "30.0TB": units KiB-like by powers of 1024 for k m g t p e (any case),
/// and by 1000 for kB MB GB TB PB when `decimal_b` is set. Nothing when it is no size or does not fit.
std::optional<std::uint64_t> to_size(std::string_view text, bool decimal_b = false);
/// The number that `text` begins with, and what follows it.
struct LeadingNumber {
    std::uint64_t value;
    std::string_view rest;
};
std::optional<LeadingNumber> leading_unsigned(std::string_view text);

/// The text between `before` and the next `after`; nothing when either is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view after);
/// What follows the first `before`; nothing when it is missing.
std::optional<std::string_view> after(std::string_view text, std::string_view before);

/// a * b, a + b; nothing on overflow.
std::optional<std::uint64_t> multiply(std::uint64_t a, std::uint64_t b);
std::optional<std::uint64_t> add(std::uint64_t a, std::uint64_t b);

/// Safe for a terminal and for JSON: valid UTF-8 stays, control characters and broken bytes become \xNN.
std::string escaped(std::string_view text);
/// "16 KiB", "1.5 TiB", "63 sectors" style sizes for people: exact when a whole number of a unit, else three
/// digits.
std::string human_size(std::uint64_t bytes);

}  // namespace diskwright
