// SPDX-License-Identifier: BSD-2-Clause
// How fast, and in how much memory, captures are read:
//   captures_benchmark [PROGRAM [COUNT]]
// COUNT (10,000) captures to JSON lines with all processors, then single texts of 1, 10 and 100 MB. The bars:
// 1,000 captures a second on two processors, in less than 300 MB whatever their number, in the order of the
// inputs; a text in time linear in its size. Exits 1 when one of them is missed.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "tests/benchmarks/support/child.hpp"

namespace {

using diskwright::benchmark::run;
using diskwright::benchmark::Run;

namespace fs = std::filesystem;

constexpr double captures_per_s = 1000, most_mib = 300, linear_slack = 2;

std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// What the tests keep of real servers, one text each.
std::vector<std::string> samples() {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(fs::path(DISKWRIGHT_SOURCE_DIR) / "tests/data/cases"))
        folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    std::vector<std::string> out;
    for (const auto& folder : folders) {
        std::string text;
        for (const auto& file : fs::directory_iterator(folder))
            if (file.path().extension() == ".txt") text += content(file.path());
        out.push_back(std::move(text));
    }
    return out;
}

bool in_order(const fs::path& output, const std::vector<std::string>& inputs) {
    std::ifstream lines(output);
    std::string line;
    for (const auto& input : inputs)
        if (!std::getline(lines, line) || line.find("{\"input\":\"" + input + "\"") != 0) return false;
    return !std::getline(lines, line);
}

bool measure_many(const std::string& program, const fs::path& folder, std::size_t count) {
    const auto texts = samples();
    std::vector<std::string> inputs;
    std::ofstream list(folder / "list");
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
        inputs.push_back(folder / ("capture" + std::to_string(i)));
        std::ofstream(inputs.back(), std::ios::binary) << texts[i % texts.size()];
        bytes += texts[i % texts.size()].size();
        list << inputs.back() << '\n';
    }
    list.close();
    bool good = true;
    for (const std::size_t part : {count / 10, count}) {
        const std::string some = folder / "some";
        std::ofstream out(some);
        for (std::size_t i = 0; i < part; ++i) out << inputs[i] << '\n';
        out.close();
        const Run r = run({program, "audit", "--format", "jsonl", "--inputs-from", some}, folder / "out");
        const bool ordered =
            in_order(folder / "out", {inputs.begin(), inputs.begin() + static_cast<long>(part)});
        std::printf("%zu captures: %.2f s, %.0f a second, %.2f s of processor time, %.0f MiB, order %s\n",
                    part, r.wall_s, static_cast<double>(part) / r.wall_s, r.cpu_s, r.mib,
                    ordered ? "kept" : "LOST");
        good = good && r.status <= 1 && ordered && r.mib < most_mib &&
               (part < count || static_cast<double>(part) / r.wall_s >= captures_per_s);
    }
    std::printf("mean size of a capture: %zu bytes\n", bytes / std::max<std::size_t>(count, 1));
    return good;
}

using Piece = std::function<std::string(std::size_t)>;

std::string repeat(const std::string& head, std::size_t rows,
                   const std::function<std::string(std::size_t)>& row) {
    std::string out = head;
    for (std::size_t i = 0; i < rows; ++i) out += row(i);
    return out;
}

struct Kind {
    const char* name;
    Piece piece;  // the n-th repetition
};

