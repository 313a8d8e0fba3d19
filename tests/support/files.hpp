// SPDX-License-Identifier: BSD-2-Clause
// Test data on disk, and golden files: UPDATE_GOLDEN=1 in the environment rewrites them instead of comparing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace diskwright::test {

/// tests/data of the source tree.
std::filesystem::path data_folder();
std::filesystem::path tests_folder();
std::string read_file(const std::filesystem::path& path);
/// Entries of a folder, sorted by name.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);
/// Compares with a golden file; a difference is a test failure that shows both lines where they part.
void expect_golden(const std::filesystem::path& golden, std::string_view actual);

}  // namespace diskwright::test
