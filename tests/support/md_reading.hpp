// SPDX-License-Identifier: BSD-2-Clause
// Devices in memory with a superblock of Linux md, and what the reader makes of them.
#pragma once

#include <string>
#include <vector>

#include "probes/ondisk/formats.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright::test {

inline constexpr std::uint64_t md_device = 4 * MiB;

struct MdOutcome {
    Result<bool> result = false;
    Found found;
    std::uint64_t bytes_read = 0;
    const Member& member() const { return found.members.at(0); }
    const Volume& set() const { return member().set; }
};

inline MdOutcome read_md_image(std::vector<std::byte> bytes, const std::string& name = "sda1") {
    const auto size = bytes.size();
    MemorySource source(name, std::move(bytes), size);
    MdOutcome out;
    out.result = read_md(source, out.found);
    out.bytes_read = source.bytes_read;
    return out;
}
inline MdOutcome read(const Md1& sb) {
    Bytes image(md_device);
    image.copy(sb.super_offset * 512, sb.bytes());
    return read_md_image(std::move(image.bytes()));
}
inline MdOutcome read(const Md0& sb, std::uint64_t size = md_device) {
    Bytes image(size);
    image.copy(md0_place(size), sb.bytes());
    return read_md_image(std::move(image.bytes()));
}

inline std::string damage(const MdOutcome& out) {
    std::string text;
    for (const std::string& line : out.found.damage) text += line + "\n";
    return text;
}

}  // namespace diskwright::test
