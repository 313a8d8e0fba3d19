// SPDX-License-Identifier: BSD-2-Clause
// Lines of the shape "key : value", which many tools print.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "probes/support/text.hpp"

namespace diskwright {

struct KeyValue {
    std::string_view key, value;
};

/// Key and value around the first separator, both trimmed; nothing when there is no separator or no key.
inline std::optional<KeyValue> key_value(std::string_view line, char separator = ':') {
    const auto text = trim(line);
    const auto at = text.find(separator);
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    return KeyValue{trim(text.substr(0, at)), trim(text.substr(at + 1))};
}

/// The digits of a count that a locale may have grouped: "1,234", "1.234", "1'234". Other text stays, so that
/// it is no number.
inline std::string without_grouping(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c != ',' && c != '.' && c != '\'') out += c;
    return out;
}

}  // namespace diskwright
