// SPDX-License-Identifier: BSD-2-Clause
#include "rules/mount/trim_path.hpp"

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
    std::vector<std::string> open{device_name(device)};
    for (std::size_t steps = 0; !open.empty() && steps < 64; ++steps) {
        const std::string name = std::move(open.back());
        open.pop_back();
        const Volume* v = graph.on_volume(name).volume;
        if (!v) continue;
        if (!passes_trim(*v)) return false;
        for (const Component* c : data_components(*v))
            if (!c->name.empty() && c->name != name) open.push_back(c->name);
    }
    return true;
}

}  // namespace diskwright
