// SPDX-License-Identifier: BSD-2-Clause
// Runs the built program itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace diskwright::test {

struct ProgramResult {
    int status = -1;
    std::string output, errors;
};

/// Whether this build runs under AddressSanitizer.
extern const bool sanitized;

/// setrlimit(2) of the program; 0: as this process. A sanitizer reserves more address space than any bound,
/// so that one is left out under it.
struct ProgramLimits {
    std::size_t address_space = 0;  // bytes
    unsigned cpu_seconds = 0;
};

/// argv without the program's name. environment: "NAME=value", beside PATH and HOME of this process.
ProgramResult run_program(const std::vector<std::string>& argv, const std::string& input = {},
                          const std::vector<std::string>& environment = {}, const ProgramLimits& limits = {});

/// The same for any program: words.front() is its path.
ProgramResult run_command(std::vector<std::string> words, const std::string& input = {},
                          const std::vector<std::string>& environment = {}, const ProgramLimits& limits = {});

/// A folder of its own that is removed with the object.
class TemporaryFolder {
 public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    /// Writes a file and returns its path.
    std::string file(const std::string& name, const std::string& bytes) const;

 private:
    std::string folder_;
};

}  // namespace diskwright::test
