// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/same_facts.hpp"

#include <fmt/format.h>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

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
