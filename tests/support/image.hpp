// SPDX-License-Identifier: BSD-2-Clause
// Images of disks and file systems in tests/data/images, compressed with gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "probes/model/host_facts.hpp"

namespace diskwright::test {

std::vector<std::byte> read_image(const std::filesystem::path& compressed);
/// As it is, for images that tools of the system made.
std::vector<std::byte> read_bytes(const std::filesystem::path& file);

/// "bsize: 4096 against 8192" for each value that `wanted` knows and `found` does not have, as JSON has it;
/// provenance apart.
std::vector<std::string> missing_values(const Filesystem& wanted, const Filesystem& found);
std::vector<std::string> missing_values(const Volume& wanted, const Volume& found);

/// The facts of one command's output, as if it had been pasted with its prompt.
HostFacts facts_of_output(const std::vector<std::string>& argv, const std::string& text);

}  // namespace diskwright::test
