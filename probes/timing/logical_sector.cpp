// SPDX-License-Identifier: BSD-2-Clause
// Question: the smallest unit the device takes.
// Method: what the driver says; no timing.
// Cost: nothing.
// Cannot tell: the physical sector. A drive that emulates 512 bytes says 512 here.
#include "probes/timing/grading.hpp"

namespace diskwright {

ProbeOutcome measure_logical_sector(const ProbeContext& context) {
    Measurement out;
    out.unit = "bytes";
    out.value = static_cast<double>(context.device.logical_sector_bytes());
    conclude(out, {}, context.device, {});
    if (out.confidence == Confidence::inconclusive)
        out.reason = "not a sector of a disk: " + context.device.cached_because();
    return {std::move(out)};
}

}  // namespace diskwright
