// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/search.hpp"

namespace diskwright {

/// The legal points of a search: every combination of the values of its parameters.
class SearchSpace {
 public:
    /// Bounds on a space that comes from a file.
    static constexpr std::size_t max_parameters = 64, max_values = 10'000;

    /// bad_data, naming the parameter, for: no parameter or too many, an empty or repeated name, an empty or
    /// too long list of values, a value twice, a linear or log2 value that is no finite number, a log2 value
    /// that is not positive.
    static Result<SearchSpace> of(std::vector<Parameter> parameters);

    const std::vector<Parameter>& parameters() const { return parameters_; }
    /// How many points there are; nothing when 64 bits do not hold it.
    std::optional<std::uint64_t> size() const { return size_; }
    /// The point of a rank below size(); the last parameter varies fastest.
    Point at(std::uint64_t rank) const;

    /// Where a value lies in the unit interval: by value, by exponent, or, of a choice, by its place in the
    /// list.
    double coordinate(std::size_t parameter, std::uint32_t value) const {
        return coordinates_[parameter][value];
    }
    /// The value nearest to a coordinate; the first of equals.
    std::uint32_t nearest_value(std::size_t parameter, double coordinate) const;

    const Value& value(const Point& point, std::size_t parameter) const {
        return parameters_[parameter].values[point[parameter]];
    }
    /// The index of a parameter's value; nothing when it is none of them.
    std::optional<std::uint32_t> index_of(std::size_t parameter, const Value& value) const;

 private:
    explicit SearchSpace(std::vector<Parameter> parameters);

    std::vector<Parameter> parameters_;
    std::vector<std::vector<double>> coordinates_;
    std::optional<std::uint64_t> size_;
};

}  // namespace diskwright
