// SPDX-License-Identifier: BSD-2-Clause
// What the I/O rules share: reading samples, and finding the traces that belong together.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/rule.hpp"

namespace diskwright::io {

/// Samples of an interval. The report since boot averages over days and tells nothing of a load.
std::vector<const IoSample*> interval_samples(const IoTrace& trace);

std::optional<double> requests_per_s(const IoSample& sample);
/// write_kb_per_s x 1024 / writes_per_s; nothing without writes.
std::optional<double> mean_write_bytes(const IoSample& sample);
std::optional<double> mean_read_bytes(const IoSample& sample);
/// The service time as printed, else the waits of reads and writes weighted by their rates.
std::optional<double> service_ms(const IoSample& sample);

/// Of a list that is not empty.
double median(const std::vector<double>& values);
/// "1194", "84.3", "0.84": three digits, for people.
std::string short_number(double value);
/// "6.0 KiB", "14.9 MiB".
std::string short_size(double bytes);

/// Traces by device and run, so that those measured together are found together.
class TraceIndex {
 public:
    explicit TraceIndex(const RuleContext& context);
    /// The trace of that device in the same run; null when there is none.
    const IoTrace* beside(const IoTrace& trace, std::string_view device) const;
    /// The traces of the data components (or of the disks they are partitions of) in the run of `of`, itself
    /// included when it is one.
    std::vector<const IoTrace*> members(const Volume& volume, const IoTrace& of) const;
    /// A partition, slice or label whose disk or volume is traced in the same run.
    bool is_part(const IoTrace& trace) const;

 private:
    const RuleContext& context_;
    std::map<std::pair<std::uint64_t, std::string>, const IoTrace*> traces_;
};

}  // namespace diskwright::io
