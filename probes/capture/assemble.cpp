// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "probes/capture/file_source.hpp"
#include "probes/capture/listed_names.hpp"
#include "probes/capture/sections.hpp"
#include "probes/capture/unknown_images.hpp"
#include "probes/capture/unnamed_disks.hpp"
#include "probes/model/os_votes.hpp"
#include "probes/ondisk/discover.hpp"
#include "probes/parsers/output_parts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t most_unparsed = 4096;  // as merge() keeps; a paste of nothing else stays readable

// Formats that only one system has vote for it; what uname or a kernel banner says decides without a vote.
void take_vote(OsVotes& votes, HostFacts& section) {
    if (!section.os.name || section.os.name.from().kind() != Provenance::Kind::inferred) return;
    votes.take(section.os.name);
    section.os.name.reset();
}

// Paragraphs of prose above the first section, and between sections, for the release. Of a text that goes on
// and on the nearest lines are kept.
class ProseReader {
 public:
    explicit ProseReader(const std::string& source) : source_(source) {}

    void prose(const Output& output, std::size_t first, std::size_t last) {
        if (found_) return;
        for (std::size_t i = first; i <= last && i < output.lines.size(); ++i) {
            if (trim(output.lines[i].text).empty())
                close();
            else if (current_.size() < most_lines)
                current_.push_back(output.lines[i]);
        }
    }
    void section() {
        close();
        if (!found_) found_ = release_in_prose({paragraphs_.begin(), paragraphs_.end()}, source_);
        paragraphs_.clear(), kept_ = 0;
    }
    const std::optional<ProseRelease>& found() const { return found_; }

 private:
    void close() {
        if (current_.empty()) return;
        kept_ += current_.size();
        paragraphs_.push_back(std::move(current_));
        current_.clear();
        while (kept_ > most_lines) {
            kept_ -= paragraphs_.front().size();
            paragraphs_.pop_front();
        }
    }

    static constexpr std::size_t most_lines = 4096;

    const std::string& source_;
    std::vector<TextLine> current_;
    std::deque<std::vector<TextLine>> paragraphs_;
    std::size_t kept_ = 0;
    std::optional<ProseRelease> found_;
};

std::string joined(const std::vector<std::string>& argv) {
    std::string out;
    for (const auto& word : argv) out += (out.empty() ? "" : " ") + word;
    return out;
}

// The hosts that the prompts name above what was understood. Two of them are no one machine.
class PromptHosts {
 public:
    void take(const Output& output, const std::string& host) {
        const bool known =
            std::any_of(seen_.begin(), seen_.end(), [&](const auto& v) { return v.value == host; });
        if (host.empty() || known || seen_.size() >= most) return;
        seen_.push_back({host, Provenance(output.source, output.prompt_line, joined(output.argv))});
    }
    void report(HostFacts& facts) const {
        const auto told = std::any_of(facts.conflicts.begin(), facts.conflicts.end(),
                                      [](const Conflict& c) { return c.what == "os.hostname"; });
        for (std::size_t i = 1; i < seen_.size() && !told; ++i)
            facts.conflicts.push_back({"os.hostname", "", false, {seen_[i - 1], seen_[i]}});
    }

 private:
    static constexpr std::size_t most = 8;

    std::vector<Conflict::Value> seen_;
};

// A command that failed said so; what it printed before that needs no second remark.
bool failure_is_told(const Document& document, const std::vector<std::string>& notes) {
    if (!document.run || document.run->exit_status == 0) return false;
    const std::string command = joined(document.argv) + ": ";
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
        return note.starts_with(command) || note.starts_with(document.name + ": ");
    });
}

// Blank lines and comments: an empty fstab is no riddle.
bool says_nothing(const Output& output) {
    return std::all_of(output.lines.begin(), output.lines.end(), [](const TextLine& l) {
        const auto text = trim(l.text);
        return text.empty() || text.starts_with('#');
    });
}

bool has_parser(std::string_view program) {
    const auto parsers = command_parsers();
    return std::any_of(parsers.begin(), parsers.end(), [&](const CommandParser& p) {
        return std::find(p.programs.begin(), p.programs.end(), program) != p.programs.end();
    });
}

