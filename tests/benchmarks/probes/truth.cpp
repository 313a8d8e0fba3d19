// SPDX-License-Identifier: BSD-2-Clause
#include "tests/benchmarks/probes/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "advisor/commissioning/simulated_target.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/random.hpp"
#include "probes/support/statistics.hpp"
#include "tuner/simulator/disk_files.hpp"
#include "tuner/simulator/disk_geometry.hpp"
#include "tuner/simulator/disksim_drive.hpp"
#include "tuner/simulator/drives.hpp"
#include "tuner/simulator/plain_drive.hpp"
#include "tuner/simulator/seek_curve.hpp"

namespace diskwright::test {
namespace {

using Json = nlohmann::ordered_json;

Json of_disk(Json model) {
    return Json{{"disks", {{{"model", std::move(model)}}}}};
}

Json plain_disk() {
    return Json{{"size_bytes", 1'000'204'886'016}, {"rpm", 7200}, {"seek_min_s", 0.0008},
                {"seek_max_s", 0.0152}, {"transfer_bytes_per_s", 150e6}, {"transfer_inner_bytes_per_s", 71e6},
                {"interface_bytes_per_s", 600e6}, {"command_s", 0.0001}, {"cache_bytes", 67'108'864},
                {"read_ahead_bytes", 524'288}, {"queue_depth", 32}};
}

Json with(Json disk, const Json& more) {
    disk.update(more);
    return disk;
}

Json plain_flash() {
    return Json{{"size_bytes", 500'107'862'016}, {"rpm", 0}, {"cache_bytes", 16'777'216}, {"write_cache", "on"},
                {"command_s", 15e-6}, {"interface_bytes_per_s", 550e6}, {"queue_depth", 32},
                {"flash", {{"units", 10}, {"page_bytes", 8192}, {"read_s", 85e-6}, {"program_s", 500e-6}}}};
}

std::vector<ProbedDrive> all_drives() {
    std::vector<ProbedDrive> out;
    for (const EmbeddedFile& file : disk_files()) {
        const DiskParameters& disk = shipped_disks().find(file.name)->second;
        ProbedDrive drive{std::string(file.name), of_disk(file.name), "", 512, 0};
        drive.sector = disk.physical_sector_bytes.value_or(512);
        if (disk.flash) drive.cache = disk.flash->protected_buffer == true ? "protected" : "volatile";
        out.push_back(std::move(drive));
    }
    const auto add = [&](std::string name, const Json& disk, std::string cache, std::uint64_t sector = 512,
                         std::uint64_t offset = 0, bool told = true) {
        out.push_back({std::move(name), of_disk(disk), std::move(cache), sector, offset, told});
    };
    const Json disk = plain_disk(), flash = plain_flash(), emulated{{"physical_sector_bytes", 4096}};
    add("512n, write cache on", with(disk, {{"write_cache", "on"}}), "volatile");
    add("512n, write cache off", with(disk, {{"write_cache", "off"}}), "none");
    add("512e", with(disk, emulated), "volatile", 4096);
    add("512e, write cache off", with(with(disk, emulated), {{"write_cache", "off"}}), "none", 4096);
    add("512e that reports 512", with(with(disk, emulated), {{"reported_physical_sector_bytes", 512}}),
        "volatile", 4096);
    add("512e, offset 1", with(with(disk, emulated), {{"physical_offset_bytes", 3584}}), "volatile", 4096, 3584);
    add("4Kn", with(with(disk, emulated), {{"logical_sector_bytes", 4096}}), "volatile", 4096);
    add("ignores flushes", with(disk, {{"ignores_flush", true}}), "ignores-flush", 512, 0, false);
    add("flash, volatile cache", flash, "volatile");
    add("flash 512e", with(flash, emulated), "volatile", 4096);
    add("flash, no write cache", with(flash, {{"write_cache", "off"}}), "none");
    Json kept = flash;
    kept["flash"]["protected_buffer"] = true;
    add("flash, protected cache", kept, "protected", 512, 0, false);
    add("flash that ignores flushes", with(flash, {{"ignores_flush", true}}), "ignores-flush", 512, 0, false);
    add("controller with a battery", disk, "protected", 512, 0, false);
    out.back().configuration["controller"] = {{"cache_bytes", 536'870'912}, {"battery", true}};
    return out;
}

std::optional<DriveParameters> mechanics_of(const ProbedDrive& drive) {
    const Json& model = drive.configuration["disks"][0]["model"];
    std::vector<std::string> assumed;
    Json json = model;
    if (model.is_string()) {
        const auto name = model.get<std::string>();
        for (const EmbeddedFile& file : disk_files())
            if (file.name == name) json = *parse_json(file.text, file.name);
    }
    json = Json::parse(json.dump());
    JsonObject from(json, drive.name);
    if (from.has("mechanics") || from.has("device")) return read_disksim_drive(from);
    const DiskParameters disk = read_plain_disk(from);
    if (disk.rpm == 0.0 || disk.flash) return std::nullopt;
    return rotating_drive(disk, assumed);
}

/// Values of a curve; empty when inconclusive.
std::vector<Measurement::Point> curve_of(const DeviceProfile& profile, const char* quantity) {
    const Measurement& m = profile.at(quantity);
    const auto* points = std::get_if<std::vector<Measurement::Point>>(&m.value);
    return m.confidence == Confidence::inconclusive || !points ? std::vector<Measurement::Point>{} : *points;
}

double percent(double value, double truth) {
    return std::abs(value / truth - 1) * 100;
}

double mean_seek(const DriveParameters& drive, double bytes) {
    const DiskGeometry geometry(drive.layout, drive.blocks);
    Random random(99);
    const auto distance = static_cast<std::uint64_t>(bytes / 512);
    double sum = 0;
    constexpr int count = 4000;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t from = random.below(drive.blocks - distance);
        const auto a = geometry.run_at(from).cylinder, b = geometry.run_at(from + distance).cylinder;
        sum += a == b ? 0 : SeekCurve::of(drive.mechanics.seek, geometry.cylinders(), a < b ? b - a : a - b);
    }
    return sum / count;
}

// What the drive does of itself, measured by a longer run at other places.
double read_rate(const ProbedDrive& drive, unsigned depth) {
    const auto device = device_of(drive, 0);
    Random random(1234);
    std::vector<ReadRequest> requests;
    const std::uint64_t length = std::max<std::uint64_t>(4096, (*device)->logical_sector_bytes());
    for (int i = 0; i < 4000; ++i)
        requests.push_back({random.below((*device)->size_bytes() / length) * length, length});
    const auto run = (*device)->read(requests, depth);
    return static_cast<double>(requests.size()) / std::chrono::duration<double>(run->elapsed).count();
}

double stream_rate(const ProbedDrive& drive, double byte) {
    const auto device = device_of(drive, 0);
    std::vector<ReadRequest> requests;
    constexpr std::uint64_t request = 1 << 20;
    auto at = static_cast<std::uint64_t>(byte) / request * request;
    for (int i = 0; i < 400 && at + request <= (*device)->size_bytes(); ++i, at += request)
        requests.push_back({at, request});
    const auto run = (*device)->read(requests, 4);
    return static_cast<double>(requests.size() * request) / std::chrono::duration<double>(run->elapsed).count();
}

double flush_latency(const ProbedDrive& drive) {
    const auto device = device_of(drive, 0);
    Random random(4321);
    const std::vector<std::byte> data(4096);
    std::vector<double> times;
    for (int i = 0; i < 1500; ++i) {
        const auto write =
            (*device)->write_at(random.below((*device)->size_bytes() / data.size()) * data.size(), data);
        const auto flush = (*device)->flush();
        if (!write || !flush) return 0;
        times.push_back(std::chrono::duration<double>(*flush).count());
    }
    return *median(times);
}

Judged number(const DeviceProfile& profile, const char* quantity, double truth, bool exact) {
    const Measurement& m = profile.at(quantity);
    const auto* value = std::get_if<double>(&m.value);
    if (!value || m.confidence == Confidence::inconclusive) return {};
    const double off = exact ? (*value == truth ? 0 : 100) : percent(*value, truth);
    return {off, exact, m.confidence == Confidence::high};
}

Judged worst_of(const DeviceProfile& profile, const char* quantity,
                const std::function<double(double at)>& truth) {
    Judged out;
    for (const auto& point : curve_of(profile, quantity))
        out.off_percent = std::max(out.off_percent.value_or(0), percent(point.value, truth(point.at)));
    out.high = profile.at(quantity).confidence == Confidence::high;
    return out;
}

}  // namespace

const std::vector<ProbedDrive>& probed_drives() {
    static const auto all = all_drives();
    return all;
}

Result<std::unique_ptr<SimulatedDevice>> device_of(const ProbedDrive& drive, double noise, std::uint64_t seed) {
    Json json = drive.configuration;
    json["noise"] = noise;
    json["seed"] = seed;
    // As it would be read from a file: numbers without a sign.
    auto machine = configuration_from_json(Json::parse(json.dump()), drive.name);
    if (!machine) return machine.error();
    return simulated_target(std::move(*machine), drive.name);
}

std::vector<Judged> judge(const ProbedDrive& drive, const DeviceProfile& profile) {
    const auto mechanics = mechanics_of(drive);
    std::vector<Judged> out;
    if (mechanics) {
        out.push_back(number(profile, "rotation_s", mechanics->mechanics.revolution_s, false));
        std::vector<double> off;
        for (const auto& point : curve_of(profile, "seek_s"))
            off.push_back(percent(point.value, mean_seek(*mechanics, point.at)));
        const bool high = profile.at("seek_s").confidence == Confidence::high;
        out.push_back({median(off), false, high});
        out.push_back({percentile(off, 1), false, high});
    } else {
        out.resize(3);
    }
    out.push_back(worst_of(profile, "sequential_read_bytes_per_s",
                           [&](double at) { return stream_rate(drive, at); }));
    out.push_back(worst_of(profile, "random_read_iops",
                           [&](double at) { return read_rate(drive, static_cast<unsigned>(at)); }));
    const double flush_s = flush_latency(drive);
    out.push_back(flush_s > 0 ? number(profile, "flush_latency_s", flush_s, false) : Judged{});
    const Measurement& cache = profile.at("write_cache");
    Judged word;
    if (const auto* value = std::get_if<std::string>(&cache.value); value && !drive.cache.empty())
        word = {*value == drive.cache ? 0 : 100, true, cache.confidence == Confidence::high};
    out.push_back(word);
    const bool told = profile.at("physical_sector_bytes").confidence <= Confidence::medium;
    out.push_back(told ? number(profile, "physical_sector_bytes", double(drive.sector), true) : Judged{});
    out.push_back(told ? number(profile, "physical_offset_bytes", double(drive.offset), true) : Judged{});
    return out;
}

std::string value_text(const Measurement& measured) {
    if (const auto* number = std::get_if<double>(&measured.value)) return fmt::format("{:g}", *number);
    if (const auto* word = std::get_if<std::string>(&measured.value)) return *word;
    std::string text;
    if (const auto* curve = std::get_if<std::vector<Measurement::Point>>(&measured.value))
        for (const auto& point : *curve) text += fmt::format(" {:g}:{:g}", point.at, point.value);
    return text;
}

}  // namespace diskwright::test
