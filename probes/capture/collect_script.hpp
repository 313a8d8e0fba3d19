// SPDX-License-Identifier: BSD-2-Clause
// The collector as a program for sh(1), for hosts where diskwright is not installed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "probes/support/embedded_file.hpp"

namespace diskwright {

/// The frame of the script, without the commands.
std::span<const EmbeddedFile> capture_scripts();

/// The program: the commands of every system in the parsers' list, in the collector's order, between the
/// functions that run them. POSIX sh and the tools of each base system, no eval. tool_version: of this
/// program, for the manifest; characters that are not plain are left out.
std::string collect_script(std::string_view tool_version);

}  // namespace diskwright
