// SPDX-License-Identifier: BSD-2-Clause
// mkfs.xfs, xfs_info and xfs_growfs, and what mkfs.xfs says of a partition that is not aligned:
//   meta-data=/dev/md0               isize=512    agcount=32, agsize=45782400 blks
//            =                       sectsz=4096  attr=2, projid32bit=1
//   data     =                       bsize=4096   blocks=1465036800, imaxpct=5
//            =                       sunit=128    swidth=768 blks
//   log      =internal log           bsize=4096   blocks=521728, version=2
//   warning: device is not properly aligned /dev/sdc1
// sunit and swidth are blocks of the file system. Source: xfsprogs, libfrog/fsgeom.c, mkfs/xfs_mkfs.c.
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::string_view misaligned_text = "device is not properly aligned";

bool is_head(std::string_view line) {
    return trim(line).starts_with("meta-data=");
}

bool is_program(const Output& out) {
    return out.program() == "mkfs.xfs" || out.program() == "xfs_info" || out.program() == "xfs_growfs";
}

bool starts(const Output& out, std::size_t at) {
    return is_head(out.text(at)) || contains(out.text(at), misaligned_text);
}

enum class Part { meta, data, naming, log, realtime };

std::optional<Part> part_named(std::string_view word) {
    const auto name = word.substr(0, word.find('='));
    if (name == "meta-data") return Part::meta;
    if (name == "data") return Part::data;
    if (name == "naming") return Part::naming;
    if (name == "log") return Part::log;
    if (name == "realtime") return Part::realtime;
    return std::nullopt;
}

class Geometry {
 public:
    Geometry(const Output& out, Scribe& scribe) : out_(out), scribe_(scribe) {}

    std::size_t read(std::size_t at) {
        const auto first = words(out_.text(at));
        const auto device = first[0].substr(std::string_view("meta-data=").size());
        if (device.empty()) return 0;
        fs_ = &filesystem(scribe_.facts, device);
        fs_->type = scribe_.text("xfs", at);
        std::size_t next = at;
        for (; next < out_.lines.size(); ++next) {
            const auto line = trim(out_.text(next));
            if (line.empty() || line.find('=') == std::string_view::npos || (next > at && is_head(line)))
                break;
            for (const auto word : words(line)) token(word, next);
        }
        finish(at);
        return next - at;
    }

 private:
    void token(std::string_view word, std::size_t at) {
        if (const auto part = part_named(word);
            part && (word.find('=') == std::string_view::npos || *part != part_ || *part == Part::meta)) {
            part_ = *part;
            return;
        }
        while (word.ends_with(',')) word.remove_suffix(1);
        const auto equals = word.find('=');
        if (equals == std::string_view::npos || equals == 0) return;
        const auto name = word.substr(0, equals), value = word.substr(equals + 1);
        if (part_ == Part::meta && name == "sectsz") number(fs_->sector_bytes, value, at, name);
        if (part_ != Part::data) return;
        if (name == "bsize") number(fs_->bsize, value, at, name);
        if (name == "blocks") number(blocks_, value, at, name);
        if (name == "sunit") number(sunit_, value, at, name);
        if (name == "swidth") number(swidth_, value, at, name);
    }

    void number(Number& field, std::string_view value, std::size_t at, std::string_view name) {
        if (const auto v = scribe_.number(value, at, name)) field = scribe_.known(*v, at);
    }

    void scaled(Number& field, const Number& blocks) {
        if (!blocks || !fs_->bsize || *blocks == 0) return;
        if (const auto bytes = multiply(*blocks, *fs_->bsize)) field = Number(*bytes, blocks.from());
    }

    void finish(std::size_t at) {
        scaled(fs_->size_bytes, blocks_);
        scaled(fs_->sunit_bytes, sunit_);
        scaled(fs_->swidth_bytes, swidth_);
        if (!blocks_ || !fs_->bsize) scribe_.damage(at, "xfs: the data section is cut off");
        scribe_.suggest_os(Os::linux_, at);
    }

    const Output& out_;
    Scribe& scribe_;
    Filesystem* fs_ = nullptr;
    Part part_ = Part::meta;
    Number blocks_, sunit_, swidth_;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (is_head(out.text(at))) return Geometry(out, scribe).read(at);
    const auto rest = words(after(out.text(at), misaligned_text).value_or(std::string_view{}));
    std::string device = rest.empty() ? std::string{} : device_name(rest[0]);
    if (device.empty() && is_program(out))
        for (const std::string_view word : out.argv)
            if (word.starts_with("/dev/")) device = device_name(word);
    if (device.empty())
        scribe.unparsed(at, at, "mkfs.xfs: which device is not aligned is not shown");
    else
        scribe.event(Event::Kind::misaligned, device, std::string(trim(out.text(at)).substr(0, 120)), at);
    scribe.suggest_os(Os::linux_, at);
    return contains(out.text(at + 1), "misaligned device") ? 2 : 1;
}

}  // namespace

extern const CommandParser xfs_parser{
    .id = "xfs",
    .programs = {"mkfs.xfs", "xfs_info", "xfs_growfs"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"xfs_info", "{mount:xfs}"}}},
};

}  // namespace diskwright
