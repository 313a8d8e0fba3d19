// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/search_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

Error fault(std::string message) {
    return Error{ErrorKind::bad_data, std::move(message)};
}

std::optional<Error> fault_of_values(const Parameter& parameter) {
    const std::string name = escaped(parameter.name);
    if (parameter.values.empty()) return fault(fmt::format("parameter {}: no values", name));
    if (parameter.values.size() > SearchSpace::max_values)
        return fault(fmt::format("parameter {}: {} values, at most {} can be searched", name,
                                 parameter.values.size(), SearchSpace::max_values));
    std::set<std::pair<Value::Kind, std::string>> words;
    std::set<double> numbers;
    for (const Value& value : parameter.values) {
        const bool number = value.kind == Value::Kind::number;
        if (number && !std::isfinite(value.number))
            return fault(fmt::format("parameter {}: value {} is not finite", name, escaped(value.text)));
        if (!number && parameter.scale != Parameter::Scale::choice)
            return fault(fmt::format("parameter {}: value {} is no number, so the scale can only be choice",
                                     name, escaped(value.text)));
        if (parameter.scale == Parameter::Scale::log2 && value.number <= 0)
            return fault(fmt::format("parameter {}: value {} has no logarithm", name, escaped(value.text)));
        const bool fresh =
            number ? numbers.insert(value.number).second : words.insert({value.kind, value.text}).second;
        if (!fresh)
            return fault(fmt::format("parameter {}: value {} is there twice", name, escaped(value.text)));
    }
    return std::nullopt;
}

std::vector<double> coordinates_of(const Parameter& parameter) {
    std::vector<double> places;
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        const double number = parameter.values[i].number;
        if (parameter.scale == Parameter::Scale::choice) places.push_back(static_cast<double>(i));
        // Halved, so that the distance of the extreme doubles is still a number.
        if (parameter.scale == Parameter::Scale::linear) places.push_back(number / 2);
        if (parameter.scale == Parameter::Scale::log2) places.push_back(std::log2(number));
    }
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    const double from = *least, range = *most - *least;
    for (double& place : places) place = range > 0 ? (place - from) / range : 0.5;
    return places;
}

}  // namespace

Result<SearchSpace> SearchSpace::of(std::vector<Parameter> parameters) {
    if (parameters.empty()) return fault("no parameters");
    if (parameters.size() > max_parameters)
        return fault(
            fmt::format("{} parameters, at most {} can be searched", parameters.size(), max_parameters));
    std::set<std::string> names;
    for (const Parameter& parameter : parameters) {
        if (parameter.name.empty()) return fault("a parameter has no name");
        if (!names.insert(parameter.name).second)
            return fault(fmt::format("parameter {} is there twice", escaped(parameter.name)));
        if (auto wrong = fault_of_values(parameter)) return std::move(*wrong);
    }
    return SearchSpace(std::move(parameters));
}

SearchSpace::SearchSpace(std::vector<Parameter> parameters) : parameters_(std::move(parameters)), size_(1) {
    for (const Parameter& parameter : parameters_) {
        coordinates_.push_back(coordinates_of(parameter));
        if (size_) size_ = multiply(*size_, parameter.values.size());
    }
}

Point SearchSpace::at(std::uint64_t rank) const {
    Point point(parameters_.size());
    for (std::size_t i = parameters_.size(); i-- > 0;) {
        const std::uint64_t count = parameters_[i].values.size();
        point[i] = static_cast<std::uint32_t>(rank % count);
        rank /= count;
    }
    return point;
}

std::uint32_t SearchSpace::nearest_value(std::size_t parameter, double coordinate) const {
    const auto& places = coordinates_[parameter];
    const auto nearest = std::min_element(places.begin(), places.end(), [&](double a, double b) {
        return std::abs(a - coordinate) < std::abs(b - coordinate);
    });
    return static_cast<std::uint32_t>(nearest - places.begin());
}

std::optional<std::uint32_t> SearchSpace::index_of(std::size_t parameter, const Value& value) const {
    const auto& values = parameters_[parameter].values;
    const auto found = std::find(values.begin(), values.end(), value);
    if (found == values.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - values.begin());
}

}  // namespace diskwright
