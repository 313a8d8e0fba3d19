// SPDX-License-Identifier: BSD-2-Clause
// df of all systems: plain, -h, -k, -i, -T, -P, with rows wrapped or the header missing:
//   Filesystem  1024-blocks     Used    Avail Capacity iused   ifree %iused  Mounted on   FreeBSD, OpenBSD -i
//   Filesystem    1K-blocks       Used      Avail %Cap Mounted on                         NetBSD
//   Filesystem     Type  Size  Used Avail Use% Mounted on                                 Linux -hT
//   Filesystem      Inodes  IUsed  IFree IUse% Mounted on                                 Linux -i
// Sources: freebsd-src, NetBSD src and OpenBSD src, bin/df/df.c; GNU coreutils df.
#include <algorithm>
#include <cctype>

#include "probes/parsers/command.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/parsers/mounts_write.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t longest_row_lines = 3;

struct Header {
    std::uint64_t unit = 0;  // bytes of a block; 0 when the columns are rounded or the header is missing
    bool linux_inodes = false;
};

bool is_header(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 4 || w[0] != "Filesystem") return false;
    return contains(line, "Mounted on") || contains(line, "Mounted") || contains(line, "Avail") ||
           contains(line, "IFree");
}

// "1K-blocks", "1024-blocks", "512-blocks", "1M-blocks".
std::uint64_t unit_of(std::string_view word) {
    if (!word.ends_with("-blocks")) return 0;
    return to_size(word.substr(0, word.size() - 7)).value_or(0);
}

bool is_size(std::string_view word) {
    return word == "-" || to_signed(word).has_value() || to_size(word).has_value() ||
           (word.starts_with('-') && to_size(word.substr(1)).has_value());
}

std::optional<std::uint64_t> percent(std::string_view word) {
    if (!word.ends_with('%')) return std::nullopt;
    return to_unsigned(word.substr(0, word.size() - 1));
}

struct Row {
    std::string_view device, type, used, available, inodes_total, inodes_used, inodes_free;
    std::optional<std::uint64_t> percent;
    std::string point;
    std::size_t lines = 1;
};

// The words after the device: an optional type, three sizes, a percentage; then inode columns or the mount
// point.
std::optional<Row> row_of(const std::vector<std::string_view>& w, const Header& header) {
    Row row;
    if (w.size() < 6) return std::nullopt;
    row.device = w[0];
    std::size_t at = 1;
    if (!is_size(w[at])) {
        if (!is_file_system_type(w[at])) return std::nullopt;
        row.type = w[at++];
    }
    if (at + 4 >= w.size()) return std::nullopt;
    if (!is_size(w[at]) || !is_size(w[at + 1]) || !is_size(w[at + 2])) return std::nullopt;
    const bool percentage = w[at + 3].ends_with('%') || w[at + 3] == "-";
    if (!percentage) return std::nullopt;
    if (header.linux_inodes)
        row.inodes_total = w[at], row.inodes_used = w[at + 1], row.inodes_free = w[at + 2];
    else
        row.used = w[at + 1], row.available = w[at + 2], row.percent = percent(w[at + 3]);
    at += 4;
    // -h rounds the inodes too ("2.1M"); such counts are skipped by whoever writes them.
    if (at + 3 < w.size() && is_size(w[at]) && is_size(w[at + 1]) &&
        (w[at + 2].ends_with('%') || w[at + 2] == "-")) {
        row.inodes_used = w[at], row.inodes_free = w[at + 1];
        at += 3;
    }
    if (!w[at].starts_with('/')) return std::nullopt;
    for (; at < w.size(); ++at) {
        if (!row.point.empty()) row.point += ' ';
        row.point += w[at];
    }
    return row;
}

// A long device name stands alone on its line, and mailers break anywhere.
std::optional<Row> row_at(const Output& out, std::size_t at, const Header& header) {
    std::vector<std::string_view> w;
    for (std::size_t used = 0; used < longest_row_lines && at + used < out.lines.size(); ++used) {
        const auto more = words(out.text(at + used));
        if (more.empty() || (used > 0 && (more[0].starts_with("/dev/") || is_header(out.text(at + used)))))
            break;
        w.insert(w.end(), more.begin(), more.end());
        if (auto row = row_of(w, header)) {
            row->lines = used + 1;
            return row;
        }
    }
    return std::nullopt;
}

