// SPDX-License-Identifier: BSD-2-Clause
// A host played back from a capture under tests/data/captures, for the collector and for the printed script.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "probes/capture/document.hpp"
#include "probes/model/enums.hpp"
#include "probes/support/command_runner.hpp"

namespace diskwright::test {

/// Answers the commands of a capture. Another command of a program that the capture has fails with a message;
/// any other program is not installed.
class RecordedHost final : public CommandRunner {
 public:
    explicit RecordedHost(Capture capture) : capture_(std::move(capture)) {}
    Result<CommandOutcome> run(const std::vector<std::string>& argv, const CommandLimits& limits) override;
    bool installed(const std::string& program) const override { return has_program(program); }

    const Capture& capture() const { return capture_; }
    const std::vector<std::vector<std::string>>& asked() const { return asked_; }

    /// Writes stand-ins for the programs into folder, and links to the base tools that the script needs.
    void write_stand_ins(const std::string& folder, Os system) const;

 private:
    bool has_program(const std::string& name) const;

    Capture capture_;
    std::vector<std::vector<std::string>> asked_;
};

/// tests/data/captures/<name>.
Capture recorded_capture(const std::string& name);
/// What is understood of a capture, without where it stands; null when nothing is.
nlohmann::ordered_json facts_of(const Capture& capture);
/// For comparisons where the order of the commands was another.
void sort_lists(nlohmann::ordered_json& json);

}  // namespace diskwright::test
