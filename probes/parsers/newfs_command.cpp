// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/newfs_command.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The name of a device or image file. A word of prose has no digit and no slash.
bool is_device_word(std::string_view word) {
    if (word.empty() || word[0] == '-') return false;
    bool telling = false;
    for (const char c : word) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
                           c == '-' || c == '=' || c == ',' || c == '+' || c == '@' || c == ':';
        telling = telling || is_digit(c) || c == '/';
        if (!plain && !is_digit(c) && c != '/') return false;
    }
    return telling && word.find_first_not_of("0123456789") != std::string_view::npos;
}

// What may follow the device: a comment, another command, an old disk type.
bool ends_command(std::string_view word) {
    return word.starts_with('#') || word.starts_with(';') || word.starts_with('&') || word.starts_with('|') ||
           word.starts_with('>') || word.starts_with("2>");
}

enum class Value { none, always, number, word, quota };

// Whether a letter takes a value, and which kind of next word proves it where the systems differ:
// -n is "no .snap" on FreeBSD and a number of inodes on NetBSD; -t is TRIM on FreeBSD and a type on OpenBSD;
// -q is quiet on OpenBSD and user or group on NetBSD.
Value value_of(char letter) {
    constexpr std::string_view always = "LOSTBVabcdefghikmoprsv";
    if (always.find(letter) != std::string_view::npos) return Value::always;
    if (letter == 'n') return Value::number;
    if (letter == 't') return Value::word;
    if (letter == 'q') return Value::quota;
    return Value::none;
}

bool takes_value(Value kind, std::string_view next) {
    switch (kind) {
        case Value::none:
            return false;
        case Value::always:
            return true;
        case Value::number:
            return to_unsigned(next).has_value();
        case Value::word:
            return next == "ffs" || next == "msdos" || next == "ext2fs";
        case Value::quota:
            return next == "user" || next == "group";
    }
    return false;
}

class Reader {
 public:
    explicit Reader(const std::vector<std::string_view>& words) : words_(words) {}

    std::optional<NewfsCommand> read() {
        if (words_.size() < 2) return std::nullopt;
        command_.text = "newfs";
        for (at_ = 1; at_ < words_.size(); ++at_) {
            const std::string_view word = words_[at_];
            if (ends_command(word)) break;
            if (word.size() > 1 && word[0] == '-') {
                append(word);
                options(word.substr(1));
                continue;
            }
            if (!is_device_word(word)) return std::nullopt;
            append(word);
            command_.device = device_name(word);
            if (!command_.os) command_.os = os_of_device(word);
            // One more word is a disk type of old; more than that is a sentence.
            if (at_ + 2 < words_.size() && !ends_command(words_[at_ + 1]) && !ends_command(words_[at_ + 2]))
                return std::nullopt;
            break;
        }
        finish();
        return command_;
    }

 private:
    void append(std::string_view word) { command_.text += ' ', command_.text += word; }

    void options(std::string_view letters) {
        for (std::size_t i = 0; i < letters.size(); ++i) {
            const Value kind = value_of(letters[i]);
            std::string_view rest = letters.substr(i + 1);
            if (!rest.empty() && takes_value(kind, rest)) {
                set(letters[i], rest);
                return;
            }
            if (rest.empty() && kind != Value::none) {
                const bool more = at_ + 1 < words_.size();
                if (!more && kind == Value::always) {
                    command_.value_missing = true;
                    return;
                }
                if (more && takes_value(kind, words_[at_ + 1])) {
                    append(words_[++at_]);
                    set(letters[i], words_[at_]);
                    return;
                }
            }
            flag(letters[i]);
        }
    }

    void flag(char letter) {
        switch (letter) {
            case 'U':
                command_.softupdates = true;
                break;
            case 'j':
                command_.softupdates = command_.su_journal = true;
                break;
            case 'J':
                command_.gjournal = true;
                break;
            case 't':
                command_.trim = true;
                break;
            case 'N':
                command_.print_only = true;
                return;
            case 'F':
            case 'I':
            case 'Z':
                command_.os = Os::netbsd;
                return;
            case 'q':
                command_.os = Os::openbsd;
                return;
            default:
                return;
        }
        command_.os = Os::freebsd;
    }

    void set(char letter, std::string_view value) {
        switch (letter) {
            case 'O':
                size(command_.format, value);
                return;
            case 'b':
                size(command_.bsize, value);
                return;
            case 'f':
                size(command_.fsize, value);
                return;
            case 'a':
                size(command_.maxcontig, value);
                return;
            case 'e':
                size(command_.maxbpg, value);
                return;
            case 'g':
                size(command_.avgfilesize, value);
                return;
            case 'h':
                size(command_.avgfpdir, value);
                return;
            case 'i':
                size(command_.bytes_per_inode, value);
                return;
            case 'S':
                size(command_.sector_bytes, value);
                return;
            case 'm':
                size(command_.minfree, value);
                return;
            case 'n':
                size(command_.inodes, value);
                command_.os = Os::netbsd;
                return;
            case 'k':
                command_.os = Os::freebsd;
                return;
            case 'q':
                command_.os = Os::netbsd;
                return;
            case 't':
                command_.os = Os::openbsd;
                return;
            case 'V':
            case 'B':
                command_.os = Os::netbsd;
                return;
            case 'L':
                command_.label = value;
                command_.os = Os::freebsd;
                return;
            case 'o':
                if (value == "time" || value == "space")
                    command_.optimization = from_string<Optimization>(value);
                else if (command_.bad_option.empty())
                    command_.bad_option = "-o " + std::string(value);
                return;
            case 's':
                size_option_ = value;
                return;
            default:
                return;
        }
    }

