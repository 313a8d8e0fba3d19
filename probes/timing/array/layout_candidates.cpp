// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array/layout_candidates.hpp"

#include <map>

#include "probes/model/redundancy.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t unit_bytes = 512, far_away = std::uint64_t{1} << 40;

struct Family {
    RaidLevel level;
    VolumeKind kind;
    std::string layout;  // as the facts have it
    std::string named;   // as the result has it
    unsigned least_columns;
    /// Reads go round so many columns; 0: they follow the parity.
    unsigned (*round)(unsigned columns);
};

unsigned all_of(unsigned columns) {
    return columns;
}
unsigned all_but_one(unsigned columns) {
    return columns - 1;
}
unsigned half_if_even(unsigned columns) {
    return columns % 2 == 0 ? columns / 2 : columns;
}
unsigned none_of(unsigned) {
    return 0;
}

const std::vector<Family>& families() {
    using enum RaidLevel;
    using enum VolumeKind;
    static const std::vector<Family> list{
        {raid0, hardware, "", "", 2, all_of},
        {raid4, hardware, "", "", 3, all_but_one},
        {raid5, hardware, "left-symmetric", "left-symmetric", 3, all_of},
        {raid5, hardware, "left-asymmetric", "left-asymmetric", 3, none_of},
        {raid5, hardware, "right-symmetric", "right-symmetric", 3, none_of},
        {raid5, hardware, "right-asymmetric", "right-asymmetric", 3, none_of},
        {raid6, hardware, "left-symmetric", "left-symmetric", 4, none_of},
        {raid6, hardware, "left-asymmetric", "left-asymmetric", 4, none_of},
        {raid6, hardware, "right-symmetric", "right-symmetric", 4, none_of},
        {raid6, hardware, "right-asymmetric", "right-asymmetric", 4, none_of},
        {raid6, softraid, "", "", 4, none_of},
        {raid10, hardware, "near=2", "near2", 3, half_if_even},
        {raid10, hardware, "far=2", "far2", 2, all_of},
        {raid10, hardware, "offset=2", "offset2", 3, all_of},
    };
    return list;
}

template <class Places>
LayoutCandidate::Columns columns_of(const Places& places) {
    LayoutCandidate::Columns out;
    for (const Location& place : places)
        if (out.count < out.at.size()) out.at[out.count++] = static_cast<std::uint8_t>(place.column);
    return out;
}

LayoutCandidate candidate(const Family& family, unsigned columns) {
    LayoutCandidate out;
    out.level = family.level;
    out.columns = columns;
    out.layout = family.named;
    Volume volume;
    volume.kind = {family.kind, {}};
    volume.level = {family.level, {}};
    volume.columns = Number(columns, {});
    volume.stripe_unit_bytes = Number(unit_bytes, {});
    if (!family.layout.empty()) volume.layout = Text(family.layout, {});
    volume.components.resize(columns);
    for (Component& component : volume.components) component.used_bytes = Number(far_away, {});
    if (family.level == RaidLevel::raid10) {
        if (columns % 2 == 0) out.data_disks = columns / 2;
    } else {
        out.data_disks = static_cast<unsigned>(*data_columns(volume, columns));
    }
    const std::uint64_t period = std::uint64_t{columns} * out.data_disks.value_or(columns);
    for (std::uint64_t unit = 0; unit < period; ++unit) {
        const std::uint64_t byte = unit * unit_bytes;
        LayoutCandidate::Unit& at = out.units.emplace_back();
        at.copies = columns_of(copies_of(volume, byte));
        if (!is_parity(volume)) continue;
        const auto parity = parity_columns(volume, map_byte(volume, byte)->byte);
        at.parity.at[at.parity.count++] = static_cast<std::uint8_t>(parity->p);
        if (parity->q) at.parity.at[at.parity.count++] = static_cast<std::uint8_t>(*parity->q);
    }
    return out;
}

std::vector<LayoutClass> make_classes() {
    std::vector<LayoutClass> out;
    std::map<unsigned, std::size_t> cyclic;  // by the columns that reads go round
    for (const Family& family : families())
        for (unsigned columns = family.least_columns; columns <= most_columns; ++columns) {
            auto made = candidate(family, columns);
            const unsigned round = family.round(columns);
            if (round == 0) {
                out.push_back({{std::move(made)}});
                continue;
            }
            const auto [at, is_new] = cyclic.emplace(round, out.size());
            if (is_new) out.emplace_back();
            out[at->second].members.push_back(std::move(made));
        }
    return out;
}

}  // namespace

std::string_view LayoutCandidate::redundancy() const {
    switch (level) {
        case RaidLevel::raid10:
            return "mirror";
        case RaidLevel::raid4:
        case RaidLevel::raid5:
            return "parity";
        case RaidLevel::raid6:
            return "double-parity";
        default:
            return "none";
    }
}

const std::vector<LayoutClass>& layout_classes() {
    static const std::vector<LayoutClass> classes = make_classes();
    return classes;
}

}  // namespace diskwright
