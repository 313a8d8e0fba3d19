// SPDX-License-Identifier: BSD-2-Clause
// zpool status [-v] [pool] (FreeBSD 7 and later, NetBSD 9 and later, Linux):
//     pool: tank
//    state: DEGRADED
//     scan: resilver in progress since Sun Nov 29 10:00:00 2026
//           112G resilvered, 31.42% done, 04:12:33 to go
//   config:
//           NAME        STATE     READ WRITE CKSUM
//           tank        DEGRADED     0     0     0
//             mirror-0  DEGRADED     0     0     0
//               ada0    ONLINE       0     0     0
//               ada1    ONLINE       0     0     0  (resilvering)
//           spares
//             ada2      AVAIL
//   errors: No known data errors
//               ada3    ONLINE       0     0     0  block size: 512B configured, 4096B native
// A pool is one volume, its disks the components. Indentation may be lost: groups are known by their names.
// Source: openzfs/zfs cmd/zpool/zpool_main.c (print_status_config, print_scan_status).
#include <algorithm>
#include <array>
#include <bit>

#include "probes/model/storage_graph.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::array<std::string_view, 12> headers{
    "pool:",  "state:",  "status:", "action:", "see:",     "scan:",
    "scrub:", "config:", "errors:", "id:",     "comment:", "remove:"};

std::string_view header_of(std::string_view line) {
    const auto w = words(line);
    if (w.empty()) return {};
    const auto at = std::find(headers.begin(), headers.end(), w[0]);
    return at == headers.end() ? std::string_view{} : *at;
}

struct State {
    std::string_view word;
    VolumeState pool;
    std::optional<ComponentState> disk;
};
constexpr std::array<State, 9> states{{
    {"ONLINE", VolumeState::optimal, ComponentState::optimal},
    {"DEGRADED", VolumeState::degraded, std::nullopt},  // of a disk: errors, yet in use
    {"FAULTED", VolumeState::failed, ComponentState::failed},
    {"UNAVAIL", VolumeState::failed, ComponentState::missing},
    {"REMOVED", VolumeState::failed, ComponentState::missing},
    {"OFFLINE", VolumeState::failed, ComponentState::failed},
    {"SUSPENDED", VolumeState::failed, std::nullopt},
    {"AVAIL", VolumeState::optimal, ComponentState::spare},
    {"INUSE", VolumeState::optimal, ComponentState::used_spare},
}};
const State* state_of(std::string_view word) {
    const auto at =
        std::find_if(states.begin(), states.end(), [&](const State& s) { return s.word == word; });
    return at == states.end() ? nullptr : &*at;
}

// mirror, mirror-0, raidz2-1, draid1:4d:6c:1s-0, replacing-0, spare-2.
bool is_group(std::string_view word, std::string_view kind) {
    if (!word.starts_with(kind)) return false;
    word.remove_prefix(kind.size());
    return word.empty() || (word[0] == '-' && to_unsigned(word.substr(1)));
}

// The heading of the configuration: all that is left when the lines above were not pasted.
bool is_table(const Output& out, std::size_t at) {
    const auto w = words(out.text(at));
    if (w.size() != 5 || w[0] != "NAME" || w[1] != "STATE" || w[2] != "READ" || w[4] != "CKSUM") return false;
    const auto pool = words(out.text(at + 1));
    return pool.size() >= 2 && state_of(pool[1]);
}

bool starts(const Output& out, std::size_t at) {
    if (is_table(out, at)) return true;
    if (!trim(out.text(at)).starts_with("pool:") || words(out.text(at)).size() != 2) return false;
    // The state or the configuration follows; "pool:" alone may be anybody's.
    for (std::size_t i = at + 1; i < out.lines.size() && i < at + 6; ++i) {
        const auto header = header_of(out.text(i));
        if (header == "state:" || header == "config:" || header == "id:") return true;
        if (header == "pool:") return false;
    }
    return false;
}

class Pool {
 public:
    Pool(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        const bool table = is_table(out_, begin_);
        set_.name = std::string(table ? words(out_.text(begin_ + 1))[0] : words(out_.text(begin_))[1]);
        set_.kind = scribe_.known(VolumeKind::zfs, begin_);
        std::size_t line = table ? begin_ : begin_ + 1, end = begin_ + 1;
        std::string_view header = table ? std::string_view("config:") : std::string_view{};
        for (; line < out_.lines.size(); ++line) {
            const std::string_view text = out_.text(line);
            const auto w = words(text);
            if (w.empty()) continue;
            if (const auto next = header_of(text); !next.empty()) {
                if (next == "pool:") break;
                header = next;
                if (next == "state:") read_state(w, line);
                if (next == "scan:" || next == "scrub:") read_scan(text, line);
            } else if (header == "config:") {
                if (!read_config(w, line)) break;
            } else if (header == "scan:" || header == "scrub:") {
                read_scan(text, line);
            } else if (header == "errors:" && !w[0].starts_with('/')) {
                break;
            }
            end = line + 1;
        }
        finish();
        return end - begin_;
    }

 private:
    void read_state(const std::vector<std::string_view>& w, std::size_t line) {
        const State* state = w.size() > 1 ? state_of(w[1]) : nullptr;
        if (state)
            set_.state = scribe_.known(state->pool, line);
        else
            scribe_.unparsed(line, line, "zpool: state of the pool not understood");
    }