// The listings of a server over and over, as a log of hourly snapshots has them; made up, in the form the
// tools print.
std::vector<Kind> kinds() {
    const auto n = [](std::size_t i) { return std::to_string(i); };
    std::vector<Kind> out{
        {"iostat",
         [n](std::size_t i) {
             return repeat("device     r/s   w/s    kr/s    kw/s qlen svc_t  %b  \n", 8, [&](std::size_t d) {
                 return "ada" + n(d) + "       1.0  " + n(10 + (i + d) % 80) +
                        ".0    16.0   320.0    0   5.0  10  \n";
             });
         }},
        {"dmesg",
         [n](std::size_t) {
             return repeat("$ dmesg\n", 8, [&](std::size_t d) {
                 return "ada" + n(d) + ": <ST3000DM001-9YN166 CC4B> ATA8-ACS SATA 3.x device\nada" + n(d) +
                        ": 2861588MB (5860533168 512 byte sectors)\n";
             });
         }},
        {"mount",
         [n](std::size_t) {
             return repeat("$ mount\n", 20, [&](std::size_t k) {
                 return "/dev/ada0p" + n(k) + " on /data" + n(k) + " (ufs, local, soft-updates)\n";
             });
         }},
        {"mounts of ever new devices",
         [n](std::size_t i) {
             return repeat("$ mount\n", 20, [&](std::size_t k) {
                 return "/dev/ada" + n(i) + "p" + n(k) + " on /data" + n(i * 20 + k) + " (ufs, local)\n";
             });
         }},
        {"swapinfo",
         [](std::size_t) {
             return std::string(
                 "$ swapinfo\nDevice          1K-blocks     Used    Avail Capacity\n"
                 "/dev/ada0p2       4194304        0  4194304     0%\n");
         }},
        {"gpart",
         [n](std::size_t i) {
             const auto disk = "ada" + n(i % 8);
             return "$ gpart show " + disk + "\n=>        40  5860533088  " + disk +
                    "  GPT  (2.7T)\n          40        1024     1  freebsd-boot  (512K)\n"
                    "        1064    16777216     2  freebsd-swap  (8.0G)\n"
                    "    16778280  5843754848     3  freebsd-ufs  (2.7T)\n\n";
         }},
        {"sysctl",
         [n](std::size_t) {
             return repeat("$ sysctl -a\n", 200,
                           [&](std::size_t k) { return "kern.number" + n(k) + ": 1\n"; });
         }},
        {"prose",
         [n](std::size_t i) { return "A line of a mail with words, and with the number " + n(i) + ".\n"; }},
        {"prompts", [](std::size_t) { return std::string("# ls\n"); }},
    };
    Kind all{"all of them", nullptr};
    all.piece = [list = out](std::size_t i) {
        std::string text;
        for (const Kind& kind : list) text += kind.piece(i);
        return text;
    };
    out.insert(out.begin(), std::move(all));
    return out;
}

bool measure_large(const std::string& program, const fs::path& folder) {
    bool good = true;
    const fs::path input = folder / "large";
    for (const Kind& kind : kinds()) {
        double before = 0;
        for (const std::size_t megabytes : {1, 10, 100}) {
            std::ofstream out(input, std::ios::binary);
            std::size_t size = 0;
            for (std::size_t i = 0; size < megabytes * 1'000'000; ++i) {
                const std::string text = kind.piece(i);
                out << text;
                size += text.size();
            }
            out.close();
            const Run r = run({program, "audit", "--format", "jsonl", input}, folder / "out");
            std::printf("%s, %zu MB: %.2f s, %.2f s of processor time, %.0f MiB\n", kind.name, megabytes,
                        r.wall_s, r.cpu_s, r.mib);
            good = good && r.status <= 65;
            if (megabytes == 100 && r.cpu_s > 10 * linear_slack * before) {
                std::printf("    NOT LINEAR\n");
                good = false;
            }
            before = r.cpu_s;
        }
    }
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string program = argc > 1 ? argv[1] : DISKWRIGHT_PROGRAM;
    const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000;
    std::string name = (fs::temp_directory_path() / "captures-XXXXXX").string();
    const fs::path folder = mkdtemp(name.data());
    const bool many = measure_many(program, folder, count), large = measure_large(program, folder);
    fs::remove_all(folder);
    std::printf("%s\n", many && large ? "all bars met" : "A BAR IS MISSED");
    return many && large ? 0 : 1;
}
