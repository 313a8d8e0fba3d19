// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/discover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "probes/model/device_names.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/ondisk/member_sets.hpp"
#include "probes/ondisk/sub_source.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Kind = OnDiskFormat::Kind;

constexpr std::size_t most_sources = 4096, deepest = 16;
constexpr std::uint64_t clipped_total = std::uint64_t{0xffffffff};  // sectors, of a full 32-bit field

// Where several readers look, close to each other: one request instead of several.
struct Neighbours {
    std::uint64_t start;
    std::size_t length;
};
constexpr std::array neighbours{Neighbours{0, 20 * KiB}, Neighbours{28 * KiB, 8 * KiB},
                                Neighbours{60 * KiB, 12 * KiB}};

void read_neighbours(ByteSource& source) {
    for (const auto& [start, length] : neighbours) {
        const std::uint64_t there = source.readable_bytes() - std::min(start, source.readable_bytes());
        (void)source.read(start, static_cast<std::size_t>(std::min<std::uint64_t>(length, there)));
    }
}

bool is_filled(const Found& found) {
    return !found.facts.empty() || !found.slots.empty() || !found.members.empty();
}

/// What the readers say of one source, kept apart by what it is.
struct Reading {
    Found tables, sets, contents;
    bool has_tables() const { return !tables.slots.empty() || !tables.facts.tables.empty(); }
    bool anything() const { return is_filled(tables) || is_filled(sets) || is_filled(contents); }
};

void read_kind(ByteSource& source, std::span<const OnDiskFormat> formats, Kind kind, Found& found) {
    for (const OnDiskFormat& format : formats) {
        if (format.kind != kind) continue;
        const auto result = format.read(source, found);
        // What the source does not have is no damage: an image may be the head of its device.
        if (!result && result.error().kind != ErrorKind::no_input)
            found.damage.push_back(result.error().message);
    }
}

// A 32-bit label of a larger device: it has at least that much.
bool is_clipped(const PartitionTable& t) {
    return t.scheme.is(Scheme::disklabel) && t.sector_bytes && t.total_bytes &&
           *t.total_bytes / *t.sector_bytes == clipped_total;
}

// How far what was recognised says the device reaches.
std::uint64_t reach(const Found& found) {
    std::uint64_t out = 0;
    const auto extend = [&](std::uint64_t end) { out = std::max(out, end); };
    for (const Slot& s : found.slots) extend(add(s.start_bytes, s.size_bytes.value_or(0)).value_or(~0ULL));
    for (const PartitionTable& t : found.facts.tables)
        if (!is_clipped(t)) extend(t.total_bytes.value_or(0));
    for (const Filesystem& f : found.facts.filesystems) extend(f.size_bytes.value_or(0));
    for (const Member& m : found.members)
        extend(add(m.data_offset_bytes, m.data_bytes.value_or(0)).value_or(~0ULL));
    return out;
}

bool ends_at(const Slot& slot, std::optional<std::uint64_t> size) {
    return size && slot.size_bytes && add(slot.start_bytes, *slot.size_bytes) == size;
}

// A table and the metadata of a set on one device: the same metadata may be seen through a slot, the table
// may lie inside the set, or the metadata is left over from before the table.
void settle_tables_and_sets(const ByteSource& source, Reading& reading) {
    if (!reading.has_tables()) return;
    auto& slots = reading.tables.slots;
    std::vector<Member> kept;
    bool inside = false;
    for (Member& m : reading.sets.members) {
        const bool at_end = m.data_offset_bytes == 0;
        const bool seen_through_slot = std::any_of(slots.begin(), slots.end(), [&](const Slot& s) {
            return at_end ? ends_at(s, source.size_bytes()) : s.start_bytes == 0;
        });
        if (seen_through_slot) continue;
        if (at_end) {
            // A set that can't be put together here hides nothing: what is known of its disk stays.
            inside = inside || AssembledSource::possible(m.set);
            kept.push_back(std::move(m));
            continue;
        }
        reading.tables.facts.events.push_back({source.name(), Event::Kind::stale_raid_metadata,
                                               fmt::format("metadata of {} in front of the first partition",
                                                           m.set.name.empty() ? "a set" : m.set.name),
                                               m.from});
    }
    reading.sets.members = std::move(kept);
    if (inside) reading.tables = Found{};
}

bool contains(const Slot& outer, const Slot& inner) {
    if (!outer.size_bytes || !inner.size_bytes) return false;
    return outer.start_bytes <= inner.start_bytes &&
           inner.start_bytes - outer.start_bytes <= *outer.size_bytes &&
           *inner.size_bytes <= *outer.size_bytes - (inner.start_bytes - outer.start_bytes);
}

