// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/io_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// As many as merge() takes: 36 disks every 10 seconds for 5 hours.
constexpr std::size_t most_samples = 65536;

// 0.55 * 100 is 55, not 55.00000000000001.
double tidy(double value) {
    return std::abs(value) < 1e9 ? std::round(value * 1e6) / 1e6 : value;
}

}  // namespace

void IoRow::put(IoColumn column, double value) {
    const double scaled = tidy(value * column.scale);
    switch (column.field) {
        case IoField::none:
            break;
        case IoField::reads:
            sample_.reads_per_s = scaled;
            break;
        case IoField::writes:
            sample_.writes_per_s = scaled;
            break;
        case IoField::read_kb:
            sample_.read_kb_per_s = scaled;
            break;
        case IoField::write_kb:
            sample_.write_kb_per_s = scaled;
            break;
        case IoField::transfers:
            sample_.transfers_per_s = scaled;
            break;
        case IoField::kb:
            sample_.kb_per_s = scaled;
            break;
        case IoField::queue:
            sample_.queue = tidy(sample_.queue.value_or(0) + scaled);
            break;
        case IoField::service:
            sample_.service_ms = scaled;
            break;
        case IoField::await:
            await_ = scaled;
            break;
        case IoField::read_await:
            sample_.read_await_ms = scaled;
            break;
        case IoField::write_await:
            sample_.write_await_ms = scaled;
            break;
        case IoField::busy:
            sample_.busy_percent = scaled;
            break;
        case IoField::flushes:
            sample_.flushes_per_s = scaled;
            break;
        case IoField::flush_await:
            sample_.flush_await_ms = scaled;
            break;
        case IoField::read_merges:
            read_merges_ = scaled;
            break;
        case IoField::read_merges_percent:
            sample_.reads_merged_percent = scaled;
            break;
        case IoField::read_size:
            read_size_ = scaled;
            break;
        case IoField::write_size:
            write_size_ = scaled;
            break;
    }
}

IoSample IoRow::finish() {
    // A single await is the mean over reads and writes: it goes to each direction that had requests.
    if (await_ && !sample_.read_await_ms && !sample_.write_await_ms) {
        if (sample_.reads_per_s.value_or(1) > 0) sample_.read_await_ms = await_;
        if (sample_.writes_per_s.value_or(1) > 0) sample_.write_await_ms = await_;
    }
    if (read_merges_ && sample_.reads_per_s && !sample_.reads_merged_percent) {
        const double arrived = *read_merges_ + *sample_.reads_per_s;
        if (arrived > 0) sample_.reads_merged_percent = 100 * *read_merges_ / arrived;
    }
    // NetBSD prints MB/s to two digits; what that rounds to nothing the request size still tells.
    const auto fill = [](std::optional<double>& kb, std::optional<double> rate, std::optional<double> size) {
        if (rate && size && (!kb || *kb == 0)) kb = *rate * *size;
    };
    fill(sample_.read_kb_per_s, sample_.reads_per_s, read_size_);
    fill(sample_.write_kb_per_s, sample_.writes_per_s, write_size_);
    return sample_;
}

bool IoRow::contradicts_itself() const {
    const auto differs = [](std::optional<double> kb, std::optional<double> rate,
                            std::optional<double> size) {
        if (!kb || !rate || !size || *rate < 1 || *size < 0.1) return false;
        const double product = *rate * *size, larger = std::max(product, *kb);
        return larger > 100 && std::abs(product - *kb) > 0.25 * larger;
    };
    return differs(sample_.read_kb_per_s, sample_.reads_per_s, read_size_) ||
           differs(sample_.write_kb_per_s, sample_.writes_per_s, write_size_);
}

void IoRun::add(std::string_view device, IoSample sample) {
    if (reports_ == 0) begin_report();
    if (samples_ == most_samples) {
        left_out_ = true;
        return;
    }
    ++samples_;
    const std::string name = device_name(device);
    devices_in_report_[name] = true;
    const auto [at, is_new] = index_.try_emplace(name, traces_.size());
    if (is_new) {
        IoTrace trace;
        trace.device = name;
        trace.run = Number(0, sample.from);
        traces_.push_back(std::move(trace));
    }
    if (reports_ == 1) first_report_.emplace_back(at->second, traces_[at->second].samples.size());
    traces_[at->second].samples.push_back(std::move(sample));
}

namespace {

struct Columns {
    std::vector<std::optional<double>*> list;
    void optional(std::string_view, std::optional<double>& value) { list.push_back(&value); }
    void boolean(std::string_view, bool&) {}
    void provenance(Provenance&) {}
};

}  // namespace

void IoRun::extend(std::string_view device, IoSample more) {
    const auto at = index_.find(device_name(device));
    if (left_out_ || at == index_.end()) return;
    Columns known, added;
    IoSample::visit(traces_[at->second].samples.back(), known);
    IoSample::visit(more, added);
    for (std::size_t i = 0; i < known.list.size(); ++i)
        if (!*known.list[i]) *known.list[i] = *added.list[i];
}

void IoRun::timestamp(double seconds) {
    times_.try_emplace(reports_ + 1, seconds);
}
void IoRun::timestamp_of_row(double seconds) {
    times_.try_emplace(std::max<std::size_t>(reports_, 1), seconds);
}

