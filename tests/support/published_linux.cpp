// SPDX-License-Identifier: BSD-2-Clause
// The Software-RAID HOWTO's table: sequential reading and writing by level, chunk and block of ext2.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/published.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

// IBM UltraStar 9ES of 4.5 GB; its rates are taken to be 12 and 8 MB/s.
Json disk() {
    return {{"size_bytes", 4509715968},      {"rpm", 7200},
            {"seek_min_s", 0.0006},          {"seek_max_s", 0.015},
            {"transfer_bytes_per_s", 12e6},  {"transfer_inner_bytes_per_s", 8e6},
            {"interface_bytes_per_s", 40e6}, {"command_s", 0.0005},
            {"cache_bytes", 524288},         {"read_ahead_bytes", 131072},
            {"write_cache", "on"},           {"queue_depth", 1}};
}

// Two Pentium Pro of 150 MHz. Copying 64 KiB and handing on a block cost what the table's RAID 0 rows of 1
// and 4 KiB say together: 22 ns a byte, 29 us a block.
constexpr double copy_s = 22e-9 * 65536, block_s = 29e-6;

Json server(const Json& row, const std::string& workload) {
    const std::string level = std::to_string(row["raid_level"].get<int>());
    const std::uint64_t megabytes = level == "10" ? 900 : 1024;
    Json json{{"os", {{"name", "linux"}, {"release", "2.2.7"}}},
              {"disks", {{{"model", disk()}, {"count", 4}}}},
              {"volume",
               {{"kind", "md"},
                {"level", level},
                {"stripe_unit_bytes", row["chunk_kb"].get<std::uint64_t>() * 1024}}},
              {"filesystem", {{"type", "ext2"}, {"bsize", row["block_kb"].get<std::uint64_t>() * 1024}}},
              {"host", {{"ram_bytes", 256 << 20}, {"syscall_s", copy_s}, {"block_s", block_s}}},
              {"workload", {{"name", workload}, {"bytes", megabytes << 20}}}};
    json["disks"][0]["model"]["queue_depth"] = std::max(1, row["tcq_depth"].get<int>());
    return json;
}

}  // namespace

PublishedTables linux_tables(const std::string& folder) {
    const Json figures = published_figures(folder, "linux_md_howto_chunk_x_block");
    std::map<std::string, PublishedTable> tables;
    for (const Json& row : figures)
        for (const char* workload : {"seqread", "seqwrite"}) {
            const bool reads = std::string_view(workload) == "seqread";
            const std::string title =
                fmt::format("Software-RAID HOWTO, RAID {}, {}", row["raid_level"].get<int>(),
                            reads ? "reading" : "writing");
            PublishedTable& table = tables[title];
            table.title = title;
            table.unit = "kB/s";
            table.assumed =
                "four disks of 12 to 8 MB/s; 22 ns of the processor a byte and 29 us a block, "
                "from the rows of RAID 0";
            table.bar.order = true;
            PublishedRow made;
            made.name = fmt::format("chunk {}k block {}k tcq {}", row["chunk_kb"].get<int>(),
                                    row["block_kb"].get<int>(), row["tcq_depth"].get<int>());
            made.low = made.high = row[reads ? "read_kBps" : "write_kBps"];
            made.simulate = [json = server(row, workload)]() -> Result<double> {
                const auto result = run_published(json);
                if (!result) return result.error();
                const double bytes = json["workload"]["bytes"].get<double>();
                return bytes / 1024 / result->command_s;
            };
            table.rows.push_back(std::move(made));
        }
    PublishedTables out;
    for (auto& [title, table] : tables) out.push_back(std::move(table));
    return out;
}

}  // namespace diskwright
