// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/kernel_text.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright::kernel {
namespace {

constexpr std::size_t prefix_reach = 120;

std::string_view without_time(std::string_view text, bool& found) {
    if (text.starts_with('<')) {
        // "<6>": the level, as in /dev/kmsg.
        const auto number = leading_unsigned(text.substr(1));
        if (number && number->value < 200 && number->rest.starts_with('>')) text = number->rest.substr(1);
    }
    if (!text.starts_with('[')) return text;
    const auto end = text.substr(0, 40).find(']');
    if (end == std::string_view::npos) return text;
    const auto inside = trim(text.substr(1, end - 1));
    const bool seconds = to_double(inside).has_value() && inside.find('.') != std::string_view::npos;
    const bool date = words(inside).size() == 5 && inside.find(':') != std::string_view::npos;
    if (!seconds && !date) return text;
    found = true;
    return trim(text.substr(end + 1));
}

bool is_name(std::string_view word) {
    std::size_t letters = 0;
    while (letters < word.size() && word[letters] >= 'a' && word[letters] <= 'z') ++letters;
    return letters >= 2 && to_unsigned(word.substr(letters)).has_value();
}

}  // namespace

Message message_of(std::string_view line) {
    Message message{trim(line), false};
    for (const std::string_view tag : {" kernel: ", " /netbsd: ", " /bsd: ", " /kernel: "}) {
        const auto at = message.text.substr(0, prefix_reach).find(tag);
        if (at == std::string_view::npos) continue;
        message.text = trim(message.text.substr(at + tag.size()));
        message.prefixed = true;
        break;
    }
    message.text = without_time(message.text, message.prefixed);
    return message;
}

std::optional<DeviceLine> device_line(std::string_view message) {
    const auto colon = message.find(": ");
    if (colon == std::string_view::npos || colon > 16 || !is_name(message.substr(0, colon)))
        return std::nullopt;
    return DeviceLine{message.substr(0, colon), trim(message.substr(colon + 2))};
}

std::optional<DeviceLine> attach_line(std::string_view message) {
    const auto at = message.find(" at ");
    if (at == std::string_view::npos || at > 16 || !is_name(message.substr(0, at))) return std::nullopt;
    return DeviceLine{message.substr(0, at), trim(message.substr(at + 4))};
}

bool is_driver(std::string_view name, std::initializer_list<std::string_view> drivers) {
    return std::any_of(drivers.begin(), drivers.end(), [&](std::string_view driver) {
        return name.starts_with(driver) && to_unsigned(name.substr(driver.size())).has_value();
    });
}

std::string_view in_angles(std::string_view text) {
    return trim(between(text, "<", ">").value_or(""));
}

std::vector<std::string_view> inquiry_parts(std::string_view text) {
    auto parts = split(in_angles(text), ',');
    for (auto& part : parts) part = trim(part);
    return parts;
}

std::size_t read_messages(const Output& out, std::size_t at,
                          const std::function<bool(std::string_view, std::size_t)>& read) {
    bool all_kernel = out.program() == "dmesg";
    for (const auto& word : out.argv) all_kernel = all_kernel || word.ends_with("dmesg.boot");
    std::size_t end = at;
    for (std::size_t line = at; line < out.lines.size(); ++line) {
        const Message message = message_of(out.text(line));
        if (!message.text.empty() && read(message.text, line))
            end = line + 1;
        else if (!message.prefixed && !all_kernel)
            break;
        else if (end == at)
            break;
    }
    return end - at;
}

bool read_memory(std::string_view message, std::size_t line, Scribe& scribe) {
    const auto value = after(message, "=");
    if (!value || words(*value).empty()) return false;
    if (const auto bytes = to_unsigned(words(*value)[0]))
        scribe.facts.os.ram_bytes = scribe.known(*bytes, line);
    return true;
}

void DiskNotes::size(std::string_view name, std::uint64_t sectors, std::uint64_t sector_bytes,
                     std::size_t line) {
    const auto bytes = multiply(sectors, sector_bytes);
    if (!bytes || sector_bytes < 512 || sector_bytes > 65536) {
        scribe_.unparsed(line, line, "size of " + std::string(name) + " is out of range");
        return;
    }
    if (sectors == 0) return;  // no medium
    Disk& d = disk(scribe_.facts, name);
    d.size_bytes = scribe_.known(*bytes, line);
    d.logical_sector_bytes = scribe_.known(sector_bytes, line);
}

void DiskNotes::model(std::string_view name, std::string_view text, bool cut, std::size_t line) {
    if (text.empty()) return;
    disk(scribe_.facts, name).model =
        cut ? passing(std::string(text), scribe_, line) : scribe_.text(text, line);
}

void DiskNotes::attached(std::string_view name, std::string_view rest, std::size_t line) {
    const auto parts = inquiry_parts(rest);
    if (parts.size() < 2) return model(name, in_angles(rest), false, line);
    const std::string vendor(parts[0]), product(parts[1]);
    model(name, vendor.empty() ? product : vendor + " " + product, true, line);
}

void DiskNotes::medium_error(std::string_view name, std::string_view what, std::size_t line) {
    event(Event::Kind::medium_error, name, what, line);
}

void DiskNotes::event(Event::Kind kind, std::string_view subject, std::string_view what, std::size_t line) {
    if (!noted_.emplace(static_cast<int>(kind), subject).second) return;
    scribe_.event(kind, std::string(subject), std::string(what), line);
}

bool tells_medium_error(std::string_view message) {
    constexpr std::array<std::string_view, 5> denied{"ecovered error", "aborted", "illegal request",
                                                     "unit attention", "not ready"};
    for (const auto word : denied)
        if (icontains(message, word) && !icontains(message, "unrecovered")) return false;
    return icontains(message, "medium error") || icontains(message, "media error") ||
           icontains(message, "hardware error") || icontains(message, "hardware failure") ||
           icontains(message, "uncorrectable") || icontains(message, "critical target error") ||
           icontains(message, "unrecovered read error");
}

}  // namespace diskwright::kernel
