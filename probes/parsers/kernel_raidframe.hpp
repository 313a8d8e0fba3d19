// SPDX-License-Identifier: BSD-2-Clause
// What RAIDframe says on the console of NetBSD and old OpenBSD.
//   raid0: RAID Level 5
//   raid0: Components: /dev/sd0e /dev/sd1e[**FAILED**] /dev/sd2e
//   raid0: Total Sectors: 262016 (127 MB)
//   raid0: IO Error.  Marking /dev/sd2e as failed.
//   raid0: Reconstruction of disk at col 1 completed
// Source: NetBSD/src sys/dev/raidframe/{rf_netbsdkintf.c,rf_driver.c,rf_reconstruct.c}.
#pragma once

#include "probes/parsers/kernel_text.hpp"

namespace diskwright::kernel {

/// False when the message is none of RAIDframe's.
bool is_raidframe_message(std::string_view message);
/// These are of the past: the present state of components comes from raidctl -s, which overrides them.
void read_raidframe_message(std::string_view message, std::size_t line, Scribe& scribe);

}  // namespace diskwright::kernel
