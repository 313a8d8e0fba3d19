// SPDX-License-Identifier: BSD-2-Clause
// swapctl(8) and swapoff(8).
#include <fmt/format.h>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

void generate_swap(FixBuilder& fix) {
    for (const Job& job : fix.take({Setting::swap_remove})) {
        const std::string device = device_path(fix, job.subject);
        if (fix.is({Os::netbsd, Os::openbsd}))
            fix.run(Command("swapctl").word("-d").name(device));
        else
            fix.run(Command("swapoff").name(device));
        fix.note(fmt::format(
            "remove the swap line of {} from /etc/fstab, and give the system swap elsewhere first",
            escaped(job.subject)));
    }
    for (const Job& job : fix.take({Setting::swap_size}))
        if (const auto bytes = job.number(Setting::swap_size))
            fix.note(fmt::format("make the swap area {} about {} large, in the partition table",
                                 escaped(job.subject), human_size(*bytes)));
}

}  // namespace diskwright
