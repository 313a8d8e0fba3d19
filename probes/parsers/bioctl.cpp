// SPDX-License-Identifier: BSD-2-Clause
// bioctl sd2, bioctl softraid0, bioctl mfi0 (OpenBSD 3.9 and later):
//   Volume      Status               Size Device
//   softraid0 0 Degraded     500107496448 sd2     RAID1 12% done 3600 seconds WB
//             0 Online       500107496448 0:0.0   noencl <sd0a>
//             1 Rebuild      500107496448 0:1.0   noencl <sd1a>
//        mfi0 1 Hot spare    146815733760 1:5.0   noencl <SEAGATE ST3146855SS S528>
// Rows are read as words, so that wrapped and flattened pastes work. Sizes of bioctl -h are rounded and not
// taken. softraid cuts a chunk at MAXPHYS = 64 KiB without an option to change it. NetBSD's bioctl prints
// "sd0 RAID 5 ..." in other columns and is not read here. Source: openbsd/src sbin/bioctl/bioctl.c (bio_inq),
// sys/dev/softraid.c.
#include <array>

#include "probes/parsers/word_reader.hpp"

namespace diskwright {
namespace {

struct Status {
    std::string_view word;
    std::optional<VolumeState> volume;
    std::optional<ComponentState> chunk;
};
constexpr std::array<Status, 11> statuses{{
    {"Online", VolumeState::optimal, ComponentState::optimal},
    {"Offline", VolumeState::failed, ComponentState::failed},
    {"Degraded", VolumeState::degraded, std::nullopt},
    {"Failed", VolumeState::failed, ComponentState::failed},
    {"Building", VolumeState::rebuilding, std::nullopt},
    {"Rebuild", VolumeState::rebuilding, ComponentState::rebuilding},
    {"Scrubbing", VolumeState::optimal, ComponentState::optimal},
    {"Hot", std::nullopt, ComponentState::spare},  // "Hot spare"
    {"Unused", std::nullopt, std::nullopt},
    {"Invalid", VolumeState::failed, ComponentState::missing},
    {"Missing", VolumeState::failed, ComponentState::missing},
}};

const Status* status_of(std::string_view word) {
    for (const Status& s : statuses)
        if (s.word == word) return &s;
    return nullptr;
}

bool is_driver_name(std::string_view word) {
    std::size_t letters = 0;
    while (letters < word.size() && word[letters] >= 'a' && word[letters] <= 'z') ++letters;
    return letters >= 2 && to_unsigned(word.substr(letters)).has_value();
}

// 0:1.0 is bus, target and lun.
bool is_address(std::string_view word) {
    const auto bus = leading_unsigned(word);
    if (!bus || !bus->rest.starts_with(':')) return false;
    const auto target = leading_unsigned(bus->rest.substr(1));
    return target && target->rest.starts_with('.') && to_unsigned(target->rest.substr(1));
}

// What a row begins with: [controller] number status size.
struct RowHead {
    std::string_view controller, number, size;
    const Status* status = nullptr;
    std::size_t words = 0, size_at = 0;  // words up to and including the size
};

bool is_size(std::string_view word) {
    return !word.empty() && word[0] >= '0' && word[0] <= '9' && !is_address(word);
}

RowHead row_at(WordReader& in) {
    RowHead row;
    std::size_t k = 0;
    if (is_driver_name(in.peek(0))) row.controller = in.peek(k++);
    row.number = in.peek(k++);
    if (!to_unsigned(row.number)) return {};
    row.status = status_of(in.peek(k++));
    if (!row.status) return {};
    if (row.status->word == "Hot" && in.peek(k++) != "spare") return {};
    row.size_at = k;
    row.size = in.peek(k++);
    if (row.size == "key" && in.peek(k) == "disk")
        ++k;
    else if (!is_size(row.size))
        return {};
    row.words = k;
    return row;
}

std::size_t heading_at(const Output& out, std::size_t at) {
    const auto w = words(out.text(at));
    for (std::size_t i = 0; i + 3 < w.size(); ++i)
        if (w[i] == "Volume" && w[i + 1] == "Status" && w[i + 2] == "Size" && w[i + 3] == "Device")
            return i + 4;
    return 0;
}

bool starts(const Output& out, std::size_t at) {
    if (contains(out.text(at), "Volume") && heading_at(out, at) > 0) return true;
    const auto line = trim(out.text(at));
    if (!is_driver_name(line.substr(0, line.find(' ')))) return false;
    WordReader in(out, at);
    return !row_at(in).controller.empty();
}

class Listing {
 public:
    Listing(const Output& out, std::size_t at, Scribe& scribe)
        : out_(out), in_(out, at), scribe_(scribe), begin_(at) {
        in_.skip(heading_at(out, at));
        if (!in_.started()) return;
        scribe_.suggest_os(Os::openbsd, at);
    }

