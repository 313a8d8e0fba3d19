// SPDX-License-Identifier: BSD-2-Clause
// audit and show.
#pragma once

#include <string>
#include <vector>

#include "advisor/cli/options.hpp"
#include "advisor/reports/report.hpp"

namespace diskwright {

/// Reads the inputs, judges (audit), prints; returns the exit status. argv: the command line as given, for
/// the report.
int run_inspect(const InspectOptions& options, ReportKind kind, const std::vector<std::string>& argv);

}  // namespace diskwright
