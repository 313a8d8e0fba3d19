// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/measured_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/planning/typed_set.hpp"

namespace diskwright {
namespace {

constexpr double largest_small_file_fragment = 8192;
constexpr std::uint64_t raidframe_sector = 512;  // what sectPerSU counts on disks of 512-byte sectors

// A parameter that the planner knows: where it stands in a plan, and how a value of it is carried out.
struct KnownParameter {
    std::string_view name;
    std::optional<double> (*planned)(const Plan&);
    void (*choose)(MeasuredChoice&, double);
};

std::optional<double> planned_log(const Plan& plan) {
    for (const Filesystem& fs : plan.planned.filesystems)
        if (same_device(fs.device, plan.device) && fs.wapbl) return *fs.wapbl ? 1 : 0;
    return std::nullopt;
}

constexpr std::array<KnownParameter, 4> known_parameters{{
    {"sectPerSU",
     [](const Plan& plan) {
         return plan.layout.unit ? std::optional(static_cast<double>(*plan.layout.unit / raidframe_sector))
                                 : std::nullopt;
     },
     [](MeasuredChoice& choice, double value) {
         choice.stripe_unit_bytes = static_cast<std::uint64_t>(value) * raidframe_sector;
     }},
    {"bsize",
     [](const Plan& plan) -> std::optional<double> { return static_cast<double>(plan.layout.bsize); },
     [](MeasuredChoice& choice, double value) { choice.bsize = static_cast<std::uint64_t>(value); }},
    {"fsize",
     [](const Plan& plan) -> std::optional<double> { return static_cast<double>(plan.layout.fsize); },
     [](MeasuredChoice& choice, double value) { choice.fsize = static_cast<std::uint64_t>(value); }},
    {"log", planned_log, [](MeasuredChoice&, double) {}},
}};

const KnownParameter* known_parameter(const Parameter& parameter) {
    const auto at = std::find_if(known_parameters.begin(), known_parameters.end(),
                                 [&](const KnownParameter& known) { return known.name == parameter.name; });
    return at == known_parameters.end() ? nullptr : &*at;
}

std::string unit_of(const Objective& objective) {
    return objective.name.ends_with("_s") ? " s" : "";
}

}  // namespace

MeasuredChoice measured_choice(const TrialSource& source, const Verification& check) {
    MeasuredChoice choice;
    for (std::size_t i = 0; i < source.space.parameters().size(); ++i)
        if (const auto* known = known_parameter(source.space.parameters()[i]))
            known->choose(choice, source.space.value(check.best.point, i).number);
    const std::string unit = unit_of(source.objective);
    choice.reason =
        fmt::format("by the trials: {} {:.4g}{} (spread {:.2g}) against {:.4g}{} (spread {:.2g}) for {}, {}",
                    source.objective.name, check.best.median, unit, check.best.spread, check.reference.median,
                    unit, check.reference.spread, check.reference_is,
                    source.recorded ? "as recorded" : fmt::format("{} runs each", check.best.values.size()));
    return choice;
}

Result<Landscape> plannable(Landscape landscape, bool small_files) {
    const auto stays = [&](const Parameter& parameter, const Value& value) {
        if (parameter.name == "log") return value.number != 0;
        return !small_files || parameter.name != "fsize" || value.number <= largest_small_file_fragment;
    };
    std::vector<Parameter> parameters = landscape.space.parameters();
    std::vector<std::vector<std::optional<std::uint32_t>>> renumbered(parameters.size());
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        std::vector<Value> kept;
        for (const Value& value : parameters[p].values) {
            const bool keep = stays(parameters[p], value);
            renumbered[p].push_back(keep ? std::optional(static_cast<std::uint32_t>(kept.size()))
                                         : std::nullopt);
            if (keep) kept.push_back(value);
        }
        parameters[p].values = std::move(kept);
    }
    auto space = SearchSpace::of(std::move(parameters));
    if (!space) return space.error();
    const auto moved = [&](const Point& from) -> std::optional<Point> {
        Point to;
        for (std::size_t p = 0; p < from.size(); ++p)
            if (const auto number = renumbered[p][from[p]]) to.push_back(*number);
        return to.size() == from.size() ? std::optional(to) : std::nullopt;
    };
    std::map<Point, double> rows;
    for (const auto& [point, value] : landscape.rows)
        if (auto to = moved(point)) rows.emplace(std::move(*to), value);
    if (landscape.default_point)
        for (std::size_t p = 0; p < renumbered.size(); ++p) {
            std::uint32_t& number = (*landscape.default_point)[p];
            const double wanted = landscape.space.coordinate(p, number);
            number = renumbered[p][number].value_or(space->nearest_value(p, wanted));
        }
    landscape.space = std::move(*space);
    landscape.rows = std::move(rows);
    return landscape;
}

Result<HostFacts> new_server(const HostFacts& facts, const std::string& level,
                             std::optional<std::uint64_t> stripe_unit_bytes) {
    HostFacts bare;
    bare.os = facts.os;
    bare.disks = facts.disks;
    bare.sysctls = facts.sysctls;
    const auto made =
        put_typed_set(bare, stripe_unit_bytes ? fmt::format("{}:{}", level, *stripe_unit_bytes) : level);
    if (!made) return made.error();
    return bare;
}

std::optional<Point> point_of(const Plan& plan, const SearchSpace& space,
                              const std::optional<Point>& otherwise) {
    Point point;
    for (std::size_t i = 0; i < space.parameters().size(); ++i) {
        const auto* known = known_parameter(space.parameters()[i]);
        const auto value = known ? known->planned(plan) : std::nullopt;
        if (!value && !otherwise) return std::nullopt;
        const auto& values = space.parameters()[i].values;
        const auto at = std::find_if(values.begin(), values.end(),
                                     [&](const Value& v) { return value && v.number == *value; });
        if (value && at == values.end()) return std::nullopt;
        point.push_back(value ? static_cast<std::uint32_t>(at - values.begin()) : (*otherwise)[i]);
    }
    return point;
}

}  // namespace diskwright
