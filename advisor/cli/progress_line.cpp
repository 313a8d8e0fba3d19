// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include "probes/live/running_groups.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using namespace std::chrono_literals;

static_assert(std::atomic<int>::is_always_lock_free);  // else no handler may look at it
std::atomic<int> asked_to_stop{0};                     // the first signal
constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

extern "C" void ask_to_stop(int number) {
    int none = 0;
    if (asked_to_stop.compare_exchange_strong(none, number)) return;
    // Commands run in groups of their own, which the terminal's signals do not reach.
    const int before = errno;
    kill_running_groups();
    std::signal(number, SIG_DFL);
    std::raise(number);
    errno = before;
}

void handle_signals(void (*handler)(int), int flags) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    for (const int number : signals) {
        struct sigaction present {};
        // What the caller had ignored (nohup) stays ignored.
        if (sigaction(number, nullptr, &present) == 0 && present.sa_handler != SIG_IGN)
            sigaction(number, &action, nullptr);
    }
}

bool can_draw() {
    const char* term = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && term && std::string_view(term) != "dumb";
}

std::size_t columns() {
    struct winsize size {};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A terminal that went away is no reason to end the work.
void draw(std::string_view text) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

std::string duration_text(double seconds) {
    if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds));
    if (seconds < 5400) return fmt::format("{:.0f} min", std::round(seconds / 60));
    return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string progress_text(std::string_view step, double done, double total,
                          std::chrono::duration<double> elapsed) {
    std::string text = escaped(step);
    if (!(total > 0) || !(done >= 0)) return text;
    const double share = std::min(done / total, 1.0);
    text += fmt::format(": {:.0f} %", std::floor(share * 100));
    if (share >= 0.05 && elapsed >= 1s && share < 1)
        text += fmt::format(", {} left", duration_text(elapsed.count() * (1 - share) / share));
    return text;
}

ProgressLine::ProgressLine(bool quiet) : visible_(!quiet && can_draw()) {
    asked_to_stop = 0;
    handle_signals(ask_to_stop, SA_RESTART);
}

ProgressLine::~ProgressLine() {
    clear();
    handle_signals(SIG_DFL, 0);
}

void ProgressLine::at(std::string_view step, double done, double total) {
    if (!visible_) return;
    const Time now = std::chrono::steady_clock::now();
    if (step != step_) {
        step_ = step;
        step_begun_ = now;
    } else if (now - last_drawn_ < 100ms) {
        return;
    }
    last_drawn_ = now;
    std::string text = progress_text(step, done, total, now - step_begun_);
    text.resize(std::min(text.size(), columns() - 1));
    const std::size_t width = text.size();
    if (width < drawn_) text.append(drawn_ - width, ' ');
    draw("\r" + text + (width < drawn_ ? std::string(drawn_ - width, '\b') : ""));
    drawn_ = width;
}

bool ProgressLine::cancelled() const {
    return asked_to_stop != 0;
}

void ProgressLine::clear() {
    if (drawn_ == 0) return;
    draw("\r" + std::string(drawn_, ' ') + "\r");
    drawn_ = 0;
}

void end_by_signal() {
    const int number = asked_to_stop;
    if (number == 0) return;
    std::signal(number, SIG_DFL);
    std::raise(number);
}

}  // namespace diskwright
