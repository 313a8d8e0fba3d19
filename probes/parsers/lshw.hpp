// SPDX-License-Identifier: BSD-2-Clause
// lshw prints one tree as text and as JSON; each is read into these nodes, and the nodes into facts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/parsers/command.hpp"

namespace diskwright {

struct LshwNode {
    std::string id;  // disk:0, namespace:1, volume
    std::size_t line = 0, depth = 0;
    std::string description, product, serial, version;
    std::vector<std::string> names;  // logical names: devices and mount points
    std::map<std::string, std::string, std::less<>> configuration;
    std::vector<std::string> capabilities;
    std::optional<std::uint64_t> size_bytes;  // exact; the text rounds it
};

/// The text form; returns the lines used.
std::size_t read_lshw_text(const Output& out, std::size_t at, std::vector<LshwNode>& nodes);
bool is_lshw_text(const Output& out, std::size_t at);
/// -json.
std::size_t read_lshw_json(const Output& out, std::size_t at, std::vector<LshwNode>& nodes, Scribe& scribe);
bool is_lshw_json(const Output& out, std::size_t at);

}  // namespace diskwright
