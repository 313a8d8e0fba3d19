// SPDX-License-Identifier: BSD-2-Clause
// The sentences of a plan. Figures are of NetBSD's RAIDframe and FFS, measured over modelled 7200 rpm disks,
// five of them as RAID 5, unless the sentence says otherwise.
#include <fmt/format.h>

#include <bit>

#include "advisor/planning/plan_parts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t worth_it = 16 * KiB;  // a smaller block is a loss by itself
constexpr std::uint64_t coarse_fragment = 16 * KiB;

std::string sector_sentence(const Layout& l) {
    if (l.physical_known) return fmt::format("the physical sector is {} bytes", l.physical);
    return "the physical sector is not known, so 4096 is planned for, which is right on both kinds";
}

bool parity(const Planning& p) {
    return p.target.volume && is_parity(*p.target.volume);
}

std::string match_sentence(const Planning& p) {
    const Layout& l = p.layout;
    if (p.intent.bsize) return fmt::format("block {}: {}", human_size(l.bsize), p.intent.measured);
    switch (l.match) {
        case BlockMatch::plain:
            if (p.target.volume && p.target.volume->level.is(RaidLevel::raid3))
                return fmt::format(
                    "block {}: every sector is spread over all data disks, so size and workload "
                    "decide",
                    human_size(l.bsize));
            return fmt::format("block {}: nothing is striped, so size and workload decide",
                               human_size(l.bsize));
        case BlockMatch::one_disk:
            return fmt::format(
                "block {}: the stripe unit of {} is a whole multiple of it, so a block keeps one "
                "disk busy and the others free",
                human_size(l.bsize), human_size(*l.unit));
        case BlockMatch::full_stripe:
            return fmt::format(
                "block {} = {} x the full stripe of {} ({} x {} data disks): a block is written "
                "without reading old data or parity",
                human_size(l.bsize), l.bsize / *l.full_stripe, human_size(*l.full_stripe),
                human_size(*l.unit), l.data_disks);
        case BlockMatch::none:
            return fmt::format(
                "block {}: no block that newfs takes (4 to 64 KiB, a power of two) fits the "
                "stripe unit of {}, so size and workload decide",
                human_size(l.bsize), human_size(*l.unit));
    }
    return "";
}

std::string ext4_reason(const Planning& p) {
    const Layout& l = p.layout;
    std::string out =
        fmt::format("block {}: {}", human_size(l.bsize),
                    p.intent.bsize ? p.intent.measured : "what ext4 takes at most with pages of 4 KiB");
    out += "; " + sector_sentence(l);
    if (l.unit && l.full_stripe)
        out += fmt::format(
            "; stride {} and stripe width {} blocks tell the allocator the unit of {} and the full stripe "
            "of {}",
            *l.unit / l.bsize, *l.full_stripe / l.bsize, human_size(*l.unit), human_size(*l.full_stripe));
    return out;
}

std::string density_sentence(const Planning& p) {
    const Layout& l = p.layout;
    std::string out;
    if (l.density)
        out = fmt::format("; an inode for each {}, since {}", human_size(*l.density), p.workload.files);
    if (l.inodes) out += fmt::format("; about {} inodes", *l.inodes);
    return out;
}

// The unit that would let a block match, were the set made anew; 0: none better, or none to choose.
std::uint64_t better_unit(const Planning& p) {
    const Volume* v = p.target.volume;
    const Layout& l = p.layout;
    if (!v || !l.unit || p.release.ext4 || v->kind.is(VolumeKind::softraid) || p.intent.new_set) return 0;
    std::uint64_t best = largest_block;
    if (parity(p))
        best =
            std::has_single_bit(l.data_disks) && l.data_disks <= 16 ? largest_block / l.data_disks : 32 * KiB;
    return best == *l.unit ? 0 : best;
}

std::string better_unit_note(const Planning& p) {
    const Layout& l = p.layout;
    const std::uint64_t unit = better_unit(p);
    if (unit == 0) return {};
    const bool poor = l.match == BlockMatch::none || l.bsize < worth_it;
    const bool whole = parity(p) && std::has_single_bit(l.data_disks);
    const bool never_full = whole && l.full_stripe && *l.full_stripe > largest_block;
    if (!poor && !never_full) return {};
    const std::string sectors =
        p.target.volume->kind.is(VolumeKind::raidframe) ? fmt::format(" (sectPerSU {})", unit / 512) : "";
    const std::string gain = whole ? "one block of 64 KiB would be a full stripe: sequential writes went "
                                     "from 12 to 412 MB/s between "
                                     "sectPerSU 128 and 32 in a model of five disks"
                                   : "a block of 32 KiB would lie inside one unit";
    return fmt::format(
        "the stripe unit of {} {}; with {}{} {}. It is fixed when the set is made, so that this "
        "means to make the set anew",
        human_size(*l.unit), poor ? "leaves only poor block sizes" : "makes the stripe wider than any block",
        human_size(unit), sectors, gain);
}

}  // namespace

std::string start_reason(const Planning& p) {
    const Layout& l = p.layout;
    if (p.decision == PartitionDecision::move)
        return fmt::format("The next start that fits is byte {}", l.start);
    return fmt::format(
        "begins at byte {} (sector {}), the smallest multiple of {} bytes ({}) behind the {} that "
        "the table takes",
        l.start, l.start / l.logical, l.alignment, l.alignment_of, human_size(l.room));
}

