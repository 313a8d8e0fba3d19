// SPDX-License-Identifier: BSD-2-Clause
// Linux: hdparm -t, hdparm -T, hdparm -tT, hdparm --direct -t:
//   /dev/md0:
//    HDIO_DRIVE_CMD(identify) failed: Inappropriate ioctl for device
//    Timing cached reads:   4106 MB in  2.00 seconds = 2053.20 MB/sec
//    Timing buffered disk reads: 190 MB in  3.00 seconds =  63.26 MB/sec         also "O_DIRECT disk reads"
//    Timing buffered disk reads:   6 MB in  9.08 seconds = 676.33 kB/sec
// hdparm counts in units of 1024: its MB is 2^20 bytes, its kB 2^10 (hdparm 9.65: hdparm.c, time_device). It
// reads 2 MiB at a time.
#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::optional<std::string_view> device_header(std::string_view text) {
    const auto line = trim(text);
    if (!line.starts_with("/dev/") || !line.ends_with(':') || line.find(' ') != std::string_view::npos)
        return std::nullopt;
    return line.substr(0, line.size() - 1);
}

bool is_timing(std::string_view line) {
    return trim(line).starts_with("Timing ") && contains(line, "reads:");
}
bool is_failure(std::string_view line) {
    return trim(line).starts_with("HDIO_") || contains(line, "(wait for flush complete)");
}

// At most that many lines between the device and its first timing: failed ioctls.
constexpr std::size_t reach = 5;

bool starts(const Output& out, std::size_t at) {
    if (!device_header(out.text(at))) return false;
    for (std::size_t i = at + 1; i <= at + reach && i < out.lines.size(); ++i) {
        if (is_timing(out.text(i))) return true;
        if (!is_failure(out.text(i)) && !trim(out.text(i)).empty()) return false;
    }
    return false;
}

void read_timing(std::string_view device, std::size_t line, Scribe& scribe) {
    const auto text = trim(scribe.output().text(line));
    const auto value = after(text, "seconds = ");
    const auto w = value ? words(*value) : std::vector<std::string_view>{};
    if (w.size() < 2) {
        scribe.damage(line, "hdparm: the rate of " + escaped(device) + " is missing");
        return;
    }
    const auto number = scribe.real(w[0], line, "hdparm rate");
    const double unit = w[1].starts_with("kB")   ? 1024.0
                        : w[1].starts_with("MB") ? 1048576.0
                        : w[1].starts_with("GB") ? 1073741824.0
                                                 : 0;
    if (!number || *number < 0) return;
    if (unit == 0) {
        scribe.unparsed(line, line, "hdparm: unknown unit '" + escaped(w[1]) + "'");
        return;
    }
    Throughput t;
    t.device = device_name(device);
    t.direction = scribe.text("read", line);
    t.bytes_per_s = scribe.known(*number * unit, line);
    t.request_bytes = scribe.known(2 * MiB, line);
    t.tool = scribe.text("hdparm", line);
    t.cached = scribe.known(contains(text, "cached") || contains(text, "buffer-cache"), line);
    scribe.facts.throughputs.push_back(std::move(t));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    const auto device = device_header(out.text(at));
    if (!device) return 0;
    scribe.suggest_os(Os::linux_, at);
    std::size_t end = ++at;
    for (; at < out.lines.size(); ++at) {
        const auto line = out.text(at);
        if (is_timing(line))
            read_timing(*device, at, scribe);
        else if (trim(line).empty())
            continue;
        else if (!is_failure(line))
            break;
        end = at + 1;
    }
    return end - first;
}

}  // namespace

extern const CommandParser hdparm_timing_parser{
    .id = "hdparm-timing",
    .programs = {"hdparm"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
