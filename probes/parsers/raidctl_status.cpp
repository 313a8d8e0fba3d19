// SPDX-License-Identifier: BSD-2-Clause
// raidctl -s raid0 (NetBSD 1.4 to 10, OpenBSD up to 5.1): the components with their state, then their labels,
// then the state of parity and of what is under way.
//   Components:                          "raid0 Components:" on OpenBSD
//              /dev/sd0e: optimal
//              component1: failed
//   Spares:                              or "No spares."
//              /dev/sd4e: spare          1.4: "/dev/sd4e [0][0]: spare"
//   Component label for /dev/sd0e:
//      Row: 0, Column: 0, Num Rows: 1, Num Columns: 3
//      ...
//   /dev/sd1e status is: failed.  Skipping label.
//   Parity status: clean
//   Reconstruction is 100% complete.     100% when idle, too
// "Clean: No" of a label is normal while the set is configured; only "Parity status" tells of parity, and it
// stays clean with a failed component. Source: NetBSD/src sbin/raidctl/raidctl.c (get_device_status,
// check_parity).
#include "probes/parsers/raidctl_progress.hpp"
#include "probes/parsers/raidframe_text.hpp"

namespace diskwright {
namespace {

using raidframe::at_label;

struct Entry {
    std::string_view name, state;
    std::size_t words = 0;
};

bool is_component_name(std::string_view name) {
    if (name.size() > 6 && name.starts_with("/dev/")) return true;
    return name.starts_with("component") && to_unsigned(name.substr(9)).has_value();
}

// "name: state" or "name [row][column]: state".
Entry entry_at(WordReader& in) {
    std::string_view name = in.peek(0);
    if (in.peek(1).starts_with('[') && in.peek(1).ends_with("]:") && is_component_name(name))
        return {name, in.peek(2), 3};
    if (!name.ends_with(':')) return {};
    name.remove_suffix(1);
    return is_component_name(name) ? Entry{name, in.peek(1), 2} : Entry{};
}

bool at_heading(WordReader& in) {
    return in.matches({"Components:"}) ||
           (in.peek(1) == "Components:" && !raidframe::unit_name(in.peek(0)).empty());
}

bool starts(const Output& out, std::size_t at) {
    const std::string_view line = out.text(at);
    if (!contains(line, "Components:")) return false;
    WordReader in(out, at);
    if (!at_heading(in)) return false;
    in.skip(in.matches({"Components:"}) ? 1 : 2);
    return entry_at(in).words > 0;
}

class Listing {
 public:
    Listing(const Output& out, std::size_t at, Scribe& scribe) : out_(out), in_(out, at), scribe_(scribe) {}

    std::size_t read() {
        read_heading();
        while (read_item()) {
        }
        finish();
        return in_.end_line() - heading_;
    }

 private:
    void read_heading() {
        heading_ = in_.line();
        name_ = in_.matches({"Components:"}) ? std::string{} : raidframe::unit_name(in_.peek());
        scribe_.suggest_os(name_.empty() ? Os::netbsd : Os::openbsd, heading_);
        in_.skip(name_.empty() ? 1 : 2);
    }

    bool read_item() {
        if (in_.peek().empty() || at_heading(in_)) return false;
        if (in_.matches({"Spares:"})) {
            in_.skip();
            among_spares_ = true, spares_line_ = in_.line();
            return true;
        }
        if (in_.matches({"No", "spares."})) {
            set_.spares = scribe_.known(std::uint64_t{0}, in_.line());
            columns_ended_ = true;
            in_.skip(2);
            return true;
        }
        if (at_label(in_)) {
            if (const auto last = raidframe::read_label(in_, scribe_, set_); last_name_.empty())
                last_name_ = last;
            labels_seen_ = columns_ended_ = true;
            return true;
        }
        if (in_.matches({"Parity", "status:"}) && !in_.peek(2).empty()) {
            read_parity_status(scribe_, set_, in_.peek(2), in_.line(2));
            columns_ended_ = true;
            in_.skip(3);
            return true;
        }
        if (read_progress(in_, scribe_, set_)) return true;
        if (is_component_name(in_.peek()) && in_.peek(1) == "status" && in_.peek(2) == "is:") {
            in_.skip(4);
            if (in_.matches({"Skipping", "label."})) in_.skip(2);
            return true;
        }
        if (const Entry entry = entry_at(in_); entry.words > 0 && !labels_seen_) {
            read_entry(entry);
            return true;
        }
        return skip_remark();
    }

