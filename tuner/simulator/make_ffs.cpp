// SPDX-License-Identifier: BSD-2-Clause
// FfsModel as a configuration asks for it.
#include <fmt/format.h>

#include <charconv>

#include "tuner/simulator/ffs_geometry.hpp"
#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/file_system_model.hpp"

namespace diskwright {
namespace {

// vm.bufcache (sys/kern/vfs_bio.c, BUFCACHE): percent of memory; data of files is taken to fill half of it.
constexpr unsigned buffer_percent = 15;
// wapbl_buffered_write came with NetBSD 7, the queue of buffers (wl_bufs a TAILQ) with 8, requests for the
// log several at a time (wl_iobufs) with 9.
constexpr unsigned gathers_from = 7, in_order_from = 8, overlaps_from = 9;
constexpr std::uint32_t log_requests = 4;

Error not_modelled(std::string what) {
    return Error{ErrorKind::unavailable, std::move(what)};
}

Result<unsigned> release(const FileSystemPlace& place) {
    if (!place.machine.release) place.assumed->push_back("os.release 10.0");
    const std::string text = place.machine.release.value_or("10.0");
    unsigned major = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), major);
    if (error != std::errc() || (end != text.data() + text.size() && *end != '.'))
        return Error{ErrorKind::bad_data, fmt::format("os.release: '{}' is no release", text)};
    return major;
}

Result<FfsRules> ffs_rules(const FileSystemPlace& place) {
    using Journal = MachineConfiguration::Journal;
    const MachineConfiguration& machine = place.machine;
    FfsRules rules;
    rules.seed = machine.seed;
    rules.cache_bytes = place.ram_bytes / 100 * buffer_percent;
    rules.dirty_data_bytes = rules.page_cache_bytes = place.ram_bytes / 2;
    const auto major = release(place);
    if (!major) return major.error();
    switch (machine.filesystem->journal.value_or(Journal::none)) {
        case Journal::none:
            break;
        case Journal::async:
            rules.metadata = FfsRules::Metadata::asynchronous;
            break;
        case Journal::wapbl:
            if (*major < 5) return not_modelled(fmt::format("NetBSD {} has no journal", *major));
            rules.metadata = FfsRules::Metadata::wapbl;
            break;
        case Journal::softdep:
            return not_modelled(
                "soft updates are not modelled: filesystem.journal none, async and wapbl are");
        case Journal::suj:
            return not_modelled(
                "journalled soft updates are not modelled: filesystem.journal none, async and wapbl are");
        case Journal::sync:
            return not_modelled(
                "a synchronous mount is not modelled: filesystem.journal none, async and wapbl are");
    }
    rules.log.gathers = *major >= gathers_from;
    rules.log.latest_first = *major < in_order_from;
    rules.log.in_flight = *major >= overlaps_from ? log_requests : 1;
    rules.log.buffer_bytes = rules.cache_bytes / 2;
    const auto flushes = machine.sysctls.find("vfs.wapbl.flush_disk_cache");
    rules.log.flushes_cache = flushes == machine.sysctls.end() || flushes->second != "0";
    return rules;
}

}  // namespace

Result<std::unique_ptr<FileSystemModel>> make_ffs(const FileSystemPlace& place, VirtualIo& io) {
    if (place.machine.os.value_or(Os::netbsd) != Os::netbsd)
        return not_modelled("FFS is modelled as NetBSD's only");
    const auto& wanted = *place.machine.filesystem;
    FfsOptions options;
    options.size_bytes = place.size_bytes;
    options.bsize = wanted.bsize;
    options.fsize = wanted.fsize;
    options.ufs2 = wanted.type == "ffs2";
    const auto geometry = netbsd_ffs_geometry(options);
    if (!geometry) return Error{geometry.error().kind, "filesystem: " + geometry.error().message};
    if (geometry->fsize % place.sector_bytes != 0 || place.start_bytes % place.sector_bytes != 0)
        return Error{ErrorKind::bad_data,
                     fmt::format("filesystem.fsize: {} is no multiple of the sector of {} bytes",
                                 geometry->fsize, place.sector_bytes)};
    const auto rules = ffs_rules(place);
    if (!rules) return rules.error();
    return std::unique_ptr<FileSystemModel>(std::make_unique<FfsModel>(io, *geometry, *rules));
}

}  // namespace diskwright
