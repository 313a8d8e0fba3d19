// SPDX-License-Identifier: BSD-2-Clause
// Several outputs of one host become one set of facts.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <variant>

#include "probes/model/profile_facts.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/model/host_facts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using AnyKnown =
    std::variant<Text*, Number*, Real*, Flag*, TextList*, Known<Os>*, Known<Scheme>*, Known<Switch>*,
                 Known<Optimization>*, Known<VolumeKind>*, Known<RaidLevel>*, Known<VolumeState>*,
                 Known<ComponentState>*, Known<Activity>*, Known<Progress>*>;

struct NamedField {
    std::string_view name;
    AnyKnown value;
};

// Lists the Known members of one element; nested lists and plain members are merged by their own code.
struct FieldLister {
    std::vector<NamedField> fields;
    std::vector<std::pair<std::string*, std::string_view>> texts;

    template <class T>
    void operator()(std::string_view name, Known<T>& value) {
        fields.push_back({name, &value});
    }
    template <class T>
    void key(std::string_view, T&) {}
    void text(std::string_view name, std::string& value) { texts.emplace_back(&value, name); }
    template <class T>
    void list(std::string_view, T&) {}
};

template <class Element>
FieldLister fields_of(Element& element) {
    FieldLister lister;
    lister.fields.reserve(32);
    Element::visit(element, lister);
    return lister;
}

// What cannot change while a machine runs: two values contradict each other. The rest may have changed in
// between.
bool is_lasting(std::string_view what) {
    return what.starts_with("disks.") &&
           (what.ends_with(".size_bytes") || what.ends_with(".model") ||
            what.ends_with(".logical_sector_bytes") || what.ends_with(".physical_sector_bytes") ||
            what.ends_with(".rotational") || what.ends_with(".rpm"));
}

// What both the bytes of a structure and a listing of it give, and what no running machine changes: bytes of
// the disk and a command's text that differ here are not of one machine, or one of them is wrong.
bool is_recorded(std::string_view what) {
    const auto ends = [&](std::initializer_list<std::string_view> fields) {
        return std::any_of(fields.begin(), fields.end(), [&](auto f) { return what.ends_with(f); });
    };
    if (what.starts_with("partitions.")) return ends({".start_bytes", ".size_bytes"});
    if (what.starts_with("filesystems.")) return ends({".bsize", ".fsize", ".size_bytes"});
    return what.starts_with("volumes.") && ends({".level", ".stripe_unit_bytes", ".columns", ".layout"});
}

template <class T>
bool from_bytes_and_text(const Known<T>& a, const Known<T>& b) {
    using Kind = Provenance::Kind;
    return (a.from().kind() == Kind::device && b.from().kind() == Kind::output) ||
           (a.from().kind() == Kind::output && b.from().kind() == Kind::device);
}

// What each tool words in its own way: that a reader of bytes words it differently is no disagreement, and
// the listing's word stays, whichever came first.
template <class T>
bool is_other_wording(std::string_view what, const Known<T>& a, const Known<T>& b) {
    return what.starts_with("partitions.") && what.ends_with(".type") && from_bytes_and_text(a, b);
}

// An inference gives way to what a tool printed, and prose to an inference.
int weight(Provenance::Kind kind) {
    switch (kind) {
        case Provenance::Kind::user:
            return 5;
        case Provenance::Kind::output:
        case Provenance::Kind::device:
            return 4;
        case Provenance::Kind::table:
            return 3;
        case Provenance::Kind::inferred:
            return 2;
        case Provenance::Kind::prose:
            return 1;
    }
    return 0;
}

template <class T>
void merge_field(Known<T>& into, Known<T>&& later, const std::string& path, std::string_view subject,
                 std::vector<Conflict>& conflicts) {
    if (!later.known()) {
        if (!into.known() && !later.why_unknown().empty()) into = std::move(later);
        return;
    }
    // What was timed is no word of the device, and the device's word does not change it.
    if (into.known() && is_measured(into.from()) && *into != *later && !is_measured(later.from()))
        std::swap(into, later);
    const int before = into.known() ? weight(into.from().kind()) : -1, now = weight(later.from().kind());
    if (!into.known() || *into == *later) {
        if (now > before) into = std::move(later);
        return;
    }
    if (is_other_wording(path, into, later)) {
        if (later.from().kind() == Provenance::Kind::output) into = std::move(later);
        return;
    }
    if (before >= 4 && now >= 4)
        conflicts.push_back({path,
                             std::string(subject),
                             !is_lasting(path) && !(is_recorded(path) && from_bytes_and_text(into, later)),
                             {{value_text(into), into.from()}, {value_text(later), later.from()}}});
    if (now >= before) into = std::move(later);
}

