// SPDX-License-Identifier: BSD-2-Clause
// A capture to a file or folder, whole or not at all.
#pragma once

#include <string>

#include "probes/capture/document.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// Whether a capture of that name is a folder: it ends in '/', or is an empty folder already.
bool names_folder(const std::string& path);

/// Writes the documents and manifest.json (capture.info must be there) to a new folder, when names_folder(),
/// or to a new gzip-compressed tar: mode 0600, folders 0700. Nothing is overwritten and no symbolic link is
/// followed to a file; the name appears once all is written. no_permission when it exists already, os_error
/// otherwise.
Result<bool> write_capture(const std::string& path, const Capture& capture);

}  // namespace diskwright
