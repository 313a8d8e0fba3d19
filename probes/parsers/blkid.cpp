// SPDX-License-Identifier: BSD-2-Clause
// blkid, blkid -p, -i, -o export, -o udev of e2fsprogs (to 2009) and util-linux (Linux):
//   /dev/hda1: LABEL="/boot" UUID="..." SEC_TYPE="ext2" TYPE="ext3"
//   /dev/sda2: LABEL="srv" UUID="..." BLOCK_SIZE="4096" TYPE="ext4" PARTLABEL="data" PARTUUID="..."
//   /dev/sda: PTUUID="..." PTTYPE="gpt"
//   /dev/sda1: ... PART_ENTRY_NUMBER="1" PART_ENTRY_OFFSET="2048" PART_ENTRY_SIZE="1048576"
// With -o export and udev one name a line, with udev under ID_FS_ and ID_. Offsets and sizes of entries
// count 512 bytes whatever the sector. BLOCK_SIZE is the file system's block for ext, the sector for XFS, the
// fragment for UFS; FSBLOCKSIZE (2.38 and later) is the block for the first two. Format:
// util-linux/util-linux:misc-utils/blkid.c, libblkid/src/superblocks/{ext,xfs,ufs}.c,
// libblkid/src/partitions/partitions.c.
#include <array>
#include <map>

#include "probes/model/storage_graph.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/parsers/linux_names.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Tags = std::map<std::string, std::string, std::less<>>;

// The names a line can begin with behind the device; others may follow.
bool is_tag(std::string_view name) {
    if (name.empty()) return false;
    for (const char c : name)
        if ((c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_') return false;
    return true;
}

// 'LABEL="my \"disk\"" TYPE="ext4"': a quote within a value has a backslash.
std::optional<Tags> tags_of(std::string_view text, bool& cut) {
    Tags tags;
    text = trim(text);
    while (!text.empty()) {
        const auto equals = text.find("=\"");
        if (equals == std::string_view::npos || !is_tag(text.substr(0, equals))) return std::nullopt;
        const auto name = text.substr(0, equals);
        std::string value;
        std::size_t i = equals + 2;
        for (; i < text.size() && text[i] != '"'; ++i) {
            if (text[i] == '\\' && i + 1 < text.size()) ++i;
            value += text[i];
        }
        cut = i >= text.size();
        if (cut) return tags;
        tags.emplace(name, std::move(value));
        text = trim(text.substr(i + 1));
    }
    return tags.empty() ? std::nullopt : std::optional(std::move(tags));
}

struct Line {
    std::string_view device;
    Tags tags;
    bool cut = false;
};

std::optional<Line> full_line(std::string_view text) {
    text = trim(text);
    const auto colon = text.find(": ");
    if (colon == std::string_view::npos || colon == 0 ||
        text.substr(0, colon).find(' ') != std::string_view::npos)
        return std::nullopt;
    Line line;
    line.device = text.substr(0, colon);
    const auto rest = text.substr(colon + 2);
    if (rest.find("=\"") == std::string_view::npos) return std::nullopt;
    auto tags = tags_of(rest, line.cut);
    if (!tags) return std::nullopt;
    line.tags = std::move(*tags);
    return line;
}

// "ID_FS_TYPE=ext4", "TYPE=ext4", "ID_PART_ENTRY_NUMBER=1": the name as without udev.
bool single_tag(std::string_view text, Tags& tags) {
    text = trim(text);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !is_tag(text.substr(0, equals))) return false;
    auto name = text.substr(0, equals);
    const auto value = text.substr(equals + 1);
    if (name == "ID_PART_TABLE_TYPE") name = "PTTYPE";
    for (const std::string_view prefix : {"ID_FS_", "ID_IOLIMIT_", "ID_"})
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
            break;
        }
    tags.emplace(name, value);
    return true;
}

bool is_single_form(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (text.starts_with("ID_FS_") || text.starts_with("ID_PART_"))
        return text.find('=') != std::string_view::npos;
    return text.starts_with("DEVNAME=") &&
           (out.program() == "blkid" || trim(out.text(at + 1)).find('=') != std::string_view::npos);
}

bool starts(const Output& out, std::size_t at) {
    if (is_single_form(out, at)) return true;
    const auto line = full_line(out.text(at));
    if (!line) return false;
    for (const std::string_view name : {"TYPE", "PTTYPE", "UUID", "PARTUUID", "PHYSICAL_SECTOR_SIZE"})
        if (line->tags.count(name) > 0) return true;
    return line->cut;
}

class Writer {
 public:
    Writer(const Tags& tags, std::string name, std::size_t line, Scribe& scribe)
        : tags_(tags),
          name_(std::move(name)),
          whole_(whole_device_name(name_)),
          line_(line),
          scribe_(scribe) {}

    void write() {
        write_table();
        write_sectors();
        write_entry();
        write_filesystem();
    }

