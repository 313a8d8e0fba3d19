// SPDX-License-Identifier: BSD-2-Clause
#include "rules/mount/trim_path.hpp"

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

bool passes_trim(const Volume& v) {
    if (!v.kind) return false;
    switch (*v.kind) {
        case VolumeKind::gmirror:
        case VolumeKind::gstripe:
        case VolumeKind::gconcat:
        case VolumeKind::lvm:
            return true;
        case VolumeKind::md:
            return !is_parity(v);
        default:
            return false;
    }
}

}  // namespace

bool trim_reaches_disks(const StorageGraph& graph, std::string_view device) {
    return !volume_below(graph, device, [](const Volume& v) { return !passes_trim(v); });
}

}  // namespace diskwright
