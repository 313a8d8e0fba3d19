// SPDX-License-Identifier: BSD-2-Clause
// manifest.json of a capture, as diskwright-capture(5) describes it: which file is the output of which
// command, and what was left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/capture/document.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

inline constexpr std::string_view manifest_name = "manifest.json";

/// "007-raidctl_-s_raid0.txt": unique by the number (from 1), plain characters only.
std::string member_file_name(std::size_t number, const std::vector<std::string>& argv);

/// The manifest of a capture whose documents are stored under these names, one each.
std::string manifest_text(const CaptureInfo& info, const Capture& capture,
                          const std::vector<std::string>& files);

/// Takes the manifests out of the documents. Files they name get their commands and come first, in the order
/// of the manifest, and what it says was left out joins the notes. A manifest that is damaged, and a file it
/// names that is not there, is a note: the files are read without it. bad_data for a version that is not
/// known.
Result<bool> apply_manifests(Capture& capture);

}  // namespace diskwright
