// SPDX-License-Identifier: BSD-2-Clause
// Writes the metadata of softraid by the layout of openbsd/src:sys/dev/softraidvar.h, field by field, for
// tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/ondisk/md5.hpp"
#include "tests/support/bytes.hpp"

namespace diskwright::test {

struct SoftraidRecord {
    std::string devname;
    std::uint64_t size = 1048048, coerced_size = 1048048;
    std::uint32_t status = 0;
    bool summed_whole = false;  // as a rebuild leaves it, not as the creation does
};

struct SoftraidOptional {
    std::uint32_t type = 1;
    std::size_t length = 2480;
};

/// A RAID 5 of three chunks by default, seen from the second.
struct SoftraidMetadata {
    std::uint32_t version = 6, vol_flags = 0, chunk_id = 1, secsize = 512, volid = 0, level = 5;
    std::uint64_t size = 2095872;
    std::string product = "SR RAID 5";
    std::uint32_t strip_size = 65536;
    std::string devname = "sd2";
    std::uint32_t meta_flags = 1, data_blkno = 528;
    std::uint64_t ondisk = 12, rebuild = 0;
    std::vector<SoftraidRecord> chunks{{"sd0a"}, {"sd1a"}, {"sd3a"}};
    std::vector<SoftraidOptional> optional;

    static constexpr std::size_t at = 8192, area = 32768;
    std::size_t record(std::size_t chunk) const { return at + 168 + chunk * 92; }
};

inline void put_sum(Bytes& out, std::size_t at, std::size_t from, std::size_t length) {
    const auto sum = md5(out.part(from, length));
    out.copy(at, {sum.begin(), sum.end()});
}

inline void put_uuid(Bytes& out, std::size_t at) {
    for (std::size_t i = 0; i < 16; ++i) out.u8(at + i, static_cast<std::uint8_t>(0xa0 + i));
}

/// The sum of the invariant part anew, after a test has changed a field of it.
inline void seal_softraid(Bytes& out) {
    put_sum(out, SoftraidMetadata::at + 96, SoftraidMetadata::at, 96);
}

inline void put_record(Bytes& out, std::size_t at, std::uint32_t id, const SoftraidRecord& r) {
    out.u32(at, 0).u32(at + 4, id).text(at + 8, r.devname).u64(at + 40, r.size);
    put_uuid(out, at + 56);
    if (!r.summed_whole) put_sum(out, at + 72, at, 16);
    out.u64(at + 48, r.coerced_size);
    if (r.summed_whole) put_sum(out, at + 72, at, 72);
    out.u32(at + 88, r.status);
}

/// Of version 5 and later, with a length; of those before, of one length and the sum at the end.
inline std::size_t put_optional(Bytes& out, std::size_t at, const SoftraidOptional& o,
                                std::uint32_t version) {
    out.u32(at, o.type);
    for (std::size_t i = 24; i + 16 < o.length; ++i) out.u8(at + i, static_cast<std::uint8_t>(i * 7));
    if (version >= 5) {
        out.u32(at + 4, static_cast<std::uint32_t>(o.length));
        put_sum(out, at + 8, at, o.length);
        return o.length;
    }
    put_sum(out, at + 2464, at, 2464);
    return 2480;
}

/// The first 40 KiB of the chunk.
inline Bytes write_softraid(const SoftraidMetadata& m, ByteOrder order = ByteOrder::little) {
    constexpr std::size_t at = SoftraidMetadata::at;
    Bytes out(at + SoftraidMetadata::area, order);
    out.u64(at, 0x4d4152436372616dULL).u32(at + 8, m.version).u32(at + 12, m.vol_flags);
    put_uuid(out, at + 16);
    out.u32(at + 32, static_cast<std::uint32_t>(m.chunks.size())).u32(at + 36, m.chunk_id);
    out.u32(at + 40, static_cast<std::uint32_t>(m.optional.size()))
        .u32(at + 44, m.version >= 6 ? m.secsize : 0);
    out.u32(at + 48, m.volid).u32(at + 52, m.level).u64(at + 56, m.size);
    out.text(at + 64, "OPENBSD").text(at + 72, m.product).text(at + 88, "00" + std::to_string(m.version));
    out.u32(at + 92, m.strip_size);
    seal_softraid(out);
    out.text(at + 112, m.devname).u32(at + 144, m.meta_flags).u32(at + 148, m.data_blkno);
    out.u64(at + 152, m.ondisk).u64(at + 160, m.rebuild);
    for (std::size_t i = 0; i < m.chunks.size(); ++i)
        put_record(out, m.record(i), static_cast<std::uint32_t>(i), m.chunks[i]);
    std::size_t place = m.record(m.chunks.size());
    for (const auto& o : m.optional) place += put_optional(out, place, o, m.version);
    return out;
}

}  // namespace diskwright::test
