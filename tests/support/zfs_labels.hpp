// SPDX-License-Identifier: BSD-2-Clause
// Labels of ZFS written by the layout of openzfs/zfs:include/sys/vdev_impl.h: a mirror of two, pool "tank".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/ondisk/sha256.hpp"
#include "probes/support/text.hpp"
#include "tests/support/bytes.hpp"

namespace diskwright::test {

// An nvlist in XDR, written pair by pair.
class Xdr {
 public:
    Xdr& number(std::string_view name, std::uint64_t value) {
        return pair(name, 8, 1,
                    [&](std::string& out) { word(out, value >> 32), word(out, value & 0xffffffff); });
    }
    Xdr& text(std::string_view name, std::string_view value) {
        return pair(name, 9, 1, [&](std::string& out) { string(out, value); });
    }
    Xdr& lists(std::string_view name, const std::vector<Xdr>& values, bool array) {
        return pair(name, array ? 20 : 19, values.size(), [&](std::string& out) {
            for (const Xdr& value : values) out += value.list();
        });
    }
    std::string list() const {
        std::string out;
        word(out, 0), word(out, 1);
        out += pairs_;
        word(out, 0), word(out, 0);
        return out;
    }

 private:
    static void word(std::string& out, std::uint64_t value) {
        for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
    }
    static void string(std::string& out, std::string_view value) {
        word(out, value.size());
        out += value;
        out.append((4 - value.size() % 4) % 4, '\0');
    }
    Xdr& pair(std::string_view name, std::uint64_t type, std::uint64_t count,
              const std::function<void(std::string&)>& value) {
        std::string body;
        string(body, name), word(body, type), word(body, count), value(body);
        word(pairs_, body.size() + 8), word(pairs_, body.size() + 8);
        pairs_ += body;
        return *this;
    }
    std::string pairs_;
};

inline constexpr std::uint64_t zfs_size = 1024 * KiB;

inline void write_zfs_label(Bytes& image, std::size_t label, std::uint64_t txg, std::uint64_t state = 0,
                            std::uint64_t pool = 4711, std::uint64_t guid = 71) {
    const auto disk = [](std::uint64_t number, std::string_view path) {
        return Xdr().text("type", "disk").number("guid", number).text("path", path);
    };
    const Xdr top = Xdr()
                        .text("type", "mirror")
                        .number("ashift", 9)
                        .lists("children", {disk(71, "/dev/ada0p3"), disk(72, "/dev/ada1p3")}, true);
    const Xdr configuration = Xdr()
                                  .number("version", 5000)
                                  .text("name", "tank")
                                  .number("state", state)
                                  .number("txg", txg)
                                  .number("pool_guid", pool)
                                  .number("guid", guid)
                                  .lists("vdev_tree", {top}, false);
    const std::size_t at = label + 16 * KiB, trailer = at + 112 * KiB - 40;
    image.text(at, std::string_view("\x01\x01\x00\x00", 4)).text(at + 4, configuration.list());
    image.u64(trailer, 0x0210da7ab10c7a11).u64(trailer + 8, at);
    const auto digest = sha256(image.part(at, 112 * KiB));
    for (std::size_t i = 0; i < 4; ++i) {
        std::uint64_t word = 0;
        for (std::size_t b = 0; b < 8; ++b)
            word = word << 8 | std::to_integer<std::uint64_t>(digest[8 * i + b]);
        image.u64(trailer + 8 + 8 * i, word);
    }
}
/// `guid` is 71 for the device that the labels call ada0p3, 72 for ada1p3.
inline Bytes zfs_image(std::uint64_t state = 0, std::uint64_t pool = 4711, std::uint64_t guid = 71) {
    Bytes out(zfs_size);
    for (const std::size_t label : {0, 1, 2, 3})
        write_zfs_label(out, label * 256 * KiB, 7, state, pool, guid);
    return out;
}

}  // namespace diskwright::test
