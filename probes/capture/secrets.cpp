// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/secrets.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// mount.cifs(8): password, password2, pass; mount_smbfs(8), davfs, sshfs; dracut.cmdline(7):
// rd.iscsi.password, rd.iscsi.in.password; passphrases of crypto tools.
constexpr std::array<std::string_view, 5> keys{"pass", "password", "passwd", "passphrase", "secret"};

bool of_key(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// The key that ends before that equals sign; "password2" is one too.
bool names_secret(std::string_view before) {
    std::size_t end = before.size();
    while (end > 0 && before[end - 1] >= '0' && before[end - 1] <= '9') --end;
    std::size_t from = end;
    while (from > 0 && of_key(before[from - 1])) --from;
    const std::string key = lowercase(before.substr(from, end - from));
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Where the value ends that begins there: in quotes it may hold anything; two commas are one of the password.
std::size_t end_of_value(std::string_view line, std::size_t from) {
    if (from < line.size() && (line[from] == '"' || line[from] == '\''))
        return std::min(line.find(line[from], from + 1), line.size());
    for (std::size_t at = from; at < line.size(); ++at) {
        if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') return at;
        if (line[at] != ',') continue;
        if (at + 1 >= line.size() || line[at + 1] != ',') return at;
        ++at;
    }
    return line.size();
}

void mask(std::string& line, std::size_t from, std::size_t end) {
    if (end > from) line.replace(from, end - from, masked_secret);
}

void mask_options(std::string& line) {
    for (auto at = line.find('='); at != std::string::npos; at = line.find('=', at + 1)) {
        const std::string_view before = std::string_view(line).substr(0, at);
        if (!names_secret(before)) continue;
        const bool quoted = at + 1 < line.size() && (line[at + 1] == '"' || line[at + 1] == '\'');
        mask(line, at + (quoted ? 2 : 1), end_of_value(line, at + 1));
    }
}

// "user=name%password" of smbfs, and "ftp://name:password@server/".
void mask_addresses(std::string& line) {
    for (auto at = line.find("user"); at != std::string::npos; at = line.find("user", at + 1)) {
        const auto equals = line.find('=', at);
        if (equals == std::string::npos) break;
        const std::string_view key = std::string_view(line).substr(at, equals - at);
        const auto percent = line.find('%', equals);
        const auto end = end_of_value(line, equals + 1);
        if ((key == "user" || key == "username") && percent < end) mask(line, percent + 1, end);
    }
    for (auto at = line.find("://"); at != std::string::npos; at = line.find("://", at + 3)) {
        const auto end = std::min(line.find_first_of("/ \t\"'", at + 3), line.size());
        const auto server = std::string_view(line).substr(0, end).rfind('@');
        const auto colon = line.find(':', at + 3);
        if (server != std::string_view::npos && server > at && colon < server) mask(line, colon + 1, server);
    }
}

bool may_hold_secret(std::string_view line) {
    return icontains(line, "pass") || icontains(line, "secret") || contains(line, "://") ||
           (contains(line, "user") && contains(line, "%"));
}

}  // namespace

std::string without_secrets(std::string text) {
    if (!may_hold_secret(text)) return text;
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        if (may_hold_secret(line)) mask_options(line), mask_addresses(line);
        out += line;
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace diskwright
