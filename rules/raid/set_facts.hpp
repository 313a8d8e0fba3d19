// SPDX-License-Identifier: BSD-2-Clause
// What several rules about sets ask: what is lost, what stands by, which set carries a device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/model/storage_graph.hpp"

namespace diskwright {

/// Survives the loss of a component: 1, 3, 4, 5, 6, 10.
bool is_redundant(const Volume& set);
/// 4, 5 or 6: parity in whole stripe units, so that a write below the stripe costs reads.
bool has_parity_units(const Volume& set);

/// Components that are not there and that no spare stands in for, and those still being filled.
struct Losses {
    std::vector<const Component*> lost;
    std::vector<const Component*> rebuilding;
    bool any() const { return !lost.empty() || !rebuilding.empty(); }
};
/// Empty when every column is in use, whatever else is listed beside them (a faulty disk not yet taken out).
Losses losses(const Volume& set);
/// Redundancy or data is missing now. False also when nothing is known.
bool is_degraded(const Volume& set);
/// Assembled, but not running.
bool is_inactive(const Volume& set);
/// Known from a configuration file alone: no running set was seen.
bool is_only_configured(const Volume& set);

/// Spares that nobody uses; nothing when the input does not tell.
std::optional<std::uint64_t> idle_spares(const Volume& set);
/// Whether the driver knows hot spares at all.
bool takes_spares(const Volume& set);

/// Columns as stated, or as many data components as a complete listing shows.
std::optional<std::uint64_t> columns_of(const Volume& set);
/// Size of a component: as the set's own listing says, or of the device.
Number component_size(const StorageGraph& graph, const Component& component);

/// A set made of other sets: the first component that lies on one, null when none does.
const Component* component_on_set(const StorageGraph& graph, const Volume& set);

/// The set that decides how a device's requests fall on disks: the nearest volume below, through crypto
/// layers and logical volumes that lie on one device. Null when there is none.
const Volume* set_below(const StorageGraph& graph, std::string_view device);

/// Data disks for the full-stripe width; for md RAID 10 what the kernel advertises.
std::vector<std::uint64_t> stripe_widths(const Volume& set);

/// The command that shows the state of a set: "raidctl -s raid0".
std::string status_command(const Volume& set);
/// Where something of it was read; empty when nothing tells.
Provenance source_of(const Component& component);
Provenance source_of(const Volume& set);
/// The component's name without /dev/, or "slot 2", or "a removed slot".
std::string name_of(const Component& component);

/// Releases as "13.2-RELEASE", "9.1": the number before the first dot; nothing when there is none.
std::optional<std::uint64_t> major_release(const HostFacts& host);

}  // namespace diskwright
