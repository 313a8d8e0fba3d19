// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/identity_forms.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "probes/capture/pseudonyms.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Form = FoundIdentity::Form;

bool hex_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool all_hex(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), hex_digit);
}

// Groups of hexadecimal digits of these lengths, and nothing else.
bool has_groups(std::string_view text, char separator, std::initializer_list<std::size_t> lengths) {
    const auto groups = split(text, separator);
    return std::equal(
        groups.begin(), groups.end(), lengths.begin(), lengths.end(),
        [](std::string_view group, std::size_t length) { return group.size() == length && all_hex(group); });
}

// GUIDs of partition types: the same on every host, and parsers know some of them.
bool names_a_type(std::string_view before, std::string_view guid) {
    constexpr std::array<std::string_view, 7> keys{
        "type=", "type=\"", "type: ", "rawtype: ", "guid code: ", "parttype=\"", "type-uuid: "};
    constexpr std::array<std::string_view, 14> types{
        "6ecf-11d6-8ff8-00022d09712b", "b10e-11dc-b99b-0019d1879648", "0fc63daf-8483-4772",
        "c12a7328-f81f-11d2",          "ebd0a0a2-b9e5-4433",          "e3c9e316-0b5c-4db8",
        "a19d880f-05fc-4d3b",          "e6d6d379-f507-44c2",          "0657fd6d-a4ab-43c4",
        "21686148-6449-6e6f",          "824cc7a0-36a8-11e3",          "83bd6b9d-7f41-11dc",
        "de94bba4-06d1-4d40",          "2db519c4-b10f-11dc"};
    const std::string head = lowercase(before), id = lowercase(guid);
    return std::any_of(keys.begin(), keys.end(), [&](auto key) { return head.ends_with(key); }) ||
           std::any_of(types.begin(), types.end(), [&](auto type) { return contains(id, type); });
}

// Characters that identifiers in hexadecimal are written with.
bool identifier_character(char c) {
    return is_identity_character(c) || c == '-' || c == ':';
}

// A run of 16 or 32 digits that no size is: with the mark of an identifier, or with letters and no leading 0.
bool is_long_identifier(std::string_view before, std::string_view word, std::string_view behind) {
    if (!all_hex(word) || (word.size() != 16 && word.size() != 32)) return false;
    const std::string head = lowercase(before);
    const bool marked = head.ends_with("naa.") || head.ends_with("eui.") || head.ends_with("duid: ") ||
                        (contains(head, "disknames") && head.ends_with(":"));
    const bool duid_partition = behind.size() >= 2 && behind[0] == '.' && behind[1] >= 'a' &&
                                behind[1] <= 'p' && (behind.size() == 2 || !is_identity_character(behind[2]));
    const bool letters = std::any_of(word.begin(), word.end(), [](char c) { return c > '9'; });
    return marked || duid_partition || (letters && word[0] != '0');
}

class LineReader {
 public:
    explicit LineReader(std::string_view line) : line_(line), lower_(lowercase(line)) {}

    std::vector<FoundIdentity> read() {
        identifiers();
        keyed();
        wide_names();
        short_numbers();
        pools();
        targets();
        paths();
        people();
        return std::move(found_);
    }

 private:
    void add(Form form, std::string_view text) {
        text = trim(text);
        if (!text.empty()) found_.push_back({form, std::string(text)});
    }

    void identifiers() {
        for (std::size_t at = 0; at < line_.size();) {
            if (!identifier_character(line_[at])) {
                ++at;
                continue;
            }
            std::size_t end = at;
            while (end < line_.size() && identifier_character(line_[end])) ++end;
            identifiers_in(at, line_.substr(at, end - at));
            at = end;
        }
    }

