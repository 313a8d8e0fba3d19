// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/fdisk_head.hpp"

#include <vector>

#include "probes/support/text.hpp"

namespace diskwright {

namespace {

// Chinese releases print the full-width ones.
constexpr std::string_view wide_comma = "\uff0c", wide_colon = "\uff1a";

std::vector<std::string_view> parts_of(std::string_view line) {
    std::vector<std::string_view> out;
    for (auto part : split(line, ',')) {
        for (auto at = part.find(wide_comma); at != std::string_view::npos; at = part.find(wide_comma)) {
            out.push_back(part.substr(0, at));
            part.remove_prefix(at + wide_comma.size());
        }
        out.push_back(part);
    }
    return out;
}

}  // namespace

std::string_view fdisk_disk(std::string_view line) {
    if (!contains(line, "/dev/")) return {};
    const auto w = words(line);
    for (std::size_t i = 0; i < w.size() && i < 3; ++i) {
        if (!w[i].starts_with("/dev/") || (!contains(line, ",") && !contains(line, wide_comma))) continue;
        const auto name = w[i].substr(0, std::min(w[i].find(':'), w[i].find(wide_colon)));
        const bool ended = name.size() < w[i].size() || (i + 1 < w.size() && w[i + 1] == ":");
        if (ended) return i > 0 || w.size() > 3 ? name : std::string_view{};
    }
    return {};
}

std::optional<std::uint64_t> fdisk_size(std::string_view line) {
    constexpr std::uint64_t least_unnamed = 1 * MiB;
    std::optional<std::uint64_t> largest;
    for (const auto part : parts_of(line)) {
        const auto number = leading_unsigned(trim(part));
        const auto unit = number ? trim(number->rest) : std::string_view{};
        if (!number || number->value < 512) continue;
        if (iequals(unit.substr(0, 4), "byte") || iequals(unit.substr(0, 5), "octet")) return number->value;
        const bool decimals = !number->rest.empty() && number->rest.front() == '.';
        if (!decimals && !unit.empty() && (!largest || number->value > *largest)) largest = number->value;
    }
    return largest && *largest >= least_unnamed && *largest % 512 == 0 ? largest : std::nullopt;
}

std::string_view fdisk_value(std::string_view text) {
    const auto colon = text.rfind(':'), wide = text.rfind(wide_colon);
    if (wide != std::string_view::npos && (colon == std::string_view::npos || wide > colon))
        return trim(text.substr(wide + wide_colon.size()));
    return colon == std::string_view::npos ? std::string_view{} : trim(text.substr(colon + 1));
}

bool take_translated_sectors(std::string_view text, std::size_t at, LinuxDevice& device) {
    const auto value = fdisk_value(text);
    const auto slash = value.find(" / ");
    if (slash == std::string_view::npos) return false;
    const auto logical = leading_unsigned(value), physical = leading_unsigned(trim(value.substr(slash + 3)));
    if (!logical || !physical) return false;
    const auto is_sector = [](std::uint64_t n) { return n >= 512 && n <= 65536 && (n & (n - 1)) == 0; };
    if (device.logical_sector || !is_sector(logical->value) || !is_sector(physical->value)) return true;
    device.logical_sector = logical->value, device.physical_sector = physical->value;
    device.sector_line = at;
    return true;
}

std::optional<Scheme> translated_scheme(std::string_view text) {
    const auto value = fdisk_value(text);
    if (value == "gpt") return Scheme::gpt;
    return value == "dos" ? std::optional(Scheme::mbr) : std::nullopt;
}

}  // namespace diskwright
