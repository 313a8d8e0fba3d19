// SPDX-License-Identifier: BSD-2-Clause
// Metadata of GEOM's classes written field by field from freebsd/freebsd-src:sys/geom/*/g_*.h, and what a
// reader makes of an image that ends with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probes/ondisk/format.hpp"
#include "probes/ondisk/md5.hpp"
#include "tests/support/bytes.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright::test::geom {

using Reader = Result<bool> (*)(ByteSource&, Found&);

inline constexpr std::uint64_t provider = 64 * 4096;

// Fields one after the other, as the classes encode them: no padding, little-endian.
class Writer {
 public:
    Writer(std::string_view magic, std::uint32_t version) : bytes_(512) {
        bytes_.text(0, magic);
        at_ = 16;
        number(version, 4);
    }
    Writer& number(std::uint64_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            bytes_.u8(at_ + i, static_cast<std::uint8_t>(value >> (8 * i) & 0xff));
        at_ += size;
        return *this;
    }
    Writer& text(std::string_view value, std::size_t size) {
        bytes_.text(at_, value);
        at_ += size;
        return *this;
    }
    Writer& hash() {
        const auto sum = md5(bytes_.part(0, at_));
        for (std::size_t i = 0; i < sum.size(); ++i)
            bytes_.u8(at_ + i, std::to_integer<std::uint8_t>(sum[i]));
        at_ += sum.size();
        return *this;
    }
    std::size_t length() const { return at_; }
    const std::vector<std::byte>& bytes() { return bytes_.bytes(); }

 private:
    Bytes bytes_;
    std::size_t at_ = 0;
};

struct Mirror {
    std::uint32_t version = 4;
    std::string name = "gm0";
    std::uint32_t mid = 1234567890, did = 42;
    std::uint8_t all = 2;
    std::uint32_t genid = 0, syncid = 7;
    std::uint8_t priority = 3;
    std::uint32_t slice = 4096;
    std::uint8_t balance = 2;
    std::uint64_t mediasize = provider - 512;
    std::uint32_t sectorsize = 512;
    std::uint64_t sync_offset = 0, mflags = 0, dflags = 0;
    std::string hardcoded = {};
    std::uint64_t provsize = provider;

    Writer write() const {
        Writer w("GEOM::MIRROR", version);
        w.text(name, 16).number(mid, 4).number(did, 4).number(all, 1);
        if (version >= 2) w.number(genid, 4);
        w.number(syncid, 4).number(priority, 1).number(slice, 4).number(balance, 1);
        w.number(mediasize, 8).number(sectorsize, 4).number(sync_offset, 8).number(mflags, 8);
        w.number(dflags, 8).text(hardcoded, 16);
        if (version >= 3) w.number(provsize, 8);
        return w.hash();
    }
};

struct Raid3 {
    std::uint32_t version = 5;
    std::uint16_t no = 0, all = 5;
    std::uint32_t genid = 0, syncid = 9;
    std::uint64_t mediasize = 4 * (provider - 512);
    std::uint32_t sectorsize = 2048;
    std::uint64_t sync_offset = 0, mflags = 0, dflags = 0;
    std::uint64_t provsize = provider;

    Writer write() const {
        Writer w("GEOM::RAID3", version);
        w.text("gr0", 16).number(77, 4).number(no, 2).number(all, 2);
        if (version >= 3) w.number(genid, 4);
        w.number(syncid, 4).number(mediasize, 8).number(sectorsize, 4).number(sync_offset, 8);
        w.number(mflags, 8).number(dflags, 8).text("", 16);
        if (version >= 4) w.number(provsize, 8);
        return w.hash();
    }
};

inline Writer stripe(std::uint32_t version, std::uint16_t no, std::uint16_t all, std::uint32_t size,
                     std::string_view hardcoded = {}, std::uint64_t provsize = provider) {
    Writer w("GEOM::STRIPE", version);
    return w.text("gs0", 16)
        .number(5, 4)
        .number(no, 2)
        .number(all, 2)
        .number(size, 4)
        .text(hardcoded, 16)
        .number(provsize, 8);
}
inline Writer concat(std::uint32_t version, std::uint16_t no, std::uint16_t all,
                     std::uint64_t provsize = provider) {
    Writer w("GEOM::CONCAT", version);
    return w.text("gc0", 16).number(6, 4).number(no, 2).number(all, 2).text("", 16).number(provsize, 8);
}
inline Writer label(std::uint32_t version, std::string_view name, std::uint64_t provsize = provider) {
    Writer w("GEOM::LABEL", version);
    return w.text(name, 16).number(provsize, 8);
}
inline Writer journal(std::uint8_t type, std::uint64_t start, std::uint64_t end,
                      std::uint64_t provsize = provider) {
    Writer w("GEOM::JOURNAL", 0);
    w.number(99, 4).number(type, 1).number(start, 8).number(end, 8).number(start, 8).number(1, 4).number(1,
                                                                                                         8);
    return w.text("", 16).number(provsize, 8).hash();
}
inline Writer eli(std::uint32_t version, std::uint32_t flags, std::uint16_t cipher, std::uint16_t hash,
                  std::uint32_t sector, std::uint64_t provsize = provider) {
    Writer w("GEOM::ELI", version);
    w.number(flags, 4).number(cipher, 2).number(128, 2);
    if (version > 0) w.number(hash, 2);
    w.number(provsize, 8).number(sector, 4).number(1, 1).number(100000, 4).text("salt", 64).text("keys", 384);
    return w.hash();
}

inline std::vector<std::byte> image(Writer w, std::uint64_t size = provider, std::uint64_t sector = 512) {
    Bytes out(size);
    out.copy(size - sector, w.bytes());
    return out.bytes();
}

struct Outcome {
    Result<bool> result = false;
    Found found;
    std::uint64_t bytes_read = 0;
    const Member& member() const { return found.members.at(0); }
};
inline Outcome read_bytes(Reader reader, std::vector<std::byte> bytes, const std::string& name = "ada0",
                          std::uint64_t sector = 512) {
    const auto size = bytes.size();
    MemorySource source(name, std::move(bytes), size, sector);
    Outcome out;
    out.result = reader(source, out.found);
    out.bytes_read = source.bytes_read;
    return out;
}
inline Outcome read(Reader reader, const Writer& w, const std::string& name = "ada0") {
    return read_bytes(reader, image(w), name);
}

inline std::string damage(const Outcome& out) {
    std::string text;
    for (const std::string& line : out.found.damage) text += line + "\n";
    return text;
}

}  // namespace diskwright::test::geom
