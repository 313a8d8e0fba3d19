// SPDX-License-Identifier: BSD-2-Clause
// FFSv1 and FFSv2 of NetBSD, FreeBSD and OpenBSD: from the superblock to facts, the same ones that dumpfs of
// each prints. What a flag means depends on who wrote it (sys/ufs/ffs/fs.h of the three):
//   0x100 NFSv4 ACLs on FreeBSD, a WAPBL log in use on NetBSD
//   0x200 check hashes on FreeBSD, quotas inside the file system on NetBSD
//   OpenBSD keeps the word at 1308 and the time of the last fsck at 1312, where the other two keep it
// The superblock does not name its system; some fields betray it.
#include <array>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/ffs_groups.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

namespace f = ffs_field;

constexpr std::uint64_t flag_softupdates = 0x2, flag_su_journal = 0x8, flag_acls = 0x10, flag_gjournal = 0x40,
                        flag_nfs4acls_freebsd = 0x100, flag_check_hashes_freebsd = 0x200, flag_trim = 0x400,
                        flag_nfs4acls_netbsd = 0x800;
constexpr std::uint64_t hash_superblock = 1, hash_groups = 2;  // CK_ in fs_metackhash

// NetBSD/src:sys/ufs/ufs/ufs_wapbl.h. Before there was a log its bytes belonged to other things.
struct WapblFields {
    std::uint64_t version, location, flags, count, block_bytes;

    explicit WapblFields(const Structure& raw)
        : version(raw.u8(f::journal_version)),
          location(raw.u8(f::journal_location)),
          flags(raw.u32(f::journal_flags)),
          count(raw.u64(f::journal_locators + 8)),
          block_bytes(raw.u64(f::journal_locators + 16)) {}
    bool to_be_made() const { return (flags & 1) != 0; }
    bool present() const {
        return version == 1 && (location == 1 || location == 2) && flags <= 3 && count != 0 &&
               (to_be_made() || (power_of_two(block_bytes) && block_bytes >= 512));
    }
};

std::uint64_t flags_of(const FfsSuperblock& sb) {
    return sb.updated() ? sb.raw().u32(f::flags) : sb.raw().u8(f::old_flags);
}

// CRC-32C over fs_sbsize bytes with the field itself zero (ffs_calc_sbhash). `flags` and `kinds` stand for
// what the superblock has in fs_flags and fs_metackhash.
std::optional<std::uint32_t> check_hash(ByteSource& source, const FfsSuperblock& sb, std::uint64_t flags,
                                        std::uint64_t kinds) {
    const auto length = sb.raw().u32(f::sbsize);
    if (length < ffs_superblock_bytes || length > 8192) return std::nullopt;
    const auto bytes = source.read(sb.raw().at(), static_cast<std::size_t>(length));
    if (!bytes) return std::nullopt;
    std::array<std::byte, 12> changed{};
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t shift = 8 * (sb.raw().order() == ByteOrder::little ? i : 3 - i);
        changed[4 + i] = static_cast<std::byte>((kinds >> shift) & 0xff);
        changed[8 + i] = static_cast<std::byte>((flags >> shift) & 0xff);
    }
    auto crc = crc32c_update(~0U, bytes->first(f::ckhash));
    crc = crc32c_update(crc, changed);
    return crc32c_update(crc, bytes->subspan(f::ckhash + changed.size()));
}

enum class Hash { none, right, wrong };

// A kernel without check hashes clears the flag and leaves the rest, so that a flag without hash, or a hash
// without flag, is a flipped bit only if the hash is right with both.
Hash superblock_hash(ByteSource& source, const FfsSuperblock& sb) {
    const Structure& raw = sb.raw();
    const std::uint64_t flags = raw.u32(f::flags), kinds = raw.u32(f::metackhash);
    const bool flagged = (flags & flag_check_hashes_freebsd) != 0, hashed = (kinds & hash_superblock) != 0;
    if (!sb.version2() || (!flagged && !hashed) || raw.u32(f::ckhash) == 0) return Hash::none;
    const auto hash = check_hash(source, sb, flags | flag_check_hashes_freebsd, kinds | hash_superblock);
    if (!hash) return Hash::none;
    const bool right = *hash == raw.u32(f::ckhash);
    if (flagged && hashed) return right ? Hash::right : Hash::wrong;
    return right ? Hash::wrong : Hash::none;
}

struct Origin {
    Os os;
    std::size_t offset;
    std::string_view why;
};

