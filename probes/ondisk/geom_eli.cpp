// SPDX-License-Identifier: BSD-2-Clause
// geli, versions 0 to 7: what encrypts the provider, and the size of the device it gives. Layout:
// freebsd/freebsd-src:sys/geom/eli/g_eli.h; version 1 added data authentication, which takes room from every
// sector (eli_metadata_softc).
#include <array>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/geom.hpp"

namespace diskwright {
namespace {

constexpr std::string_view magic = "GEOM::ELI";
constexpr std::uint64_t newest_version = 7;
constexpr std::uint64_t authenticated = 0x10;  // flag

namespace field {
constexpr std::size_t flags = 20, ealgo = 24, keylen = 26, aalgo = 28;
}

// Version 0 had no algorithm for authentication.
struct Layout {
    std::size_t provsize, sectorsize, hash;
};
Layout layout_of(std::uint64_t version) {
    return version == 0 ? Layout{28, 36, 493} : Layout{30, 38, 495};
}

// freebsd/freebsd-src:sys/opencrypto/cryptodev.h.
struct Algorithm {
    std::uint64_t number;
    std::string_view name;
    std::uint64_t hash_bytes = 0;
};
constexpr std::array<Algorithm, 12> algorithms{{{2, "3DES-CBC"},
                                                {3, "Blowfish-CBC"},
                                                {6, "HMAC/MD5", 16},
                                                {7, "HMAC/SHA1", 20},
                                                {8, "HMAC/RIPEMD160", 20},
                                                {11, "AES-CBC"},
                                                {16, "NULL"},
                                                {18, "HMAC/SHA256", 32},
                                                {19, "HMAC/SHA384", 48},
                                                {20, "HMAC/SHA512", 64},
                                                {21, "CAMELLIA-CBC"},
                                                {22, "AES-XTS"}}};
const Algorithm* algorithm(std::uint64_t number) {
    for (const Algorithm& a : algorithms)
        if (a.number == number) return &a;
    return nullptr;
}

// Each sector of the device takes whole sectors of the provider, of which a hash and a remainder of less than
// 16 bytes carry no data.
std::optional<std::uint64_t> size_of(const geom::Metadata& md, std::uint64_t sector,
                                     const Algorithm* authentication) {
    const std::uint64_t room = md.provider_bytes - md.sector_bytes;
    if (!authentication) return room / sector * sector;
    if (authentication->hash_bytes == 0) return std::nullopt;
    const std::uint64_t data = (md.sector_bytes - authentication->hash_bytes) / 16 * 16;
    return room / (((sector - 1) / data + 1) * md.sector_bytes) * sector;
}

}  // namespace

Result<bool> read_geli(ByteSource& source, Found& found) {
    const auto head = geom::metadata(source, magic, newest_version);
    if (!head) return head.error();
    if (!*head) return false;
    const geom::Metadata& md = **head;
    const Structure& in = md.in;
    const Layout l = layout_of(md.version);
    if (const auto fault = geom::hash_fault(md, l.hash); !fault.empty())
        return geom::unusable(md, l.hash, fault);
    const std::uint64_t sector = in.u32(l.sectorsize);
    if (!power_of_two(sector) || sector < 512)
        return geom::unusable(md, l.sectorsize, fmt::format("sectors of {} bytes", sector));
    if (!geom::owns(source, md, {in.u64(l.provsize), {}}, source.name() + ".eli", found)) return false;

    const bool with_hash = md.version > 0 && (in.u64(field::flags) & authenticated) != 0;
    const Algorithm* cipher = algorithm(in.u16(field::ealgo));
    const Algorithm* hash = with_hash ? algorithm(in.u16(field::aalgo)) : nullptr;
    if (!cipher || cipher->hash_bytes != 0)
        found.damage.push_back(geom::complaint(md, field::ealgo, "no cipher that is known"));
    if (with_hash && (!hash || hash->hash_bytes == 0))
        found.damage.push_back(geom::complaint(md, field::aalgo, "no authentication that is known"));
    const std::string text =
        fmt::format("GEOM::ELI version {}, {} with a key of {} bits{}{}", md.version,
                    cipher ? cipher->name : "an unknown cipher", in.u16(field::keylen), with_hash ? ", " : "",
                    hash        ? hash->name
                    : with_hash ? "unknown authentication"
                                : "");
    const Provenance from = in.from(0, text);
    Volume& v = volume(found.facts, source.name() + ".eli");
    v.kind = Known<VolumeKind>(VolumeKind::crypto, from);
    v.crypto_format = Text("geli", from);
    v.crypto_sector_bytes = v.logical_sector_bytes = in.known(sector, l.sectorsize, "md_sectorsize");
    if (!with_hash || hash)
        if (const auto size = size_of(md, sector, hash)) v.size_bytes = Number(*size, from);
    Component& c = component(v, source.name());
    c.data_offset_bytes = Number(0, from);
    c.size_bytes = in.known(in.u64(l.provsize), l.provsize, "md_provsize");
    c.logical_sector_bytes = Number(md.sector_bytes, from);
    v.components_complete = Flag(true, from);
    suggest_os(source, found, Os::freebsd, from);
    return true;
}

}  // namespace diskwright
