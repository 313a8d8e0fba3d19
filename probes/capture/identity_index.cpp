// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/identity_index.hpp"

#include <algorithm>
#include <array>

#include "probes/capture/pseudonyms.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Between two characters of one spelling: device mapper doubles a hyphen, udev writes a blank as _.
constexpr std::string_view separators_in_names = "-_:. ";
constexpr std::size_t longest_gap = 2;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A word begins here, or the mark of an identifier ends here: 0x, scsi-3, @n.
bool begins_word(std::string_view line, std::size_t at, Identity::Kind kind) {
    const auto plain = [&](std::size_t i) { return i == 0 || !is_identity_character(line[i - 1]); };
    if (plain(at)) return true;
    if (kind != Identity::Kind::hex) return false;
    const auto before = line.substr(0, at);
    return ((before.ends_with("0x") || before.ends_with("0X")) && plain(at - 2)) ||
           before.ends_with("scsi-3") || before.ends_with("@n");
}

// The word ends here; a set's name may go on with the partition: gm0p2, gm0s1a.
bool ends_word(std::string_view line, std::size_t end, Identity::Kind kind) {
    const auto over = [&](std::size_t i) { return i >= line.size() || !is_identity_character(line[i]); };
    if (over(end)) return true;
    if (kind != Identity::Kind::name || (line[end] != 'p' && line[end] != 's')) return false;
    std::size_t i = end + 1;
    while (i < line.size() && line[i] >= '0' && line[i] <= '9') ++i;
    if (i == end + 1) return false;
    return over(i) || (line[i] >= 'a' && line[i] <= 'h' && over(i + 1));
}

// Where a tool prints the name of a host, or of a user at one, and nothing else.
bool stands_as_host(std::string_view line, std::size_t at, std::size_t end) {
    const auto before = line.substr(0, at);
    const auto behind = line.substr(end);
    constexpr std::array<std::string_view, 5> kernels{"NetBSD ", "FreeBSD ", "OpenBSD ", "DragonFly ",
                                                      "Linux "};
    if (std::find(kernels.begin(), kernels.end(), before) != kernels.end()) return true;
    constexpr std::array<std::string_view, 6> keys{"to host ", "@",       "set to <",
                                                   "name=",    "Name : ", "hostname: '"};
    if (std::any_of(keys.begin(), keys.end(), [&](auto key) { return before.ends_with(key); })) return true;
    const bool in_parentheses = before.ends_with('(') && behind.starts_with(')');
    const bool of_path = behind.starts_with(":/") || before.ends_with("//");
    return (in_parentheses && contains(before, " ")) || of_path || behind.starts_with('@');
}

}  // namespace

IdentityIndex::IdentityIndex(const std::vector<Identity>& identities) {
    for (const Identity& identity : identities) {
        Entry entry{identity, {}};
        std::uint32_t node = 0;
        bool separated = false;
        for (const char c : identity.text) {
            if (!is_identity_character(c)) {
                separated = true;
                continue;
            }
            entry.separator_before.push_back(separated && !entry.separator_before.empty());
            separated = false;
            const auto [at, is_new] =
                nodes_[node].next.try_emplace(lower(c), static_cast<std::uint32_t>(nodes_.size()));
            node = at->second;
            if (is_new) nodes_.emplace_back();
        }
        if (node == 0) continue;
        nodes_[node].entries.push_back(static_cast<std::uint32_t>(entries_.size()));
        entries_.push_back(std::move(entry));
    }
}

bool IdentityIndex::accepts(const Entry& entry, const std::vector<bool>& separators, std::string_view line,
                            std::size_t at, std::size_t end) const {
    const auto kind = entry.identity.kind;
    if (!begins_word(line, at, kind) || !ends_word(line, end, kind)) return false;
    if (kind == Identity::Kind::name && separators != entry.separator_before) return false;
    if (entry.identity.in_path) return at > 0 && line[at - 1] == '/';
    if (!entry.identity.guarded) return true;
    const std::string& domain = entry.identity.domain;
    return stands_as_host(line, at, end) ||
           (!domain.empty() && iequals(line.substr(end, domain.size()), domain));
}

std::optional<IdentityIndex::Match> IdentityIndex::match_at(std::string_view line, std::size_t at) const {
    std::optional<Match> best;
    std::vector<bool> separators;
    std::uint32_t node = 0;
    std::size_t gap = 0;
    for (std::size_t i = at; i < line.size(); ++i) {
        const char c = line[i];
        if (!is_identity_character(c)) {
            if (separators.empty() || ++gap > longest_gap ||
                separators_in_names.find(c) == std::string_view::npos)
                break;
            continue;
        }
        const auto step = nodes_[node].next.find(lower(c));
        if (step == nodes_[node].next.end()) break;
        node = step->second;
        separators.push_back(gap > 0);
        gap = 0;
        for (const auto number : nodes_[node].entries)
            if (accepts(entries_[number], separators, line, at, i + 1)) {
                best = Match{i + 1 - at, &entries_[number].identity};
                break;
            }
    }
    return best;
}

}  // namespace diskwright
