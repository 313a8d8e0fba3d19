// SPDX-License-Identifier: BSD-2-Clause
// What an audit finds of real set-ups with one fault each, and of their twins without it.
#include "probes/support/text.hpp"
#include "tests/vm/booted.hpp"

namespace diskwright {
namespace {

class findings : public test::Booted<findings> {
 public:
    static constexpr const char* boot = "findings";
    static void prepare(test::Machine& machine) {
        // vda to vdk, and two large ones.
        for (int i = 0; i < 11; ++i) machine.drives.push_back(machine.sparse_drive(1 * GiB));
        for (int i = 0; i < 2; ++i) machine.drives.push_back(machine.sparse_drive(240 * GiB));
    }
};

using List = std::vector<std::string>;

TEST_F(findings, PartitionsOffThePhysicalSector) {
    const auto& result = snippet("partitions");
    // Sector 63 is aligned where physical sectors begin at sector 7; only erase blocks of flash are missed.
    EXPECT_EQ(test::findings(result, "lowest7"), (List{"ALIGN001 sdb1", "ALIGN007 sda1"}));
    EXPECT_EQ(test::findings(result, "lowest0"), (List{"ALIGN001 sda1"}));
    // The kernel has each of those begin so many bytes before a physical sector.
    EXPECT_EQ(result.file("kernel7"), "3584\n4096\n0\n3584\n4096\n3584\n");
    EXPECT_EQ(result.file("kernel0"), "0\n4096\n512\n0\n4096\n0\n");
}

TEST_F(findings, StatesOfSets) {
    const auto& result = snippet("states");
    SCOPED_TRACE(result.file("mdstat"));
    // md1, healthy and with a spare, has none.
    EXPECT_EQ(test::findings(result, "states"),
              (List{"RAID001 md2", "RAID001 md3", "RAID004 md2", "RAID004 md3", "RAID004 md4", "RAID011 md3",
                    "RAID011 md4"}));
}

TEST_F(findings, StripesOfFileSystems) {
    const auto& result = snippet("stripes");
    EXPECT_EQ(test::findings(result, "ext4"), (List{"RAID004 md1", "RAID004 md2", "RAID010 md1"}));
    EXPECT_EQ(test::findings(result, "xfs"), (List{"RAID004 md1", "RAID004 md2", "RAID010 md1"}));
}

TEST_F(findings, Mirrors) {
    EXPECT_EQ(test::findings(snippet("mirrors"), "mirrors"), (List{"RAID003 md1", "RAID006 md3"}));
}

}  // namespace
}  // namespace diskwright
