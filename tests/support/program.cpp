// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/files.hpp"

namespace diskwright::test {

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "diskwright-XXXXXX").string();
    folder_ = mkdtemp(name.data());
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
}

#if defined(__SANITIZE_ADDRESS__)
const bool sanitized = true;
#else
const bool sanitized = false;
#endif

namespace {

template <class Resource>
void limit(Resource resource, rlim_t value) {
    const struct rlimit bound { value, value };
    if (value != 0) setrlimit(resource, &bound);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& argv, const std::string& input,
                          const std::vector<std::string>& environment, const ProgramLimits& limits) {
    std::vector<std::string> words{DISKWRIGHT_PROGRAM};
    words.insert(words.end(), argv.begin(), argv.end());
    return run_command(std::move(words), input, environment, limits);
}

ProgramResult run_command(std::vector<std::string> words, const std::string& input,
                          const std::vector<std::string>& environment, const ProgramLimits& limits) {
    // Through files: no pipe can fill up and block.
    const TemporaryFolder folder;
    const std::string in = folder.file("in", input), out = folder.path("out"), err = folder.path("err");
    std::vector<std::string> variables = environment;
    for (const char* name : {"PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS"})
        if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
    std::vector<char*> arguments, env;
    for (auto& word : words) arguments.push_back(word.data());
    for (auto& variable : variables) env.push_back(variable.data());
    arguments.push_back(nullptr);
    env.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        limit(RLIMIT_CPU, limits.cpu_seconds);
        if (!sanitized) limit(RLIMIT_AS, limits.address_space);
        dup2(open(in.c_str(), O_RDONLY), STDIN_FILENO);
        dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
        dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
        execve(arguments[0], arguments.data(), env.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ProgramResult result;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.output = read_file(out);
    result.errors = read_file(err);
    return result;
}

}  // namespace diskwright::test
