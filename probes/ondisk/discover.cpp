// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/discover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "probes/model/storage_graph.hpp"
#include "probes/ondisk/assembled_source.hpp"
#include "probes/ondisk/described_device.hpp"
#include "probes/ondisk/member_sets.hpp"
#include "probes/ondisk/reading.hpp"
#include "probes/ondisk/sub_source.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Kind = OnDiskFormat::Kind;

constexpr std::size_t most_sources = 4096, deepest = 16;
// Of all sets together: labels without a checksum may each claim a thousand columns.
constexpr std::uint64_t most_components = 16384;

Provenance place_of(const std::string& damage, std::string_view otherwise) {
    const auto colon = damage.find(": ");
    return {colon == std::string::npos ? std::string(otherwise) : damage.substr(0, colon), 0, damage,
            Provenance::Kind::device};
}

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
    struct Vote {
        std::size_t count = 0;
        Known<Os> first;
    };

    // The members of one set, and what was made of them.
    struct Group {
        std::vector<FoundMember> members;
        std::optional<SetExtent> extent;  // of these members
        bool assembled = false;
        std::string name;  // empty: not put together
        std::size_t made_of = 0;
        std::vector<std::string> damage;
        std::vector<std::pair<std::string, std::string>> superseded;
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
    void vote(const Known<Os>& os);
    void vote(const std::vector<Slot>& slots);
    std::optional<Known<Os>> elected() const;
    void name_pools(std::vector<Volume>& volumes);
    ByteSource& keep(std::unique_ptr<ByteSource> source);
    std::string unused_name(const std::string& name);

    void take_member(Member&& member, ByteSource& source);
    Group* next_to_assemble();
    void assemble(Group& group);
    void look_inside(const Volume& volume, MemberSet&& set, std::size_t nesting);
    void bring_up_to_date(Group& group);
    void add_what_stands_by();

    std::span<const OnDiskFormat> formats_;
    std::optional<Os> os_;
    std::deque<std::unique_ptr<ByteSource>> sources_;
    std::vector<Place> places_;       // slots still to be looked into
    std::vector<ByteSource*> empty_;  // slots in which no original was found
    std::deque<Group> groups_;
    std::map<std::string, std::size_t> group_of_;  // by identity
    std::vector<FoundMember> standing_by_;
    std::vector<const AssembledSource*> read_sets_;
    std::uint64_t components_ = 0;
    std::size_t nesting_ = 0;                   // of what is being looked into
    std::map<std::string, std::size_t> names_;  // and how often each was wanted
    std::map<std::string, std::string> pools_;  // names by number
    std::array<Vote, EnumNames<Os>::names.size()> votes_;
    Discovery out_;
    bool full_ = false, too_many_components_ = false;
};

ByteSource& Discoverer::keep(std::unique_ptr<ByteSource> source) {
    sources_.push_back(std::move(source));
    return *sources_.back();
}

// The second set of a name is raid0+, the third raid0+2.
std::string Discoverer::unused_name(const std::string& name) {
    if (names_.emplace(name, 1).second) return name;
    for (;;) {
        const std::size_t before = names_.at(name)++;
        std::string out = before == 1 ? name + "+" : fmt::format("{}+{}", name, before);
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
        const Provenance from = place_of(text, source.name());
        found.facts.damages.push_back({std::move(text), from});
    }
    for (const Known<Os>& os : found.os_votes) vote(os);
    name_pools(found.facts.volumes);
    merge(out_.facts, std::move(found.facts));
}

void Discoverer::take_member(Member&& member, ByteSource& source) {
    FoundMember found{std::move(member), &source, nesting_};
    if (found.member.stands_by) {
        standing_by_.push_back(std::move(found));
        return;
    }
    const auto [at, added] = group_of_.emplace(found.member.identity, groups_.size());
    if (added) groups_.emplace_back();
    Group& group = groups_[at->second];
    group.members.push_back(std::move(found));
    group.extent.reset();
}

void Discoverer::vote(const Known<Os>& os) {
    Vote& v = votes_.at(static_cast<std::size_t>(*os));
    if (v.count++ == 0) v.first = os;
}

