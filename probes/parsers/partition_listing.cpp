// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/partition_listing.hpp"

#include <algorithm>

#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_disk(std::string_view name) {
    const bool of_two_systems =
        name.starts_with("sd") && name.size() > 2 && std::all_of(name.begin() + 2, name.end(), digit);
    return of_two_systems ||
           (os_of_disk_name(name) && !volume_by_name(name).is_volume && disk_name(name) == name);
}

}  // namespace

std::string described_disk(const Output& out, std::string named) {
    if (!named.empty()) return named;
    std::string_view rest = std::string_view(out.source).substr(out.source.rfind('/') + 1);
    std::string found;
    while (!rest.empty()) {
        const auto end =
            std::find_if(rest.begin(), rest.end(), [](char c) { return !digit(c) && (c < 'a' || c > 'z'); });
        const std::string_view word(rest.data(), static_cast<std::size_t>(end - rest.begin()));
        if (is_disk(word) && word != found) {
            if (!found.empty()) return std::string(unnamed_disk);
            found = word;
        }
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return found.empty() ? std::string(unnamed_disk) : found;
}

std::string table_device(std::string_view as_written) {
    std::string name = device_name(as_written);
    if (name.empty() || digit(name.back())) return name;
    const std::string whole = whole_device_name(name);
    return whole.empty() ? name : whole;
}

std::string gpt_device(const Output& out) {
    if (out.program() == "gpt") {
        // gpt [-rv] show [-aglu] [-i index] device; of the other subcommands -a and -l take a value.
        const auto device = out.operand(1, out.has_argument("show") ? "i" : "ibslta");
        if (!device.empty()) return table_device(device);
    }
    return std::string(unnamed_disk);
}

Partition& listed_partition(Scribe& scribe, std::string_view name, std::string_view parent, Scheme scheme,
                            std::size_t line) {
    Partition& p = partition(scribe.facts, name);
    p.parent = std::string(parent);
    p.scheme = scribe.known(scheme, line);
    return p;
}

void set_extent(Scribe& scribe, Partition& p, std::string_view start, std::string_view size,
                std::uint64_t sector, std::size_t line) {
    if (const auto bytes = scribe.scaled(start, sector, line, "start of " + p.name))
        p.start_bytes = scribe.known(*bytes, line);
    if (const auto bytes = scribe.scaled(size, sector, line, "size of " + p.name))
        p.size_bytes = scribe.known(*bytes, line);
}

void set_device_size(Scribe& scribe, std::string_view device, std::optional<std::uint64_t> bytes,
                     std::optional<std::uint64_t> sector, std::size_t line) {
    if (device.empty() || device == unnamed_disk) return;
    const VolumeName volume_name = volume_by_name(device);
    if (volume_name.is_volume && !volume_name.kind) return;
    Number size, unit;
    if (bytes && *bytes > 0) size = scribe.known(*bytes, line);
    if (sector && *sector > 0) unit = scribe.known(*sector, line);
    if (volume_name.is_volume) {
        Volume& v = volume(scribe.facts, device);
        v.kind = scribe.known(*volume_name.kind, line);
        if (size) v.size_bytes = size;
        if (unit) v.logical_sector_bytes = unit;
        return;
    }
    // A slice or partition that carries a label of its own is no disk.
    if (!whole_device_name(device).empty()) return;
    Disk& d = disk(scribe.facts, device);
    if (size) d.size_bytes = size;
    if (unit) d.logical_sector_bytes = unit;
}

bool is_number(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), digit);
}

std::optional<std::uint64_t> sector_from_printed_size(std::uint64_t count, std::string_view printed) {
    const auto bytes = to_size(printed);
    if (!bytes || *bytes == 0 || count == 0) return std::nullopt;
    const double per_unit = static_cast<double>(*bytes) / static_cast<double>(count);
    for (const std::uint64_t unit : {512, 1024, 2048, 4096}) {
        // One digit may be all that is printed, so "1.0M" can stand for 0.95 to 1.05.
        const double ratio = per_unit / static_cast<double>(unit);
        if (ratio > 0.75 && ratio < 1.35) return unit;
    }
    return std::nullopt;
}

void append_words(std::vector<PlacedWord>& to, const Output& out, std::size_t line) {
    for (const auto word : words(out.text(line))) to.push_back({word, line});
}

std::optional<std::size_t> next_filled(const Output& out, std::size_t at, std::size_t blanks) {
    for (std::size_t i = at; i < out.lines.size() && i <= at + blanks; ++i)
        if (!trim(out.text(i)).empty()) return i;
    return std::nullopt;
}

}  // namespace diskwright
