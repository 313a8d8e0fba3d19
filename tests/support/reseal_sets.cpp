// SPDX-License-Identifier: BSD-2-Clause
#include <array>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/md5.hpp"
#include "probes/ondisk/sha256.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/reseal_image.hpp"

namespace diskwright::test {
namespace {

constexpr std::uint32_t md_magic = 0xa92b4efc;

// calc_sb_1_csum, torvalds/linux:drivers/md/md.c.
void md1(SealedImage& image, std::uint64_t at) {
    const auto in = image.read();
    if (in.u32(at) != md_magic || !in.u32(at + 220) || *in.u32(at + 220) > 1920) return;
    const std::uint64_t length = 256 + 2 * std::uint64_t{*in.u32(at + 220)};
    if (!image.part(at, length)) return;
    image.put(at + 216, 0, 4);
    std::uint64_t sum = 0, i = 0;
    for (; i + 4 <= length; i += 4) sum += *in.u32(at + i);
    if (i < length) sum += *in.u16(at + i);
    image.put(at + 216, (sum & 0xffffffff) + (sum >> 32), 4);
}

// calc_sb_csum of format 0.90, in the order of the machine that wrote it.
void md0(SealedImage& image, std::uint64_t at) {
    constexpr std::uint64_t length = 4096, sum_at = 152;
    if (!image.part(at, length)) return;
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const auto in = image.read(order);
        if (in.u32(at) != md_magic || in.u32(at + 4) != 0U) continue;
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < length; i += 4) sum += i == sum_at ? 0 : *in.u32(at + i);
        image.put(at + sum_at, (sum & 0xffffffff) + (sum >> 32), 4, order);
    }
}

// Where the MD5 of each class stands: behind the fields of that version
// (freebsd/freebsd-src:sys/geom/*/g_*.h).
struct GeomHash {
    std::string_view magic;
    std::uint32_t from_version;
    std::uint64_t at;
};
constexpr std::array geom_hashes{
    GeomHash{"GEOM::MIRROR", 3, 119}, GeomHash{"GEOM::MIRROR", 2, 111}, GeomHash{"GEOM::MIRROR", 0, 107},
    GeomHash{"GEOM::RAID3", 4, 112},  GeomHash{"GEOM::RAID3", 3, 104},  GeomHash{"GEOM::RAID3", 0, 100},
    GeomHash{"GEOM::JOURNAL", 0, 85}, GeomHash{"GEOM::ELI", 1, 495},    GeomHash{"GEOM::ELI", 0, 493}};

void geom(SealedImage& image, std::uint64_t at) {
    if (!image.part(at, 512)) return;
    for (const GeomHash& g : geom_hashes) {
        if (!image.has(at, g.magic) || *image.read().u32(at + 16) < g.from_version) continue;
        image.copy(at + g.at, md5(*image.part(at, g.at)));
        return;
    }
}

bool has_md5(SealedImage& image, std::uint64_t at, std::uint64_t length, std::uint64_t sum_at) {
    const auto sum = md5(*image.part(at, length));
    return std::equal(sum.begin(), sum.end(), image.part(sum_at, sum.size())->begin());
}

// The invariant part; the records, summed as they were at creation or whole; what follows them, from version
// 5 on with a length of its own.
void softraid(SealedImage& image) {
    constexpr std::uint64_t at = softraid_metadata_at, area = 32768, head = 168, record = 92, optional = 2480;
    if (!image.part(at, area)) return;
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const auto in = image.read(order);
        if (in.u64(at) != softraid_magic) continue;
        image.copy(at + 96, md5(*image.part(at, 96)));
        const std::uint64_t chunks = *in.u32(at + 32), options = *in.u32(at + 40);
        if (chunks > (area - head) / record) return;
        for (std::uint64_t i = 0; i < chunks; ++i) {
            const std::uint64_t r = at + head + i * record;
            if (!has_md5(image, r, 16, r + 72) && !has_md5(image, r, 72, r + 72))
                image.copy(r + 72, md5(*image.part(r, 16)));
        }
        std::uint64_t next = at + head + chunks * record;
        for (std::uint64_t i = 0; i < options && next + 24 <= at + area; ++i) {
            const bool sized = *in.u32(at + 8) >= 5;
            const std::uint64_t length = sized ? *in.u32(next + 4) : optional;
            if (length < 24 || length > at + area - next) return;
            if (sized) {
                const auto sum = *image.part(next + 8, 16);
                std::fill(sum.begin(), sum.end(), std::byte{0});
                image.copy(next + 8, md5(*image.part(next, length)));
            } else {
                image.copy(next + length - 16, md5(*image.part(next, length - 16)));
            }
            next += length;
        }
    }
}

