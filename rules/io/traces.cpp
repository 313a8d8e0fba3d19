// SPDX-License-Identifier: BSD-2-Clause
#include "rules/io/traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"

namespace diskwright::io {
namespace {

std::uint64_t run_of(const IoTrace& trace) {
    return trace.run.value_or(0);
}

std::optional<double> mean_bytes(const std::optional<double>& kb, const std::optional<double>& rate) {
    if (!kb || !rate || *rate <= 0) return std::nullopt;
    return *kb * 1024 / *rate;
}

}  // namespace

std::vector<const IoSample*> interval_samples(const IoTrace& trace) {
    std::vector<const IoSample*> out;
    for (const IoSample& s : trace.samples)
        if (!s.since_boot) out.push_back(&s);
    return out;
}

std::optional<double> requests_per_s(const IoSample& sample) {
    if (!sample.reads_per_s && !sample.writes_per_s) return std::nullopt;
    return sample.reads_per_s.value_or(0) + sample.writes_per_s.value_or(0);
}

std::optional<double> mean_write_bytes(const IoSample& sample) {
    return mean_bytes(sample.write_kb_per_s, sample.writes_per_s);
}
std::optional<double> mean_read_bytes(const IoSample& sample) {
    return mean_bytes(sample.read_kb_per_s, sample.reads_per_s);
}

std::optional<double> service_ms(const IoSample& sample) {
    if (sample.service_ms) return sample.service_ms;
    double requests = 0, time = 0;
    const auto add = [&](const std::optional<double>& rate, const std::optional<double>& await) {
        if (rate && await) requests += *rate, time += *rate * *await;
    };
    add(sample.reads_per_s, sample.read_await_ms);
    add(sample.writes_per_s, sample.write_await_ms);
    if (requests <= 0) return std::nullopt;
    return time / requests;
}

double median(const std::vector<double>& values) {
    return diskwright::median(values).value_or(0);
}

std::string short_number(double value) {
    if (value >= 100) return fmt::format("{:.0f}", value);
    if (value >= 10) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

std::string short_size(double bytes) {
    if (bytes >= static_cast<double>(GiB)) return fmt::format("{:.1f} GiB", bytes / static_cast<double>(GiB));
    if (bytes >= static_cast<double>(MiB)) return fmt::format("{:.1f} MiB", bytes / static_cast<double>(MiB));
    return fmt::format("{:.1f} KiB", bytes / static_cast<double>(KiB));
}

TraceIndex::TraceIndex(const RuleContext& context) : context_(context) {
    for (const IoTrace& t : context.host.io_traces)
        traces_.emplace(std::pair{run_of(t), device_name(t.device)}, &t);
}

const IoTrace* TraceIndex::beside(const IoTrace& trace, std::string_view device) const {
    const auto at = traces_.find({run_of(trace), device_name(device)});
    return at == traces_.end() ? nullptr : at->second;
}

std::vector<const IoTrace*> TraceIndex::members(const Volume& volume, const IoTrace& of) const {
    std::vector<const IoTrace*> out;
    std::set<const IoTrace*> seen;
    for (const Component* c : data_components(volume)) {
        if (c->name.empty()) continue;
        const IoTrace* t = beside(of, c->name);
        if (!t) t = beside(of, context_.graph.start_on_base(c->name).base);
        if (t && seen.insert(t).second) out.push_back(t);
    }
    return out;
}

bool TraceIndex::is_part(const IoTrace& trace) const {
    const std::string base = context_.graph.start_on_base(trace.device).base;
    if (const IoTrace* whole = beside(trace, base); whole && whole != &trace) return true;
    // GEOM labels and gptids name something that is listed under its own name as well.
    const std::string name = device_name(trace.device);
    return name.starts_with("gpt/") || name.starts_with("gptid/") || name.starts_with("ufs/") ||
           name.starts_with("ufsid/") || name.starts_with("diskid/") || name.starts_with("label/");
}

}  // namespace diskwright::io
