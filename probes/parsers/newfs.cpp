// SPDX-License-Identifier: BSD-2-Clause
// newfs of FreeBSD, NetBSD and OpenBSD, at a prompt with or without its output, and the output alone:
//   /dev/rdk2: 953869.0MB (1953523712 sectors) block size 32768, fragment size 4096
//           using 1285 cylinder groups of 742.31MB, 23754 blks, 46848 inodes.
//           with soft updates
//   super-block backups (for fsck_ffs -b #) at:
//   192, 1520448, ...
// OpenBSD prints no block size:
//   /dev/rsd2a: 1024.0MB in 2097152 sectors of 512 bytes
//   6 cylinder groups of 202.50MB, 12960 blocks, 25920 inodes each
// Sources: freebsd-src, NetBSD src and OpenBSD src, sbin/newfs/mkfs.c.
#include <algorithm>
#include <array>
#include <cmath>

#include "probes/parsers/command.hpp"
#include "probes/parsers/newfs_command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_header(std::string_view line) {
    if (!contains(line, "MB")) return false;
    return (contains(line, "MB (") && contains(line, " sectors)")) ||
           (contains(line, "MB in ") && contains(line, " sectors of "));
}

// What newfs says before or after the header when it adjusts something (freebsd-src sbin/newfs/mkfs.c).
bool is_adjustment(std::string_view line) {
    constexpr std::array<std::string_view, 9> openings{"increasing ",     "decreasing ",   "density ",
                                                       "Extent size ",    "Reduced frags", "Maxcontig ",
                                                       "Erasing sectors", "Using inode ",  "newfs: warning"};
    const auto text = trim(line);
    return std::any_of(openings.begin(), openings.end(),
                       [&](std::string_view o) { return text.starts_with(o); });
}

bool is_refusal(std::string_view line) {
    constexpr std::array<std::string_view, 7> openings{"newfs:",        "usage: newfs",   "Too many ",
                                                       "block size ",   "fragment size ", "Filesystem size ",
                                                       "cannot create "};
    const auto text = trim(line);
    return std::any_of(openings.begin(), openings.end(),
                       [&](std::string_view o) { return text.starts_with(o); });
}

bool is_number_row(std::string_view line) {
    const auto text = trim(line);
    return !text.empty() && text.find_first_not_of("0123456789,. ") == std::string_view::npos;
}

bool begins_with_prompt_command(const Output& out, std::size_t at) {
    return at == 0 && out.program() == "newfs" &&
           !(out.argv.size() > 2 && out.argv[1] == "command" && out.argv[2] == "for");
}

bool starts(const Output& out, std::size_t at) {
    return begins_with_prompt_command(out, at) || is_header(out.text(at));
}

std::optional<std::uint64_t> number_before(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    if (at == std::string_view::npos) return std::nullopt;
    const auto head = words(text.substr(0, at));
    return head.empty() ? std::nullopt : to_unsigned(head.back());
}

std::optional<double> megabytes_before(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    if (at == std::string_view::npos) return std::nullopt;
    const auto head = words(text.substr(0, at));
    return head.empty() ? std::nullopt : to_double(head.back());
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view label) {
    const auto rest = after(text, label);
    if (!rest) return std::nullopt;
    const auto found = leading_unsigned(trim(*rest));
    return found ? std::optional(found->value) : std::nullopt;
}

// Megabytes are printed with one decimal, so only one sector size fits the count of sectors.
std::optional<std::uint64_t> sector_from_megabytes(std::uint64_t sectors, double megabytes) {
    const double tolerance = std::max(0.06, megabytes * 1e-6);
    for (const std::uint64_t size : {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536})
        if (std::fabs(static_cast<double>(sectors) * static_cast<double>(size) / MiB - megabytes) <=
            tolerance)
            return size;
    return std::nullopt;
}

// A group's size and its number of blocks give the block size; the megabytes are rounded to two decimals.
std::optional<std::uint64_t> block_from_group(double megabytes, std::uint64_t blocks) {
    if (blocks == 0) return std::nullopt;
    const double estimate = megabytes * MiB / static_cast<double>(blocks);
    const double slack = 0.006 * MiB / static_cast<double>(blocks);
    std::optional<std::uint64_t> found;
    for (std::uint64_t size = 4096; size <= 65536; size *= 2)
        if (std::fabs(estimate - static_cast<double>(size)) <= slack + 1) {
            if (found) return std::nullopt;
            found = size;
        }
    return found;
}

