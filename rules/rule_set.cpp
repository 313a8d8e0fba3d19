// SPDX-License-Identifier: BSD-2-Clause
// The list of rules, sorted by code. To add one: a file in its family's folder, a declaration and a row here,
// tests/rules/<family>/<slug>.json.
#include <array>

#include "rules/rule.hpp"

namespace diskwright {

extern const Rule ffs_optimization_space;  // FFS008

namespace {
constexpr std::array rules{
    &ffs_optimization_space,
};
}  // namespace

std::span<const Rule* const> rule_set() { return rules; }

}  // namespace diskwright
