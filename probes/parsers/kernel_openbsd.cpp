// SPDX-License-Identifier: BSD-2-Clause
// Kernel messages of OpenBSD from dmesg, /var/run/dmesg.boot, /var/log/messages or a console:
//   OpenBSD 7.4 (GENERIC.MP) #1397: Tue Oct 10 09:02:37 MDT 2023
//   real mem = 8464285696 (8072MB)
//   sd0 at scsibus1 targ 0 lun 0: <ATA, WDC WD10EADS-00L, 01.0> naa.50014ee000000001
//   sd0: 953869MB, 512 bytes/sector, 1953525168 sectors, thin
//   wd0 at pciide0 channel 0 drive 0: <WDC WD10EADS-00L5B1>
//   wd0: 16-sector PIO, LBA48, 953869MB, 1953525168 sectors
//   sd9 at scsibus4 targ 1 lun 0: <OPENBSD, SR RAID 1, 005> SCSI2 0/direct fixed
// A flattened paste has the second line behind the first. Source: openbsd/src sys/scsi/{sd.c,scsiconf.c},
// sys/dev/ata/wd.c, sys/dev/softraid.c (product names).
#include "probes/model/storage_graph.hpp"
#include "probes/parsers/kernel_text.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using kernel::DeviceLine;

bool is_disk(std::string_view name) {
    return kernel::is_driver(name, {"wd", "sd"});
}

bool is_banner(std::string_view message) {
    const auto w = words(message);
    return w.size() >= 3 && w[0] == "OpenBSD" && w[1][0] >= '0' && w[1][0] <= '9' && w[2].starts_with('(') &&
           w[2].size() > 2;
}

bool is_attach(const DeviceLine& attach) {
    return is_disk(attach.name) && (contains(attach.rest, " targ ") || contains(attach.rest, " channel ")) &&
           contains(attach.rest, "<");
}

// "sd0: 953869MB, 512 bytes/sector, 1953525168 sectors" and wd's "953869MB, 1953525168 sectors".
bool is_size(std::string_view rest) {
    if (contains(rest, "MB, ") && rest.ends_with(" sec total")) return true;  // to 4.5
    return contains(rest, "MB, ") && contains(rest, " sectors") &&
           (contains(rest, " bytes/sector, ") || contains(rest, "-sector PIO"));
}

class Reader {
 public:
    explicit Reader(Scribe& scribe) : scribe_(scribe), notes_(scribe) {}

    bool read(std::string_view message, std::size_t line) {
        if (is_banner(message)) {
            scribe_.facts.os.name = scribe_.known(Os::openbsd, line);
            scribe_.facts.os.release = scribe_.text(words(message)[1], line);
            return true;
        }
        if (message.starts_with("real mem")) return kernel::read_memory(message, line, scribe_);
        if (const auto attach = kernel::attach_line(message))
            return is_attach(*attach) && read_attach(*attach, line);
        if (message.starts_with("SENSE KEY:") && !sense_of_.empty()) {
            if (kernel::tells_medium_error(message))
                notes_.medium_error(sense_of_, message.substr(0, 80), line);
            return true;
        }
        if (const auto end = message.find("): Check Condition"); end != std::string_view::npos) {
            const auto name = message.substr(0, message.find('('));
            if (!is_disk(name)) return false;
            sense_of_ = std::string(name);
            return true;
        }
        if (contains(message, "uncorrectable data error") && contains(message, " fsbn ")) {
            const auto name = disk_name(message.substr(0, message.find(':')));
            if (!is_disk(name)) return false;
            notes_.medium_error(name, message.substr(0, 80), line);
            return true;
        }
        const auto device = kernel::device_line(message);
        return device && is_disk(device->name) && is_size(device->rest) &&
               read_size(device->name, device->rest, line);
    }

