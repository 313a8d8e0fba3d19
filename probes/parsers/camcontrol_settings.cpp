// SPDX-License-Identifier: BSD-2-Clause
// camcontrol tags da0, camcontrol modepage da0 -m 8, camcontrol devlist of FreeBSD and DragonFly:
//   (pass0:mps0:0:0:0): device openings: 255
//   (pass0:ahcich0:0:0:0): dev_openings  32          with -v
//   WCE:  1
//   <ATA ST2000DL003-9VT1 CC3C>        at scbus6 target 0 lun 0 (da0,pass1)
// Format: freebsd/freebsd-src:sbin/camcontrol/camcontrol.c, sbin/camcontrol/modeedit.c.
#include <algorithm>

#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// "(ada0:ahcich0:0:0:0): device openings: 32", "...: dev_openings  32".
std::optional<std::string_view> openings_of(std::string_view text) {
    if (!text.starts_with("(")) return std::nullopt;
    for (const std::string_view label : {"device openings: ", "): dev_openings "})
        if (const auto count = after(text, label)) return trim(*count);
    return std::nullopt;
}

bool setting_starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (openings_of(text)) return true;
    if (out.program() != "camcontrol") return false;
    return text.starts_with("dev_openings") || (out.has_argument("modepage") && text.starts_with("WCE:")) ||
           (out.has_argument("modepage") && text.starts_with("IC:"));
}

std::size_t setting_parse(const Output& out, std::size_t at, Scribe& scribe) {
    scribe.suggest_os(Os::freebsd, at);
    std::string name = out.program() == "camcontrol" ? device_name(out.operand(1, "nuCtvmP")) : std::string{};
    std::size_t i = at;
    bool understood = false;
    for (; i < out.lines.size() && !trim(out.text(i)).empty(); ++i) {
        const auto text = trim(out.text(i));
        if (const auto openings = openings_of(text)) {
            // Pass devices are not the disk's name.
            const auto printed = between(text, "(", ":");
            if (name.empty() && printed && !printed->starts_with("pass")) name = std::string(*printed);
            const auto count = scribe.number(*openings, i, "device openings");
            if (count && !name.empty())
                disk(scribe.facts, name).queue_depth = scribe.known(*count, i), understood = true;
        } else if (const auto state = after(text, "WCE:"); state && text.starts_with("WCE:")) {
            const auto value = scribe.number(trim(*state), i, "WCE");
            if (value && !name.empty())
                disk(scribe.facts, name).write_cache =
                    scribe.known(*value == 1 ? Switch::on : Switch::off, i),
                                   understood = true;
        } else if (text.find(':') == std::string_view::npos && !text.starts_with("dev_") &&
                   !contains(text, "tags") && words(text).size() > 3) {
            break;
        }
    }
    if (!understood && name.empty()) scribe.unparsed(at, at, "camcontrol: of which disk is not shown");
    return std::max<std::size_t>(i - at, 1);
}

bool devlist_starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    return text.starts_with("<") && contains(text, "> ") && contains(text, " at scbus") &&
           text.ends_with(")");
}

std::size_t devlist_parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t i = at;
    scribe.suggest_os(Os::freebsd, at);
    for (; devlist_starts(out, i); ++i) {
        const auto text = trim(out.text(i));
        const auto model = between(text, "<", ">");
        const auto open = text.rfind('(');
        for (const auto peripheral : split(text.substr(open + 1, text.size() - open - 2), ',')) {
            if (!model || !(peripheral.starts_with("ada") || peripheral.starts_with("da") ||
                            peripheral.starts_with("nda")))
                continue;
            // The last word is the firmware.
            const auto w = words(*model);
            const auto length =
                w.size() > 1 ? static_cast<std::size_t>(w.back().data() - model->data()) : model->size();
            Disk& d = disk(scribe.facts, peripheral);
            d.model = scribe.text(trim(model->substr(0, length)), i);
            if (w.size() > 1) d.firmware = scribe.text(w.back(), i);
        }
    }
    if (scribe.facts.disks.empty()) scribe.unparsed(at, i - 1, "camcontrol devlist: no disk listed");
    return i - at;
}

}  // namespace

extern const CommandParser camcontrol_settings_parser{
    .id = "camcontrol-settings",
    .programs = {"camcontrol"},
    .starts = setting_starts,
    .parse = setting_parse,
    .live = {{Os::freebsd, {"camcontrol", "tags", "{disk}"}, true},
             {Os::freebsd, {"camcontrol", "modepage", "{disk}", "-m", "8"}, true}},
};

extern const CommandParser camcontrol_devlist_parser{
    .id = "camcontrol-devlist",
    .programs = {"camcontrol"},
    .starts = devlist_starts,
    .parse = devlist_parse,
    .live = {{Os::freebsd, {"camcontrol", "devlist"}}, {Os::dragonfly, {"camcontrol", "devlist"}}},
};

}  // namespace diskwright