// What was seen and could not be used says more than that nothing was.
std::string nothing_recognised(const Capture& capture, const HostFacts& facts) {
    std::string message;
    std::size_t said = 0;
    for (const Unparsed& u : facts.unparsed)
        if (u.first_line > 0 && said++ < 3)
            message += fmt::format("{}:{}: {}; ", escaped(u.source), u.first_line, u.reason);
    for (const auto& note : capture.notes) message += note + "; ";
    for (const Damage& damage : facts.damages) message += escaped(damage.what) + "; ";
    if (capture.documents.empty() && !capture.images.empty())
        return message + std::string(what_is_unknown(capture));
    return message +
           "no command output was recognised. Paste what these print, with the commands: on NetBSD raidctl "
           "-s raid0, disklabel, dumpfs -s, mount, iostat -x -w 10 -c 6; on FreeBSD gmirror list (or "
           "gstripe, graid3), gpart show, dumpfs -m, tunefs -p, mount, iostat -x -w 10 -c 6; on OpenBSD "
           "bioctl softraid0, disklabel, dumpfs, mount; on Linux lsblk -t, cat /proc/mdstat, mdadm -D, "
           "mount, iostat -x 10 6";
}

// Whether nothing is known because a device failed: of input that told nothing, or of devices none of which
// gave a single byte.
std::optional<Error> unreadable_device(const Capture& capture, const HostFacts& facts) {
    std::optional<Error> first;
    bool any_read = capture.images.empty() || !capture.documents.empty() || capture.device_facts;
    for (const auto& image : capture.images) {
        const auto* file = dynamic_cast<const FileSource*>(image.get());
        any_read = any_read || !file || file->anything_read() || file->failures().empty();
        if (!first && file && !file->failures().empty()) first = file->failures().begin()->second;
    }
    return facts.empty() || !any_read ? first : std::nullopt;
}

void read_devices(const Capture& capture, std::optional<Os> os, HostFacts& facts) {
    HostFacts from_devices = facts_of_devices(capture, os);
    // What commands print of the system is worth more than whose types its disks have.
    if (facts.os.name) from_devices.os.name.reset();
    take_listed_names(from_devices, facts);
    merge(facts, std::move(from_devices));
}

// Documents one after the other, each output merged as soon as it is read.
class Assembler {
 public:
    void read(const Document& document, const std::vector<std::string>& notes) {
        failure_told_ = failure_is_told(document, notes);
        ProseReader reader(document.name);
        for (Unparsed& left_out : for_each_output(document, [&](const Output&output, const std::string&host) {
                 if (read(output, reader)) hosts_.take(output, host);
             }))
            facts.unparsed.push_back(std::move(left_out));
        if (!release) release = reader.found();
    }

    /// To be called when everything is read.
    void finish() { hosts_.report(facts); }

    HostFacts facts;
    OsVotes votes;
    std::optional<ProseRelease> release;

 private:
    /// Whether anything was understood.
    bool read(const Output& output, ProseReader& reader) {
        bool understood = false;
        parse_output(output,
                     {[&](SectionFacts section) {
                          understood = true;
                          reader.section();
                          take_vote(votes, section.facts);
                          take(output, std::move(section));
                      },
                      [&](std::size_t first, std::size_t last) { reader.prose(output, first, last); }});
        if (understood || failure_told_ || !has_parser(output.program()) || says_nothing(output))
            return understood;
        if (facts.unparsed.size() >= most_unparsed) return false;
        facts.unparsed.push_back(
            {output.source, output.prompt_line ? output.prompt_line : output.lines.front().number,
             output.lines.empty() ? output.prompt_line : output.lines.back().number,
             fmt::format("the output of '{}' is not in a form that is known", escaped(joined(output.argv)))});
        return false;
    }

    void take(const Output& output, SectionFacts section) {
        const std::size_t reported = facts.unparsed.size();
        unnamed_.name(section.facts);
        merge(facts, std::move(section.facts));
        // merge() says what it left out, and not where: it does not know what is being read.
        const auto line = [&](std::size_t at) {
            return at < output.lines.size() ? output.lines[at].number : output.prompt_line;
        };
        for (std::size_t i = reported; i < facts.unparsed.size(); ++i)
            if (Unparsed& row = facts.unparsed[i]; row.source.empty()) {
                row.source = output.source;
                row.first_line = line(section.first), row.last_line = line(section.last);
            }
    }

    bool failure_told_ = false;
    UnnamedDisks unnamed_;
    PromptHosts hosts_;
};

}  // namespace

