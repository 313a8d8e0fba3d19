// SPDX-License-Identifier: BSD-2-Clause
// What an INPUT holds: named texts, read into memory, nothing interpreted yet.
#pragma once

#include <string>
#include <vector>

#include "probes/support/result.hpp"

namespace diskwright {

/// Bounds on untrusted input.
struct LoadLimits {
    std::size_t bytes = std::size_t{1} << 30;  // of one host, expanded
    std::size_t expansion_ratio = 200;         // of a compressed archive
    std::size_t members = 100'000;             // of an archive or folder
};

struct Document {
    std::string name;  // as evidence shall cite it
    std::string bytes;
    std::vector<std::string> argv;  // of the command that printed it, when the collector ran it
};

struct Capture {
    std::vector<Document> documents;  // sorted by name
    std::vector<std::string> notes;   // what was left out, and why
};

/// A text file, a folder (one host), or a .tar, .tar.gz, .tgz (one host; members are read in memory, regular
/// files only).
/// "-" is standard input. Errors: no_input for missing or unreadable, bad_data for broken archives and
/// exceeded limits.
Result<Capture> load_input(const std::string& path, const LoadLimits& limits = {});

}  // namespace diskwright
