// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::string_view proper_name(Os os) {
    switch (os) {
        case Os::netbsd:
            return "NetBSD";
        case Os::freebsd:
            return "FreeBSD";
        case Os::openbsd:
            return "OpenBSD";
        case Os::dragonfly:
            return "DragonFly";
        case Os::linux_:
            return "Linux";
    }
    return "";
}

std::string lines_of(const Unparsed& lines) {
    std::string out = escaped(lines.source);
    if (lines.first_line) out += fmt::format(":{}", lines.first_line);
    if (lines.last_line > lines.first_line) out += fmt::format("-{}", lines.last_line);
    return out;
}

}  // namespace

std::string host_headline(const HostReport& host) {
    const HostFacts& f = host.facts;
    std::string system = f.os.name ? std::string(proper_name(*f.os.name)) : "system not shown";
    if (f.os.release) system += fmt::format(" {}", escaped(*f.os.release));
    std::vector<std::string> parts{std::move(system)};
    const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
        if (count != 0) parts.push_back(counted(count, one, many));
    };
    add(f.disks.size(), "disk", "disks");
    add(f.volumes.size(), "set or volume", "sets or volumes");
    add(f.filesystems.size(), "file system", "file systems");
    return fmt::format("{}: {}", escaped(host.input), fmt::join(parts, ", "));
}

std::string not_looked_at(const HostReport& host) {
    constexpr std::size_t named = 3;
    const auto& all = host.not_looked_at;
    if (all.empty()) return {};
    const std::size_t shown = all.size() <= named + 1 ? all.size() : named;
    std::string out = "; not looked at: ";
    for (std::size_t i = 0; i < shown; ++i) out += (i > 0 ? ", " : "") + escaped(all[i]);
    if (shown < all.size()) out += fmt::format(" and {} more", all.size() - shown);
    return out;
}

void write_unparsed(Page& page, const HostFacts& facts, std::size_t limit) {
    if (facts.unparsed.empty()) return;
    page.blank();
    page.line(0, page.coloured("Not read:", Colour::bold));
    const std::size_t shown = std::min(limit, facts.unparsed.size());
    for (std::size_t i = 0; i < shown; ++i)
        page.paragraph(2,
                       fmt::format("{}: {}", lines_of(facts.unparsed[i]), escaped(facts.unparsed[i].reason)));
    if (shown < facts.unparsed.size())
        page.line(2, fmt::format("and {} more", counted(facts.unparsed.size() - shown, "place", "places")));
}

void write_conflicts(Page& page, const HostFacts& facts) {
    if (facts.conflicts.empty()) return;
    page.blank();
    page.line(0, page.coloured("Said twice:", Colour::bold));
    for (const Conflict& conflict : facts.conflicts) {
        std::vector<std::string> values;
        for (const auto& value : conflict.values)
            values.push_back(fmt::format("{} ({})", escaped(value.value), place(value.from)));
        page.paragraph(2, fmt::format("{}: {}{}", escaped(conflict.what), fmt::join(values, ", "),
                                      conflict.superseded ? "; the later one counts" : ""));
    }
}

void write_totals(Page& page, const HostTally& tally) {
    std::vector<std::string> parts;
    for (std::size_t s = tally.worst.size(); s-- > 0;)
        if (tally.worst.at(s) != 0)
            parts.push_back(fmt::format("{} with {}", tally.worst.at(s), EnumNames<Severity>::names.at(s)));
    if (tally.clean != 0) parts.push_back(fmt::format("{} without findings", tally.clean));
    if (tally.failed != 0) parts.push_back(fmt::format("{} not audited", tally.failed));
    page.blank();
    page.line(0, fmt::format("{}: {}", counted(tally.hosts, "host", "hosts"), fmt::join(parts, ", ")));
}

std::string render_text(const HostReport& host, ReportKind kind, const TextStyle& style) {
    Page page(style);
    if (host.error)
        page.paragraph(0, fmt::format("{}:", escaped(host.input)), Colour::red,
                       fmt::format("not read: {}", escaped(host.error->message)));
    else if (kind == ReportKind::show)
        write_show(page, host);
    else if (style.quiet)
        write_audit_quiet(page, host);
    else
        write_audit(page, host);
    return page.take();
}

std::string render_totals(const HostTally& tally, ReportKind kind, const TextStyle& style) {
    if (kind != ReportKind::audit || tally.hosts < 2 || style.quiet) return {};
    Page page(style);
    write_totals(page, tally);
    return page.take();
}

std::string render_text(const Report& report, ReportKind kind, const TextStyle& style) {
    std::string out;
    for (const HostReport& host : report.hosts) {
        if (!out.empty() && !style.quiet) out += '\n';
        out += render_text(host, kind, style);
    }
    return out + render_totals(tally_of(report.hosts), kind, style);
}

}  // namespace diskwright