    void identifiers_in(std::size_t at, std::string_view run) {
        const auto before = line_.substr(0, at);
        for (std::size_t i = 0; i < run.size(); ++i) {
            if (i > 0 && is_identity_character(run[i - 1])) continue;
            const auto rest = run.substr(i);
            if (rest.size() >= 36 && is_uuid(rest.substr(0, 36)) &&
                (rest.size() == 36 || !is_identity_character(rest[36]))) {
                if (!names_a_type(line_.substr(0, at + i), rest.substr(0, 36)))
                    add(Form::hex, rest.substr(0, 36));
                i += 35;
            } else if (rest.size() >= 35 && has_groups(rest.substr(0, 35), ':', {8, 8, 8, 8})) {
                add(Form::hex, rest.substr(0, 35));
                i += 34;
            } else if (rest.size() >= 17 && (rest.size() == 17 || !identifier_character(rest[17])) &&
                       (has_groups(rest.substr(0, 17), ':', {2, 2, 2, 2, 2, 2}) ||
                        has_groups(rest.substr(0, 17), '-', {2, 2, 2, 2, 2, 2}))) {
                add(Form::hex, rest.substr(0, 17));
                i += 16;
            } else {
                std::size_t length = 0;
                while (length < rest.size() && is_identity_character(rest[length])) ++length;
                long_identifier(before.size() + i, rest.substr(0, length));
            }
        }
    }

    void long_identifier(std::size_t at, std::string_view word) {
        // Marks that touch the digits: 0x, "scsi-3" before a WWN, "@n" of an enclosure.
        const auto before = line_.substr(0, at);
        if (word.starts_with("0x") || word.starts_with("0X"))
            word.remove_prefix(2);
        else if ((before.ends_with("scsi-") && word.starts_with("3")) ||
                 (before.ends_with("@") && word.starts_with("n")))
            if (word.size() == 17 || word.size() == 33) word.remove_prefix(1);
        if (is_long_identifier(
                before, word,
                line_.substr(static_cast<std::size_t>(word.data() - line_.data()) + word.size())))
            add(Form::hex, word);
    }

    // What follows a key, up to a blank, quote or comma.
    void keyed() {
        struct Key {
            std::string_view key;
            Form form;
            bool to_end;  // the value may hold blanks: up to the quote or the end of the line
        };
        constexpr auto keys = std::to_array<Key>({
            {"serial number", Form::serial, false},
            {"serial no", Form::serial, false},
            {"serial #", Form::serial, false},
            {"serial=\"", Form::serial, false},
            {"serial:", Form::serial, false},
            {"serial.", Form::serial, false},
            {"serialnumber:", Form::serial, false},
            {"serial_number(", Form::serial, false},
            {"sn(", Form::serial, false},
            {"service tag", Form::serial, false},
            {"s/n", Form::serial, false},
            {" ident:", Form::serial, false},
            {"diskid/disk-", Form::serial, false},
            {"label=\"", Form::label, true},
            {"label=", Form::label, false},
            {"label_fatboot=\"", Form::label, true},
            {"device label ", Form::label, false},
            {"domain=", Form::label, false},
            {"workgroup=", Form::label, false},
            {" name=\"", Form::label, true},
            {"volume name:", Form::label, true},
            {"volume label: (-l)", Form::label, true},
            {"newfs -l ", Form::label, false},
            {" -l ", Form::label, false},
            {"gpt part - \"", Form::label, true},
            {"local to host ", Form::host, false},
            {"hostname set to <", Form::host, false},
            {"hostname: '", Form::host, false},
            {"kern.hostname", Form::host, false},
            {"hostname=", Form::host, false},
            {" name=", Form::set, false},
            {"mounted by ", Form::user, false},
            {"username=", Form::user, false},
            {"-mapall=", Form::user, false},
            {"-maproot=", Form::user, false},
            {"/home/", Form::user, false},
            {"last mounted on", Form::path, true},
            {"fsmnt", Form::path, true},
            {"pool_guid", Form::guid, false},
            {"guid:", Form::guid, false},
            {"hostid", Form::guid, false},
        });
        for (const Key& key : keys)
            for (auto at = lower_.find(key.key); at != std::string::npos; at = lower_.find(key.key, at + 1))
                add(key.form, value_behind(at + key.key.size(), key.key.back(), key.to_end));
        checked_label();
        if (const auto at = lower_.find("# disk ident."); at != std::string::npos)
            add(Form::serial, line_.substr(0, at));
        const auto text = trim(line_);
        if (text.size() > 2 && text.front() == '\'' && text.back() == '\'')
            add(Form::serial, text.substr(1, text.size() - 2));
    }

    std::string_view value_behind(std::size_t at, char last_of_key, bool to_end) const {
        if (last_of_key != '"' && last_of_key != '\'' && last_of_key != '<')
            while (at < line_.size() && std::string_view(" \t:=#").find(line_[at]) != std::string_view::npos)
                ++at;
        const std::string_view ends = last_of_key == '"' || to_end ? "\"" : " \t\"',;()<>/";
        return line_.substr(at, line_.find_first_of(ends, at) - at);
    }

