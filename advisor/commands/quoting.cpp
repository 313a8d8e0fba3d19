// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commands/quoting.hpp"

#include <algorithm>

namespace diskwright {
std::string shell_quoted(std::string_view word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain_character)) return std::string(word);
    std::string out = "'";
    for (const char c : word) {
        if (c == '\'')
            out += R"('\'')";
        else
            out += c;
    }
    return out + "'";
}

std::string shell_line(std::span<const std::string> argv) {
    std::string out;
    for (const std::string& word : argv) {
        if (!out.empty()) out += ' ';
        out += shell_quoted(word);
    }
    return out;
}

}  // namespace diskwright
