// SPDX-License-Identifier: BSD-2-Clause
// nvmecontrol (FreeBSD 9.2 and later) and nvmectl (NetBSD 8 and later): identify controller or namespace,
// logpage -p 2, devlist:
//   Controller Capabilities/Features
//   Model Number:               INTEL SSDPE2MD400G4
//   Dataset Management Command: Supported
//   Volatile Write Cache:       Not Present
//   Size (in LBAs):              3907029168 (3726M)
//   Current LBA Format:          LBA Format #00
//   LBA Format #00: Data Size:   512  Metadata Size:     0
//   SMART/Health Information Log
//   Critical Warning State:         0x00
//   Media errors:                   0
// Before 14 the data size stands on a line of its own below "LBA Format #0:", "Size (in LBAs)" became "Size
// ... blocks" in 13, and 9 and 10 print the counts in hexadecimal. A volatile cache that is present need not
// be on. Source: freebsd/freebsd-src:sbin/nvmecontrol/{identify,identify_ext,logpage,devlist}.c,
// NetBSD/src:sbin/nvmectl/.
#include <fmt/format.h>

#include "probes/parsers/key_value.hpp"
#include "probes/parsers/partition_listing.hpp"

namespace diskwright {
namespace {

bool is_heading(std::string_view text) {
    return text.starts_with("Controller Capabilities/Features") ||
           text.starts_with("SMART/Health Information Log");
}

bool is_ours(const Output& out) {
    return out.program() == "nvmecontrol" || out.program() == "nvmectl";
}

// " nvme0: INTEL SSDPE2MD400G4"
bool is_controller_row(std::string_view text) {
    const auto p = key_value(text);
    return p && p->key.starts_with("nvme") && is_number(p->key.substr(4)) && !p->value.empty();
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (is_heading(text) || text.starts_with("Current LBA Format:") || text.starts_with("Size (in LBAs):"))
        return true;
    if (!is_ours(out)) return false;
    if (out.operand(0) == "devlist") return is_controller_row(text);
    const auto p = key_value(text);
    return p && (p->key == "Size" || p->key == "Media errors" || p->key == "Critical Warning State" ||
                 p->key == "Volatile Write Cache" || p->key == "Model Number");
}

std::size_t read_devlist(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t i = at;
    for (; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.empty()) break;
        if (!is_controller_row(text)) {
            // "    nvme0ns1 (381554MB)": rounded, and the disk has another name (nvd0, nda0, ld0).
            if (text.starts_with("nvme") && text.ends_with(")")) continue;
            break;
        }
        const auto p = key_value(text);
        Disk& d = disk(scribe.facts, p->key);
        d.model = scribe.text(p->value, i);
        d.transport = scribe.text("nvme", i);
    }
    return i - at;
}

class Block {
 public:
    Block(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        if (is_ours(out_)) disk_.name = device_name(out_.operand(1, "pvnfmol"));
        std::size_t last = begin_, idle = 0;
        for (std::size_t i = begin_; i < out_.lines.size(); ++i) {
            const auto text = trim(out_.text(i));
            if (text.empty()) {
                if (++idle > 2) break;
                continue;
            }
            if (i > begin_ && is_heading(text)) break;
            if (!take(text, i)) break;
            idle = 0;
            last = i;
        }
        finish(last);
        return last - begin_ + 1;
    }

 private:
    bool take(std::string_view text, std::size_t i) {
        if (text.starts_with("LBA Format #")) {
            take_format(text, i);
            return true;
        }
        const auto p = key_value(text);
        if (!p) return is_heading(text) || text.starts_with("====") || out_.text(i)[0] != ' ';
        if (p->key.size() > 40) return false;
        const auto& [key, value] = *p;
        if (key == "Model Number" && !value.empty()) {
            disk_.model = scribe_.text(value, i);
        } else if (key == "Serial Number" && !value.empty()) {
            disk_.serial = scribe_.text(value, i);
        } else if (key == "Firmware Version" && !value.empty()) {
            disk_.firmware = scribe_.text(value, i);
        } else if (key == "Dataset Management Command") {
            disk_.trim = scribe_.known(value.starts_with("Supported"), i);
        } else if (key == "Volatile Write Cache") {
            if (value.starts_with("Not Present")) disk_.cache_protected = scribe_.known(true, i);
        } else if (key == "Size (in LBAs)" || key == "Size") {
            const auto count = leading_unsigned(value);
            if (count)
                blocks_ = count->value, blocks_line_ = i;
            else
                scribe_.unparsed(i, i, "nvmecontrol: the size is no number of blocks");
        } else if (key == "Current LBA Format") {
            const auto number = after(value, "#");
            const auto format = number ? leading_unsigned(*number) : std::nullopt;
            if (format) current_ = format->value;
            return true;
        } else if (key == "LBA Data Size" && open_format_ && open_format_ == current_) {
            take_sector(value, i);
        } else if (key == "Critical Warning State") {
            if (const auto bits = to_hex(value)) disk_.critical_warning = scribe_.known(*bits, i);
        } else if (key == "Media errors") {
            take_errors(value, i);
        } else {
            return true;
        }
        used_ = true;
        return true;
    }

    // "LBA Format #00: Data Size:   512  Metadata Size:     0", or the number alone and the size below it.
    void take_format(std::string_view text, std::size_t i) {
        const auto number = leading_unsigned(text.substr(12));
        if (!number) return;
        open_format_ = number->value;
        const auto size = after(text, "Data Size:");
        if (size && open_format_ == current_) take_sector(trim(*size), i);
    }
    void take_sector(std::string_view value, std::size_t i) {
        const auto bytes = leading_unsigned(value);
        used_ = true;
        if (bytes && bytes->value >= 512 && bytes->value <= 65536)
            disk_.logical_sector_bytes = scribe_.known(bytes->value, i);
        else
            scribe_.unparsed(i, i, "nvmecontrol: the format in use has no possible data size");
    }

    void take_errors(std::string_view value, std::size_t i) {
        const auto count = value.starts_with("0x") ? to_hex(value) : to_unsigned(value);
        if (count)
            disk_.media_errors = scribe_.known(*count, i);
        else
            scribe_.unparsed(i, i, "nvmecontrol: the media errors are no number");
    }

    void finish(std::size_t last) {
        if (blocks_ && disk_.logical_sector_bytes)
            if (const auto bytes = multiply(*blocks_, *disk_.logical_sector_bytes); bytes && *bytes > 0)
                disk_.size_bytes = scribe_.known(*bytes, blocks_line_);
        if (out_.program() == "nvmecontrol") scribe_.suggest_os(Os::freebsd, begin_);
        if (out_.program() == "nvmectl") scribe_.suggest_os(Os::netbsd, begin_);
        if (!used_) {
            scribe_.unparsed(begin_, last, "nvmecontrol: nothing of the drive is told here");
        } else {
            disk_.name = described_disk(out_, std::move(disk_.name));
            disk_.transport = scribe_.text("nvme", begin_);
            scribe_.facts.disks.push_back(std::move(disk_));
        }
    }

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    Disk disk_;
    std::optional<std::uint64_t> blocks_, current_, open_format_;
    std::size_t blocks_line_ = 0;
    bool used_ = false;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (is_ours(out) && out.operand(0) == "devlist") return read_devlist(out, at, scribe);
    return Block(out, at, scribe).read();
}

}  // namespace

extern const CommandParser nvmecontrol_parser{
    .id = "nvmecontrol",
    .programs = {"nvmecontrol", "nvmectl"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"nvmecontrol", "devlist"}, true}},
};

}  // namespace diskwright
