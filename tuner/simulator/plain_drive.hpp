// SPDX-License-Identifier: BSD-2-Clause
// From the figures of a plain description to what the models need. Each figure that is not given is assumed,
// and said so.
#pragma once

#include <string>
#include <vector>

#include "tuner/simulator/drive_parameters.hpp"
#include "tuner/simulator/plain_disk.hpp"
#include "tuner/simulator/shingled_drive.hpp"
#include "tuner/simulator/ssd_model.hpp"

namespace diskwright {

/// A drive that rotates. Seek time goes by the square root of the distance, unless there is a curve; tracks
/// shrink evenly from the outermost to the innermost rate; the skew is what a head switch takes, so that the
/// rates are those of reading in sequence. assumed: "figure value" of each that was not given.
DriveParameters rotating_drive(const DiskParameters& disk, std::vector<std::string>& assumed);

/// One that does not.
SsdParameters flash_drive(const DiskParameters& disk, std::vector<std::string>& assumed);

/// How a drive whose tracks overlap manages them.
ShingledParameters shingles_of(const DiskParameters::Shingled& shingled, std::vector<std::string>& assumed);

}  // namespace diskwright
