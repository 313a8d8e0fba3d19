// SPDX-License-Identifier: BSD-2-Clause
// softraid of OpenBSD: facts from the metadata of one chunk. Each chunk has the records of all, so the newest
// tells the state of the volume.
//
// Sources: openbsd/src:sys/dev/softraid.c (sr_ioctl_vol, sr_rebuild_percent), softraid_raid{0,1,5,6}.c,
// softraid_concat.c, softraid_crypto.c (sr_*_set_vol_state), sbin/bioctl/bioctl.c (names).
#include <fmt/format.h>

#include <algorithm>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/softraid_metadata.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using softraid::Discipline;
using softraid::Metadata;
namespace field = softraid::field;

std::string name_of(std::uint64_t level) {
    if (level == softraid::hot_spare_level) return "hot spare";
    if (level == softraid::key_disk_level) return "key disk";
    const Discipline* d = softraid::discipline_of(level);
    return d ? std::string(d->name) : fmt::format("level {:#x}", level);
}

Provenance whole_of(const Metadata& m) {
    return m.in().from(
        0, fmt::format("softraid metadata version {}: {}, chunk {} of {}, ondisk {}{}{}", m.version(),
                       name_of(m.level()), m.own(), m.chunks(), m.in().u64(field::ondisk),
                       m.in().u32(field::meta_flags) == 1 ? ", dirty" : "",
                       m.in().order() == ByteOrder::big ? ", big-endian" : ""));
}

// A mirror lives as long as one of its chunks does.
Known<VolumeState> state_of(const Metadata& m, const Discipline& d) {
    std::uint64_t lost = 0, rebuilding = 0;
    std::size_t witness = m.record(0);
    for (std::uint64_t i = 0; i < m.chunks(); ++i) {
        if (!m.has_record(i)) return Known<VolumeState>::unknown("the records of the chunks are cut off");
        const auto state = softraid::state_of(m.status(i));
        if (!state) return Known<VolumeState>::unknown(fmt::format("state of chunk {}", i));
        if (state == ComponentState::optimal) continue;
        ++lost, rebuilding += state == ComponentState::rebuilding ? 1 : 0;
        witness = m.record(i);
    }
    VolumeState out = VolumeState::degraded;
    if (lost == 0)
        out = VolumeState::optimal;
    else if (lost > d.spared_losses || lost == m.chunks())
        out = VolumeState::failed;
    else if (rebuilding > 0)
        out = VolumeState::rebuilding;
    return Known<VolumeState>(out, m.in().from(witness + field::scm_status,
                                               fmt::format("{} of {} chunks not online", lost, m.chunks())));
}

void write_rebuild(const Metadata& m, Volume& set) {
    if (!set.state.is(VolumeState::rebuilding)) return;
    const auto done = m.in().u64(field::rebuild), all = m.in().u64(field::size);
    const Provenance from = m.in().from(field::rebuild, fmt::format("ssd_rebuild {}", done));
    set.activity = Known<Activity>(Activity::rebuild, from);
    if (all > 0 && done <= all)
        set.activity_percent = Real(static_cast<double>(done) / static_cast<double>(all) * 100.0, from);
}

void write_sizes(const Metadata& m, const Discipline& d, Volume& set) {
    const Structure& in = m.in();
    if (const auto strip = in.u32(field::strip_size); d.striped && strip > 0)
        set.stripe_unit_bytes = in.known(strip, field::strip_size, "ssd_strip_size");
    set.columns = in.known(m.chunks(), field::chunk_no, "ssd_chunk_no");
    const auto size = in.u64(field::size);
    if (const auto bytes = multiply(size, softraid::block))
        set.size_bytes = Number(*bytes, in.from(field::size, fmt::format("ssd_size {}", size)));
    set.logical_sector_bytes = Number(
        m.sector(), m.stores_sector() ? in.from(field::secsize, fmt::format("ssd_secsize {}", m.sector()))
                                      : in.from(field::version, fmt::format("version {}", m.version())));
}

