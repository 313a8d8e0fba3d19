// SPDX-License-Identifier: BSD-2-Clause
// JSON that a tool printed among other lines: where it ends, and what it holds.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "probes/parsers/command.hpp"

namespace diskwright {

/// The lines of one JSON value that begins at a line.
struct JsonText {
    std::string text;
    std::size_t lines = 0;
    bool complete = false;  // every bracket was closed, none is nested deeper than what such tools print
};

/// The value from line `at`; it must begin with a bracket there. A comma behind its end belongs to the text.
JsonText json_text_at(const Output& out, std::size_t at);
/// Nothing when it is cut, damaged, or has a key twice in one object.
std::optional<nlohmann::ordered_json> json_value(const JsonText& text);

}  // namespace diskwright