    void read_scan(std::string_view text, std::size_t line) {
        const bool resilver = contains(text, "resilver in progress"),
                   scrub = contains(text, "scrub in progress");
        if (resilver || scrub) {
            set_.activity = scribe_.known(resilver ? Activity::rebuild : Activity::check, line);
            set_.activity_progress = scribe_.known(Progress::running, line);
        }
        if (contains(text, "scrub paused")) set_.activity_progress = scribe_.known(Progress::paused, line);
        if (!set_.activity) return;
        const auto w = words(text);
        for (std::size_t i = 0; i + 1 < w.size(); ++i)
            if (w[i].ends_with('%') && w[i + 1].starts_with("done"))
                if (const auto percent =
                        scribe_.real(w[i].substr(0, w[i].size() - 1), line, "zpool: percent done"))
                    set_.activity_percent = scribe_.known(*percent, line);
    }

    bool read_config(const std::vector<std::string_view>& w, std::size_t line) {
        if (w[0] == "NAME") return true;
        if (w.size() == 1 && read_class(w[0])) return true;
        const State* state = w.size() > 1 ? state_of(w[1]) : nullptr;
        if (!state) {
            if (w.size() == 1 || (w.size() > 2 && to_unsigned(w[2]))) {
                scribe_.unparsed(line, line, "zpool: state of '" + escaped(w[0]) + "' not understood");
                return true;
            }
            return false;
        }
        if (w[0] == set_.name && !pool_row_seen_) {
            pool_row_seen_ = true;
            return true;
        }
        for (const std::string_view wrapper : {"replacing", "spare"})
            if (is_group(w[0], wrapper)) return true;
        for (const std::string_view kind : {"mirror", "raidz1", "raidz2", "raidz3", "raidz"})
            if (is_group(w[0], kind)) {
                if (role_.empty()) groups_.push_back({kind == "raidz" ? "raidz1" : kind, line});
                return true;
            }
        if (w[0].starts_with("draid")) {
            groups_.push_back({"draid", line});
            return true;
        }
        add_disk(w, *state, line);
        return true;
    }

    // logs, cache and spares head their own disks; special and dedup hold data.
    bool read_class(std::string_view word) {
        if (word == "logs")
            role_ = "log";
        else if (word == "cache")
            role_ = "cache";
        else if (word == "spares")
            role_ = "spare";
        else if (word == "special" || word == "dedup")
            role_ = "special";
        else
            return false;
        return true;
    }

    void add_disk(const std::vector<std::string_view>& w, const State& state, std::size_t line) {
        Component& member = component(set_, w[0]);
        if (state.disk) member.state = scribe_.known(*state.disk, line);
        const bool resilvering =
            std::any_of(w.begin(), w.end(), [](std::string_view x) { return x == "(resilvering)"; });
        if (resilvering) member.state = scribe_.known(ComponentState::rebuilding, line);
        read_block_size(w, line);
        if (!role_.empty() && role_ != "special" && !member.role) member.role = scribe_.text(role_, line);
        if (role_.empty() && groups_.empty()) ++plain_disks_;
        if (role_ == "spare" && state.disk == ComponentState::spare) ++spares_;
    }

    // "... block size: 512B configured, 4096B native": the vdev's ashift and the disk's own sector.
    void read_block_size(const std::vector<std::string_view>& w, std::size_t line) {
        const auto at = std::find(w.begin(), w.end(), "size:");
        if (w.end() - at < 5 || at[2] != "configured," || at[4] != "native") return;
        const auto configured = to_size(at[1]), native = to_size(at[3]);
        if (!configured || !native || !std::has_single_bit(*configured) || *native < 512)
            return scribe_.unparsed(line, line, "zpool: the block size of a disk is not understood");
        const auto shift = static_cast<std::uint64_t>(std::countr_zero(*configured));
        if (!set_.ashift || shift < *set_.ashift) set_.ashift = scribe_.known(shift, line);
        disk(scribe_.facts, disk_name(w[0])).physical_sector_bytes = scribe_.known(*native, line);
    }

    void finish() {
        if (groups_.size() == 1 && plain_disks_ == 0) {
            const auto [kind, line] = groups_[0];
            if (kind == "mirror") set_.level = scribe_.known(RaidLevel::raid1, line);
            if (kind == "raidz1") set_.level = scribe_.known(RaidLevel::raid5, line);
            if (kind == "raidz2") set_.level = scribe_.known(RaidLevel::raid6, line);
        } else if (groups_.size() > 1 && std::all_of(groups_.begin(), groups_.end(),
                                                     [](const Group& g) { return g.kind == "mirror"; })) {
            set_.level = scribe_.known(RaidLevel::raid10, groups_[0].line);
        }
        if (!groups_.empty()) set_.layout = scribe_.text(groups_[0].kind, groups_[0].line);
        if (!set_.components.empty() && !out_.filtered) {
            set_.components_complete = scribe_.known(true, begin_);
            set_.spares = scribe_.known(spares_, begin_);
        }
        scribe_.facts.volumes.push_back(std::move(set_));
    }

    struct Group {
        std::string_view kind;
        std::size_t line;
    };

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    Volume set_;
    std::vector<Group> groups_;
    std::string_view role_;
    std::uint64_t spares_ = 0;
    std::size_t plain_disks_ = 0;
    bool pool_row_seen_ = false;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Pool(out, at, scribe).read();
}

}  // namespace

extern const CommandParser zpool_status_parser{
    .id = "zpool-status",
    .programs = {"zpool"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"zpool", "status"}},
             {Os::netbsd, {"zpool", "status"}},
             {Os::linux_, {"zpool", "status"}}},
};

}  // namespace diskwright
