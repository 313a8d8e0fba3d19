// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/preset.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/commissioning/machine_facts.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

TEST(Preset, BundledOnesAreRead) {
    const auto names = preset_names();
    for (const std::string_view wanted : {"netbsd-raid5", "freebsd-gmirror"})
        EXPECT_TRUE(std::find(names.begin(), names.end(), wanted) != names.end()) << wanted;
    for (const std::string_view name : names) {
        const auto preset = bundled_preset(name);
        ASSERT_TRUE(preset) << preset.error().message;
        EXPECT_EQ(preset->name, name);
        EXPECT_FALSE(preset->title.empty());
        EXPECT_FALSE(preset->source.empty());
    }
}

TEST(Preset, UnknownNameGetsTheNearest) {
    const auto preset = bundled_preset("netbsd-riad5");
    ASSERT_FALSE(preset);
    EXPECT_EQ(preset.error().kind, ErrorKind::usage);
    EXPECT_TRUE(contains(preset.error().message, "did you mean 'netbsd-raid5'")) << preset.error().message;
}

TEST(Preset, AConfigurationAloneIsOne) {
    const auto preset = preset_from_text(R"({"disks": [{"model": "sata-7200-1t"}]})", "mine.json");
    ASSERT_TRUE(preset) << preset.error().message;
    EXPECT_TRUE(preset->profile.empty());
    EXPECT_TRUE(preset->landscape.empty());
    EXPECT_FALSE(preset_from_text(R"({"disks": [{"model": "sata-7200-1t"}], "titel": ""})", "mine.json"));
    EXPECT_FALSE(
        preset_from_text(R"({"configuration": {"disks": [{"model": "sata-7200-1t"}]}, "titel": ""})", "m"));
}

HostFacts facts_of_preset(std::string_view name) {
    return facts_of(bundled_preset(name)->machine, name);
}

TEST(MachineFacts, NetbsdRaid5) {
    const HostFacts facts = facts_of_preset("netbsd-raid5");
    EXPECT_TRUE(facts.is(Os::netbsd));
    ASSERT_EQ(facts.disks.size(), 5U);
    EXPECT_EQ(facts.disks.back().name, "sd4");
    const Volume& set = facts.volumes.at(0);
    EXPECT_EQ(set.name, "raid0");
    EXPECT_TRUE(set.data_disks.is(4));
    EXPECT_TRUE(set.stripe_unit_bytes.is(4096));
    EXPECT_EQ(set.components.size(), 5U);
    EXPECT_EQ(facts.filesystems.at(0).device, "raid0a");
    EXPECT_TRUE(facts.mounts.at(0).options.is({"log"}));
}

TEST(MachineFacts, FreebsdGmirror) {
    const HostFacts facts = facts_of_preset("freebsd-gmirror");
    EXPECT_EQ(facts.volumes.at(0).name, "mirror/gm0");
    EXPECT_EQ(facts.volumes.at(0).components.at(1).name, "ada1");
    EXPECT_TRUE(facts.filesystems.at(0).softupdates.is(true));
    EXPECT_TRUE(facts.filesystems.at(0).su_journal.is(false));
    EXPECT_TRUE(facts.partitions.empty()) << "the preset does not know where the partition starts";
}

// The names of disks on each system, the 27th of Linux too.
TEST(MachineFacts, NamesOfDisks) {
    struct Row {
        std::string_view os, model, first, last;
    };
    constexpr std::array<Row, 6> rows{{{"netbsd", "sata-7200-1t", "wd0", "wd27"},
                                       {"netbsd", "sas-7200-3t", "sd0", "sd27"},
                                       {"freebsd", "sata-7200-1t", "ada0", "ada27"},
                                       {"freebsd", "sas-7200-3t", "da0", "da27"},
                                       {"openbsd", "sata-7200-1t", "sd0", "sd27"},
                                       {"linux", "sata-7200-1t", "sda", "sdab"}}};
    for (const Row& row : rows) {
        const auto preset = preset_from_text(
            fmt::format(R"({{"os": {{"name": "{}"}}, "disks": [{{"model": "{}", "count": 28}}]}})", row.os,
                        row.model),
            "c.json");
        ASSERT_TRUE(preset) << preset.error().message;
        const HostFacts facts = facts_of(preset->machine, "c.json");
        EXPECT_EQ(facts.disks.front().name, row.first);
        EXPECT_EQ(facts.disks.back().name, row.last);
    }
}

}  // namespace
}  // namespace diskwright
