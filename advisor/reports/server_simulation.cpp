// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/server_simulation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t block_bytes = 512;
constexpr const char* purposes[io_purposes] = {"data of files",
                                               "directories",
                                               "inodes",
                                               "maps of groups",
                                               "indirect blocks",
                                               "superblock and summary",
                                               "journal",
                                               "commits of the journal",
                                               "flushes of the disk's cache"};

double waited(const ServerSimulation& simulation, IoPurpose purpose) {
    return simulation.result.waited_s[static_cast<std::size_t>(purpose)];
}

Json split(const ServerSimulation& simulation) {
    DriveCounters sum;
    for (const DriveCounters& of : simulation.components) {
        sum.seek_s += of.seek_s;
        sum.rotation_s += of.rotation_s;
        sum.transfer_s += of.transfer_s;
    }
    return {{"seek_s", sum.seek_s},
            {"rotation_s", sum.rotation_s},
            {"transfer_s", sum.transfer_s},
            {"queue_s", simulation.array.queue_s},
            {"parity_read_s", simulation.array.parity_read_s},
            {"flush_s", waited(simulation, IoPurpose::flush)},
            {"log_s", waited(simulation, IoPurpose::log) + waited(simulation, IoPurpose::commit)}};
}

}  // namespace

std::string render_server_json(const ServerSimulation& simulation) {
    Json json;
    if (!simulation.point.empty()) json["point"] = simulation.point;
    json["command_s"] = simulation.result.command_s;
    json["settled_s"] = simulation.result.settled_s;
    if (simulation.result.transactions) json["transactions"] = *simulation.result.transactions;
    Json& components = json["components"] = Json::array();
    for (const DriveCounters& of : simulation.components)
        components.push_back({{"reads", of.reads},
                              {"writes", of.writes},
                              {"flushes", of.flushes},
                              {"read_bytes", of.blocks_read * block_bytes},
                              {"write_bytes", of.blocks_written * block_bytes},
                              {"busy_s", of.busy_s}});
    json["split"] = split(simulation);
    json["assumed"] = simulation.assumed;
    for (const std::string& figure : simulation.result.assumed) json["assumed"].push_back(figure);
    return json.dump() + "\n";
}

std::string render_server_text(const ServerSimulation& simulation, bool explains, bool quiet) {
    std::string out;
    const SimulationResult& result = simulation.result;
    if (!simulation.point.empty()) out += escaped(simulation.point) + ": ";
    out += fmt::format("command {:.3f} s, settled {:.3f} s", result.command_s, result.settled_s);
    if (result.transactions) out += fmt::format(", {} transactions", *result.transactions);
    out += "\n";
    if (explains) {
        out += fmt::format("  {:<32}{:>10.3f} s\n", "processor", result.processor_s);
        for (std::size_t i = 0; i < io_purposes; ++i)
            if (result.waited_s[i] > 0)
                out += fmt::format("  {:<32}{:>10.3f} s\n", std::string("waited for ") + purposes[i],
                                   result.waited_s[i]);
        out += "  of the disks, all together:\n";
        const Json parts = split(simulation);
        for (const auto& [name, seconds] : parts.items())
            out += fmt::format("    {:<30}{:>10.3f}\n", name, seconds.get<double>());
    }
    for (std::size_t i = 0; i < simulation.components.size(); ++i) {
        const DriveCounters& of = simulation.components[i];
        if (!quiet)
            out += fmt::format(
                "  disk {:<3} reads {:>8} ({} bytes), writes {:>8} ({} bytes), flushes {}, busy {:.3f} s\n",
                i, of.reads, of.blocks_read * block_bytes, of.writes, of.blocks_written * block_bytes,
                of.flushes, of.busy_s);
    }
    if (quiet) return out;
    for (const auto* list : {&simulation.assumed, &result.assumed})
        for (const std::string& figure : *list) out += escaped("  assumed: " + figure) + "\n";
    return out;
}

}  // namespace diskwright
