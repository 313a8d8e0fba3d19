// SPDX-License-Identifier: BSD-2-Clause
// Checks of options that take one of some words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace diskwright {

/// The error names the nearest of the words, or all of them.
CLI::Validator one_of(std::vector<std::string> words);

/// "; did you mean '--fail-on'?" for the first of the words that looks like an option and that neither the
/// command nor one above it has; empty when none of its options is near.
std::string meant_option(const CLI::App& command, const std::vector<std::string>& words);

}  // namespace diskwright
