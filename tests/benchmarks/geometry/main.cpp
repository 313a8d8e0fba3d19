// SPDX-License-Identifier: BSD-2-Clause
// What the geometry probe says of simulated arrays drawn at random, beside what they are.
//
//     cmake --build build --target benchmark-geometry
//     geometry_benchmark [ARRAYS [SEED [read-only]]]
//
// An answer counts as wrong when it is not exactly what the array is; without scratch nothing is written.
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "advisor/commissioning/simulated_device.hpp"
#include "probes/timing/array_geometry.hpp"
#include "tests/benchmarks/geometry/random_array.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {
namespace {

constexpr std::chrono::seconds most_device_time{120};

class Silent final : public ProgressMeter {
 public:
    void at(std::string_view, double, double) override {}
    bool cancelled() const override { return false; }
};

enum class Answer { right, wrong, inconclusive };

struct Outcome {
    RandomArray array;
    std::array<Answer, geometry_quantities.size()> answers{};
    bool wrong_with_confidence = false;
    double device_s = 0;
    std::string said;
};

std::string text_of(const Measurement& measured) {
    if (const auto* number = std::get_if<double>(&measured.value)) return fmt::format("{:.0f}", *number);
    if (const auto* text = std::get_if<std::string>(&measured.value)) return *text;
    return "";
}

Outcome probe(RandomArray array, std::uint64_t seed, bool read_only) {
    Outcome out;
    auto made = make_array(array.machine);
    if (!made) {
        out.said = made.error().message;
        out.array = std::move(array);
        return out;
    }
    SimulatedDevice device("array", std::move(made->array), array.machine.noise, array.machine.seed);
    Silent progress;
    const auto geometry =
        measure_array_geometry({device, read_only ? nullptr : &device, most_device_time, seed, progress});
    const std::array<std::string, geometry_quantities.size()> truth{
        fmt::format("{}", array.truth.stripe_unit_bytes), fmt::format("{}", array.truth.data_disks),
        array.truth.redundancy, array.truth.layout};
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const Measurement& measured = geometry.profile.at(std::string(geometry_quantities[i]));
        if (measured.confidence == Confidence::inconclusive) {
            out.answers[i] = Answer::inconclusive;
            out.said += fmt::format(" ? ({})", measured.reason);
            continue;
        }
        const std::string said = text_of(measured);
        out.answers[i] = said == truth[i] ? Answer::right : Answer::wrong;
        out.said += fmt::format(" {} ({})", said, to_string(measured.confidence));
        if (said != truth[i] && measured.confidence == Confidence::high) out.wrong_with_confidence = true;
    }
    out.device_s = std::chrono::duration<double>(device.clock().now()).count();
    out.array = std::move(array);
    return out;
}

struct Row {
    std::uint64_t arrays = 0, conclusive = 0, wrong_with_confidence = 0;
    std::array<std::uint64_t, geometry_quantities.size()> right{}, answered{};
    std::vector<double> device_s;

    void add(const Outcome& outcome) {
        ++arrays;
        // The layout of most has no name.
        conclusive += std::none_of(outcome.answers.begin(), outcome.answers.begin() + 3,
                                   [](Answer answer) { return answer == Answer::inconclusive; })
                          ? 1
                          : 0;
        wrong_with_confidence += outcome.wrong_with_confidence ? 1 : 0;
        for (std::size_t i = 0; i < right.size(); ++i) {
            answered[i] += outcome.answers[i] != Answer::inconclusive ? 1 : 0;
            right[i] += outcome.answers[i] == Answer::right ? 1 : 0;
        }
        device_s.push_back(outcome.device_s);
    }
};

void print_row(std::string_view name, Row& row) {
    if (row.arrays == 0) return;
    fmt::print("{:<28}{:>7}", name, row.arrays);
    for (std::size_t i = 0; i < row.right.size(); ++i)
        fmt::print("{:>13}", fmt::format("{}/{}", row.right[i], row.answered[i]));
    std::sort(row.device_s.begin(), row.device_s.end());
    fmt::print("{:>8.1f} %{:>7}{:>8.1f}{:>8.1f}\n", 100.0 * double(row.conclusive) / double(row.arrays),
               row.wrong_with_confidence, row.device_s[row.device_s.size() / 2], row.device_s.back());
}

std::string row_name(const RandomArray& array) {
    const std::string_view level = to_string(array.machine.volume->level);
    return fmt::format("{:>2} {:<9}{}", level == "1" ? "10" : level, array.flash ? "flash" : "rotating",
                       array.cached ? " behind a cache" : "");
}

void print_table(const std::vector<Outcome>& outcomes, bool verbose) {
    std::map<std::string, Row> rows;
    Row all, plain;
    for (const Outcome& outcome : outcomes) {
        rows[row_name(outcome.array)].add(outcome);
        all.add(outcome);
        if (!outcome.array.flash && !outcome.array.cached) plain.add(outcome);
        const bool wrong = std::any_of(outcome.answers.begin(), outcome.answers.end(),
                                       [](Answer answer) { return answer == Answer::wrong; });
        if (wrong || verbose)
            fmt::print("{}{}: {}\n", wrong ? "wrong: " : "", outcome.array.describe(), outcome.said);
    }
    fmt::print("{:<28}{:>7}{:>13}{:>13}{:>13}{:>13}{:>10}{:>7}{:>16}\n", "", "", "stripe unit", "data disks",
               "redundancy", "layout", "all three", "wrong", "device seconds");
    fmt::print("{:<28}{:>7}{:>52}{:>10}{:>7}{:>8}{:>8}\n", "level, members", "arrays",
               "right of those answered", "answered", "surely", "median", "most");
    for (auto& [name, row] : rows) print_row(name, row);
    print_row("rotating, no cache", plain);
    print_row("all", all);
}

std::vector<Outcome> probe_all(std::uint64_t count, std::uint64_t seed, bool read_only) {
    std::vector<Outcome> outcomes(count);
    std::atomic<std::uint64_t> next{0}, done{0};
    std::mutex terminal;
    const auto work = [&] {
        for (std::uint64_t i = next++; i < count; i = next++) {
            outcomes[i] = probe(random_array(seed, i), seed * count + i, read_only);
            const std::uint64_t finished = ++done;
            if (finished % 20 > 0 && finished < count) continue;
            const std::lock_guard lock(terminal);
            if (isatty(STDERR_FILENO) == 1)
                fmt::print(stderr, "\r{} of {} arrays{}", finished, count, finished == count ? "\n" : "");
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    return outcomes;
}

}  // namespace
}  // namespace diskwright

int main(int argc, char** argv) {
    using namespace diskwright;
    const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2027;
    const auto given = [&](std::string_view word) {
        return std::any_of(argv + std::min(argc, 3), argv + argc,
                           [&](const char* one) { return one == word; });
    };
    print_table(probe_all(count, seed, given("read-only")), given("verbose"));
    return 0;
}