template <class Element>
void merge_fields(Element& into, Element& later, const std::string& path, std::string_view subject,
                  std::vector<Conflict>& conflicts) {
    auto a = fields_of(into), b = fields_of(later);
    for (std::size_t i = 0; i < a.fields.size(); ++i)
        std::visit(
            [&](auto* target) {
                using Pointer = decltype(target);
                auto& field = *std::get<Pointer>(b.fields[i].value);
                if (!field.known() && field.why_unknown().empty()) return;
                merge_field(*target, std::move(field), fmt::format("{}.{}", path, a.fields[i].name), subject,
                            conflicts);
            },
            a.fields[i].value);
    for (std::size_t i = 0; i < a.texts.size(); ++i)
        if (a.texts[i].first->empty()) *a.texts[i].first = std::move(*b.texts[i].first);
}

// More than any host has. What a hostile listing names beyond it is left out, and that is said: rules compare
// the elements of a list with each other, and their time must stay bounded.
constexpr std::size_t most_elements = 4096;
constexpr std::size_t most_events = 4 * most_elements;  // a kernel log repeats itself for weeks
constexpr std::size_t most_sysctls = 4 * most_elements;
constexpr std::size_t most_samples = 16 * most_elements;  // of all devices: 36 disks every 10 s for 5 hours

// The place is filled in by who knows what is being read.
void report_left_out(HostFacts& facts, std::string_view list, std::size_t kept) {
    facts.unparsed.push_back({{}, 0, 0, fmt::format("more than {} {}: the rest is left out", kept, list)});
}

// Where the elements of a list are, by what identifies them. An index is worth its making only for several
// look-ups.
template <class Element, class Identity>
class Positions {
 public:
    Positions(const std::vector<Element>& list, std::size_t lookups, Identity identity)
        : list_(list), identity_(identity), indexed_(lookups > 16) {
        if (indexed_)
            for (std::size_t i = 0; i < list_.size(); ++i) at_.emplace(identity_(list_[i]), i);
    }
    std::size_t of(const Element& wanted) const {
        if (indexed_) {
            const auto at = at_.find(identity_(wanted));
            return at == at_.end() ? list_.size() : at->second;
        }
        const auto at = std::find_if(list_.begin(), list_.end(),
                                     [&](const Element& e) { return identity_(e) == identity_(wanted); });
        return static_cast<std::size_t>(at - list_.begin());
    }
    void appended() {
        if (indexed_) at_.emplace(identity_(list_.back()), list_.size() - 1);
    }

 private:
    const std::vector<Element>& list_;
    Identity identity_;
    bool indexed_;
    std::unordered_map<std::string, std::size_t> at_;
};

template <class Element, class Identity, class Key>
void merge_list(HostFacts& facts, std::vector<Element>& into, std::vector<Element>&& later,
                std::string_view list, Identity identity, Key key) {
    Positions positions(into, later.size(), identity);
    bool left_out = false;
    for (Element& element : later) {
        const std::size_t at = positions.of(element);
        if (at < into.size()) {
            merge_fields(into[at], element, fmt::format("{}.{}", list, key(element)), key(element),
                         facts.conflicts);
        } else if (into.size() < most_elements) {
            into.push_back(std::move(element));
            positions.appended();
        } else {
            left_out = true;
        }
    }
    if (left_out) report_left_out(facts, list, most_elements);
}

template <class Element>
void append(HostFacts& facts, std::vector<Element>& into, std::vector<Element>&& later, std::string_view list,
            std::size_t most = most_elements) {
    const std::size_t room = most - std::min(most, into.size());
    const std::size_t taken = std::min(room, later.size());
    std::move(later.begin(), later.begin() + static_cast<std::ptrdiff_t>(taken), std::back_inserter(into));
    if (taken < later.size()) report_left_out(facts, list, most);
}

