// SPDX-License-Identifier: BSD-2-Clause
// One disk, read by a process of its own: a disk that answers no longer holds that process, and not this one.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "probes/capture/region_source.hpp"
#include "probes/live/file_descriptor.hpp"
#include "probes/ondisk/byte_source.hpp"
#include "probes/support/progress.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

class DiskReader final : public ByteSource {
 public:
    using Time = std::chrono::steady_clock::time_point;

    /// Starts the process. It opens the path for reading only, finds out what is on the disk by itself, so
    /// that all disks are looked at at once, and then answers. `others` are descriptors of other readers'.
    static Result<std::unique_ptr<DiskReader>> start(std::string name, const std::string& path,
                                                     const std::vector<int>& others);
    DiskReader(const DiskReader&) = delete;
    DiskReader& operator=(const DiskReader&) = delete;
    /// Ends the process, and does not wait for one that cannot be ended.
    ~DiskReader() override;

    pid_t process() const { return process_; }
    /// To be polled for input until the process has something to say.
    int descriptor() const { return socket_.get(); }
    /// Takes what the process says first: the size of the disk, or why it cannot be read (its text names the
    /// path). unavailable when it says nothing until then; then it never will.
    Result<bool> begin(Time until);

    const std::string& name() const override { return name_; }
    std::optional<std::uint64_t> size_bytes() const override { return size_bytes_; }
    std::uint64_t readable_bytes() const override { return size_bytes_; }
    std::uint64_t sector_bytes() const override { return sector_bytes_; }
    /// Reads from then on, or once cancelled, fail as unavailable without asking the process.
    void end_reads_at(Time end, const ProgressMeter* progress) { end_ = end, progress_ = progress; }
    /// Within the bounds of FileSource, and while the process answers within a second.
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override;

    /// Everything that was read of the disk, by the process itself too, whether its bounds were met, and what
    /// the disk failed at ("sd0@0x0: Input/output error", a bounded number of them); the process ends.
    /// unavailable as above.
    struct Everything {
        DeviceRegions regions;
        bool exhausted = false;
        std::vector<std::string> failures;
    };
    Result<Everything> everything(Time until);

 private:
    DiskReader(std::string name, FileDescriptor socket, pid_t process)
        : name_(std::move(name)), socket_(std::move(socket)), process_(process) {}

    bool receive(void* into, std::size_t length, Time until);
    bool ask(std::uint64_t offset, std::uint64_t length);
    Error no_answer();

    std::string name_;
    FileDescriptor socket_;
    pid_t process_;
    bool silent_ = false;
    Time end_ = Time::max();
    const ProgressMeter* progress_ = nullptr;
    std::uint64_t size_bytes_ = 0, sector_bytes_ = 512;
    std::map<std::pair<std::uint64_t, std::size_t>, std::vector<std::byte>> answers_;
};

}  // namespace diskwright
