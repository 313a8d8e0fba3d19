// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/described_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/model/device_names.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/ondisk/reading.hpp"

namespace diskwright {

ByteSource::Tables tables_on(std::string_view name) {
    if (whole_device_name(name).empty()) return ByteSource::Tables::any;
    const char last = name.back();
    return last >= '0' && last <= '9' ? ByteSource::Tables::label : ByteSource::Tables::none;
}

void write_device(const ByteSource& source, const Found& tables, std::optional<std::uint64_t> size,
                  HostFacts& facts) {
    const std::string& name = source.name();
    Number bytes, sector;
    if (size && *size > 0) bytes = Number(*size, at_byte(source, 0, fmt::format("{} bytes", *size)));
    for (const PartitionTable& t : tables.facts.tables) {
        if (t.sector_bytes) sector = t.sector_bytes;
        if (!bytes && t.total_bytes && !is_clipped(t) && !t.scheme.is(Scheme::mbr)) bytes = t.total_bytes;
    }
    const VolumeName volume_name = volume_by_name(name);
    if (volume_name.is_volume) {
        if (!volume_name.kind) return;
        Volume& v = volume(facts, name);
        if (!v.kind) v.kind = Known<VolumeKind>(*volume_name.kind, at_byte(source, 0, "the name"));
        if (!v.size_bytes) v.size_bytes = bytes;
        if (!v.logical_sector_bytes) v.logical_sector_bytes = sector;
        return;
    }
    const bool of_a_disk = std::any_of(
        tables.facts.tables.begin(), tables.facts.tables.end(),
        [](const PartitionTable& t) { return t.scheme.is(Scheme::gpt) || t.scheme.is(Scheme::mbr); });
    const bool label = !tables.facts.tables.empty() && tables_on(name) == ByteSource::Tables::none;
    if (!whole_device_name(name).empty() && !of_a_disk && !label) return;
    Disk& d = diskwright::disk(facts, name);
    if (!d.size_bytes) d.size_bytes = bytes;
    if (!d.logical_sector_bytes) d.logical_sector_bytes = sector;
}

}  // namespace diskwright
