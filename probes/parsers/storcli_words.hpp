// SPDX-License-Identifier: BSD-2-Clause
// Rows and abbreviations of storcli and perccli tables, and the states of a controller's battery.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "probes/model/enums.hpp"

namespace diskwright {

/// The words of a table's header, or of a row below it.
using Cells = std::vector<std::string_view>;
/// What a table tells, by its header.
enum class StorcliTable { none, volumes, drives, topology, battery, properties, overview };
StorcliTable storcli_table(const Cells& header);

/// "/c0/v12" -> {0, 12}; "/c0" -> {0, nothing}.
struct StorcliAddress {
    std::uint64_t controller;
    std::optional<std::uint64_t> volume;
};
std::optional<StorcliAddress> storcli_address(std::string_view word);

/// The cell below that header word, for columns that only cells of one word precede; empty when there is
/// none.
std::string_view storcli_cell(const Cells& header, const Cells& row, std::string_view column);

/// "0/0   RAID5 Dgrd  RW     Yes     RWBD  -   ON  40.017 TB data1"
struct StorcliVolumeRow {
    std::uint64_t group, number;
    std::string_view type, state, cache, size;
};
std::optional<StorcliVolumeRow> storcli_volume_row(const Cells& header, const Cells& row);

/// "134:2    17 Onln   0 557.861 GB SAS  HDD N   N  512B ST600MM0208      U  -"
struct StorcliDriveRow {
    std::string_view enclosure, slot, state, model;
    std::optional<std::uint64_t> group, sector_bytes;
    std::optional<bool> rotational;
};
std::optional<StorcliDriveRow> storcli_drive_row(const Cells& header, const Cells& row);

/// RAID5 -> 5; RAID50, RAID60 and RAID00 are stripes over sets, which no single level describes.
std::optional<RaidLevel> controller_level(std::string_view word);
/// Optl, Dgrd, Pdgd, OfLn, Rec.
std::optional<VolumeState> storcli_volume_state(std::string_view word);
/// Onln, Offln, Failed, UBad, Rbld, Msng, GHS, DHS, Cpybck; nothing for a drive that is in no set.
std::optional<ComponentState> storcli_drive_state(std::string_view word);

/// "NRAWBD": read-ahead (R or NR), then WB, WT or AWB, then direct or cached.
struct CachePolicy {
    bool write_back = false;
    bool forced = false;  // also with a bad battery
};
std::optional<CachePolicy> storcli_cache(std::string_view word);

/// ok, failed, missing or learning from "Optimal", "Degraded(Needs Attention)", "Failed", "Missing",
/// "Learning"; empty for what is none of these (charging after it was built in).
std::string_view battery_word(std::string_view state);

}  // namespace diskwright