 private:
    std::string_view value(std::string_view name) const {
        const auto found = tags_.find(name);
        return found == tags_.end() ? std::string_view{} : std::string_view(found->second);
    }
    Number number(std::string_view name, std::uint64_t unit) {
        if (value(name).empty()) return {};
        const auto count = scribe_.scaled(value(name), unit, line_, "blkid: " + std::string(name));
        return count ? scribe_.known(*count, line_) : Number{};
    }
    static std::optional<Scheme> scheme_of(std::string_view table) {
        if (table == "gpt") return Scheme::gpt;
        if (table == "dos") return Scheme::mbr;
        if (table == "mac") return Scheme::apm;
        if (table == "bsd") return Scheme::disklabel;
        return std::nullopt;
    }

    // A boot sector of a FAT file system looks like a table, too: only of whole devices.
    void write_table() {
        const auto scheme = scheme_of(value("PTTYPE"));
        if (!scheme || !whole_.empty() || !value("TYPE").empty() || name_.find('/') != std::string::npos)
            return;
        table(scribe_.facts, name_, *scheme).scheme = scribe_.known(*scheme, line_);
    }

    // -i asks the kernel for the limits of the device.
    void write_sectors() {
        if (!whole_.empty() || value("PHYSICAL_SECTOR_SIZE").empty()) return;
        LinuxDevice device;
        device.name = name_;
        device.sector_line = line_;
        if (const auto bytes = number("PHYSICAL_SECTOR_SIZE", 1)) device.physical_sector = *bytes;
        if (const auto bytes = number("LOGICAL_SECTOR_SIZE", 1)) device.logical_sector = *bytes;
        write_linux_device(device, scribe_);
    }

    void write_entry() {
        const bool probed = !value("PART_ENTRY_OFFSET").empty();
        if (whole_.empty() || (!probed && value("PARTLABEL").empty())) return;
        Partition& p = partition(scribe_.facts, name_);
        p.parent = whole_;
        if (const auto index = linux_partition_number(name_)) p.index = scribe_.known(*index, line_);
        const auto label = probed ? value("PART_ENTRY_NAME") : value("PARTLABEL");
        if (!label.empty()) p.label = scribe_.text(label, line_);
        if (!probed) return;
        if (const auto scheme = scheme_of(value("PART_ENTRY_SCHEME")))
            p.scheme = scribe_.known(*scheme, line_);
        const auto type = value("PART_ENTRY_TYPE");
        if (!type.empty()) p.type = scribe_.text(type, line_);
        p.start_bytes = number("PART_ENTRY_OFFSET", 512);
        p.size_bytes = number("PART_ENTRY_SIZE", 512);
    }

    void write_filesystem() {
        auto type = std::string(value("TYPE"));
        const bool xfs = type == "xfs", ext = type.starts_with("ext"), ufs = type == "ufs";
        if (ufs) type = value("VERSION") == "2" ? "ffs2" : value("VERSION") == "1" ? "ffs1" : "ffs";
        if (!type.starts_with("ffs") && !names_format(type)) return;
        Filesystem& fs = filesystem(scribe_.facts, name_);
        fs.type = scribe_.text(type, line_);
        if (!value("LABEL").empty()) fs.label = scribe_.text(value("LABEL"), line_);
        if (ext) fs.bsize = number("BLOCK_SIZE", 1);
        if (ufs) fs.fsize = number("BLOCK_SIZE", 1);
        if (xfs) fs.sector_bytes = number("BLOCK_SIZE", 1);
        if (const auto bytes = number("FSBLOCKSIZE", 1); bytes && (xfs || ext)) fs.bsize = bytes;
    }

    const Tags& tags_;
    const std::string name_, whole_;
    const std::size_t line_;
    Scribe& scribe_;
};

std::size_t parse_single(const Output& out, std::size_t at, Scribe& scribe) {
    Tags tags;
    std::size_t i = at;
    // udev's names are one device's, without the device; the blocks of export begin with it.
    for (; i < out.lines.size(); ++i) {
        if (i > at && trim(out.text(i)).starts_with("DEVNAME=")) break;
        if (!single_tag(out.text(i), tags)) break;
    }
    const auto found = tags.find("DEVNAME");
    const auto name =
        device_name(found != tags.end() ? std::string_view(found->second) : out.operand(0, "ostuULOScWn"));
    if (name.empty())
        scribe.unparsed(at, i - 1, "blkid: of which device is not shown");
    else
        Writer(tags, name, at, scribe).write();
    return i - at;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    scribe.suggest_os(Os::linux_, at);
    if (is_single_form(out, at)) return parse_single(out, at, scribe);
    std::size_t i = at;
    for (; i < out.lines.size(); ++i) {
        const auto line = full_line(out.text(i));
        if (!line) break;
        if (line->cut) scribe.damage(i, "blkid: a value ends before its closing quote");
        Writer(line->tags, device_name(line->device), i, scribe).write();
    }
    return i - at;
}

}  // namespace

extern const CommandParser blkid_parser{
    .id = "blkid",
    .programs = {"blkid"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
