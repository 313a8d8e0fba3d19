// SPDX-License-Identifier: BSD-2-Clause
// Values of DiskSim's parameters, each with its range: what is missing or outside is an error of the object,
// and the least value comes back.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "probes/model/json_object.hpp"
#include "tuner/simulator/drive_parameters.hpp"

namespace diskwright::disksim {

constexpr std::uint64_t most_cylinders = 1 << 24, most_surfaces = 256;
constexpr double ms = 1e-3;

double number(JsonObject& from, std::string_view key, double least, double most);
/// Given in milliseconds, up to 1000 s.
double seconds(JsonObject& from, std::string_view key);
std::uint64_t whole(JsonObject& from, std::string_view key, std::uint64_t least, std::uint64_t most);
/// 0 or 1.
bool yes(JsonObject& from, std::string_view key);
/// Known keys that decide nothing here.
void pass_over(JsonObject& from, std::initializer_list<std::string_view> keys);

/// The blocks "Layout Model" and "Mechanical Model"; top holds the measured seek curve.
void read_layout(JsonObject& from, DriveLayout& layout);
void read_mechanics(JsonObject& from, JsonObject& top, DriveMechanics& mechanics);

}  // namespace diskwright::disksim
