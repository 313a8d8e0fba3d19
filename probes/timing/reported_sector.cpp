// SPDX-License-Identifier: BSD-2-Clause
// Question: what the device says its medium's sector is.
// Method: what the driver tells of it; no timing.
// Cost: nothing.
// Cannot tell: whether it is true. Some drives, bridges and controllers say 512 whatever is behind them.
#include "probes/timing/grading.hpp"

namespace diskwright {

ProbeOutcome measure_reported_sector(const ProbeContext& context) {
    const auto reported = context.device.reported().physical_sector_bytes;
    if (!reported) return {Measurement::inconclusive("bytes", "the system does not tell")};
    Measurement out;
    out.unit = "bytes";
    out.value = static_cast<double>(*reported);
    conclude(out, {}, context.device, {});
    return {std::move(out)};
}

}  // namespace diskwright