    void size(std::optional<std::uint64_t>& target, std::string_view value) {
        target = to_size(value);
        if (!target && command_.bad_option.empty()) command_.bad_option = value;
    }

    // -s counts sectors unless it has a suffix (NetBSD, OpenBSD). What dumpfs -m records counts units of 512
    // bytes: all of -b -e -f -g -h -m -o -s in one line is its mark (freebsd-src and OpenBSD src,
    // sbin/dumpfs/dumpfs.c marshal). NetBSD reads a negative size as what is to be left free.
    void finish() {
        if (size_option_.empty() || size_option_.starts_with('-')) return;
        const auto plain = to_unsigned(size_option_);
        if (!plain) {
            if (size_option_.ends_with('s'))
                sectors(to_unsigned(size_option_.substr(0, size_option_.size() - 1)));
            else
                size(command_.size_bytes, size_option_);
            return;
        }
        const bool recorded = command_.bsize && command_.maxbpg && command_.fsize && command_.avgfilesize &&
                              command_.avgfpdir && command_.minfree && command_.optimization;
        if (recorded)
            command_.size_bytes = multiply(*plain, 512);
        else
            sectors(plain);
    }

    // The device's sector is known only when -S names it.
    void sectors(std::optional<std::uint64_t> count) {
        if (count && command_.sector_bytes) command_.size_bytes = multiply(*count, *command_.sector_bytes);
    }

    const std::vector<std::string_view>& words_;
    std::size_t at_ = 0;
    NewfsCommand command_;
    std::string_view size_option_;
};

bool names_drive_of(std::string_view name, std::string_view driver) {
    return name.size() > driver.size() && name.starts_with(driver) && is_digit(name[driver.size()]);
}

}  // namespace

std::optional<Os> os_of_device(std::string_view as_written) {
    std::string_view name = as_written;
    if (name.starts_with("/dev/")) name.remove_prefix(5);
    constexpr std::array<std::string_view, 9> freebsd{"ada",  "nda",   "nvd", "vtbd", "mfid",
                                                      "aacd", "mmcsd", "ad",  "da"};
    for (const auto driver : freebsd)
        if (names_drive_of(name, driver)) return Os::freebsd;
    constexpr std::array<std::string_view, 7> classes{"mirror/", "stripe/", "raid3/", "concat/",
                                                      "ufs/",    "gpt/",    "ufsid/"};
    for (const auto prefix : classes)
        if (name.starts_with(prefix)) return Os::freebsd;
    constexpr std::array<std::string_view, 3> netbsd{"dk", "rdk", "rraid"};
    for (const auto driver : netbsd)
        if (names_drive_of(name, driver)) return Os::netbsd;
    return std::nullopt;
}

std::optional<NewfsCommand> read_newfs_command(const std::vector<std::string_view>& words) {
    return Reader(words).read();
}

void write_newfs_command(const NewfsCommand& command, const Provenance& from, Scribe& scribe) {
    if (command.device.empty()) return;
    Filesystem& fs = filesystem(scribe.facts, command.device);
    fs.newfs_command = Text(command.text, from);
    const auto put = [&](Number& field, const std::optional<std::uint64_t>& value) {
        if (value) field = Number(*value, from);
    };
    if (command.format && *command.format <= 2) fs.type = Text(*command.format == 2 ? "ffs2" : "ffs1", from);
    // FreeBSD has made UFS2 unless told otherwise since 5.1 (newfs.8).
    if (!command.format && command.os == Os::freebsd)
        fs.type =
            Text("ffs2", Provenance(from.source(), from.line(), from.text(), Provenance::Kind::inferred));
    put(fs.bsize, command.bsize);
    // Fewer than 512 bytes or more than eight to a block: refused or adjusted, so the line does not tell.
    if (command.fsize &&
        (!command.bsize || (*command.fsize <= *command.bsize && *command.bsize / 8 <= *command.fsize)))
        put(fs.fsize, command.fsize);
    put(fs.maxcontig, command.maxcontig);
    put(fs.maxbpg, command.maxbpg);
    put(fs.avgfilesize, command.avgfilesize);
    put(fs.avgfpdir, command.avgfpdir);
    put(fs.bytes_per_inode, command.bytes_per_inode);
    if (command.minfree && *command.minfree < 100) put(fs.minfree_percent, command.minfree);
    put(fs.size_bytes, command.size_bytes);
    if (command.optimization) fs.optimization = Known<Optimization>(*command.optimization, from);
    if (command.softupdates) fs.softupdates = Flag(true, from);
    if (command.su_journal) fs.su_journal = Flag(true, from);
    if (command.gjournal) fs.gjournal = Flag(true, from);
    if (command.trim) fs.trim = Flag(true, from);
    if (!command.label.empty()) fs.label = Text(command.label, from);
    if (command.os && !scribe.facts.os.name.known())
        scribe.facts.os.name = Known<Os>(
            *command.os, Provenance(from.source(), from.line(), from.text(), Provenance::Kind::inferred));
}

}  // namespace diskwright
