// SPDX-License-Identifier: BSD-2-Clause
// dumpe2fs -h and tune2fs -l: "Label:   value" lines; RAID stride and stripe width count blocks.
//   Filesystem volume name:   data
//   Filesystem features:      has_journal ext_attr resize_inode dir_index filetype extent 64bit flex_bg ...
//   Block count:              1465036800
//   RAID stride:              16
// Source: e2fsprogs, lib/e2p/ls.c (list_super2).
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_program(const Output& out) {
    return out.program() == "dumpe2fs" || out.program() == "tune2fs";
}

struct Row {
    std::string_view label, value;
};

std::optional<Row> row_of(std::string_view line) {
    line = trim(line);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon > 40) return std::nullopt;
    return Row{line.substr(0, colon), trim(line.substr(colon + 1))};
}

bool is_label(std::string_view label) {
    constexpr std::array<std::string_view, 12> known{"Filesystem volume name",
                                                     "Filesystem magic number",
                                                     "Filesystem features",
                                                     "Inode count",
                                                     "Block count",
                                                     "Reserved block count",
                                                     "Free inodes",
                                                     "Block size",
                                                     "RAID stride",
                                                     "RAID stripe width",
                                                     "Filesystem state",
                                                     "Blocks per group"};
    return std::find(known.begin(), known.end(), label) != known.end();
}

bool starts(const Output& out, std::size_t at) {
    const auto row = row_of(out.text(at));
    if (!row) return false;
    if (row->label == "Filesystem volume name" || row->label == "Filesystem magic number") return true;
    return is_program(out) && is_label(row->label);
}

// The features that an older format can't have (e2fsprogs, ext4(5)).
std::string_view type_from_features(std::string_view features) {
    constexpr std::array<std::string_view, 11> ext4{"extent",        "extents",   "64bit",      "flex_bg",
                                                    "huge_file",     "uninit_bg", "dir_nlink",  "extra_isize",
                                                    "metadata_csum", "bigalloc",  "inline_data"};
    const auto w = words(features);
    const auto has = [&](std::string_view name) { return std::find(w.begin(), w.end(), name) != w.end(); };
    if (std::any_of(ext4.begin(), ext4.end(), has)) return "ext4";
    return has("has_journal") ? "ext3" : "ext2";
}

class Superblock {
 public:
    Superblock(const Output& out, Scribe& scribe) : out_(out), scribe_(scribe) {}

    std::size_t read(std::size_t at) {
        std::size_t next = at;
        for (; next < out_.lines.size(); ++next) {
            auto row = row_of(out_.text(next));
            if (!row) {
                // The features wrapped by a mailer.
                if (last_ == "Filesystem features" && !words(out_.text(next)).empty()) {
                    features_ += ' ';
                    features_ += trim(out_.text(next));
                    continue;
                }
                break;
            }
            if (row->label == "Group 0" || (next > at && row->label == "Filesystem volume name")) break;
            last_ = row->label;
            value(*row, next);
        }
        finish(at);
        return next - at;
    }

 private:
    void value(const Row& row, std::size_t at) {
        const auto number = [&](Number& field) {
            if (const auto v = scribe_.number(row.value, at, row.label)) field = scribe_.known(*v, at);
        };
        if (row.label == "Filesystem volume name") {
            if (!row.value.starts_with('<') && !row.value.empty()) fs_.label = scribe_.text(row.value, at);
        } else if (row.label == "Last mounted on") {
            if (row.value.starts_with('/')) fs_.last_mounted_on = scribe_.text(row.value, at);
        } else if (row.label == "Filesystem features") {
            features_ = row.value, features_line_ = at, features_seen_ = true;
        } else if (row.label == "Filesystem state") {
            fs_.clean = scribe_.known(row.value == "clean", at);
        } else if (row.label == "Filesystem OS type") {
            if (row.value == "Linux") scribe_.suggest_os(Os::linux_, at);
        } else if (row.label == "Inode count") {
            number(fs_.inodes);
        } else if (row.label == "Free inodes") {
            number(free_inodes_);
        } else if (row.label == "Block count") {
            number(blocks_);
        } else if (row.label == "Block size") {
            number(fs_.bsize);
        } else if (row.label == "RAID stride") {
            number(stride_);
        } else if (row.label == "RAID stripe width") {
            number(width_);
        }
    }

    void scaled(Number& field, const Number& blocks) {
        if (!blocks || !fs_.bsize || *blocks == 0) return;
        if (const auto bytes = multiply(*blocks, *fs_.bsize)) field = Number(*bytes, blocks.from());
    }

    void finish(std::size_t at) {
        if (features_seen_) fs_.type = scribe_.text(type_from_features(features_), features_line_);
        scaled(fs_.size_bytes, blocks_);
        scaled(fs_.stride_bytes, stride_);
        scaled(fs_.stripe_width_bytes, width_);
        if (fs_.inodes && free_inodes_ && *free_inodes_ <= *fs_.inodes)
            fs_.inodes_used = Number(*fs_.inodes - *free_inodes_, free_inodes_.from());
        const std::string_view device = is_program(out_) ? out_.operand(0, "o") : std::string_view{};
        add_filesystem(std::move(fs_), device, "dumpe2fs", at, scribe_);
    }

    const Output& out_;
    Scribe& scribe_;
    Filesystem fs_;
    Number blocks_, stride_, width_, free_inodes_;
    std::string features_;
    std::string_view last_;
    std::size_t features_line_ = 0;
    bool features_seen_ = false;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Superblock(out, scribe).read(at);
}

}  // namespace

extern const CommandParser ext_parser{
    .id = "ext",
    .programs = {"dumpe2fs", "tune2fs"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"dumpe2fs", "-h", "/dev/{filesystem:ext}"}, true}},
};

}  // namespace diskwright