namespace {

// They told the labels of a pool which device is which, and tell nobody else anything.
void drop_numbers_of_vdevs(HostFacts& facts) {
    for (Volume& v : facts.volumes)
        for (Component& c : v.components)
            if (v.kind.is(VolumeKind::zfs)) c.slot.reset();
}

}  // namespace

HostFacts facts_of_devices(const Capture& capture, std::optional<Os> os) {
    HostFacts facts = capture.device_facts.value_or(HostFacts{});
    if (capture.images.empty()) return facts;
    std::vector<ByteSource*> sources;
    for (const auto& image : capture.images) sources.push_back(image.get());
    Discovery found = discover(sources, os);
    drop_numbers_of_vdevs(found.facts);
    merge(facts, std::move(found.facts));
    for (const std::string& name : found.unrecognised) {
        const auto image = std::find_if(capture.images.begin(), capture.images.end(),
                                        [&](const auto& i) { return i->name() == name; });
        const auto why =
            image == capture.images.end() ? what_is_unknown(Capture{}) : what_is_unknown(**image);
        facts.unparsed.push_back({name, 0, 0, std::string(why)});
    }
    for (const auto& image : capture.images) {
        const auto* file = dynamic_cast<const FileSource*>(image.get());
        if (!file) continue;
        for (const auto& [page, failure] : file->failures())
            facts.unparsed.push_back({file->name(), 0, 0, failure.message});
        if (file->exhausted())
            facts.unparsed.push_back(
                {file->name(), 0, 0,
                 fmt::format("{} in {} reads were looked at; what lies elsewhere was not",
                             human_size(file->bytes_read()), file->reads())});
    }
    return facts;
}

Result<bool> apply_assumptions(HostFacts& facts, const Assumptions& assumptions) {
    if (!assumptions.os.empty()) {
        const auto dash = assumptions.os.find('-');
        const auto named = assume(facts, "os.name=" + assumptions.os.substr(0, dash));
        if (!named)
            return Error{ErrorKind::usage,
                         fmt::format("--os {}: expected netbsd, freebsd, openbsd, dragonfly or "
                                     "linux, and a release after '-'",
                                     escaped(assumptions.os))};
        if (dash != std::string::npos) {
            const std::string_view release = std::string_view(assumptions.os).substr(dash + 1);
            const bool plain = std::all_of(release.begin(), release.end(), [](char c) {
                return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '-' || c == '_';
            });
            if (release.empty() || release[0] < '0' || release[0] > '9' || !plain)
                return Error{ErrorKind::usage,
                             fmt::format("--os {}: no release after '-'", escaped(assumptions.os))};
            const auto numbered = assume(facts, "os.release=" + assumptions.os.substr(dash + 1));
            if (!numbered) return numbered.error();
        }
    }
    for (const auto& stated : assumptions.facts) {
        const auto done = assume(facts, stated);
        if (!done) return done.error();
    }
    return true;
}

Result<HostFacts> assemble(const Capture& capture, const Assumptions& assumptions) {
    Assembler assembler;
    for (const Document& document : capture.documents) assembler.read(document, capture.notes);
    assembler.finish();
    HostFacts& facts = assembler.facts;
    const auto& release = assembler.release;
    if (!facts.os.name) facts.os.name = assembler.votes.winner();
    if (release && !facts.os.release && (!release->os || !facts.os.name || *release->os == *facts.os.name)) {
        facts.os.release = Text(release->release, release->from);
        if (!facts.os.name && release->os) facts.os.name = Known<Os>(*release->os, release->from);
    }
    HostFacts stated;
    if (const auto named = apply_assumptions(stated, assumptions); !named) return named.error();
    const auto& os = stated.os.name ? stated.os.name : facts.os.name;
    read_devices(capture, os ? std::optional(*os) : std::nullopt, facts);
    if (auto failure = unreadable_device(capture, facts)) return *std::move(failure);
    if (facts.empty()) return Error{ErrorKind::bad_data, nothing_recognised(capture, facts)};

    const auto assumed = apply_assumptions(facts, assumptions);
    if (!assumed) return assumed.error();
    derive(facts, capture.whole_host);
    for (const auto& note : capture.notes) {
        const auto colon = std::min(note.find(": "), note.size());
        facts.unparsed.push_back(
            {note.substr(0, colon), 0, 0, note.substr(std::min(colon + 2, note.size()))});
    }
    return std::move(facts);
}

}  // namespace diskwright
