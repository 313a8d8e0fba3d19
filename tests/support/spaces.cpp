// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/spaces.hpp"

#include <fmt/format.h>

#include "tests/support/files.hpp"

namespace diskwright::test {

Parameter parameter(std::string name, Parameter::Scale scale, const std::vector<double>& values) {
    Parameter out{std::move(name), scale, {}};
    for (const double value : values)
        out.values.push_back({Value::Kind::number, fmt::format("{}", value), value});
    return out;
}

SearchSpace grid(std::size_t dimensions, std::size_t steps) {
    std::vector<double> values;
    for (std::size_t i = 0; i <= steps; ++i)
        values.push_back(static_cast<double>(i) / static_cast<double>(steps));
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < dimensions; ++i)
        parameters.push_back(parameter(fmt::format("x{}", i), Parameter::Scale::linear, values));
    return SearchSpace::of(std::move(parameters)).value();
}

double number(const SearchSpace& space, const Point& point, std::size_t parameter) {
    return space.value(point, parameter).number;
}

std::vector<Trial> search(Optimizer& optimizer, const ValueOf& value_of, std::size_t valid) {
    std::vector<Trial> trials;
    while (valid > 0) {
        const auto point = optimizer.propose();
        if (!point) break;
        Trial trial;
        trial.point = *point;
        trial.value = value_of(*point);
        trial.state = trial.value ? TrialState::ok : TrialState::invalid;
        if (trial.value) --valid;
        optimizer.observe(trial);
        trials.push_back(std::move(trial));
    }
    return trials;
}

Landscape recorded(const std::string& name) {
    const auto path = data_folder() / "landscapes" / (name + ".json");
    return landscape_from_json(read_file(path), name, Rows::wanted).value();
}

}  // namespace diskwright::test