// Entries that hold others, such as the system's own MBR slot around its label or a raw partition, show what
// is in those again. Of two names for one range the later one counts: the label's beside the MBR's.
std::vector<Slot> innermost(const std::vector<Slot>& slots) {
    std::vector<Slot> out;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        bool holds = false;
        for (std::size_t j = 0; j < slots.size() && !holds; ++j) {
            if (i == j || !contains(slots[i], slots[j])) continue;
            holds = !contains(slots[j], slots[i]) || j > i;
        }
        if (!holds) out.push_back(slots[i]);
    }
    return out;
}

// A copy of a table is left over where anything else is on the source.
void settle_copy(const ByteSource& source, Found&& copy, Reading& reading) {
    if (copy.facts.tables.empty()) return;
    if (!reading.anything()) {
        reading.tables = std::move(copy);
        return;
    }
    reading.tables.facts.events.push_back({source.name(), Event::Kind::stale_gpt,
                                           "a secondary GPT without a primary one",
                                           copy.facts.tables.front().scheme.from()});
}

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

    Reading read(ByteSource& source) const;
    Look look(ByteSource& source, ByteSource::Tables tables);
    Look look_as_named(ByteSource& source);
    void look_for_copies();
    /// Takes the facts over; true when there was anything to take.
    bool accept(ByteSource& source, Reading&& reading, std::size_t depth);
    void look_into(std::size_t from);
    void take_slots(ByteSource& source, const std::vector<Slot>& slots, std::size_t depth);
    void take_facts(const ByteSource& source, Found&& found);
    void write_device(const ByteSource& source, const Found& tables, std::optional<std::uint64_t> size);
    void vote(const Known<Os>& os);
    void vote(const std::vector<Slot>& slots);
    std::optional<Known<Os>> elected() const;
    void name_pools(std::vector<Volume>& volumes);
    ByteSource& keep(std::unique_ptr<ByteSource> source);

    std::span<const OnDiskFormat> formats_;
    std::optional<Os> os_;
    std::deque<std::unique_ptr<ByteSource>> sources_;
    std::vector<Place> places_;       // slots still to be looked into
    std::vector<ByteSource*> empty_;  // slots in which no original was found
    std::vector<FoundMember> members_;
    std::set<std::string> assembled_, names_;
    std::map<std::string, std::string> pools_;  // names by number
    std::array<Vote, EnumNames<Os>::names.size()> votes_;
    Discovery out_;
    bool full_ = false;
};

ByteSource& Discoverer::keep(std::unique_ptr<ByteSource> source) {
    sources_.push_back(std::move(source));
    return *sources_.back();
}

Reading Discoverer::read(ByteSource& source) const {
    Reading out;
    read_neighbours(source);
    out.tables.lost_originals = out.sets.lost_originals = out.contents.lost_originals = false;
    read_kind(source, formats_, Kind::table, out.tables);
    read_kind(source, formats_, Kind::set, out.sets);
    settle_tables_and_sets(source, out);
    if (!out.has_tables() && out.sets.members.empty())
        read_kind(source, formats_, Kind::contents, out.contents);
    Found copy;
    copy.gpt = out.tables.gpt;
    read_kind(source, formats_, Kind::table_copy, copy);
    settle_copy(source, std::move(copy), out);
    return out;
}

