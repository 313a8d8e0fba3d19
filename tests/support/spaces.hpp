// SPDX-License-Identifier: BSD-2-Clause
// Small search spaces and searches for tests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/landscape.hpp"
#include "tuner/search.hpp"
#include "tuner/search_space.hpp"

namespace diskwright::test {

Parameter parameter(std::string name, Parameter::Scale scale, const std::vector<double>& values);
/// steps + 1 values from 0 to 1 in each of these dimensions.
SearchSpace grid(std::size_t dimensions, std::size_t steps);
double number(const SearchSpace& space, const Point& point, std::size_t parameter);

/// Nothing: the point is invalid.
using ValueOf = std::function<std::optional<double>(const Point&)>;
/// A method's trials on a function, at most so many valid ones.
std::vector<Trial> search(Optimizer& optimizer, const ValueOf& value_of, std::size_t valid);

/// tests/data/landscapes/NAME.json.
Landscape recorded(const std::string& name);

}  // namespace diskwright::test
