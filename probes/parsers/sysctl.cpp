// SPDX-License-Identifier: BSD-2-Clause
// sysctl of all systems, one name or -a:
//   vfs.wapbl.flush_disk_cache = 1       NetBSD, Linux
//   hw.physmem: 8554332160               FreeBSD, DragonFly
//   hw.physmem=8554332160                OpenBSD
//   vfs.wapbl.flush_disk_cache: 1 -> 0   a change (NetBSD, FreeBSD)
// sysctl -n prints the values alone, in the order of the names asked for.
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_name(std::string_view word) {
    constexpr std::array<std::string_view, 16> roots{"kern",  "vm",   "vfs",   "net",      "hw", "machdep",
                                                     "user",  "ddb",  "proc",  "security", "fs", "dev",
                                                     "debug", "emul", "kstat", "compat"};
    const auto dot = word.find('.');
    if (dot == std::string_view::npos || word.ends_with('.')) return false;
    if (std::find(roots.begin(), roots.end(), word.substr(0, dot)) == roots.end()) return false;
    return word.find("..") == std::string_view::npos && std::all_of(word.begin(), word.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-' || c == '%' || c == '/';
           });
}

struct Entry {
    std::string_view name, value;
    char separator;
};

std::optional<Entry> entry_of(std::string_view line) {
    line = trim(line);
    const auto end = line.find_first_of(" :=");
    if (end == std::string_view::npos || !is_name(line.substr(0, end))) return std::nullopt;
    auto rest = line.substr(end);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (!rest.starts_with(':') && !rest.starts_with('=')) return std::nullopt;
    const char separator = rest[0];
    rest.remove_prefix(1);
    // "vm.stats:x" and "fs.a==b" are something else.
    if (separator == ':' && !rest.empty() && rest[0] != ' ') return std::nullopt;
    auto value = trim(rest);
    if (const auto changed = value.find(" -> "); changed != std::string_view::npos)
        value = trim(value.substr(changed + 4));
    return Entry{line.substr(0, end), value, separator};
}

bool at_prompt(const Output& out) {
    return out.program() == "sysctl" ||
           std::any_of(out.argv.begin(), out.argv.end(),
                       [](const std::string& w) { return w.ends_with("sysctl.conf"); });
}

// A sentence may begin with a name; a value is short, or a list as "wd0 dk0 dk1" is.
bool is_entry(const Output& out, std::size_t at) {
    const auto entry = entry_of(out.text(at));
    if (!entry) return false;
    if (at_prompt(out)) return true;
    const auto count = words(entry->value).size();
    return entry->separator == '=' ? count <= 8 : count <= 2 && count > 0;
}

bool values_only(const Output& out) {
    return out.program() == "sysctl" && out.has_argument("-n");
}

bool sets_values(const Output& out) {
    return out.program() == "sysctl" &&
           std::any_of(out.argv.begin() + 1, out.argv.end(), [](const std::string& word) {
               return word.find('=') != std::string::npos &&
                      is_name(std::string_view(word).substr(0, word.find('=')));
           });
}

bool starts(const Output& out, std::size_t at) {
    return is_entry(out, at) || (at == 0 && (values_only(out) || sets_values(out)));
}

void remember(Scribe& scribe, std::string_view name, std::string_view value, const Provenance& from) {
    if (value.empty()) return;
    scribe.facts.sysctls[std::string(name)] = Text(std::string(value), from);
    Platform& os = scribe.facts.os;
    // The 32-bit hw.physmem of NetBSD stops at 2 GiB; hw.physmem64 is the one to believe there.
    const bool wide = name == "hw.physmem64";
    if (wide || (name == "hw.physmem" && !os.ram_bytes && value != "2147483647"))
        if (const auto bytes = to_unsigned(value); bytes && *bytes > 0) os.ram_bytes = Number(*bytes, from);
    if (name == "kern.ostype") {
        if (const auto kernel = from_string<Os>(lowercase(value))) os.name = Known<Os>(*kernel, from);
    } else if (name == "kern.osrelease") {
        os.release = Text(std::string(value), from);
    } else if (name == "kern.hostname") {
        os.hostname = Text(std::string(value), from);
    } else if (name == "hw.machine") {
        os.machine = Text(std::string(value), from);
    }
}

std::optional<Os> os_of(std::string_view name) {
    if (name.starts_with("vfs.wapbl.") || name.starts_with("vm.bufcache") || name == "hw.physmem64")
        return Os::netbsd;
    if (name.starts_with("kern.geom.") || name.starts_with("kern.cam.") || name == "vfs.hirunningspace" ||
        name == "vfs.lodirtybuffers" || name == "vfs.hidirtybuffers")
        return Os::freebsd;
    if (name == "kern.bufcachepercent") return Os::openbsd;
    if (name.starts_with("vm.dirty_") || name == "vm.swappiness") return Os::linux_;
    return std::nullopt;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = at;
    if (at == 0 && values_only(out)) {
        for (std::size_t n = 0; next < out.lines.size(); ++n, ++next) {
            const auto name = out.operand(n);
            const auto value = trim(out.text(next));
            if (name.empty() || !is_name(name) || value.empty()) break;
            remember(scribe, name, value, scribe.at(next));
        }
        return next - at;
    }
    for (; next < out.lines.size() && is_entry(out, next); ++next) {
        const auto entry = *entry_of(out.text(next));
        if (entry.value.empty()) {
            scribe.unparsed(next, next, "sysctl: no value for " + escaped(entry.name));
            continue;
        }
        remember(scribe, entry.name, entry.value, scribe.at(next));
        if (const auto os = os_of(entry.name)) scribe.suggest_os(*os, next);
    }
    if (at == 0 && next == 0 && sets_values(out)) {
        // Nothing was printed about it; a refusal would have been.
        if (trim(out.text(0)).starts_with("sysctl:")) return 1;
        for (const std::string_view word : out.argv)
            if (const auto equals = word.find('=');
                equals != std::string_view::npos && is_name(word.substr(0, equals)))
                remember(scribe, word.substr(0, equals), word.substr(equals + 1), scribe.at_prompt());
        return 1;
    }
    return next - at;
}

}  // namespace

extern const CommandParser sysctl_parser{
    .id = "sysctl",
    .programs = {"sysctl"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd,
              {"sysctl", "kern.ostype", "kern.osrelease", "hw.physmem64", "hw.disknames", "vm.bufcache",
               "vfs.wapbl"}},
             {Os::freebsd,
              {"sysctl", "kern.ostype", "kern.osrelease", "hw.physmem", "kern.disks", "kern.geom.label",
               "vfs.hirunningspace", "vfs.lodirtybuffers", "vfs.hidirtybuffers"}},
             {Os::openbsd,
              {"sysctl", "kern.ostype", "kern.osrelease", "hw.physmem", "hw.disknames",
               "kern.bufcachepercent"}},
             {Os::dragonfly, {"sysctl", "kern.ostype", "kern.osrelease", "hw.physmem", "kern.disks"}}},
};

}  // namespace diskwright
