// SPDX-License-Identifier: BSD-2-Clause
// The pieces of the text report.
#pragma once

#include "advisor/reports/layout.hpp"

namespace diskwright {

void write_audit(Page& page, const HostReport& host);
void write_audit_quiet(Page& page, const HostReport& host);
void write_show(Page& page, const HostReport& host);
/// Nothing when there is neither a partition nor a volume.
void write_stack(Page& page, const HostFacts& facts);

/// "server.txt: NetBSD 9.1, 3 disks, 1 set, 4 file systems".
std::string host_headline(const HostReport& host);
/// "; not looked at: zpool status, dmesg and 3 more", or nothing.
std::string not_looked_at(const HostReport& host);
/// What was not read; at most `limit` places, the rest as a number.
void write_unparsed(Page& page, const HostFacts& facts, std::size_t limit);
void write_conflicts(Page& page, const HostFacts& facts);
/// Of several hosts, the last line.
void write_totals(Page& page, const HostTally& tally);

}  // namespace diskwright
