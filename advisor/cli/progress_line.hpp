// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "probes/support/progress.hpp"

namespace diskwright {

/// "random read, depth 8: 40 %, 12 s left"; without an estimate until a twentieth and a second are done, or
/// when total is 0.
std::string progress_text(std::string_view step, double done, double total,
                          std::chrono::duration<double> elapsed);

/// One line on standard error that is drawn over itself, when that is a terminal; else silent. While it
/// lives, the first SIGINT, SIGTERM or SIGHUP asks the work to stop; a second one, of whichever of them, ends
/// the program and the commands that it runs at once.
/// One at a time.
class ProgressLine final : public ProgressMeter {
 public:
    explicit ProgressLine(bool quiet);
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    /// Takes the line away and gives the signals back.
    ~ProgressLine() override;

    void at(std::string_view step, double done, double total) override;
    bool cancelled() const override;
    /// Takes the line away, so that something else can be printed; the next at() draws it again.
    void clear();

 private:
    using Time = std::chrono::steady_clock::time_point;

    bool visible_;
    std::size_t drawn_ = 0;  // columns
    std::string step_;
    Time step_begun_, last_drawn_;
};

/// After the clean-up of interrupted work: ends the program by the signal that asked for it, so that the
/// shell sees what happened. Returns only when no signal came.
void end_by_signal();

}  // namespace diskwright