// The first backup lies behind the boot area and the superblock of its format, rounded up to a whole block.
std::optional<std::string_view> type_from_backup(std::uint64_t sector, std::uint64_t sector_bytes,
                                                 std::uint64_t bsize) {
    const auto place = multiply(sector, sector_bytes);
    if (!place || bsize == 0) return std::nullopt;
    const auto rounded = [&](std::uint64_t bytes) { return (bytes + bsize - 1) / bsize * bsize; };
    if (*place == rounded(65536 + 8192)) return "ffs2";
    if (*place == rounded(8192 + 8192)) return "ffs1";
    return std::nullopt;
}

class Report {
 public:
    Report(const Output& out, Scribe& scribe, std::size_t header)
        : out_(out), scribe_(scribe), header_(header), next_(header + 1) {}

    std::size_t read(const std::optional<NewfsCommand>& command) {
        collect();
        const auto colon = text_.find(": ");
        if (colon == std::string::npos) return 0;
        const auto device = device_name(trim(std::string_view(text_).substr(0, colon)));
        if (device.empty() || device.find(' ') != std::string::npos) return 0;
        fs_ = &filesystem(scribe_.facts, device);
        if (command && command->device != device)
            fs_->newfs_command = Text(command->text, scribe_.at_prompt());
        geometry();
        backups();
        flags(command);
        return next_ - header_;
    }

 private:
    // The header and the lines of its paragraph as one text: mailers break anywhere in them.
    void collect() {
        text_ = trim(out_.text(header_));
        for (; next_ < out_.lines.size() && next_ < header_ + 8; ++next_) {
            const auto line = trim(out_.text(next_));
            const bool belongs =
                contains(line, "cylinder groups of") || contains(line, "with soft updates") ||
                is_adjustment(line) || line.starts_with("size ") || line.starts_with("fragment size") ||
                line.starts_with("blks,") || line.ends_with("inodes.") || line.ends_with("inodes each");
            if (!belongs || is_header(line)) break;
            if (contains(line, "with soft updates")) soft_updates_line_ = next_;
            text_ += ' ';
            text_ += line;
        }
    }

    void put(Number& field, std::optional<std::uint64_t> value) {
        if (value) field = scribe_.known(*value, header_);
    }

    void geometry() {
        const bool openbsd = contains(text_, " sectors of ");
        sectors_ = openbsd ? number_after(text_, "MB in ") : number_after(text_, "MB (");
        const auto megabytes = megabytes_before(text_, "MB");
        if (openbsd)
            sector_ = number_after(text_, " sectors of ");
        else if (sectors_ && megabytes)
            sector_ = sector_from_megabytes(*sectors_, *megabytes);
        if (sectors_ && sector_ && multiply(*sectors_, *sector_))
            put(fs_->size_bytes, multiply(*sectors_, *sector_));
        else
            scribe_.unparsed(header_, header_, "newfs: size and number of sectors do not fit together");

        bsize_ = number_after(text_, "block size ");
        fsize_ = number_after(text_, "fragment size ");
        const auto groups = number_before(text_, " cylinder groups of ");
        const auto each = after(text_, " cylinder groups of ");
        std::optional<std::uint64_t> blocks, inodes;
        if (each) {
            blocks = number_before(*each, openbsd ? " blocks" : " blks");
            inodes = number_before(*each, " inodes");
            const auto size = megabytes_before(*each, "MB");
            if (!bsize_ && size && blocks) bsize_ = block_from_group(*size, *blocks);
        }
        put(fs_->bsize, bsize_);
        put(fs_->fsize, fsize_);
        put(fs_->cylinder_groups, groups);
        put(fs_->inodes_per_group, inodes);
        if (groups && inodes) put(fs_->inodes, multiply(*groups, *inodes));
        if (blocks && bsize_ && fsize_ && *fsize_ > 0)
            put(fs_->fragments_per_group, multiply(*blocks, *bsize_ / *fsize_));
        if (openbsd) scribe_.suggest_os(Os::openbsd, header_);
    }