 private:
    bool read_attach(const DeviceLine& attach, std::size_t line) {
        scribe_.suggest_os(Os::openbsd, line);
        const auto parts = kernel::inquiry_parts(attach.rest);
        if (parts.size() >= 2 && parts[0] == "OPENBSD" && parts[1].starts_with("SR ")) {
            read_softraid(attach.name, parts[1].substr(3), line);
        } else {
            notes_.attached(attach.name, attach.rest, line);
            if (parts.size() >= 2)
                disk(scribe_.facts, attach.name).removable =
                    scribe_.known(contains(attach.rest, "removable"), line);
        }
        const std::string second = std::string(attach.name) + ": ";
        if (const auto rest = after(attach.rest, second); rest && is_size(*rest))
            read_size(attach.name, *rest, line);
        return true;
    }

    // "SR RAID 1", "SR CRYPTO", "SR CONCAT", "SR RAID 1C".
    void read_softraid(std::string_view name, std::string_view product, std::size_t line) {
        Volume& set = volume(scribe_.facts, name);
        set.kind = scribe_.known(VolumeKind::softraid, line);
        if (product == "RAID 0") set.level = scribe_.known(RaidLevel::raid0, line);
        if (product == "RAID 1" || product == "RAID 1C") set.level = scribe_.known(RaidLevel::raid1, line);
        if (product == "RAID 5") set.level = scribe_.known(RaidLevel::raid5, line);
        if (product == "RAID 6") set.level = scribe_.known(RaidLevel::raid6, line);
        if (product == "CONCAT") set.level = scribe_.known(RaidLevel::concat, line);
        if (product == "CRYPTO" || product == "RAID 1C") set.crypto_format = scribe_.text("softraid", line);
    }

    bool read_size(std::string_view name, std::string_view rest, std::size_t line) {
        std::uint64_t sector = 512;                     // wd(4) knows no other
        const bool old = rest.ends_with(" sec total");  // "..., 63 sec, 512 bytes/sec, 234441648 sec total"
        if (const auto bytes =
                old ? between(rest, " sec, ", " bytes/sec") : between(rest, "MB, ", " bytes/sector")) {
            const auto value = scribe_.number(*bytes, line, "sector size");
            if (!value) return true;
            sector = *value;
        }
        const auto before = words(rest.substr(0, rest.find(old ? " sec total" : " sectors")));
        const auto count = scribe_.number(before.empty() ? "" : before.back(), line, "number of sectors");
        if (!count) return true;
        for (Volume& set : scribe_.facts.volumes)
            if (set.name == name) {
                if (const auto size = multiply(*count, sector)) set.size_bytes = scribe_.known(*size, line);
                set.logical_sector_bytes = scribe_.known(sector, line);
                return true;
            }
        notes_.size(name, *count, sector, line);
        const auto tail = after(rest, " sectors").value_or("");
        if (tail.starts_with(", thin")) disk(scribe_.facts, name).thin = scribe_.known(true, line);
        if (contains(tail, "readonly")) disk(scribe_.facts, name).read_only = scribe_.known(true, line);
        scribe_.suggest_os(Os::openbsd, line);
        return true;
    }

    Scribe& scribe_;
    kernel::DiskNotes notes_;
    std::string sense_of_;
};

bool starts(const Output& out, std::size_t at) {
    const auto message = kernel::message_of(out.text(at)).text;
    if (is_banner(message)) return true;
    if (const auto attach = kernel::attach_line(message)) return is_attach(*attach);
    if (contains(message, "): Check Condition (error ") || contains(message, "uncorrectable data error"))
        return true;
    const auto device = kernel::device_line(message);
    return device && is_disk(device->name) && is_size(device->rest);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Reader reader(scribe);
    return kernel::read_messages(
        out, at, [&](std::string_view message, std::size_t line) { return reader.read(message, line); });
}

}  // namespace

extern const CommandParser kernel_openbsd_parser{
    .id = "kernel-openbsd",
    .programs = {"dmesg"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::openbsd, {"dmesg"}}, {Os::openbsd, {"<", "/var/run/dmesg.boot"}}},
};

}  // namespace diskwright
