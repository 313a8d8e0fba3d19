// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string>
#include <string_view>

#include "probes/capture/document.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

bool is_gzip(std::string_view bytes);

/// What one gzip-compressed file holds; bad_data when it is damaged, cut off, or larger than the limits
/// allow.
Result<std::string> gunzip(std::string_view bytes, std::string_view source, const LoadLimits& limits);

}  // namespace diskwright
