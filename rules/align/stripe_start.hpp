// SPDX-License-Identifier: BSD-2-Clause
// Where a partition starts on a striped volume; shared by ALIGN002 and ALIGN003, of which only one may speak.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/rule.hpp"

namespace diskwright {

struct StripeStart {
    const Volume* volume;
    std::uint64_t start;  // on the volume
    std::uint64_t unit;
    std::optional<std::uint64_t> stripe;  // unit x data disks
    const Filesystem* filesystem;         // null: none known on this partition
    std::optional<std::uint64_t> block;
};

/// Nothing for what the alignment rules do not judge, and where volume, unit or start is unknown.
std::optional<StripeStart> stripe_start(const RuleContext& context, const Partition& partition);

/// Advice for a partition that has to start elsewhere: the changes, or what to do where none can be worked
/// out.
void advise_move(const RuleContext& context, const Partition& partition, std::string_view multiple_of,
                 Findings::Report& report);

/// A set that is made anew with another stripe unit: its partitions that would begin inside a stripe then
/// move, too.
void move_to_new_stripe(const RuleContext& context, const Volume& volume, std::uint64_t new_unit,
                        Findings::Report& report);

/// Of the first block that lies across a boundary between two units: which bytes of it are where on which
/// component, in words. Empty when there is none or the layout is not known.
std::string straddling_block(const StripeStart& at);

/// How many of the blocks lie so: "every block lies on two components". Empty where unit and block do not
/// fit, or none does.
std::string straddling_share(const StripeStart& at);

/// By how many bytes blocks miss a multiple of 4096 on the components' disks, in words; empty when they do
/// not or the sizes do not tell.
std::string off_sector(const RuleContext& context, const StripeStart& at);

/// Parity volume, start off the stripe, and a block that could fill whole stripes: ALIGN003.
bool stripe_rule_applies(const StripeStart& at);

}  // namespace diskwright
