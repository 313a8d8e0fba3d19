// SPDX-License-Identifier: BSD-2-Clause
// Members of a set as a listing and as devices have them.
#include <gtest/gtest.h>

#include "probes/model/facts_json.hpp"
#include "probes/model/host_facts.hpp"

namespace diskwright {
namespace {

// name and slot of each component with its state, of a set of three; no name: the slot is empty.
struct Row {
    std::string name;
    std::optional<std::uint64_t> slot;
    ComponentState state;
};

HostFacts set_of(const std::vector<Row>& rows, Provenance::Kind kind) {
    const Provenance from("source", 1, "text", kind);
    HostFacts facts;
    Volume& set = volume(facts, "md0");
    set.components_complete = Flag(true, from);
    for (const Row& row : rows) {
        Component c;
        c.name = row.name;
        if (row.slot) c.slot = Number(*row.slot, from);
        const auto how =
            row.name.empty() && kind == Provenance::Kind::device ? Provenance::Kind::inferred : kind;
        c.state = Known<ComponentState>(row.state, Provenance("source", 1, "text", how));
        set.components.push_back(std::move(c));
    }
    return facts;
}

std::vector<std::string> members(const std::vector<Row>& listed, const std::vector<Row>& of_devices) {
    HostFacts facts = set_of(listed, Provenance::Kind::output);
    merge(facts, set_of(of_devices, Provenance::Kind::device));
    std::vector<std::string> out;
    for (const Component& c : facts.volumes.at(0).components)
        out.push_back(c.name + " " + std::to_string(c.slot.value_or(9)) + " " +
                      std::string(to_string(*c.state)));
    return out;
}

using List = std::vector<std::string>;
constexpr auto optimal = ComponentState::optimal, missing = ComponentState::missing,
               failed = ComponentState::failed, rebuilding = ComponentState::rebuilding;

// A device that was asleep when it was to be read.
TEST(MergeMembers, ADeviceThatWasNotReadIsNoGap) {
    const std::vector<Row> running{{"sda1", 0, optimal}, {"sdb1", 1, optimal}, {"sdc1", 2, rebuilding}};
    EXPECT_EQ(members(running, {{"sda1", 0, optimal}, {"", 1, missing}, {"", 2, missing}}),
              (List{"sda1 0 optimal", "sdb1 1 optimal", "sdc1 2 rebuilding"}));
}

// /proc/mdstat has no slots.
TEST(MergeMembers, AListingWithoutSlotsFillsGapsToo) {
    const std::vector<Row> running{{"sda1", {}, optimal}, {"sdb1", {}, optimal}, {"sdc1", {}, optimal}};
    EXPECT_EQ(members(running, {{"", 0, missing}, {"sdb1", 1, optimal}, {"", 2, missing}}),
              (List{"sda1 0 optimal", "sdb1 1 optimal", "sdc1 2 optimal"}));
}

TEST(MergeMembers, AGapThatTheListingHasStays) {
    EXPECT_EQ(members({{"sda1", 0, optimal}, {"", 1, missing}, {"sdc1", 2, failed}},
                      {{"sda1", 0, optimal}, {"", 1, missing}, {"", 2, missing}}),
              (List{"sda1 0 optimal", " 1 missing", " 2 missing"}));
}

}  // namespace
}  // namespace diskwright