// What one system writes and no other. NetBSD and makefs leave nothing of the kind without a log.
std::optional<Origin> origin_of(const FfsSuperblock& sb, Hash hash) {
    const Structure& raw = sb.raw();
    if (sb.netbsd_magic()) return Origin{Os::netbsd, f::magic, "magic of NetBSD's FFSv2 with attributes"};
    if (hash != Hash::none) return Origin{Os::freebsd, f::ckhash, "check hash of FreeBSD"};
    // Before the size of the provider, whose place a log uses.
    if (sb.updated() && WapblFields(raw).present())
        return Origin{Os::netbsd, f::journal_version, "WAPBL log of NetBSD"};
    const std::uint64_t provider = raw.u64(f::providersize);
    if (sb.updated() && provider >= sb.size() && provider - sb.size() < sb.fragments_per_group())
        return Origin{Os::freebsd, f::providersize, "size of the GEOM provider, which FreeBSD records"};
    // Its FFSv1 has the fields of FFSv2 filled in, yet is not marked so.
    const bool openbsd1 = !sb.updated() && raw.u64(f::sblockloc) == 8192;
    if ((sb.version2() || openbsd1) && raw.u32(f::maxbsize) == 0)
        return Origin{Os::openbsd, f::maxbsize, "no fs_maxbsize, as newfs of OpenBSD leaves it"};
    return std::nullopt;
}

Known<std::uint64_t> number(const Structure& raw, std::size_t offset, std::string_view name) {
    return raw.known(raw.u32(offset), offset, name);
}

void freebsd_flags(const FfsSuperblock& sb, Filesystem& fs) {
    const std::uint64_t flags = flags_of(sb);
    const auto has = [&](std::uint64_t bits) { return (flags & bits) != 0; };
    const auto from =
        sb.raw().from(sb.updated() ? f::flags : f::old_flags, fmt::format("fs_flags {:#x}", flags));
    fs.softupdates = Flag(has(flag_softupdates), from);
    // tunefs -n disable leaves the journal's flag, which is of no effect then.
    fs.su_journal = Flag(has(flag_softupdates) && has(flag_su_journal), from);
    fs.gjournal = Flag(has(flag_gjournal), from);
    fs.trim = Flag(has(flag_trim), from);
    fs.acls = Flag(has(flag_acls | flag_nfs4acls_freebsd), from);
}

// NetBSD has had no soft updates since release 6, and never a journal of theirs, gjournal or a TRIM flag.
void netbsd_flags(const FfsSuperblock& sb, Filesystem& fs) {
    const std::uint64_t flags = flags_of(sb);
    const auto from =
        sb.raw().from(sb.updated() ? f::flags : f::old_flags, fmt::format("fs_flags {:#x}", flags));
    if ((flags & flag_softupdates) != 0) fs.softupdates = Flag(true, from);
    fs.acls = Flag((flags & (flag_acls | flag_nfs4acls_netbsd)) != 0, from);

    const WapblFields log(sb.raw());
    const auto version = sb.raw().from(
        f::journal_version,
        fmt::format("fs_journal_version {} location {} flags {:#x}", log.version, log.location, log.flags));
    if (log.version == 0) fs.wapbl = Flag(false, version);
    if (log.version == 1 && log.location != 0 && !log.to_be_made()) fs.wapbl = Flag(true, version);
    if (log.version != 1 || log.count == 0) return;
    // Until the next mount makes it, a log has its size in bytes there.
    const auto bytes = log.to_be_made() ? std::optional(log.count) : multiply(log.count, log.block_bytes);
    if (bytes && *bytes > 0)
        fs.wapbl_log_bytes = sb.raw().known(*bytes, f::journal_locators + 8, "log of bytes");
}

// As df shows it, of a file system at rest.
void usage(const FfsSuperblock& sb, Filesystem& fs) {
    using Total = FfsSuperblock::Total;
    const auto all = sb.data_size();
    const auto in_blocks = multiply(sb.total(Total::free_blocks), sb.frag());
    const auto scaled = multiply(all, sb.raw().u32(f::minfree));
    if (!in_blocks || !scaled) return;
    const std::uint64_t free = add(*in_blocks, sb.total(Total::free_fragments)).value_or(~std::uint64_t{0});
    if (free > all) return;
    const auto used = static_cast<double>(all - free);
    const auto usable = static_cast<double>(all - *scaled / 100);
    const auto from =
        sb.raw().from(sb.total_offset(Total::free_blocks), fmt::format("{} free fragments of {}", free, all));
    if (const auto bytes = multiply(all - free, sb.fsize())) fs.used_bytes = Number(*bytes, from);
    if (usable > 0) fs.used_percent = Real(100.0 * used / usable, from);
}

