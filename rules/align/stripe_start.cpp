// SPDX-License-Identifier: BSD-2-Clause
#include "rules/align/stripe_start.hpp"

#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/align/placement.hpp"

namespace diskwright {

std::optional<StripeStart> stripe_start(const RuleContext& context, const Partition& p) {
    if (!start_matters(context, p)) return std::nullopt;
    const auto below = context.graph.on_volume(p.name);
    if (!below.volume || !is_striped(*below.volume) || !below.offset_bytes) return std::nullopt;
    const std::uint64_t unit = below.volume->stripe_unit_bytes.value_or(0);
    if (unit == 0) return std::nullopt;
    StripeStart out{below.volume, *below.offset_bytes, unit, {}, context.graph.filesystem(p.name), {}};
    if (const Number stripe = full_stripe_bytes(*below.volume); stripe && *stripe > 0) out.stripe = *stripe;
    if (out.filesystem && out.filesystem->bsize.value_or(0) > 0) out.block = *out.filesystem->bsize;
    return out;
}

void advise_move(const RuleContext& context, const Partition& partition, std::string_view multiple_of,
                 Findings::Report& report) {
    if (advise_member_move(context, partition, report)) return;
    const auto changes = move_start(context, partition);
    for (const Change& c : changes) report.change(c.setting, c.subject, c.value);
    report.note(changes.empty()
                    ? fmt::format("make the partition again at a multiple of {}", multiple_of)
                    : "save the data first; the file system has to be made anew in the moved partition");
}

void move_to_new_stripe(const RuleContext& context, const Volume& volume, std::uint64_t new_unit,
                        Findings::Report& report) {
    const auto stripe = multiply(new_unit, volume.data_disks.value_or(1));
    if (!stripe || *stripe == 0) return;
    for (const Partition& p : context.host.partitions) {
        if (!same_device(p.parent, volume.name) || !start_matters(context, p)) continue;
        const auto on = context.graph.on_volume(p.name);
        if (!on.offset_bytes || *on.offset_bytes % *stripe == 0) continue;
        for (const Change& c : move_start(context, p, *stripe)) report.change(c.setting, c.subject, c.value);
    }
}

namespace {

// "512 bytes at byte 49152 of sd1e": of the component's device, with the area that the driver keeps.
std::string piece_words(const Volume& volume, std::uint64_t byte, std::uint64_t length) {
    const auto place = map_byte(volume, byte);
    if (!place) return {};
    for (const Component* c : data_components(volume)) {
        if (!c->slot.is(place->column)) continue;
        const Number reserved = reserved_bytes(volume, *c);
        const auto at = reserved ? add(*reserved, place->byte) : std::nullopt;
        if (!at) return {};
        return fmt::format("{} at byte {} of {}", human_size(length), *at,
                           c->name.empty() ? fmt::format("component {}", place->column) : escaped(c->name));
    }
    return {};
}

}  // namespace

std::string straddling_block(const StripeStart& at) {
    if (!at.block || *at.block > at.unit) return {};
    // When blocks end at the first boundary they end at the second one, too, or unit and block do not fit.
    const std::uint64_t first_boundary = at.unit - at.start % at.unit;
    const auto second_boundary = add(first_boundary, at.unit);
    for (const auto boundary : {std::optional(first_boundary), second_boundary}) {
        if (!boundary || *boundary % *at.block == 0) continue;
        const std::uint64_t number = *boundary / *at.block, before = *boundary % *at.block;
        const auto block = add(at.start, number * *at.block);
        if (!block || !add(*block, *at.block)) return {};
        const auto one = piece_words(*at.volume, *block, before),
                   other = piece_words(*at.volume, *block + before, *at.block - before);
        if (one.empty() || other.empty()) return {};
        return fmt::format("block {} of {}: {}, {}", number, human_size(*at.block), one, other);
    }
    return {};
}

std::string straddling_share(const StripeStart& at) {
    if (!at.block || *at.block > at.unit || at.unit % *at.block != 0 || at.start % *at.block == 0) return {};
    const std::uint64_t in = at.unit / *at.block;
    return in == 1 ? "every block lies on two components"
                   : fmt::format("one block in {} lies on two components", in);
}

std::string off_sector(const RuleContext& context, const StripeStart& at) {
    constexpr std::uint64_t sector = 4096;
    if (!at.block || *at.block % sector != 0 || at.unit % sector != 0) return {};
    std::optional<std::uint64_t> common;
    for (const Component* c : data_components(*at.volume)) {
        if (c->name.empty()) continue;
        const Number reserved = reserved_bytes(*at.volume, *c),
                     start = context.graph.start_on_base(c->name).bytes;
        if (!reserved || !start) return {};
        const std::uint64_t off = (*reserved % sector + *start % sector + at.start % sector) % sector;
        if (common && *common != off) return {};
        common = off;
    }
    if (common.value_or(0) == 0) return {};
    return fmt::format("on the disks below blocks begin {} bytes past a multiple of {}", *common, sector);
}

bool stripe_rule_applies(const StripeStart& at) {
    return is_parity(*at.volume) && at.stripe && at.block && *at.block % *at.stripe == 0 &&
           at.start % *at.stripe != 0;
}

}  // namespace diskwright