void merge_sysctls(HostFacts& facts, std::map<std::string, Text>&& later) {
    bool left_out = false;
    for (auto& [key, value] : later) {
        const auto at = facts.sysctls.find(key);
        if (at != facts.sysctls.end())
            merge_field(at->second, std::move(value), fmt::format("sysctls.{}", key), key, facts.conflicts);
        else if (facts.sysctls.size() < most_sysctls)
            facts.sysctls.emplace(key, std::move(value));
        else
            left_out = true;
    }
    if (left_out) report_left_out(facts, "sysctls", most_sysctls);
}

// Runs are numbered in the order of the input.
void merge_traces(HostFacts& facts, std::vector<IoTrace>&& later) {
    if (later.empty()) return;
    std::uint64_t next_run = 0;
    std::size_t samples = 0;
    for (const IoTrace& t : facts.io_traces) {
        if (!t.run.is(probe_run)) next_run = std::max(next_run, t.run.value_or(0) + 1);
        samples += t.samples.size();
    }
    bool left_out = false;
    for (IoTrace& t : later) {
        if (!t.run.is(probe_run)) t.run = Number(next_run + t.run.value_or(0), t.run.from());
        const std::size_t room = most_samples - std::min(most_samples, samples);
        if (t.samples.size() > room) t.samples.resize(room), left_out = true;
        samples += t.samples.size();
    }
    std::erase_if(later, [](const IoTrace& t) { return t.samples.empty(); });
    append(facts, facts.io_traces, std::move(later), "io_traces");
    if (left_out) report_left_out(facts, "samples of I/O", most_samples);
}

// A later complete listing of a table: what it no longer has is gone.
void drop_replaced_partitions(HostFacts& into, const HostFacts& later) {
    for (const PartitionTable& t : later.tables) {
        if (!t.entries_shown) continue;
        const auto gone = [&](const Partition& p) {
            if (p.parent != t.parent || !t.scheme.known() || !p.scheme.is(*t.scheme)) return false;
            return std::none_of(later.partitions.begin(), later.partitions.end(),
                                [&](const Partition& q) { return q.name == p.name; });
        };
        for (const Partition& p : into.partitions)
            if (gone(p) && p.start_bytes)
                into.conflicts.push_back(
                    {fmt::format("partitions.{}", p.name),
                     p.name,
                     true,
                     {{"listed", p.start_bytes.from()}, {"not listed", t.entries_shown.from()}}});
        std::erase_if(into.partitions, gone);
    }
}

// The counters of RAIDframe compare only when read together. A listing that shows the labels of some
// components (the rest is cut off), or that a component has changed its state since, leaves what was read
// before behind.
void forget_old_counters(Volume& into, const Volume& later) {
    if (!later.kind.is(VolumeKind::raidframe)) return;
    const bool with_counters = std::any_of(later.components.begin(), later.components.end(),
                                           [](const Component& c) { return c.events.known(); });
    for (const Component& now : later.components) {
        if (now.name.empty() || !now.state || now.events) continue;
        for (Component& before : into.components)
            if (before.name == now.name && (with_counters || (before.state && *before.state != *now.state)))
                before.events.reset();
    }
}

bool is_deduced_gap(const Component& c) {
    return c.name.empty() && c.state.is(ComponentState::missing) &&
           c.state.from().kind() == Provenance::Kind::inferred;
}

// That no device was found to be in a slot proves nothing against a listing of the running set that has one
// there: the device may have been asleep, or its image not be given.
void fill_gaps(const Volume& into, Volume& later) {
    if (later.components_complete.from().kind() != Provenance::Kind::device) return;
    std::vector<const Component*> listed;
    for (const Component& c : into.components) {
        const bool serves = c.state.is(ComponentState::optimal) || c.state.is(ComponentState::rebuilding);
        const bool found = std::any_of(later.components.begin(), later.components.end(),
                                       [&](const Component& other) { return other.name == c.name; });
        if (!c.name.empty() && serves && !found) listed.push_back(&c);
    }
    for (Component& gap : later.components) {
        if (!is_deduced_gap(gap)) continue;
        const auto of_slot = std::find_if(listed.begin(), listed.end(), [&](const Component* c) {
            return !c->slot || !gap.slot || *c->slot == *gap.slot;
        });
        if (of_slot == listed.end()) continue;
        const Number slot = gap.slot;
        gap = **of_slot;
        if (!gap.slot) gap.slot = slot;
        listed.erase(of_slot);
    }
}

