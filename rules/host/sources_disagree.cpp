// SPDX-License-Identifier: BSD-2-Clause
// HOST001: two sources that cannot both be true of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "probes/model/profile_facts.hpp"
#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// Letters and digits of the longest word: vendors come and go in front, and tools cut the name at 16
// characters.
std::string model_key(std::string_view model) {
    std::string longest;
    for (const auto word : words(model)) {
        std::string key;
        for (const char c : lowercase(word))
            if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) key += c;
        if (key.size() > longest.size()) longest = std::move(key);
    }
    return longest;
}

bool same_model(std::string_view a, std::string_view b) {
    const std::string x = model_key(a), y = model_key(b);
    return !x.empty() && !y.empty() && (x.starts_with(y) || y.starts_with(x));
}

bool nearly_equal(std::string_view a, std::string_view b, double percent) {
    const auto x = to_unsigned(a), y = to_unsigned(b);
    if (!x || !y) return false;
    const double larger = static_cast<double>(std::max(*x, *y)),
                 smaller = static_cast<double>(std::min(*x, *y));
    return (larger - smaller) * 100 <= percent * larger;
}

// What a raid.conf says of a set, and what cannot change while it exists.
bool is_of_configuration(const RuleContext& context, const Conflict& c) {
    const Volume* set = context.graph.volume(c.subject);
    if (!set || !set->from_configuration) return false;
    static constexpr std::array<std::string_view, 4> fixed{".stripe_unit_bytes", ".level", ".columns",
                                                           ".layout"};
    return c.what.starts_with("volumes.") &&
           std::any_of(fixed.begin(), fixed.end(), [&](std::string_view f) { return c.what.ends_with(f); });
}

// A running set says that a component failed, the label on that component that it is whole: one of them is of
// another time, or the label was never told.
bool is_failure_unknown_to_label(const Conflict& c) {
    if (!c.what.starts_with("volumes.") || !c.what.ends_with(".state")) return false;
    const auto is_pair = [&](const Conflict::Value& text, const Conflict::Value& label) {
        return text.from.kind() != Provenance::Kind::device &&
               label.from.kind() == Provenance::Kind::device && text.value == "failed" &&
               label.value == "optimal";
    };
    return is_pair(c.values[0], c.values[1]) || is_pair(c.values[1], c.values[0]);
}

// With and without its domain it is the same name.
bool same_host(std::string_view a, std::string_view b) {
    return iequals(a.substr(0, a.find('.')), b.substr(0, b.find('.')));
}

bool contradicts(const RuleContext& context, const Conflict& c) {
    if (c.values.size() < 2) return false;
    const std::string &a = c.values[0].value, &b = c.values[1].value;
    if (c.what == "os.name") return true;
    // ALIGN008 says it.
    if (c.what.ends_with(".physical_sector_bytes") &&
        (is_measured(c.values[0].from) || is_measured(c.values[1].from)))
        return false;
    if (c.what == "os.hostname") return !same_host(a, b);
    if (c.superseded) return is_of_configuration(context, c) || is_failure_unknown_to_label(c);
    if (c.what.ends_with(".model")) return !same_model(a, b);
    if (c.what.ends_with(".size_bytes"))
        return !nearly_equal(a, b, context.thresholds.size_disagreement_percent);
    return true;
}

// "raid.txt and sd0e disagree": without lines and offsets, which the evidence has.
std::string disagreeing(const Conflict& c) {
    const auto source = [](const Provenance& from) {
        const std::string& all = from.source();
        return all.substr(0, all.find('@'));
    };
    const std::string a = source(c.values[0].from), b = source(c.values[1].from);
    if (a.empty() || b.empty() || a == b) return "two sources disagree";
    return fmt::format("two sources disagree, {} and {}", a, b);
}

// Returns the subjects reported.
std::set<std::string> check_conflicts(const RuleContext& context, Findings& out) {
    constexpr std::size_t named = 5;
    std::map<std::string, std::vector<const Conflict*>> by_subject;
    std::set<std::string> subjects;
    for (const Conflict& c : context.host.conflicts)
        if (contradicts(context, c)) by_subject[c.subject.empty() ? "os" : c.subject].push_back(&c);
    for (const auto& [subject, conflicts] : by_subject) {
        subjects.insert(subject);
        auto report = out.report(subject);
        std::string message;
        bool configuration = false, hosts = false;
        for (std::size_t i = 0; i < conflicts.size() && i < named; ++i) {
            const Conflict& c = *conflicts[i];
            const auto dot = c.what.rfind('.');
            message += fmt::format("{}{}: {} against {}", i ? "; " : "",
                                   dot == std::string::npos ? c.what : c.what.substr(dot + 1),
                                   c.values[0].value, c.values[1].value);
            for (const auto& v : c.values) report.evidence(v.from);
            configuration = configuration || is_of_configuration(context, c);
            hosts = hosts || c.what == "os.hostname";
        }
        report
            .message((configuration ? "the configuration file and the running set differ, "
                                    : fmt::format("{}, ", disagreeing(*conflicts.front()))) +
                     message)
            .note(configuration ? "the labels on the components are what the set runs with; write the file "
                                  "anew from them (raidctl -G) before it is used again"
                  : hosts ? "the input holds what two machines print, and where both tell the same fact "
                            "the later one was taken: audit each machine by itself"
                          : "the later one was taken; find out which is right before acting on "
                            "anything that rests on it");
    }
    return subjects;
}

