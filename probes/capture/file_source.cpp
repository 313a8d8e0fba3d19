// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/file_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>

#include "probes/support/posix.hpp"

namespace diskwright {
namespace {

static_assert(sizeof(off_t) == 8, "disks are larger than 2 GiB");

Error not_there(const std::string& name, std::uint64_t offset, std::size_t length, std::string_view why) {
    return {ErrorKind::no_input, fmt::format("{}@{:#x}: {} bytes: {}", name, offset, length, why)};
}

}  // namespace

FileSource::FileSource(std::string name, int descriptor, std::uint64_t size, bool is_device,
                       std::uint64_t sector_bytes)
    : name_(std::move(name)),
      descriptor_(descriptor),
      size_(size),
      sector_bytes_(sector_bytes),
      is_device_(is_device) {
    blocks_.reserve(most_reads);
}

FileSource::~FileSource() {
    if (descriptor_ >= 0) close(descriptor_);
}

Error FileSource::more_than_is_read(std::uint64_t offset, std::size_t length) {
    exhausted_ = true;
    return not_there(name_, offset, length, "more than is read of one disk to find out what is on it");
}

Result<bool> FileSource::transfer(std::uint64_t page, std::uint64_t end) {
    const std::uint64_t offset = page * page_size;
    const auto length = static_cast<std::size_t>(std::min((end - page) * page_size, size_ - offset));
    if (reads_ >= most_reads || bytes_read_ + length > most_bytes) return more_than_is_read(offset, length);
    // Before it is known what becomes of it: a device that fails takes its time over every try.
    ++reads_;
    bytes_read_ += length;
    // Not value-initialised: they are about to be read, or not looked at.
    const auto count_of_pages = static_cast<std::size_t>(end - page);
    std::unique_ptr<Page[]> block(new Page[count_of_pages]);
    auto* const bytes = reinterpret_cast<std::byte*>(block.get());
    std::size_t done = 0;
    while (done < length) {
        const ssize_t count =
            pread(descriptor_, bytes + done, length - done, static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            const Error error{ErrorKind::io_error,
                              fmt::format("{}@{:#x}: {}", name_, offset + done, errno_text())};
            if (end - page == 1) failures_.emplace(page, error);
            return error;
        }
        if (count == 0) return not_there(name_, offset + done, length - done, "past the end");
        done += static_cast<std::size_t>(count);
    }
    std::fill(bytes + length, bytes + count_of_pages * page_size, std::byte{0});
    blocks_.push_back({page, end, std::move(block)});
    return true;
}

// Whole pages, neighbours in one request: raw devices take nothing smaller than a sector. After a request
// that failed the pages are tried one by one, and the one that fails is not tried again.
Result<bool> FileSource::fetch(std::uint64_t first, std::uint64_t last) {
    bool singly = false;
    for (std::uint64_t page = first; page <= last;) {
        if (page_at(page)) {
            ++page;
            continue;
        }
        if (const auto failed = failures_.find(page); failed != failures_.end()) return failed->second;
        std::uint64_t end = page + 1;
        while (!singly && end <= last && !page_at(end)) ++end;
        const auto read = transfer(page, end);
        if (!read && (read.error().kind != ErrorKind::io_error || end - page == 1)) return read.error();
        singly = singly || !read;
    }
    return true;
}

// As it was read last; null when it was not.
const FileSource::Page* FileSource::page_at(std::uint64_t page) const {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
        if (page >= block->first && page < block->end) return &block->bytes[page - block->first];
    return nullptr;
}

// Where these pages stand one behind the other in memory, if they were read so and none of them again.
const std::byte* FileSource::in_one_block(std::uint64_t first, std::uint64_t last) const {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        if (first >= block->first && last < block->end) return block->bytes[first - block->first].data();
        if (last >= block->first && first < block->end) return nullptr;
    }
    return nullptr;
}

