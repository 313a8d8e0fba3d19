// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/discover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "probes/model/os_votes.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/ondisk/assembled_source.hpp"
#include "probes/ondisk/described_device.hpp"
#include "probes/ondisk/reading.hpp"
#include "probes/ondisk/set_groups.hpp"
#include "probes/ondisk/sub_source.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Kind = OnDiskFormat::Kind;

constexpr std::size_t most_sources = 4096, deepest = 16;
class Discoverer {
 public:
    Discoverer(std::span<const OnDiskFormat> formats, std::optional<Os> os) : formats_(formats), os_(os) {}

    void disk(ByteSource& source);
    void sets();
    Discovery take();

 private:
    struct Place {
        ByteSource* source;
        std::size_t depth;
    };
    struct Look {
        ByteSource* source;
        Reading reading;
        std::optional<std::uint64_t> size;
    };
    Look look(ByteSource& source, const std::string& name, ByteSource::Tables tables);
    Look look_as_named(ByteSource& source, const std::string& name);
    bool ends_in_metadata(ByteSource& source) const;
    void look_for_copies();
    /// Takes the facts over; true when there was anything to take.
    bool accept(ByteSource& source, Reading&& reading, std::size_t depth);
    void look_into(std::size_t from);
    void take_slots(ByteSource& source, const std::vector<Slot>& slots, std::size_t depth);
    void take_facts(const ByteSource& source, Found&& found);
    void vote(const std::vector<Slot>& slots);
    void name_pools(std::vector<Volume>& volumes);
    ByteSource& keep(std::unique_ptr<ByteSource> source);
    std::string unused_name(const std::string& name);
    std::string numbered_name(const std::string& name);

    void assemble(SetGroup& group);
    void look_inside(const SetGroup& group, const Volume& volume,
                     std::vector<AssembledSource::Column>&& columns);

    std::span<const OnDiskFormat> formats_;
    std::optional<Os> os_;
    std::deque<std::unique_ptr<ByteSource>> sources_;
    std::vector<Place> places_;       // slots still to be looked into
    std::vector<ByteSource*> empty_;  // slots in which no original was found
    SetGroups groups_;
    std::vector<const AssembledSource*> read_sets_;
    const SetGroup* inside_ = nullptr;          // the set that is being looked into
    std::map<std::string, std::size_t> names_;  // and how often each was wanted
    std::map<std::string, std::string> pools_;  // names by number
    OsVotes votes_;
    std::set<std::string> said_;  // of damage
    Discovery out_;
    bool full_ = false;
};

ByteSource& Discoverer::keep(std::unique_ptr<ByteSource> source) {
    sources_.push_back(std::move(source));
    return *sources_.back();
}

// The second device of a name is raid0?2: it is not known what the system calls it, and no command takes a
// name with that character.
std::string Discoverer::unused_name(const std::string& name) {
    if (names_.emplace(name, 1).second) return name;
    return numbered_name(name);
}

std::string Discoverer::numbered_name(const std::string& name) {
    for (;;) {
        std::string out = fmt::format("{}?{}", name, ++names_[name]);
        if (names_.emplace(out, 1).second) return out;
    }
}

// Another pool of a name that is taken is another volume.
void Discoverer::name_pools(std::vector<Volume>& volumes) {
    for (Volume& v : volumes) {
        if (!v.kind.is(VolumeKind::zfs) || !v.uuid) continue;
        std::string& name = pools_[*v.uuid];
        if (name.empty()) name = unused_name(v.name);
        if (name != v.name) v.set_name = Text(v.name, v.uuid.from());
        v.name = name;
    }
}

void Discoverer::take_facts(const ByteSource& source, Found&& found) {
    for (std::string& text : found.damage) {
        // A place that cannot be read fails every reader that looks there.
        if (!said_.insert(text).second) continue;
        const Provenance from = place_of_damage(text, source.name());
        found.facts.damages.push_back({std::move(text), from});
    }
    for (const Known<Os>& os : found.os_votes) votes_.take(os);
    name_pools(found.facts.volumes);
    merge(out_.facts, std::move(found.facts));
}

