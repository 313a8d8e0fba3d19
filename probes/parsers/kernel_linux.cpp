// SPDX-License-Identifier: BSD-2-Clause
// Kernel messages of Linux from dmesg, the journal, /var/log/messages or a console:
//   Linux version 5.10.0-18-amd64 (debian-kernel@...) (gcc-10 ...) #1 SMP Debian 5.10.140-1
//   scsi 0:0:0:0: Direct-Access     ATA      WDC WD10EZEX-00B 1A01 PQ: 0 ANSI: 5
//   sd 0:0:0:0: [sda] 1953525168 512-byte logical blocks: (1.00 TB/931 GiB)
//   sd 0:0:0:0: [sda] 4096-byte physical blocks
//   sd 0:0:0:0: [sda] Write cache: disabled, read cache: enabled, supports DPO and FUA
//   sd 0:0:0:0: [sda] Sense Key : Hardware Error [current]
//   end_request: critical target error, dev sda, sector 153801040
//   blk_update_request: critical target error, dev sda, sector 2048 op 0x3:(DISCARD) flags 0x800 ...
//   Buffer I/O error on dev sdd1, logical block 0, lost async page write
//   md/raid:md0: raid level 5 active with 3 out of 4 devices, algorithm 2
//   md/raid1:md1: Disk failure on sdb1, disabling device.
//   md: md1 stopped.
// Source: torvalds/linux drivers/scsi/{sd.c,scsi_scan.c,scsi_logging.c}, block/blk-core.c, fs/buffer.c,
// drivers/md/{raid5,raid1,raid10}.c.
#include <algorithm>
#include <array>
#include <map>

#include "probes/model/storage_graph.hpp"
#include "probes/parsers/kernel_text.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// "sd 0:0:0:0: [sda] rest" and "virtio_blk virtio2: [vda] rest".
struct DiskLine {
    std::string_view address, name, rest;
};
std::optional<DiskLine> disk_line(std::string_view message) {
    if (!message.starts_with("sd ") && !message.starts_with("virtio_blk ")) return std::nullopt;
    const auto open = message.find(": [");
    if (open == std::string_view::npos || open > 32) return std::nullopt;
    const auto end = message.find(']', open);
    if (end == std::string_view::npos || end - open > 20) return std::nullopt;
    const auto first = message.find(' ') + 1;
    return DiskLine{message.substr(first, open - first), message.substr(open + 3, end - open - 3),
                    trim(message.substr(end + 1))};
}

constexpr std::array<std::string_view, 3> request_errors{
    "end_request: ", "blk_update_request: ", "print_req_error: "};
constexpr std::array<std::string_view, 3> lost_pages{
    "Buffer I/O error on dev ", "Buffer I/O error on device ", "lost page write due to I/O error on "};

// "critical medium error, dev sda, sector 123"; newer kernels leave out who says it.
std::optional<std::string_view> failed_device(std::string_view message) {
    const bool said = std::any_of(request_errors.begin(), request_errors.end(),
                                  [&](std::string_view b) { return message.starts_with(b); }) ||
                      message.starts_with("critical ") || message.starts_with("I/O error, dev ");
    const auto name = said ? after(message, ", dev ") : std::nullopt;
    if (!name) return std::nullopt;
    return name->substr(0, name->find_first_of(", "));
}

// "Buffer I/O error on dev sdd1, logical block 0, lost async page write".
std::optional<std::string_view> lost_page_device(std::string_view message) {
    for (const auto begin : lost_pages) {
        if (!message.starts_with(begin)) continue;
        const auto name = message.substr(begin.size());
        return name.substr(0, name.find_first_of(", "));
    }
    return std::nullopt;
}

// Whether the request was a read or a write; nothing where the message does not tell. A disk that does not
// know discard, write same or write zeroes rejects them without any fault of the medium. The kernels that
// print no operation print its number in the low byte of the flags (include/linux/blk_types.h, REQ_OP_BITS),
// and those before 4.15 neither.
std::optional<bool> moves_data(std::string_view message) {
    constexpr std::uint64_t write = 1, operations = 0xff;
    auto number = after(message, " op 0x");
    if (!number) number = after(message, " flags ");
    if (!number) return std::nullopt;
    const auto value = to_hex(number->substr(0, number->find_first_not_of("0123456789abcdef")));
    return value ? std::optional((*value & operations) <= write) : std::nullopt;
}

// A failure of the way to the disk: its cable, its controller, a disk that was pulled out. Which fault a
// target has is told by the sense data.
bool is_transport_failure(std::string_view text) {
    constexpr std::array<std::string_view, 6> of_the_disk{"DID_OK", "DID_TARGET_FAILURE", "DID_MEDIUM_ERROR",
                                                          "0x00",   "0x10",               "0x13"};
    const auto host = after(text, "hostbyte=");
    return host && std::none_of(of_the_disk.begin(), of_the_disk.end(),
                                [&](std::string_view word) { return host->starts_with(word); });
}

bool is_md(std::string_view message) {
    return message.starts_with("md/raid");
}

