// SPDX-License-Identifier: BSD-2-Clause
// uname -a and uname -sr of the five systems:
//   NetBSD box 9.3 NetBSD 9.3 (GENERIC) #0: Thu Aug  4 15:30:37 UTC 2022 ... amd64
//   FreeBSD srv1 14.0-RELEASE FreeBSD 14.0-RELEASE #0 releng/14.0-n265380: ... amd64
//   OpenBSD box 7.4 GENERIC.MP#1397 amd64
//   DragonFly box 6.4-RELEASE DragonFly v6.4.0-RELEASE #9: ... x86_64
//   Linux host1 5.10.62 #1 SMP ... x86_64 GNU/Linux
// uname -n and hostname print the name of the host alone.
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Kernel {
    std::string_view name;
    Os os;
};
constexpr std::array<Kernel, 5> kernels{{{"NetBSD", Os::netbsd},
                                         {"FreeBSD", Os::freebsd},
                                         {"OpenBSD", Os::openbsd},
                                         {"DragonFly", Os::dragonfly},
                                         {"Linux", Os::linux_}}};

bool is_release(std::string_view word) {
    return !word.empty() && word[0] >= '0' && word[0] <= '9' && word.find('.') != std::string_view::npos;
}

struct Match {
    Os os;
    std::string_view release, hostname, machine;
};

std::optional<Match> match(std::string_view line, bool at_prompt) {
    const auto w = words(line);
    if (w.size() < 2) return std::nullopt;
    for (const Kernel& kernel : kernels) {
        if (w[0] != kernel.name) continue;
        // "uname -sr" has just the two words, and only a prompt tells it from a sentence that begins like it.
        if (w.size() <= 3 && is_release(w[1]) && at_prompt) return Match{kernel.os, w[1], {}, {}};
        if (w.size() < 5 || !is_release(w[2])) return std::nullopt;
        const auto machine = kernel.os == Os::linux_ && w.back() == "GNU/Linux" ? w[w.size() - 2] : w.back();
        return Match{kernel.os, w[2], w[1], machine};
    }
    return std::nullopt;
}

bool names_kernel(std::string_view line) {
    const auto w = words(line);
    return !w.empty() &&
           std::any_of(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == w[0]; });
}

bool asks_for_host(const Output& out) {
    return (out.program() == "uname" && out.argv.size() == 2 && out.has_argument("-n")) ||
           (out.program() == "hostname" && out.operand(0).empty());
}

bool is_host_name(std::string_view line) {
    const auto w = words(line);
    return w.size() == 1 && std::all_of(w[0].begin(), w[0].end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '.' || c == '_';
           });
}

bool starts(const Output& out, std::size_t at) {
    if (at == 0 && asks_for_host(out) && is_host_name(out.text(at))) return true;
    const bool at_prompt = out.program() == "uname";
    return match(out.text(at), at_prompt) || (at_prompt && at == 0 && names_kernel(out.text(at)));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (at == 0 && asks_for_host(out) && is_host_name(out.text(at))) {
        scribe.facts.os.hostname = scribe.text(trim(out.text(at)), at);
        return 1;
    }
    const auto found = match(out.text(at), out.program() == "uname");
    if (!found) {
        scribe.unparsed(at, at, "uname: no release in '" + escaped(out.text(at)) + "'");
        return 1;
    }
    Platform& os = scribe.facts.os;
    os.name = scribe.known(found->os, at);
    os.release = scribe.text(found->release, at);
    if (!found->hostname.empty()) os.hostname = scribe.text(found->hostname, at);
    if (!found->machine.empty()) os.machine = scribe.text(found->machine, at);
    return 1;
}

}  // namespace

extern const CommandParser uname_parser{
    .id = "uname",
    .programs = {"uname", "hostname"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"uname", "-a"}},
             {Os::netbsd, {"uname", "-a"}},
             {Os::freebsd, {"uname", "-a"}},
             {Os::openbsd, {"uname", "-a"}},
             {Os::dragonfly, {"uname", "-a"}}},
};

}  // namespace diskwright