std::string start_cost(const Planning& p) {
    if (p.layout.match == BlockMatch::full_stripe)
        return "off the stripe every block touches two stripes, and each write reads before it writes: 18 "
               "instead of 243 MB/s for a start at sector 63 in a model of five disks";
    if (p.layout.full_stripe)
        return "off the stripe unit some blocks lie on two disks, which both have to seek for them";
    return p.layout.physical == 512 && p.layout.physical_known
               ? "none on sectors of 512 bytes; a later disk of 4096 would make every small write two reads "
                 "and "
                 "two writes"
               : "off the physical sector every small write reads and writes two sectors: reported losses "
                 "are "
                 "1.5 to 10 times";
}

std::string block_reason(const Planning& p) {
    const Layout& l = p.layout;
    if (p.release.ext4) return ext4_reason(p);
    std::string out = match_sentence(p);
    out += fmt::format("; fragment {}, {} of the block: {}", human_size(l.fsize),
                       l.bsize == l.fsize ? "the whole" : fmt::format("1/{}", l.bsize / l.fsize),
                       sector_sentence(l));
    if (l.logical > l.physical) out += fmt::format(", and the volume's own is {}", l.logical);
    out += density_sentence(p);
    if (p.softupdates) out += "; soft updates keep it consistent without waiting for each metadata write";
    if (p.trim) out += "; TRIM (-t), since flash lies below and every layer passes it down";
    if (p.release.os == Os::netbsd) out += "; -O 2 is FFSv2, which newfs does not make by itself";
    return out;
}

std::string block_cost(const Planning& p) {
    const Layout& l = p.layout;
    if (p.release.ext4)
        return l.unit ? "without stride and stripe width the allocator puts bitmaps on few disks and begins "
                        "large "
                        "files in the middle of stripes"
                      : "blocks below the physical sector are read before they are written";
    if (l.match == BlockMatch::full_stripe)
        return "with blocks that are no whole stripes each write reads old data and parity first: two reads "
               "and "
               "two writes for one";
    if (l.match == BlockMatch::one_disk)
        return "a block larger than the stripe unit keeps several disks busy for one request";
    return "fragments below the physical sector are read before they are written: 7 minutes instead of 1 to "
           "unpack a tree of small files in a report of 2012";
}

std::vector<std::string> plan_notes(const Planning& p) {
    std::vector<std::string> out;
    const Layout& l = p.layout;
    if (!p.release.known)
        out.emplace_back(
            "the release is not known: only what all releases share is used; --os NAME-RELEASE "
            "names it");
    if (!l.physical_known)
        out.emplace_back(
            "the physical sector is not known; 4096 is planned for. Where it is 512, nothing is "
            "lost but some space in small files");
    if (l.size == 0)
        out.push_back(
            fmt::format("the size of {} is not known: the partition takes all there is; its size "
                        "decides on inodes and on the best block",
                        escaped(p.target.base)));
    if (p.target.volume && is_striped(*p.target.volume) && !l.unit)
        out.push_back(
            fmt::format("the stripe unit of {0} is not known, so nothing is aligned to it: give it with "
                        "--assume volumes.{0}.stripe_unit_bytes=BYTES",
                        escaped(p.target.base)));
    if (const std::string note = better_unit_note(p); !note.empty()) out.push_back(note);
    if (parity(p) && l.unit && !p.release.ext4 && !std::has_single_bit(l.data_disks))
        out.push_back(
            fmt::format("{} data disks are no power of two: no block can be a full stripe, so each "
                        "write of a block reads before it writes",
                        l.data_disks));
    if (p.target.volume && p.target.volume->kind.is(VolumeKind::graid3) &&
        l.fsize / l.data_disks < l.physical)
        out.push_back(
            fmt::format("graid3 cuts each fragment into {} pieces of {} bytes, below the physical "
                        "sector: small writes read before they write",
                        l.data_disks, l.fsize / l.data_disks));
    for (const Filesystem& f : p.facts.filesystems)
        if (p.decision == PartitionDecision::create && !p.graph.partition(f.device) &&
            !same_device(f.device, p.target.base) &&
            same_device(p.graph.start_on_base(f.device).base, p.target.base))
            out.push_back(
                fmt::format("where {0} begins is not shown, so that it cannot be kept: with the "
                            "listing of its table in the input, a plan for {0} keeps the partition "
                            "when it lies well",
                            escaped(f.device)));
    if (l.fsize >= coarse_fragment)
        out.push_back(fmt::format(
            "no file takes less than a fragment of {}: small files take more room than they have bytes",
            human_size(l.fsize)));
    if (p.intent.mount_point.empty())
        out.emplace_back(
            "no --mount POINT was given: it is mounted on /mnt for now, and /etc/fstab is left "
            "alone");
    if (!p.intent.label.empty() && p.release.os != Os::freebsd && p.partition.scheme != Scheme::gpt)
        out.emplace_back("neither this FFS nor its disklabel has a place for the label");
    if (p.target.volume &&
        (p.target.volume->state.is(VolumeState::degraded) || p.target.volume->state.is(VolumeState::failed)))
        out.push_back(
            fmt::format("{} is not whole: repair it before anything is put on it", escaped(p.target.base)));
    return out;
}

}  // namespace diskwright