class Reader {
 public:
    explicit Reader(Scribe& scribe) : scribe_(scribe), notes_(scribe) {}

    bool read(std::string_view message, std::size_t line) {
        if (message.starts_with("Linux version ")) return read_banner(message, line);
        if (const auto d = disk_line(message)) return read_disk(*d, line);
        if (message.starts_with("SCSI device ")) return read_old_disk(message.substr(12), line);
        if (message.starts_with("scsi ") && contains(message, ": Direct-Access "))
            return read_inquiry(message, line);
        if (const auto name = failed_device(message)) return read_failure(message, *name, line);
        if (const auto name = lost_page_device(message)) return read_lost_page(message, *name, line);
        if (is_md(message)) return read_md(message, line);
        if (message.starts_with("md: md") && message.ends_with(" stopped.")) return forget_md(message);
        return false;
    }

 private:
    bool read_banner(std::string_view message, std::size_t line) {
        const auto w = words(message);
        if (w.size() < 4 || w[2].empty() || w[2][0] < '0' || w[2][0] > '9') return false;
        scribe_.facts.os.name = scribe_.known(Os::linux_, line);
        scribe_.facts.os.release = scribe_.text(w[2], line);
        return true;
    }

    bool read_disk(const DiskLine& d, std::size_t line) {
        scribe_.suggest_os(Os::linux_, line);
        const auto model = models_.find(std::string(d.address));
        if (model != models_.end()) notes_.model(d.name, model->second.first, true, model->second.second);
        if (contains(d.rest, "-byte logical blocks") || contains(d.rest, "-byte hardware sectors")) {
            auto rest = d.rest;
            if (rest.starts_with("new size: ")) rest.remove_prefix(10);  // virtio_blk, after a resize
            const auto w = words(rest);
            const auto count = scribe_.number(w[0], line, "number of sectors");
            const auto size = leading_unsigned(w.size() > 1 ? w[1] : std::string_view{});
            if (count && size) notes_.size(d.name, *count, size->value, line);
        } else if (contains(d.rest, "-byte physical blocks")) {
            const auto size = leading_unsigned(d.rest);
            if (size && size->value >= 512 && size->value <= 65536)
                disk(scribe_.facts, d.name).physical_sector_bytes = scribe_.known(size->value, line);
            else
                scribe_.unparsed(line, line, "size of physical blocks is no sector size");
        } else if (const auto cache = after(d.rest, "Write cache: ")) {
            if (cache->starts_with("enabled"))
                disk(scribe_.facts, d.name).write_cache = scribe_.known(Switch::on, line);
            else if (cache->starts_with("disabled"))
                disk(scribe_.facts, d.name).write_cache = scribe_.known(Switch::off, line);
            else
                scribe_.unparsed(line, line, "write cache is neither enabled nor disabled");
        } else if (d.rest.starts_with("Attached SCSI")) {
            disk(scribe_.facts, d.name).removable = scribe_.known(contains(d.rest, "removable"), line);
        } else if (d.rest.starts_with("Write Protect is on")) {
            disk(scribe_.facts, d.name).read_only = scribe_.known(true, line);
        } else if (contains(d.rest, "hostbyte=")) {
            // That the way was open tells nothing of the fault.
            if (is_transport_failure(d.rest))
                blameless_[std::string(d.name)] = true;
            else
                blameless_.erase(std::string(d.name));
        } else if (contains(d.rest, "Sense Key")) {
            const bool medium = kernel::tells_medium_error(d.rest);
            blameless_[std::string(d.name)] = !medium;
            if (medium) notes_.medium_error(d.name, d.rest.substr(0, 80), line);
        }
        return true;
    }

    // Before 2.6.27: "sda: 1953525168 512-byte hdwr sectors (1000205 MB)", "sda: drive cache: write back w/
    // FUA".
    bool read_old_disk(std::string_view message, std::size_t line) {
        const auto colon = message.find(": ");
        if (colon == std::string_view::npos || !message.starts_with("sd")) return false;
        const auto name = message.substr(0, colon), rest = message.substr(colon + 2);
        const auto w = words(rest);
        if (contains(rest, "-byte hdwr sectors")) {
            const auto count = scribe_.number(w[0], line, "number of sectors");
            const auto size = leading_unsigned(w.size() > 1 ? w[1] : std::string_view{});
            if (count && size) notes_.size(name, *count, size->value, line);
        } else if (rest.starts_with("drive cache: write ")) {
            disk(scribe_.facts, name).write_cache =
                scribe_.known(contains(rest, "write back") ? Switch::on : Switch::off, line);
        } else {
            return false;
        }
        scribe_.suggest_os(Os::linux_, line);
        return true;
    }

    // "scsi 0:0:0:0: Direct-Access     ATA      WDC WD10EZEX-00B 1A01 PQ: 0 ANSI: 5".
    bool read_inquiry(std::string_view message, std::size_t line) {
        const auto address = between(message, "scsi ", ": ");
        const auto text = between(message, "Direct-Access ", " PQ:");
        if (!address || !text) return false;
        auto w = words(*text);
        if (w.size() < 2) return true;
        w.pop_back();  // revision
        if (w.front() == "ATA" && w.size() > 1) w.erase(w.begin());
        std::string model;
        for (const auto word : w) model += (model.empty() ? "" : " ") + std::string(word);
        models_[std::string(*address)] = {model, line};
        return true;
    }