// Without a header the device has to be one, and the row whole on its line.
bool is_bare_row(const Output& out, std::size_t at) {
    const auto w = words(out.text(at));
    if (w.size() < 6) return false;
    if (out.program() != "df" && !w[0].starts_with("/dev/")) return false;
    const auto row = row_of(w, {});
    return row && (row->percent || out.program() == "df");
}

bool starts(const Output& out, std::size_t at) {
    return is_header(out.text(at)) || is_bare_row(out, at);
}

class Listing {
 public:
    Listing(const Output& out, Scribe& scribe) : out_(out), scribe_(scribe) {}

    std::size_t read(std::size_t at) {
        std::size_t next = at;
        if (is_header(out_.text(at))) {
            for (const auto word : words(out_.text(at))) {
                if (const auto unit = unit_of(word)) header_.unit = unit;
                if (word == "Inodes" || word == "IUse%") header_.linux_inodes = true;
            }
            ++next;
            if (trim(out_.text(next)) == "on") ++next;
        } else if (out_.program() == "df" && has_flag('i') && words(out_.text(at)).size() < 9 &&
                   has_flag_only_inodes()) {
            header_.linux_inodes = true;
        }
        if (header_.unit == 0 && has_flag('k') && !has_flag('h')) header_.unit = 1024;
        while (next < out_.lines.size()) {
            const auto row = row_at(out_, next, header_);
            if (!row) {
                if (is_header(out_.text(next)) || !trim(out_.text(next)).starts_with("/dev/")) break;
                scribe_.damage(next, "df: columns of a row are missing");
                ++next;
                continue;
            }
            write(*row, next);
            next += row->lines;
        }
        return next - at;
    }

 private:
    bool has_flag(char letter) const {
        return out_.program() == "df" &&
               std::any_of(out_.argv.begin(), out_.argv.end(), [&](const std::string& word) {
                   return word.size() > 1 && word[0] == '-' && word[1] != '-' &&
                          word.find(letter) != std::string::npos;
               });
    }
    // Only GNU df prints inodes instead of blocks; the BSDs print both, so a row with one percentage is
    // GNU's.
    bool has_flag_only_inodes() const { return !has_flag('k') && !has_flag('h'); }

    void write(const Row& row, std::size_t at) {
        if (scribe_.facts.mounts.size() >= most_mounts) return;
        mount(scribe_.facts, row.point).device = scribe_.text(device_name(row.device), at);
        if (!row.type.empty()) mount(scribe_.facts, row.point).type = scribe_.text(row.type, at);
        if (!row.device.starts_with("/dev/")) return;
        Filesystem& fs = filesystem(scribe_.facts, row.device);
        if (names_format(row.type)) fs.type = scribe_.text(row.type, at);
        if (row.percent) fs.used_percent = scribe_.known(static_cast<double>(*row.percent), at);
        if (header_.unit > 0) {
            amount(fs.used_bytes, row.used, at);
            amount(fs.available_bytes, row.available, at);
        }
        const auto used = to_unsigned(row.inodes_used), free = to_unsigned(row.inodes_free);
        if (!used || !free) return;
        fs.inodes_used = scribe_.known(*used, at);
        if (const auto total = row.inodes_total.empty() ? add(*used, *free) : to_unsigned(row.inodes_total))
            fs.inodes = scribe_.known(*total, at);
        else
            scribe_.unparsed(at, at, "df: the number of inodes is out of range");
    }

    // Negative: writing went on into the reserve.
    void amount(Number& field, std::string_view word, std::size_t at) {
        if (word.starts_with('-')) return;
        if (const auto bytes = scribe_.scaled(word, header_.unit, at, "df"))
            field = scribe_.known(*bytes, at);
    }

    const Output& out_;
    Scribe& scribe_;
    Header header_;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Listing(out, scribe).read(at);
}

}  // namespace

extern const CommandParser df_parser{
    .id = "df",
    .programs = {"df"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"df", "-ik"}},
             {Os::freebsd, {"df", "-ik"}},
             {Os::openbsd, {"df", "-ik"}},
             {Os::dragonfly, {"df", "-ik"}},
             {Os::linux_, {"df", "-kT"}},
             {Os::linux_, {"df", "-i"}}},
};

}  // namespace diskwright
