// SPDX-License-Identifier: BSD-2-Clause
// The beginning of a gzip file that is cut off. Decompressors give whole buffers or nothing, which of a small
// capture is nothing; this one gives all that the bytes that came over stand for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace diskwright {

struct Inflated {
    std::string bytes;
    bool damaged = false;  // not merely cut: from some byte before the end on, it is no compressed data
};
/// The first member of a gzip file (RFC 1951, RFC 1952), at most `most` bytes of it. Checksums are not looked
/// at: they stand behind the end that is missing.
Inflated inflate_prefix(std::string_view gzip, std::size_t most);

}  // namespace diskwright
