// SPDX-License-Identifier: BSD-2-Clause
// Checksums of an image made right again after a test has damaged what they cover: without that hardly any
// damage comes as far as the fields.
#pragma once

#include <cstddef>
#include <vector>

namespace diskwright::test {

/// Of every GPT, disk label of either kind, FFS and ext superblock, LUKS2 header, md superblock, and of the
/// metadata of softraid, GEOM, DDF, Intel and ZFS that stand where readers look. What is only part of the
/// image is left alone, and so is what is right already.
void reseal(std::vector<std::byte>& image);

}  // namespace diskwright::test
