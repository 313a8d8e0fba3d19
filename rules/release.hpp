// SPDX-License-Identifier: BSD-2-Clause
// Releases as systems number them: "9.1-RC3", "6.1.5", "13.2-RELEASE-p4", "5.10.62".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "probes/model/host_facts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

struct Release {
    std::uint64_t major = 0, minor = 0;
    auto operator<=>(const Release&) const = default;
};

inline std::optional<Release> release_of(std::string_view text) {
    const auto major = leading_unsigned(text);
    if (!major) return std::nullopt;
    Release out{major->value, 0};
    if (major->rest.starts_with('.'))
        if (const auto minor = leading_unsigned(major->rest.substr(1))) out.minor = minor->value;
    return out;
}

/// Nothing when the release is not known.
inline std::optional<Release> release_of(const HostFacts& host) {
    return host.os.release ? release_of(*host.os.release) : std::nullopt;
}

}  // namespace diskwright