    std::size_t read() {
        std::size_t rows = 0;
        for (;; ++rows) {
            const RowHead row = row_at(in_);
            if (row.words == 0) {
                if (!in_.at_line_start() && !in_.peek().empty() && rows > 0) {
                    in_.skip();  // words behind a row
                    continue;
                }
                break;
            }
            if (!row.controller.empty() && !is_address(in_.peek(row.words)))
                read_volume(row);
            else
                read_chunk(row);
        }
        if (rows == 0) scribe_.unparsed(begin_, begin_, "bioctl: a heading without a row that could be read");
        // A line that begins like the row of a chunk, and is none.
        const bool garbled = rows > 0 && in_.at_line_start() && to_unsigned(in_.peek()).has_value();
        if (garbled)
            scribe_.damage(in_.line(), "bioctl: a row cannot be read, and those below it are left out");
        for (const std::size_t index : mine_)
            finish(scribe_.facts.volumes[index], garbled && index == mine_.back());
        return std::max<std::size_t>(in_.end_line(), begin_ + 1) - begin_;
    }

 private:
    Number size(const RowHead& row) {
        const std::size_t line = in_.line(row.size_at);
        const auto bytes = to_unsigned(row.size);
        if (bytes) return scribe_.known(*bytes, line);
        if (row.size != "key" && !to_size(row.size))
            scribe_.unparsed(line, line, "bioctl: size '" + escaped(row.size) + "' is no number");
        return {};
    }

    void read_volume(const RowHead& row) {
        const std::size_t line = in_.line();
        const std::string name = device_name(in_.peek(row.words));
        if (name.empty()) {
            scribe_.damage(line, "a row of bioctl ends before the device");
            in_.skip(row.words);
            return;
        }
        Volume set;
        set.name = name;
        const bool softraid = row.controller.starts_with("softraid");
        set.kind = scribe_.known(softraid ? VolumeKind::softraid : VolumeKind::hardware, line);
        set.size_bytes = size(row);
        if (row.status->volume) set.state = scribe_.known(*row.status->volume, line);
        if (row.status->word == "Scrubbing") activity(set, Activity::check, line);
        if (row.status->word == "Rebuild" || row.status->word == "Building")
            activity(set, Activity::rebuild, line);
        in_.skip(row.words + 1);
        read_level(set, softraid, line);
        read_remarks(set);
        controllers_.emplace_back(row.controller);
        mine_.push_back(scribe_.facts.volumes.size());
        scribe_.facts.volumes.push_back(std::move(set));
    }

    void read_level(Volume& set, bool softraid, std::size_t line) {
        if (in_.at_line_start()) return;
        struct Level {
            std::string_view word;
            std::optional<RaidLevel> level;
        };
        constexpr std::array<Level, 10> levels{{{"RAID0", RaidLevel::raid0},
                                                {"RAID1", RaidLevel::raid1},
                                                {"RAID3", RaidLevel::raid3},
                                                {"RAID4", RaidLevel::raid4},
                                                {"RAID5", RaidLevel::raid5},
                                                {"RAID6", RaidLevel::raid6},
                                                {"RAID10", RaidLevel::raid10},
                                                {"CONCAT", RaidLevel::concat},
                                                {"RAID1C", RaidLevel::raid1},
                                                {"CRYPTO", std::nullopt}}};
        for (const Level& l : levels) {
            if (in_.peek() != l.word) continue;
            if (l.level) set.level = scribe_.known(*l.level, line);
            if (softraid && l.word.ends_with('O')) set.crypto_format = scribe_.text("softraid", line);
            if (softraid && l.word == "RAID1C") set.crypto_format = scribe_.text("softraid", line);
            const bool striped = l.word == "RAID0" || l.word == "RAID5" || l.word == "RAID6";
            if (softraid && striped)
                set.stripe_unit_bytes =
                    Number(64 * KiB, Provenance(out_.source, scribe_.at(line).line(), out_.lines[line].text,
                                                Provenance::Kind::table));
            in_.skip();
            return;
        }
        scribe_.unparsed(line, line, "bioctl: level '" + escaped(in_.peek()) + "' is not known");
        in_.skip();
    }

