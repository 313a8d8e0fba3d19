// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disksim_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace diskwright::disksim {

double number(JsonObject& from, std::string_view key, double least, double most) {
    const auto value = from.number(key);
    if (!value) from.fail(key, "missing");
    if (value && (*value < least || *value > most))
        from.fail(key, fmt::format("not from {} to {}", least, most));
    return value.value_or(least);
}

double seconds(JsonObject& from, std::string_view key) {
    return number(from, key, 0, 1e6) * ms;
}

std::uint64_t whole(JsonObject& from, std::string_view key, std::uint64_t least, std::uint64_t most) {
    const auto value = from.count(key);
    if (!value) from.fail(key, "missing");
    if (value && (*value < least || *value > most))
        from.fail(key, fmt::format("not from {} to {}", least, most));
    return std::clamp(value.value_or(least), least, most);
}

bool yes(JsonObject& from, std::string_view key) {
    return whole(from, key, 0, 1) == 1;
}

void pass_over(JsonObject& from, std::initializer_list<std::string_view> keys) {
    for (const auto key : keys) from.any(key);
}

}  // namespace diskwright::disksim
