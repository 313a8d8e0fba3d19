// SPDX-License-Identifier: BSD-2-Clause
// Kernel variables by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "probes/model/host_facts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

/// Null when the variable was not shown.
inline const Text* sysctl_of(const HostFacts& host, const std::string& name) {
    const auto at = host.sysctls.find(name);
    return at != host.sysctls.end() && at->second.known() ? &at->second : nullptr;
}

inline std::string sysctl_or(const HostFacts& host, const std::string& name, std::string_view fallback) {
    const Text* value = sysctl_of(host, name);
    return value ? **value : std::string(fallback);
}

inline std::optional<std::uint64_t> sysctl_number(const HostFacts& host, const std::string& name) {
    const Text* value = sysctl_of(host, name);
    return value ? to_unsigned(trim(**value)) : std::nullopt;
}

}  // namespace diskwright
