// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/tuned_filesystem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "probes/capture/assemble.hpp"
#include "probes/ondisk/ffs_superblock.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

namespace f = ffs_field;

std::int64_t signed_word(std::uint64_t word) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
}

TunedFilesystem from_superblock(const FfsSuperblock& superblock, const ToolRelease& release) {
    constexpr std::size_t metaspace = f::journal_locators + 8;  // of FreeBSD, where NetBSD has the log's size
    constexpr std::size_t label_space = 32;
    const Structure& raw = superblock.raw();
    const auto word = [&](std::size_t offset) { return std::optional(signed_word(raw.u32(offset))); };
    const auto wide = [&](std::size_t offset) {
        return std::optional(static_cast<std::int64_t>(raw.u64(offset)));
    };
    TunedFilesystem fs;
    fs.ufs2 = superblock.version2();
    fs.bsize = word(f::bsize);
    fs.fsize = word(f::fsize);
    fs.frags = static_cast<std::int64_t>(superblock.size());
    fs.group_frags = word(f::fpg);
    fs.minfree = word(f::minfree);
    fs.maxbpg = word(f::maxbpg);
    fs.avgfilesize = word(f::avgfilesize);
    fs.avgfpdir = word(f::avgfpdir);
    fs.free_blocks = static_cast<std::int64_t>(superblock.total(FfsSuperblock::Total::free_blocks));
    fs.space = raw.u32(f::optim) == 1;
    fs.clean = raw.u8(f::clean) == 1;
    std::string label = raw.text(f::volname, label_space);
    if (const auto end = label.find('\0'); end != std::string::npos) label.resize(end);
    fs.label = std::move(label);
    const auto shift = raw.u32(f::fsbtodb);
    if (*fs.fsize > 0 && shift < 16) fs.sector_bytes = *fs.fsize >> shift;
    const std::size_t flags = release.os == Os::openbsd ? f::metackhash : f::flags;
    fs.flags = static_cast<std::uint32_t>(superblock.updated() ? raw.u32(flags) : raw.u8(f::old_flags));
    fs.known_flags = ~std::uint32_t{0};
    if (release.os == Os::freebsd) fs.metaspace = wide(metaspace);
    if (release.os == Os::netbsd) {
        fs.log_location = static_cast<std::int64_t>(raw.u8(f::journal_location));
        fs.log_flags = word(f::journal_flags);
        fs.log_count = wide(f::journal_locators + 8);
        fs.log_block_bytes = wide(f::journal_locators + 16);
        fs.extended = superblock.netbsd_magic();
    }
    return fs;
}

TunedFilesystem from_facts(const Filesystem& facts) {
    TunedFilesystem fs;
    const auto number = [](const Number& known) {
        return known && *known <= INT64_MAX ? std::optional(static_cast<std::int64_t>(*known)) : std::nullopt;
    };
    if (*facts.type == "ffs1" || *facts.type == "ffs2") fs.ufs2 = *facts.type == "ffs2";
    fs.bsize = number(facts.bsize);
    fs.fsize = number(facts.fsize);
    const auto bytes = number(facts.size_bytes);
    if (bytes && fs.fsize && *fs.fsize > 0) fs.frags = *bytes / *fs.fsize;
    fs.group_frags = number(facts.fragments_per_group);
    fs.minfree = number(facts.minfree_percent);
    fs.maxbpg = number(facts.maxbpg);
    fs.avgfilesize = number(facts.avgfilesize);
    fs.avgfpdir = number(facts.avgfpdir);
    fs.sector_bytes = number(facts.sector_bytes);
    if (facts.optimization) fs.space = *facts.optimization == Optimization::space;
    if (facts.clean) fs.clean = *facts.clean;
    if (facts.label) fs.label = *facts.label;
    const auto flag = [&](const Flag& known, std::uint32_t bit) {
        if (!known) return;
        fs.known_flags |= bit;
        if (*known) fs.flags |= bit;
    };
    flag(facts.softupdates, ffs_flag::softupdates);
    flag(facts.su_journal, ffs_flag::su_journal);
    flag(facts.gjournal, ffs_flag::gjournal);
    flag(facts.trim, ffs_flag::trim);
    if (facts.wapbl && !*facts.wapbl) fs.log_location = fs.log_count = fs.log_block_bytes = fs.log_flags = 0;
    return fs;
}

std::string_view last_part(std::string_view name) {
    return name.substr(name.rfind('/') + 1);
}

bool is_ffs(const Filesystem& fs) {
    return fs.type && fs.type->starts_with("ffs");
}
bool any_ffs(const HostFacts& facts) {
    return std::any_of(facts.filesystems.begin(), facts.filesystems.end(), is_ffs);
}

// "/dev/rwd0e" names wd0e.
bool names(std::string_view word, const Filesystem& fs) {
    const std::string_view name = last_part(word), device = last_part(fs.device);
    return !device.empty() && (name == device || (name.starts_with('r') && name.substr(1) == device));
}

Result<Filesystem> chosen(const std::vector<Filesystem>& all, const std::string& input,
                          const std::vector<std::string>& words) {
    std::vector<const Filesystem*> ffs;
    for (const Filesystem& fs : all)
        if (is_ffs(fs)) ffs.push_back(&fs);
    if (ffs.size() == 1) return *ffs.front();
    if (ffs.empty()) return Error{ErrorKind::bad_data, fmt::format("{}: no FFS in it", escaped(input))};
    for (auto word = words.rbegin(); word != words.rend(); ++word)
        for (const Filesystem* fs : ffs)
            if (names(*word, *fs)) return *fs;
    std::string devices;
    for (const Filesystem* fs : ffs) devices += " " + escaped(fs->device);
    return Error{ErrorKind::usage,
                 fmt::format("{}: several file systems; name one behind tunefs:{}", escaped(input), devices)};
}

}  // namespace

Result<TunedFilesystem> tuned_filesystem(const std::string& input, const ToolRelease& release,
                                         const std::vector<std::string>& words) {
    auto capture = load_input(input);
    if (!capture) return capture.error();
    if (capture->images.size() == 1 && capture->documents.empty()) {
        const auto found = find_ffs_superblock(*capture->images.front(), false);
        if (found && found->superblock) return from_superblock(*found->superblock, release);
    }
    auto facts = assemble(*capture);
    if (facts && !any_ffs(*facts) && capture->documents.size() == 1) {
        // Of FreeBSD it does not say what it is about.
        capture->documents.front().argv = {"dumpfs", "/dev/filesystem"};
        facts = assemble(*capture);
    }
    if (!facts) return facts.error();
    const auto fs = chosen(facts->filesystems, input, words);
    if (!fs) return fs.error();
    return from_facts(*fs);
}

}  // namespace diskwright
