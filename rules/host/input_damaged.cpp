// SPDX-License-Identifier: BSD-2-Clause
// HOST003: input that visibly lost something on its way.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/rule.hpp"

namespace diskwright {
namespace {

bool read_from_bytes(const Damage& d) {
    return d.from.kind() == Provenance::Kind::device;
}

// The disk whose GPT lost one of its copies at that place.
const Event* lost_gpt_copy(const HostFacts& host, const std::string& source) {
    for (const Event& e : host.events)
        if ((e.kind == Event::Kind::primary_gpt_corrupt || e.kind == Event::Kind::secondary_gpt_missing) &&
            e.from.kind() == Provenance::Kind::device && e.from.source() == source)
            return &e;
    return nullptr;
}

void check(const RuleContext& context, Findings& out) {
    constexpr std::size_t quoted = 20;  // a hostile input may be damaged on every line
    std::map<std::string, std::vector<const Damage*>> by_source;
    for (const Damage& d : context.host.damages) by_source[d.from.source()].push_back(&d);
    for (const auto& [source, damages] : by_source) {
        auto report = out.report(source.empty() ? "input" : source);
        report.message(damages.size() == 1 ? fmt::format("the input is damaged: {}", damages.front()->what)
                                           : fmt::format("the input is damaged in {} places, the first: {}",
                                                         damages.size(), damages.front()->what));
        for (std::size_t i = 0; i < damages.size() && i < quoted; ++i) report.evidence(damages[i]->from);
        if (const Event* e = lost_gpt_copy(context.host, source)) {
            const bool primary = e->kind == Event::Kind::primary_gpt_corrupt;
            report.change(Setting::gpt_recover, e->subject, std::string(primary ? "primary" : "secondary"))
                .note(fmt::format(
                    "the {} copy of the GPT was used instead. Find out what wrote there; gpart recover, gpt "
                    "recover and sgdisk -e write the lost copy again from the other",
                    primary ? "second" : "first"));
            continue;
        }
        if (std::all_of(damages.begin(), damages.end(),
                        [](const Damage* d) { return read_from_bytes(*d); })) {
            report.note(
                "what was read there is not relied on. An image may be incomplete: compare its length with "
                "the device's, and read it again; on the device itself look for what wrote there and for "
                "errors of the medium");
            continue;
        }
        report.note(
            "what was read there is not relied on. Run the command again with its output into a file, "
            "and audit that: a copy from a narrow terminal or a mail loses columns");
    }
}

}  // namespace

extern const Rule host_input_damaged;
const Rule host_input_damaged{
    {.code = "HOST003",
     .slug = "input-damaged",
     .severity = Severity::notice,
     .impact = 1,
     .summary = "columns, digits or lines of the input are visibly lost",
     .why = "Output copied from a narrow terminal, by hand or through a mail client loses digits and "
            "columns: a block size of 1638 was 16384. Values from such places are not used, so that no "
            "advice rests on them; what they would have shown is not judged.",
     .cost = "Findings that are missing.",
     .remedy = "Run the commands again with their output into a file, and audit that.",
     .bad =
         R"({"damages": [{"what": "bsize 1638 lost a digit", "provenance": {"source": "input.txt", "line": 8}}]})",
     .good = R"({"os": {"name": "openbsd"}})",
     .references = "diskwright(8)"},
    check};

}  // namespace diskwright
