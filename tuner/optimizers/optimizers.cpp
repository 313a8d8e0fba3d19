// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/optimizers/optimizers.hpp"

#include <fmt/format.h>

#include <array>

#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

std::span<const Method> methods() {
    static constexpr std::array list{
        Method{"default", "Gaussian process with expected improvement", make_expected_improvement},
        Method{"random", "points in random order", make_random_search},
        Method{"exhaustive", "every point, in order", make_exhaustive},
        Method{"nlopt-direct", "dividing rectangles", make_nlopt_direct},
        Method{"nlopt-crs", "controlled random search", make_nlopt_crs},
        Method{"nlopt-esch", "evolution", make_nlopt_esch},
        Method{"nlopt-cobyla", "linear approximation, restarted", make_nlopt_cobyla},
        Method{"nlopt-bobyqa", "quadratic approximation, restarted", make_nlopt_bobyqa},
        Method{"nlopt-sbplx", "simplex in subspaces, restarted", make_nlopt_sbplx},
    };
    return list;
}

Result<const Method*> method_named(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Method& method : methods()) {
        if (method.name == name) return &method;
        names.push_back(method.name);
    }
    std::string message = fmt::format("there is no method '{}'", escaped(name));
    if (const auto near = nearest(name, names)) message += fmt::format("; did you mean '{}'?", *near);
    return Error{ErrorKind::usage, std::move(message)};
}

}  // namespace diskwright
