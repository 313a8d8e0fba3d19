// SPDX-License-Identifier: BSD-2-Clause
// Drives as DiskSim 4.0 describes them, its parameter files written as JSON: "device" holds one
// "disksim_disk NAME", "mechanics" one "dm_disk NAME", "seek_curve_cylinders_ms" the measured seeks. What a
// parameter means: kaikai-sk/disksim-4.0: src/modules/disksim_disk_param.tex and
// diskmodel/modules/dm_{disk,layout_g1,layout_g1_zone,mech_g1}_param.tex.
#pragma once

#include "probes/model/json_object.hpp"
#include "tuner/simulator/drive_parameters.hpp"

namespace diskwright {

/// Errors stay in `from`. "bus" {"read_block_ms", "write_block_ms"}, where it is given, is the bus the drive
/// was measured on: DiskSim has it in another file, and a block takes the longer of the two times.
DriveParameters read_disksim_drive(JsonObject& from);

}  // namespace diskwright
