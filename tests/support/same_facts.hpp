// SPDX-License-Identifier: BSD-2-Clause
// What bytes tell against what a command printed of the same thing.
#pragma once

#include <string>
#include <vector>

#include "probes/model/host_facts.hpp"

namespace diskwright::test {

/// "bsize: 4096 against 8192" for each value that `wanted` knows and `found` does not have, as JSON has it;
/// provenance apart.
std::vector<std::string> missing_values(const Filesystem& wanted, const Filesystem& found);
std::vector<std::string> missing_values(const Volume& wanted, const Volume& found);

/// The facts of one command's output, as if it had been pasted with its prompt.
HostFacts facts_of_output(const std::vector<std::string>& argv, const std::string& text);

}  // namespace diskwright::test
