// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/identities.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "probes/capture/assemble.hpp"
#include "probes/capture/identity_forms.hpp"
#include "probes/capture/pseudonyms.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t shortest_serial = 5, shortest_name = 3;

// What labels and names are made of on any host; such a word tells nothing, and the tools print it elsewhere.
constexpr auto common_words = std::to_array<std::string_view>({
    "a",        "alt",        "amd64",     "array",      "backup",   "basic",       "bios",      "boot",
    "cache",    "ccd",        "cd",        "concat",     "crypt",    "data",        "db",        "debian",
    "default",  "disk",       "dragonfly", "dump",       "efi",      "esp",         "example",   "exports",
    "ext4",     "fictitious", "files",     "filesystem", "freebsd",  "gm",          "gpt",       "gptboot",
    "gs",       "gst",        "gstripe",   "gmirror",    "gr",       "graid",       "home",      "host",
    "journal",  "label",      "lan",       "linux",      "local",    "localdomain", "localhost", "log",
    "logs",     "lv",         "lvm",       "mail",       "main",     "md",          "media",     "microsoft",
    "mirror",   "mnt",        "msr",       "nas",        "netbsd",   "news",        "nfs",       "none",
    "null",     "old",        "opt",       "openbsd",    "os",       "partition",   "primary",   "raid",
    "recovery", "reserved",   "root",      "rootfs",     "rpool",    "server",      "spool",     "sr",
    "srv",      "ssd",        "st",        "storage",    "stripe",   "swap",        "sys",       "system",
    "tank",     "tmp",        "ufs",       "unknown",    "untitled", "usr",         "var",       "vg",
    "vol",      "volume",     "volume0",   "www",        "zfs",      "zpool",       "zroot",     "vm",
    "user",     "users",      "admin",     "operator",   "wheel",    "build",       "nobody",    "daemon",
    "bin",      "com",        "org",       "net",        "p",        "s",           "gw",        "no",
    "yes",      "on",         "off",       "any",        "ubuntu",   "vms",
});

// Domains of the systems: who built a kernel or packages it is the same on every host of that release.
constexpr std::array<std::string_view, 10> public_domains{"netbsd", "freebsd",      "openbsd", "dragonflybsd",
                                                          "debian", "ubuntu",       "redhat",  "kernel",
                                                          "gnu",    "fedoraproject"};

bool has_letter(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return is_identity_character(c) && !(c >= '0' && c <= '9'); });
}

