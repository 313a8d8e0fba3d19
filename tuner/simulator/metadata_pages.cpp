// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/metadata_pages.hpp"

#include "tuner/simulator/write_plug.hpp"

namespace diskwright {

void MetadataPages::read(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose) {
    if (has(byte)) return;
    io_.perform(DriveOperation::read, purpose, byte, bytes);
    make(byte, bytes, purpose);
}

void MetadataPages::read_together(std::uint64_t byte, std::uint32_t bytes, unsigned count,
                                  IoPurpose purpose) {
    if (has(byte)) return;
    unsigned missing = 1;
    while (missing < count && !has(byte + std::uint64_t{missing} * bytes)) ++missing;
    io_.perform(DriveOperation::read, purpose, byte, missing * bytes);
    for (unsigned i = 0; i < missing; ++i) make(byte + std::uint64_t{i} * bytes, bytes, purpose);
}

void MetadataPages::make(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose) {
    Page& page = pages_[byte];
    page.bytes = bytes;
    page.purpose = purpose;
    page.dropped = false;
}

void MetadataPages::drop(std::uint64_t byte) {
    dirty_.erase(byte);
    const auto page = pages_.find(byte);
    if (page == pages_.end()) return;
    page->second.dropped = page->second.held > 0;
    if (!page->second.dropped) pages_.erase(page);
}

void MetadataPages::dirty(std::uint64_t byte) {
    const auto page = pages_.find(byte);
    if (page == pages_.end() || page->second.held > 0) return;
    if (dirty_.empty()) dirty_since_s_ = io_.now_s();
    dirty_.emplace(byte, page->second.bytes);
}

void MetadataPages::hold(std::uint64_t byte) {
    dirty_.erase(byte);
    const auto page = pages_.find(byte);
    if (page != pages_.end()) ++page->second.held;
}

void MetadataPages::let_go(std::uint64_t byte) {
    const auto page = pages_.find(byte);
    if (page == pages_.end() || page->second.held == 0) return;
    --page->second.held;
    if (!page->second.dropped)
        dirty(byte);
    else if (page->second.held == 0)
        pages_.erase(page);
}

std::vector<std::uint64_t> MetadataPages::write_dirty() {
    WritePlug plug(io_);
    for (const auto& [byte, bytes] : dirty_) {
        const auto page = pages_.find(byte);
        plug.add(byte, bytes, page->second.purpose);
        if (page->second.purpose == IoPurpose::data) pages_.erase(page);
    }
    dirty_.clear();
    return plug.finish();
}

std::vector<std::uint64_t> MetadataPages::write_one(std::uint64_t byte) {
    const auto found = dirty_.find(byte);
    if (found == dirty_.end()) return {};
    WritePlug plug(io_);
    plug.add(byte, found->second, pages_.at(byte).purpose);
    dirty_.erase(found);
    return plug.finish();
}

std::optional<double> MetadataPages::dirty_since() const {
    if (dirty_.empty()) return std::nullopt;
    return dirty_since_s_;
}

void MetadataPages::forget() {
    pages_.clear();
    dirty_.clear();
}

}  // namespace diskwright
