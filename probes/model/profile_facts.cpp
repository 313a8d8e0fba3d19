// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/profile_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/support/statistics.hpp"

namespace diskwright {
namespace {

constexpr std::string_view measured_text = "measured by probe";

class Reader {
 public:
    Reader(const DeviceProfile& profile, const std::string& source)
        : profile_(profile), from_(source, 0, std::string(measured_text), Provenance::Kind::device) {}

    const Measurement* at(std::string_view quantity, Confidence least = Confidence::medium) const {
        const auto at = profile_.find(std::string(quantity));
        return at == profile_.end() || at->second.confidence > least ? nullptr : &at->second;
    }
    std::optional<double> number(std::string_view quantity, Confidence least = Confidence::medium) const {
        const Measurement* m = at(quantity, least);
        const auto* value = m ? std::get_if<double>(&m->value) : nullptr;
        return value && *value >= 0 && *value < 1e18 ? std::optional(*value) : std::nullopt;
    }
    std::optional<Number> bytes(std::string_view quantity) const {
        const auto value = number(quantity);
        if (!value) return std::nullopt;
        return Number(static_cast<std::uint64_t>(*value), from_);
    }
    const Provenance& from() const { return from_; }

 private:
    const DeviceProfile& profile_;
    Provenance from_;
};

void note_cache(const Reader& read, Disk& on) {
    const Measurement* m = read.at("write_cache");
    const auto* word = m ? std::get_if<std::string>(&m->value) : nullptr;
    if (!word) return;
    const bool none = *word == "none";
    if (!on.write_cache) on.write_cache = Known<Switch>(none ? Switch::off : Switch::on, read.from());
    if (*word == "protected") on.cache_protected = Flag(true, read.from());
    if (*word == "volatile" && !on.cache_protected) on.cache_protected = Flag(false, read.from());
    if (*word == "ignores-flush") on.ignores_flush = Flag(true, read.from());
}

void note_sectors(const Reader& read, HostFacts& facts, Disk& on, bool whole) {
    if (const auto bytes = read.bytes("logical_sector_bytes"); bytes && !on.logical_sector_bytes)
        on.logical_sector_bytes = *bytes;
    if (const auto reported = read.number("reported_physical_sector_bytes", Confidence::low);
        reported && !on.physical_sector_bytes)
        on.physical_sector_bytes =
            Number(static_cast<std::uint64_t>(*reported),
                   Provenance(read.from().source(), 0, "reported to probe", Provenance::Kind::device));
    const auto measured = read.bytes("physical_sector_bytes");
    if (!measured) return;
    const Number told = on.physical_sector_bytes;
    if (told && *told != **measured)
        facts.conflicts.push_back({fmt::format("disks.{}.physical_sector_bytes", on.name),
                                   on.name,
                                   false,
                                   {{std::to_string(*told), told.from()},
                                    {std::to_string(**measured), measured->from()}}});
    // A drive that hides the cost of small writes looks as if its sectors were smaller than it says.
    if (told && **measured < *told) return;
    on.physical_sector_bytes = *measured;
    if (const auto offset = read.bytes("physical_offset_bytes"); offset && whole) on.physical_offset_bytes = *offset;
}

void note_disk(const Reader& read, HostFacts& facts, const std::string& name, bool whole) {
    Disk& on = disk(facts, name);
    note_sectors(read, facts, on, whole);
    note_cache(read, on);
    if (const auto turn = read.number("rotation_s"); turn && *turn > 0) {
        if (!on.rotational) on.rotational = Flag(true, read.from());
        if (!on.rpm) on.rpm = Number(static_cast<std::uint64_t>(std::llround(60 / *turn)), read.from());
    }
    if (const auto bytes = read.bytes("erase_block_bytes")) on.erase_block_bytes = *bytes;
    if (const auto seconds = read.number("flush_latency_s", Confidence::low))
        on.flush_latency_s = Real(*seconds, read.from());
}

void note_rate(const Reader& read, HostFacts& facts, const std::string& device, const char* direction,
               std::optional<double> rate) {
    if (!rate || *rate <= 0) return;
    Throughput t;
    t.device = device;
    t.direction = Text(direction, read.from());
    t.bytes_per_s = Real(*rate, read.from());
    t.tool = Text("probe", read.from());
    t.cached = Flag(false, read.from());
    facts.throughputs.push_back(std::move(t));
}

// One at a time, so that the rate is the time of each.
void note_reads(const Reader& read, HostFacts& facts, const std::string& device) {
    const Measurement* m = read.at("random_read_iops", Confidence::low);
    if (!m) return;
    const auto series = std::find_if(m->series.begin(), m->series.end(),
                                     [](const auto& one) { return one.label == "depth 1"; });
    if (series == m->series.end()) return;
    IoTrace trace;
    trace.device = device;
    trace.run = Number(probe_run, read.from());
    for (const double rate : series->samples) {
        if (!(rate > 0) || !std::isfinite(rate)) continue;
        IoSample sample;
        sample.reads_per_s = rate;
        sample.read_kb_per_s = rate * 4;
        sample.service_ms = 1000 / rate;
        sample.from = read.from();
        trace.samples.push_back(std::move(sample));
    }
    if (!trace.samples.empty()) facts.io_traces.push_back(std::move(trace));
}

}  // namespace

bool is_measured(const Provenance& from) {
    return from.kind() == Provenance::Kind::device && from.text() == measured_text;
}

void note_profile(HostFacts& facts, const std::string& device, const DeviceProfile& profile,
                  const std::string& source, const std::string& disk) {
    const Reader read(profile, source);
    if (!disk.empty()) note_disk(read, facts, disk, disk == device);
    std::optional<double> best;
    if (const Measurement* m = read.at("sequential_read_bytes_per_s"))
        if (const auto* zones = std::get_if<std::vector<Measurement::Point>>(&m->value))
            for (const auto& zone : *zones) best = std::max(best.value_or(0), zone.value);
    note_rate(read, facts, device, "read", best);
    note_rate(read, facts, device, "write", read.number("sequential_write_bytes_per_s"));
    note_reads(read, facts, device);
}

}  // namespace diskwright
