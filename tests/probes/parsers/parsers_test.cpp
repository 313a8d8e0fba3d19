// SPDX-License-Identifier: BSD-2-Clause
// Every parser, driven by data: tests/data/parsers/<id>/
//   <case>.txt    what the command printed; a first line "$ command" tells the command at the prompt
//   <case>.json   the facts expected (golden)
//   rejects.json  [{"name", "input", "reason": "part of the reason in unparsed or damages"}]
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "probes/model/facts_json.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Output to_output(std::string_view text, std::string source) {
    Output out;
    out.source = std::move(source);
    std::uint32_t number = 0;
    for (const auto line : split_lines(text)) {
        ++number;
        if (number == 1 && line.starts_with("$ ")) {
            for (const auto word : words(line.substr(2))) {
                out.filtered = out.filtered || word == "|";
                if (!out.filtered) out.argv.emplace_back(word);
            }
            out.prompt_line = 1;
            continue;
        }
        out.lines.push_back({std::string(line), number});
    }
    return out;
}

HostFacts parse_all(const Output& output) {
    HostFacts facts;
    for (auto& section : parse_output(output).sections) merge(facts, std::move(section.facts));
    return facts;
}

std::string golden_text(const HostFacts& facts) {
    Json json = facts_to_json(facts, false);
    for (auto it = json.begin(); it != json.end();) it = it->empty() ? json.erase(it) : ++it;
    if (!facts.unparsed.empty()) {
        Json list = Json::array();
        for (const auto& u : facts.unparsed) list.push_back(std::to_string(u.first_line) + ": " + u.reason);
        json["unparsed"] = std::move(list);
    }
    return json.dump(1) + "\n";
}

std::vector<std::filesystem::path> parser_folders() {
    return test::entries(test::data_folder() / "parsers");
}

TEST(Parsers, EachIdOnceAndEachHasData) {
    std::vector<std::string> ids;
    for (const auto& parser : command_parsers()) {
        ids.emplace_back(parser.id);
        EXPECT_TRUE(std::filesystem::is_directory(test::data_folder() / "parsers" / parser.id))
            << "tests/data/parsers/" << parser.id << " is missing";
    }
    auto sorted = ids;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
    for (const auto& folder : parser_folders())
        EXPECT_NE(std::find(ids.begin(), ids.end(), folder.filename().string()), ids.end())
            << folder << ": no such parser";
}

TEST(Parsers, Golden) {
    for (const auto& folder : parser_folders())
        for (const auto& file : test::entries(folder)) {
            if (file.extension() != ".txt") continue;
            SCOPED_TRACE(file);
            const Output output = to_output(test::read_file(file), file.filename().string());
            const auto parsed = parse_output(output);
            EXPECT_TRUE(
                std::any_of(parsed.sections.begin(), parsed.sections.end(),
                            [&](const SectionFacts& s) { return s.parser_id == folder.filename().string(); }))
                << "not claimed by " << folder.filename();
            test::expect_golden(std::filesystem::path(file).replace_extension(".json"),
                                golden_text(parse_all(output)));
        }
}

TEST(Parsers, Rejects) {
    for (const auto& folder : parser_folders()) {
        const auto file = folder / "rejects.json";
        ASSERT_TRUE(std::filesystem::exists(file)) << file;
        const Json rows = Json::parse(test::read_file(file));
        ASSERT_FALSE(rows.empty()) << file;
        for (const auto& row : rows) {
            SCOPED_TRACE(folder.filename().string() + ": " + row.at("name").get<std::string>());
            const HostFacts facts = parse_all(to_output(row.at("input").get<std::string>(), "reject"));
            const auto wanted = row.at("reason").get<std::string>();
            bool said = false;
            for (const auto& u : facts.unparsed)
                said = said || (contains(u.reason, wanted) && u.first_line > 0);
            for (const auto& d : facts.damages)
                said = said || (contains(d.what, wanted) && d.from.line() > 0);
            EXPECT_TRUE(said) << golden_text(facts);
        }
    }
}

// Whatever is cut off, repeated or garbled: no crash, no endless loop (the sanitizers watch), and every note
// names a line.
TEST(Parsers, SurviveDamage) {
    for (const auto& folder : parser_folders())
        for (const auto& file : test::entries(folder)) {
            if (file.extension() != ".txt") continue;
            SCOPED_TRACE(file);
            const std::string text = test::read_file(file);
            const auto lines = split_lines(text);
            for (std::size_t keep = 0; keep < lines.size() && keep < 80; ++keep) {
                std::string cut;
                for (std::size_t i = 0; i < keep; ++i) cut += std::string(lines[i]) + "\n";
                cut += lines[keep].substr(0, lines[keep].size() / 2);
                const HostFacts facts = parse_all(to_output(cut, "cut"));
                for (const auto& u : facts.unparsed) EXPECT_FALSE(u.reason.empty());
            }
            const std::string_view poison[] = {std::string_view("\0", 1),
                                               "\xff\xfe",
                                               "\x1b[31m",
                                               "99999999999999999999999999",
                                               "-1",
                                               "a",
                                               " ",
                                               ""};
            const std::size_t step = std::max<std::size_t>(1, text.size() / 60);
            for (const auto bad : poison)
                for (std::size_t at = 0; at < text.size(); at += step) {
                    std::string garbled = text;
                    garbled.replace(at, std::min<std::size_t>(3, text.size() - at), bad);
                    parse_all(to_output(garbled, "garbled"));
                }
            std::string digits = text;
            for (char& c : digits)
                if (c >= '0' && c <= '9') c = '9';
            parse_all(to_output(digits, "nines"));
            std::string big;
            for (const char c : text) big += c >= '0' && c <= '9' ? std::string(4, c) : std::string(1, c);
            parse_all(to_output(big, "long numbers"));
        }
}

}  // namespace
}  // namespace diskwright
