// SPDX-License-Identifier: BSD-2-Clause
// The files of diskwright-tune(8): a space to search, and a landscape, which is a space with its values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "probes/model/json_object.hpp"
#include "probes/support/result.hpp"
#include "tuner/search_space.hpp"

namespace diskwright {

struct Landscape {
    std::string title, source;  // as the file says; empty when it does not
    SearchSpace space;
    Objective objective;
    std::optional<Point> default_point;
    std::map<Point, double> rows;
};

/// What a file must have besides its space.
enum class Rows {
    wanted,    // --recorded
    unwanted,  // --space: rows are allowed and ignored, a default too
};

/// bad_data with `name` and the path of the key: not JSON, wrong types, unknown keys (with the nearest known
/// one), a value that its parameter does not have, a point twice, what SearchSpace::of refuses. `name` is
/// escaped there.
Result<Landscape> landscape_from_json(std::string_view text, const std::string& name, Rows rows);

/// A point as an object: parameter name to value, of the type the file had.
nlohmann::ordered_json point_json(const SearchSpace& space, const Point& point);
/// The point of such an object, which may hold nothing else but what was asked for already. What is wrong,
/// its error() says; the point is of no use then.
Point read_point(const SearchSpace& space, JsonObject& json);
/// The parameters as the file has them.
nlohmann::ordered_json space_json(const SearchSpace& space);
std::string_view name_of(Parameter::Scale scale);

}  // namespace diskwright
