// SPDX-License-Identifier: BSD-2-Clause
// Kernel messages of NetBSD 1.5 to 10 from dmesg, /var/run/dmesg.boot, /var/log/messages or a console:
//   NetBSD 9.3 (GENERIC) #0: Thu Aug  4 15:30:37 UTC 2022
//   wd0 at atabus0 drive 0
//   wd0: <WDC WD5003ABYX-01WERA1>
//   wd0: 465 GB, 969021 cyl, 16 head, 63 sec, 512 bytes/sect x 976773168 sectors
//   wd0(ahcisata0:0:0): using PIO mode 4, DMA mode 2, Ultra-DMA mode 6 (Ultra/133) (using DMA), NCQ (31 tags)
//   sd0 at scsibus0 target 0 lun 0: <SEAGATE, ST3146807LC, 0007> disk fixed
//   dk0 at wd0: "export", 976771120 blocks at 2048, type: ffs
//   wd0a: error reading fsbn 1234 of 1234-1241 (wd0 bn 1297; cn 1 tn 4 sn 37), retrying
//   wd0: (uncorrectable data error)
// Source: NetBSD/src sys/dev/{ata/wd.c,scsipi/sd.c,ld.c,dkwedge/dk.c,scsipi/scsi_verbose.c},
// sys/kern/subr_disk.c.
#include "probes/model/storage_graph.hpp"
#include "probes/parsers/kernel_raidframe.hpp"
#include "probes/parsers/kernel_text.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using kernel::DeviceLine;

bool is_disk(std::string_view name) {
    return kernel::is_driver(name, {"wd", "sd", "ld", "xbd"});
}

// "NetBSD 9.3 (GENERIC) #0: ...": a kernel's name in parentheses tells it from a sentence.
bool is_banner(std::string_view message) {
    const auto w = words(message);
    return w.size() >= 3 && w[0] == "NetBSD" && w[1][0] >= '0' && w[1][0] <= '9' && w[2].starts_with('(') &&
           w[2].size() > 2;
}

// "wd0(ahcisata0:0:0): ..." and "sd0(mpt0:0:0:0): ...".
std::optional<DeviceLine> bus_line(std::string_view message) {
    const auto open = message.find('(');
    const auto end = message.find("): ");
    if (open == std::string_view::npos || end == std::string_view::npos || end < open || open > 16)
        return std::nullopt;
    if (!is_disk(message.substr(0, open))) return std::nullopt;
    return DeviceLine{message.substr(0, open), message.substr(open + 1)};
}

class Reader {
 public:
    explicit Reader(Scribe& scribe) : scribe_(scribe), notes_(scribe) {}

    bool read(std::string_view message, std::size_t line) {
        if (kernel::is_raidframe_message(message)) {
            kernel::read_raidframe_message(message, line, scribe_);
            return true;
        }
        if (is_banner(message)) return read_banner(message, line);
        if (message.starts_with("SENSE KEY:") || message.starts_with("ASC/ASCQ:") ||
            message.starts_with("INFO FIELD:"))
            return read_sense(message, line);
        if (const auto bus = bus_line(message)) return read_bus(*bus, line);
        if (const auto attach = kernel::attach_line(message)) return read_attach(*attach, line);
        if (contains(message, ": error ") && contains(message, "fsbn"))
            return read_failed_request(message, line);
        if (const auto device = kernel::device_line(message); device) return read_device(*device, line);
        return false;
    }

 private:
    bool read_banner(std::string_view message, std::size_t line) {
        scribe_.facts.os.name = scribe_.known(Os::netbsd, line);
        scribe_.facts.os.release = scribe_.text(words(message)[1], line);
        return true;
    }

    bool read_attach(const DeviceLine& attach, std::size_t line) {
        if (kernel::is_driver(attach.name, {"dk"})) return read_wedge(attach, line);
        if (!is_disk(attach.name)) return false;
        const auto w = words(attach.rest);
        if (w.empty()) return false;
        const bool ata = w[0].starts_with("atabus") && contains(attach.rest, " drive ");
        const bool scsi = w[0].starts_with("scsibus") && contains(attach.rest, " target ");
        const bool ld = kernel::is_driver(attach.name, {"ld"});
        if (!ata && !scsi && !ld) return false;
        Disk& d = disk(scribe_.facts, attach.name);
        if (w[0].starts_with("nvme")) {
            d.transport = scribe_.text("nvme", line);
            d.driver_mode = scribe_.text("nvme", line);
        }
        if (w[0].starts_with("sdmmc")) d.transport = scribe_.text("mmc", line);
        if (scsi) {
            notes_.attached(attach.name, attach.rest, line);
            if (contains(attach.rest, "> disk "))
                d.removable = scribe_.known(attach.rest.ends_with("removable"), line);
        } else if (ata) {
            notes_.attached(attach.name, attach.rest, line);
        }
        if (ata || scsi) scribe_.suggest_os(Os::netbsd, line);
        return true;
    }

    // 'dk0 at wd0: "name", 976771120 blocks at 2048, type: ffs'; without the rest in older releases.
    bool read_wedge(const DeviceLine& attach, std::size_t line) {
        const auto colon = attach.rest.find(':');
        if (colon == std::string_view::npos) return false;
        const auto parent = attach.rest.substr(0, colon);
        const auto said = attach.rest.substr(colon + 1);
        const auto comma = said.rfind(", type:");
        Partition& p = partition(scribe_.facts, attach.name);
        p.parent = device_name(parent);
        p.scheme = scribe_.known(Scheme::gpt, line);
        const auto before_type = said.substr(0, comma);
        const auto name_end = before_type.rfind(", ");
        if (comma != std::string_view::npos && name_end != std::string_view::npos)
            read_extent(p, words(before_type.substr(name_end + 2)), trim(said.substr(comma + 7)), line);
        scribe_.suggest_os(Os::netbsd, line);
        return true;
    }

