// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/safe_name.hpp"

#include <algorithm>

namespace diskwright {

bool is_plain_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:@+=,-").find(c) != std::string_view::npos;
}

bool safe_name(std::string_view name) {
    return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), is_plain_character);
}

}  // namespace diskwright