    void read_entry(const Entry& entry) {
        const std::size_t line = in_.line();
        const auto state = raidframe::state_of(entry.state, among_spares_, scribe_.at(line));
        Component& member = component(set_, entry.name);
        if (!state.known)
            scribe_.unparsed(line, line,
                             "raidctl: '" + escaped(entry.state) + "' is no state of a component");
        member.state = state.value;
        if (state.spared) spared_.push_back(static_cast<std::size_t>(&member - set_.components.data()));
        if (among_spares_) {
            columns_ended_ = true;
            member.role = scribe_.text("spare", line);
            free_spares_ += member.state.is(ComponentState::spare) ? 1 : 0;
            spares_line_ = line;
        } else {
            member.slot = scribe_.known(columns_, line);
            ++columns_;
        }
        in_.skip(state.known ? entry.words : entry.words - 1);
        if (!state.known) in_.skip_line();
    }

    // Words behind a state, as monitoring adds them, lines that say something was left out, and lines that
    // cannot be read.
    bool skip_remark() {
        if (!in_.at_line_start()) {
            in_.skip();
            return true;
        }
        if (!goes_on()) return false;
        if (!in_.peek().starts_with('[') && !in_.peek().starts_with("...") && is_garbled_item()) {
            if (!garbled_line_ || *garbled_line_ + 1 != in_.line())
                scribe_.damage(in_.line(), "raidctl: a line of the listing cannot be read");
            garbled_line_ = in_.line();
            if (!columns_ended_) damaged_ = true, ++columns_;
        }
        in_.skip_line();
        return true;
    }

    // Whether a line further down is of this listing.
    bool goes_on() const {
        constexpr int reach = 12;  // more than a label has
        WordReader ahead = in_;
        for (int i = 0; i < reach; ++i) {
            ahead.skip_line();
            if (ahead.peek().empty() || at_heading(ahead)) return false;
            if (at_label(ahead) || ahead.matches({"Parity", "status:"}) || entry_at(ahead).words > 0 ||
                ahead.matches({"Reconstruction", "is"}) || ahead.matches({"Spares:"}) ||
                ahead.matches({"No", "spares."}) || is_component_name(ahead.peek()))
                return true;
        }
        return false;
    }

    // A remark that somebody wrote between the lines has no device, no key and no state.
    bool is_garbled_item() {
        WordReader ahead = in_;
        for (bool first = true; first || !ahead.at_line_start(); first = false) {
            const auto word = ahead.peek();
            if (word.empty()) return false;
            if (contains(word, "/dev/") || contains(word, "component") || word.ends_with(':') ||
                raidframe::state_of(word, among_spares_, {}).known)
                return true;
            ahead.skip();
        }
        return false;
    }

    void finish() {
        if (name_.empty()) name_ = raidframe::unit_at_prompt(out_);
        if (name_.empty()) name_ = last_name_;
        if (name_.empty()) name_ = raidframe::unnamed;
        set_.name = name_;
        set_.kind = scribe_.known(VolumeKind::raidframe, heading_);
        const std::uint64_t columns = set_.columns.value_or(columns_);
        if (!columns_ended_) {
            // Cut among the components: more may follow, and the spare that stands in for one, too.
            for (const std::size_t i : spared_) set_.components[i].state.reset();
            if (!out_.filtered) set_.components_complete = scribe_.known(false, heading_);
        } else if (damaged_) {
            set_.components_complete = scribe_.known(false, heading_);
        } else if (!out_.filtered && columns == columns_ && columns_ > 0) {
            if (!set_.columns) set_.columns = scribe_.known(columns_, heading_);
            set_.components_complete = scribe_.known(true, heading_);
            raidframe::judge_state(set_, spared_.size(), scribe_.at(heading_));
        } else if (!out_.filtered) {
            scribe_.damage(heading_, "raidctl lists " + std::to_string(columns_) +
                                         " components of a set of " + std::to_string(columns) + " columns");
            set_.components_complete = scribe_.known(false, heading_);
            // Counted past a gap: only a label tells the column.
            for (Component& c : set_.components)
                if (!c.events) c.slot.reset();
        }
        if (among_spares_ && columns_ended_) set_.spares = scribe_.known(free_spares_, spares_line_);
        scribe_.facts.volumes.push_back(std::move(set_));
    }

    const Output& out_;
    WordReader in_;
    Scribe& scribe_;
    Volume set_;
    std::string name_, last_name_;
    std::size_t heading_ = 0, spares_line_ = 0;
    std::vector<std::size_t> spared_;  // components whose data is on a spare
    std::uint64_t columns_ = 0, free_spares_ = 0;
    bool among_spares_ = false, labels_seen_ = false;
    std::optional<std::size_t> garbled_line_;
    bool damaged_ = false;        // a row of the components cannot be read
    bool columns_ended_ = false;  // what follows the components was seen, so none is missing
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Listing(out, at, scribe).read();
}

}  // namespace

extern const CommandParser raidctl_status_parser{
    .id = "raidctl-status",
    .programs = {"raidctl"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"raidctl", "-s", "{volume:raidframe}"}, true}},
};

}  // namespace diskwright
