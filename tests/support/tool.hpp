// SPDX-License-Identifier: BSD-2-Clause
// Tools of the system that make or describe images which others wrote: mke2fs, blkid, makefs and the like.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace diskwright::test {

/// Path of the tool in the usual folders; nothing when it is not installed. A test skips then, naming it.
std::optional<std::string> find_tool(const std::string& name);

struct ToolResult {
    int status = -1;
    std::string output;  // standard output and standard error
};
/// argv[0] is a path. Locale C, standard input empty.
ToolResult run_tool(const std::vector<std::string>& argv);

}  // namespace diskwright::test
