// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "probes/support/posix.hpp"

namespace diskwright {

/// Owns a descriptor; -1 owns none.
class FileDescriptor {
 public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~FileDescriptor() {
        if (fd_ >= 0) close(fd_);
    }
    int get() const { return fd_; }
    /// To whoever closes it from now on.
    int release() { return std::exchange(fd_, -1); }
    explicit operator bool() const { return fd_ >= 0; }

 private:
    int fd_ = -1;
};

/// Memory that direct I/O takes everywhere: on a page, touched beforehand.
class AlignedBuffer {
 public:
    static constexpr std::size_t alignment = 4096;

    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t size)
        : size_((size + alignment - 1) / alignment * alignment),
          memory_(static_cast<std::byte*>(std::aligned_alloc(alignment, size_))) {
        if (!memory_) throw std::bad_alloc();
        std::memset(memory_.get(), 0, size_);
    }
    std::span<std::byte> bytes() const { return {memory_.get(), size_}; }

 private:
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::size_t size_ = 0;
    std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace diskwright