// The label of a device of ZFS names the others as they were called when it was written, and itself as it is
// called now; their numbers tell which are one. Of one that lies on two devices, as on a disk and its copy,
// either is a component.
bool is_same_vdev(const Component& a, const Component& b) {
    const bool both_read = a.data_offset_bytes && b.data_offset_bytes;
    return *a.slot == *b.slot && (!both_read || a.name == b.name);
}

bool is_same(const Volume& set, const Component& a, const Component& b) {
    if (set.kind.is(VolumeKind::zfs) && a.slot && b.slot) return is_same_vdev(a, b);
    if (!a.name.empty()) return a.name == b.name;
    return b.name.empty() && (!a.slot || !b.slot || *a.slot == *b.slot);
}

void merge_component(Volume& into, Component& before, Component&& now, std::vector<Conflict>& conflicts) {
    if (into.kind.is(VolumeKind::zfs) && now.slot && now.data_offset_bytes) before.name = now.name;
    if (now.name.empty() && !into.kind.is(VolumeKind::zfs)) return;
    merge_fields(before, now, fmt::format("volumes.{}.components.{}", into.name, now.name), into.name,
                 conflicts);
}

void merge_components(Volume& into, Volume& later, std::vector<Conflict>& conflicts) {
    forget_old_counters(into, later);
    fill_gaps(into, later);
    if (later.components_complete.is(true) && !later.components.empty()) {
        for (Component& now : later.components) {
            const auto before =
                std::find_if(into.components.begin(), into.components.end(),
                             [&](const Component& c) { return !c.name.empty() && c.name == now.name; });
            if (before == into.components.end()) continue;
            merge_fields(*before, now, fmt::format("volumes.{}.components.{}", into.name, now.name),
                         into.name, conflicts);
            now = std::move(*before);
        }
        // A member whose own metadata was read stays a fact (it may be stale) though the running set has
        // dropped it.
        for (Component& before : into.components) {
            if (before.name.empty() || !before.events) continue;
            if (std::none_of(later.components.begin(), later.components.end(),
                             [&](const Component& c) { return c.name == before.name; }))
                later.components.push_back(std::move(before));
        }
        into.components = std::move(later.components);
        return;
    }
    for (Component& now : later.components) {
        const auto before = std::find_if(into.components.begin(), into.components.end(),
                                         [&](const Component& c) { return is_same(into, c, now); });
        if (before == into.components.end())
            into.components.push_back(std::move(now));
        else
            merge_component(into, *before, std::move(now), conflicts);
    }
}

// A raid.conf says what was planned. A set that was seen keeps its own values, and where the plan differs the
// two contradict each other; what was not seen is taken from the plan. The file counts sectors: its unit is
// that many sectors of the set's size.
void merge_with_plan(Volume& into, Volume&& later, std::vector<Conflict>& conflicts) {
    const bool plan_is_later = later.from_configuration.known();
    Volume plan = plan_is_later ? std::move(later) : std::move(into);
    Volume seen = plan_is_later ? std::move(into) : std::move(later);
    if (plan.stripe_unit_bytes && seen.logical_sector_bytes)
        if (const auto bytes = multiply(*plan.stripe_unit_bytes / 512, *seen.logical_sector_bytes))
            plan.stripe_unit_bytes = Number(*bytes, plan.stripe_unit_bytes.from());
    const auto compare = [&](const auto& planned, const auto& real, std::string_view field) {
        if (!planned || !real || *planned == *real) return;
        conflicts.push_back({fmt::format("volumes.{}.{}", seen.name, field),
                             seen.name,
                             false,
                             {{value_text(planned), planned.from()}, {value_text(real), real.from()}}});
    };
    compare(plan.level, seen.level, "level");
    compare(plan.stripe_unit_bytes, seen.stripe_unit_bytes, "stripe_unit_bytes");
    compare(plan.columns, seen.columns, "columns");
    if (!seen.components.empty()) plan.components.clear(), plan.components_complete.reset();
    plan.from_configuration.reset();
    std::vector<Conflict> known_already;
    into = std::move(plan);
    merge_components(into, seen, known_already);
    merge_fields(into, seen, "volumes." + seen.name, seen.name, known_already);
}