    void backups() {
        if (next_ >= out_.lines.size() || !contains(out_.text(next_), "super-block backups")) return;
        const bool named = contains(out_.text(next_), "(for fsck_ffs -b #)");
        ++next_;
        const std::size_t row = next_;
        while (next_ < out_.lines.size() && is_number_row(out_.text(next_))) ++next_;
        // A line broken by the mailer, or one that its writer cut short.
        const auto first = leading_unsigned(trim(out_.text(row)));
        if (row == next_ || !first) return;
        // FreeBSD indents the list, NetBSD does not; both name fsck_ffs.
        if (named && sector_ && !out_.text(row).starts_with(' ') && out_.text(header_).starts_with("/dev/r"))
            scribe_.suggest_os(Os::netbsd, row);
        if (!bsize_ || !sector_) return;
        auto type = type_from_backup(first->value, *sector_, *bsize_);
        if (!type) type = type_from_backup(first->value, 512, *bsize_);  // FreeBSD counts in 512 bytes here
        if (type) fs_->type = scribe_.text(*type, row);
    }

    void flags(const std::optional<NewfsCommand>& command) {
        while (next_ < out_.lines.size() && is_adjustment(out_.text(next_))) ++next_;
        if (soft_updates_line_) {
            fs_->softupdates = scribe_.known(true, *soft_updates_line_);
            scribe_.suggest_os(Os::freebsd, *soft_updates_line_);
        } else if (command && command->os == Os::freebsd && !command->softupdates) {
            fs_->softupdates = scribe_.known(false, header_);
        }
    }

    const Output& out_;
    Scribe& scribe_;
    std::size_t header_, next_;
    std::string text_;
    Filesystem* fs_ = nullptr;
    std::optional<std::uint64_t> sectors_, sector_, bsize_, fsize_;
    std::optional<std::size_t> soft_updates_line_;
};

// The words of the prompt, with the next lines where a mailer has broken it. `used` gets the number of such
// lines.
std::optional<NewfsCommand> command_at_prompt(const Output& out, std::size_t& used) {
    std::vector<std::string_view> line(out.argv.begin(), out.argv.end());
    auto command = read_newfs_command(line);
    while (command && command->device.empty() && used < 3 && used < out.lines.size()) {
        const auto more = words(out.text(used));
        if (more.empty() || is_header(out.text(used)) || is_refusal(out.text(used))) break;
        line.insert(line.end(), more.begin(), more.end());
        auto longer = read_newfs_command(line);
        if (!longer) break;
        ++used;
        command = std::move(longer);
    }
    if (command && command->device.empty()) used = 0;
    return command;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::optional<NewfsCommand> command;
    std::size_t header = at;
    if (begins_with_prompt_command(out, at)) {
        std::size_t wrapped = 0;
        command = command_at_prompt(out, wrapped);
        header = wrapped;
        while (header < out.lines.size() && is_adjustment(out.text(header))) ++header;
        if (!is_header(out.text(header))) {
            if (is_refusal(out.text(header)) || is_refusal(out.text(at))) return header + 1;
            if (!command || command->device.empty()) {
                scribe.unparsed(at, at, "newfs: no device in the command");
                return 1;
            }
            if (!command->bad_option.empty())
                scribe.unparsed(out.lines.size(), out.lines.size(),
                                "newfs: not a value: '" + escaped(command->bad_option) + "'");
            write_newfs_command(*command, scribe.at_prompt(), scribe);
            return std::max<std::size_t>(header, 1);
        }
        if (command) write_newfs_command(*command, scribe.at_prompt(), scribe);
    }
    const auto used = Report(out, scribe, header).read(command);
    if (used > 0 && command && command->print_only) {
        scribe.facts.filesystems.clear();
        scribe.unparsed(header, header + used - 1,
                        "newfs -N shows what would be made: nothing of it is on the disk");
    }
    return used == 0 ? 0 : header - at + used;
}

}  // namespace

extern const CommandParser newfs_parser{
    .id = "newfs",
    .programs = {"newfs"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
