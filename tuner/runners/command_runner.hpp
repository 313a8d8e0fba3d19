// SPDX-License-Identifier: BSD-2-Clause
// Trials measured by a command of the user's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/support/clock.hpp"
#include "tuner/search.hpp"
#include "tuner/search_space.hpp"

namespace diskwright {

class MeasureCommandRunner final : public TrialRunner {
 public:
    /// All references must outlive this. argv is not empty.
    MeasureCommandRunner(const SearchSpace& space, std::vector<std::string> argv, UserCommandRunner& commands,
                         Clock& clock)
        : space_(space), argv_(std::move(argv)), commands_(commands), clock_(clock) {}

    /// The point goes to the command's standard input as a JSON object on one line. ok: it exits with 0 and
    /// prints a number. invalid: another exit status. timeout: it was killed. failed: no number printed.
    Result<Trial> run(const Point& point, const CommandLimits& limits) override;

 private:
    const SearchSpace& space_;
    std::vector<std::string> argv_;
    UserCommandRunner& commands_;
    Clock& clock_;
};

/// The first number of a text that is not part of a word: "took 3.2e-1 s" is 0.32, the 5 of "raid5" is none.
/// Nothing when there is none, or it is not finite.
std::optional<double> first_number(std::string_view text);

}  // namespace diskwright
