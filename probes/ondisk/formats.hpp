// SPDX-License-Identifier: BSD-2-Clause
// The readers of formats.cpp, one a file; what each returns is the contract of OnDiskFormat::read.
#pragma once

#include "probes/ondisk/format.hpp"

namespace diskwright {

// Tables.
Result<bool> read_gpt_table(ByteSource& source, Found& found);
/// The table of the backup at the end, where the start of the disk shows neither an MBR nor a primary GPT.
Result<bool> read_gpt_backup(ByteSource& source, Found& found);
Result<bool> read_mbr_table(ByteSource& source, Found& found);
Result<bool> read_disklabel(ByteSource& source, Found& found);
Result<bool> read_disklabel64(ByteSource& source, Found& found);
Result<bool> read_sun_label(ByteSource& source, Found& found);
Result<bool> read_glabel(ByteSource& source, Found& found);
Result<bool> read_gjournal(ByteSource& source, Found& found);

// Sets.
Result<bool> read_raidframe_label(ByteSource& source, Found& found);
Result<bool> read_softraid(ByteSource& source, Found& found);
Result<bool> read_ccd_label(ByteSource& source, Found& found);
Result<bool> read_gmirror(ByteSource& source, Found& found);
Result<bool> read_gstripe(ByteSource& source, Found& found);
Result<bool> read_graid3(ByteSource& source, Found& found);
Result<bool> read_gconcat(ByteSource& source, Found& found);
Result<bool> read_geli(ByteSource& source, Found& found);
Result<bool> read_md(ByteSource& source, Found& found);
Result<bool> read_firmware_raid(ByteSource& source, Found& found);

// What fills a partition.
Result<bool> read_luks(ByteSource& source, Found& found);
Result<bool> read_lvm(ByteSource& source, Found& found);
Result<bool> read_swap(ByteSource& source, Found& found);
Result<bool> read_zfs_label(ByteSource& source, Found& found);
/// Where something else is on the source: whole labels at its end are an event. zpool import finds them.
void note_left_zfs_labels(ByteSource& source, Found& found);
Result<bool> read_other_filesystem(ByteSource& source, Found& found);
Result<bool> read_xfs(ByteSource& source, Found& found);
Result<bool> read_ext(ByteSource& source, Found& found);
Result<bool> read_ffs(ByteSource& source, Found& found);

}  // namespace diskwright
