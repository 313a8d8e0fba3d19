// SPDX-License-Identifier: BSD-2-Clause
// Captures in a .tar or .tar.gz: members are read in memory, regular files only.
#pragma once

#include <string>
#include <string_view>

#include "probes/capture/document.hpp"

namespace diskwright {

/// Whether a file that begins with these bytes is to be read as one; anything gzip has compressed is.
bool is_archive(std::string_view bytes);

/// Its members as documents, in their order. Of an archive that is cut off what came over whole, with a note
/// that says so. bad_data where nothing could be read, or a limit was passed.
Result<Capture> read_archive(const std::string& bytes, const std::string& path, const LoadLimits& limits);

}  // namespace diskwright
