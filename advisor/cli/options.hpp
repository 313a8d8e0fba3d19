// SPDX-License-Identifier: BSD-2-Clause
// What audit and show take on the command line, as typed; checked when they run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace diskwright {

struct InspectOptions {
    std::vector<std::string> inputs;  // empty: this host
    std::string inputs_from;          // a file with one INPUT a line
    std::optional<std::string> host;  // --host[=NAME]: all inputs are one host
    std::string format = "text";
    std::string output;  // "" or "-": standard output
    std::string color = "auto";
    std::string fail_on = "warning";
    std::string min_severity = "info";
    std::vector<std::string> ignore;
    std::string os;
    std::string workload;
    std::vector<std::string> assume;
    bool quiet = false;
    bool strict_inputs = false;
};

struct ExplainOptions {
    std::string code;  // empty: the list
    std::string format = "text";
    std::string output;
    std::string color = "auto";
};

}  // namespace diskwright
