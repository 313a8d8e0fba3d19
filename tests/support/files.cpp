// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "probes/support/text.hpp"

namespace diskwright::test {

std::filesystem::path tests_folder() {
    return std::filesystem::path(DISKWRIGHT_SOURCE_DIR) / "tests";
}
std::filesystem::path data_folder() {
    return tests_folder() / "data";
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << "cannot read " << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> out;
    if (std::filesystem::is_directory(folder))
        for (const auto& entry : std::filesystem::directory_iterator(folder)) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

void expect_golden(const std::filesystem::path& golden, std::string_view actual) {
    if (std::getenv("UPDATE_GOLDEN")) {
        std::ofstream(golden, std::ios::binary) << actual;
        return;
    }
    const std::string wanted = read_file(golden);
    if (wanted == actual) return;
    const auto a = split_lines(wanted), b = split_lines(actual);
    std::size_t i = 0;
    while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
    ADD_FAILURE() << golden << ":" << i + 1 << "\n- " << (i < a.size() ? a[i] : "(end)") << "\n+ "
                  << (i < b.size() ? b[i] : "(end)")
                  << "\nUPDATE_GOLDEN=1 rewrites it; review the difference.";
}

}  // namespace diskwright::test
