// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/pseudonyms.hpp"

#include <bit>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool ascii_letter(char c) {
    return (c >= 'a' && c <= 'z') || upper(c);
}

std::uint64_t little_endian(const std::uint8_t* bytes, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
}

struct SipState {
    std::uint64_t v0, v1, v2, v3;

    void round() {
        v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
        v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
        v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
        v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
    }
    void take(std::uint64_t word) {
        v3 ^= word;
        round(), round();
        v0 ^= word;
    }
};

}  // namespace

std::uint64_t siphash(const ScrubKey& key, std::string_view bytes) {
    const std::uint64_t k0 = little_endian(key.data(), 8), k1 = little_endian(key.data() + 8, 8);
    SipState state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                   k1 ^ 0x7465646279746573};
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const std::size_t whole = bytes.size() / 8 * 8;
    for (std::size_t at = 0; at < whole; at += 8) state.take(little_endian(data + at, 8));
    state.take(little_endian(data + whole, bytes.size() - whole) | std::uint64_t{bytes.size() & 0xff} << 56);
    state.v2 ^= 0xff;
    for (int i = 0; i < 4; ++i) state.round();
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

bool is_identity_character(char c) {
    return digit(c) || ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::string canonical_identity(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (is_identity_character(c)) out += upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

std::uint64_t Pseudonyms::stream(std::string_view text, std::uint64_t counter) const {
    std::string input = std::to_string(counter);
    input += ':';
    input += text;
    return siphash(key_, input);
}

const std::string& Pseudonyms::of(const std::string& canonical, Kind kind) {
    if (const auto at = given_.find(canonical); at != given_.end()) return at->second;
    constexpr std::uint64_t attempts =
        64;  // enough to find a free one unless nearly all of that form are given
    std::string name;
    for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
        name = canonical;
        for (std::size_t i = 0; i < name.size(); ++i) {
            const std::uint64_t random = stream(canonical, attempt << 32 | i);
            // The first digit of a WWN says how it is formed; that of a number must not become 0.
            if (kind == Kind::hex)
                name[i] = i == 0 ? name[i] : "0123456789abcdef"[random % 16];
            else if (digit(name[i]))
                name[i] = static_cast<char>(i == 0 ? '1' + random % 9 : '0' + random % 10);
            else
                name[i] = static_cast<char>('a' + random % 26);
        }
        if (name != canonical && taken_.insert(name).second) break;
    }
    return given_.emplace(canonical, std::move(name)).first->second;
}

std::string Pseudonyms::spelled(std::string_view original, std::string_view pseudonym, Kind kind) {
    bool any_upper = false;
    for (const char c : original) any_upper = any_upper || upper(c);
    std::string out;
    std::size_t next = 0;
    for (const char c : original) {
        if (!is_identity_character(c) || next >= pseudonym.size()) {
            out += c;
            continue;
        }
        const char p = pseudonym[next++];
        const bool capital = kind == Kind::hex ? any_upper : upper(c);
        out += capital && p >= 'a' && p <= 'z' ? static_cast<char>(p - 'a' + 'A') : p;
    }
    return out;
}

std::string Pseudonyms::ipv4(std::string_view address) const {
    std::string out;
    std::uint64_t i = 0;
    for (const auto number : split(address, '.')) {
        const std::uint64_t random = stream(address, i++);
        if (!out.empty()) out += '.';
        if (number.size() >= 3)
            out += std::to_string(100 + random % 156);
        else if (number.size() == 2)
            out += std::to_string(10 + random % 90);
        else
            out += std::to_string(1 + random % 9);
    }
    return out;
}

std::string Pseudonyms::ipv6(std::string_view address) const {
    const std::string canonical = lowercase(address);
    std::string out(address);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!is_identity_character(out[i])) continue;
        const bool first = i == 0 || !is_identity_character(out[i - 1]);
        const std::uint64_t random = stream(canonical, i);
        const char nibble = first ? "123456789abcdef"[random % 15] : "0123456789abcdef"[random % 16];
        out[i] = upper(out[i]) && nibble >= 'a' ? static_cast<char>(nibble - 'a' + 'A') : nibble;
    }
    return out;
}

}  // namespace diskwright
