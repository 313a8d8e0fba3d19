// SPDX-License-Identifier: BSD-2-Clause
// Where flushes of the disk cache were turned off, and whether a cache forgets when the power goes.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.hpp"

namespace diskwright {

/// A read-write file system whose flushes do not reach the medium.
struct Unflushed {
    enum class By { sysctl, mount_option, drive };
    std::string device, point;
    std::string disk;  // one entry for each disk below
    By by = By::sysctl;
    Provenance from;
};
std::vector<Unflushed> unflushed_filesystems(const RuleContext& context);

/// On, with nothing behind it that survives a power failure. Unknown where the drive's or the controller's
/// word is missing.
Flag volatile_cache(const RuleContext& context, const std::string& disk);
/// The highest rate of commits or flushes that a journal's counters show; unknown without counters.
Real counted_commits(const RuleContext& context);
/// The command that shows a write cache on this system; for skips.
std::string cache_command(const HostFacts& host, const std::string& disk);

}  // namespace diskwright
