// SPDX-License-Identifier: BSD-2-Clause
#include "rules/ffs/ffs.hpp"

#include <fmt/format.h>

namespace diskwright {

bool is_ffs(const Filesystem& fs) {
    return fs.type && (fs.type->starts_with("ffs") || fs.type->starts_with("ufs"));
}

Flag journalled(const Filesystem& fs) {
    Flag out;
    for (const Flag* flag : {&fs.wapbl, &fs.su_journal, &fs.gjournal}) {
        if (flag->is(true)) return *flag;
        if (flag->known()) out = *flag;
    }
    return out;
}

Number size_of_filesystem(const RuleContext& context, const Filesystem& fs) {
    return fs.size_bytes ? fs.size_bytes : context.graph.size_of(fs.device);
}

const Volume* striped_volume_below(const RuleContext& context, const Filesystem& fs) {
    const Volume* volume = context.graph.on_volume(fs.device).volume;
    return volume && is_striped(*volume) ? volume : nullptr;
}

// sys/ufs/ufs/dinode.h: sizeof(struct ufs1_dinode) and ufs2_dinode.
Number inode_bytes(const Filesystem& fs) {
    if (!fs.type) return {};
    if (fs.type->ends_with('1')) return Number(128, fs.type.from());
    if (fs.type->ends_with('2')) return Number(256, fs.type.from());
    return Number::unknown(fmt::format("FFS version of {}", fs.device));
}

// newfs(8) of each: MINFREE in sys/ufs/ffs/fs.h.
Number default_minfree(const RuleContext& context) {
    const auto& os = context.host.os.name;
    if (!os) return Number::unknown("operating system");
    switch (*os) {
        case Os::netbsd:
        case Os::openbsd:
            return Number(5, os.from());
        case Os::freebsd:
        case Os::dragonfly:
            return Number(8, os.from());
        case Os::linux_:
            break;
    }
    return Number::unknown("no FFS of its own");
}

std::string superblock_command(const RuleContext& context, const Filesystem& fs) {
    if (context.host.is(Os::netbsd)) return fmt::format("dumpfs -s {}", fs.device);
    if (context.host.is(Os::freebsd)) return fmt::format("dumpfs -m {}", fs.device);
    return fmt::format("dumpfs {}", fs.device);
}

}  // namespace diskwright
