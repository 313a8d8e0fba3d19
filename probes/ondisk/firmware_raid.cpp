// SPDX-License-Identifier: BSD-2-Clause
// Sets of firmware controllers: Intel Matrix and DDF are read, of the others it is recognised that the disk
// is a member, so that what lies on it is not taken for its own. They write on whole disks only. Signatures,
// places and checksums: freebsd/freebsd-src:sys/geom/raid/md_{jmicron,nvidia,promise,sii}.c,
// util-linux/util-linux:libblkid/src/superblocks/{adaptec,highpoint,jmicron,lsi,nvidia,promise,silicon}_raid.c.
#include "probes/ondisk/firmware_raid.hpp"

#include <algorithm>
#include <array>

#include "probes/ondisk/formats.hpp"

namespace diskwright {
namespace firmware {

Places before_end(const ByteSource& source, std::uint64_t sectors) {
    Places out;
    const auto size = source.size_bytes();
    if (!size) return out;
    for (const std::uint64_t sector : {source.sector_bytes(), std::uint64_t{512}, std::uint64_t{4096}}) {
        if (sector < 512 || sector > 65536 || *size / sector <= sectors) continue;
        const Place place{(*size / sector - sectors) * sector, sector};
        if (std::none_of(out.begin(), out.end(), [&](const Place& p) { return p.at == place.at; }))
            out.push_back(place);
    }
    return out;
}

Member member(const ByteSource& source, std::string_view metadata, std::uint64_t at, const Provenance& from) {
    Member m;
    m.identity = fmt::format("{}:{}", metadata, source.name());
    m.device = source.name();
    m.metadata_at = at;
    m.from = from;
    m.set.kind =
        Known<VolumeKind>(source.system() == Os::freebsd ? VolumeKind::graid : VolumeKind::hardware, from);
    m.set.metadata = Text(std::string(metadata), from);
    return m;
}

}  // namespace firmware

namespace {

constexpr std::uint64_t smallest_device = 64 * 1024;

struct Mark {
    std::string_view metadata;  // as graid(8) calls it
    std::uint64_t sectors;      // before the end; 0: at `offset` of the device
    std::uint64_t offset;       // of the signature within the sector
    std::string_view signature;
    bool (*sound)(const Structure& in) = nullptr;  // what else tells it from chance
};

bool words_sum_to_zero(const Structure& in, std::size_t bytes, std::size_t width) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < bytes; at += width) sum += width == 2 ? in.u16(at) : in.u32(at);
    return (sum & (width == 2 ? 0xffff : 0xffffffff)) == 0;
}
bool jmicron_sound(const Structure& in) {
    return words_sum_to_zero(in, 128, 2);
}
bool nvidia_sound(const Structure& in) {
    const std::uint64_t words = in.u32(8);
    return words >= 30 && words <= 128 && words_sum_to_zero(in, static_cast<std::size_t>(words) * 4, 4);
}
// The sum up to and with the checksum at 0x13e; the numbers of members are single digits.
bool silicon_image_sound(const Structure& in) {
    return in.u8(0x116) < 8 && words_sum_to_zero(in, 0x140, 2);
}
bool adaptec_sound(const Structure& in) {
    return in.has(256, "DPTM");
}

using namespace std::string_view_literals;
constexpr std::string_view promise = "Promise Technology, Inc."sv;
constexpr std::array marks{
    Mark{"JMicron", 1, 0, "JM"sv, jmicron_sound},
    Mark{"NVIDIA", 2, 0, "NVIDIA"sv, nvidia_sound},
    Mark{"SiI", 1, 0x60, "\x00\x00\x00\x2f"sv, silicon_image_sound},
    Mark{"Adaptec", 1, 0, "\x37\xfc\x4d\x1e"sv, adaptec_sound},
    Mark{"LSI", 1, 0, "$XIDE$"sv},
    Mark{"HighPoint", 0, 9 * 512 + 32, "\xf0\x16\x78\x5a"sv},
    Mark{"HighPoint", 0, 9 * 512 + 32, "\xfd\x16\x78\x5a"sv},
    Mark{"HighPoint", 11, 0, "\xf3\x16\x78\x5a"sv},
    Mark{"HighPoint", 11, 0, "\xfd\x16\x78\x5a"sv},
    Mark{"Promise", 63, 0, promise},
    Mark{"Promise", 16, 0, promise},
    Mark{"Promise", 255, 0, promise},
    Mark{"Promise", 256, 0, promise},
    Mark{"Promise", 399, 0, promise},
    Mark{"Promise", 591, 0, promise},
    Mark{"Promise", 675, 0, promise},
    Mark{"Promise", 735, 0, promise},
    Mark{"Promise", 911, 0, promise},
    Mark{"Promise", 951, 0, promise},
    Mark{"Promise", 974, 0, promise},
    Mark{"Promise", 991, 0, promise},
    Mark{"Promise", 3087, 0, promise},
};

// Of these only the small places near the end count in another sector than 512 bytes.
firmware::Places places(const ByteSource& source, const Mark& mark) {
    firmware::Places out =
        mark.sectors == 0 ? firmware::Places{} : firmware::before_end(source, mark.sectors);
    if (mark.sectors == 0) out.push_back({mark.offset, 512});
    if (mark.sectors > 2) out.keep_first();
    return out;
}

Result<bool> has_mark(ByteSource& source, const Mark& mark, std::uint64_t start, Found& found) {
    const auto in = read_structure(source, start, 512);
    if (!in) return in.error();
    if (!*in || !(**in).has(mark.sectors == 0 ? 0 : mark.offset, mark.signature)) return false;
    if (mark.sound && !mark.sound(**in)) return false;
    const Provenance from = (**in).from(0, fmt::format("signature of {} metadata", mark.metadata));
    found.members.push_back(firmware::member(source, mark.metadata, start, from));
    return true;
}

}  // namespace

Result<bool> read_firmware_raid(ByteSource& source, Found& found) {
    if (source.tables() != ByteSource::Tables::any ||
        source.size_bytes().value_or(smallest_device) < smallest_device)
        return false;
    for (const auto reader : {firmware::read_intel, firmware::read_ddf})
        if (const auto result = reader(source, found); !result || *result) return result;
    for (const Mark& mark : marks)
        for (const firmware::Place& place : places(source, mark))
            if (const auto result = has_mark(source, mark, place.at, found); !result || *result)
                return result;
    return false;
}

}  // namespace diskwright