std::optional<double> IoRun::interval_by_timestamps() const {
    std::vector<double> steps;
    const double* before = nullptr;
    for (const auto& [report, time] : times_) {
        if (before) {
            const double step = time < *before ? time - *before + 86400 : time - *before;
            if (step > 0) steps.push_back(step);
        }
        before = &time;
    }
    if (steps.empty()) return std::nullopt;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return *middle;
}

void IoRun::mark_first_report_since_boot() {
    for (const auto& [trace, sample] : first_report_) traces_[trace].samples[sample].since_boot = true;
}

void IoRun::write(HostFacts& facts, Real interval) {
    for (IoTrace& trace : traces_) {
        if (interval) trace.interval_s = interval;
        facts.io_traces.push_back(std::move(trace));
    }
    traces_.clear();
    // Who merges the facts knows the place.
    if (left_out_)
        facts.unparsed.push_back(
            {{}, 0, 0, fmt::format("more than {} samples of I/O: the rest is left out", most_samples)});
}

IostatArguments iostat_arguments(const Output& out, bool sysstat) {
    IostatArguments arguments;
    if (out.program() != "iostat") return arguments;
    bool counted = false;
    std::size_t numbers = 0;
    for (std::size_t i = 1; i < out.argv.size(); ++i) {
        const std::string_view word = out.argv[i];
        if (word.size() < 2 || word[0] != '-') {
            const auto number = to_double(word);
            if (!number || *number <= 0) continue;
            ++numbers;
            if (numbers == 1)
                arguments.interval_s = *number;
            else if (numbers == 2)
                arguments.count = to_unsigned(word);
            continue;
        }
        if (word[1] == '-') continue;
        for (std::size_t k = 1; k < word.size(); ++k) {
            if (sysstat) {
                arguments.skips_since_boot |= word[k] == 'y';
                continue;
            }
            arguments.totals |= word[k] == 'I';
            constexpr std::string_view with_value = "wcntHWMN";
            if (with_value.find(word[k]) == std::string_view::npos) continue;
            auto value = word.substr(k + 1);
            if (value.empty() && i + 1 < out.argv.size()) value = out.argv[++i];
            if (word[k] == 'w') arguments.interval_s = to_double(value);
            if (word[k] == 'c') arguments.count = to_unsigned(value), counted = true;
            break;
        }
    }
    // BSD: a count without an interval repeats every second.
    if (counted && !arguments.interval_s && arguments.count.value_or(1) > 1) arguments.interval_s = 1;
    return arguments;
}

namespace {

// Only blank lines and the banner stand before the run: the paste begins with the first report.
bool begins_output(const Output& out, std::size_t first_line) {
    for (std::size_t i = 0; i < first_line && i < out.lines.size(); ++i)
        if (!trim(out.text(i)).empty()) return false;
    return true;
}

}  // namespace

void write_iostat_run(IoRun& run, const Output& out, std::size_t first_line, bool sysstat, bool banner_seen,
                      Scribe& scribe) {
    if (run.empty()) return;
    const IostatArguments arguments = iostat_arguments(out, sysstat);
    const bool at_prompt = out.program() == "iostat";
    // "iostat -x 10 2 | tail -7": fewer reports than asked for came through, and nobody knows which.
    const std::uint64_t asked = arguments.count.value_or(arguments.interval_s ? 0 : 1);
    const bool some_dropped = out.filtered && asked > run.reports();
    const bool begins = banner_seen || (at_prompt && begins_output(out, first_line));
    if (begins && !some_dropped && !arguments.skips_since_boot && !arguments.totals)
        run.mark_first_report_since_boot();
    Real interval;
    if (arguments.interval_s)
        interval = Real(*arguments.interval_s, scribe.at_prompt());
    else if (const auto by_time = run.interval_by_timestamps())
        interval = Real(*by_time, run.first_row());
    run.write(scribe.facts, interval);
}

std::optional<double> clock_time(const std::vector<std::string_view>& w, std::size_t at) {
    if (at >= w.size()) return std::nullopt;
    const auto word = w[at].substr(0, w[at].find_first_of("+-Z"));
    const auto parts = split(word, ':');
    if (parts.size() != 3) return std::nullopt;
    const auto t = parts[0].find('T');
    const auto hours = to_unsigned(t == std::string_view::npos ? parts[0] : parts[0].substr(t + 1));
    const auto minutes = to_unsigned(parts[1]);
    const auto seconds = to_double(parts[2]);
    if (!hours || !minutes || !seconds || *hours > 24 || *minutes > 59 || *seconds < 0 || *seconds > 61)
        return std::nullopt;
    double total = static_cast<double>(*hours * 3600 + *minutes * 60) + *seconds;
    if (at + 1 < w.size() && *hours <= 12) {
        if (iequals(w[at + 1], "PM") && *hours != 12) total += 43200;
        if (iequals(w[at + 1], "AM") && *hours == 12) total -= 43200;
    }
    return total;
}

std::optional<Cell> io_cell(std::string_view word) {
    if (word == "-" || word == "nan" || word == "-nan" || word == "inf") return Cell{};
    double scale = 1;
    if (!word.empty()) {
        switch (word.back()) {
            case '%':
            case 'k':
                word.remove_suffix(1);
                break;
            case 'M':
                word.remove_suffix(1), scale = 1024;
                break;
            case 'G':
                word.remove_suffix(1), scale = 1024.0 * 1024;
                break;
            case 'B':
                word.remove_suffix(1), scale = 1.0 / 1024;
                break;
            default:
                break;
        }
    }
    const auto number = to_double(word);
    if (!number) return std::nullopt;
    return Cell{*number * scale};
}

}  // namespace diskwright
