// SPDX-License-Identifier: BSD-2-Clause
// What the commissioning job found and recommends, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "advisor/commissioning/job.hpp"
#include "advisor/reports/report.hpp"

namespace diskwright {

/// diskwright-commission(8). Each ends with a line end.
std::string commission_text(const CommissionReport& report, const TextStyle& style);
std::string commission_json(const CommissionReport& report, const std::vector<std::string>& argv,
                            std::string_view version);
/// The plan as a script for review; unavailable when there is no plan.
Result<std::string> commission_script(const CommissionReport& report);

}  // namespace diskwright
