// SPDX-License-Identifier: BSD-2-Clause
// Banners that name a system and its release:
//   NetBSD 9.3 (GENERIC) #0: Thu Aug  4 15:30:37 UTC 2022       motd, kern.version
//   OpenBSD 7.4 (GENERIC.MP) #1397: ...
//   FreeBSD 14.0-RELEASE (GENERIC) releng/14.0-n265380-f9716eee8ab4
//   NetBSD 9.3/amd64                                            /etc/release
//   13.2-RELEASE-p4                                             freebsd-version, uname -r
//   NAME="Debian GNU/Linux"                                     /etc/os-release; its release is not the
//   kernel's
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_release(std::string_view word) {
    return !word.empty() && word[0] >= '0' && word[0] <= '9' && word.find('.') != std::string_view::npos &&
           word.find_first_not_of("0123456789.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-+~") ==
               std::string_view::npos;
}

std::optional<Os> system_named(std::string_view word) {
    if (word == "NetBSD") return Os::netbsd;
    if (word == "FreeBSD") return Os::freebsd;
    if (word == "OpenBSD") return Os::openbsd;
    if (word == "DragonFly") return Os::dragonfly;
    return std::nullopt;
}

struct Found {
    std::optional<Os> os;
    std::string_view release, machine;
};

std::optional<Found> banner(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 2) return std::nullopt;
    const auto os = system_named(w[0]);
    if (!os) return std::nullopt;
    std::string_view release = w[1];
    if (release.starts_with('v')) release.remove_prefix(1);
    if (w.size() == 2) {
        const auto slash = release.find('/');
        if (*os != Os::netbsd || slash == std::string_view::npos || !is_release(release.substr(0, slash)))
            return std::nullopt;
        return Found{os, release.substr(0, slash), release.substr(slash + 1)};
    }
    // "(GENERIC)" or "#0:" is what a sentence lacks.
    if (!is_release(release) || !(w[2].starts_with('(') || w[2].starts_with('#'))) return std::nullopt;
    return Found{os, release, {}};
}

bool asks_release(const Output& out) {
    return out.program() == "freebsd-version" ||
           (out.program() == "uname" && out.argv.size() == 2 && out.argv[1] == "-r");
}

// The suffix of FreeBSD's releases is nobody else's; NetBSD and OpenBSD look alike.
std::optional<Found> bare(const Output& out, std::size_t at) {
    if (!asks_release(out)) return std::nullopt;
    const auto w = words(out.text(at));
    if (w.size() != 1 || !is_release(w[0])) return std::nullopt;
    const bool freebsd =
        out.program() == "freebsd-version" || contains(w[0], "-RELEASE") || contains(w[0], "-CURRENT");
    return Found{freebsd ? std::optional(Os::freebsd) : std::nullopt, w[0], {}};
}

std::string_view unquoted(std::string_view value) {
    value = trim(value);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
        value = value.substr(1, value.size() - 2);
    return value;
}

bool is_os_release_key(std::string_view line) {
    constexpr std::array<std::string_view, 9> keys{
        "NAME=",       "VERSION=",          "ID=",      "ID_LIKE=", "PRETTY_NAME=", "VERSION_ID=",
        "ANSI_COLOR=", "VERSION_CODENAME=", "CPE_NAME="};
    return std::any_of(keys.begin(), keys.end(), [&](auto key) { return line.starts_with(key); });
}

bool is_os_release(const Output& out, std::size_t at) {
    return is_os_release_key(trim(out.text(at))) && is_os_release_key(trim(out.text(at + 1)));
}

bool starts(const Output& out, std::size_t at) {
    return banner(out.text(at)) || bare(out, at) || is_os_release(out, at) ||
           (at == 0 && asks_release(out) && !out.lines.empty());
}

void write(Scribe& scribe, const Found& found, std::size_t at) {
    Platform& os = scribe.facts.os;
    if (found.os) os.name = scribe.known(*found.os, at);
    os.release = scribe.text(found.release, at);
    if (!found.machine.empty()) os.machine = scribe.text(found.machine, at);
}

std::size_t parse_os_release(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = at;
    std::string_view id, version;
    std::size_t id_line = at, version_line = at;
    for (; next < out.lines.size() && trim(out.text(next)).find('=') != std::string_view::npos; ++next) {
        const auto line = trim(out.text(next));
        if (line.starts_with("ID=")) id = unquoted(line.substr(3)), id_line = next;
        if (line.starts_with("VERSION=")) version = unquoted(line.substr(8)), version_line = next;
    }
    if (id.empty()) {
        scribe.unparsed(at, at, "os-release: no ID");
        return next - at;
    }
    const auto bsd = from_string<Os>(lowercase(id));
    scribe.facts.os.name = scribe.known(bsd ? *bsd : Os::linux_, id_line);
    if (bsd && *bsd != Os::linux_ && is_release(version))
        scribe.facts.os.release = scribe.text(version, version_line);
    return next - at;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (is_os_release(out, at)) return parse_os_release(out, at, scribe);
    if (const auto found = banner(out.text(at))) {
        write(scribe, *found, at);
        return 1;
    }
    if (const auto found = bare(out, at)) {
        write(scribe, *found, at);
        return 1;
    }
    scribe.unparsed(at, at, "no release in '" + escaped(out.text(at)) + "'");
    return 1;
}

}  // namespace

extern const CommandParser release_parser{
    .id = "release",
    .programs = {"freebsd-version", "uname"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"freebsd-version", "-k"}}, {Os::linux_, {"<", "/etc/os-release"}}},
};

}  // namespace diskwright
