// SPDX-License-Identifier: BSD-2-Clause
// Between the tuner's points and a plan: which parameters mean which settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advisor/commissioning/job.hpp"

namespace diskwright {

/// What the trials decided; the arithmetic decides the rest.
struct MeasuredChoice {
    std::optional<std::uint64_t> stripe_unit_bytes, bsize, fsize;
    std::string reason;  // "by the trials: 3.1 s against 7.9 s ..."
};

/// sectPerSU, bsize and fsize of the best point; parameters of other names decide nothing here.
MeasuredChoice measured_choice(const TrialSource& source, const Verification& check);

/// The landscape without the points that a plan never comes to, however fast: those without a log (parameter
/// "log", value 0), and with `small_files` fragments above 8 KiB, since every file takes at least one. A
/// default that goes becomes the nearest that stays.
Result<Landscape> plannable(Landscape landscape, bool small_files);

/// The same system and disks with nothing on them but a set of that level over all of them, as typed_server()
/// makes it. Without a unit the arithmetic chooses one.
Result<HostFacts> new_server(const HostFacts& facts, const std::string& level,
                             std::optional<std::uint64_t> stripe_unit_bytes);

/// The point that a plan comes to; what the plan leaves open is as in `otherwise`. Nothing when the space has
/// no such point.
std::optional<Point> point_of(const Plan& plan, const SearchSpace& space,
                              const std::optional<Point>& otherwise);

}  // namespace diskwright
