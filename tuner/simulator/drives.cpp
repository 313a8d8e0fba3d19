// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/drives.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"
#include "tuner/simulator/disk_files.hpp"
#include "tuner/simulator/disk_model.hpp"
#include "tuner/simulator/disksim_drive.hpp"
#include "tuner/simulator/plain_drive.hpp"
#include "tuner/simulator/ssd_model.hpp"

namespace diskwright {
namespace {

const EmbeddedFile* file_of(std::string_view name) {
    const auto files = disk_files();
    const auto at =
        std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.name == name; });
    return at == files.end() ? nullptr : &*at;
}

NamedDrive rotating(const DriveParameters& drive, std::vector<std::string> assumed) {
    return {std::make_unique<DiskModel>(drive), drive.name, std::move(assumed), drive.published_rms_ms};
}

Error refusal(std::string_view source, const std::string& why) {
    return {ErrorKind::bad_data, escaped(fmt::format("{}: {}", source, why))};
}

// The medium has room for the cache, too.
Result<NamedDrive> shingled(const DiskParameters& disk, std::string_view source) {
    std::vector<std::string> assumed;
    const ShingledParameters shingles = shingles_of(*disk.shingled, assumed);
    DiskParameters with_cache = disk;
    with_cache.size_bytes = *disk.size_bytes + shingles.cache_blocks * 512;
    const DriveParameters medium = rotating_drive(with_cache, assumed);
    if (const auto why = drive_error(medium)) return refusal(source, *why);
    return NamedDrive{std::make_unique<ShingledDrive>(std::make_unique<DiskModel>(medium), shingles),
                      disk.name, std::move(assumed), std::nullopt};
}

Result<NamedDrive> plain(const DiskParameters& disk, std::string_view source) {
    std::vector<std::string> assumed;
    const auto refused = [&](const std::string& why) { return refusal(source, why); };
    if (!disk.size_bytes || *disk.size_bytes == 0) return refused("size_bytes: missing or 0");
    if (disk.rpm == 0.0 || (disk.flash && !disk.rpm)) {
        const SsdParameters drive = flash_drive(disk, assumed);
        if (const auto why = drive_error(drive)) return refused(*why);
        return NamedDrive{std::make_unique<SsdModel>(drive), disk.name, std::move(assumed), std::nullopt};
    }
    if (disk.shingled) return shingled(disk, source);
    const DriveParameters drive = rotating_drive(disk, assumed);
    if (const auto why = drive_error(drive)) return refused(*why);
    return rotating(drive, std::move(assumed));
}

// The bus of the shipped drive that the file is about.
void borrow_bus(DriveParameters& drive) {
    const EmbeddedFile* file = file_of(drive.name);
    const auto json = file ? parse_json(file->text, file->name) : Error{};
    if (!json || !json->contains("bus")) return;
    JsonObject from(*json, file->name);
    const DriveBus bus = read_disksim_drive(from).bus;
    drive.bus.read_block_s = std::max(drive.bus.read_block_s, bus.read_block_s);
    drive.bus.write_block_s = std::max(drive.bus.write_block_s, bus.write_block_s);
}

}  // namespace

Result<NamedDrive> drive_from_json(const nlohmann::ordered_json& json, std::string_view source) {
    JsonObject from(json, source);
    if (from.error()) return *from.error();
    if (from.has("mechanics") || from.has("device")) {
        DriveParameters drive = read_disksim_drive(from);
        if (from.error()) return *from.error();
        if (!from.has("bus")) borrow_bus(drive);
        return rotating(drive, {});
    }
    const DiskParameters disk = read_plain_disk(from);
    if (from.error()) return *from.error();
    return plain(disk, source);
}

Result<NamedDrive> shipped_drive(std::string_view name) {
    const EmbeddedFile* file = file_of(name);
    if (!file) {
        std::vector<std::string_view> names;
        for (const EmbeddedFile& known : disk_files()) names.push_back(known.name);
        const auto near = nearest(name, names);
        return Error{ErrorKind::usage, fmt::format("no drive is called '{}'{}", escaped(name),
                                                   near ? fmt::format("; did you mean '{}'?", *near) : "")};
    }
    const auto json = parse_json(file->text, file->name);
    if (!json) return json.error();
    auto drive = drive_from_json(*json, file->name);
    if (drive) drive->name = file->name;
    return drive;
}

Result<NamedDrive> drive_of(const DiskParameters& disk) {
    return disk.name.empty() ? plain(disk, "disk") : shipped_drive(disk.name);
}

}  // namespace diskwright
