// SPDX-License-Identifier: BSD-2-Clause
// Linux md: superblocks of formats 0.90 and 1.0 to 1.2, each at a place of its own. Of several the one of the
// set made last counts, as for mdadm (md-raid-utilities/mdadm:super-*.c, guess_super); the others were left
// by sets before it.
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/md_superblock.hpp"

namespace diskwright {
namespace {

using FoundSuperblock = Result<std::optional<MdSuperblock>>;

// super_1_load, torvalds/linux:drivers/md/md.c: 1.0 on a multiple of 4 KiB at least 8 KiB before the end.
std::optional<std::uint64_t> place_of_1_0(const ByteSource& source) {
    const auto size = source.size_bytes();
    if (!size || *size / 512 < 24) return std::nullopt;
    return (*size / 512 - 16) / 8 * 8 * 512;
}

std::vector<FoundSuperblock> superblocks(ByteSource& source) {
    std::vector<FoundSuperblock> out{read_md_format_1(source, 4096), read_md_format_1(source, 0)};
    if (const auto at = place_of_1_0(source); at && *at > 4096) out.push_back(read_md_format_1(source, *at));
    out.push_back(read_md_format_0(source));
    return out;
}

void leave(const ByteSource& source, const MdSuperblock& other, Found& found) {
    found.facts.events.push_back(
        {source.name(), Event::Kind::stale_raid_metadata,
         fmt::format("an md superblock {} of {}, older than the one in use",
                     other.member.set.metadata.value_or("?"),
                     other.member.set.name.empty() ? "a set without a name" : other.member.set.name),
         other.member.from});
}

}  // namespace

Result<bool> read_md(ByteSource& source, Found& found) {
    // Slots of other systems are not looked at: what is read of a disk is limited.
    if (source.os().value_or(Os::linux_) != Os::linux_) return false;
    std::vector<MdSuperblock> right;
    std::vector<Error> errors;
    for (FoundSuperblock& one : superblocks(source)) {
        if (!one)
            errors.push_back(one.error());
        else if (*one)
            right.push_back(std::move(**one));
    }
    if (right.empty()) return errors.empty() ? Result<bool>(false) : Result<bool>(errors.front());
    for (const Error& e : errors) {
        if (e.kind != ErrorKind::bad_data) return e;
        found.damage.push_back(e.message);
    }
    std::size_t newest = 0;
    for (std::size_t i = 1; i < right.size(); ++i)
        if (right[i].created > right[newest].created) newest = i;
    for (std::size_t i = 0; i < right.size(); ++i)
        if (i != newest) leave(source, right[i], found);
    MdSuperblock& used = right[newest];
    for (std::string& text : used.damage) found.damage.push_back(std::move(text));
    suggest_os(source, found, Os::linux_, used.member.from);
    found.members.push_back(std::move(used.member));
    return true;
}

}  // namespace diskwright
