// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/firmware_raid.hpp"

#include "probes/ondisk/checksums.hpp"

namespace diskwright::test {

std::size_t Intel::write(Bytes& device) const {
    Bytes whole(8192);
    whole.text(0, "Intel Raid ISM Cfg Sig. 1.3.00").u32(40, 0x1234abcd).u32(44, 17);
    whole.u8(56, disks).u8(57, static_cast<std::uint8_t>(volumes.size()));
    std::size_t at = 216;
    for (std::size_t i = 0; i < disks; ++i, at += 48)
        whole.text(at, "SERIAL" + std::to_string(i)).u32(at + 16, 2048);
    for (const Vol& v : volumes) {
        whole.text(at, v.name).u64(at + 16, 1000);
        at += 112;
        whole.u32(at, v.offset).u32(at + 4, 500).u16(at + 12, 128).u8(at + 14, v.status).u8(at + 15, v.type);
        whole.u8(at + 16, v.disks).u8(at + 17, v.domains);
        at += 48 + 4 * std::size_t{v.disks};
    }
    whole.u32(36, static_cast<std::uint32_t>(at));
    if (patch) patch(whole, at);
    const ByteReader in(whole.bytes());
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 4 <= at; i += 4) sum += i == 32 ? 0 : in.u32(i).value_or(0);
    whole.u32(32, sum);
    const std::size_t anchor = device.bytes().size() - 2 * sector;
    const std::size_t before = (at - 1) / sector * sector;
    const auto piece = [&](std::size_t from, std::size_t length) {
        const auto part = whole.part(from, length);
        return std::vector<std::byte>(part.begin(), part.end());
    };
    device.copy(anchor, piece(0, sector));
    if (before > 0) device.copy(anchor - before, piece(sector, before));
    return at;
}

namespace {

void seal(Bytes& device, std::size_t at, std::size_t length, const Ddf& md) {
    device.u32(at + 4, 0xffffffff);
    const auto part = device.part(at, length);
    device.u32(at + 4, md.crc_of_mdadm ? crc32_update(0, part) : crc32(part));
}

void write_header(Bytes& out, std::size_t at, const Ddf& md, std::uint8_t type) {
    out.u32(at, 0xde11de11)
        .text(at + 8, "header-guid-24-bytes-xyz")
        .text(at + 32, "01.02.00")
        .u32(at + 40, 1);
    out.u64(at + 96, md.primary).u64(at + 104, md.secondary).u8(at + 112, type);
    out.u16(at + 128, 15).u16(at + 130, 15).u16(at + 132, 4).u16(at + 134, 2).u16(at + 136, 16);
    out.u32(at + 192, 12).u32(at + 196, 1).u32(at + 200, 13).u32(at + 204, 2);
    out.u32(at + 208, 1)
        .u32(at + 212, 2)
        .u32(at + 216, 3)
        .u32(at + 220, 8)
        .u32(at + 224, 11)
        .u32(at + 228, 1);
    if (md.patch) md.patch(out, at);
    seal(out, at, 512, md);
}

constexpr const char* guid = "virtual-disk-guid-24-byt";

void write_record(Bytes& out, std::size_t at, const Ddf& md, std::uint8_t span) {
    out.u32(at, 0xeeeeeeee).text(at + 8, guid).u32(at + 36, 4).u16(at + 64, 3);
    out.u8(at + 66, 7).u8(at + 67, md.level).u8(at + 69, md.spans).u8(at + 70, span).u64(at + 72, 500);
    out.u64(at + 80, 1000);
    for (std::uint32_t i = 0; i < 3; ++i)
        out.u32(at + 512 + 4 * i, 0xaa00 + span * 3U + i).u64(at + 512 + 64 + 8 * i, 64 * (i == 2 ? 1 : 9));
    seal(out, at, 1024, md);
}

}  // namespace

