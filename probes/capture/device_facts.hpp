// SPDX-License-Identifier: BSD-2-Clause
// The facts that a scrubbed capture keeps of its devices in place of their bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// Takes what discover() can find, and says in `left_out` what else the file states. bad_data for what are no
/// facts, and for a fact that is said to come from anything but the bytes of a device: a manifest's word for
/// it does not make an output of a command, nor a statement of the user.
Result<HostFacts> read_device_facts(std::string_view text, std::string_view file,
                                    std::vector<std::string>& left_out);

}  // namespace diskwright
