// SPDX-License-Identifier: BSD-2-Clause
// Metadata of GEOM's classes: little-endian, at the start of the provider's last sector; a magic of 16 bytes
// and a version, then what the class records, and in most classes an MD5 of all before it.
// Layout: freebsd/freebsd-src:sys/geom/*/g_*.h; what a class does with it: g_*.c there (taste).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probes/ondisk/structure.hpp"

namespace diskwright::geom {

struct Metadata {
    Structure in;  // at least 512 bytes
    std::string_view magic;
    std::uint64_t version;
    std::uint64_t sector_bytes;    // of the provider: what its last sector counts in
    std::uint64_t provider_bytes;  // whole sectors
};

/// Nothing where no metadata of that class stands, the end of the provider is not known, or it is a slot of
/// another system than FreeBSD. bad_data for a version above the newest that is known.
Result<std::optional<Metadata>> metadata(ByteSource& source, std::string_view magic, std::uint64_t newest);

/// Empty when the MD5 at `at` is that of the bytes before it.
std::string hash_fault(const Metadata& md, std::size_t at);

/// Error of the kind bad_data: "ada0@0x1ff: GEOM::MIRROR: what".
Error unusable(const Metadata& md, std::size_t offset, std::string_view what);
/// The same text, as damage.
std::string complaint(const Metadata& md, std::size_t offset, std::string_view what);

/// What the metadata says of the provider it belongs to.
struct Owner {
    std::optional<std::uint64_t> size;  // nothing: the version does not record it
    std::string provider;               // hard-coded name; empty: any
};
/// Where those fields stand; `size_at` is 0 in versions that do not record it. Label programs of old left the
/// size 0.
Owner owner_of(const Metadata& md, std::size_t provider_at, std::size_t size_at);
/// Metadata in the last sector is seen on a disk and on the partition that ends with it, and after the device
/// was resized. Its class takes the provider of the recorded size only, so does this. Of another device, it
/// is an event unless a table shows a partition that may be the one.
bool owns(ByteSource& source, const Metadata& md, const Owner& owner, std::string_view name, Found& found);

/// A member with what all classes have: identity, kind, level, name, device and where it was read.
Member member(const ByteSource& source, const Metadata& md, VolumeKind kind, RaidLevel level,
              std::string name, std::uint64_t id, std::size_t id_at);

/// The class does not take such a set: no device of it appears, so that nothing can be read through it. The
/// state says so; `offset` is that of the field at fault.
void refuse(const Metadata& md, std::size_t offset, std::string_view why, Volume& set);
/// More components than any set has: what says so is not believed.
inline constexpr std::uint64_t most_components = 1024;

/// md_dflags of a mirror and of a graid3 set.
namespace flag {
inline constexpr std::uint64_t dirty = 1, synchronizing = 2, force_sync = 4, inactive = 8;
}
/// Clean or not, and how far the synchronisation of this component of `whole` bytes has come.
void describe_synchronisation(const Metadata& md, std::size_t dflags_at, std::size_t sync_offset_at,
                              std::uint64_t whole, Volume& set);

/// Counters of a mirror or a graid3 set as one number: the generation counts before the synchronisation.
void count_events(const Metadata& md, std::uint64_t genid, std::uint64_t syncid, Member& m);

}  // namespace diskwright::geom
