// SPDX-License-Identifier: BSD-2-Clause
// gmirror, gstripe, gconcat, graid3, graid, geli and glabel status, geom CLASS status, also with -s (FreeBSD
// 5 to 14):
//         Name    Status  Components
//   mirror/gm0  DEGRADED  ada1 (ACTIVE)
//                         ada0 (SYNCHRONIZING, 64%)
//   raid/r0     OPTIMAL   ada2 (ACTIVE (ACTIVE))
//   stripe/v0         UP  ada3
// -s repeats name and status in every row and has no heading. Read as words: a wrapped row is still a row.
// Source: freebsd/freebsd-src sbin/geom/core/geom.c (std_status).
#include "probes/parsers/geom_text.hpp"
#include "probes/parsers/word_reader.hpp"

namespace diskwright {
namespace {

bool at_heading(WordReader& in) {
    return in.matches({"Name", "Status", "Components"});
}

bool is_status_word(std::string_view word) {
    return word == "N/A" || geom::volume_state(word).has_value();
}

// "mirror/gm0 COMPLETE ada0".
bool at_row(WordReader& in) {
    const auto name = in.peek(0);
    return (geom::class_of(name) || contains(name, "/")) && is_status_word(in.peek(1));
}

bool is_component_name(std::string_view word) {
    return !word.empty() && word.find_first_of("():,;'\"") == std::string_view::npos &&
           word.find_first_of("0123456789/") != std::string_view::npos;
}

bool starts(const Output& out, std::size_t at) {
    const std::string_view line = out.text(at);
    if (!contains(line, "Components") && !contains(line, "/") && !contains(line, ".eli")) return false;
    WordReader in(out, at);
    if (at_heading(in)) return true;
    // Without the heading only a class folder, a status and a component together are a row.
    return geom::class_of(in.peek(0)) && is_status_word(in.peek(1)) && is_component_name(in.peek(2));
}

class Listing {
 public:
    Listing(const Output& out, std::size_t at, Scribe& scribe)
        : out_(out), in_(out, at), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        const bool headed = at_heading(in_);
        if (headed) in_.skip(3);
        while (!in_.peek().empty()) {
            if (at_row(in_)) {
                read_row();
            } else if (current_ && in_.at_line_start() && at_component()) {
                read_component();
            } else if (!in_.at_line_start()) {
                in_.skip();
            } else {
                break;
            }
        }
        if (headed && !seen_row_)
            scribe_.unparsed(begin_, begin_,
                             "status of a GEOM class: a heading without a row that could be read");
        scribe_.suggest_os(Os::freebsd, begin_);
        for (Volume& set : sets_) finish(set);
        return in_.end_line() - begin_;
    }

 private:
    // A further component stands alone in its row, with or without its state.
    bool at_component() {
        if (!is_component_name(in_.peek())) return false;
        return !in_.on_same_line(1) || in_.peek(1).starts_with('(');
    }

    void read_row() {
        const std::size_t line = in_.line();
        const auto name = in_.peek(0), status = in_.peek(1);
        seen_row_ = true;
        in_.skip(2);
        const geom::Class* c = geom::class_of(name);
        if (!c) {
            read_label(name, line);
            current_ = nullptr;
            return;
        }
        current_ = &set_named(name);
        geom::describe(*current_, *c, scribe_, line);
        if (const auto state = geom::volume_state(status)) current_->state = scribe_.known(*state, line);
        if (is_component_name(in_.peek())) read_component();
    }

    // "gpt/root N/A ada0p2": the label of a partition, not a volume.
    void read_label(std::string_view name, std::size_t line) {
        const auto device = in_.peek();
        if (name.starts_with("gpt/") && is_component_name(device))
            partition(scribe_.facts, device).label = scribe_.text(name.substr(4), line);
        if (is_component_name(device)) in_.skip();
    }

    void read_component() {
        const std::size_t line = in_.line();
        Component& member = component(*current_, in_.peek());
        in_.skip();
        if (!in_.peek().starts_with('(')) {
            if (current_->state.is(VolumeState::optimal))
                member.state = scribe_.known(ComponentState::optimal, line);
            return;
        }
        std::string_view word = in_.peek().substr(1);
        const bool more = !word.ends_with(')');
        const bool listed = word.ends_with(',');
        while (!word.empty() && (word.back() == ')' || word.back() == ',')) word.remove_suffix(1);
        const std::size_t state_line = in_.line();
        in_.skip();
        std::string_view percent;
        if (listed && contains(in_.peek(), "%")) {
            percent = in_.peek().substr(0, in_.peek().find('%') + 1);
            in_.skip();
        } else if (more && in_.peek().starts_with('(')) {
            // graid: the disk's state, then that of its subdisk, "ACTIVE (REBUILD 12%)".
            std::string_view inner = in_.peek().substr(1);
            while (!inner.empty() && inner.back() == ')') inner.remove_suffix(1);
            in_.skip();
            if (const auto state = geom::component_state(inner); state && word == "ACTIVE") {
                word = inner;
                if (contains(in_.peek(), "%")) {
                    percent = in_.peek().substr(0, in_.peek().find('%') + 1);
                    in_.skip();
                }
            }
        }
        if (const auto state = geom::component_state(word)) {
            member.state = scribe_.known(*state, state_line);
            if (*state == ComponentState::rebuilding)
                geom::synchronizing(*current_, percent, scribe_, state_line);
        } else {
            scribe_.unparsed(state_line, state_line,
                             "state '" + escaped(word) + "' of a component is not known");
        }
    }

    Volume& set_named(std::string_view name) {
        for (Volume& set : sets_)
            if (set.name == name) return set;
        sets_.emplace_back();
        sets_.back().name = std::string(name);
        return sets_.back();
    }

    // The rows name what is there; only a set that is whole has all its slots among them.
    void finish(Volume& set) {
        // gstripe takes two disks at least, graid3 three (sbin/geom/class/*/geom_*.c).
        const std::size_t least = set.kind.is(VolumeKind::graid3)    ? 3
                                  : set.kind.is(VolumeKind::gstripe) ? 2
                                                                     : 1;
        if (set.state.is(VolumeState::optimal) && !out_.filtered && set.components.size() < least) {
            scribe_.damage(begin_, set.name + ": fewer components are listed than it can be made of");
            set.components_complete = Flag(false, set.state.from());
        } else if (set.state.is(VolumeState::optimal) && !out_.filtered && !set.components.empty()) {
            set.components_complete = Flag(true, set.state.from());
            if (!set.kind.is(VolumeKind::crypto))
                set.columns = Number(set.components.size(), set.state.from());
        }
        scribe_.facts.volumes.push_back(std::move(set));
    }

    const Output& out_;
    WordReader in_;
    Scribe& scribe_;
    const std::size_t begin_;
    std::deque<Volume> sets_;  // keeps addresses
    Volume* current_ = nullptr;
    bool seen_row_ = false;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Listing(out, at, scribe).read();
}

}  // namespace

extern const CommandParser geom_status_parser{
    .id = "geom-status",
    .programs = {"gmirror", "gstripe", "gconcat", "graid3", "graid", "geli", "glabel", "geom"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"gmirror", "status"}},
             {Os::freebsd, {"gstripe", "status"}},
             {Os::freebsd, {"gconcat", "status"}},
             {Os::freebsd, {"graid3", "status"}},
             {Os::freebsd, {"graid", "status"}}},
};

}  // namespace diskwright
