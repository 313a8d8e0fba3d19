// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/region_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Region = DeviceRegions::Region;

constexpr std::uint64_t smallest_sector = 512, largest_sector = 65536;

std::string fault_of(const DeviceRegions& d) {
    if (d.size_bytes == 0) return "a device without a size";
    const bool power = (d.sector_bytes & (d.sector_bytes - 1)) == 0;
    if (!power || d.sector_bytes < smallest_sector || d.sector_bytes > largest_sector)
        return fmt::format("sectors of {} bytes", d.sector_bytes);
    if (d.regions.size() > RegionSource::most_regions)
        return fmt::format("more than {} regions", RegionSource::most_regions);
    std::uint64_t all = 0, stored = 0;
    for (const Region& r : d.regions) {
        if (r.length == 0 || r.offset > d.size_bytes || r.length > d.size_bytes - r.offset)
            return fmt::format("a region of {} bytes at {} of a device of {}", r.length, r.offset,
                               d.size_bytes);
        if (r.length > RegionSource::most_bytes - all)
            return fmt::format("regions of more than {}", human_size(RegionSource::most_bytes));
        all += r.length;
        if (!r.zero) stored += r.length;
    }
    if (stored != d.bytes.size())
        return fmt::format("{} bytes stored for regions of {}", d.bytes.size(), stored);
    return {};
}

}  // namespace

void DeviceRegions::add(std::uint64_t offset, std::span<const std::byte> read) {
    while (!read.empty()) {
        const auto page = read.first(std::min<std::size_t>(read.size(), page_bytes));
        const bool zero =
            std::all_of(page.begin(), page.end(), [](std::byte b) { return b == std::byte{0}; });
        if (!regions.empty() && regions.back().zero == zero &&
            regions.back().offset + regions.back().length == offset)
            regions.back().length += page.size();
        else
            regions.push_back({offset, page.size(), zero});
        if (!zero) bytes.append(reinterpret_cast<const char*>(page.data()), page.size());
        offset += page.size();
        read = read.subspan(page.size());
    }
}

Result<std::shared_ptr<RegionSource>> RegionSource::make(DeviceRegions regions) {
    const auto bad = [device = escaped(regions.device)](std::string_view why) {
        return Error{ErrorKind::bad_data, fmt::format("{}: {}", device, why)};
    };
    if (const std::string fault = fault_of(regions); !fault.empty()) return bad(fault);
    std::shared_ptr<RegionSource> source(new RegionSource(std::move(regions)));
    std::size_t at = 0;
    for (const Region& r : source->regions_.regions) {
        source->places_.push_back({r, at});
        if (!r.zero) at += static_cast<std::size_t>(r.length);
    }
    std::sort(source->places_.begin(), source->places_.end(),
              [](const Place& a, const Place& b) { return a.region.offset < b.region.offset; });
    for (std::size_t i = 1; i < source->places_.size(); ++i) {
        const Region &before = source->places_[i - 1].region, &after = source->places_[i].region;
        if (before.offset + before.length > after.offset)
            return bad(fmt::format("two regions over each other at {}", after.offset));
    }
    return source;
}

Result<std::span<const std::byte>> RegionSource::read(std::uint64_t offset, std::size_t length) {
    const auto missing = [&](std::string_view why) {
        return Error{ErrorKind::no_input, fmt::format("{}@{:#x}: {} bytes: {}", name(), offset, length, why)};
    };
    if (offset > regions_.size_bytes || length > regions_.size_bytes - offset) return missing("past the end");
    if (length == 0) return std::span<const std::byte>{};
    const auto joined = joined_.find({offset, length});
    if (joined != joined_.end()) return std::span<const std::byte>(joined->second);
    auto place = std::upper_bound(places_.begin(), places_.end(), offset,
                                  [](std::uint64_t at, const Place& p) { return at < p.region.offset; });
    if (place == places_.begin()) return missing("not collected");
    --place;
    const auto all = std::as_bytes(std::span(regions_.bytes));
    const Region& first = place->region;
    if (!first.zero && offset - first.offset < first.length &&
        length <= first.length - (offset - first.offset))
        return all.subspan(place->at + static_cast<std::size_t>(offset - first.offset), length);
    if (length > most_bytes - std::min(most_bytes, joined_bytes_)) return missing("more than is looked at");

    std::vector<std::byte> whole;
    for (; whole.size() < length; ++place) {
        const std::uint64_t want = offset + whole.size();
        if (place == places_.end() || place->region.offset > want ||
            want - place->region.offset >= place->region.length)
            return missing("not collected");
        const auto inside = static_cast<std::size_t>(want - place->region.offset);
        const auto count =
            std::min(length - whole.size(), static_cast<std::size_t>(place->region.length) - inside);
        if (place->region.zero) {
            whole.resize(whole.size() + count);
        } else {
            const auto part = all.subspan(place->at + inside, count);
            whole.insert(whole.end(), part.begin(), part.end());
        }
    }
    joined_bytes_ += length;
    return std::span<const std::byte>(
        joined_.emplace(std::pair(offset, length), std::move(whole)).first->second);
}

}  // namespace diskwright
