// SPDX-License-Identifier: BSD-2-Clause
// zpool(8), geli(8), cryptsetup(8). What they cannot change in place is said in a note.
#include <fmt/format.h>

#include <bit>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

void pool(FixBuilder& fix, const Volume& volume, const Job& job) {
    if (const std::string* device = job.text(Setting::raid_spare)) {
        if (device->empty())
            fix.note(fmt::format("add a hot spare: zpool add {} spare DEVICE", escaped(volume.name)));
        else
            fix.run(Command("zpool").word("add").name(volume.name).word("spare").name(without_dev(*device)));
    }
    const std::string* broken = job.text(Setting::raid_rebuild);
    const std::string* added = job.text(Setting::raid_add_component);
    if (broken && !broken->empty()) {
        Command replace = Command("zpool").word("replace").name(volume.name).name(without_dev(*broken));
        if (added && !added->empty()) replace.name(without_dev(*added));
        fix.run(replace);
    } else if (broken || added) {
        fix.note(fmt::format("replace the missing disk: zpool replace {} OLD NEW", escaped(volume.name)));
    }
}

void vdev_shift(FixBuilder& fix, const Job& job) {
    const auto shift = job.number(Setting::zfs_ashift);
    if (!shift) return;
    fix.note(
        fix.is({Os::freebsd})
            ? fmt::format("ashift is fixed when a vdev is made: send the data away, make the pool anew with "
                          "vfs.zfs.min_auto_ashift={} (sysctl), and receive it again",
                          *shift)
            : fmt::format("ashift is fixed when a vdev is made: send the data away, make the pool anew with "
                          "zpool create -o ashift={}, and receive it again",
                          *shift));
}

void layer_sector(FixBuilder& fix, const Volume& volume, std::uint64_t bytes) {
    const std::string format = volume.crypto_format.value_or("");
    if (icontains(format, "geli"))
        fix.note(
            fmt::format("the sector of geli is fixed by `geli init -s {}`, which loses everything on the "
                        "provider: back up first and restore",
                        bytes));
    else if (icontains(format, "luks"))
        fix.note(fmt::format(
            "with the device closed and a backup made: cryptsetup reencrypt --sector-size {} on the LUKS2 "
            "device; the file system's own sector must not be smaller",
            bytes));
    else
        fix.note(fmt::format(
            "the sector of this layer becomes {} only by making it anew: back up and restore", bytes));
}

}  // namespace

void generate_zfs_and_crypto(FixBuilder& fix) {
    for (const Volume& volume : fix.host().volumes) {
        if (volume.kind.is(VolumeKind::zfs)) {
            for (const Job& job :
                 fix.take_of(volume.name, {Setting::raid_spare, Setting::raid_rebuild,
                                           Setting::raid_add_component, Setting::zfs_ashift})) {
                pool(fix, volume, job);
                vdev_shift(fix, job);
            }
        }
        for (const Job& job : fix.take_of(volume.name, {Setting::crypto_sector}))
            if (const auto bytes = job.number(Setting::crypto_sector)) layer_sector(fix, volume, *bytes);
    }
    for (const Job& job : fix.take({Setting::zfs_ashift})) vdev_shift(fix, job);
}

}  // namespace diskwright