Result<std::span<const std::byte>> FileSource::read(std::uint64_t offset, std::size_t length) {
    if (offset > size_ || length > size_ - offset) return not_there(name_, offset, length, "past the end");
    if (length == 0) return std::span<const std::byte>{};
    const std::uint64_t first = offset / page_size, last = (offset + length - 1) / page_size;
    const auto inside = static_cast<std::size_t>(offset % page_size);
    if (const std::byte* all = in_one_block(first, last))
        return std::span<const std::byte>(all + inside, length);
    const auto joined = joined_.find({offset, length});
    if (joined != joined_.end()) return std::span<const std::byte>(*joined->second);
    if (const auto fetched = fetch(first, last); !fetched) return fetched.error();
    if (const std::byte* all = in_one_block(first, last))
        return std::span<const std::byte>(all + inside, length);
    if (bytes_joined_ + length > most_joined) return more_than_is_read(offset, length);
    bytes_joined_ += length;
    std::vector<std::byte> whole;
    whole.reserve(length);
    for (std::uint64_t page = first; page <= last; ++page) {
        const auto content = std::span<const std::byte>(*page_at(page)).subspan(page == first ? inside : 0);
        const auto part = content.first(std::min(content.size(), length - whole.size()));
        whole.insert(whole.end(), part.begin(), part.end());
    }
    const auto& kept = buffers_.emplace_back(std::move(whole));
    joined_.emplace(std::pair(offset, length), &kept);
    return std::span<const std::byte>(kept);
}

DeviceRegions FileSource::regions() const {
    DeviceRegions out{name_, size_, sector_bytes_, {}, {}};
    std::map<std::uint64_t, const Page*> pages;
    for (const Block& block : blocks_)
        for (std::uint64_t page = block.first; page < block.end; ++page)
            pages[page] = &block.bytes[page - block.first];
    for (const auto& [page, content] : pages) {
        const std::uint64_t offset = page * page_size;
        out.add(offset, std::span<const std::byte>(*content).first(
                            static_cast<std::size_t>(std::min<std::uint64_t>(page_size, size_ - offset))));
    }
    return out;
}

Result<std::span<const std::byte>> FileSource::read_anew(std::uint64_t offset, std::size_t length) {
    if (offset > size_ || length > size_ - offset) return not_there(name_, offset, length, "past the end");
    if (length == 0) return std::span<const std::byte>{};
    const auto fresh = transfer(offset / page_size, (offset + length - 1) / page_size + 1);
    if (!fresh) return fresh.error();
    joined_.clear();
    return read(offset, length);
}

// Behind the end raw devices of NetBSD and OpenBSD read nothing or say EINVAL (NetBSD/src:
// sys/kern/subr_disk.c, bounds_check_with_mediasize; openbsd/src:sys/kern/subr_disk.c,
// bounds_check_with_label). A bad sector is another error, and not the end.
std::optional<std::uint64_t> end_by_reading(const std::function<ssize_t(std::uint64_t)>& read_at) {
    constexpr std::uint64_t block = 4096, farthest = std::uint64_t{1} << 62;
    bool failed = false;
    const auto bytes_at = [&](std::uint64_t at) {
        ssize_t count = -1;
        do count = read_at(at);
        while (count < 0 && errno == EINTR);
        failed = failed || (count < 0 && errno != EINVAL);
        return count > 0 ? static_cast<std::uint64_t>(count) : 0;
    };
    std::uint64_t inside = 0, outside = block, last = bytes_at(0);
    if (last == 0) return std::nullopt;
    while (const std::uint64_t count = bytes_at(outside)) {
        inside = outside, last = count;
        outside *= 2;
        if (outside > farthest) return std::nullopt;
    }
    while (!failed && outside - inside > block) {
        const std::uint64_t middle = inside + (outside - inside) / 2 / block * block;
        const std::uint64_t count = bytes_at(middle);
        if (count > 0)
            inside = middle, last = count;
        else
            outside = middle;
    }
    if (failed) return std::nullopt;
    return inside + last;
}

std::optional<std::uint64_t> end_of_device(int descriptor) {
    const off_t end = lseek(descriptor, 0, SEEK_END);
    if (end > 0) return static_cast<std::uint64_t>(end);
    std::array<std::byte, 4096> buffer{};
    return end_by_reading([&](std::uint64_t at) {
        return pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(at));
    });
}

std::string source_name(const std::string& path, bool is_device) {
    const std::filesystem::path whole(path);
    return (is_device ? whole.filename() : whole.stem()).string();
}

Result<std::span<const std::byte>> BytesSource::read(std::uint64_t offset, std::size_t length) {
    if (offset > bytes_.size() || length > bytes_.size() - offset)
        return not_there(name_, offset, length, "past the end");
    return std::as_bytes(std::span(bytes_)).subspan(static_cast<std::size_t>(offset), length);
}

}  // namespace diskwright
