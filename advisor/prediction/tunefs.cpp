// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/prediction/tunefs.hpp"

#include <algorithm>

#include "advisor/prediction/newfs.hpp"

namespace diskwright {
namespace {

std::optional<std::string> number_text(const std::optional<std::int64_t>& number) {
    return number ? std::optional(std::to_string(*number)) : std::nullopt;
}
std::string_view name_of(bool space) {
    return space ? "space" : "time";
}

}  // namespace

TunedFilesystem tuned(const ToolRelease& release, const PredictedSuperblock& superblock) {
    TunedFilesystem fs;
    fs.ufs2 = superblock.ufs2;
    fs.bsize = superblock.bsize;
    fs.fsize = superblock.fsize;
    fs.frags = static_cast<std::int64_t>(superblock.frags);
    fs.group_frags = static_cast<std::int64_t>(superblock.group_frags);
    fs.minfree = superblock.minfree_percent;
    fs.space = superblock.space;
    fs.maxbpg = superblock.maxbpg;
    fs.avgfilesize = superblock.avgfilesize;
    fs.avgfpdir = superblock.avgfpdir;
    if (superblock.metaspace) fs.metaspace = static_cast<std::int64_t>(*superblock.metaspace);
    if (superblock.sector_bytes) fs.sector_bytes = *superblock.sector_bytes;
    fs.free_blocks = static_cast<std::int64_t>(superblock.free_blocks);
    fs.clean = true;
    fs.label = superblock.label;
    fs.known_flags = ~std::uint32_t{0};
    const auto flag = [&](bool on, std::uint32_t bit) { fs.flags |= on ? bit : 0; };
    flag(superblock.softupdates, ffs_flag::softupdates);
    flag(superblock.su_journal, ffs_flag::su_journal);
    flag(superblock.gjournal, ffs_flag::gjournal);
    flag(superblock.multilabel, ffs_flag::multilabel);
    flag(superblock.trim, ffs_flag::trim);
    flag(release.os == Os::freebsd && superblock.ufs2 && release.at_least(12), ffs_flag::check_hashes);
    fs.log_location = fs.log_flags = fs.log_count = fs.log_block_bytes = 0;
    return fs;
}

void TunedFields::record(std::string_view field, std::optional<std::string> before, std::string after,
                         bool number) {
    const auto same = std::find_if(changes_.begin(), changes_.end(),
                                   [&](const FieldChange& change) { return change.field == field; });
    if (same == changes_.end())
        changes_.push_back({std::string(field), std::move(before), std::move(after), number});
    else
        same->after = std::move(after);
}

void TunedFields::change(Member member, std::string_view field, std::int64_t wanted, std::string_view what,
                         std::string_view suffix) {
    const auto before = fs_.*member;
    if (before == wanted) return tell("{} {} {}{}", what, unchanged_, wanted, suffix);
    tell("{} changes from {}{} to {}{}", what, number_text(before).value_or("?"), suffix, wanted, suffix);
    set(member, field, wanted);
}

void TunedFields::set(Member member, std::string_view field, std::int64_t wanted) {
    if (fs_.*member == wanted) return;
    record(field, number_text(fs_.*member), std::to_string(wanted));
    fs_.*member = wanted;
}

void TunedFields::set_sector(std::int64_t bytes) {
    const auto shift = [&](std::int64_t sector) {
        return shift_of(static_cast<std::uint64_t>(*fs_.fsize / sector));
    };
    std::optional<std::string> before;
    if (fs_.sector_bytes) before = std::to_string(shift(*fs_.sector_bytes));
    record("fsbtodb", before, std::to_string(shift(bytes)));
    fs_.sector_bytes = bytes;
}

void TunedFields::warn_of_minfree(std::int64_t minfree) {
    if (!fs_.space) return;
    if (minfree >= usual_minfree_ && *fs_.space)
        tell("should optimize for time with minfree >= {}%", usual_minfree_);
    if (minfree < usual_minfree_ && !*fs_.space)
        tell("should optimize for space with minfree < {}%", usual_minfree_);
}

void TunedFields::change_optimization(bool space) {
    constexpr std::string_view what = "optimization preference";
    if (fs_.space == space) return tell("{} remains unchanged as {}", what, name_of(space));
    const std::string before = fs_.space ? std::string(name_of(*fs_.space)) : "?";
    tell("{} changes from {} to {}", what, before, name_of(space));
    record("optim", fs_.space ? std::optional(std::string(*fs_.space ? "1" : "0")) : std::nullopt,
           space ? "1" : "0");
    fs_.space = space;
    if (fs_.minfree) warn_of_minfree(*fs_.minfree);
}

std::optional<bool> TunedFields::flag(std::uint32_t bit) const {
    if ((fs_.known_flags & bit) != bit) return std::nullopt;
    return (fs_.flags & bit) == bit;
}

void TunedFields::set_flags(std::uint32_t on, std::uint32_t off) {
    struct Name {
        std::uint32_t bit;
        std::string_view field;
    };
    constexpr Name names[] = {{ffs_flag::softupdates, "softupdates"},
                              {ffs_flag::su_journal, "su_journal"},
                              {ffs_flag::acls, "acls"},
                              {ffs_flag::multilabel, "multilabel"},
                              {ffs_flag::gjournal, "gjournal"},
                              {ffs_flag::nfs4_acls, "nfs4_acls"},
                              {ffs_flag::quota, "quota"},
                              {ffs_flag::trim, "trim"}};
    const std::uint32_t before = fs_.flags, after = (before | on) & ~off;
    if (fs_.known_flags == ~std::uint32_t{0}) {
        if (after != before) record("flags", std::to_string(before), std::to_string(after));
    } else {
        for (const Name& name : names) {
            if (((on | off) & name.bit) == 0) continue;
            const auto set = flag(name.bit);
            const bool wanted = (on & name.bit) != 0;
            if (set != wanted)
                record(name.field, set ? std::optional(std::string(*set ? "1" : "0")) : std::nullopt,
                       wanted ? "1" : "0");
        }
    }
    fs_.flags = after;
    fs_.known_flags |= on | off;
}

void TunedFields::set_label(const std::string& label) {
    if (fs_.label != label) record("volname", fs_.label, label, false);
    fs_.label = label;
}

Prediction TunedFields::done(bool changed) {
    std::erase_if(changes_, [](const FieldChange& change) { return change.before == change.after; });
    Prediction out;
    out.accepted = true;
    out.warnings = std::move(messages_);
    out.changes = changed ? std::move(changes_) : std::vector<FieldChange>{};
    return out;
}

}  // namespace diskwright