// With ones in the field itself; FreeBSD's sum unless it is mdadm's and right.
void ddf_crc(SealedImage& image, std::uint64_t at, std::uint64_t length, ByteOrder order) {
    const auto whole = image.part(at, length);
    if (!whole) return;
    const auto recorded = image.read(order).u32(at + 4);
    image.put(at + 4, 0xffffffff, 4);
    image.put(at + 4, recorded == crc32_update(0, *whole) ? *recorded : crc32(*whole), 4, order);
}

void ddf(SealedImage& image) {
    constexpr std::uint32_t header = 0xde11de11, configuration = 0xeeeeeeee;
    constexpr std::uint64_t sector = 512, most_records = 64;
    if (image.size() < 64 * sector) return;
    const std::uint64_t anchor = (image.size() / sector - 1) * sector;
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
        const auto in = image.read(order);
        if (in.u32(anchor) != header) continue;
        ddf_crc(image, anchor, sector, order);
        for (const std::uint64_t which : {96, 104}) {
            const std::uint64_t lba = *in.u64(anchor + which);
            if (lba >= image.size() / sector || in.u32(lba * sector) != header) continue;
            ddf_crc(image, lba * sector, sector, order);
            const std::uint64_t records = lba + *in.u32(lba * sector + 216),
                                length = *in.u16(lba * sector + 134) * sector;
            for (std::uint64_t i = 0; i < most_records && length > 0; ++i)
                if (in.u32(records * sector + i * length) == configuration)
                    ddf_crc(image, records * sector + i * length, length, order);
        }
    }
}

// The anchor in the last but one sector begins the structure, what does not fit into it stands before it.
void intel(SealedImage& image) {
    constexpr std::uint64_t sector = 512, sum_at = 32;
    if (image.size() < 256 * sector) return;
    const std::uint64_t anchor = (image.size() / sector - 2) * sector;
    const auto in = image.read();
    if (!image.has(anchor, "Intel Raid ISM Cfg Sig. ")) return;
    const std::uint64_t length = *in.u32(anchor + 36);
    if (length < 64 || length > 65536 || length % 4 != 0) return;
    const std::uint64_t before = (length - 1) / sector * sector;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < length; i += 4)
        if (i != sum_at) sum += *in.u32(i < sector ? anchor + i : anchor - before + (i - sector));
    image.put(anchor + sum_at, sum, 4);
}

// openzfs/zfs:module/zfs/zio_checksum.c: the sum starts from the place itself.
void zfs(SealedImage& image, std::uint64_t label) {
    constexpr std::uint64_t configuration = 16 * 1024, length = 112 * 1024, trailer = 40;
    constexpr std::uint64_t magic = 0x0210da7ab10c7a11;
    const std::uint64_t at = label + configuration, mark = at + length - trailer;
    if (!image.part(at, length)) return;
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        if (image.read(order).u64(mark) != magic) continue;
        for (std::uint64_t i = 0; i < 4; ++i) image.put(mark + 8 + 8 * i, i == 0 ? at : 0, 8, order);
        const auto digest = sha256(*image.part(at, length));
        const ByteReader words(digest, ByteOrder::big);
        for (std::uint64_t i = 0; i < 4; ++i) image.put(mark + 8 + 8 * i, *words.u64(8 * i), 8, order);
    }
}

}  // namespace

void reseal_sets(SealedImage& image) {
    const std::uint64_t size = image.size();
    md1(image, 0), md1(image, 4096);
    if (size >= 16 * 1024) md1(image, md1_0_place(size));
    if (size >= 128 * 1024) md0(image, md0_place(size));
    for (const std::uint64_t sector : {512, 4096})
        if (size >= 2 * sector) geom(image, (size / sector - 1) * sector);
    softraid(image);
    ddf(image);
    intel(image);
    for (const std::uint64_t label : zfs_label_places(size)) zfs(image, label);
}

}  // namespace diskwright::test
