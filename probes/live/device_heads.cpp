// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/device_heads.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "probes/capture/file_source.hpp"
#include "probes/live/device_system.hpp"
#include "probes/live/disk_reader.hpp"
#include "probes/model/device_names.hpp"
#include "probes/ondisk/discover.hpp"
#include "probes/support/safe_name.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Clock = std::chrono::steady_clock;
using Readers = std::vector<std::unique_ptr<DiskReader>>;

constexpr std::size_t disks_at_most = 128;  // a process and a descriptor each
constexpr std::chrono::seconds time_to_hand_over{3};

// Drives of media that come and go, and what looks like a disk and is memory, a file or a network.
constexpr std::array<std::string_view, 14> no_disks{"loop", "ram", "zram", "nbd", "dm-", "sr", "fd",
                                                    "cd",   "mcd", "dk",   "vnd", "vn",  "rd", "md"};

bool numbered(std::string_view name, std::string_view prefix) {
    return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= '0' &&
           name[prefix.size()] <= '9';
}

// Leaves those that have looked at their disk, in their order.
void await(Readers& readers, Clock::time_point until, ProgressMeter* progress,
           std::vector<std::string>& notes) {
    std::vector<std::string> failures(readers.size());
    std::vector<bool> begun(readers.size());
    while (std::find(begun.begin(), begun.end(), false) != begun.end()) {
        if (progress && progress->cancelled()) return;
        std::vector<pollfd> waiting;
        for (std::size_t i = 0; i < readers.size(); ++i)
            waiting.push_back({begun[i] ? -1 : readers[i]->descriptor(), POLLIN, 0});
        constexpr int look_up_ms = 100;
        (void)poll(waiting.data(), static_cast<nfds_t>(waiting.size()), look_up_ms);
        const bool late = Clock::now() >= until;
        for (std::size_t i = 0; i < readers.size(); ++i) {
            if (begun[i] || (!late && waiting[i].revents == 0)) continue;
            begun[i] = true;
            if (const auto done = readers[i]->begin(late ? Clock::now() : until); !done)
                failures[i] = done.error().message;
        }
    }
    std::copy_if(failures.begin(), failures.end(), std::back_inserter(notes),
                 [](const std::string& failure) { return !failure.empty(); });
    std::erase_if(readers, [](const auto& reader) { return reader->readable_bytes() == 0; });
}

}  // namespace

std::vector<std::string> whole_disks(const HostFacts& facts) {
    std::vector<std::string> out;
    for (const Disk& d : facts.disks) {
        const bool other = std::any_of(no_disks.begin(), no_disks.end(),
                                       [&](std::string_view prefix) { return numbered(d.name, prefix); });
        const bool volume = std::any_of(facts.volumes.begin(), facts.volumes.end(),
                                        [&](const Volume& v) { return v.name == d.name; });
        // A name with a path in it must stay below the folder of the devices.
        const bool plain = safe_name(d.name) && !d.name.starts_with('/') && !contains(d.name, "..");
        if (plain && !other && !volume && !volume_by_name(d.name).is_volume) out.push_back(d.name);
    }
    return out;
}

DeviceHeads read_heads(const std::vector<std::string>& disks, const std::string& folder,
                       std::chrono::milliseconds time, ProgressMeter* progress) {
    DeviceHeads out;
    if (progress) progress->at("reading the heads of the disks", 0, 0);
    Readers readers;
    std::vector<int> descriptors;
    for (std::size_t i = 0; i < disks.size() && i < disks_at_most; ++i) {
        auto reader =
            DiskReader::start(disks[i], device_system::whole_disk_path(folder, disks[i]), descriptors);
        if (!reader) {
            out.notes.push_back(reader.error().message);
            continue;
        }
        descriptors.push_back((*reader)->descriptor());
        readers.push_back(std::move(*reader));
    }
    if (disks.size() > disks_at_most)
        out.notes.push_back(fmt::format("device heads: read of {} of {} disks", disks_at_most, disks.size()));
    await(readers, Clock::now() + time, progress, out.notes);
    if (progress && progress->cancelled()) return out;

    // What lies in a set is found only through all its members.
    std::vector<ByteSource*> sources;
    const auto end_of_looking = Clock::now() + time;
    for (const auto& reader : readers) {
        reader->end_reads_at(end_of_looking, progress);
        sources.push_back(reader.get());
    }
    (void)discover(sources);
    if (progress && progress->cancelled()) return out;
    const auto until = Clock::now() + time_to_hand_over;
    for (const auto& reader : readers) {
        auto all = reader->everything(until);
        if (!all) {
            out.notes.push_back(all.error().message);
            continue;
        }
        for (const std::string& failure : all->failures) out.notes.push_back(escaped(failure));
        if (all->exhausted)
            out.notes.push_back(
                fmt::format("{}: more than {} in {} reads was wanted; what lies elsewhere was not read",
                            reader->name(), human_size(FileSource::most_bytes), FileSource::most_reads));
        auto source = RegionSource::make(std::move(all->regions));
        if (source)
            out.devices.push_back(std::move(*source));
        else
            out.notes.push_back(source.error().message);
    }
    return out;
}

}  // namespace diskwright
