// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/runners/command_runner.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "probes/support/text.hpp"
#include "tuner/landscape.hpp"

namespace diskwright {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

// How many characters at the front spell a decimal number; 0 when none do.
std::size_t number_length(std::string_view text) {
    std::size_t at = 0, digits = 0;
    const auto skip_digits = [&] {
        for (; at < text.size() && is_digit(text[at]); ++at) ++digits;
    };
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    skip_digits();
    if (at < text.size() && text[at] == '.') ++at, skip_digits();
    if (digits == 0) return 0;
    const std::size_t mantissa = at;
    if (at == text.size() || (text[at] != 'e' && text[at] != 'E')) return mantissa;
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    digits = 0;
    skip_digits();
    return digits == 0 ? mantissa : at;
}

// The first line, short enough for a table.
std::string first_line(std::string_view text) {
    const auto lines = split_lines(text.substr(0, 200));
    return lines.empty() ? std::string{} : std::string(trim(lines.front()));
}

void judge(const CommandOutcome& outcome, Trial& trial) {
    if (outcome.timed_out) {
        trial.state = TrialState::timeout;
        trial.note = "killed when its time was up";
    } else if (outcome.exit_status != 0) {
        trial.state = TrialState::invalid;
        trial.note = fmt::format("exit status {}", outcome.exit_status);
        if (const auto said = first_line(outcome.errors); !said.empty()) trial.note += ": " + escaped(said);
    } else if (const auto value = first_number(outcome.output)) {
        trial.state = TrialState::ok;
        trial.value = value;
    } else {
        trial.state = TrialState::failed;
        trial.note = "printed no number";
    }
}

}  // namespace

std::optional<double> first_number(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t length = number_length(text.substr(at));
        if (length == 0) {
            // The rest of a word, so that its digits are not taken for a number.
            if (is_word(text[at]))
                while (at + 1 < text.size() && (is_word(text[at + 1]) || text[at + 1] == '-')) ++at;
            continue;
        }
        // In the C locale, which is the one of a program that never asked for another.
        const double value = std::strtod(std::string(text.substr(at, length)).c_str(), nullptr);
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    }
    return std::nullopt;
}

Result<Trial> MeasureCommandRunner::run(const Point& point, const CommandLimits& limits) {
    const auto from = clock_.now();
    const auto outcome = commands_.run(argv_, point_json(space_, point).dump() + "\n", limits);
    if (!outcome) return outcome.error();
    Trial trial;
    trial.point = point;
    trial.cost = clock_.now() - from;
    judge(*outcome, trial);
    return trial;
}

}  // namespace diskwright