    // "12% done", "3600 seconds", "WB" or "WT", in this order, each optional.
    void read_remarks(Volume& set) {
        while (!in_.at_line_start() && !in_.peek().empty() && row_at(in_).words == 0) {
            const std::size_t line = in_.line();
            const auto word = in_.peek();
            if (word.ends_with('%') && in_.peek(1) == "done") {
                if (const auto percent =
                        scribe_.real(word.substr(0, word.size() - 1), line, "bioctl: percent done"))
                    set.activity_percent = scribe_.known(*percent, line);
                if (!set.activity) activity(set, Activity::rebuild, line);
            } else if (word == "WB" || word == "WT") {
                set.cache_policy = scribe_.text(word == "WB" ? "write-back" : "write-through", line);
            }
            in_.skip();
        }
    }

    void activity(Volume& set, Activity what, std::size_t line) {
        set.activity = scribe_.known(what, line);
        set.activity_progress = scribe_.known(Progress::running, line);
    }

    void read_chunk(const RowHead& row) {
        const std::size_t line = in_.line();
        Component chunk;
        chunk.size_bytes = size(row);
        const bool key_disk = row.size == "key";
        in_.skip(row.words);
        std::string address;
        if (is_address(in_.peek())) {
            address = std::string(in_.peek());
            in_.skip();
        } else {
            scribe_.damage(line, "a row of bioctl ends before the address of the chunk");
        }
        if (!in_.peek().starts_with('<') && !in_.at_line_start() && row_at(in_).words == 0)
            in_.skip();  // enclosure
        const std::string described = read_description();
        skip_serial();
        chunk.name =
            described.empty() || described.find(' ') != std::string::npos ? address : device_name(described);
        if (chunk.name.empty()) return;
        if (row.status->chunk) chunk.state = scribe_.known(*row.status->chunk, line);
        if (!row.controller.empty()) return add_spare(row, std::move(chunk), line);
        if (mine_.empty()) return scribe_.unparsed(line, line, "bioctl: a chunk without its volume");
        if (key_disk || row.status->word == "Unused") return;
        Volume& set = scribe_.facts.volumes[mine_.back()];
        if (row.status->chunk == ComponentState::spare)
            chunk.role = scribe_.text("spare", line);
        else if (const auto slot = to_unsigned(row.number))
            chunk.slot = scribe_.known(*slot, line);
        set.components.push_back(std::move(chunk));
    }

    // "<sd0a>", or vendor and model of a disk behind a controller.
    std::string read_description() {
        std::string text;
        if (!in_.peek().starts_with('<')) return text;
        for (std::size_t n = 0; n < 12 && !in_.peek().empty(); ++n) {
            text.append(text.empty() ? "" : " ").append(in_.peek());
            in_.skip();
            if (!text.ends_with('>')) continue;
            return text.substr(1, text.size() - 2);
        }
        return {};
    }

    // -v puts the serial number, in quotes, on a line of its own.
    void skip_serial() {
        if (in_.matches({"unknown", "serial"})) in_.skip(2);
        if (!in_.peek().starts_with('\'')) return;
        for (std::size_t n = 0; n < 4 && !in_.peek().empty(); ++n) {
            const bool last = in_.peek().ends_with('\'') && (n > 0 || in_.peek().size() > 1);
            in_.skip();
            if (last) return;
        }
    }

    // A hot spare has a row of its own and stands by for every set of its controller.
    void add_spare(const RowHead& row, Component spare, std::size_t line) {
        if (row.status->chunk != ComponentState::spare) return;
        spare.role = scribe_.text("spare", line);
        for (std::size_t i = 0; i < mine_.size(); ++i)
            if (controllers_[i] == row.controller)
                scribe_.facts.volumes[mine_[i]].components.push_back(spare);
    }

    void finish(Volume& set, bool garbled) {
        if (garbled) {
            set.components_complete = Flag(false, set.kind.from());
            return;
        }
        std::uint64_t columns = 0, spares = 0;
        for (const Component& c : set.components) c.role.is("spare") ? ++spares : ++columns;
        if (columns == 0 || out_.filtered) return;
        set.columns = Number(columns, set.kind.from());
        set.spares = Number(spares, set.kind.from());
        set.components_complete = Flag(true, set.kind.from());
    }

    const Output& out_;
    WordReader in_;
    Scribe& scribe_;
    const std::size_t begin_;
    std::vector<std::size_t> mine_;         // of facts.volumes
    std::vector<std::string> controllers_;  // of each of those
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Listing(out, at, scribe).read();
}

}  // namespace

extern const CommandParser bioctl_parser{
    .id = "bioctl",
    .programs = {"bioctl"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::openbsd, {"bioctl", "{volume:softraid}"}, true}},
};

}  // namespace diskwright