// Another pool of a name that is taken is another volume.
void Discoverer::name_pools(std::vector<Volume>& volumes) {
    for (Volume& v : volumes) {
        if (!v.kind.is(VolumeKind::zfs) || !v.uuid) continue;
        std::string& name = pools_[*v.uuid];
        if (name.empty()) {
            name = v.name;
            while (!names_.insert(name).second) name += "+";
        }
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
    for (Member& m : found.members) members_.push_back({std::move(m), nullptr});
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
        places_.push_back({&keep(std::make_unique<SubSource>(
                               source, SubSource::Part{s.name, s.start_bytes, s.size_bytes, s.tables, s.os})),
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
    const std::size_t before = members_.size();
    take_facts(source, std::move(reading.tables));
    take_facts(source, std::move(reading.sets));
    take_facts(source, std::move(reading.contents));
    for (std::size_t i = before; i < members_.size(); ++i) members_[i].source = &source;
    take_slots(source, slots, depth);
    take_slots(source, inner, depth);
    return anything;
}

void Discoverer::look_into(std::size_t from) {
    for (std::size_t i = from; i < places_.size(); ++i) {
        const Place place = places_[i];
        if (!accept(*place.source, read(*place.source), place.depth)) empty_.push_back(place.source);
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

// What a partition of that name holds of tables.
ByteSource::Tables tables_on(std::string_view name) {
    if (whole_device_name(name).empty()) return ByteSource::Tables::any;
    const char last = name.back();
    return last >= '0' && last <= '9' ? ByteSource::Tables::label : ByteSource::Tables::none;
}

// What a table says of the device that carries it, where the source itself does not know.
void Discoverer::write_device(const ByteSource& source, const Found& tables,
                              std::optional<std::uint64_t> size) {
    const std::string& name = source.name();
    Number bytes, sector;
    if (size && *size > 0) bytes = Number(*size, at_byte(source, 0, fmt::format("{} bytes", *size)));
    for (const PartitionTable& t : tables.facts.tables) {
        if (t.sector_bytes) sector = t.sector_bytes;
        if (!bytes && t.total_bytes && !is_clipped(t) && !t.scheme.is(Scheme::mbr)) bytes = t.total_bytes;
    }
    const VolumeName volume_name = volume_by_name(name);
    if (volume_name.is_volume) {
        if (!volume_name.kind) return;
        Volume& v = volume(out_.facts, name);
        if (!v.kind) v.kind = Known<VolumeKind>(*volume_name.kind, at_byte(source, 0, "the name"));
        if (!v.size_bytes) v.size_bytes = bytes;
        if (!v.logical_sector_bytes) v.logical_sector_bytes = sector;
        return;
    }
    const bool of_a_disk = std::any_of(
        tables.facts.tables.begin(), tables.facts.tables.end(),
        [](const PartitionTable& t) { return t.scheme.is(Scheme::gpt) || t.scheme.is(Scheme::mbr); });
    const bool label = !tables.facts.tables.empty() && tables_on(name) == ByteSource::Tables::none;
    if (!whole_device_name(name).empty() && !of_a_disk && !label) return;
    Disk& d = diskwright::disk(out_.facts, name);
    if (!d.size_bytes) d.size_bytes = bytes;
    if (!d.logical_sector_bytes) d.logical_sector_bytes = sector;
}

// What it holds, and how large it is, when its tables are read so.
Discoverer::Look Discoverer::look(ByteSource& source, ByteSource::Tables tables) {
    std::optional<std::uint64_t> size = source.size_bytes();
    const auto whole = [&]() -> ByteSource& {
        return keep(std::make_unique<SubSource>(
            source, SubSource::Part{source.name(), 0, size, tables, source.os() ? source.os() : os_}));
    };
    if (!size) {
        Found found;
        read_kind(whole(), formats_, Kind::table, found);
        if (reach(found) <= source.readable_bytes()) size = source.readable_bytes();
    }
    ByteSource* all = &whole();
    Reading reading = read(*all);
    // No table told, yet a file system or a set may: then the file was a head after all.
    const bool head = !source.size_bytes() &&
                      std::max(reach(reading.sets), reach(reading.contents)) > source.readable_bytes();
    if (head) {
        // The readers took the end of the image for that of the device.
        size.reset();
        all = &whole();
        reading = read(*all);
    }
    return {all, std::move(reading), size};
}

// Whole disks go by names of partitions, too: wd0d is all of NetBSD's wd0. Where a table describes more than
// is there, it may be that of the disk which a partition begins with.
Discoverer::Look Discoverer::look_as_named(ByteSource& source) {
    Look whole = look(source, ByteSource::Tables::any);
    const auto named = tables_on(source.name());
    if (named == ByteSource::Tables::any || reach(whole.reading.tables) <= source.readable_bytes())
        return whole;
    Look part = look(source, named);
    return part.reading.anything() ? std::move(part) : std::move(whole);
}

void Discoverer::disk(ByteSource& source) {
    if (!names_.insert(source.name()).second) {
        out_.facts.unparsed.push_back({source.name(), 0, 0, "a second device of that name: left out"});
        return;
    }
    Look whole = look_as_named(source);
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
        write_device(source, tables, whole.size);
    else
        out_.unrecognised.push_back(source.name());
}

void Discoverer::sets() {
    for (std::size_t round = 0; round < deepest; ++round) {
        bool any = false;
        for (const auto& group : group_members(members_)) {
            if (!assembled_.insert(group.front().member.identity).second) continue;
            any = true;
            MemberSet set = make_set(group);
            while (!names_.insert(set.volume.name).second) set.volume.name += "+";
            for (const std::string& text : set.damage)
                out_.facts.damages.push_back({text, place_of(text, set.volume.name)});
            const Volume volume = set.volume;
            HostFacts facts;
            facts.volumes.push_back(std::move(set.volume));
            merge(out_.facts, std::move(facts));
            if (!AssembledSource::possible(volume) || sources_.size() >= most_sources) continue;
            auto& assembled = keep(std::make_unique<AssembledSource>(volume, std::move(set.columns)));
            const std::size_t from = places_.size();
            if (assembled.readable_bytes() > 0 && !accept(assembled, read(assembled), 0))
                empty_.push_back(&assembled);
            look_into(from);
            look_for_copies();
        }
        if (!any) return;
    }
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
