// SPDX-License-Identifier: BSD-2-Clause
// manifest.json of a capture, as diskwright-capture(5) describes it: which file is the output of which
// command, where on its device each byte of a file of regions belongs, and what was left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/capture/document.hpp"
#include "probes/capture/region_source.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

inline constexpr std::string_view manifest_name = "manifest.json";

/// "007-raidctl_-s_raid0.txt": unique by the number (from 1), plain characters only.
std::string member_file_name(std::size_t number, const std::vector<std::string>& argv,
                             std::string_view suffix = ".txt");

/// How the name of a file ends that holds the regions of a device. Such a file is nothing without a manifest.
inline constexpr std::string_view regions_suffix = ".regions";

/// The devices of the capture of which regions are stored.
std::vector<const RegionSource*> collected_devices(const Capture& capture);

/// The manifest of a capture whose members are stored under these names: first one for each document, then
/// one for each collected device, then one for the facts of devices when there are any.
std::string manifest_text(const CaptureInfo& info, const Capture& capture,
                          const std::vector<std::string>& files);

/// Takes the manifests out of the documents. Files they name get their commands and come first, in the order
/// of the manifest; files of regions become images, and what the manifest says was left out joins the notes.
/// A manifest that is damaged, and a file it names that is not there, is a note: the files are read without
/// it, but for those of regions. bad_data for a version that is not known.
Result<bool> apply_manifests(Capture& capture);

}  // namespace diskwright
