// SPDX-License-Identifier: BSD-2-Clause
// The search methods. A method is one file and one row in optimizers.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/search.hpp"
#include "tuner/search_space.hpp"

namespace diskwright {

struct OptimizerOptions {
    std::uint64_t seed = 1;
    bool minimise = true;
    /// Points to try first, such as the configuration in force; methods that know better ignore them.
    std::vector<Point> start;
};

struct Method {
    std::string_view name, summary;
    /// The space must outlive the optimizer.
    std::unique_ptr<Optimizer> (*make)(const SearchSpace& space, const OptimizerOptions& options);
};

/// In the order of the manual.
std::span<const Method> methods();
/// usage, with the nearest name, when there is no such method.
Result<const Method*> method_named(std::string_view name);

std::unique_ptr<Optimizer> make_expected_improvement(const SearchSpace& space, const OptimizerOptions&);
std::unique_ptr<Optimizer> make_random_search(const SearchSpace& space, const OptimizerOptions&);
std::unique_ptr<Optimizer> make_exhaustive(const SearchSpace& space, const OptimizerOptions&);
std::unique_ptr<Optimizer> make_nlopt_direct(const SearchSpace& space, const OptimizerOptions&);
std::unique_ptr<Optimizer> make_nlopt_crs(const SearchSpace& space, const OptimizerOptions&);
std::unique_ptr<Optimizer> make_nlopt_esch(const SearchSpace& space, const OptimizerOptions&);
std::unique_ptr<Optimizer> make_nlopt_cobyla(const SearchSpace& space, const OptimizerOptions&);
std::unique_ptr<Optimizer> make_nlopt_bobyqa(const SearchSpace& space, const OptimizerOptions&);
std::unique_ptr<Optimizer> make_nlopt_sbplx(const SearchSpace& space, const OptimizerOptions&);

}  // namespace diskwright