bool has_digit(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Words of a name, split where letters and digits do not touch, and at the number behind a word.
std::vector<std::string> words_of_name(std::string_view name) {
    std::vector<std::string> out;
    std::string word;
    for (const char c : name) {
        if (is_identity_character(c)) {
            word += canonical_identity(std::string_view(&c, 1));
        } else if (!word.empty()) {
            out.push_back(std::move(word));
            word.clear();
        }
    }
    if (!word.empty()) out.push_back(std::move(word));
    for (auto& each : out)
        while (each.size() > 1 && has_letter(each) && each.back() >= '0' && each.back() <= '9')
            each.pop_back();
    return out;
}

class Finder {
 public:
    explicit Finder(const HostFacts& facts) {
        for (const Disk& d : facts.disks) {
            protect(d.name);
            if (d.model) protect(*d.model);
        }
        for (const Partition& p : facts.partitions) protect(p.name);
        for (const Volume& v : facts.volumes)
            if (!named_by_people(v)) protect(v.name);
    }

    void facts(const HostFacts& facts) {
        if (facts.os.hostname) host(*facts.os.hostname);
        // A capture that names two hosts: the facts have one of them.
        for (const Conflict& conflict : facts.conflicts)
            if (conflict.what == "os.hostname")
                for (const Conflict::Value& value : conflict.values) host(value.value);
        for (const Disk& d : facts.disks)
            if (d.serial) serial(*d.serial);
        for (const Partition& p : facts.partitions)
            if (p.label) label(*p.label);
        for (const Filesystem& f : facts.filesystems)
            if (f.label) label(*f.label);
        for (const Volume& v : facts.volumes) {
            if (v.uuid) hex(*v.uuid);
            if (v.set_name) set_name(*v.set_name);
            if (named_by_people(v)) volume(v);
        }
        for (const Mount& m : facts.mounts)
            if (m.device) remote(*m.device);
        for (const FstabEntry& f : facts.fstab) remote(f.device);
        for (const Export& e : facts.exports)
            if (e.clients) clients(*e.clients);
    }

    void line(std::string_view text) {
        for (const FoundIdentity& found : identities_in_line(text)) {
            switch (found.form) {
                case FoundIdentity::Form::hex:
                    hex(found.text);
                    break;
                case FoundIdentity::Form::serial:
                    serial(found.text);
                    break;
                case FoundIdentity::Form::label:
                    label(found.text);
                    break;
                case FoundIdentity::Form::host:
                    host(found.text);
                    break;
                case FoundIdentity::Form::user:
                    user(found.text);
                    break;
                case FoundIdentity::Form::set:
                    set_name(found.text);
                    break;
            }
        }
    }

    // Other hosts of a domain that is an identity.
    void line_with_domains(std::string_view text) {
        for (const std::string& domain : domains_) {
            for (auto at = text.find(domain); at != std::string_view::npos; at = text.find(domain, at + 1)) {
                std::size_t from = at;
                while (from > 0 && (is_identity_character(text[from - 1]) || text[from - 1] == '-' ||
                                    text[from - 1] == '.'))
                    --from;
                if (from < at) host(std::string(text.substr(from, at - from)) + domain);
            }
        }
    }

    std::vector<Identity> take() { return std::move(found_); }

 private:
    static bool named_by_people(const Volume& v) {
        if (!v.kind) return v.name.find('/') != std::string::npos;
        switch (*v.kind) {
            case VolumeKind::gmirror:
            case VolumeKind::gstripe:
            case VolumeKind::graid3:
            case VolumeKind::gconcat:
            case VolumeKind::lvm:
            case VolumeKind::zfs:
                return true;
            default:
                return false;
        }
    }

    void protect(std::string_view name) { protected_.insert(canonical_identity(name)); }

    void add(std::string text, Identity::Kind kind, bool guarded = false, std::string domain = {}) {
        const std::string canonical = canonical_identity(text);
        if (canonical.empty() || (!guarded && protected_.contains(canonical))) return;
        if (seen_.insert(guarded ? canonical + domain : canonical).second)
            found_.push_back({std::move(text), kind, guarded, std::move(domain)});
    }

    void hex(std::string_view text) {
        const std::string canonical = canonical_identity(text);
        const bool digits = std::all_of(canonical.begin(), canonical.end(), [](char c) {
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        });
        const bool zeros = canonical.find_first_not_of('0') == std::string::npos;
        if (digits && !zeros && canonical.size() >= 12) add(std::string(text), Identity::Kind::hex);
    }
    void serial(std::string_view text) {
        const auto canonical = canonical_identity(text);
        const bool number = !has_letter(canonical);
        if (has_digit(canonical) && canonical.size() >= (number ? shortest_serial + 3 : shortest_serial))
            add(std::string(trim(text)), Identity::Kind::serial);
    }
    static bool is_common(std::string_view text) {
        const auto canonical = canonical_identity(text);
        return is_common_name(text) || canonical.size() < shortest_name || !has_letter(canonical);
    }
    void label(std::string_view text) {
        text = trim(text);
        // A label that is a UUID or the model of its drive is found as such, or stays.
        if (text.empty() || text.starts_with('(') || is_uuid(text)) return;
        for (const auto& kept : protected_)
            if (kept.starts_with(canonical_identity(text))) return;
        if (!is_common(text)) add(std::string(text), Identity::Kind::name);
    }
    void set_name(std::string_view text) {
        const auto colon = text.find(':');
        if (colon != std::string_view::npos) host(text.substr(0, colon));
        label(colon == std::string_view::npos ? text : text.substr(colon + 1));
    }
    void volume(const Volume& v) {
        const auto slash = v.name.rfind('/');
        const auto last = std::string_view(v.name).substr(slash == std::string::npos ? 0 : slash + 1);
        // LVM: group and volume, and each on its own where a tool lists them.
        if (v.kind.is(VolumeKind::lvm))
            if (const auto dash = last.find('-'); dash != std::string_view::npos) {
                label(last.substr(0, dash));
                return label(last.substr(dash + 1));
            }
        label(last);
    }
    void user(std::string_view text) {
        if (text != "root") add(std::string(text), Identity::Kind::name, is_common(text));
    }
    void host(std::string_view text) {
        const auto labels = split(text, '.');
        for (const auto part : labels)
            if (std::find(public_domains.begin(), public_domains.end(), lowercase(part)) !=
                public_domains.end())
                return;
        if (!has_letter(labels.back())) return;                             // an address
        const std::size_t own = labels.size() > 1 ? labels.size() - 1 : 1;  // without the top domain
        for (std::size_t i = 0; i < own; ++i) {
            const auto behind = static_cast<std::size_t>(labels[i].data() - text.data()) + labels[i].size();
            const bool common = is_common(labels[i]) || protected_.contains(canonical_identity(labels[i]));
            add(std::string(labels[i]), Identity::Kind::name, common,
                common ? lowercase(text.substr(behind)) : "");
        }
        if (labels.size() > 2)
            domains_.insert("." + std::string(labels[own - 1]) + "." + std::string(labels[own]));
    }
    // "filer3:/export", "//filer3/share", LABEL= and NAME= of fstab.
    void remote(std::string_view device) {
        if (const auto equals = device.find('='); equals != std::string_view::npos) {
            const auto tag = lowercase(device.substr(0, equals));
            if (tag == "label" || tag == "name" || tag == "partlabel") label(device.substr(equals + 1));
            return;
        }
        if (device.starts_with("//")) return host(device.substr(2, device.find('/', 2) - 2));
        if (const auto colon = device.find(":/"); colon != std::string_view::npos)
            host(device.substr(0, colon));
    }
    void clients(std::string_view list) {
        for (const auto word : words(list)) {
            const auto client = word.substr(0, word.find_first_of("(/:"));
            if (!client.empty() && client[0] != '-' && client[0] != '@' && has_letter(client) &&
                client.find_first_of("=*?[,") == std::string_view::npos)
                host(client);
        }
    }

    std::vector<Identity> found_;
    std::set<std::string, std::less<>> seen_, protected_, domains_;
};

}  // namespace

bool is_common_name(std::string_view name) {
    const auto parts = words_of_name(name);
    return std::all_of(parts.begin(), parts.end(), [](const std::string& word) {
        return !has_letter(word) ||
               std::find(common_words.begin(), common_words.end(), word) != common_words.end();
    });
}

std::vector<Identity> identities_of(const Capture& capture) {
    const auto facts = assemble(capture);
    const HostFacts known = facts ? *facts : HostFacts{};
    Finder finder(known);
    finder.facts(known);
    const auto each_line = [&](const auto& use) {
        for (const Document& document : capture.documents)
            for (const auto line : split_lines(document.bytes)) use(line);
        for (const auto& note : capture.notes) use(std::string_view(note));
    };
    each_line([&](std::string_view line) { finder.line(line); });
    each_line([&](std::string_view line) { finder.line_with_domains(line); });
    auto found = finder.take();
    if (capture.info && !capture.info->host.empty()) {
        HostFacts host;
        host.os.hostname = Text(capture.info->host, {});
        Finder more(known);
        more.facts(host);
        for (auto& identity : more.take()) found.push_back(std::move(identity));
    }
    return found;
}

}  // namespace diskwright
