// SPDX-License-Identifier: BSD-2-Clause
// Kernel messages of FreeBSD 4 to 14 and DragonFly from dmesg, /var/run/dmesg.boot, /var/log/messages or a
// console:
//   FreeBSD 12.2-RELEASE r366954 GENERIC amd64
//   ada0 at ahcich0 bus 0 scbus0 target 0 lun 0
//   ada0: <WDC WD20EARS-00MVWB0 51.0AB51> ATA8-ACS SATA 2.x device
//   ada0: 300.000MB/s transfers (SATA 2.x, UDMA6, PIO 8192bytes)
//   ada0: 1907729MB (3907029168 512 byte sectors: 16H 63S/T 16383C)
//   ada0: quirks=0x1<4K>
//   ad4: 476940MB <WDC WD5002ABYS-02B1B0 02.03B03> at ata2-master UDMA100 SATA 3Gb/s
//   (da0:mps0:0:0:0): SCSI sense: MEDIUM ERROR asc:11,0 (Unrecovered read error)
// Source: freebsd/freebsd-src sys/cam/{ata/ata_da.c,scsi/scsi_da.c,nvme/nvme_da.c,ata/ata_all.c},
// sys/dev/ata/ata-disk.c (6 to 8). Lines of GEOM classes are read in kernel_geom.cpp.
#include "probes/parsers/kernel_geom.hpp"
#include "probes/parsers/kernel_text.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using kernel::DeviceLine;

bool is_disk(std::string_view name) {
    return kernel::is_driver(name, {"ada", "da", "ad", "nda", "nvd", "vtbd", "vtblk", "mmcsd", "aacd", "mfid",
                                    "twed", "amrd", "mlxd", "idad", "ar", "xbd"});
}

bool is_release(std::string_view word) {
    return !word.empty() && word[0] >= '0' && word[0] <= '9' && word.find('-') != std::string_view::npos;
}

// The third word of a banner is "#0", a revision or a branch; in a sentence it is none of these.
bool is_banner(const std::vector<std::string_view>& w) {
    if (w.size() < 4 || (w[0] != "FreeBSD" && w[0] != "DragonFly")) return false;
    const auto release = w[1].starts_with('v') ? w[1].substr(1) : w[1];
    if (!is_release(release)) return false;
    return w[2].starts_with('#') || (w[2].size() > 1 && w[2][0] == 'r' && w[2][1] >= '0' && w[2][1] <= '9') ||
           w[2].starts_with("releng/") || w[2].starts_with("stable/") || w[2].starts_with("main-");
}

class Reader {
 public:
    explicit Reader(Scribe& scribe) : scribe_(scribe), notes_(scribe), geom_(scribe, notes_) {}

    bool read(std::string_view message, std::size_t line) {
        if (geom_.read(message, line)) return true;
        if (message.starts_with('(')) return read_error(message, line);
        if (message.starts_with("FreeBSD ") || message.starts_with("DragonFly "))
            return read_banner(message, line);
        if (message.starts_with("real memory")) return kernel::read_memory(message, line, scribe_);
        if (const auto attach = kernel::attach_line(message); attach && is_disk(attach->name))
            return read_attach(*attach, line);
        if (const auto device = kernel::device_line(message); device && is_disk(device->name))
            return read_device(*device, line);
        return false;
    }
    void finish() { geom_.finish(); }

 private:
    bool read_banner(std::string_view message, std::size_t line) {
        const auto w = words(message);
        if (!is_banner(w)) return false;
        const bool dragonfly = w[0] == "DragonFly";
        scribe_.facts.os.name = scribe_.known(dragonfly ? Os::dragonfly : Os::freebsd, line);
        scribe_.facts.os.release = scribe_.text(w[1].starts_with('v') ? w[1].substr(1) : w[1], line);
        return true;
    }

