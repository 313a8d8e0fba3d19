// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/linux_node.hpp"

#include <algorithm>
#include <iterator>

namespace diskwright {
namespace {

bool begins_after(std::uint64_t logical, const LinuxNode::Extent& extent) {
    return logical < extent.logical;
}

}  // namespace

const LinuxNode::Extent* LinuxNode::extent_of(std::uint64_t logical) const {
    const auto after = std::upper_bound(extents.begin(), extents.end(), logical, begins_after);
    if (after == extents.begin()) return nullptr;
    const Extent& extent = *std::prev(after);
    return logical < extent.logical + extent.blocks ? &extent : nullptr;
}

unsigned LinuxNode::add_extent(const Extent& extent) {
    const auto after = std::upper_bound(extents.begin(), extents.end(), extent.logical, begins_after);
    if (after != extents.begin()) {
        Extent& before = *std::prev(after);
        if (before.logical + before.blocks == extent.logical &&
            before.place + before.blocks == extent.place) {
            before.blocks += extent.blocks;
            return 0;
        }
    }
    extents.insert(after, extent);
    return 1;
}

}  // namespace diskwright
