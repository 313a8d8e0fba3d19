// SPDX-License-Identifier: BSD-2-Clause
// Linux: iostat -o JSON of sysstat 11.5 and later, with or without -x:
//   {"sysstat": {"hosts": [{"nodename": "host1", "release": "6.1.0", "machine": "x86_64", "statistics": [
//     {"timestamp": "...", "disk": [{"disk_device": "sda", "r/s": 1.00, "rkB/s": 4.00, "r_await": 0.50,
//     "util": 1.20}]}]}]}}
// Source: sysstat/sysstat:iostat.c at its tags. The report of the time since boot comes first here too.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "probes/parsers/io_sampling.hpp"
#include "probes/parsers/json_text.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

const Json* member(const Json& object, const char* name) {
    const auto at = object.is_object() ? object.find(name) : object.end();
    return at == object.end() ? nullptr : &*at;
}

std::optional<std::string> text_member(const Json& object, const char* name) {
    const Json* value = member(object, name);
    if (!value || !value->is_string()) return std::nullopt;
    return value->get<std::string>();
}

struct Label {
    std::string_view name;
    IoColumn column;
};
// The names of the table's columns; a percentage has no % before its name.
constexpr std::array<Label, 30> label_table{{{"r/s", {IoField::reads}},
                                             {"w/s", {IoField::writes}},
                                             {"rkB/s", {IoField::read_kb}},
                                             {"wkB/s", {IoField::write_kb}},
                                             {"rsec/s", {IoField::read_kb, 0.5}},
                                             {"wsec/s", {IoField::write_kb, 0.5}},
                                             {"rMB/s", {IoField::read_kb, 1024}},
                                             {"wMB/s", {IoField::write_kb, 1024}},
                                             {"kB_read/s", {IoField::read_kb}},
                                             {"kB_wrtn/s", {IoField::write_kb}},
                                             {"MB_read/s", {IoField::read_kb, 1024}},
                                             {"MB_wrtn/s", {IoField::write_kb, 1024}},
                                             {"Blk_read/s", {IoField::read_kb, 0.5}},
                                             {"Blk_wrtn/s", {IoField::write_kb, 0.5}},
                                             {"tps", {IoField::transfers}},
                                             {"kB/s", {IoField::kb}},
                                             {"aqu-sz", {IoField::queue}},
                                             {"avgqu-sz", {IoField::queue}},
                                             {"svctm", {IoField::service}},
                                             {"await", {IoField::await}},
                                             {"r_await", {IoField::read_await}},
                                             {"w_await", {IoField::write_await}},
                                             {"f/s", {IoField::flushes}},
                                             {"f_await", {IoField::flush_await}},
                                             {"rrqm/s", {IoField::read_merges}},
                                             {"rrqm", {IoField::read_merges_percent}},
                                             {"rareq-sz", {IoField::read_size}},
                                             {"wareq-sz", {IoField::write_size}},
                                             {"util", {IoField::busy}},
                                             {"utilization", {IoField::busy}}}};

// The line that names the device in this report, for the provenance; reports come in order, so the search
// goes on from the last hit.
std::size_t line_of(const Output& out, std::size_t& from, std::size_t end, const std::string& device) {
    for (std::size_t i = from; i < end && i < from + 2000; ++i)
        if (contains(out.text(i), "\"" + device + "\"")) return from = i;
    return from;
}

void read_disk(const Json& disk, const std::string& device, std::size_t line, IoRun& run, Scribe& scribe) {
    IoRow row(scribe.at(line));
    for (const Label& label : label_table) {
        const Json* value = member(disk, std::string(label.name).c_str());
        if (value && value->is_number()) row.put(label.column, value->get<double>());
    }
    run.add(device, row.finish());
}

void read_host(const Json& host, const Output& out, std::size_t at, std::size_t end, Scribe& scribe) {
    Platform& os = scribe.facts.os;
    os.name = scribe.known(Os::linux_, at);
    if (const auto release = text_member(host, "release")) os.release = scribe.text(*release, at);
    if (const auto machine = text_member(host, "machine")) os.machine = scribe.text(*machine, at);
    if (const auto name = text_member(host, "nodename")) os.hostname = scribe.text(*name, at);
    const Json* statistics = member(host, "statistics");
    if (!statistics || !statistics->is_array()) return;
    IoRun run;
    std::size_t from = at;
    for (const Json& report : *statistics) {
        if (const auto stamp = text_member(report, "timestamp")) {
            const auto w = words(*stamp);
            const auto first = clock_time(w, 0);
            if (const auto time = first ? first : clock_time(w, 1)) run.timestamp(*time);
        }
        run.begin_report();
        const Json* disks = member(report, "disk");
        if (!disks || !disks->is_array()) continue;
        for (const Json& disk : *disks) {
            const auto device = text_member(disk, "disk_device");
            if (device && !device->empty())
                read_disk(disk, *device, line_of(out, from, end, *device), run, scribe);
        }
    }
    write_iostat_run(run, out, at, true, true, scribe);
}

bool starts(const Output& out, std::size_t at) {
    const auto line = trim(out.text(at));
    if (!line.starts_with('{')) return false;
    for (std::size_t i = at; i < at + 3; ++i)
        if (contains(out.text(i), "\"sysstat\"")) return true;
    return false;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const JsonText extent = json_text_at(out, at);
    if (extent.lines == 0) return 0;
    const auto json = json_value(extent);
    if (!json) {
        scribe.unparsed(at, at + extent.lines - 1, "iostat: the JSON is cut or damaged");
        return extent.lines;
    }
    const Json* sysstat = member(*json, "sysstat");
    const Json* hosts = sysstat ? member(*sysstat, "hosts") : nullptr;
    if (!hosts || !hosts->is_array() || hosts->empty()) {
        scribe.unparsed(at, at, "iostat: no hosts in the JSON");
        return extent.lines;
    }
    read_host(hosts->front(), out, at, at + extent.lines, scribe);
    return extent.lines;
}

}  // namespace

extern const CommandParser iostat_json_parser{
    .id = "iostat-json",
    .programs = {"iostat"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
