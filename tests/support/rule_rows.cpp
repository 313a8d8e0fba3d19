// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/rule_rows.hpp"

#include <nlohmann/json.hpp>

#include "probes/model/facts_json.hpp"
#include "tests/support/files.hpp"

namespace diskwright::test {
namespace {

std::vector<Row> rows_of(const std::filesystem::path& table) {
    std::vector<Row> out;
    for (const auto& row : nlohmann::ordered_json::parse(read_file(table))) {
        auto facts = facts_from_text(row.at("facts").dump(), table.filename().string());
        if (facts)
            out.push_back({table.stem().string(), row.at("name").get<std::string>(),
                           row.value("workload", std::string{}), std::move(*facts)});
    }
    return out;
}

// Two sources disagree only after a merge, so a table cannot say it.
Row two_sizes(std::uint64_t later) {
    const auto disk = [](std::uint64_t size, std::uint32_t line) {
        HostFacts facts;
        facts.disks.push_back({});
        facts.disks.back().name = "da0";
        facts.disks.back().size_bytes = Number(size, Provenance("paste", line, std::to_string(size)));
        return facts;
    };
    Row out{"sources-disagree", "two sizes", "", disk(100000000000, 1)};
    merge(out.facts, disk(later, 2));
    return out;
}

std::vector<Row> read_rows() {
    std::vector<Row> out;
    for (const auto& family : entries(tests_folder() / "rules"))
        for (const auto& table : entries(family))
            if (table.extension() == ".json")
                for (Row& row : rows_of(table)) out.push_back(std::move(row));
    out.push_back(two_sizes(104500000000));
    out.push_back(two_sizes(106000000000));
    return out;
}

}  // namespace

const std::vector<Row>& rule_rows() {
    static const std::vector<Row> list = read_rows();
    return list;
}

}  // namespace diskwright::test
