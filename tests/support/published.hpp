// SPDX-License-Identifier: BSD-2-Clause
// Tables that others published or measured, beside what the simulator makes of the same servers.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/configuration.hpp"
#include "tuner/simulator/simulation_run.hpp"

namespace diskwright {

struct PublishedRow {
    std::string name, assumed;  // of this row alone
    double low = 0, high = 0;   // what was measured; from one to the other where the source says so
    std::function<Result<double>()> simulate;

    double measured() const { return (low + high) / 2; }
};

struct PublishedTable {
    std::string title, unit, assumed;
    /// What must hold; nothing where a table is printed only.
    struct Bar {
        std::optional<double> factor;  // each row within it
        std::optional<double> rank;    // at least: Spearman's
        bool order = false;            // of each two rows that differ by more than a twentieth
        std::size_t best_among = 0;    // the lowest measured is among so many lowest predicted
        struct Relative {
            std::size_t row = 0;
            double factor = 0;
        };
        std::optional<Relative> relative;  // each row's ratio to that one, within the factor
    } bar;
    std::vector<PublishedRow> rows;
};

struct JudgedTable {
    std::vector<Result<double>> simulated;  // or why not
    std::vector<double> factors;            // at least 1; 0 where nothing was simulated
    std::optional<double> rank;
    std::vector<std::string> broken;  // what does not hold
};

/// Runs the rows, some at a time.
JudgedTable judge(const PublishedTable& table);
std::string rendered(const PublishedTable& table, const JudgedTable& judged);

/// The rows of a file of tests/data/simulator/published; throws when it is not there.
nlohmann::ordered_json published_figures(const std::string& folder, const std::string& name);

using PublishedTables = std::vector<PublishedTable>;
/// Servers with a file system. scale: of the workloads that are too long to be run whole, how many files.
PublishedTables seed_tables(const std::string& folder);
PublishedTables fsync_tables(const std::string& folder);
PublishedTables raid1_grid_tables(const std::string& folder, std::uint64_t files);
PublishedTables journal_tables(const std::string& folder, std::uint64_t files);
/// md sets with ext2.
PublishedTables linux_tables(const std::string& folder);
/// Volumes and disks without one.
PublishedTables volume_tables(const std::string& folder);

/// A server that runs its workload, or that one.
Result<SimulationResult> run_published(const nlohmann::ordered_json& server,
                                       const std::shared_ptr<const FileWork>& work = {});

/// Requests one after the other, so many of them under way at a time: what they take. The host asks for the
/// next 20 us after one is done.
struct RawLoad {
    DriveOperation operation = DriveOperation::read;
    std::uint32_t blocks = 0;
    std::uint64_t requests = 0;
    unsigned outstanding = 1;
    std::function<std::uint64_t(std::uint64_t)> block;  // of which request
};
double taken_s(SimulatedDrive& drive, const RawLoad& load);

}  // namespace diskwright
