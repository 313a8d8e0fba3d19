// SPDX-License-Identifier: BSD-2-Clause
// What a tool would do, for people and for programs.
#pragma once

#include <string>

#include "advisor/prediction/prediction.hpp"
#include "advisor/reports/report.hpp"

namespace diskwright {

/// CONTRACT section 5. What is not known is absent.
std::string render_prediction_json(const ToolRelease& release, const Prediction& prediction);
/// command: the words after --, as they were given.
std::string render_prediction_text(const ToolRelease& release, const std::string& command,
                                   const Prediction& prediction, const TextStyle& style);

}  // namespace diskwright
