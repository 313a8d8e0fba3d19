// SPDX-License-Identifier: BSD-2-Clause
// The JSON Schema (draft 2020-12) of what render_json writes; installed beside the program.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace diskwright {

nlohmann::ordered_json report_schema();

}  // namespace diskwright
