// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/kernel_raidframe.hpp"

#include <array>

#include "probes/parsers/raidframe_text.hpp"
#include "probes/support/text.hpp"

namespace diskwright::kernel {
namespace {

constexpr std::array<std::string_view, 15> beginnings{
    "RAID Level ",       "Components:",         "Total Sectors:",  "IO Error.",      "IO error",
    "Reconstruction",    "initiating in-place", "Recon time was ", "Total head-sep", "New autoconfig value",
    "New rootpartition", "There were fatal",    "Fatal errors",    "Component ",     "Ignoring "};

// The driver divides by 1024, multiplies by the sector size and divides by 1024 again. A size that only one
// sector size explains tells it.
std::optional<std::uint64_t> sector_size(std::uint64_t sectors, std::uint64_t megabytes) {
    std::optional<std::uint64_t> found;
    for (const std::uint64_t size : {512U, 1024U, 2048U, 4096U}) {
        const auto product = multiply(sectors / 1024, size);
        if (!product || *product / 1024 != megabytes) continue;
        if (found) return std::nullopt;
        found = size;
    }
    return found;
}

void read_components(std::string_view list, std::size_t line, Scribe& scribe, Volume& set) {
    constexpr std::string_view failed = "[**FAILED**]";
    std::uint64_t slot = 0;
    for (auto word : words(list)) {
        if (slot >= 128) break;  // RF_MAX_DISKS
        const bool lost = word.ends_with(failed);
        if (lost) word.remove_suffix(failed.size());
        Component& member = component(set, word);
        member.slot = scribe.known(slot++, line);
        member.state = passing(lost ? ComponentState::failed : ComponentState::optimal, scribe, line);
    }
    if (slot > 0) set.columns = scribe.known(slot, line);
}

}  // namespace

bool is_raidframe_message(std::string_view message) {
    const auto device = device_line(message);
    if (!device || raidframe::unit_name(device->name).empty()) return false;
    for (const auto beginning : beginnings)
        if (device->rest.starts_with(beginning)) return true;
    return false;
}

void read_raidframe_message(std::string_view message, std::size_t line, Scribe& scribe) {
    const auto device = device_line(message);
    if (!device) return;
    const auto rest = device->rest;
    const auto set = [&]() -> Volume& {
        Volume& v = volume(scribe.facts, device->name);
        v.kind = scribe.known(VolumeKind::raidframe, line);
        return v;
    };
    if (const auto level = after(rest, "RAID Level "); level && rest.starts_with("RAID Level ")) {
        if (const auto known = raidframe::level_of(*level))
            set().level = scribe.known(*known, line);
        else
            scribe.unparsed(line, line, "RAID level '" + escaped(*level) + "' is not one of 0, 1, 4, 5");
    } else if (rest.starts_with("Components:")) {
        read_components(rest.substr(11), line, scribe, set());
    } else if (rest.starts_with("Total Sectors:")) {
        const auto w = words(rest.substr(14));
        if (w.size() < 2) return;
        const auto sectors = scribe.number(w[0], line, "total sectors of " + std::string(device->name));
        const auto megabytes = to_unsigned(w[1].substr(w[1].starts_with('(') ? 1 : 0));
        const auto size = sectors && megabytes ? sector_size(*sectors, *megabytes) : std::nullopt;
        if (!size) return;
        if (const auto bytes = multiply(*sectors, *size)) set().size_bytes = scribe.known(*bytes, line);
        set().logical_sector_bytes = scribe.known(*size, line);
    } else if (const auto marked = between(rest, "arking ", " as failed")) {
        component(set(), *marked).state = passing(ComponentState::failed, scribe, line);
    }
}

}  // namespace diskwright::kernel
