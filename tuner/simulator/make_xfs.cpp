// SPDX-License-Identifier: BSD-2-Clause
// XfsModel as a configuration asks for it.
#include <fmt/format.h>

#include "tuner/simulator/linux_place.hpp"
#include "tuner/simulator/xfs_geometry.hpp"
#include "tuner/simulator/xfs_model.hpp"

namespace diskwright {

Result<std::unique_ptr<FileSystemModel>> make_xfs(const FileSystemPlace& place, VirtualIo& io) {
    const auto system = linux_place(place);
    if (!system) return system.error();
    XfsOptions options;
    options.size_bytes = place.size_bytes;
    options.sector_bytes = place.sector_bytes;
    options.block_bytes = place.machine.filesystem->bsize;
    options.unit_bytes = system->stride_bytes;
    options.width_bytes = system->stripe_bytes;
    const auto geometry = xfs_geometry(options);
    if (!geometry) return Error{geometry.error().kind, "filesystem." + geometry.error().message};
    if (geometry->block_bytes % place.sector_bytes != 0 || place.start_bytes % place.sector_bytes != 0)
        return Error{ErrorKind::bad_data,
                     fmt::format("filesystem.bsize: {} is no multiple of the sector of {} bytes",
                                 geometry->block_bytes, place.sector_bytes)};
    return std::unique_ptr<FileSystemModel>(
        std::make_unique<XfsModel>(io, system->host, *geometry, place.machine.seed));
}

}  // namespace diskwright
