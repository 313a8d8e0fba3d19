// SPDX-License-Identifier: BSD-2-Clause
// How many trials each search method needs on recorded landscapes: median over the seeds of the valid trials
// until one is within 5 % of the best; an invalid point costs none.
//   landscapes [--seeds N] [--methods NAME,...] FILE-OR-FOLDER...
// Landscapes with fewer than 32 rows are left out: there random search is as good as any.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "tuner/landscape.hpp"
#include "tuner/optimizers/optimizers.hpp"
#include "tuner/runners/recorded_runner.hpp"

namespace {

using namespace diskwright;
namespace fs = std::filesystem;

constexpr std::size_t least_rows = 32;
constexpr double near_enough = 1.05;

struct Task {
    std::string name;
    Landscape landscape;
};

double trials_needed(const Landscape& landscape, const Method& method, std::uint64_t seed) {
    const bool minimise = landscape.objective.minimise;
    double best = landscape.rows.begin()->second;
    for (const auto& [point, value] : landscape.rows)
        best = minimise ? std::min(best, value) : std::max(best, value);
    OptimizerOptions options{seed, minimise, {}};
    if (landscape.default_point) options.start.push_back(*landscape.default_point);
    const auto optimizer = method.make(landscape.space, options);
    RecordedRunner runner(landscape, 0, seed);
    int valid = 0;
    while (const auto point = optimizer->propose()) {
        const auto trial = runner.run(*point, {});
        valid += trial->value ? 1 : 0;
        if (trial->value &&
            (minimise ? *trial->value <= best * near_enough : *trial->value >= best / near_enough))
            break;
        optimizer->observe(*trial);
    }
    return valid;
}

bool load(const fs::path& path, std::vector<Task>& tasks) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    auto landscape = landscape_from_json(text, path.string(), Rows::wanted);
    if (!landscape) fmt::print(stderr, "{}\n", landscape.error().message);
    if (landscape && landscape->rows.size() >= least_rows)
        tasks.push_back({path.stem().string(), std::move(*landscape)});
    return landscape.ok();
}

bool load_all(const fs::path& path, std::vector<Task>& tasks) {
    if (!fs::is_directory(path)) return load(path, tasks);
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return std::all_of(files.begin(), files.end(), [&](const fs::path& file) { return load(file, tasks); });
}

void print_table(const std::vector<Task>& tasks, const std::vector<const Method*>& chosen,
                 std::uint64_t seeds) {
    fmt::print("{:<28}{:>6}", "landscape", "rows");
    for (const Method* method : chosen) fmt::print("{:>14}", method->name);
    fmt::print("\n");
    std::vector<std::vector<double>> pooled(chosen.size());
    for (const Task& task : tasks) {
        fmt::print("{:<28}{:>6}", task.name, task.landscape.rows.size());
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            std::vector<double> counts;
            for (std::uint64_t seed = 1; seed <= seeds; ++seed)
                counts.push_back(trials_needed(task.landscape, *chosen[i], seed));
            pooled[i].insert(pooled[i].end(), counts.begin(), counts.end());
            fmt::print("{:>14.1f}", *median(counts));
        }
        fmt::print("\n");
        std::fflush(stdout);
    }
    fmt::print("{:<34}", "pooled median");
    for (const auto& counts : pooled) fmt::print("{:>14.1f}", *median(counts));
    fmt::print("\n{:<34}", "pooled 90th percentile");
    for (const auto& counts : pooled) fmt::print("{:>14.1f}", *percentile(counts, 0.9));
    fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t seeds = 20;
    std::vector<const Method*> chosen;
    std::vector<Task> tasks;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--seeds" && i + 1 < argc) {
            seeds = to_unsigned(argv[++i]).value_or(seeds);
        } else if (word == "--methods" && i + 1 < argc) {
            for (const auto name : split(argv[++i], ',')) {
                const auto method = method_named(name);
                if (!method) return fmt::print(stderr, "{}\n", method.error().message), 64;
                chosen.push_back(*method);
            }
        } else if (!load_all(word, tasks)) {
            return 65;
        }
    }
    if (chosen.empty())
        for (const Method& method : methods()) chosen.push_back(&method);
    if (tasks.empty() || seeds == 0) {
        fmt::print(stderr, "landscapes [--seeds N] [--methods NAME,...] FILE-OR-FOLDER...\n");
        return 64;
    }
    print_table(tasks, chosen, seeds);
    return 0;
}
