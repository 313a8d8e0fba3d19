// SPDX-License-Identifier: BSD-2-Clause
// How fast images of disks are read, beside blkid(8) on the same ones in the same run:
//   images_benchmark [PROGRAM [COUNT]]
// COUNT (24,000) images in the page cache, of every kind in tests/data/images that both know and of what the
// installed tools make. The bars: 1,000 images a second on two processors, and no more processor time for an
// image than blkid -p takes. Exits 1 when one of them is missed.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/benchmarks/support/child.hpp"
#include "tests/support/images.hpp"
#include "tests/support/tool.hpp"

namespace {

namespace fs = std::filesystem;
using diskwright::benchmark::run;
using diskwright::benchmark::Run;
using diskwright::test::find_tool;

constexpr double images_per_s = 1000;
constexpr int rounds = 5;

struct Kind {
    std::string name;
    fs::path image;
};

void write(const fs::path& path, const std::vector<std::byte>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<Kind> kinds(const fs::path& folder) {
    std::vector<Kind> out;
    // blkid knows FFSv2 at 65536 and FFSv1 of either order. Of what is as small as a floppy it leaves most of
    // its checks out (util-linux/util-linux:libblkid/src/probe.c, BLKID_FL_TINY_DEV): whole images, not
    // heads.
    const std::vector<std::pair<std::string, std::uintmax_t>> heads{{"ffs/freebsd-043-j-100m", 100 << 20},
                                                                    {"ffs/netbsd-B-be-O1", 64 << 20}};
    for (const auto& [name, size] : heads) {
        const auto image = folder / fs::path(name).filename();
        write(image, diskwright::test::stored_image(name + ".gz"));
        fs::resize_file(image, size);
        out.push_back({name, image});
    }
    struct Maker {
        std::string tool, size;
        std::vector<std::string> arguments;
    };
    const std::vector<Maker> makers{{"mke2fs", "64M", {"-q", "-F", "-t", "ext4"}},
                                    {"mkfs.xfs", "400M", {"-q", "-f"}},
                                    {"mkswap", "16M", {}},
                                    {"sgdisk", "64M", {"-o", "-n", "1:2048:40000", "-n", "2:40960:90000"}}};
    for (const Maker& maker : makers) {
        const auto tool = find_tool(maker.tool);
        if (!tool) {
            std::printf("%s is not installed: left out\n", maker.tool.c_str());
            continue;
        }
        const auto image = folder / maker.tool;
        std::ofstream(image).close();
        fs::resize_file(image, std::strtoul(maker.size.c_str(), nullptr, 10) << 20);
        std::vector<std::string> argv{*tool};
        argv.insert(argv.end(), maker.arguments.begin(), maker.arguments.end());
        argv.push_back(image);
        if (run(argv, "/dev/null").status == 0) out.push_back({maker.tool, image});
    }
    return out;
}

// Links to one file each: what is measured is the reading, not the page cache's size.
std::vector<std::string> many(const Kind& kind, const fs::path& folder, std::size_t count) {
    std::vector<std::string> out;
    fs::create_directories(folder);
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(folder / ("sd" + std::to_string(i) + ".img"));
        fs::create_hard_link(kind.image, out.back());
    }
    return out;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Cost {
    std::vector<double> wall, cpu;
    void add(const Run& r) { wall.push_back(r.wall_s), cpu.push_back(r.cpu_s); }
    double spread() const {
        const auto [least, most] = std::minmax_element(cpu.begin(), cpu.end());
        return *most - *least;
    }
};

bool measure(const std::string& program, const fs::path& folder, const std::vector<Kind>& kinds,
             std::size_t count) {
    bool good = true;
    const auto blkid = find_tool("blkid");
    if (!blkid) std::printf("blkid is not installed: no comparison\n");
    const std::size_t each = std::max<std::size_t>(count / kinds.size(), 1);
    double all = 0;
    for (const Kind& kind : kinds) {
        const auto inputs = many(kind, folder / ("many-" + kind.image.filename().string()), each);
        const auto with = [&](std::vector<std::string> argv) {
            argv.insert(argv.end(), inputs.begin(), inputs.end());
            return argv;
        };
        Cost ours, theirs;
        for (int round = 0; round < rounds; ++round) {
            ours.add(run(with({program, "show", "--format", "jsonl"}), folder / "out"));
            if (blkid) theirs.add(run(with({*blkid, "-p"}), folder / "out-blkid"));
        }
        const auto per_image = [&](double seconds) { return 1e6 * seconds / static_cast<double>(each); };
        all += median(ours.wall);
        std::printf("%-24s %6.0f a second, %5.0f us (+-%.0f, %d rounds) of processor time an image",
                    kind.name.c_str(), static_cast<double>(each) / median(ours.wall),
                    per_image(median(ours.cpu)), per_image(ours.spread() / 2), rounds);
        if (blkid) {
            const bool slower = median(ours.cpu) > median(theirs.cpu) + (ours.spread() + theirs.spread()) / 2;
            std::printf("; blkid %5.0f us (+-%.0f)%s", per_image(median(theirs.cpu)),
                        per_image(theirs.spread() / 2), slower ? "  SLOWER" : "");
            good = good && !slower;
        }
        std::printf("\n");
    }
    const double rate = static_cast<double>(each * kinds.size()) / all;
    std::printf("all kinds: %.0f images a second\n", rate);
    return good && rate >= images_per_s;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string program = argc > 1 ? argv[1] : DISKWRIGHT_PROGRAM;
    const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 24'000;
    std::string name = (fs::temp_directory_path() / "images-XXXXXX").string();
    const fs::path folder = mkdtemp(name.data());
    const bool good = measure(program, folder, kinds(folder), count);
    fs::remove_all(folder);
    std::printf("%s\n", good ? "all bars met" : "A BAR IS MISSED");
    return good ? 0 : 1;
}
