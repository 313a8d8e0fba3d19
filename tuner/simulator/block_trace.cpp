// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/block_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probes/model/json_object.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> names{"rw", "lbn_512", "blocks_512", "service_us", "to_next_us"};
enum Column : std::size_t { rw, lbn, blocks, service, to_next };
constexpr std::size_t absent = SIZE_MAX;
using Columns = std::array<std::size_t, names.size()>;  // where each stands in a row

// A drive takes no more at once, and a year between two requests is a mistake.
constexpr std::uint64_t most_blocks = 1 << 20, most_blocks_of_all = std::uint64_t{1} << 32;
constexpr double most_us = 3.2e13, us = 1e-6;

Columns read_columns(JsonObject& top) {
    Columns columns;
    columns.fill(absent);
    std::size_t at = 0;
    for (const Json* element : top.list("columns")) {
        const std::string word = element->is_string() ? element->get<std::string>() : "";
        const auto known = std::find(names.begin(), names.end(), word);
        if (known == names.end()) {
            top.fail("columns", fmt::format("'{}' is none of {}", word, fmt::join(names, ", ")));
            break;
        }
        std::size_t& place = columns[static_cast<std::size_t>(known - names.begin())];
        if (place != absent) top.fail("columns", fmt::format("'{}' is there twice", word));
        place = at++;
    }
    for (const Column needed : {rw, lbn, blocks})
        if (columns[needed] == absent) top.fail("columns", fmt::format("'{}' is missing", names[needed]));
    return columns;
}

class RowReader {
 public:
    RowReader(const Json& row, const Columns& columns) : row_(row), columns_(columns) {}

    bool write() {
        const Json& word = at(rw);
        const bool is_write = word == "W" || word == "w", is_read = word == "R" || word == "r";
        if (!is_write && !is_read) fail(rw, "neither R nor W");
        return is_write;
    }
    std::uint64_t count(Column column) {
        const Json& value = at(column);
        if (value.is_number_unsigned()) return value.get<std::uint64_t>();
        fail(column, "not a whole number of 0 or more");
        return 0;
    }
    double seconds(Column column) {
        const Json& value = at(column);
        const double time = value.is_number() ? value.get<double>() : -1;
        if (time >= 0 && time <= most_us) return time * us;
        fail(column, "no time in microseconds");
        return 0;
    }
    bool has(Column column) const { return columns_[column] != absent; }
    void fail(Column column, std::string_view what) {
        if (fault.empty()) fault = fmt::format("{}: {}", names[column], what);
    }

    std::string fault;

 private:
    const Json& at(Column column) const { return row_[columns_[column]]; }
    const Json& row_;
    const Columns& columns_;
};

TracedRequest read_row(RowReader& from) {
    TracedRequest request;
    request.operation = from.write() ? DriveOperation::write : DriveOperation::read;
    request.block = from.count(lbn);
    const std::uint64_t count = from.count(blocks);
    if (count == 0 || count > most_blocks) from.fail(blocks, fmt::format("not from 1 to {}", most_blocks));
    request.blocks = static_cast<std::uint32_t>(std::min(count, most_blocks));
    if (from.has(to_next)) request.to_next_s = from.seconds(to_next);
    return request;
}

}  // namespace

Result<BlockTrace> block_trace_from_json(std::string_view text, std::string_view source) {
    const auto json = parse_json(text, source);
    if (!json) return json.error();
    JsonObject top(*json, source);
    BlockTrace trace;
    trace.title = top.text("title").value_or("");
    trace.disk = top.text("disk").value_or("");
    for (const auto key : {"source", "note", "units"}) top.any(key);  // for people
    const Columns columns = read_columns(top);
    const auto width = static_cast<std::size_t>(
        std::count_if(columns.begin(), columns.end(), [](std::size_t place) { return place != absent; }));
    const auto rows = top.list("rows");
    if (!top.has("rows")) top.fail("rows", "missing");
    top.reject_unknown_keys();
    if (top.error()) return *top.error();

    std::uint64_t all_blocks = 0;
    trace.requests.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string path = fmt::format("rows[{}]", i);
        if (!rows[i]->is_array() || rows[i]->size() != width) {
            top.fail(path, fmt::format("not a list of {} values", width));
            return *top.error();
        }
        RowReader row(*rows[i], columns);
        trace.requests.push_back(read_row(row));
        if (row.has(service)) trace.measured_s.push_back(row.seconds(service));
        all_blocks += trace.requests.back().blocks;
        if (all_blocks > most_blocks_of_all) row.fail(blocks, "more than 2 TiB up to here");
        if (!row.fault.empty()) {
            top.fail(path, row.fault);
            return *top.error();
        }
    }
    return trace;
}

}  // namespace diskwright