    // "ada0 at ahcich0 bus 0 scbus0 target 0 lun 0".
    bool read_attach(const DeviceLine& attach, std::size_t line) {
        const auto w = words(attach.rest);
        if (w.size() < 5 || w[1] != "bus") return false;
        Disk& d = disk(scribe_.facts, attach.name);
        if (w[0].starts_with("ahcich")) d.driver_mode = scribe_.text("ahci", line);
        if (w[0].starts_with("nvme"))
            d.driver_mode = scribe_.text("nvme", line), d.transport = scribe_.text("nvme", line);
        if (w[0].starts_with("umass-sim")) d.transport = scribe_.text("usb", line);
        if (kernel::is_driver(w[0], {"ata"})) legacy_.insert(std::string(attach.name));
        scribe_.suggest_os(Os::freebsd, line);
        return true;
    }

    bool read_device(const DeviceLine& device, std::size_t line) {
        const auto name = device.name, rest = device.rest;
        if (rest.starts_with('<')) return read_model(name, rest, line);
        if (rest.starts_with("Serial Number ")) {
            disk(scribe_.facts, name).serial = scribe_.text(trim(rest.substr(14)), line);
            return true;
        }
        if (contains(rest, "MB/s transfers")) {
            if (contains(rest, "SATA") && legacy_.count(std::string(name)) > 0) note_legacy(name, line);
            return true;
        }
        if (contains(rest, " byte sectors")) return read_size(name, rest, line);
        if (contains(rest, "MB <")) return read_old_disk(name, rest, line);
        if (rest.starts_with("quirks=")) {
            // The driver knows this model to have sectors of 4096 bytes.
            const auto names = kernel::in_angles(rest);
            for (const auto quirk : split(names, ','))
                if (quirk == "4K")
                    disk(scribe_.facts, name).physical_sector_bytes =
                        scribe_.known(std::uint64_t{4096}, line);
            return true;
        }
        if (rest.starts_with("FAILURE - ") || rest.starts_with("WARNING - ")) {
            if (contains(rest, "UNCORRECTABLE") && rest.starts_with("FAILURE"))
                notes_.medium_error(name, rest.substr(0, 60), line);
            return true;
        }
        return rest.starts_with("Command Queueing") || rest.starts_with("Previously was known as") ||
               rest.starts_with("nvme version") || rest.starts_with("Delete methods") ||
               rest.starts_with("Attempt to");
    }

    // "<MODEL FIRMWARE> ATA8-ACS SATA 2.x device", "<VENDOR PRODUCT REVISION> Fixed Direct Access SCSI-5
    // device",
    // "<MODEL> NVMe namespace".
    bool read_model(std::string_view name, std::string_view rest, std::size_t line) {
        auto w = words(kernel::in_angles(rest));
        if (w.empty()) return contains(rest, "device");
        Disk& d = disk(scribe_.facts, name);
        const bool nvme = kernel::is_driver(name, {"nvd", "nda"});
        const bool scsi = contains(rest, "Direct Access") || contains(rest, "Direct-Access");
        if (nvme) d.driver_mode = scribe_.text("nvme", line), d.transport = scribe_.text("nvme", line);
        if (contains(rest, "SATA")) d.transport = scribe_.text("sata", line);
        if (scsi) d.removable = scribe_.known(rest.find("> Removable") != std::string_view::npos, line);
        const std::string_view all = kernel::in_angles(rest);
        std::size_t tail = contains(rest, "NVMe namespace") ? 0 : kernel::is_driver(name, {"nda"}) ? 2 : 1;
        if (w.size() <= tail) tail = 0;
        const auto model =
            tail == 0 ? all
                      : trim(all.substr(0, static_cast<std::size_t>(w[w.size() - tail].data() - all.data())));
        notes_.model(name, model, scsi, line);
        if (tail == 1) d.firmware = scribe_.text(w.back(), line);
        scribe_.suggest_os(Os::freebsd, line);
        return true;
    }

    // "1907729MB (3907029168 512 byte sectors: 255H 63S/T 243201C)".
    bool read_size(std::string_view name, std::string_view rest, std::size_t line) {
        const auto inside = words(after(rest, "(").value_or(""));
        if (inside.size() < 2) return false;
        const auto sectors = scribe_.number(inside[0], line, "number of sectors");
        const auto bytes = scribe_.number(inside[1], line, "sector size");
        // The block driver's lines bear the name of the controller.
        const std::string real =
            name.starts_with("vtblk") ? "vtbd" + std::string(name.substr(5)) : std::string(name);
        if (sectors && bytes) notes_.size(real, *sectors, *bytes, line);
        scribe_.suggest_os(Os::freebsd, line);
        return true;
    }

