// SPDX-License-Identifier: BSD-2-Clause
// Ext4Model as a configuration asks for it: ext2, ext3 and ext4.
#include <fmt/format.h>

#include "tuner/simulator/ext4_geometry.hpp"
#include "tuner/simulator/ext4_model.hpp"
#include "tuner/simulator/linux_place.hpp"

namespace diskwright {

Result<std::unique_ptr<FileSystemModel>> make_ext4(const FileSystemPlace& place, VirtualIo& io) {
    using Journal = MachineConfiguration::Journal;
    const auto& wanted = *place.machine.filesystem;
    const auto system = linux_place(place);
    if (!system) return system.error();
    const Journal journal = wanted.journal.value_or(wanted.type == "ext2" ? Journal::none : Journal::ordered);
    Ext4Options options;
    options.size_bytes = place.size_bytes;
    options.block_bytes = wanted.bsize;
    options.modern = wanted.type == "ext4";
    options.journal = journal != Journal::none;
    options.stride = system->stride_bytes;
    options.stripe_width = system->stripe_bytes;
    const auto geometry = ext4_geometry(options);
    if (!geometry) return Error{geometry.error().kind, "filesystem." + geometry.error().message};
    if (geometry->block_bytes % place.sector_bytes != 0 || place.start_bytes % place.sector_bytes != 0)
        return Error{ErrorKind::bad_data,
                     fmt::format("filesystem.bsize: {} is no multiple of the sector of {} bytes",
                                 geometry->block_bytes, place.sector_bytes)};
    Ext4Rules rules;
    rules.seed = place.machine.seed;
    rules.data = journal == Journal::writeback      ? Ext4Rules::Data::writeback
                 : journal == Journal::journal_data ? Ext4Rules::Data::journal
                                                    : Ext4Rules::Data::ordered;
    // Extents are what delayed allocation needs; data=journal turns it off (ext4_fill_super).
    rules.delayed = options.modern && rules.data != Ext4Rules::Data::journal;
    return std::unique_ptr<FileSystemModel>(std::make_unique<Ext4Model>(io, system->host, *geometry, rules));
}

}  // namespace diskwright
