// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/tool.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright::test {

std::optional<std::string> find_tool(const std::string& name) {
    constexpr std::array<std::string_view, 6> folders{"/sbin",    "/usr/sbin",       "/bin",
                                                      "/usr/bin", "/usr/local/sbin", "/usr/local/bin"};
    for (const auto folder : folders) {
        std::string path = std::string(folder) + "/" + name;
        if (access(path.c_str(), X_OK) == 0) return path;
    }
    return std::nullopt;
}

ToolResult run_tool(const std::vector<std::string>& argv) {
    const TemporaryFolder folder;
    const std::string out = folder.path("out");
    std::vector<std::string> words = argv, variables{"LC_ALL=C", "PATH=/sbin:/usr/sbin:/bin:/usr/bin"};
    std::vector<char*> arguments, environment;
    for (auto& word : words) arguments.push_back(word.data());
    for (auto& variable : variables) environment.push_back(variable.data());
    arguments.push_back(nullptr), environment.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        const int output = open(out.c_str(), O_WRONLY | O_CREAT, 0600);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(output, STDOUT_FILENO), dup2(output, STDERR_FILENO);
        execve(arguments[0], arguments.data(), environment.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out)};
}

}  // namespace diskwright::test
