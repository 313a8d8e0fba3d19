// SPDX-License-Identifier: BSD-2-Clause
// One host's documents to one set of facts: sections, parsers, merging, and what follows from what was read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/capture/document.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// What the user states beside the input; beats everything read, provenance "user".
struct Assumptions {
    std::string os;                  // of --os: "netbsd-10", "freebsd", "openbsd-7.4"; empty: not stated
    std::vector<std::string> facts;  // of --assume: "disks.ada0.physical_sector_bytes=4096"
};

/// Puts what the user stated over the facts. usage when it is malformed or names no fact.
Result<bool> apply_assumptions(HostFacts& facts, const Assumptions& assumptions);

/// Facts of one host. bad_data when nothing in the documents was recognised, with the commands to run
/// instead; usage when an assumption is malformed or names no fact.
Result<HostFacts> assemble(const Capture& capture, const Assumptions& assumptions = {});

/// What the bytes of the capture's disks tell, and what was read from disks whose bytes are not kept. os: of
/// the host, where it is known.
HostFacts facts_of_devices(const Capture& capture, std::optional<Os> os);

/// Sets one fact by its path, "disks.ada0.physical_sector_bytes=4096" or "os.release=9.3"; makes the element
/// when it is not there. An error names the part that is wrong.
Result<bool> assume(HostFacts& facts, std::string_view fact_and_value);

/// The last step of assemble(), on its own for tests: values that follow from others (data disks from level
/// and columns, the state of a set from its components, flags from mount options, drive models). Never
/// replaces a value.
/// whole_host: as Capture has it.
void derive(HostFacts& facts, bool whole_host = true);

/// The release named in the prose that introduces an output: of the nearest paragraph above that names any,
/// when it names exactly one. A release is a number after a system's name, or one with a suffix such as
/// -RELEASE or -RC3.
struct ProseRelease {
    std::string release;
    std::optional<Os> os;  // when the prose names the system beside it
    Provenance from;
};
std::optional<ProseRelease> release_in_prose(const std::vector<std::vector<TextLine>>& paragraphs_above,
                                             const std::string& source);

}  // namespace diskwright
