// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include "advisor/reports/layout.hpp"
#include "advisor/reports/prediction_report.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

void row(Page& page, std::string_view what, std::string_view value) {
    page.line(2, fmt::format("{:<22}{}", what, value));
}
template <class Number>
void number(Page& page, std::string_view what, Number value) {
    row(page, what, fmt::format("{}", value));
}

void write_superblock(Page& page, const PredictedSuperblock& fs) {
    row(page, "file system", fs.ufs2 ? "FFSv2 (UFS2)" : "FFSv1 (UFS1)");
    row(page, "block, fragment", fmt::format("{}, {} bytes", fs.bsize, fs.fsize));
    row(page, "size", fmt::format("{} bytes, {} fragments", fs.size_bytes(), fs.frags));
    row(page, "cylinder groups",
        fmt::format("{} of {} fragments and {} inodes", fs.groups, fs.group_frags, fs.group_inodes));
    number(page, "inodes", fs.inodes());
    row(page, "minfree",
        fmt::format("{} %, optimization for {}", fs.minfree_percent, fs.space ? "space" : "time"));
    number(page, "maxbpg", fs.maxbpg);
    number(page, "maxcontig", fs.maxcontig);
    row(page, "avgfilesize, avgfpdir", fmt::format("{}, {}", fs.avgfilesize, fs.avgfpdir));
    std::string flags;
    const auto flag = [&](bool on, std::string_view name) {
        if (on) flags += (flags.empty() ? "" : ", ") + std::string(name);
    };
    flag(fs.softupdates, "soft updates");
    flag(fs.su_journal, "their journal");
    flag(fs.gjournal, "gjournal");
    flag(fs.multilabel, "multilabel");
    flag(fs.trim, "TRIM");
    if (!flags.empty()) row(page, "flags", flags);
    if (!fs.label.empty()) row(page, "label", escaped(fs.label));
}

void write_array(Page& page, const PredictedArray& set) {
    row(page, "set",
        fmt::format("RAID {}, {}", escaped(std::string_view(&set.level, 1)),
                    counted(set.columns, "component", "components")));
    if (set.spares != 0) number(page, "spares", set.spares);
    if (set.stripe_unit_sectors != 0)
        row(page, "stripe unit",
            fmt::format("{} sectors of {} bytes", set.stripe_unit_sectors, set.sector_bytes));
    if (set.sectors)
        row(page, "size", fmt::format("{} sectors, {} bytes", *set.sectors, *set.sectors * set.sector_bytes));
}

void write_changes(Page& page, const std::vector<FieldChange>& changes) {
    if (changes.empty()) page.line(2, "nothing changes");
    for (const FieldChange& change : changes)
        row(page, change.field,
            fmt::format("{} -> {}", escaped(change.before.value_or("?")), escaped(change.after)));
}

}  // namespace

std::string render_prediction_text(const ToolRelease& release, const std::string& command,
                                   const Prediction& prediction, const TextStyle& style) {
    Page page(style);
    const std::string name = release_name(release);
    if (!style.quiet) page.paragraph(0, escaped(command) + ":", Colour::bold, name);
    if (prediction.accepted) {
        page.line(0, page.coloured("accepted", Colour::cyan));
    } else {
        page.paragraph(
            0, "refused", Colour::red,
            fmt::format("with exit status {}: {}", prediction.exit_status, escaped(prediction.reason)));
    }
    if (prediction.accepted && prediction.superblock) write_superblock(page, *prediction.superblock);
    if (prediction.accepted && prediction.array) write_array(page, *prediction.array);
    if (prediction.accepted && prediction.changes) write_changes(page, *prediction.changes);
    for (const std::string& warning : prediction.warnings)
        page.paragraph(0, "note", Colour::yellow, escaped(warning));
    if (!prediction.verified)
        page.paragraph(0, fmt::format("The real tools of {} were not compared with this; those of {} were.",
                                      name, prediction.compared_with));
    return page.take();
}

}  // namespace diskwright
