// SPDX-License-Identifier: BSD-2-Clause
// Passwords that stand in files and options of mounts: no capture needs them, so none has them.
#pragma once

#include <string>
#include <string_view>

namespace diskwright {

/// What stands instead of a secret; also in the printed script.
inline constexpr std::string_view masked_secret = "xxxxxxxx";

/// The text with the values of options such as password= and the password in a server's address masked. What
/// is masked already stays.
std::string without_secrets(std::string text);

}  // namespace diskwright
