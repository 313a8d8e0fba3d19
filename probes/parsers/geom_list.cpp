// SPDX-License-Identifier: BSD-2-Clause
// gmirror, gstripe, gconcat, graid3, graid and geli list, geom CLASS list (FreeBSD 5 to 14):
//   Geom name: gm0
//   State: COMPLETE
//   Components: 2
//   Balance: load
//   Slice: 4096
//   Providers:
//   1. Name: mirror/gm0
//      Mediasize: 1000204885504 (932G)
//      Sectorsize: 512
//   Consumers:
//   1. Name: ada0
//      Mediasize: 1000204886016 (932G)
//      State: ACTIVE
//      Priority: 0
// Keys differ a little by release and are read by name; indentation is not needed. Of several providers of
// one geom (graid) each is a volume. Source: freebsd/freebsd-src sbin/geom/core/geom.c (list_one_geom),
// sys/geom/*/g_*.c (dumpconf).
#include <algorithm>

#include "probes/parsers/geom_text.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Pair {
    std::string_view key, value;
    bool numbered = false;  // "1. Name: ..." begins an element
};

// "key: value"; a key is one or two words.
std::optional<Pair> pair_of(std::string_view line) {
    line = trim(line);
    Pair pair;
    if (const auto number = leading_unsigned(line); number && number->rest.starts_with(". ")) {
        pair.numbered = true;
        line = trim(number->rest.substr(2));
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    if (colon + 1 < line.size() && line[colon + 1] != ' ') return std::nullopt;
    pair.key = line.substr(0, colon);
    if (words(pair.key).size() > 2 || !pair.key.substr(0, 1).find_first_of("#$%>")) return std::nullopt;
    pair.value = trim(line.substr(colon + 1));
    return pair;
}

bool is_geom_line(std::string_view line) {
    const auto pair = pair_of(line);
    return pair && pair->key == "Geom name";
}

// Whose geom it is shows in its providers or in a key that only one class has.
constexpr std::size_t look_ahead = 40;
bool starts(const Output& out, std::size_t at) {
    if (!contains(out.text(at), "Geom name:") || !is_geom_line(out.text(at))) return false;
    bool among_providers = false;
    for (std::size_t i = at + 1; i < out.lines.size() && i < at + look_ahead; ++i) {
        const auto pair = pair_of(out.text(i));
        if (!pair || pair->key == "Geom name" || pair->key == "scheme") return false;
        if (pair->key == "Balance" || pair->key == "Stripesize" || pair->key == "EncryptionAlgorithm")
            return !among_providers || pair->key != "Stripesize";
        if (pair->key == "Providers") among_providers = true;
        if (pair->key == "Consumers") return false;
        if (pair->key == "Name") return geom::class_of(pair->value) != nullptr;
    }
    return false;
}

class Geom {
 public:
    Geom(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        std::size_t line = begin_;
        for (; line < out_.lines.size(); ++line) {
            const auto pair = pair_of(out_.text(line));
            if (!pair || (pair->key == "Geom name" && line > begin_)) break;
            take(*pair, line);
        }
        if (volumes_.empty()) nameless();
        for (std::size_t i = 0; i < volumes_.size(); ++i) finish(volumes_[i]);
        scribe_.suggest_os(Os::freebsd, begin_);
        return line - begin_;
    }

 private:
    enum class Part { head, providers, consumers };

    void take(const Pair& pair, std::size_t line) {
        if (pair.key == "Geom name")
            name_ = pair.value;
        else if (pair.key == "Providers")
            part_ = Part::providers;
        else if (pair.key == "Consumers")
            part_ = Part::consumers;
        else if (pair.key == "Name" && part_ == Part::providers)
            add_provider(pair.value, line);
        else if (pair.key == "Name" && part_ == Part::consumers)
            add_consumer(pair.value, line);
        else if (part_ == Part::consumers && !members_.empty())
            take_consumer(pair, line);
        else if (part_ == Part::providers && !volumes_.empty())
            take_provider(pair, line);
        else
            take_head(pair, line);
    }

    void take_head(const Pair& pair, std::size_t line) {
        if (pair.key == "State") head_.state = state(pair.value, line);
        if (pair.key == "Balance") head_.balance = scribe_.text(pair.value, line), folder_ = "mirror/";
        if (pair.key == "Slice") head_.balance_slice_bytes = number(pair.value, line, "slice");
        if (pair.key == "Stripesize")
            head_.stripe_unit_bytes = number(pair.value, line, "stripe size"), folder_ = "stripe/";
        if (pair.key == "Components") head_.columns = number(pair.value, line, "number of components");
        if (pair.key == "Metadata") head_.metadata = scribe_.text(pair.value, line);
        if (pair.key == "Status") read_counts(pair.value, line);
    }

    // "Total=3, Online=2" of gstripe and gconcat.
    void read_counts(std::string_view value, std::size_t line) {
        if (const auto total = between(value, "Total=", ","))
            head_.columns = number(*total, line, "number of components");
        if (const auto online = after(value, "Online=")) online_ = to_unsigned(trim(*online));
    }

    void add_provider(std::string_view name, std::size_t line) {
        Volume set = head_;
        set.name = device_name(name);
        if (const geom::Class* c = geom::class_of(name)) geom::describe(set, *c, scribe_, line);
        volumes_.push_back(std::move(set));
    }

    void take_provider(const Pair& pair, std::size_t line) {
        Volume& set = volumes_.back();
        if (pair.key == "Mediasize") set.size_bytes = number(pair.value, line, "media size");
        if (pair.key == "Sectorsize") {
            set.logical_sector_bytes = number(pair.value, line, "sector size");
            if (set.kind.is(VolumeKind::crypto)) set.crypto_sector_bytes = set.logical_sector_bytes;
        }
        if (!set.kind.is(VolumeKind::graid)) return;
        if (pair.key == "State") set.state = state(pair.value, line);
        if (pair.key == "Strip") set.stripe_unit_bytes = number(pair.value, line, "strip size");
        if (pair.key == "Components") set.columns = number(pair.value, line, "number of components");
        if (pair.key == "RAIDLevel") read_level(set, pair.value, line);
        if (pair.key == "Subdisks") read_subdisks(set, pair.value, line);
    }

    void read_level(Volume& set, std::string_view value, std::size_t line) {
        if (!value.starts_with("RAID")) {
            if (iequals(value, "concat")) set.level = scribe_.known(RaidLevel::concat, line);
            return;
        }
        // RAID1E and the like have no spelling of their own here.
        if (const auto level = from_string<RaidLevel>(value.substr(4)))
            set.level = scribe_.known(*level, line);
    }

    // "ada0 (ACTIVE), ada1 (REBUILD)".
    void read_subdisks(Volume& set, std::string_view value, std::size_t line) {
        for (const auto item : split(value, ',')) {
            const auto w = words(item);
            if (w.size() < 2 || w[1].size() < 3) continue;
            Component& member = component(set, w[0]);
            const auto word = w[1].substr(1, w[1].find(')') - 1);
            if (const auto found = geom::component_state(word)) member.state = scribe_.known(*found, line);
            if (member.state.is(ComponentState::rebuilding)) geom::synchronizing(set, {}, scribe_, line);
        }
    }

    void add_consumer(std::string_view name, std::size_t line) {
        Component member;
        member.name = device_name(name);
        // gstripe and gconcat show no state of a consumer that is there.
        if (head_.state.is(VolumeState::optimal))
            member.state = Known<ComponentState>(ComponentState::optimal, weak(line));
        members_.push_back(std::move(member));
        last_has_state_ = false;
    }

    void take_consumer(const Pair& pair, std::size_t line) {
        Component& member = members_.back();
        if (pair.key == "Mediasize") member.size_bytes = number(pair.value, line, "media size");
        if (pair.key == "Sectorsize") member.logical_sector_bytes = number(pair.value, line, "sector size");
        if (pair.key == "Priority") member.priority = number(pair.value, line, "priority");
        if (pair.key == "SyncID" || pair.key == "GenID") count_events(pair, line, member);
        if (pair.key == "Number") member.slot = number(pair.value, line, "number of the component");
        if (pair.key == "Type" && (pair.value == "DATA" || pair.value == "PARITY"))
            member.role = scribe_.text(lowercase(pair.value), line);
        if (pair.key == "State") {
            last_has_state_ = true;
            const auto word = pair.value.substr(0, pair.value.find(' '));
            if (const auto found = geom::component_state(word))
                member.state = scribe_.known(*found, line);
            else
                scribe_.unparsed(line, line, "state '" + escaped(word) + "' of a component is not known");
            if (member.state.is(ComponentState::rebuilding)) rebuilding_line_ = line;
        }
        if (pair.key == "Synchronized") percent_ = pair.value;
        if (pair.key == "Stripesize") take_sector(member.name, pair.value, line);
    }

    // The generation counts before the synchronisation: a component of an older one is not taken.
    void count_events(const Pair& pair, std::size_t line, Component& member) {
        const Number found = number(pair.value, line, "counter");
        const bool generation = pair.key == "GenID";
        if (!found || (generation && *found == 0) || *found > 0xffffffff) return;
        member.events =
            Number(member.events.value_or(0) | (generation ? *found << 32 : *found), found.from());
    }

    // A stripesize of the medium: on ada(4) alone, and only when it looks like a sector.
    void take_sector(const std::string& name, std::string_view value, std::size_t line) {
        if (!name.starts_with("ada") || table_device(name) != name) return;
        const auto bytes = number(value, line, "stripe size");
        if (bytes.is(4096) || bytes.is(8192)) disk(scribe_.facts, name).physical_sector_bytes = bytes;
    }

    // A geom that is not running has no provider.
    void nameless() {
        if (folder_.empty() || name_.empty()) return;
        const std::string name = std::string(folder_) + std::string(name_);
        add_provider(name, begin_);
    }

    void finish(Volume& set) {
        if (!set.kind.known()) {
            scribe_.unparsed(begin_, begin_, "a geom of no class that is known here");
            return;
        }
        if (set.kind.is(VolumeKind::graid)) {
            for (Component& c : set.components)
                for (const Component& m : members_)
                    if (m.name == c.name)
                        c.size_bytes = m.size_bytes, c.logical_sector_bytes = m.logical_sector_bytes;
        } else {
            set.components = members_;
            if (rebuilding_line_) geom::synchronizing(set, percent_, scribe_, *rebuilding_line_);
        }
        if (set.kind.is(VolumeKind::crypto)) set.columns.reset();
        if (!out_.filtered) fill_slots(set);
        scribe_.facts.volumes.push_back(std::move(set));
    }

    // A component that is not listed is gone when the set says that it lost one. Where the set says otherwise
    // the listing was cut, and which of its components are there is not known.
    void fill_slots(Volume& set) {
        const std::size_t present = set.components.size();
        const std::uint64_t columns = set.columns && *set.columns < 1024 ? *set.columns : 0;
        if (present < columns && (present < listed_at_least(set, columns) || ends_in_a_component(set))) {
            scribe_.damage(begin_,
                           set.name + ": " + std::to_string(present) + " of " + std::to_string(columns) +
                               " components are listed, and its state does not say that the others are lost");
            set.components_complete = Flag(false, set.kind.from());
            return;
        }
        for (std::size_t i = present; i < columns; ++i) {
            Component gone;
            gone.state = Known<ComponentState>(ComponentState::missing, set.columns.from());
            set.components.push_back(std::move(gone));
        }
        if (!set.components.empty()) set.components_complete = Flag(true, set.kind.from());
    }

    // How many components a whole listing has. A set that is not running may list fewer than it is made of.
    std::uint64_t listed_at_least(const Volume& set, std::uint64_t columns) const {
        if (online_) return *online_;
        if (!set.state || set.state.is(VolumeState::optimal)) return columns;
        const bool runs = set.state.is(VolumeState::degraded);
        // graid3 runs with one component less, and no fewer.
        if (runs && set.kind.is(VolumeKind::graid3)) return columns - 1;
        return runs ? 1 : 0;
    }

    // gmirror and graid3 print the state of every consumer.
    bool ends_in_a_component(const Volume& set) const {
        const bool prints_states = set.kind.is(VolumeKind::gmirror) || set.kind.is(VolumeKind::graid3);
        return prints_states && !members_.empty() && !last_has_state_;
    }

    Known<VolumeState> state(std::string_view value, std::size_t line) {
        const auto word = value.substr(0, value.find(' '));
        if (const auto found = geom::volume_state(word)) return scribe_.known(*found, line);
        scribe_.unparsed(line, line, "state '" + escaped(word) + "' of a geom is not known");
        return {};
    }
    // "1000204885504 (932G)".
    Number number(std::string_view value, std::size_t line, std::string_view what) {
        const auto found = scribe_.number(value.substr(0, value.find(' ')), line, what);
        return found ? scribe_.known(*found, line) : Number{};
    }
    Provenance weak(std::size_t line) const {
        const Provenance at = scribe_.at(line);
        return Provenance(at.source(), at.line(), at.text(), Provenance::Kind::inferred);
    }

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    std::string_view name_, folder_, percent_;
    Part part_ = Part::head;
    Volume head_;
    std::vector<Volume> volumes_;
    std::vector<Component> members_;
    std::optional<std::size_t> rebuilding_line_;
    std::optional<std::uint64_t> online_;
    bool last_has_state_ = false;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Geom(out, at, scribe).read();
}

}  // namespace

extern const CommandParser geom_list_parser{
    .id = "geom-list",
    .programs = {"gmirror", "gstripe", "gconcat", "graid3", "graid", "geli", "geom"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"gmirror", "list"}},
             {Os::freebsd, {"gstripe", "list"}},
             {Os::freebsd, {"gconcat", "list"}},
             {Os::freebsd, {"graid3", "list"}},
             {Os::freebsd, {"graid", "list"}},
             {Os::freebsd, {"geli", "list"}}},
};

}  // namespace diskwright