    // fsck at boot: "systemd-fsck[234]: DATA: clean, 11/65536 files", and the label of a GEOM provider.
    void checked_label() {
        const auto fsck = lower_.find("fsck[");
        const auto from = fsck == std::string::npos ? fsck : lower_.find("]: ", fsck);
        const auto to = from == std::string::npos ? from : lower_.find(": ", from + 3);
        if (to != std::string::npos &&
            (lower_.compare(to + 2, 5, "clean") == 0 || lower_.compare(to + 2, 10, "recovering") == 0)) {
            const auto name = line_.substr(from + 3, to - from - 3);
            if (!contains(name, "/")) add(Form::label, name);
        }
        const auto provider = lower_.find("label for provider ");
        const auto is = provider == std::string::npos ? provider : lower_.find(" is ", provider);
        const auto slash = is == std::string::npos ? is : lower_.find('/', is);
        if (slash != std::string::npos) add(Form::label, path_word(slash + 1));
    }

    // A number of at least eight digits that a table, a FAT or an NTFS has, and the last digits of a WWN.
    void short_numbers() {
        constexpr auto keys = std::to_array<std::string_view>(
            {"disk identifier:", "label-id:", "partuuid=", "ptuuid=", "uuid=", "/by-uuid/", "/by-partuuid/",
             "unique id", "disk signature", "volume id", "volume serial number"});
        for (const auto key : keys)
            for (auto at = lower_.find(key); at != std::string::npos; at = lower_.find(key, at + 1)) {
                auto from = std::min(line_.find_first_not_of(" \t:=\"", at + key.size()), line_.size());
                if (lower_.compare(from, 2, "0x") == 0) from += 2;
                std::size_t end = from;
                while (end < line_.size() && hex_digit(line_[end])) ++end;
                auto digits = line_.substr(from, end - from);
                if (digits.size() == 4 && has_groups(line_.substr(from, 9), '-', {4, 4}))
                    digits = line_.substr(from, 9);
                const bool over = from + digits.size() >= line_.size() ||
                                  !is_identity_character(line_[from + digits.size()]);
                const bool whole_uuid = is_uuid(line_.substr(from, 36));
                if (over && !whole_uuid && digits.size() >= 8 && digits.size() <= 16)
                    add(Form::short_hex, digits);
            }
    }

    // "    13579246801357924680  UNAVAIL  0 0 0  was /dev/ada3p1": a device by its GUID.
    void pools() {
        constexpr auto states = std::to_array<std::string_view>(
            {"ONLINE", "DEGRADED", "FAULTED", "OFFLINE", "UNAVAIL", "REMOVED", "AVAIL", "INUSE"});
        const auto columns = words(line_);
        constexpr std::size_t shortest_guid = 15;
        if (columns.size() < 2 || columns[0].size() < shortest_guid || !to_unsigned(columns[0])) return;
        if (std::find(states.begin(), states.end(), columns[1]) != states.end()) add(Form::guid, columns[0]);
    }

    // "iqn.2010-01.com.acme:storage.disk1": who it is and what it calls its disk.
    void targets() {
        for (const std::string_view key : {"iqn.", "nqn."})
            for (auto at = lower_.find(key); at != std::string::npos; at = lower_.find(key, at + 1)) {
                if (at > 0 && is_identity_character(line_[at - 1])) continue;
                auto name = path_word(at + key.size());
                name = name.substr(0, name.find("-lun-"));
                const auto colon = std::min(name.find(':'), name.size());
                for (const auto part : split(name.substr(0, colon), '.'))
                    if (!is_top_domain(part)) add(Form::label, part);
                for (const auto part : split(name.substr(std::min(colon + 1, name.size())), ':'))
                    add(Form::label, part);
            }
    }
    static bool is_top_domain(std::string_view part) {
        return part.size() <= 3 || iequals(part, "nvmexpress") || part.find_first_of("0123456789") == 0;
    }

