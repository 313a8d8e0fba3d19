// SPDX-License-Identifier: BSD-2-Clause
// What the probes find of the simulated drives that the project ships, beside what the drives are, without
// noise and with a spread of 10 % on every time. One column for each quantity: how far the value is off, in
// per cent, or a word for those that are right or wrong; "-" where it is inconclusive. Ends with 1 when a
// conclusive value of high confidence is off by more than the bars below.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "advisor/commissioning/simulated_target.hpp"
#include "tests/benchmarks/probes/truth.hpp"

namespace {

using namespace diskwright;

class Silent final : public ProgressMeter {
 public:
    void at(std::string_view, double, double) override {}
    bool cancelled() const override { return false; }
};

struct Column {
    std::string_view name;
    double bar;  // per cent
};
constexpr Column columns[] = {{"turn", 1},   {"seek", 10},  {"worst seek", 25}, {"read", 5},  {"iops", 5},
                              {"flush", 10}, {"cache", 0}, {"sector", 0},      {"offset", 0}};

std::string cell(const test::Judged& judged) {
    if (!judged.off_percent) return "-";
    if (judged.exact) return *judged.off_percent == 0 ? "right" : "WRONG";
    return fmt::format("{:.1f}", *judged.off_percent);
}

}  // namespace

int main(int count, char** words) {
    const std::string_view only = count > 1 ? words[1] : "";
    bool off = false;
    for (const double noise : {0.0, 0.1}) {
        fmt::print("\nnoise {:.0f} %: off by, in per cent\n{:<30}{:>8}", noise * 100, "drive", "s of it");
        for (const Column& column : columns) fmt::print("{:>11}", column.name);
        fmt::print("{:>9}\n", "ms cpu");
        for (const auto& drive : test::probed_drives()) {
            if (!only.empty() && drive.name != only) continue;
            auto device = test::device_of(drive, noise);
            if (!device) {
                fmt::print("{:<30}{}\n", drive.name, device.error().message);
                off = true;
                continue;
            }
            Silent progress;
            const auto begin = std::chrono::steady_clock::now();
            const auto results = run_probes(**device, device->get(), {usual_time, 1}, progress);
            const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
            fmt::print("{:<30}{:>8.0f}", drive.name,
                       std::chrono::duration<double>((*device)->clock().now()).count());
            const auto judged = test::judge(drive, results.profile);
            for (std::size_t i = 0; i < judged.size(); ++i) {
                fmt::print("{:>11}", cell(judged[i]));
                off = off || (judged[i].off_percent && judged[i].high && *judged[i].off_percent > columns[i].bar);
            }
            fmt::print("{:>9.0f}\n", took.count());
            if (!only.empty())
                for (const auto& [quantity, m] : results.profile)
                    fmt::print("  {}: {} {} ({})\n", quantity, test::value_text(m), to_string(m.confidence), m.reason);
        }
    }
    return off ? 1 : 0;
}