Volume volume_of(const Metadata& m) {
    Volume set;
    const Structure& in = m.in();
    set.kind = Known<VolumeKind>(VolumeKind::softraid, whole_of(m));
    set.uuid = Text(m.uuid(), in.from(field::uuid, "ssd_uuid"));
    const Discipline* d = softraid::discipline_of(m.level());
    if (!d) {
        set.level = Known<RaidLevel>::unknown(name_of(m.level()));
        return set;
    }
    const Provenance level = in.from(field::level, std::string(d->name));
    set.name = in.text(field::devname, 32);
    if (d->raid)
        set.level = Known<RaidLevel>(*d->raid, level);
    else
        set.level = Known<RaidLevel>::unknown(std::string(d->name));
    if (d->encrypted) set.crypto_format = Text("softraid", level);
    write_sizes(m, *d, set);
    set.state = state_of(m, *d);
    write_rebuild(m, set);
    // installboot(8) leaves this record when it puts a boot loader on the chunks.
    if (const auto at = m.optional_record(softraid::OptionalType::boot))
        set.boot_wanted = Flag(true, in.from(*at, "record of a boot loader"));
    return set;
}

Member member_of(const ByteSource& source, const Metadata& m) {
    Member out;
    out.from = whole_of(m);
    out.set = volume_of(m);
    out.identity = "softraid " + m.uuid();
    out.device = source.name();
    out.metadata_at = m.in().at();
    out.data_offset_bytes = m.data_blkno() * softraid::block;
    out.events = m.in().u64(field::ondisk);
    if (m.level() == softraid::hot_spare_level) {
        out.state = ComponentState::spare;
        out.role = "spare";
        out.stands_by = true;
        return out;
    }
    out.column = m.own();
    if (!m.has_record(m.own())) return out;
    out.state = softraid::state_of(m.status(m.own()));
    // A concatenation alone uses each chunk to its own end (SR_CAP_NON_COERCED).
    const bool own_size = out.set.level.is(RaidLevel::concat);
    out.data_bytes =
        multiply(m.in().u64(m.record(m.own()) + (own_size ? field::scm_size : field::scm_coerced_size)),
                 softraid::block);
    return out;
}

// All of the metadata, or as much as an image that ends inside holds.
Result<std::optional<Structure>> read_all(ByteSource& source, ByteOrder order) {
    auto all = read_structure(source, softraid_metadata_at, softraid::area, order);
    if (!all || *all) return all;
    const auto there =
        std::min<std::uint64_t>(source.readable_bytes() - softraid_metadata_at, softraid::area);
    return read_structure(source, softraid_metadata_at, static_cast<std::size_t>(there), order);
}

}  // namespace

Result<bool> read_softraid(ByteSource& source, Found& found) {
    const auto head = read_structure(source, softraid_metadata_at, softraid::header_size);
    if (!head) return head.error();
    if (!*head) return false;
    std::optional<Structure> in;
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const Structure ordered = (*head)->in_order(order);
        if (ordered.u64(0) == softraid_magic) in = ordered;
        if (!in && softraid::is_damaged_magic(ordered))
            return Error{ErrorKind::bad_data, ordered.place(0) + ": softraid: the magic number is damaged"};
    }
    if (!in) return false;
    if (const auto error = Metadata(*in).check()) return *error;
    const auto all = read_all(source, in->order());
    if (!all) return all.error();
    const Metadata m(*all ? **all : *in);
    for (std::string& text : m.contradictions(source.size_bytes())) found.damage.push_back(std::move(text));
    // A key disk holds the key of a volume elsewhere and nothing of it: bioctl lists it apart, too.
    if (m.level() != softraid::key_disk_level) found.members.push_back(member_of(source, m));
    suggest_os(source, found, Os::openbsd, whole_of(m));
    return true;
}

}  // namespace diskwright
