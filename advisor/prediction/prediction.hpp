// SPDX-License-Identifier: BSD-2-Clause
// What newfs, tunefs or raidctl of one release would do with a command line, without running it: refused with
// which exit status and message, or accepted, and what it would write.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probes/model/enums.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

struct ToolRelease {
    Os os{};
    unsigned major = 0, minor = 0;
    std::string text;  // "10.0"; empty: the latest one that is known
    bool at_least(unsigned wanted, unsigned minor_wanted = 0) const {
        return major > wanted || (major == wanted && minor >= minor_wanted);
    }
};
/// "netbsd-10", "freebsd-14.1", "openbsd-7.6", or the name alone. usage: another system, or no release.
Result<ToolRelease> tool_release(std::string_view words);
/// "netbsd-10.1".
std::string release_name(const ToolRelease& release);

/// The partition that newfs gets, or each component of a set.
struct Medium {
    std::uint64_t size_bytes = 0;  // 0: not known, which only raidctl copes with
    std::uint32_t sector_bytes = 512;
};

struct PredictedSuperblock {
    bool ufs2 = true;
    std::uint32_t bsize = 0, fsize = 0;  // bytes
    std::uint64_t frags = 0;             // fs_size
    std::uint64_t groups = 0, group_inodes = 0, group_frags = 0;
    std::uint32_t minfree_percent = 0;
    bool space = false;  // optimization
    std::uint32_t maxbpg = 0, maxcontig = 0, avgfilesize = 0, avgfpdir = 0;
    bool softupdates = false, su_journal = false, trim = false;
    bool gjournal = false, multilabel = false;
    std::string label;
    std::optional<std::uint32_t> sector_bytes;  // fs_fsize >> fs_fsbtodb
    std::optional<std::uint64_t> metaspace;     // fragments; FreeBSD
    std::uint64_t free_blocks = 0;              // whole blocks of all groups

    std::uint64_t size_bytes() const { return frags * fsize; }
    std::uint64_t inodes() const { return groups * group_inodes; }
};

struct PredictedArray {
    char level = 0;
    std::uint64_t columns = 0, spares = 0, stripe_unit_sectors = 0;
    std::optional<std::uint64_t> sectors;  // of the set; 0 when it holds nothing, absent when not known
    std::uint32_t sector_bytes = 512;
    std::vector<std::string> components;  // as in the file; "absent" for a missing one
};

/// A field of the superblock that tunefs changes, by its name in struct fs without fs_.
struct FieldChange {
    std::string field;
    std::optional<std::string> before;  // nothing: not known
    std::string after;
    bool number = true;  // else text
    bool operator==(const FieldChange&) const = default;
};

struct Prediction {
    bool accepted = false;
    int exit_status = 0;                // of the tool
    std::string reason;                 // its message, when refused
    std::vector<std::string> warnings;  // what it prints beside, and what else is wrong with the result
    std::optional<PredictedSuperblock> superblock;
    std::optional<PredictedArray> array;
    std::optional<std::vector<FieldChange>> changes;  // tunefs
    bool verified = false;                            // compared with a real tool of this release
    std::string compared_with;                        // "netbsd-8": the release that was
};

/// Why and how a tool gives up.
struct Refusal {
    int exit_status = 1;
    std::string reason;
};
Prediction refused(Refusal refusal, std::vector<std::string> warnings = {});

/// args: without the tool's name. Without an operand the medium is taken for the device. usage: a word that
/// no command line can hold, or a form that is not covered (mount_mfs).
Result<Prediction> predict_newfs(const ToolRelease& release, const Medium& medium,
                                 const std::vector<std::string>& args);

/// Bits of fs_flags. NetBSD and FreeBSD give 0x100 and 0x200 to different things.
namespace ffs_flag {
inline constexpr std::uint32_t unclean = 1, softupdates = 2, needs_fsck = 4, su_journal = 8, acls = 0x10,
                               multilabel = 0x20, gjournal = 0x40, nfs4_acls = 0x100, wapbl = 0x100,
                               check_hashes = 0x200, quota = 0x200, trim = 0x400;
}

/// What tunefs finds. What is not known is absent.
struct TunedFilesystem {
    std::optional<bool> ufs2;
    std::optional<std::int64_t> bsize, fsize, frags, group_frags;
    std::optional<std::int64_t> minfree, maxbpg, avgfilesize, avgfpdir, metaspace, sector_bytes, free_blocks;
    std::optional<bool> space, clean;
    std::uint32_t flags = 0, known_flags = 0;  // the bits of flags that are known
    std::optional<std::string> label;
    std::optional<std::int64_t> log_location, log_flags, log_count, log_block_bytes;  // WAPBL
    bool extended = false;  // FFSv2 with extended attributes
};
/// As newfs of that release leaves it.
TunedFilesystem tuned(const ToolRelease& release, const PredictedSuperblock& superblock);
Result<Prediction> predict_tunefs(const ToolRelease& release, const TunedFilesystem& before,
                                  const std::vector<std::string>& args);

struct RaidRequest {
    std::string conf;                     // text of the configuration file
    std::string conf_name;                // as in messages
    bool checks_labels = false;           // -c instead of -C
    std::optional<std::string> labelled;  // configuration that the components' labels carry
    Medium component;
    std::map<std::string, std::uint64_t> devices;  // sizes in bytes of components of another size
};
/// Which form a command line has. usage: one that is not predicted (only setting up is).
struct RaidCommand {
    std::string conf;  // the file's name
    bool checks_labels = false;
};
Result<RaidCommand> raid_command(const std::vector<std::string>& args);
Result<Prediction> predict_raidctl(const ToolRelease& release, const RaidRequest& request);

}  // namespace diskwright
