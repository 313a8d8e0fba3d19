// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "tests/support/published.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {
namespace {

constexpr double as_good_as_equal = 1.05;

double factor_of(const PublishedRow& row, double simulated) {
    if (simulated < row.low) return row.low / simulated;
    return simulated > row.high ? simulated / row.high : 1;
}

// The ranks of values, those that are equal sharing theirs.
std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<double> result;
    for (const double value : values) {
        double below = 0, equal = 0;
        for (const double other : values) {
            below += other < value;
            equal += other == value;
        }
        result.push_back(below + (equal - 1) / 2);
    }
    return result;
}

// Spearman's: the correlation of the ranks.
std::optional<double> rank_correlation(const std::vector<double>& first, const std::vector<double>& second) {
    if (first.size() < 3) return std::nullopt;
    const auto a = ranks(first), b = ranks(second);
    const double mean = double(first.size() - 1) / 2;
    double both = 0, of_a = 0, of_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - mean) * (b[i] - mean);
        of_a += (a[i] - mean) * (a[i] - mean);
        of_b += (b[i] - mean) * (b[i] - mean);
    }
    if (of_a == 0 || of_b == 0) return std::nullopt;
    return both / std::sqrt(of_a * of_b);
}

class Judge {
 public:
    Judge(const PublishedTable& table, JudgedTable& judged) : table_(table), judged_(judged) {
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            if (judged.simulated[i]) there_.push_back(i);
    }
    void all() {
        factors();
        std::vector<double> was, is;
        for (const std::size_t i : there_) {
            was.push_back(table_.rows[i].measured());
            is.push_back(*judged_.simulated[i]);
        }
        judged_.rank = rank_correlation(was, is);
        const auto& bar = table_.bar;
        if (bar.rank && judged_.rank.value_or(-1) < *bar.rank)
            broken(judged_.rank ? fmt::format("rank correlation {:.2f}", *judged_.rank)
                                : std::string("no rank correlation"));
        if (bar.order) order();
        if (bar.best_among > 0) best();
        if (bar.relative) relative();
    }

 private:
    void broken(std::string what) { judged_.broken.push_back(std::move(what)); }
    bool has_bar() const {
        const auto& bar = table_.bar;
        return bar.factor || bar.rank || bar.order || bar.best_among > 0 || bar.relative;
    }
    void factors() {
        for (std::size_t i = 0; i < table_.rows.size(); ++i) {
            const auto& simulated = judged_.simulated[i];
            judged_.factors.push_back(simulated ? factor_of(table_.rows[i], *simulated) : 0);
            if (!simulated && has_bar()) broken(table_.rows[i].name + ": not simulated");
            if (simulated && table_.bar.factor && judged_.factors[i] > *table_.bar.factor)
                broken(fmt::format("{}: factor {:.2f}", table_.rows[i].name, judged_.factors[i]));
        }
    }
    void order() {
        for (const std::size_t i : there_)
            for (const std::size_t j : there_)
                if (table_.rows[i].measured() > as_good_as_equal * table_.rows[j].measured() &&
                    *judged_.simulated[i] <= *judged_.simulated[j])
                    broken(fmt::format("{} not above {}", table_.rows[i].name, table_.rows[j].name));
    }
    void best() {
        const auto lowest = std::min_element(there_.begin(), there_.end(), [&](std::size_t a, std::size_t b) {
            return table_.rows[a].measured() < table_.rows[b].measured();
        });
        if (lowest == there_.end()) return;
        const auto better = std::count_if(there_.begin(), there_.end(), [&](std::size_t i) {
            return *judged_.simulated[i] < *judged_.simulated[*lowest];
        });
        if (static_cast<std::size_t>(better) >= table_.bar.best_among)
            broken(fmt::format("the best, {}, is number {}", table_.rows[*lowest].name, better + 1));
    }
    void relative() {
        const auto& [to, most] = *table_.bar.relative;
        if (!judged_.simulated[to]) return;
        for (const std::size_t i : there_) {
            const double ratio = *judged_.simulated[i] / *judged_.simulated[to] /
                                 (table_.rows[i].measured() / table_.rows[to].measured());
            if (std::max(ratio, 1 / ratio) > most)
                broken(fmt::format("{} against {}: off by {:.2f}", table_.rows[i].name, table_.rows[to].name,
                                   std::max(ratio, 1 / ratio)));
        }
    }

    const PublishedTable& table_;
    JudgedTable& judged_;
    std::vector<std::size_t> there_;
};

std::string number(double value) {
    return fmt::format("{:.4g}", value);
}

}  // namespace

JudgedTable judge(const PublishedTable& table) {
    JudgedTable judged;
    judged.simulated.assign(table.rows.size(), Error{ErrorKind::internal, "not run"});
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < table.rows.size(); i = next++)
            judged.simulated[i] = table.rows[i].simulate();
    };
    std::thread other(work);
    work();
    other.join();
    Judge(table, judged).all();
    return judged;
}

std::string rendered(const PublishedTable& table, const JudgedTable& judged) {
    std::string text = fmt::format("\n{} ({})\n", table.title, table.unit);
    if (!table.assumed.empty()) text += fmt::format("  assumed: {}\n", table.assumed);
    text += fmt::format("  {:<46}{:>14}{:>12}{:>8}\n", "", "measured", "simulated", "factor");
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const PublishedRow& row = table.rows[i];
        const auto& simulated = judged.simulated[i];
        const std::string measured =
            row.low == row.high ? number(row.low) : number(row.low) + " to " + number(row.high);
        text += fmt::format("  {:<46}{:>14}", row.name, measured);
        if (simulated)
            text += fmt::format("{:>12}{:>8.2f}", number(*simulated), judged.factors[i]);
        else
            text += fmt::format("  not simulated: {}", simulated.error().message);
        text += row.assumed.empty() ? "\n" : fmt::format("  {}\n", row.assumed);
    }
    if (judged.rank) text += fmt::format("  rank correlation {:.2f}\n", *judged.rank);
    for (const std::string& what : judged.broken) text += fmt::format("  DOES NOT HOLD: {}\n", what);
    return text;
}

nlohmann::ordered_json published_figures(const std::string& folder, const std::string& name) {
    std::ifstream in(folder + "/" + name + ".json");
    return nlohmann::ordered_json::parse(in).at("rows");
}

Result<SimulationResult> run_published(const nlohmann::ordered_json& server,
                                       const std::shared_ptr<const FileWork>& work) {
    // The signs of numbers are those of a file.
    const auto machine =
        configuration_from_json(nlohmann::ordered_json::parse(server.dump()), "published server");
    if (!machine) return machine.error();
    const auto volume = make_array(*machine);
    if (!volume) return volume.error();
    SimulationOptions options;
    options.work = work;
    return run_simulation(*machine, *volume->array, options);
}

double taken_s(SimulatedDrive& drive, const RawLoad& load) {
    constexpr double never = std::numeric_limits<double>::infinity(), host_s = 20e-6;
    std::uint64_t submitted = 0;
    double now_s = 0;
    const auto submit = [&] {
        drive.submit({submitted, load.block(submitted), load.blocks, load.operation, false, now_s});
        ++submitted;
    };
    while (submitted < std::min<std::uint64_t>(load.outstanding, load.requests)) submit();
    for (std::uint64_t done = 0; done < load.requests; ++done) {
        now_s = drive.next(never)->done_s + host_s;
        if (submitted < load.requests) submit();
    }
    return now_s;
}

}  // namespace diskwright
