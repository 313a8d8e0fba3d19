// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/number_options.hpp"

#include <fmt/format.h>

#include "probes/support/text.hpp"

namespace diskwright {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    const bool bounded = least > 0 || most < std::numeric_limits<std::uint64_t>::max();
    const std::string range = bounded ? fmt::format("{}..{}", least, most) : "";
    return {[=](const std::string& text) {
                const auto number = to_unsigned(text);
                if (number && *number >= least && *number <= most) return std::string{};
                return fmt::format("'{}' is no whole number{}{}", text, bounded ? " of " : "", range);
            },
            range};
}

CLI::Validator number_between(double least, double most) {
    const std::string range = fmt::format("{}..{}", least, most);
    return {[=](const std::string& text) {
                const auto number = to_double(text);
                if (number && *number >= least && *number <= most) return std::string{};
                return fmt::format("'{}' is no number of {}", text, range);
            },
            range};
}

}  // namespace diskwright
