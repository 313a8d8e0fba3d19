// SPDX-License-Identifier: BSD-2-Clause
// What the parsers of iostat and gstat share: the meaning of columns, and samples put together to traces.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/parsers/command.hpp"

namespace diskwright {

enum class IoField {
    none,  // known, but no fact of ours
    reads,
    writes,
    read_kb,
    write_kb,
    transfers,
    kb,
    queue,  // adds up where a tool splits it (waiting and active)
    service,
    await,
    read_await,
    write_await,
    busy,  // percent
    flushes,
    flush_await,
    read_merges,  // per second
    read_merges_percent,
    read_size,
    write_size  // KiB per request
};

struct IoColumn {
    IoField field = IoField::none;
    double scale = 1;
};

/// One row under construction; finish() derives what the tool only implies.
class IoRow {
 public:
    explicit IoRow(Provenance from) { sample_.from = std::move(from); }
    void put(IoColumn column, double value);
    IoSample finish();
    /// Printed request size times rate is far from the printed throughput: digits were lost. (After
    /// finish().)
    bool contradicts_itself() const;

 private:
    IoSample sample_;
    std::optional<double> await_, read_merges_, read_size_, write_size_;
};

/// The samples of one run of a tool, by device.
class IoRun {
 public:
    /// A report begins: rows up to the next one were taken together.
    void begin_report() { devices_in_report_.clear(), ++reports_; }
    bool seen_in_report(std::string_view device) const {
        return devices_in_report_.count(std::string(device)) > 0;
    }
    void add(std::string_view device, IoSample sample);
    /// More columns of a device that is in the current report already.
    void extend(std::string_view device, IoSample more);
    /// Seconds since midnight, as printed above the next report.
    void timestamp(double seconds);
    /// The same, as printed at the head of a row: of the current report.
    void timestamp_of_row(double seconds);
    std::size_t reports() const { return reports_; }
    bool empty() const { return traces_.empty(); }
    /// The time between reports by their timestamps, when at least two have one.
    std::optional<double> interval_by_timestamps() const;
    const Provenance& first_row() const { return traces_.front().samples.front().from; }
    void mark_first_report_since_boot();
    /// Moves the traces into `facts`; interval unknown: without.
    void write(HostFacts& facts, Real interval);

 private:
    std::vector<IoTrace> traces_;
    std::map<std::string, std::size_t> index_;
    std::map<std::string, bool> devices_in_report_;
    std::vector<std::pair<std::size_t, std::size_t>> first_report_;  // trace, sample
    std::size_t reports_ = 0, samples_ = 0;
    bool left_out_ = false;
    std::map<std::size_t, double> times_;  // by report
};

/// What the arguments of iostat say of its reports. Sysstat and the BSDs differ: -c takes a count on the BSDs
/// only.
struct IostatArguments {
    std::optional<double> interval_s;
    std::optional<std::uint64_t> count;
    bool skips_since_boot = false;  // sysstat -y
    bool totals = false;            // BSD -I: totals, not rates
};
IostatArguments iostat_arguments(const Output& out, bool sysstat);

/// Writes a run of iostat: interval from the arguments, else from timestamps; the first report is marked
/// since_boot when the paste begins with it (`first_line`: where the run begins).
void write_iostat_run(IoRun& run, const Output& out, std::size_t first_line, bool sysstat, bool banner_seen,
                      Scribe& scribe);

/// "12:34:56", also with a date before or AM/PM behind it: seconds since midnight.
std::optional<double> clock_time(const std::vector<std::string_view>& words, std::size_t at);

/// A cell of an I/O report: "12.3", "12,3", "97.2%", "1.5k" (sysstat -h; k is 1, M is 1024). Nothing when it
/// is no number. "nan" and "-" are cells without a value.
struct Cell {
    std::optional<double> value;
};
std::optional<Cell> io_cell(std::string_view word);

}  // namespace diskwright
