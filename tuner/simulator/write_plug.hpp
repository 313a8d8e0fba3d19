// SPDX-License-Identifier: BSD-2-Clause
// Writes that the block layer holds back a moment to merge what lies together
// (torvalds/linux:block/blk-core.c, blk_start_plug).
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

class WritePlug {
 public:
    explicit WritePlug(VirtualIo& io) : io_(io) {}
    WritePlug(const WritePlug&) = delete;
    WritePlug& operator=(const WritePlug&) = delete;

    /// for_whom gets the number of the request in finish(), and must still be there then.
    void add(std::uint64_t byte, std::uint64_t bytes, IoPurpose purpose,
             std::vector<std::uint64_t>* for_whom = nullptr);
    /// Submits; the requests' numbers.
    std::vector<std::uint64_t> finish(bool waited = false);

    /// Data: BLK_DEF_MAX_SECTORS of include/linux/blkdev.h before 6.4; metadata, whose blocks lie anywhere in
    /// memory: a segment each, as many as QEMU's virtio-blk takes, on which the requests were counted.
    static constexpr std::uint64_t most_data_bytes = 2560 * 512, most_metadata_blocks = 254;

 private:
    struct Piece {
        std::uint64_t byte = 0, bytes = 0, most = 0;
        IoPurpose purpose = IoPurpose::data;
        std::vector<std::vector<std::uint64_t>*> for_whom;
    };
    VirtualIo& io_;
    std::vector<Piece> pieces_;
};

}  // namespace diskwright