// Types of Linux are on disks of all systems.
void Discoverer::vote(const std::vector<Slot>& slots) {
    for (const Slot& s : slots)
        if (s.os && *s.os != Os::linux_)
            vote(Known<Os>(*s.os, Provenance(s.name, 0, fmt::format("the type of {}", s.name),
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
        for (Member& m : found->members) take_member(std::move(m), source);
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
    if (!size) {
        Found found;
        read_kind(whole(), formats_, Kind::table, found);
        const bool reaches_further = reach(found) > source.readable_bytes();
        size = source.readable_bytes();
        // Metadata behind the data, at the very end: a whole member, and the table is that of its set.
        if (reaches_further && !ends_in_metadata(whole())) size.reset();
    }
    ByteSource* all = &whole();
    Reading reading = read_source(*all, formats_);
    // No table told, yet a file system or a set may: then the file was a head after all.
    const bool head = !source.size_bytes() &&
                      std::max(reach(reading.sets), reach(reading.contents)) > source.readable_bytes();
    if (head) {
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

// What is complete first: of the others a member may still be found inside of one of those. Then the one of
// which least is missing.
Discoverer::Group* Discoverer::next_to_assemble() {
    Group* best = nullptr;
    std::uint64_t least = 0;
    for (Group& group : groups_) {
        if (group.assembled) continue;
        if (!group.extent) group.extent = extent_of(group.members);
        const std::uint64_t missing = group.extent->missing;
        if (missing == 0) return &group;
        if (!best || missing < least) best = &group, least = missing;
    }
    return best;
}

void Discoverer::look_inside(const Volume& volume, MemberSet&& set, std::size_t nesting) {
    if (!AssembledSource::possible(volume) || sources_.size() >= most_sources || nesting > deepest) return;
    auto owned = std::make_unique<AssembledSource>(volume, std::move(set.columns));
    read_sets_.push_back(owned.get());
    ByteSource& assembled = keep(std::move(owned));
    nesting_ = nesting;
    const std::size_t from = places_.size();
    if (assembled.readable_bytes() > 0 && !accept(assembled, read_source(assembled, formats_), 0))
        empty_.push_back(&assembled);
    look_into(from);
    look_for_copies();
    nesting_ = 0;
}

void Discoverer::assemble(Group& group) {
    group.assembled = true;
    components_ += std::max<std::uint64_t>(extent_of(group.members).columns, group.members.size());
    if (components_ > most_components) {
        too_many_components_ = true;
        return;
    }
    MemberSet set = make_set(group.members);
    group.made_of = group.members.size();
    group.name = set.volume.name = unused_name(set.volume.name);
    group.damage = std::move(set.damage), group.superseded = std::move(set.superseded);
    std::size_t nesting = 0;
    for (const FoundMember& m : group.members) nesting = std::max(nesting, m.nesting);
    const Volume volume = set.volume;
    HostFacts facts;
    facts.volumes.push_back(std::move(set.volume));
    merge(out_.facts, std::move(facts));
    look_inside(volume, std::move(set), nesting + 1);
}

// A member that was found in a set which was itself put together later.
void Discoverer::bring_up_to_date(Group& group) {
    if (group.name.empty()) return;
    if (group.members.size() != group.made_of) {
        MemberSet set = make_set(group.members);
        set.volume.name = group.name;
        group.damage = std::move(set.damage), group.superseded = std::move(set.superseded);
        volume(out_.facts, group.name) = std::move(set.volume);
    }
    for (const std::string& text : group.damage)
        out_.facts.damages.push_back({text, place_of(text, group.name)});
    for (const auto& [device, text] : group.superseded) out_.facts.unparsed.push_back({device, 0, 0, text});
}

void Discoverer::add_what_stands_by() {
    for (const FoundMember& spare : standing_by_)
        for (const Group& group : groups_) {
            if (group.name.empty() || !group.members.front().member.set.kind.is(*spare.member.set.kind))
                continue;
            if (++components_ > most_components) {
                too_many_components_ = true;
                return;
            }
            volume(out_.facts, group.name).components.push_back(stand_by(spare));
        }
}

void Discoverer::sets() {
    while (Group* group = next_to_assemble()) assemble(*group);
    for (Group& group : groups_) bring_up_to_date(group);
    add_what_stands_by();
}

// As many votes for two systems tell nothing.
std::optional<Known<Os>> Discoverer::elected() const {
    const Vote* best = nullptr;
    bool tie = false;
    for (const Vote& v : votes_) {
        if (v.count == 0 || (best && v.count < best->count)) continue;
        tie = best && v.count == best->count;
        best = &v;
    }
    return best && !tie ? std::optional(best->first) : std::nullopt;
}

Discovery Discoverer::take() {
    if (full_)
        out_.facts.unparsed.push_back(
            {"", 0, 0, fmt::format("more than {} partitions: the rest was not looked into", most_sources)});
    const auto os = elected();
    if (os && !out_.facts.os.name) out_.facts.os.name = *os;
    if (too_many_components_)
        out_.facts.unparsed.push_back(
            {"", 0, 0,
             fmt::format("sets of more than {} components in all: not every set was "
                         "put together",
                         most_components)});
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