// Types of Linux are on disks of all systems.
void Discoverer::vote(const std::vector<Slot>& slots) {
    for (const Slot& s : slots)
        if (s.os && *s.os != Os::linux_)
            votes_.take(Known<Os>(*s.os, Provenance(s.name, 0, fmt::format("the type of {}", s.name),
                                                    Provenance::Kind::inferred)));
}

void Discoverer::take_slots(ByteSource& source, const std::vector<Slot>& slots, std::size_t depth) {
    vote(slots);
    if (depth >= deepest) return;
    for (const Slot& s : innermost(slots)) {
        if (sources_.size() >= most_sources) {
            full_ = true;
            return;
        }
        if (s.start_bytes >= source.readable_bytes()) continue;
        places_.push_back(
            {&keep(std::make_unique<SubSource>(
                 source, SubSource::Part{s.name, s.start_bytes, s.size_bytes, s.tables, s.os, {}})),
             depth + 1});
    }
}

bool Discoverer::accept(ByteSource& source, Reading&& reading, std::size_t depth) {
    const auto slots = std::move(reading.tables.slots);
    const bool anything = reading.has_tables() || !slots.empty() || !reading.sets.members.empty() ||
                          !reading.sets.facts.empty() || !reading.contents.facts.empty() ||
                          !reading.tables.facts.empty() || !reading.contents.members.empty() ||
                          !reading.tables.damage.empty() || !reading.sets.damage.empty() ||
                          !reading.contents.damage.empty();
    const auto inner = std::move(reading.contents.slots);
    for (Found* found : {&reading.tables, &reading.sets, &reading.contents}) {
        for (Member& m : found->members) groups_.take({std::move(m), &source, inside_});
        take_facts(source, std::move(*found));
    }
    take_slots(source, slots, depth);
    take_slots(source, inner, depth);
    return anything;
}

void Discoverer::look_into(std::size_t from) {
    for (std::size_t i = from; i < places_.size(); ++i) {
        const Place place = places_[i];
        if (!accept(*place.source, read_source(*place.source, formats_), place.depth))
            empty_.push_back(place.source);
    }
}

// After everything that has an original: what is read of a disk is bounded.
void Discoverer::look_for_copies() {
    for (ByteSource* source : std::exchange(empty_, {})) {
        Reading copies;
        read_kind(*source, formats_, Kind::contents, copies.contents);
        accept(*source, std::move(copies), deepest);
    }
}

// What it holds, and how large it is, when its tables are read so.
bool Discoverer::ends_in_metadata(ByteSource& source) const {
    Found found;
    read_kind(source, formats_, Kind::set, found);
    return std::any_of(found.members.begin(), found.members.end(), [](const Member& m) {
        return m.metadata_at >= m.data_offset_bytes && AssembledSource::possible(m.set);
    });
}

Discoverer::Look Discoverer::look(ByteSource& source, const std::string& name, ByteSource::Tables tables) {
    std::optional<std::uint64_t> size = source.size_bytes();
    const auto whole = [&]() -> ByteSource& {
        return keep(std::make_unique<SubSource>(source, SubSource::Part{name, 0, size, tables, {}, os_}));
    };
    if (!size) size = source.readable_bytes();
    ByteSource* all = &whole();
    Reading reading = read_source(*all, formats_);
    if (source.size_bytes()) return {all, std::move(reading), size};
    // What reaches further than the file shows that it is only the head of its device. Not so a table before
    // metadata at the very end: that is a whole member, and the table is that of its set.
    const bool table_reaches_further = reach(reading.tables) > source.readable_bytes();
    if ((table_reaches_further && !ends_in_metadata(*all)) ||
        std::max(reach(reading.sets), reach(reading.contents)) > source.readable_bytes()) {
        // The readers took the end of the image for that of the device.
        size.reset();
        all = &whole();
        reading = read_source(*all, formats_);
    }
    return {all, std::move(reading), size};
}

