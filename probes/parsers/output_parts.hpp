// SPDX-License-Identifier: BSD-2-Clause
// parse_output() for outputs of any length: what is found is handed on at once instead of kept.
#pragma once

#include <cstddef>
#include <functional>

#include "probes/parsers/command.hpp"

namespace diskwright {

/// Told of the sections and of the lines between them in the order of their lines.
struct OutputParts {
    std::function<void(SectionFacts)> section;
    std::function<void(std::size_t first, std::size_t last)> unclaimed;  // line indices, inclusive
};
void parse_output(const Output& output, const OutputParts& parts);

}  // namespace diskwright