Filesystem to_facts(const ByteSource& source, const FfsSuperblock& sb) {
    using Total = FfsSuperblock::Total;
    const Structure& raw = sb.raw();
    Filesystem fs;
    fs.device = source.name();
    fs.type = raw.known(std::string(sb.version2() ? "ffs2" : "ffs1"), f::magic, "magic of");
    fs.bsize = number(raw, f::bsize, "fs_bsize"), fs.fsize = number(raw, f::fsize, "fs_fsize");
    if (const auto bytes = multiply(sb.size(), sb.fsize()))
        fs.size_bytes = raw.known(*bytes, sb.updated() ? f::size : f::old_size, "size in bytes");
    fs.minfree_percent = number(raw, f::minfree, "fs_minfree");
    if (const auto optim = raw.u32(f::optim); optim <= 1)
        fs.optimization = Known<Optimization>(optim == 0 ? Optimization::time : Optimization::space,
                                              raw.from(f::optim, fmt::format("fs_optim {}", optim)));
    fs.avgfilesize = number(raw, f::avgfilesize, "fs_avgfilesize");
    fs.avgfpdir = number(raw, f::avgfpdir, "fs_avgfpdir");
    fs.maxbpg = number(raw, f::maxbpg, "fs_maxbpg"), fs.maxcontig = number(raw, f::maxcontig, "fs_maxcontig");
    fs.cylinder_groups = number(raw, f::ncg, "fs_ncg");
    fs.fragments_per_group = number(raw, f::fpg, "fs_fpg");
    fs.inodes_per_group = number(raw, f::ipg, "fs_ipg");
    const auto inodes = sb.groups() * sb.inodes_per_group(), free = sb.total(Total::free_inodes);
    fs.inodes = raw.known(inodes, f::ipg, "inodes");
    if (free <= inodes)
        fs.inodes_used = raw.known(inodes - free, sb.total_offset(Total::free_inodes), "used inodes");
    fs.clean = raw.known((raw.u8(f::clean) & 1) != 0, f::clean, "fs_clean");
    if (auto point = raw.text(f::fsmnt, 468); !point.empty())
        fs.last_mounted_on = raw.known(std::move(point), f::fsmnt, "fs_fsmnt");
    // An FFSv1 of old has a table there.
    if (auto label = raw.text(f::volname, 32); sb.updated() && !label.empty())
        fs.label = raw.known(std::move(label), f::volname, "fs_volname");
    return fs;
}

Result<bool> compare_with_copy(ByteSource& source, const FfsSuperblock& sb, Found& found) {
    const auto place = sb.copy_place(0);
    if (!place || *place == sb.raw().at()) return true;
    const auto bytes = read_structure(source, *place, ffs_superblock_bytes);
    if (!bytes) return bytes.error();
    if (!*bytes) return true;
    const auto copy = FfsSuperblock::recognise(**bytes);
    if (!copy || copy->raw().order() != sb.raw().order() || copy->version2() != sb.version2()) {
        found.damage.push_back((*bytes)->place(f::magic) +
                               ": ffs: the first copy of the superblock is not one");
        return true;
    }
    for (auto& text : sb.differences(*copy)) found.damage.push_back(std::move(text));
    return true;
}

// What totals do not tell: whether the free space is whole blocks.
template <class T>
void add_sample(Known<T>& value, const std::string& sample) {
    if (!value || sample.empty()) return;
    const Provenance& was = value.from();
    value = Known<T>(*value, Provenance(was.source(), was.line(), was.text() + "; " + sample, was.kind()));
}

}  // namespace

Result<bool> read_ffs(ByteSource& source, Found& found) {
    auto choice = find_ffs_superblock(source, copies_wanted(found));
    if (!choice) return choice.error();
    if (!choice->superblock) return false;
    const FfsSuperblock& sb = *choice->superblock;
    for (auto& text : choice->damage) found.damage.push_back(std::move(text));

    const Hash hash = superblock_hash(source, sb);
    if (hash == Hash::wrong)
        found.damage.push_back(sb.raw().place(f::ckhash) + ": ffs: the superblock's check hash is wrong");
    const auto origin = origin_of(sb, hash);
    if (origin)
        suggest_os(source, found, origin->os, sb.raw().from(origin->offset, std::string(origin->why)));

    Filesystem fs = to_facts(source, sb);
    const std::optional<Os> os = origin ? std::optional(origin->os) : source.system();
    if (os == Os::freebsd) freebsd_flags(sb, fs);
    if (os == Os::netbsd) netbsd_flags(sb, fs);

    if (const auto copy = compare_with_copy(source, sb, found); !copy) return copy.error();
    const bool group_hashes = hash == Hash::right && (sb.raw().u32(f::metackhash) & hash_groups) != 0;
    const auto groups = sample_ffs_groups(source, sb, group_hashes, found.damage);
    if (!groups) return groups.error();
    if (fs.clean.is(true)) {
        usage(sb, fs);
        if (const auto summary = check_ffs_summary(source, sb, found.damage); !summary)
            return summary.error();
    } else if (groups->groups == sb.groups()) {
        // The superblock's totals are of the last time it was written; the groups are what fsck believes.
        fs.inodes_used = Number(groups->inodes_used, sb.raw().from(f::ncg, "counted in all cylinder groups"));
    }
    for (Number* n : {&fs.inodes_used, &fs.used_bytes}) add_sample(*n, groups->text(sb.groups()));
    add_sample(fs.used_percent, groups->text(sb.groups()));
    found.facts.filesystems.push_back(std::move(fs));
    return true;
}

}  // namespace diskwright
