// SPDX-License-Identifier: BSD-2-Clause
// raid.conf(5), as pasted, shown by cat or printed by raidctl -G raid0 (NetBSD, OpenBSD up to 5.1):
//   START array
//   # numRow numCol numSpare
//   1 3 1                     later releases also take the two numbers without numRow
//   START disks               "START drives" in old pages
//   /dev/sd0e                 or "absent"
//   START spare
//   /dev/sd3e
//   START layout
//   # sectPerSU SUsPerParityUnit SUsPerReconUnit RAID_level_5
//   32 1 1 5
//   START queue
//   fifo 100
// The file gives the unit in sectors of the components without their size: 512 bytes are assumed, and raidctl
// -G, which only repeats what the labels say, gives way to them. Source: NetBSD/src
// sbin/raidctl/rf_configure.c.
#include <algorithm>
#include <array>

#include "probes/parsers/raidframe_text.hpp"

namespace diskwright {
namespace {

enum class Section { none, array, disks, spare, layout, queue, debug };

Section section_of(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 2 || w[0] != "START" || (w.size() > 2 && !w[2].starts_with('#'))) return Section::none;
    if (w[1] == "array") return Section::array;
    if (w[1] == "disks" || w[1] == "drives") return Section::disks;
    if (w[1] == "spare" || w[1] == "spares") return Section::spare;
    if (w[1] == "layout") return Section::layout;
    if (w[1] == "queue") return Section::queue;
    if (w[1] == "debug") return Section::debug;
    return Section::none;
}

std::string_view without_comment(std::string_view line) {
    return trim(line.substr(0, line.find('#')));
}
bool is_comment(std::string_view line) {
    return trim(line).starts_with('#');
}

constexpr std::string_view heading_text = "# raidctl config file for ";

std::string unit_in_heading(std::string_view line) {
    const auto name = after(line, heading_text);
    return name ? raidframe::unit_name(trim(*name)) : std::string{};
}

bool is_device(std::string_view word) {
    if (word == "absent" || (word.starts_with("/dev/") && word.size() > 5)) return true;
    const auto digit = std::find_if(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    return digit != word.begin() && digit != word.end() &&
           std::all_of(word.begin(), digit, [](char c) { return c >= 'a' && c <= 'z'; });
}

bool fits(Section section, std::string_view line) {
    const auto w = words(without_comment(line));
    if (w.empty()) return false;
    switch (section) {
        case Section::none:
            return false;
        case Section::array:
        case Section::layout:
            return w[0][0] >= '0' && w[0][0] <= '9';
        case Section::disks:
        case Section::spare:
            return w.size() == 1 && is_device(w[0]);
        case Section::queue:
            return w.size() <= 2 && (w[0] == "fifo" || w[0] == "cvscan" || w[0] == "sstf" || w[0] == "scan" ||
                                     w[0] == "cscan" || w[0] == "random");
        case Section::debug:
            return w.size() == 2 && to_signed(w[1]).has_value();
    }
    return false;
}

bool starts(const Output& out, std::size_t at) {
    if (!contains(out.text(at), "START") && !contains(out.text(at), heading_text)) return false;
    return section_of(out.text(at)) != Section::none || !unit_in_heading(out.text(at)).empty();
}

// raid0 of /etc/raid0.conf.
std::string unit_of_file(std::string_view path) {
    const auto slash = path.rfind('/');
    if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
    return raidframe::unit_name(path.substr(0, path.find('.')));
}

// Does a sentence beside the file ask for root on the set, or for it to be configured at boot?
bool wants_boot(std::string_view paragraph) {
    for (const auto sentence : split(paragraph, '.')) {
        const auto has = [&](std::string_view part) { return icontains(sentence, part); };
        const bool asks = has("root on it") || has("root on this") || has("root on the") ||
                          has("root on raid") || has("configured at boot") || has("configure it at boot") ||
                          has("configured when the system boots") || has("autoconf") || has("auto-conf") ||
                          has("boot from it") || has("boot from this") || has("booted from it") ||
                          has("bootable");
        if (!asks) continue;
        const auto w = words(sentence);
        const bool denied = std::any_of(w.begin(), w.end(), [](std::string_view word) {
            return iequals(word, "not") || iequals(word, "no") || iequals(word, "never") ||
                   iequals(word, "without") || word.ends_with("n't") || iequals(word, "neither");
        });
        if (!denied) return true;
    }
    return false;
}

class Reader {
 public:
    Reader(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        std::size_t line = begin_, end = begin_;
        for (; line < out_.lines.size(); ++line) {
            const std::string_view text = out_.text(line);
            if (const Section next = section_of(text); next != Section::none) {
                if (next == Section::array && seen_array_) break;  // another file
                section_ = next;
                seen_array_ = seen_array_ || next == Section::array;
            } else if (const auto unit = unit_in_heading(text); !unit.empty()) {
                if (line != begin_) break;
                unit_ = unit;
            } else if (fits(section_, text)) {
                read_entry(text, line);
            } else if (!is_comment(text) && !trim(text).empty()) {
                break;
            } else {
                continue;  // a comment or blank line belongs to it only when the file goes on behind it
            }
            end = line + 1;
        }
        finish(end);
        return end - begin_;
    }

 private:
    void read_entry(std::string_view text, std::size_t line) {
        const auto w = words(without_comment(text));
        switch (section_) {
            case Section::array:
                return read_array(w, line);
            case Section::layout:
                return read_layout(w, line);
            case Section::disks:
                return read_member(w[0], line);
            case Section::spare:
                return read_spare(w[0], line);
            default:
                return;
        }
    }

    void read_array(const std::vector<std::string_view>& w, std::size_t line) {
        if (w.size() != 2 && w.size() != 3)
            return scribe_.unparsed(line, line,
                                    "raid.conf: the array section needs rows, columns and spares");
        const auto columns = scribe_.number(w[w.size() - 2], line, "raid.conf: number of columns");
        const auto spares = scribe_.number(w.back(), line, "raid.conf: number of spares");
        if (columns && *columns > 0) set_.columns = scribe_.known(*columns, line);
        if (spares) set_.spares = weak(*spares, line);
    }

    void read_layout(const std::vector<std::string_view>& w, std::size_t line) {
        if (w.size() < 4)
            return scribe_.unparsed(line, line,
                                    "raid.conf: the layout section needs a unit, two counts and a level");
        const auto unit = scribe_.scaled(w[0], 512, line, "raid.conf: sectPerSU");
        if (unit && *unit > 0) set_.stripe_unit_bytes = weak(*unit, line);
        if (const auto level = raidframe::level_of(w[3]))
            set_.level = scribe_.known(*level, line);
        else
            scribe_.unparsed(line, line, "raid.conf: level '" + escaped(w[3]) + "' is not one of 0, 1, 4, 5");
    }

    void read_member(std::string_view device, std::size_t line) {
        const std::uint64_t slot = members_++;
        if (device == "absent") {
            Component gone;
            gone.state = scribe_.known(ComponentState::missing, line);
            gone.slot = scribe_.known(slot, line);
            set_.components.push_back(std::move(gone));
            return;
        }
        Component member;
        member.name = device_name(device);
        member.slot = scribe_.known(slot, line);
        set_.components.push_back(std::move(member));
    }

    void read_spare(std::string_view device, std::size_t line) {
        if (device == "absent") return;
        Component& spare = component(set_, device);
        spare.role = scribe_.text("spare", line);
        spare.state = weak(ComponentState::spare, line);
    }

    // What a file plans, a running set may long have changed.
    template <class T>
    Known<T> weak(T value, std::size_t line) const {
        const Provenance at = scribe_.at(line);
        if (!is_listing()) return Known<T>(std::move(value), at);
        return Known<T>(std::move(value),
                        Provenance(at.source(), at.line(), at.text(), Provenance::Kind::inferred));
    }
    // From the running set by raidctl -G, not from a file.
    bool is_listing() const { return out_.program() == "raidctl" || (out_.argv.empty() && !unit_.empty()); }

    void finish(std::size_t end) {
        set_.kind = scribe_.known(VolumeKind::raidframe, begin_);
        scribe_.suggest_os(Os::netbsd, begin_);  // OpenBSD dropped RAIDframe in 2012
        set_.name = is_listing() ? raidframe::unit_at_prompt(out_) : std::string{};
        std::string file;
        for (std::size_t i = 1; i < out_.argv.size() && !is_listing(); ++i)
            if (out_.argv[i].ends_with(".conf") || !unit_of_file(out_.argv[i]).empty()) file = out_.argv[i];
        if (file.empty() && out_.source.ends_with(".conf")) file = out_.source;
        if (set_.name.empty()) set_.name = unit_of_file(file);
        if (set_.name.empty()) set_.name = unit_;
        if (set_.name.empty()) set_.name = raidframe::unnamed;
        if (!is_listing()) {
            set_.from_configuration =
                scribe_.text(file.empty() ? "raid.conf" : std::string_view(file), begin_);
            note_wishes(end);
        }
        if (set_.columns && members_ > 0) {
            if (*set_.columns == members_)
                set_.components_complete = scribe_.known(true, begin_);
            else
                scribe_.unparsed(begin_, end - 1,
                                 "raid.conf: " + std::to_string(members_) + " disks listed for " +
                                     std::to_string(*set_.columns) + " columns");
        }
        scribe_.facts.volumes.push_back(std::move(set_));
    }

    void note_wishes(std::size_t end) {
        constexpr std::size_t reach = 8;  // lines of prose on either side
        std::string before, behind;
        const std::size_t first = begin_ > reach ? begin_ - reach : 0;
        for (std::size_t i = first; i < begin_; ++i) before.append(" ").append(out_.text(i));
        for (std::size_t i = end; i < out_.lines.size() && i < end + reach; ++i)
            behind.append(" ").append(out_.text(i));
        if (wants_boot(behind))
            set_.boot_wanted = prose(end, behind);
        else if (wants_boot(before))
            set_.boot_wanted = prose(first, before);
    }
    Flag prose(std::size_t line, std::string_view text) const {
        while (line + 1 < out_.lines.size() && trim(out_.text(line)).empty()) ++line;
        const Provenance at = scribe_.at(line);
        return Flag(true,
                    Provenance(at.source(), at.line(), std::string(trim(text)), Provenance::Kind::prose));
    }

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    Volume set_;
    std::string unit_;
    Section section_ = Section::none;
    bool seen_array_ = false;
    std::uint64_t members_ = 0;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Reader(out, at, scribe).read();
}

}  // namespace

extern const CommandParser raidframe_conf_parser{
    .id = "raidframe-conf",
    .programs = {"raidctl", "cat", "more", "less"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"raidctl", "-G", "{volume:raidframe}"}, true}},
};

}  // namespace diskwright