    // "LU WWN Device Id: 5 0014ee 2ab12cd34", "World Wide Name: 50014EE2AB12CD34", in pieces or whole.
    void wide_names() {
        for (const std::string_view key :
             {"wwn", "world wide name", "lunid", "eui-64", "eui64", "nguid", "logical unit id", "logical id(",
              "sas address", "sas_address", "sas_addr", "device_name("}) {
            const auto at = lower_.find(key);
            if (at == std::string::npos) continue;
            const auto colon = line_.find_first_of(":\t=(", at);
            auto value = trim(line_.substr(
                std::min(colon == std::string_view::npos ? at + key.size() : colon + 1, line_.size())));
            if (value.starts_with("0x")) value.remove_prefix(2);
            std::size_t end = 0;
            while (end < value.size() && (hex_digit(value[end]) || value[end] == ' ')) ++end;
            const auto digits = canonical_identity(value.substr(0, end));
            if (digits.size() == 16 || digits.size() == 32) add(Form::hex, trim(value.substr(0, end)));
        }
    }

    // /dev/mirror/NAME, by-label/NAME, by-id/ata-MODEL_SERIAL-part1.
    void paths() {
        constexpr auto folders = std::to_array<std::string_view>(
            {"/by-label/", "/by-partlabel/", "/dev/gpt/", "/dev/label/", "/dev/ufs/", "ufs:/dev/ufs/",
             "/dev/ext2fs/", "/dev/msdosfs/", "/dev/ntfs/", "/dev/iso9660/", "/dev/vol/"});
        for (const auto folder : folders)
            if (const auto at = lower_.find(folder); at != std::string::npos)
                add(Form::label, path_word(at + folder.size()));
        for (const std::string_view folder : {"/dev/mirror/", "/dev/stripe/", "/dev/concat/", "/dev/raid3/"})
            if (const auto at = lower_.find(folder); at != std::string::npos)
                add(Form::label, without_partition(path_word(at + folder.size())));
        if (const auto at = lower_.find("/by-id/"); at != std::string::npos) by_id(path_word(at + 7));
    }
    std::string_view path_word(std::size_t at) const {
        return line_.substr(at, line_.find_first_of(" \t,;)]}\"'/", at) - at);
    }
    static std::string_view without_partition(std::string_view name) {
        const auto digits_from = name.find_last_not_of("0123456789abcdefgh");
        if (digits_from != std::string_view::npos && digits_from > 0 && digits_from + 1 < name.size() &&
            (name[digits_from] == 'p' || name[digits_from] == 's') && name[digits_from + 1] <= '9')
            return name.substr(0, digits_from);
        return name;
    }
    void by_id(std::string_view id) {
        if (const auto part = id.rfind("-part"); part != std::string_view::npos) id = id.substr(0, part);
        if (id.ends_with("-0:0")) id.remove_suffix(4);
        const auto last = id.rfind('_');
        if (last != std::string_view::npos && !id.starts_with("dm-") && !id.starts_with("md-"))
            add(Form::serial, id.substr(last + 1));
    }

    // user@host, as in mail, prompts and kernel banners.
    void people() {
        const auto part_of = [](char c) {
            return is_identity_character(c) || c == '.' || c == '-' || c == '_' || c == '+';
        };
        for (auto at = line_.find('@'); at != std::string_view::npos; at = line_.find('@', at + 1)) {
            std::size_t from = at, to = at + 1;
            while (from > 0 && part_of(line_[from - 1])) --from;
            while (to < line_.size() && part_of(line_[to])) ++to;
            auto host = line_.substr(at + 1, to - at - 1);
            while (host.ends_with('.')) host.remove_suffix(1);
            const bool named = std::any_of(host.begin(), host.end(), [](char c) { return c >= 'A'; });
            if (from == at || !named || line_.substr(0, from).ends_with('/')) continue;
            add(Form::host, host);
            if (!is_public(host)) add(Form::user, line_.substr(from, at - from));
        }
    }
    static bool is_public(std::string_view host) {
        for (const std::string_view domain :
             {"netbsd.org", "freebsd.org", "openbsd.org", "debian.org", "dragonflybsd.org"})
            if (lowercase(host).ends_with(domain)) return true;
        return false;
    }

    std::string_view line_;
    std::string lower_;
    std::vector<FoundIdentity> found_;
};

}  // namespace

bool is_uuid(std::string_view text) {
    return has_groups(text, '-', {8, 4, 4, 4, 12});
}

std::vector<FoundIdentity> identities_in_line(std::string_view line) {
    return LineReader(line).read();
}

}  // namespace diskwright
