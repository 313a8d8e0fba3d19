// SPDX-License-Identifier: BSD-2-Clause
// Values of configuration files with a range of their own. Nothing when the key is absent; what is out of
// range is an error of the object.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "probes/model/enums.hpp"
#include "probes/model/json_object.hpp"

namespace diskwright {

/// Each gives nothing when the key is missing or, which it fails, is not as wanted.
/// A multiple of 512.
std::optional<std::uint64_t> sector_multiple(JsonObject& from, std::string_view key);
std::optional<std::uint64_t> power_of_two(JsonObject& from, std::string_view key, std::uint64_t least,
                                          std::uint64_t most);
std::optional<double> above_zero(JsonObject& from, std::string_view key);
std::optional<double> within(JsonObject& from, std::string_view key, double least, double most);

/// One of the words of the enumeration.
template <class E>
std::optional<E> enumerator(JsonObject& from, std::string_view key) {
    const auto word = from.word(key, {EnumNames<E>::names.begin(), EnumNames<E>::names.end()});
    return word ? from_string<E>(*word) : std::nullopt;
}

}  // namespace diskwright
