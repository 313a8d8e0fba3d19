// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/profile_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Label {
    std::string_view quantity, words;
    /// What `at` of a point stands for.
    std::string (*place)(double at);
};

std::string zone(double at) {
    return "from " + human_size(static_cast<std::uint64_t>(std::max(at, 0.0)));
}
std::string depth(double at) {
    return fmt::format("{:g} in flight", at);
}
std::string distance(double at) {
    return "over " + human_size(static_cast<std::uint64_t>(std::max(at, 0.0)));
}

// In the order of the report; a quantity that is not here comes last, under its own name.
constexpr auto labels = std::to_array<Label>({
    {"logical_sector_bytes", "logical sector", distance},
    {"reported_physical_sector_bytes", "reported sector", distance},
    {"physical_sector_bytes", "physical sector", distance},
    {"physical_offset_bytes", "first boundary at", distance},
    {"erase_block_bytes", "erase block", distance},
    {"stripe_unit_bytes", "stripe unit", distance},
    {"data_disks", "data disks", distance},
    {"redundancy", "redundancy", distance},
    {"layout", "layout", distance},
    {"sequential_read_bytes_per_s", "sequential read", zone},
    {"sequential_write_bytes_per_s", "sequential write", zone},
    {"rotation_s", "turn", distance},
    {"track_bytes", "bytes in a turn", distance},
    {"seek_s", "seek", distance},
    {"random_read_iops", "random read, 4 KiB", depth},
    {"random_read_knee", "knee, in flight", depth},
    {"write_cache", "write cache", distance},
    {"write_cache_effect", "commit / write", distance},
    {"flush_latency_s", "write, then flush", distance},
    {"write_tail_s", "write, 99 %", distance},
});

struct Scale {
    double at_least, divisor;
    std::string_view unit;
};

std::string scaled(double value, std::span<const Scale> scales) {
    const auto* scale = std::find_if(&scales.front(), &scales.back(),
                                     [&](const Scale& s) { return std::abs(value) >= s.at_least; });
    const double shown = value / scale->divisor;
    const int digits = std::abs(shown) >= 100 ? 0 : std::abs(shown) >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", shown, digits, scale->unit);
}

std::string number_text(double value, std::string_view unit) {
    static constexpr std::array<Scale, 3> time{{{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {0, 1e-6, "us"}}};
    static constexpr std::array<Scale, 3> rate{{{1e9, 1e9, "GB/s"}, {1e6, 1e6, "MB/s"}, {0, 1e3, "kB/s"}}};
    if (unit == "s") return scaled(value, time);
    if (unit == "bytes/s") return scaled(value, rate);
    if (unit == "1/s") return fmt::format("{:.0f} a second", value);
    return fmt::format("{:g}{}{}", value, unit.empty() ? "" : " ", escaped(unit));
}

std::string with_spread(double value, const std::optional<double>& spread, std::string_view unit) {
    std::string text = number_text(value, unit);
    if (spread) text += " +- " + number_text(*spread, unit);
    return text;
}

std::string value_text(const Measurement& m) {
    if (const auto* number = std::get_if<double>(&m.value)) return with_spread(*number, m.spread, m.unit);
    if (const auto* word = std::get_if<std::string>(&m.value)) return escaped(*word);
    return "";
}

std::string sureness(const Measurement& m) {
    std::string text;
    if (m.samples > 0) text += fmt::format("{} samples, ", m.samples);
    text += m.confidence == Confidence::inconclusive ? std::string(to_string(m.confidence))
                                                     : fmt::format("confidence {}", to_string(m.confidence));
    if (!m.reason.empty()) text += ": " + escaped(m.reason);
    return text;
}

std::string percentiles(const Measurement& m) {
    const auto* series = m.distribution();
    if (!std::holds_alternative<double>(m.value) || !series) return "";
    const auto& samples = series->samples;
    std::string text;
    constexpr std::array<std::pair<std::string_view, double>, 4> shares{
        {{"median", 0.5}, {"95 %", 0.95}, {"99 %", 0.99}, {"worst", 1.0}}};
    for (const auto& [name, share] : shares)
        if (const auto value = percentile(samples, share))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, number_text(*value, m.unit));
    return text;
}

constexpr int name_columns = 20;

std::string quantity_text(std::string_view name, const Measurement& m, std::string (*place)(double)) {
    const std::string value = value_text(m);
    std::string text =
        fmt::format("{:<{}}{}{}{}\n", name, name_columns, value, value.empty() ? "" : "; ", sureness(m));
    if (const auto* curve = std::get_if<std::vector<Measurement::Point>>(&m.value))
        for (const auto& point : *curve)
            text += fmt::format("  {:<{}}{}\n", place(point.at), name_columns - 2,
                                with_spread(point.value, point.spread, m.unit));
    if (const std::string tail = percentiles(m); !tail.empty())
        text += fmt::format("{:{}}{}\n", "", name_columns, tail);
    return text;
}

}  // namespace

std::string render_profile_text(const DeviceProfile& profile, std::string_view head) {
    std::string text;
    if (!head.empty()) text = fmt::format("{}\n", head);
    for (const Label& label : labels)
        if (const auto at = profile.find(std::string(label.quantity)); at != profile.end())
            text += quantity_text(label.words, at->second, label.place);
    for (const auto& [quantity, measurement] : profile)
        if (quantity != "device" && std::none_of(
                labels.begin(), labels.end(),
                [&, name = std::string_view(quantity)](const Label& l) { return l.quantity == name; }))
            text += quantity_text(escaped(quantity), measurement, distance);
    return text;
}

}  // namespace diskwright
