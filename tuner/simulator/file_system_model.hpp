// SPDX-License-Identifier: BSD-2-Clause
// A file system as a source of requests: what it reads and writes for each operation on files, when, and what
// it waits for. One model a file system behind this interface; simulation_run plays workloads on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/configuration.hpp"
#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

class FileSystemModel {
 public:
    using Handle = std::uint32_t;
    static constexpr Handle root = 0;

    FileSystemModel() = default;
    FileSystemModel(const FileSystemModel&) = delete;
    FileSystemModel& operator=(const FileSystemModel&) = delete;
    virtual ~FileSystemModel() = default;

    /// Each takes the length of the name and gives the handle of what was made.
    virtual Handle make_directory(Handle parent, std::size_t name) = 0;
    virtual Handle create(Handle parent, std::size_t name) = 0;
    /// One write(2) of so many bytes at the end.
    virtual void append(Handle file, std::uint64_t bytes) = 0;
    /// One write(2) from that byte on, over what is there; what lies beyond the end is appended.
    virtual void write(Handle file, std::uint64_t from, std::uint64_t bytes) = 0;
    /// One read(2) of so many bytes from there, what lies ahead asked for as well.
    virtual void read(Handle file, std::uint64_t from, std::uint64_t bytes) = 0;
    /// To a name that is not there yet.
    virtual void rename(Handle moved, Handle parent, std::size_t name) = 0;
    virtual void unlink(Handle file) = 0;
    virtual void fsync(Handle file) = 0;
    /// sync(2).
    virtual void sync() = 0;
    /// What the system does of its own by now. An operation begins with it; whoever lets time pass calls it.
    virtual void background() = 0;
    /// When the system has something to do next: not after now_s() while it waits for a request that is under
    /// way, infinity when nothing is dirty.
    virtual double next_background_s() const = 0;
    /// sync, wait, and forget what is in memory.
    virtual void remount() = 0;

    virtual std::uint64_t size(Handle file) const = 0;
    /// Bytes of files that are in memory only.
    virtual std::uint64_t dirty_data_bytes() const = 0;
    /// Blocks of files that were handed on, once for each time; not those that a journal takes with it.
    virtual std::uint64_t data_bytes_written() const = 0;
    /// Of a journal; 0 without one.
    virtual std::uint64_t commits() const = 0;
    /// Why it could not go on: nothing more happens then.
    virtual const std::optional<std::string>& failure() const = 0;
};

/// Where a file system is to lie. size_bytes: of the file system; sector_bytes: of the volume; assumed: what
/// a maker takes for granted goes there as "figure value".
struct FileSystemPlace {
    const MachineConfiguration& machine;
    std::uint64_t size_bytes = 0, start_bytes = 0, sector_bytes = 512, ram_bytes = 0;
    std::vector<std::string>* assumed = nullptr;
};

/// bad_data: what the configuration contradicts, with the key's path; unavailable: what is not modelled, and
/// why.
using MakeFileSystem = Result<std::unique_ptr<FileSystemModel>> (*)(const FileSystemPlace& place,
                                                                    VirtualIo& io);

Result<std::unique_ptr<FileSystemModel>> make_ffs(const FileSystemPlace& place, VirtualIo& io);

Result<std::unique_ptr<FileSystemModel>> make_ext4(const FileSystemPlace& place, VirtualIo& io);

Result<std::unique_ptr<FileSystemModel>> make_xfs(const FileSystemPlace& place, VirtualIo& io);

/// The one for filesystem.type; none when that type is not modelled.
MakeFileSystem file_system_maker(std::string_view type);

}  // namespace diskwright
