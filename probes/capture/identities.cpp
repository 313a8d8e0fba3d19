// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/identities.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "probes/capture/assemble.hpp"
#include "probes/capture/common_names.hpp"
#include "probes/capture/identity_forms.hpp"
#include "probes/capture/pseudonyms.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t shortest_serial = 5, shortest_name = 3;
constexpr std::size_t shortest_worldwide = 12, shortest_identifier = 8;  // digits in hexadecimal

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
        // A capture that names two hosts, or two serial numbers of a disk: the facts have one of them.
        for (const Conflict& conflict : facts.conflicts)
            for (const Conflict::Value& value : conflict.values) other_value(conflict.what, value.value);
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
        for (const Mount& m : facts.mounts) {
            path(m.point);
            if (m.device) remote(*m.device);
            if (m.device && m.type && *m.type == "zfs") dataset(*m.device);
        }
        for (const FstabEntry& f : facts.fstab) {
            remote(f.device);
            path(f.point);
            if (f.type && *f.type == "zfs") dataset(f.device);
        }
        for (const Export& e : facts.exports) {
            path(e.point);
            if (e.clients) clients(*e.clients);
        }
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
                case FoundIdentity::Form::short_hex:
                    hex(found.text, shortest_identifier);
                    break;
                case FoundIdentity::Form::guid:
                    if (!has_letter(found.text)) serial(found.text);
                    break;
                case FoundIdentity::Form::path:
                    path(found.text);
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

    void hex(std::string_view text, std::size_t shortest = shortest_worldwide) {
        const std::string canonical = canonical_identity(text);
        const bool digits = std::all_of(canonical.begin(), canonical.end(), [](char c) {
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        });
        const bool zeros = canonical.find_first_not_of('0') == std::string::npos;
        if (digits && !zeros && canonical.size() >= shortest) add(std::string(text), Identity::Kind::hex);
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
    void other_value(std::string_view fact, std::string_view value) {
        if (fact == "os.hostname") host(value);
        if (fact.ends_with(".serial")) serial(value);
        if (fact.ends_with(".label")) label(value);
        if (fact.ends_with(".uuid")) hex(value);
        if (fact.ends_with(".set_name")) set_name(value);
    }
    void path(std::string_view text) {
        for (const auto part : split(text, '/'))
            if (!is_common(part)) add_part(part);
    }
    // "pool/customers": the first part stands alone too.
    void dataset(std::string_view text) {
        const auto slash = std::min(text.find('/'), text.size());
        label(text.substr(0, slash));
        path(text.substr(slash));
    }
    void add_part(std::string_view part) {
        const std::string canonical = canonical_identity(part);
        if (protected_.contains(canonical) || seen_.contains(canonical)) return;
        if (!seen_.insert("/" + canonical).second) return;
        found_.push_back({std::string(part), Identity::Kind::name});
        found_.back().in_path = true;
    }
    // "filer3:/export", "//filer3/share", LABEL= and NAME= of fstab.
    void remote(std::string_view device) {
        if (const auto equals = device.find('='); equals != std::string_view::npos) {
            const auto tag = lowercase(device.substr(0, equals));
            if (tag == "label" || tag == "name" || tag == "partlabel") label(device.substr(equals + 1));
            return;
        }
        const bool share = device.starts_with("//");
        const auto colon = share ? device.find('/', 2) : device.find(":/");
        if (!share && colon == std::string_view::npos) return;
        host(device.substr(share ? 2 : 0, colon - (share ? 2 : 0)));
        if (colon != std::string_view::npos) path(device.substr(colon + 1));
    }
    void clients(std::string_view list) {
        for (const auto word : words(list)) {
            const auto client = word.substr(0, word.find_first_of("(/:"));
            if (client.starts_with('@')) label(client.substr(1));
            if (!client.empty() && client[0] != '-' && client[0] != '@' && has_letter(client) &&
                client.find_first_of("=*?[,") == std::string_view::npos)
                host(client);
        }
    }

    std::vector<Identity> found_;
    std::set<std::string, std::less<>> seen_, protected_, domains_;
};

}  // namespace

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