    // What the kernel calls a target error is a hardware error or a command that the disk rejects: the sense
    // data above it or the kind of request tells (drivers/scsi/scsi_error.c, scsi_check_sense). Where neither
    // is there, nothing is said.
    bool is_target_fault(const std::string& device, std::string_view message) const {
        return !is_blameless(device) && moves_data(message).value_or(blameless_.contains(device));
    }
    bool is_blameless(const std::string& device) const {
        const auto at = blameless_.find(device);
        return at != blameless_.end() && at->second;
    }

    bool read_failure(std::string_view message, std::string_view name, std::size_t line) {
        const auto device = disk_name(name);
        if (!device.empty() &&
            (contains(message, "critical medium error") ||
             (contains(message, "critical target error") && is_target_fault(device, message))))
            notes_.medium_error(device, message.substr(0, 80), line);
        scribe_.suggest_os(Os::linux_, line);
        return true;
    }

    // Data that never reached the disk. A plain I/O error alone may be a command that was retried.
    bool read_lost_page(std::string_view message, std::string_view name, std::size_t line) {
        const auto device = disk_name(name);
        const bool lost = message.starts_with("lost page write") ||
                          contains(message, "lost async page write") ||
                          contains(message, "lost sync page write");
        if (lost && !device.empty() && !is_blameless(device))
            notes_.medium_error(device, message.substr(0, 80), line);
        scribe_.suggest_os(Os::linux_, line);
        return true;
    }

    // "md/raid:md0: raid level 5 active with 3 out of 4 devices, algorithm 2".
    bool read_md(std::string_view message, std::size_t line) {
        const auto first = message.find(':');
        const auto second = first == std::string_view::npos ? first : message.find(": ", first + 1);
        if (second == std::string_view::npos) return false;
        const auto name = message.substr(first + 1, second - first - 1), said = message.substr(second + 2);
        if (!name.starts_with("md") || name.size() > 32) return false;
        scribe_.suggest_os(Os::linux_, line);
        const auto active = after(said, "active with ");
        const auto w = active ? words(*active) : std::vector<std::string_view>{};
        if (w.size() >= 4 && w[1] == "out" && w[2] == "of") {
            const auto found = to_unsigned(w[0]), total = to_unsigned(w[3]);
            Volume& set = volume(scribe_.facts, name);
            set.kind = scribe_.known(VolumeKind::md, line);
            if (found && total && *total > 0) {
                set.columns = kernel::passing(*total, scribe_, line);
                set.state = kernel::passing(*found < *total ? VolumeState::degraded : VolumeState::optimal,
                                            scribe_, line);
            }
            read_level(set, message.substr(0, first), said, line);
        } else if (const auto device = between(said, "Disk failure on ", ",")) {
            Volume& set = volume(scribe_.facts, name);
            set.kind = scribe_.known(VolumeKind::md, line);
            component(set, *device).state = kernel::passing(ComponentState::failed, scribe_, line);
            set.state = kernel::passing(VolumeState::degraded, scribe_, line);
        }
        return true;
    }

    // "md: md3 stopped.": also before a set is assembled. What was said of it until then is of the past.
    bool forget_md(std::string_view message) {
        const auto name = between(message, "md: ", " stopped.").value_or(std::string_view{});
        std::erase_if(scribe_.facts.volumes, [&](const Volume& v) { return v.name == name; });
        return true;
    }

    void read_level(Volume& set, std::string_view prefix, std::string_view said, std::size_t line) {
        std::string_view text = prefix.substr(std::string_view("md/raid").size());
        if (const auto level = between(said, "raid level ", " ")) text = *level;
        if (const auto level = from_string<RaidLevel>(text)) set.level = scribe_.known(*level, line);
    }

    Scribe& scribe_;
    kernel::DiskNotes notes_;
    std::map<std::string, std::pair<std::string, std::size_t>> models_;
    std::map<std::string, bool> blameless_;  // the disk's last failure was none of its medium, where told
};

bool starts(const Output& out, std::size_t at) {
    const auto message = kernel::message_of(out.text(at)).text;
    if (message.starts_with("Linux version ") || is_md(message)) return true;
    if (message.starts_with("SCSI device sd"))
        return contains(message, "-byte hdwr sectors") || contains(message, ": drive cache: ");
    if (message.starts_with("scsi ")) return contains(message, ": Direct-Access ");
    return disk_line(message).has_value() || failed_device(message).has_value() ||
           lost_page_device(message).has_value();
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Reader reader(scribe);
    return kernel::read_messages(
        out, at, [&](std::string_view message, std::size_t line) { return reader.read(message, line); });
}

}  // namespace

extern const CommandParser kernel_linux_parser{
    .id = "kernel-linux",
    .programs = {"dmesg", "journalctl"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"dmesg"}}},
};

}  // namespace diskwright
