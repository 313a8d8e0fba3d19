// SPDX-License-Identifier: BSD-2-Clause
// Snapshots of UFS that a soft-updates journal blocks: what mksnap_ffs and dump -L say when refused, and
// crontab or script lines that run them.
//   mksnap_ffs: Cannot create snapshot //.snap/dump_snapshot: /: Snapshots are not yet supported when running
//   with journaled soft updates: Operation not supported 15 2 * * * root /sbin/dump -0aLuf /backup/root.dump
//   /
// Sources: freebsd-src, sys/ufs/ffs/ffs_snapshot.c, sbin/mksnap_ffs/mksnap_ffs.c, sbin/dump/main.c.
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_refusal(std::string_view line) {
    return icontains(line, "snapshots are not yet supported") || icontains(line, "cannot create snapshot") ||
           (contains(line, "dump: ") && icontains(line, "cannot create") && contains(line, "snapshot"));
}

std::string_view base_name(std::string_view word) {
    const auto slash = word.rfind('/');
    return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

// Minute to weekday, or @daily and the like.
std::size_t schedule_fields(const std::vector<std::string_view>& w) {
    if (!w.empty() && w[0].starts_with('@') && w[0].size() > 4) return 1;
    if (w.size() < 6) return 0;
    for (std::size_t i = 0; i < 5; ++i)
        if (w[i].find_first_not_of("0123456789*/,-") != std::string_view::npos && i < 3) return 0;
    return 5;
}

struct Run {
    std::string_view target;
};

// dump with L among its flags (dump -0aLu, dump -L, dump 0aLuf), or mksnap_ffs; the target is the last
// operand.
std::optional<Run> snapshot_run(const std::vector<std::string_view>& w, std::size_t from) {
    for (std::size_t i = from; i + 1 < w.size(); ++i) {
        const auto name = base_name(w[i]);
        if (name != "dump" && name != "mksnap_ffs") continue;
        std::size_t end = i + 1;
        while (end < w.size() && w[end].find_first_of("|;&<>") == std::string_view::npos &&
               !w[end].starts_with('#'))
            ++end;
        if (end == i + 1) return std::nullopt;
        if (name == "mksnap_ffs") return end >= i + 2 ? std::optional(Run{w[i + 1]}) : std::nullopt;
        bool live = false;
        for (std::size_t k = i + 1; k < end; ++k)
            live = live || ((w[k].starts_with('-') || k == i + 1) && !w[k].starts_with('/') &&
                            w[k].find('L') != std::string_view::npos);
        if (!live) return std::nullopt;
        return Run{w[end - 1]};
    }
    return std::nullopt;
}

std::optional<Run> scheduled(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    if (!contains(line, "dump") && !contains(line, "mksnap_ffs")) return std::nullopt;
    const auto w = words(line);
    if (w.empty() || w[0].starts_with('#')) return std::nullopt;
    if (const auto fields = schedule_fields(w)) return snapshot_run(w, fields);
    // A line of a script that is shown.
    const bool shown = out.program() == "cat" || out.program() == "crontab" || out.program() == "grep";
    if (shown && (base_name(w[0]) == "dump" || base_name(w[0]) == "mksnap_ffs")) return snapshot_run(w, 0);
    return std::nullopt;
}

bool starts(const Output& out, std::size_t at) {
    return is_refusal(out.text(at)) || scheduled(out, at).has_value();
}

std::string shortened(std::string_view text) {
    return std::string(trim(text).substr(0, 120));
}

std::string name_of(std::string_view target) {
    while (target.size() > 1 && target.ends_with('/')) target.remove_suffix(1);
    return device_name(target);
}

// "...: /srv: Snapshots are not yet supported": the mount point stands before the sentence; else in the
// snapshot's path.
std::string refused_target(const Output& out, std::string_view line) {
    const auto lower = lowercase(line);
    if (const auto sentence = lower.find(": snapshots are not yet"); sentence != std::string::npos) {
        const auto head = line.substr(0, sentence);
        const auto blank = head.find_last_of(" :");
        const auto point = blank == std::string_view::npos ? head : head.substr(blank + 1);
        if (point.starts_with('/')) return name_of(point);
    }
    if (const auto path = lower.find("/.snap"); path != std::string::npos) {
        const auto head = line.substr(0, path);
        const auto blank = head.rfind(' ');
        const auto point = blank == std::string_view::npos ? head : head.substr(blank + 1);
        return point.empty() ? "/" : name_of(point);
    }
    if (out.program() == "dump" || out.program() == "mksnap_ffs") return name_of(out.argv.back());
    return {};
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (const auto run = scheduled(out, at)) {
        scribe.event(Event::Kind::snapshot_scheduled, name_of(run->target), shortened(out.text(at)), at);
        return 1;
    }
    std::size_t next = at;
    const auto target = refused_target(out, out.text(at));
    if (target.empty())
        scribe.unparsed(at, at, "a snapshot was refused, of which file system is not shown");
    else
        scribe.event(Event::Kind::snapshot_refused, target, shortened(out.text(at)), at);
    // dump repeats it in its own words, and mailers wrap the first line.
    for (++next; next < out.lines.size(); ++next) {
        const auto line = trim(out.text(next));
        if (!is_refusal(line) && !line.ends_with("Operation not supported")) break;
    }
    return next - at;
}

}  // namespace

extern const CommandParser snapshots_parser{
    .id = "snapshots",
    .programs = {"dump", "mksnap_ffs", "crontab"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
