// SPDX-License-Identifier: BSD-2-Clause
// mke2fs and mkfs.ext2, .ext3, .ext4, at a prompt with their output, or the output of an old release, which
// repeats what was chosen:
//   Creating filesystem with 26214400 4k blocks and 6553600 inodes
//   Block size=4096 (log=2)
//   Stride=16 blocks, Stripe width=48 blocks
//   183148544 inodes, 732566016 blocks
// No release prints the device, so that only the command tells it; -E stride and stripe-width count blocks.
// Source: e2fsprogs, misc/mke2fs.c (show_stats), mke2fs(8).
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_program(std::string_view name) {
    return name == "mke2fs" || name.starts_with("mkfs.ext");
}

// mkfs -t ext4 is the same program.
bool at_prompt(const Output& out) {
    return is_program(out.program()) || (out.program() == "mkfs" && out.option('t').starts_with("ext"));
}

bool is_new_summary(std::string_view line) {
    return contains(line, "Creating filesystem with ") && contains(line, " blocks and ") &&
           contains(line, " inodes");
}

bool is_old_line(std::string_view line) {
    const auto text = trim(line);
    return text.starts_with("Block size=") || text.starts_with("Fragment size=") ||
           text.starts_with("Stride=") || text.starts_with("Filesystem label=") ||
           text.starts_with("OS type:") || (contains(text, " inodes, ") && text.ends_with(" blocks"));
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    return is_new_summary(line) || trim(line).starts_with("Block size=") || (at == 0 && at_prompt(out));
}

std::string device_at_prompt(const Output& out) {
    if (!at_prompt(out)) return {};
    for (std::size_t i = out.argv.size(); i-- > 1;)
        if (std::string_view(out.argv[i]).starts_with("/dev/")) return device_name(out.argv[i]);
    return {};
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view label) {
    const auto rest = after(text, label);
    if (!rest) return std::nullopt;
    const auto found = leading_unsigned(trim(*rest));
    return found ? std::optional(found->value) : std::nullopt;
}

class Made {
 public:
    Made(const Output& out, Scribe& scribe) : out_(out), scribe_(scribe) {}

    void arguments() {
        const auto from = scribe_.at_prompt();
        if (const auto size = to_size(out_.option('b')); size && *size >= 1024)
            fs_.bsize = Number(*size, from);
        for (const auto part : split(out_.option('E'), ',')) {
            if (part.starts_with("stride="))
                if (const auto v = to_unsigned(part.substr(7))) stride_ = Number(*v, from);
            for (const std::string_view key : {"stripe-width=", "stripe_width="})
                if (part.starts_with(key))
                    if (const auto v = to_unsigned(part.substr(key.size()))) width_ = Number(*v, from);
        }
        if (const auto label = out_.option('L'); !label.empty()) fs_.label = Text(std::string(label), from);
        std::string_view type = out_.option('t');
        if (out_.program().starts_with("mkfs.ext")) type = out_.program().substr(5);
        if (type == "ext2" || type == "ext3" || type == "ext4") fs_.type = Text(std::string(type), from);
    }

    void line(std::size_t at) {
        const auto text = trim(out_.text(at));
        const auto put = [&](Number& field, std::optional<std::uint64_t> value) {
            if (value) field = scribe_.known(*value, at);
        };
        if (is_new_summary(text)) {
            const auto w = words(*after(text, "Creating filesystem with "));
            if (w.size() > 4) {
                put(blocks_, to_unsigned(w[0]));
                put(fs_.bsize, to_size(w[1]));
                put(fs_.inodes, number_after(text, " blocks and "));
            }
            return;
        }
        put(fs_.bsize, number_after(text, "Block size="));
        if (text.starts_with("Stride=")) put(stride_, number_after(text, "Stride="));
        put(width_, number_after(text, "Stripe width="));
        if (text.starts_with("Filesystem label=") && text.size() > 17)
            fs_.label = scribe_.text(text.substr(17), at);
        if (contains(text, " inodes, ") && text.ends_with(" blocks")) {
            put(fs_.inodes,
                leading_unsigned(text) ? std::optional(leading_unsigned(text)->value) : std::nullopt);
            put(blocks_, number_after(text, " inodes, "));
        }
    }

    void finish(const std::string& device) {
        const auto scaled = [&](Number& field, const Number& blocks) {
            if (!blocks || !fs_.bsize || *blocks == 0) return;
            if (const auto bytes = multiply(*blocks, *fs_.bsize)) field = Number(*bytes, blocks.from());
        };
        scaled(fs_.size_bytes, blocks_);
        scaled(fs_.stride_bytes, stride_);
        scaled(fs_.stripe_width_bytes, width_);
        fs_.device = device;
        scribe_.facts.filesystems.push_back(std::move(fs_));
    }

 private:
    const Output& out_;
    Scribe& scribe_;
    Filesystem fs_;
    Number blocks_, stride_, width_;
};

bool is_failure(std::string_view line) {
    const auto text = trim(line);
    return text.starts_with("mke2fs: ") || text.starts_with("mkfs.ext") ||
           contains(text, "is apparently in use") || contains(text, "is mounted;") ||
           text.starts_with("Could not ") || text.starts_with("Usage: ");
}

// The last line of a run: "Writing superblocks and filesystem accounting information: done".
bool is_other_output(std::string_view line) {
    const auto text = trim(line);
    return text.empty() || text.starts_with("mke2fs ") || text.starts_with("Filesystem UUID") ||
           text.starts_with("Superblock backups") || text.starts_with("Allocating group") ||
           text.starts_with("Writing ") || text.starts_with("Creating journal") ||
           text.starts_with("Discarding ") || text.starts_with("This filesystem will") ||
           contains(text, "block group") || contains(text, "blocks per group") ||
           contains(text, "inodes per group") || contains(text, "reserved for the super user") ||
           text.starts_with("First data block") || text.starts_with("Maximum filesystem blocks") ||
           text.find_first_not_of("0123456789, \t") == std::string_view::npos;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Made made(out, scribe);
    const auto device = device_at_prompt(out);
    if (at == 0 && !device.empty()) made.arguments();
    std::size_t next = at;
    bool told = at == 0 && !device.empty();
    for (; next < out.lines.size(); ++next) {
        const auto line = out.text(next);
        if (is_failure(line)) return next - at + 1;
        if (is_new_summary(line) || is_old_line(line)) {
            made.line(next);
            told = true;
        } else if (!is_other_output(line)) {
            break;
        }
    }
    if (device.empty() && told)
        scribe.unparsed(at, at, "mke2fs: neither the output nor a prompt names the device");
    if (!device.empty() && told) made.finish(device);
    scribe.suggest_os(Os::linux_, at);
    return next == at && told ? 1 : next - at;
}

}  // namespace

extern const CommandParser mke2fs_parser{
    .id = "mke2fs",
    .programs = {"mke2fs", "mkfs.ext2", "mkfs.ext3", "mkfs.ext4", "mkfs"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