// Whole disks go by names of partitions, too: wd0d is all of NetBSD's wd0. Where a table describes more than
// is there, it may be that of the disk which a partition begins with.
Discoverer::Look Discoverer::look_as_named(ByteSource& source, const std::string& name) {
    Look whole = look(source, name, ByteSource::Tables::any);
    const auto named = tables_on(source.name());
    if (named == ByteSource::Tables::any || reach(whole.reading.tables) <= source.readable_bytes())
        return whole;
    Look part = look(source, name, named);
    return part.reading.anything() ? std::move(part) : std::move(whole);
}

void Discoverer::disk(ByteSource& source) {
    const std::string name = unused_name(source.name());
    if (name != source.name())
        out_.facts.unparsed.push_back(
            {source.name(), 0, 0, fmt::format("a second device of that name: it is called {} here", name)});
    Look whole = look_as_named(source, name);
    Found tables;
    tables.facts.tables = whole.reading.tables.facts.tables;
    const std::size_t from = places_.size();
    bool anything = accept(*whole.source, std::move(whole.reading), 0);
    look_into(from);
    if (!anything) {
        Reading copies;
        read_kind(*whole.source, formats_, Kind::contents, copies.contents);
        anything = accept(*whole.source, std::move(copies), deepest);
    }
    look_for_copies();
    if (anything || source.size_bytes())
        write_device(*whole.source, tables, whole.size, out_.facts);
    else
        out_.unrecognised.push_back(name);
}

void Discoverer::look_inside(const SetGroup& group, const Volume& volume,
                             std::vector<AssembledSource::Column>&& columns) {
    if (!AssembledSource::possible(volume) || sources_.size() >= most_sources || group.nesting() >= deepest)
        return;
    auto owned = std::make_unique<AssembledSource>(volume, std::move(columns));
    read_sets_.push_back(owned.get());
    ByteSource& assembled = keep(std::move(owned));
    inside_ = &group;
    const std::size_t from = places_.size();
    if (assembled.readable_bytes() > 0 && !accept(assembled, read_source(assembled, formats_), 0))
        empty_.push_back(&assembled);
    look_into(from);
    look_for_copies();
    inside_ = nullptr;
}

void Discoverer::assemble(SetGroup& group) {
    auto set = groups_.make(group);
    if (!set) return;
    const std::string claimed = set->volume.name;
    group.name = set->volume.name = groups_.contested(group) ? numbered_name(claimed) : unused_name(claimed);
    if (group.name != claimed && names_.at(claimed) == 2)
        out_.facts.unparsed.push_back(
            {claimed, 0, 0,
             "more than one set claims that name; which of them the system gives it to is not known"});
    const Volume volume = set->volume;
    HostFacts facts;
    facts.volumes.push_back(std::move(set->volume));
    merge(out_.facts, std::move(facts));
    look_inside(group, volume, std::move(set->columns));
}

void Discoverer::sets() {
    while (SetGroup* group = groups_.next()) assemble(*group);
    groups_.report(out_.facts);
}

Discovery Discoverer::take() {
    if (full_)
        out_.facts.unparsed.push_back(
            {"", 0, 0, fmt::format("more than {} partitions: the rest was not looked into", most_sources)});
    if (!out_.facts.os.name) out_.facts.os.name = votes_.winner();
    if (groups_.too_many_components())
        out_.facts.unparsed.push_back(
            {"", 0, 0,
             fmt::format("sets of more than {} components in all: not every set was "
                         "put together",
                         SetGroups::most_components)});
    for (const AssembledSource* set : read_sets_)
        if (set->exhausted())
            out_.facts.unparsed.push_back(
                {set->name(), 0, 0, "more is to be read of this set than one discovery reads"});
    return std::move(out_);
}

}  // namespace

Discovery discover(std::span<ByteSource* const> disks, std::optional<Os> os,
                   std::span<const OnDiskFormat> formats) {
    Discoverer discoverer(formats, os);
    for (ByteSource* source : disks) discoverer.disk(*source);
    discoverer.sets();
    return discoverer.take();
}

}  // namespace diskwright
