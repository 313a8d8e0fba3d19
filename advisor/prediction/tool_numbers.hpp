// SPDX-License-Identifier: BSD-2-Clause
// Numbers as the tools' C libraries read them from a word, overflow and trailing characters included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace diskwright {

/// strtoll(3), strtoumax(3): blanks, a sign, digits. value saturates, or is the two's complement of a
/// negative one for the unsigned reading.
struct CNumber {
    std::int64_t value = 0;
    std::uint64_t unsigned_value = 0;
    std::size_t used = 0;  // characters; 0: no digits
    bool out_of_range = false, unsigned_out_of_range = false;
};
/// base 10, or 0: 0x and 0 prefixes count.
CNumber c_number(std::string_view word, int base);

/// (int)strtol(word, NULL, 10).
std::int32_t c_atoi(std::string_view word);

/// freebsd/freebsd-src:lib/libutil/expand_number.c and expand_number_int of sbin/newfs/newfs.c: one of
/// b k m g t p e, then a b. Nothing: refused.
std::optional<std::int32_t> freebsd_number(std::string_view word);

/// openbsd/src:lib/libc/stdlib/strtonum.c. The error is "invalid", "too small" or "too large".
struct OpenbsdNumber {
    std::int64_t value = 0;
    std::string_view error;
};
OpenbsdNumber openbsd_number(std::string_view word, std::int64_t least, std::int64_t most);

/// openbsd/src:lib/libutil/fmt_scaled.c, scan_scaled: fractions and one of B K M G T P E. Nothing: refused.
std::optional<std::int64_t> openbsd_scaled(std::string_view word);

/// NetBSD/src:lib/libc/stdlib/strsuftoll.c. The error is the message.
struct NetbsdProduct {
    std::int64_t value = 0;
    std::string error;
};
NetbsdProduct netbsd_product(std::string_view description, std::string_view word, std::int64_t least,
                             std::int64_t most);

/// A word of the command line in a message: escaped, and not longer than a line or two.
std::string shown(std::string_view word);

}  // namespace diskwright
