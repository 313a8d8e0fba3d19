// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/device_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace diskwright {
namespace {

TEST(DeviceNames, TheSystemWhoseDriversNameADiskSo) {
    struct Row {
        std::string name;
        std::optional<Os> os;
    };
    for (const Row& row : std::initializer_list<Row>{{"ada0", Os::freebsd},
                                                     {"nvd10", Os::freebsd},
                                                     {"da3", Os::freebsd},
                                                     {"mirror/gm0", Os::freebsd},
                                                     {"sda", Os::linux_},
                                                     {"vdb", Os::linux_},
                                                     {"nvme0n1", Os::linux_},
                                                     {"md127", Os::linux_},
                                                     {"wd0", Os::netbsd},
                                                     {"sd0", {}},
                                                     {"raid0", {}},
                                                     {"data", {}},
                                                     {"ada", {}},
                                                     {"adax", {}},
                                                     {"", {}}}) {
        EXPECT_EQ(os_of_disk_name(row.name), row.os) << row.name;
    }
}

TEST(DeviceNames, FoldersOfGeomClasses) {
    EXPECT_EQ(geom_folder(VolumeKind::gmirror), "mirror/");
    EXPECT_EQ(geom_folder(VolumeKind::graid), "raid/");
    for (const VolumeKind other :
         {VolumeKind::raidframe, VolumeKind::md, VolumeKind::crypto, VolumeKind::zfs})
        EXPECT_EQ(geom_folder(other), "");
}

TEST(DeviceNames, Partitions) {
    EXPECT_EQ(gpart_provider("ada0", Scheme::gpt, 2), "ada0p2");
    EXPECT_EQ(gpart_provider("ada0s1", Scheme::disklabel, 1), "ada0s1a");
    EXPECT_EQ(gpart_provider("ada0s1", Scheme::disklabel, 27), "ada0s1#27");
    EXPECT_EQ(linux_partition("sda", 5), "sda5");
    EXPECT_EQ(linux_partition("nvme0n1", 5), "nvme0n1p5");
}

}  // namespace
}  // namespace diskwright