    // "976771120 blocks at 2048".
    void read_extent(Partition& p, const std::vector<std::string_view>& w, std::string_view type,
                     std::size_t line) {
        if (w.size() != 4 || w[1] != "blocks" || w[2] != "at") return;
        std::uint64_t sector = 512;
        for (const Disk& d : scribe_.facts.disks)
            if (d.name == p.parent) sector = d.logical_sector_bytes.value_or(512);
        const auto size = scribe_.scaled(w[0], sector, line, "size of a wedge");
        const auto start = scribe_.scaled(w[3], sector, line, "start of a wedge");
        if (size) p.size_bytes = scribe_.known(*size, line);
        if (start) p.start_bytes = scribe_.known(*start, line);
        if (!type.empty()) p.type = scribe_.text(type, line);
    }

    bool read_device(const DeviceLine& device, std::size_t line) {
        const auto name = device.name, rest = device.rest;
        if (kernel::is_driver(name, {"dk"})) {
            // The second line of an older wedge; dkctl prints the like, and only a wedge seen attached is
            // known.
            for (Partition& p : scribe_.facts.partitions) {
                const auto comma = rest.find(", type:");
                if (p.name != name || comma == std::string_view::npos || p.size_bytes) continue;
                read_extent(p, words(rest.substr(0, comma)), trim(rest.substr(comma + 7)), line);
                return true;
            }
            return false;
        }
        if (!is_disk(name)) return false;
        if (const auto sectors = between(rest, " bytes/sect x ", " sectors")) {
            const auto w = words(rest.substr(0, rest.find(" bytes/sect x ")));
            const auto bytes = scribe_.number(w.empty() ? "" : w.back(), line, "sector size");
            const auto count = scribe_.number(*sectors, line, "number of sectors");
            if (bytes && count) notes_.size(name, *count, *bytes, line);
            scribe_.suggest_os(Os::netbsd, line);
            return true;
        }
        if (rest.starts_with('<') && rest.ends_with('>')) {
            notes_.model(name, kernel::in_angles(rest), false, line);
            return true;
        }
        if (rest.starts_with('(')) {
            if (contains(rest, "uncorrectable data error"))
                notes_.medium_error(name, rest.substr(0, 80), line);
            return true;
        }
        return rest.starts_with("drive supports ") || rest.starts_with("GPT GUID: ") ||
               rest.starts_with("32-bit data port") || rest.starts_with("fabricating a geometry") ||
               rest.starts_with("soft error (corrected)");
    }

    // "ahcisata0:0:0): using PIO mode 4, ..., NCQ (31 tags)", "mpt0:0:0:0):  Check Condition on CDB: ...".
    bool read_bus(const DeviceLine& bus, std::size_t line) {
        sense_of_ = std::string(bus.name);
        if (!contains(bus.rest, "using ")) {
            if (kernel::tells_medium_error(bus.rest))
                notes_.medium_error(bus.name, bus.rest.substr(0, 80), line);
            return true;
        }
        Disk& d = disk(scribe_.facts, bus.name);
        if (bus.rest.starts_with("ahcisata")) d.driver_mode = scribe_.text("ahci", line);
        if (const auto tags = between(bus.rest, "NCQ (", " tags"))
            if (const auto count = scribe_.number(*tags, line, "queue depth"))
                d.queue_depth = scribe_.known(*count, line);
        scribe_.suggest_os(Os::netbsd, line);
        return true;
    }

    bool read_sense(std::string_view message, std::size_t line) {
        if (sense_of_.empty()) return false;
        if (message.starts_with("SENSE KEY:") && kernel::tells_medium_error(message))
            notes_.medium_error(sense_of_, message.substr(0, 80), line);
        return true;
    }

    // "wd0a: error reading fsbn ... (wd0 bn ...), retrying": the reason follows in the next line, or in older
    // releases in parentheses at the end.
    bool read_failed_request(std::string_view message, std::size_t line) {
        const auto name = disk_name(message.substr(0, message.find(':')));
        if (!is_disk(name)) return false;
        if (contains(message, "uncorrectable data error"))
            notes_.medium_error(name, message.substr(0, 80), line);
        return true;
    }

    Scribe& scribe_;
    kernel::DiskNotes notes_;
    std::string sense_of_;
};

bool starts(const Output& out, std::size_t at) {
    const auto message = kernel::message_of(out.text(at)).text;
    if (is_banner(message) || kernel::is_raidframe_message(message) || bus_line(message)) return true;
    if (const auto attach = kernel::attach_line(message))
        return (is_disk(attach->name) && !contains(attach->rest, " targ ") &&
                !contains(attach->rest, " channel ")) ||
               (kernel::is_driver(attach->name, {"dk"}) && contains(attach->rest, ":"));
    if (contains(message, ": error ") && contains(message, "fsbn")) return true;
    const auto device = kernel::device_line(message);
    return device && is_disk(device->name) &&
           (contains(device->rest, " bytes/sect x ") || device->rest.starts_with("(") ||
            device->rest.starts_with('<') || device->rest.starts_with("drive supports "));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Reader reader(scribe);
    return kernel::read_messages(
        out, at, [&](std::string_view message, std::size_t line) { return reader.read(message, line); });
}

}  // namespace

extern const CommandParser kernel_netbsd_parser{
    .id = "kernel-netbsd",
    .programs = {"dmesg"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"dmesg"}}, {Os::netbsd, {"<", "/var/run/dmesg.boot"}}},
};

}  // namespace diskwright
