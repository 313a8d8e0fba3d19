// SPDX-License-Identifier: BSD-2-Clause
// Which component of a set is missing, or being written anew.
#pragma once

#include <cstdint>
#include <optional>

namespace diskwright {

struct ComponentHealth {
    std::optional<std::uint32_t> missing;  // or the replacement
    bool rebuilding = false;
    std::uint64_t rebuilt_to = 0;  // blocks of the replacement, from its start, reserved area included

    bool holds(std::uint32_t component, std::uint64_t end) const {
        return component != missing || (rebuilding && end <= rebuilt_to);
    }
};

}  // namespace diskwright
