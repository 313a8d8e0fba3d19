// SPDX-License-Identifier: BSD-2-Clause
// Text as some shells write it into a file: two bytes a character, behind a byte order mark.
#pragma once

#include <string>
#include <string_view>

namespace diskwright {

/// Whether a file that begins so is UTF-16 text: a byte order mark, and mostly ASCII behind it, as the output
/// of commands is.
bool is_utf16(std::string_view head);

/// The same text in UTF-8, without the mark; what is no character becomes U+FFFD.
std::string utf8_of(std::string_view utf16);

}  // namespace diskwright
