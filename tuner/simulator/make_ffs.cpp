// SPDX-License-Identifier: BSD-2-Clause
// FfsModel as a configuration asks for it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tuner/simulator/ffs_geometry.hpp"
#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/ffs_systems.hpp"
#include "tuner/simulator/file_system_model.hpp"

namespace diskwright {
namespace {

using Journal = MachineConfiguration::Journal;

// wapbl_buffered_write came with NetBSD 7, the queue of buffers (wl_bufs a TAILQ) with 8, requests for the
// log several at a time (wl_iobufs) with 9.
constexpr unsigned gathers_from = 7, in_order_from = 8, overlaps_from = 9;
constexpr std::uint32_t log_requests = 4;

Result<FfsRelease> parsed(const std::string& text) {
    FfsRelease release;
    const char* const last = text.data() + text.size();
    auto [end, error] = std::from_chars(text.data(), last, release.major);
    if (error == std::errc() && end != last && *end == '.') {
        const auto [after, wrong] = std::from_chars(end + 1, last, release.minor);
        if (wrong == std::errc()) return release;
        error = std::errc();
        end = end + 1 == last || *(end + 1) < '0' || *(end + 1) > '9' ? last : end;
    }
    if (error != std::errc() || end != last)
        return Error{ErrorKind::bad_data, fmt::format("os.release: '{}' is no release", text)};
    return release;
}

// The latest release that has what is asked for.
const char* assumed_release(Os os, Journal journal) {
    if (os == Os::freebsd) return "14.0";
    if (os == Os::openbsd) return journal == Journal::softdep ? "7.3" : "7.6";
    return journal == Journal::softdep ? "5.2" : "10.0";
}

Error contradicts(std::string why) {
    return Error{ErrorKind::bad_data, "filesystem.journal: " + std::move(why)};
}

std::optional<Error> netbsd_contradiction(const FfsRelease& release, Journal journal) {
    if (journal == Journal::wapbl && release.major < 5)
        return contradicts(fmt::format("NetBSD {} has no log: it came with 5.0", release.major));
    if (journal == Journal::softdep && release.major >= 6)
        return contradicts(fmt::format("NetBSD {} has no soft updates: they went with 6.0", release.major));
    if (journal == Journal::suj) return contradicts("suj is FreeBSD's");
    return std::nullopt;
}

std::optional<Error> contradiction(Os os, const FfsRelease& release, Journal journal) {
    if (journal == Journal::ordered || journal == Journal::writeback || journal == Journal::journal_data)
        return contradicts("not one that FFS has");
    if (os == Os::netbsd) return netbsd_contradiction(release, journal);
    if (journal == Journal::wapbl) return contradicts("wapbl is NetBSD's");
    if (journal == Journal::suj && os != Os::freebsd) return contradicts("suj is FreeBSD's");
    if (journal == Journal::suj && release.major < 9)
        return contradicts(
            fmt::format("FreeBSD {} has no journal of soft updates: it came with 9.0", release.major));
    return std::nullopt;
}

void set_log(const FileSystemPlace& place, const FfsRelease& release, FfsRules& rules) {
    rules.log.gathers = release.major >= gathers_from;
    rules.log.latest_first = release.major < in_order_from;
    rules.log.in_flight = release.major >= overlaps_from ? log_requests : 1;
    rules.log.buffer_bytes = rules.cache_bytes / 2;
    const auto flushes = place.machine.sysctls.find("vfs.wapbl.flush_disk_cache");
    rules.log.flushes_cache = flushes == place.machine.sysctls.end() || flushes->second != "0";
}

void set_metadata(Journal journal, FfsRules& rules) {
    using Metadata = FfsRules::Metadata;
    switch (journal) {
        case Journal::none:
            break;
        case Journal::sync:
            rules.synchronous_data = true;
            break;
        case Journal::async:
            rules.metadata = Metadata::asynchronous;
            break;
        case Journal::wapbl:
            rules.metadata = Metadata::wapbl;
            break;
        case Journal::softdep:
        case Journal::suj:
            rules.metadata = Metadata::soft_updates;
            break;
        case Journal::ordered:
        case Journal::writeback:
        case Journal::journal_data:
            break;  // contradiction() has refused them
    }
}

struct Asked {
    Os os = Os::netbsd;
    FfsRelease release;
    Journal journal = Journal::none;
};

Result<Asked> asked_for(const FileSystemPlace& place) {
    Asked asked;
    asked.os = place.machine.os.value_or(Os::netbsd);
    if (asked.os != Os::netbsd && asked.os != Os::freebsd && asked.os != Os::openbsd)
        return Error{ErrorKind::unavailable, "FFS is modelled as NetBSD's, FreeBSD's and OpenBSD's"};
    asked.journal = place.machine.filesystem->journal.value_or(Journal::none);
    if (!place.machine.filesystem->journal && asked.os != Os::netbsd)
        place.assumed->push_back("filesystem.journal none");
    const std::string release = place.machine.release.value_or(assumed_release(asked.os, asked.journal));
    if (!place.machine.release) place.assumed->push_back("os.release " + release);
    const auto read = parsed(release);
    if (!read) return read.error();
    asked.release = *read;
    if (const auto wrong = contradiction(asked.os, asked.release, asked.journal)) return *wrong;
    if (asked.os == Os::openbsd && asked.journal == Journal::softdep && asked.release.at_least(7, 4)) {
        place.assumed->push_back(
            fmt::format("filesystem.journal none (OpenBSD {} ignores softdep)", release));
        asked.journal = Journal::none;
    }
    return asked;
}

}  // namespace

Result<std::unique_ptr<FileSystemModel>> make_ffs(const FileSystemPlace& place, VirtualIo& io) {
    const auto asked = asked_for(place);
    if (!asked) return asked.error();
    const auto& wanted = *place.machine.filesystem;
    FfsOptions options;
    options.size_bytes = place.size_bytes;
    options.bsize = wanted.bsize;
    options.fsize = wanted.fsize;
    options.ufs2 = wanted.type == "ffs2";
    default_sizes(asked->os, asked->release, options);
    const auto geometry = netbsd_ffs_geometry(options);
    if (!geometry) return Error{geometry.error().kind, "filesystem: " + geometry.error().message};
    if (geometry->fsize % place.sector_bytes != 0 || place.start_bytes % place.sector_bytes != 0)
        return Error{ErrorKind::bad_data,
                     fmt::format("filesystem.fsize: {} is no multiple of the sector of {} bytes",
                                 geometry->fsize, place.sector_bytes)};
    FfsRules rules = ffs_rules(asked->os, asked->release, *geometry, place.ram_bytes);
    rules.seed = place.machine.seed;
    set_metadata(asked->journal, rules);
    set_log(place, asked->release, rules);
    if (rules.metadata == FfsRules::Metadata::soft_updates)
        place.assumed->push_back(fmt::format("max_softdeps {}", rules.inode_updates));
    if (asked->journal == Journal::suj) {
        rules.journal_bytes = suj_bytes(asked->release, *geometry);
        place.assumed->push_back(
            fmt::format("the journal of soft updates {} bytes in the middle", rules.journal_bytes));
    }
    return std::unique_ptr<FileSystemModel>(std::make_unique<FfsModel>(io, *geometry, rules));
}

}  // namespace diskwright