// A label that describes a larger device than the one it is on was made for another.
void check_labels(const RuleContext& context, const std::set<std::string>& reported, Findings& out) {
    for (const PartitionTable& t : context.host.tables) {
        if (!t.total_bytes) continue;
        const Number size = context.graph.size_of(t.parent);
        if (!size || *size == 0 || *t.total_bytes <= *size) continue;
        if (reported.contains(t.parent)) continue;  // a conflict over the size of the same disk
        const double beyond =
            100.0 * static_cast<double>(*t.total_bytes - *size) / static_cast<double>(*size);
        if (beyond <= context.thresholds.label_beyond_device_percent) continue;
        out.report(t.parent)
            .message(fmt::format("the {} is of a device of {}, the device has {}: it is that of another disk",
                                 t.scheme ? to_string(*t.scheme) : "partition table",
                                 human_size(*t.total_bytes), human_size(*size)))
            .evidence(t.total_bytes)
            .evidence(size)
            .note(
                "partitions past the end of the device fail when they are written there. Check that the disk "
                "is the one meant, then write a label for it");
    }
}

// A plain disk partition; GPT labels, UUIDs, DUIDs, mapper names and NAME= stand for devices that can't be
// compared.
bool is_plain(std::string_view device) {
    if (device.find_first_of("/=.:#-") != std::string_view::npos) return false;
    return !whole_device_name(device).empty();
}

std::string driver(std::string_view device) {
    std::string out(device);
    return out.substr(0, out.find_first_of("0123456789"));
}

void check_fstab(const RuleContext& context, Findings& out) {
    for (const Mount& m : context.host.mounts) {
        if (!m.device) continue;
        const std::string mounted = device_name(*m.device);
        if (!is_plain(mounted)) continue;
        const FstabEntry* entry = nullptr;
        std::size_t entries = 0;
        for (const FstabEntry& e : context.host.fstab)
            if (e.point == m.point) entry = &e, ++entries;
        if (entries != 1) continue;
        const std::string listed = device_name(entry->device);
        if (!is_plain(listed) || same_device(listed, mounted)) continue;
        // ada(4) keeps the old ad(4) names as aliases.
        const std::string a = driver(listed), b = driver(mounted);
        if ((a == "ad" && b == "ada") || (a == "ada" && b == "ad")) continue;
        out.report(m.point)
            .message(fmt::format("fstab wants {} here, {} is mounted", listed, mounted))
            .evidence(m.device)
            .evidence(entry->type ? entry->type.from() : entry->options.from())
            .note(
                "the next boot mounts the other device, or stops; correct fstab, or name the file system by "
                "label or UUID");
    }
}

void check(const RuleContext& context, Findings& out) {
    check_labels(context, check_conflicts(context, out), out);
    check_fstab(context, out);
}

}  // namespace

extern const Rule host_sources_disagree;
const Rule host_sources_disagree{
    {.code = "HOST001",
     .slug = "sources-disagree",
     .severity = Severity::notice,
     .impact = 2,
     .summary = "two sources give different values for one fact",
     .why =
         "A disk has one size and one model; a set has one stripe unit. Where two outputs differ in such a "
         "thing, one is of another machine, another disk or another time, or a configuration file was "
         "changed after the set was made. RAIDframe takes a file with another unit or level without a word, "
         "and the data is then read in the wrong order. States, counters and fill levels change; for those "
         "the later value counts and nothing is reported.",
     .cost = "Whatever rests on the wrong value.",
     .remedy =
         "Run the commands again, on the machine meant; let the labels decide over a file (raidctl -G).",
     .bad =
         R"({"os": {"name": "netbsd"}, "disks": [{"name": "wd1", "size_bytes": 500107862016}], "tables": [{"parent": "wd1", "scheme": "disklabel", "total_bytes": 1000204886016}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "disks": [{"name": "wd1", "size_bytes": 1000204886016}], "tables": [{"parent": "wd1", "scheme": "disklabel", "total_bytes": 1000204886016}]})",
     .references = "raidctl(8), disklabel(8), fstab(5)"},
    check};

}  // namespace diskwright