    // "ad4: 476940MB <MODEL FIRMWARE> at ata2-master UDMA100 SATA 3Gb/s" (6 to 8);
    // "ad0: 38166MB <MODEL> [77545/16/63] at ata0-master UDMA100" (4 and 5).
    bool read_old_disk(std::string_view name, std::string_view rest, std::size_t line) {
        const auto all = kernel::in_angles(rest);
        const auto w = words(all);
        if (w.empty() || !contains(rest, " at ata")) return false;
        const bool model_only = contains(rest, "> [") || w.size() == 1;
        const auto model =
            model_only ? all.substr(0, all.find('/')) : trim(all.substr(0, all.size() - w.back().size()));
        notes_.model(name, model, false, line);
        if (!model_only) disk(scribe_.facts, name).firmware = scribe_.text(w.back(), line);
        const bool sata = contains(rest, "SATA");
        disk(scribe_.facts, name).transport = scribe_.text(sata ? "sata" : "pata", line);
        if (sata) note_legacy(name, line);
        scribe_.suggest_os(Os::freebsd, line);
        return true;
    }

    // A parallel disk has no better mode; a SATA disk on an ata(4) channel lacks queueing.
    void note_legacy(std::string_view name, std::size_t line) {
        disk(scribe_.facts, name).driver_mode = scribe_.text("ata", line);
        notes_.event(Event::Kind::legacy_driver, name, "SATA disk on a channel of the legacy ata driver",
                     line);
    }

    // "(da0:mps0:0:0:0): SCSI sense: MEDIUM ERROR ...", "(ada0:ahcich0:0:0:0): ATA status: 41 (DRDY ERR),
    // error: 40 (UNC )".
    bool read_error(std::string_view message, std::size_t line) {
        const auto inside = between(message, "(", ")");
        if (!inside || !contains(message, "): ")) return false;
        const auto name = inside->substr(0, inside->find(':'));
        if (!is_disk(name) || !contains(*inside, ":")) return false;
        const auto said = *after(message, "): ");
        const auto error = after(said, "error: ");
        const bool unc = said.starts_with("ATA status") && error && contains(*error, "UNC");
        if (unc || kernel::tells_medium_error(said)) notes_.medium_error(name, said.substr(0, 80), line);
        return true;
    }

    Scribe& scribe_;
    kernel::DiskNotes notes_;
    kernel::GeomMessages geom_;
    std::set<std::string> legacy_;
};

bool starts(const Output& out, std::size_t at) {
    const auto message = kernel::message_of(out.text(at)).text;
    if (contains(message, "GEOM")) return kernel::GeomMessages::is_message(message);
    if (message.starts_with("FreeBSD ") || message.starts_with("DragonFly "))
        return is_banner(words(message));
    if (message.starts_with('(')) {
        const auto name = between(message, "(", ":");
        return name && is_disk(*name) && contains(message, "): ");
    }
    const auto attach = kernel::attach_line(message);
    if (attach) return is_disk(attach->name) && contains(attach->rest, " bus ");
    const auto device = kernel::device_line(message);
    return device && is_disk(device->name);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Reader reader(scribe);
    const auto used = kernel::read_messages(
        out, at, [&](std::string_view message, std::size_t line) { return reader.read(message, line); });
    reader.finish();
    return used;
}

}  // namespace

extern const CommandParser kernel_freebsd_parser{
    .id = "kernel-freebsd",
    .programs = {"dmesg"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"dmesg"}},
             {Os::freebsd, {"<", "/var/run/dmesg.boot"}},
             {Os::dragonfly, {"dmesg"}},
             {Os::dragonfly, {"<", "/var/run/dmesg.boot"}}},
};

}  // namespace diskwright
