// SPDX-License-Identifier: BSD-2-Clause
// The forms of a plan: text for people, JSON, and a sh script for review.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "advisor/planning/plan.hpp"
#include "advisor/reports/report.hpp"

namespace diskwright {

std::string plan_text(const Plan& plan, const TextStyle& style);
/// {"os", "release", "subject", "device", "layout", "steps", "notes", "planned"}.
nlohmann::ordered_json plan_to_json(const Plan& plan);
/// The same as text.
std::string plan_json(const Plan& plan);
/// A POSIX sh script that does nothing until its reader has set a variable, and refuses while the device is
/// mounted.
std::string plan_script(const Plan& plan);

}  // namespace diskwright
