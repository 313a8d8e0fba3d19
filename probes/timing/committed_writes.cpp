// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/committed_writes.hpp"

#include <span>

#include "probes/timing/grading.hpp"

namespace diskwright {

Result<WriteTiming> Committer::write(std::uint64_t offset, std::uint64_t length) {
    if (block_.size() < length) block_.resize(length);
    const auto bytes = std::span(block_).first(length);
    filler_.fill(bytes);
    return device_.write_at(offset, bytes);
}

Result<Commit> Committer::commit(std::uint64_t offset, std::uint64_t length) {
    const auto written = write(offset, length);
    if (!written) return written.error();
    Commit out{seconds(written->time), 0, written->after_check};
    if (!no_flush_.empty()) return out;
    const auto flushed = device_.flush();
    if (!flushed && flushed.error().kind == ErrorKind::unavailable)
        no_flush_ = flushed.error().message;
    else if (!flushed)
        return flushed.error();
    else
        out.flush = seconds(*flushed);
    return out;
}

}  // namespace diskwright