// A progress line that is no longer shown in a later status of the same set has ended.
void forget_ended_activity(Volume& into, const Volume& later) {
    if (!later.state.known() || later.activity.known()) return;
    into.activity.reset(), into.activity_progress.reset(), into.activity_percent.reset();
}

void merge_volumes(HostFacts& facts, std::vector<Volume>&& later) {
    const auto name = [](const Volume& v) -> const std::string& { return v.name; };
    Positions positions(facts.volumes, later.size(), name);
    bool volumes_left_out = false, components_left_out = false;
    for (Volume& v : later) {
        if (v.components.size() > most_elements)
            v.components.resize(most_elements), components_left_out = true;
        const std::size_t at = positions.of(v);
        if (at == facts.volumes.size()) {
            if (at == most_elements) {
                volumes_left_out = true;
                continue;
            }
            facts.volumes.push_back(std::move(v));
            positions.appended();
            continue;
        }
        Volume& into = facts.volumes[at];
        if (into.from_configuration.known() != v.from_configuration.known()) {
            merge_with_plan(into, std::move(v), facts.conflicts);
        } else {
            forget_ended_activity(into, v);
            merge_components(into, v, facts.conflicts);
            merge_fields(into, v, fmt::format("volumes.{}", v.name), v.name, facts.conflicts);
        }
        if (into.components.size() > most_elements)
            into.components.resize(most_elements), components_left_out = true;
    }
    if (volumes_left_out) report_left_out(facts, "volumes", most_elements);
    if (components_left_out) report_left_out(facts, "components of a set", most_elements);
}

}  // namespace

void merge(HostFacts& into, HostFacts&& later) {
    auto& conflicts = into.conflicts;
    merge_fields(into.os, later.os, "os", "", conflicts);
    drop_replaced_partitions(into, later);
    const auto name = [](const auto& e) -> const std::string& { return e.name; };
    const auto device = [](const auto& e) -> const std::string& { return e.device; };
    const auto point = [](const auto& e) -> const std::string& { return e.point; };
    merge_list(into, into.disks, std::move(later.disks), "disks", name, name);
    merge_list(
        into, into.tables, std::move(later.tables), "tables",
        [](const PartitionTable& t) {
            return fmt::format("{}\n{}", t.parent, static_cast<int>(t.scheme.value_or(Scheme::ebr)));
        },
        [](const PartitionTable& t) -> const std::string& { return t.parent; });
    merge_list(into, into.partitions, std::move(later.partitions), "partitions", name, name);
    merge_volumes(into, std::move(later.volumes));
    merge_list(into, into.filesystems, std::move(later.filesystems), "filesystems", device, device);
    merge_list(into, into.mounts, std::move(later.mounts), "mounts", point, point);
    merge_list(
        into, into.fstab, std::move(later.fstab), "fstab",
        [](const FstabEntry& e) { return fmt::format("{}\n{}", e.device, e.point); }, device);
    merge_list(into, into.exports, std::move(later.exports), "exports", point, point);
    merge_list(into, into.swap, std::move(later.swap), "swap", device, device);
    merge_sysctls(into, std::move(later.sysctls));
    merge_traces(into, std::move(later.io_traces));
    append(into, into.timings, std::move(later.timings), "timings");
    append(into, into.throughputs, std::move(later.throughputs), "throughputs");
    const auto filesystem = [](const JournalRate& r) -> const std::string& { return r.filesystem; };
    merge_list(into, into.journal_rates, std::move(later.journal_rates), "journal_rates", filesystem,
               filesystem);
    append(into, into.events, std::move(later.events), "events", most_events);
    append(into, into.damages, std::move(later.damages), "damages");
    append(into, conflicts, std::move(later.conflicts), "conflicts");
    if (conflicts.size() > most_elements) conflicts.resize(most_elements);
    std::move(later.unparsed.begin(), later.unparsed.end(), std::back_inserter(into.unparsed));
    if (into.unparsed.size() > most_elements) {
        into.unparsed.resize(most_elements);
        into.unparsed.back().reason = "from here on, what was not understood is no longer listed";
    }
}

}  // namespace diskwright
