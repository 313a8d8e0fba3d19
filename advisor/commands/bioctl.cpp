// SPDX-License-Identifier: BSD-2-Clause
// bioctl(8) on softraid(4) of OpenBSD. The strip is fixed at MAXPHYS and nothing but a rebuild is done in
// place.
#include <fmt/format.h>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

void generate_softraid(FixBuilder& fix) {
    if (!fix.is({Os::openbsd})) return;
    for (const Volume& volume : fix.host().volumes) {
        if (!volume.kind.is(VolumeKind::softraid)) continue;
        for (const Job& job : fix.take_of(volume.name, {Setting::raid_rebuild, Setting::raid_add_component,
                                                        Setting::raid_spare, Setting::raid_stripe_unit,
                                                        Setting::raid_level, Setting::raid_component_move})) {
            const std::string* device = job.text(Setting::raid_add_component);
            if (!device) device = job.text(Setting::raid_rebuild);
            if (device && !device->empty())
                fix.run(Command("bioctl").flag("-R", device_path(fix, *device)).name(volume.name));
            else if (device)
                fix.note(
                    fmt::format("with a RAID partition of the same size on a new disk: bioctl -R DEVICE {}",
                                escaped(volume.name)));
            if (job.has(Setting::raid_spare))
                fix.note("softraid has no hot spares to add to an existing volume");
            if (job.has(Setting::raid_stripe_unit)) fix.note("the strip of softraid is fixed at 64 KiB");
            if (job.has(Setting::raid_level))
                fix.note("the level is fixed when the volume is made: back up, make a new one, restore");
            if (const std::string* component = job.text(Setting::raid_component_move))
                fix.note(fmt::format("put {} on a disk of its own: bioctl -R with a partition there",
                                     escaped(*component)));
        }
    }
}

}  // namespace diskwright
