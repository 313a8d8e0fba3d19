// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commands/quoting.hpp"

#include <algorithm>

namespace diskwright {
namespace {

bool plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:@+=,-").find(c) != std::string_view::npos;
}

}  // namespace

bool safe_name(std::string_view name) {
    return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), plain);
}

std::string shell_quoted(std::string_view word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
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
