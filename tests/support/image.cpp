// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/image.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <memory>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright::test {
namespace {

std::string shown(const std::string& value) {
    return value;
}
std::string shown(std::uint64_t value) {
    return fmt::format("{}", value);
}
std::string shown(double value) {
    return fmt::format("{}", value);
}
std::string shown(bool value) {
    return value ? "true" : "false";
}
template <class E>
requires std::is_enum_v<E> std::string shown(E value) {
    return std::string(to_string(value));
}

// Values of one element by name; a list counts by the names of its elements.
struct Values {
    std::map<std::string, std::string, std::less<>> known;

    template <class T>
    void operator()(std::string_view name, const Known<T>& value) {
        if (value) known.emplace(name, shown(*value));
    }
    void key(std::string_view name, const std::string& value) { known.emplace(name, value); }
    template <class T>
    void key(std::string_view, const T&) {}
    void text(std::string_view name, const std::string& value) { known.emplace(name, value); }
    void list(std::string_view name, const std::vector<Component>& components) {
        std::string names;
        for (const Component& c : components) names += c.name + " ";
        known.emplace(name, names);
    }
};

template <class Element>
std::vector<std::string> missing(const Element& wanted, const Element& found) {
    Values a, b;
    Element::visit(wanted, a);
    Element::visit(found, b);
    std::vector<std::string> out;
    for (const auto& [name, value] : a.known) {
        const auto other = b.known.find(name);
        if (other == b.known.end())
            out.push_back(fmt::format("{}: {} against nothing", name, value));
        else if (other->second != value)
            out.push_back(fmt::format("{}: {} against {}", name, value, other->second));
    }
    return out;
}

}  // namespace

std::vector<std::byte> read_image(const std::filesystem::path& compressed) {
    const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(), archive_read_free);
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_format_raw(reader.get());
    std::vector<std::byte> out;
    archive_entry* entry = nullptr;
    if (archive_read_open_filename(reader.get(), compressed.c_str(), 65536) != ARCHIVE_OK ||
        archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
        ADD_FAILURE() << compressed << ": " << archive_error_string(reader.get());
        return out;
    }
    std::array<std::byte, 65536> buffer{};
    for (la_ssize_t n = 1; n > 0;) {
        n = archive_read_data(reader.get(), buffer.data(), buffer.size());
        EXPECT_GE(n, 0) << compressed << ": " << archive_error_string(reader.get());
        if (n > 0) out.insert(out.end(), buffer.begin(), buffer.begin() + n);
    }
    return out;
}

std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
    const std::string text = read_file(file);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::string> missing_values(const Filesystem& wanted, const Filesystem& found) {
    return missing(wanted, found);
}
std::vector<std::string> missing_values(const Volume& wanted, const Volume& found) {
    return missing(wanted, found);
}

HostFacts facts_of_output(const std::vector<std::string>& argv, const std::string& text) {
    Output output;
    output.source = "output";
    output.argv = argv;
    std::uint32_t number = 0;
    for (const auto line : split_lines(text)) output.lines.push_back({std::string(line), ++number});
    HostFacts facts;
    for (auto& section : parse_output(output).sections) merge(facts, std::move(section.facts));
    return facts;
}

}  // namespace diskwright::test
