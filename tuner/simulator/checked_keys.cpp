// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/checked_keys.hpp"

#include <fmt/format.h>

#include <bit>

namespace diskwright {

std::optional<std::uint64_t> sector_multiple(JsonObject& from, std::string_view key) {
    const auto value = from.count(key);
    if (!value || *value % 512 == 0) return value;
    from.fail(key, fmt::format("{} is no whole number of sectors", *value));
    return std::nullopt;
}

std::optional<std::uint64_t> power_of_two(JsonObject& from, std::string_view key, std::uint64_t least,
                                          std::uint64_t most) {
    const auto value = from.count(key);
    if (!value || (std::has_single_bit(*value) && *value >= least && *value <= most)) return value;
    from.fail(key, fmt::format("{} is no power of two from {} to {}", *value, least, most));
    return std::nullopt;
}

std::optional<double> above_zero(JsonObject& from, std::string_view key) {
    const auto value = from.number(key);
    if (!value || *value > 0) return value;
    from.fail(key, "not above 0");
    return std::nullopt;
}

std::optional<double> within(JsonObject& from, std::string_view key, double least, double most) {
    const auto value = from.number(key);
    if (!value || (*value >= least && *value <= most)) return value;
    from.fail(key, fmt::format("not from {} to {}", least, most));
    return std::nullopt;
}

}  // namespace diskwright
