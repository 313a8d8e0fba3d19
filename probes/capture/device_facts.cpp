// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/device_facts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "probes/model/facts_json.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

// The kind that a record of provenance states, unless bytes of a device can be it; the output of a command is
// not said.
std::optional<std::string> other_kind(const Json& record) {
    const auto kind = record.find("kind");
    const std::string stated = kind == record.end() ? "output"
                               : kind->is_string()  ? kind->get<std::string>()
                                                    : kind->dump();
    return stated == "device" || stated == "inferred" ? std::nullopt : std::optional(stated);
}

// One record of the element, or one for each of its members.
std::optional<std::string> first_other_kind(const Json& provenance) {
    std::size_t records = 0;
    for (const auto& inner : provenance)
        if (inner.is_object() && ++records > 0)
            if (auto kind = other_kind(inner)) return kind;
    return records > 0 ? std::nullopt : other_kind(provenance);
}

std::optional<std::string> forged_kind(const Json& json) {
    if (!json.is_structured()) return std::nullopt;
    if (json.is_object())
        if (const auto mine = json.find("provenance"); mine != json.end() && mine->is_object())
            if (auto kind = first_other_kind(*mine)) return kind;
    for (const auto& inner : json)
        if (auto kind = forged_kind(inner)) return kind;
    return std::nullopt;
}

}  // namespace

Result<HostFacts> read_device_facts(std::string_view text, std::string_view file,
                                    std::vector<std::string>& left_out) {
    const auto json = parse_json(text, file);
    if (!json) return json.error();
    auto facts = facts_from_json(*json, file);
    if (!facts) return facts.error();
    if (const auto kind = forged_kind(*json))
        return Error{ErrorKind::bad_data,
                     fmt::format("{}: facts of kind '{}' among those of devices", file, escaped(*kind))};
    const auto drop = [&](std::string_view list, auto& elements) {
        if (elements.empty()) return;
        left_out.push_back(fmt::format("{}: {}: not to be had from the bytes of a device", file, list));
        elements.clear();
    };
    drop("mounts", facts->mounts), drop("fstab", facts->fstab), drop("exports", facts->exports);
    drop("sysctls", facts->sysctls), drop("io_traces", facts->io_traces), drop("timings", facts->timings);
    drop("throughputs", facts->throughputs), drop("journal_rates", facts->journal_rates);
    return facts;
}

}  // namespace diskwright
