// SPDX-License-Identifier: BSD-2-Clause
// The bytes of an image file or a block device, read as they are asked for. Opened for reading only.
#pragma once

#include <sys/types.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "probes/capture/region_source.hpp"
#include "probes/ondisk/byte_source.hpp"

namespace diskwright {

class FileSource final : public ByteSource {
 public:
    /// What one discovery may read of one disk, whatever its size; and what it may hold of it a second time,
    /// where bytes of several pages are asked for in one piece.
    static constexpr std::uint64_t most_bytes = 1 << 20;
    static constexpr std::uint64_t most_joined = 4 << 20;
    static constexpr std::size_t most_reads = 200;

    /// Takes the descriptor over. size: where the file or device ends. A file may be only the head of what it
    /// is an image of; a device is whole.
    FileSource(std::string name, int descriptor, std::uint64_t size, bool is_device,
               std::uint64_t sector_bytes = 512);
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;
    ~FileSource() override;

    const std::string& name() const override { return name_; }
    std::optional<std::uint64_t> size_bytes() const override {
        return is_device_ ? std::optional(size_) : std::nullopt;
    }
    std::uint64_t readable_bytes() const override { return size_; }
    std::uint64_t sector_bytes() const override { return sector_bytes_; }
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override;
    Result<std::span<const std::byte>> read_anew(std::uint64_t offset, std::size_t length) override;

    /// Gives the descriptor up: nothing more is read.
    int release() { return std::exchange(descriptor_, -1); }

    std::uint64_t bytes_read() const { return bytes_read_; }
    std::size_t reads() const { return reads_; }
    /// More was asked for than one discovery may read.
    bool exhausted() const { return exhausted_; }
    bool anything_read() const { return !blocks_.empty(); }
    /// What the device failed at, by page; each with its place.
    const std::map<std::uint64_t, Error>& failures() const { return failures_; }
    /// Every page that was read.
    DeviceRegions regions() const;

 private:
    static constexpr std::size_t page_size = DeviceRegions::page_bytes;
    // Direct I/O wants its memory so.
    struct alignas(page_size) Page : std::array<std::byte, page_size> {};

    Result<bool> fetch(std::uint64_t first, std::uint64_t last);
    const Page* page_at(std::uint64_t page) const;
    const std::byte* in_one_block(std::uint64_t first, std::uint64_t last) const;
    Result<bool> transfer(std::uint64_t page, std::uint64_t end);
    Error more_than_is_read(std::uint64_t offset, std::size_t length);

    std::string name_;
    int descriptor_;
    std::uint64_t size_, sector_bytes_;
    bool is_device_, exhausted_ = false;
    std::uint64_t bytes_read_ = 0, bytes_joined_ = 0;
    std::size_t reads_ = 0;
    std::map<std::uint64_t, Error> failures_;
    // Pages as they were read in one request, of which the newer replaces the older.
    struct Block {
        std::uint64_t first = 0, end = 0;  // pages
        std::unique_ptr<Page[]> bytes;
    };
    std::vector<Block> blocks_;
    std::map<std::pair<std::uint64_t, std::size_t>, const std::vector<std::byte>*> joined_;
    std::deque<std::vector<std::byte>> buffers_;
};

/// Where a disk ends; nothing when it has no end. Some systems tell by lseek(2); of others it is found by
/// reading here and there.
std::optional<std::uint64_t> end_of_device(int descriptor);
/// The second way alone: at most 130 reads, whatever the size. `read_at` reads 4 KiB from that byte on, as
/// pread(2) does, errno included. Nothing when a read fails otherwise than reads behind the end do.
std::optional<std::uint64_t> end_by_reading(const std::function<ssize_t(std::uint64_t)>& read_at);

/// sd0.img -> sd0; a device by the whole last part: /dev/ada0p2.eli -> ada0p2.eli.
std::string source_name(const std::string& path, bool is_device);

/// Bytes that are in memory already: the member of an archive.
class BytesSource final : public ByteSource {
 public:
    BytesSource(std::string name, std::string bytes) : name_(std::move(name)), bytes_(std::move(bytes)) {}
    const std::string& name() const override { return name_; }
    std::optional<std::uint64_t> size_bytes() const override { return std::nullopt; }
    std::uint64_t readable_bytes() const override { return bytes_.size(); }
    std::uint64_t sector_bytes() const override { return 512; }
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override;

 private:
    std::string name_, bytes_;
};

}  // namespace diskwright