void Ddf::write(Bytes& device) const {
    for (const std::uint64_t lba : {primary, secondary}) {
        const std::size_t at = lba * 512, names = at + 512, records = at + 3 * 512, disk = at + 11 * 512;
        write_header(device, at, *this, lba == primary ? 1 : 2);
        // Controller and physical disks: of no use to a reader of sets, but no tool goes on without them.
        device.u32(at + 12 * 512, 0xad111111).text(at + 12 * 512 + 8, "controller-guid-24-bytes");
        seal(device, at + 12 * 512, 512, *this);
        const std::size_t disks = at + 13 * 512;
        device.u32(disks, 0x22222222).u16(disks + 8, 3).u16(disks + 10, 15);
        for (std::uint32_t i = 0; i < 3; ++i)
            device.text(disks + 64 * (i + 1), "physical-disk-guid-24-by")
                .u32(disks + 64 * (i + 1) + 24, 0xaa00 + i);
        seal(device, disks, 1024, *this);
        device.u32(names, 0xdddddddd)
            .u16(names + 8, 2)
            .u16(names + 10, 15)
            .text(names + 64, "another-disk-guid-24-byt")
            .text(names + 112, "other");
        device.text(names + 128, guid).u8(names + 160, 0x11).text(names + 176, "array1");
        seal(device, names, 1024, *this);
        std::size_t record = records;
        for (std::uint8_t span = 0; span < spans; ++span) {
            if (!all_records && span != drive / 3) continue;
            write_record(device, record, *this, span);
            record += 1024;
        }
        device.u32(disk, 0x33333333).u32(disk + 32, 0xaa00U + drive);
        seal(device, disk, 512, *this);
    }
    write_header(device, device.bytes().size() - 512, *this, 0);
}

std::vector<FirmwareSample> firmware_samples(std::size_t device) {
    std::vector<FirmwareSample> out;
    const auto sum = [](const Bytes& image, std::size_t at, std::size_t bytes, std::size_t width) {
        const ByteReader in(image.part(at, bytes));
        std::uint32_t total = 0;
        for (std::size_t i = 0; i < bytes; i += width)
            total += width == 2 ? in.u16(i).value_or(0) : in.u32(i).value_or(0);
        return 0 - total;
    };
    {
        Bytes b(device);
        const std::size_t at = device - 512;
        b.text(at, "JM").u16(at + 2, 0x0100).u32(at + 16, 7);
        b.u16(at + 4, static_cast<std::uint16_t>(sum(b, at, 128, 2)));
        out.push_back({"JMicron", b, {at, at + 16}, "jmicron_raid_member"});
    }
    {
        Bytes b(device);
        const std::size_t at = device - 1024;
        b.text(at, "NVIDIA").u32(at + 8, 30).u16(at + 16, 100).u32(at + 20, 2000);
        b.u32(at + 12, sum(b, at, 120, 4));
        out.push_back({"NVIDIA", b, {at, at + 20}, "nvidia_raid_member"});
    }
    {
        Bytes b(device);
        const std::size_t at = device - 512;
        b.u32(at + 0x60, 0x2f000000).u16(at + 0x10a, 2).u8(at + 0x116, 1);
        b.u16(at + 0x13e, static_cast<std::uint16_t>(sum(b, at, 0x13e, 2)));
        out.push_back({"SiI", b, {at + 0x60, at + 0x10a}, "silicon_medley_raid_member"});
    }
    {
        Bytes b(device);
        const std::size_t at = device - 512;
        b.text(at, "\x37\xfc\x4d\x1e").text(at + 256, "DPTM");
        out.push_back({"Adaptec", b, {at, at + 256}, "adaptec_raid_member"});
    }
    {
        Bytes b(device);
        b.text(device - 512, "$XIDE$");
        out.push_back({"LSI", b, {device - 512}, "lsi_mega_raid_member"});
    }
    for (const char* magic : {"\xf0\x16\x78\x5a", "\xfd\x16\x78\x5a"}) {
        Bytes b(device);
        b.text(9 * 512 + 32, magic);
        out.push_back({"HighPoint", b, {9 * 512 + 33}, "hpt37x_raid_member"});
    }
    for (const char* magic : {"\xf3\x16\x78\x5a", "\xfd\x16\x78\x5a"}) {
        Bytes b(device);
        b.text(device - 11 * 512, magic);
        out.push_back({"HighPoint", b, {device - 11 * 512 + 1}, "hpt45x_raid_member"});
    }
    for (const std::size_t sectors : {63U, 255U, 256U, 16U, 399U, 591U, 675U, 735U, 911U, 974U, 991U, 951U}) {
        Bytes b(device);
        b.text(device - sectors * 512, "Promise Technology, Inc.");
        out.push_back({"Promise", b, {device - sectors * 512 + 3}, "promise_fasttrack_raid_member"});
    }
    return out;
}

}  // namespace diskwright::test
