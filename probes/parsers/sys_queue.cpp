// SPDX-License-Identifier: BSD-2-Clause
// The block layer's view of disks, "file:value" lines as grep prints them:
//   /sys/block/sda/queue/rotational:1
//   /sys/block/sda/queue/physical_block_size:4096
// Formats: torvalds/linux:Documentation/ABI/stable/sysfs-block.
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct QueueLine {
    std::string_view disk, key, value;
};
std::optional<QueueLine> queue_line(std::string_view line) {
    const auto text = trim(line);
    const auto block = after(text, "/sys/block/");
    if (!block || !text.starts_with("/sys/block/")) return std::nullopt;
    const auto colon = block->find(':'), slash = block->find('/');
    if (colon == std::string_view::npos || slash == std::string_view::npos || slash > colon)
        return std::nullopt;
    const auto path = block->substr(slash + 1, colon - slash - 1);
    return QueueLine{block->substr(0, slash),
                     path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1),
                     trim(block->substr(colon + 1))};
}

bool queue_starts(const Output& out, std::size_t at) {
    return queue_line(out.text(at)).has_value();
}

std::size_t queue_parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t i = at;
    scribe.suggest_os(Os::linux_, at);
    for (; i < out.lines.size(); ++i) {
        const auto line = queue_line(out.text(i));
        if (!line) break;
        const bool is_md =
            line->disk.starts_with("md") || line->disk.starts_with("dm-") || line->disk.starts_with("loop");
        if (is_md) continue;
        Disk& d = disk(scribe.facts, line->disk);
        const auto number = [&](Number& into) {
            if (const auto value = scribe.number(line->value, i, line->key); value && *value >= 512)
                into = scribe.known(*value, i);
        };
        if (line->key == "logical_block_size")
            number(d.logical_sector_bytes);
        else if (line->key == "physical_block_size")
            number(d.physical_sector_bytes);
        else if (line->key == "rotational" && !line->disk.starts_with("vd"))
            d.rotational = scribe.known(line->value == "1", i);
        else if (line->key == "write_cache")
            d.write_cache = scribe.known(line->value == "write back" ? Switch::on : Switch::off, i);
        else if (line->key == "discard_max_bytes")
            d.trim = scribe.known(line->value != "0", i);
        else if (line->key == "queue_depth" && is_number(line->value))
            d.queue_depth = scribe.known(*scribe.number(line->value, i, line->key), i);
        else if (line->key == "zoned" && line->value != "none")
            d.shingled = scribe.known(true, i);
        else if (line->key == "size") {
            if (const auto bytes = scribe.scaled(line->value, 512, i, "size"))
                d.size_bytes = scribe.known(*bytes, i);
        }
    }
    return i - at;
}

}  // namespace

extern const CommandParser sys_queue_parser{
    .id = "sys-queue",
    .programs = {"grep", "tail"},
    .starts = queue_starts,
    .parse = queue_parse,
    .live = {},
};

}  // namespace diskwright
