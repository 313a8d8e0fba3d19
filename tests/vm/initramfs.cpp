// SPDX-License-Identifier: BSD-2-Clause
#include "tests/vm/initramfs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/tool.hpp"

namespace diskwright::test {
namespace {

constexpr unsigned is_folder = 0040000, is_file = 0100000, is_link = 0120000;

void append(std::string& archive, unsigned inode, const std::string& name, unsigned mode,
            std::string_view data) {
    const auto pad = [&] { archive.resize((archive.size() + 3) / 4 * 4); };
    constexpr int owner = 0, links = 1, time = 0, device = 0, checksum = 0;
    archive += fmt::format(
        "070701{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}", inode, mode,
        owner, owner, links, time, data.size(), device, device, device, device, name.size() + 1, checksum);
    archive.append(name.c_str(), name.size() + 1);
    pad();
    archive += data;
    pad();
}

// Without the lines for a debugger, which are most of a program that was just built.
std::string stripped(const std::string& path) {
    const auto strip = find_tool("strip");
    const TemporaryFolder folder;
    if (strip && run_tool({*strip, "-o", folder.path("p"), path}).status == 0)
        return read_file(folder.path("p"));
    return read_file(path);
}

}  // namespace

void Initramfs::entry(const std::string& path, unsigned mode, std::string_view data) {
    if (!paths_.insert(path).second) return;
    const std::string above = std::filesystem::path(path).parent_path().string();
    if (above != "/") folder(above);
    append(archive_, static_cast<unsigned>(paths_.size()), path.substr(1), mode, data);
}

void Initramfs::folder(const std::string& path) {
    entry(path, is_folder | 0755, {});
}

void Initramfs::file(const std::string& path, std::string_view bytes, unsigned mode) {
    entry(path, is_file | mode, bytes);
}

void Initramfs::link(const std::string& path, std::string_view target) {
    entry(path, is_link | 0777, target);
}

void Initramfs::program(const std::string& host_path) {
    const std::string path = "/bin/" + std::filesystem::path(host_path).filename().string();
    if (has(path)) return;
    file(path, stripped(host_path), 0755);
    // "libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x...)"; "/lib64/ld-linux-x86-64.so.2 (0x...)".
    const std::string libraries = run_tool({find_tool("ldd").value_or("ldd"), host_path}).output;
    for (std::string_view line : split_lines(libraries)) {
        if (const auto arrow = line.find("=> "); arrow != line.npos) line.remove_prefix(arrow + 3);
        line = trim(line.substr(0, line.find(" (")));
        if (line.starts_with('/') && std::filesystem::is_regular_file(line))
            file(std::string(line), read_file(std::string(line)), 0755);
    }
}

std::string Initramfs::finished() const {
    std::string out = archive_;
    append(out, 0, "TRAILER!!!", 0, {});
    return out;
}

}  // namespace diskwright::test
