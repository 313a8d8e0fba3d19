// SPDX-License-Identifier: BSD-2-Clause
// A structure on a disk: one file, one row in formats.cpp. Readers take bytes and give facts; they open
// nothing and decide nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/ondisk/byte_source.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// A part of the source that may hold structures of its own: a partition, the data area of a crypto layer.
struct Slot {
    std::string name;
    std::uint64_t start_bytes = 0;            // within the source
    std::optional<std::uint64_t> size_bytes;  // nothing: to the end
    std::optional<Os> os;                     // whose kind of slot it is, where the table tells
    ByteSource::Tables tables = ByteSource::Tables::none;
};

/// The source is a component of a set. What the label says of the set as a whole stands in `set` (kind,
/// level, stripe unit, layout, columns, ...; no components); what differs between members is here.
struct Member {
    std::string identity;  // same for all members of one set and for no other: serial, uuid
    Volume set;            // set.name: as recorded ("raid0", "gm0"); empty when the metadata has none
    std::string device;    // the source's name
    std::optional<std::uint64_t> column;  // nothing: a spare, or of a mirror that does not number them
    std::uint64_t metadata_at = 0;        // where on the component it was read; of sets
    std::uint64_t data_offset_bytes = 0;  // start of the data area on the component
    std::optional<std::uint64_t> data_bytes;
    std::optional<ComponentState> state;  // as its own metadata has it
    std::optional<std::uint64_t> events;  // modification counter: the highest is the newest
    Provenance from;
    std::optional<std::uint64_t> priority;  // gmirror
    std::string role;                       // as Component::role; empty where the metadata tells none
    /// What all members of a set record alike, of metadata that no checksum protects, named as its own tool
    /// names it.
    struct Shared {
        std::string_view field;
        std::uint64_t value;
    };
    std::vector<Shared> shared;
    std::vector<std::uint64_t> lost_columns;  // those of which it is recorded that nothing serves them
    bool stands_by = false;  // a spare for every set of its kind: the identity is its own, no set has it
};

struct Gpt;

/// What readers saw on one source.
struct Found {
    HostFacts facts;
    std::vector<Slot> slots;
    std::vector<Member> members;
    /// Damage that leaves the structure usable: a bad checksum beside a good copy, fields that contradict
    /// each other. Text names source@offset.
    std::vector<std::string> damage;
    /// For readers: whether copies are looked for where there is no original. Damaged originals are replaced
    /// by their copies in any case.
    bool lost_originals = true;
    /// Systems that file systems point to which other systems read and write as well: they count as much as
    /// the type of a slot does.
    std::vector<Known<Os>> os_votes;
    std::shared_ptr<const Gpt> gpt;  // of gpt_of(), which readers of tables share
};

struct OnDiskFormat {
    std::string_view name;
    /// false when the structure is not there. bad_data when it surely is and too damaged to use, with
    /// source@offset; errors of the source are passed on. Reads a bounded number of bytes whatever they say.
    Result<bool> (*read)(ByteSource& source, Found& found);
    /// Contents are looked for where there is neither a table nor the metadata of a set: both show what lies
    /// inside them a second time. A table known by its copy alone is one only where nothing else is found.
    enum class Kind { contents, table, set, table_copy } kind = Kind::contents;
};

/// All formats, tables first, then sets, then what fills a whole device. A source may hold several.
std::span<const OnDiskFormat> on_disk_formats();

/// "sd0@0x2000", kind device; text is the field and its value as a person would write it.
Provenance at_byte(const ByteSource& source, std::uint64_t offset, std::string text);

}  // namespace diskwright
