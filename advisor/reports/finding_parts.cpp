// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/finding_parts.hpp"

#include <algorithm>

#include "advisor/commands/generator.hpp"

namespace diskwright {

std::vector<Provenance> distinct_evidence(const Finding& finding) {
    std::vector<Provenance> out;
    for (const Provenance& from : finding.evidence)
        if (std::find(out.begin(), out.end(), from) == out.end()) out.push_back(from);
    return out;
}

std::optional<Fix> fix_of(const StorageGraph& host, const Finding& finding) {
    if (finding.changes.empty() && finding.note.empty()) return std::nullopt;
    FixCommands fix = commands_for(host, finding.changes);
    std::vector<std::string> notes;
    if (!finding.note.empty()) notes.push_back(finding.note);
    for (std::string& note : fix.notes)
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    return Fix{risk_of(finding.changes), std::move(fix.commands), std::move(notes)};
}

}  // namespace diskwright
