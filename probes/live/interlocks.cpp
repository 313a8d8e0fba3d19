// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/interlocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/live/descriptor_source.hpp"
#include "probes/live/table_interlock.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// A partition table keeps within this distance of either end of its disk: GPT takes 34 sectors, a disklabel
// and boot code 16 KiB, and every partitioning program of today leaves 1 MiB.
constexpr std::uint64_t table_bytes = MiB;

struct Named {
    struct stat link {
    }, target{};
};

Result<Named> named(const std::string& path) {
    Named out;
    if (lstat(path.c_str(), &out.link) != 0 || stat(path.c_str(), &out.target) != 0) {
        const int number = errno;
        Error error = system_error(path, "", number);
        if (number == ENOENT)
            error.message +=
                "; a scratch file must exist and have its size: truncate -s 1g NAME makes one of 1 GiB";
        return error;
    }
    return out;
}

Result<std::vector<std::vector<std::byte>>> read_ranges(const OpenedDevice& device, ByteRange within,
                                                        std::uint64_t sector) {
    std::vector<std::vector<std::byte>> out;
    for (const auto& range : signature_ranges(within.length, sector)) {
        const AlignedBuffer buffer(range.length);
        const auto at = static_cast<off_t>(within.offset + range.offset);
        ssize_t count = -1;
        do count = pread(device.io.get(), buffer.bytes().data(), range.length, at);
        while (count < 0 && errno == EINTR);
        if (count != static_cast<ssize_t>(range.length))
            return system_error(device.path, fmt::format("read at byte {}", at), count < 0 ? errno : EIO);
        const auto bytes = buffer.bytes().first(range.length);
        out.emplace_back(bytes.begin(), bytes.end());
    }
    return out;
}

Result<std::optional<Signature>> find_in(const OpenedDevice& device, ByteRange within, std::uint64_t sector) {
    const auto bytes = read_ranges(device, within, sector);
    if (!bytes) return bytes.error();
    return find_signature(*bytes, within.length, sector);
}

}  // namespace

bool names_same_device(const std::string& a, const std::string& b) {
    struct stat first {
    }, second{};
    return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && same_file(first, second);
}

Error Interlocks::refused(const Obstacle& obstacle) const {
    return interlock_error(request_.path, obstacle);
}

std::optional<Error> Interlocks::before_open() const {
    const auto scratch = named(request_.path);
    if (!scratch) return scratch.error();
    if (request_.yes_destroy.empty())
        return refused({"named twice",
                        "everything on it would be destroyed, also what is not recognised; say "
                        "so with --yes-destroy and the same name"});
    const auto again = named(request_.yes_destroy);
    if (!again) return again.error();
    for (const Named* one : {&*scratch, &*again})
        if (S_ISLNK(one->link.st_mode) && S_ISREG(one->target.st_mode))
            return refused(
                {"symlink", "a scratch file is not reached through a symlink; name the file itself"});
    if (!same_file(scratch->target, again->target))
        return refused({"named twice", fmt::format("--yes-destroy {} is another device or file",
                                                   escaped(request_.yes_destroy))});
    return std::nullopt;
}

std::optional<Obstacle> Interlocks::identity(const OpenedDevice& device) {
    for (const auto* path : {&request_.path, &request_.yes_destroy}) {
        struct stat now {};
        const bool file = device.is_file();
        if ((file ? lstat(path->c_str(), &now) : stat(path->c_str(), &now)) != 0 || !device.is_named_by(now))
            return Obstacle{"named twice", fmt::format("{} no longer names what was opened", escaped(*path))};
    }
    const std::string serial = device_system::serial(device);
    if (!serial_) serial_ = serial;
    if (*serial_ != serial)
        return Obstacle{"serial number", fmt::format("'{}' became '{}'", escaped(*serial_), escaped(serial))};
    return std::nullopt;
}

Result<std::optional<Obstacle>> Interlocks::signature(const OpenedDevice& device,
                                                      const DeviceGeometry& geometry,
                                                      ByteRange region) const {
    const ByteRange all{0, geometry.size_bytes};
    const auto describe = [](const Signature& found, std::uint64_t from) {
        return Obstacle{"signature", fmt::format("{} at byte {}; if it is not needed, let the tool that made "
                                                 "it take it away first",
                                                 found.name, from + found.offset)};
    };
    const auto on_all = find_in(device, all, geometry.sector_bytes);
    if (!on_all) return on_all.error();
    if (*on_all) {
        // A region that keeps clear of a partition table is judged by the partitions, as far as the kernel
        // shows them and as they are on the disk.
        const bool clear_of_table = (*on_all)->kind == Signature::Kind::partition_table &&
                                    device_system::shows_partitions(device) && region.offset >= table_bytes &&
                                    region.offset + region.length + table_bytes <= all.length;
        if (!clear_of_table) return std::optional(describe(**on_all, 0));
        DescriptorSource disk(device, geometry);
        if (auto found = region_in_table(disk, region)) return found;
    }
    if (region == all) return std::optional<Obstacle>();
    const auto in_region = find_in(device, region, geometry.sector_bytes);
    if (!in_region) return in_region.error();
    return *in_region ? std::optional(describe(**in_region, region.offset)) : std::nullopt;
}

std::optional<Error> Interlocks::before_write(const OpenedDevice& device, const DeviceGeometry& geometry,
                                              ByteRange region) {
    if (const auto found = identity(device)) return refused(*found);
    if (const auto found = device_system::obstacle(device, region, commands_)) return refused(*found);
    const auto found = signature(device, geometry, region);
    if (!found) return found.error();
    if (*found) return refused(**found);
    return std::nullopt;
}

}  // namespace diskwright
