// SPDX-License-Identifier: BSD-2-Clause
// Every parser, driven by data: tests/data/parsers/<id>/
//   <case>.txt    what the command printed; a first line "$ command" tells the command at the prompt
//   <case>.json   the facts expected (golden)
//   rejects.json  [{"name", "input", "reason": "part of the reason in unparsed or damages"}]
//   releases.json {"<case>": "release or system, how it was come by"} of the cases that are real output: run
//                 by us, in the tool's own tests or documentation, posted, handed over, or of
//                 tests/data/cases. The others were made by the format in the tool's source.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

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

struct Exception {
    std::string_view id, reason;
};
// Parsers without real output of two releases.
constexpr std::array<Exception, 17> one_release{{
    {"atactl-identify", "OpenBSD's only was found published; NetBSD's is by sbin/atactl/atactl.c"},
    {"camcontrol-settings", "one line of a fixed form, not published with its command"},
    {"exports", "a file that people write, no output"},
    {"fdisk-openbsd", "of the GPT form none was found published; by sbin/fdisk/gpt.c"},
    {"getcache", "a case, else by the sources of dkctl and scsictl"},
    {"gpart-backup", "one format since the command exists"},
    {"megacli-drives", "of -PDList no whole listing was found published; by its order in -LdPdInfo"},
    {"mpsutil", "none was found published; by mps_show.c"},
    {"newfs-line", "the line that dumpfs -m prints for newfs; a case, the others by the sources"},
    {"nvmecontrol", "of its pages none was found published; by sbin/nvmecontrol"},
    {"probe", "this program's own, one format so far"},
    {"raidctl-label", "one format since NetBSD 1.4"},
    {"raidctl-parity-map", "one format since NetBSD 6, where the map came"},
    {"scsi-inquiry", "one line of INQUIRY; by scsictl.c and bioctl.c"},
    {"snapshots", "an error of mksnap_ffs and lines of crontabs"},
    {"sys-queue", "files of one number each, since Linux 2.6.32"},
    {"wapbl-counters", "counters of vmstat -e by name; by sys/kern/vfs_wapbl.c"},
}};

TEST(Parsers, RealOutputOfTwoReleases) {
    std::set<std::string> excepted;
    for (const Exception& e : one_release) {
        EXPECT_TRUE(excepted.emplace(e.id).second) << e.id;
        EXPECT_FALSE(e.reason.empty());
    }
    for (const auto& folder : parser_folders()) {
        SCOPED_TRACE(folder);
        const std::string id = folder.filename();
        std::set<std::string> releases;
        if (const auto file = folder / "releases.json"; std::filesystem::exists(file)) {
            const Json named = Json::parse(test::read_file(file));
            for (const auto& [name, release] : named.items()) {
                EXPECT_TRUE(std::filesystem::exists(folder / (name + ".txt"))) << name;
                releases.insert(release.get<std::string>());
            }
        }
        if (excepted.erase(id) > 0)
            EXPECT_LT(releases.size(), 2U) << "has two by now: no exception";
        else
            EXPECT_GE(releases.size(), 2U);
    }
    EXPECT_TRUE(excepted.empty()) << "no such parser: " << *excepted.begin();
}

// Words that are a number, with or without a unit; not the digits of names.
std::vector<std::string> numbers_in(std::string_view line) {
    std::vector<std::string> out;
    for (std::string_view word : words(line)) {
        word = word.substr(std::min(word.find_last_of("=(") + 1, word.size()));
        const auto digits = std::min(word.find_first_not_of("0123456789."), word.size());
        const auto unit = word.substr(digits);
        if (digits > 0 && unit.find_first_not_of("%kKmMgGtTiBbs:;,)") == std::string_view::npos)
            out.emplace_back(word.substr(0, digits));
    }
    return out;
}

// Lines of the input that gave a fact.
std::set<std::uint64_t> lines_used(const Json& json) {
    std::set<std::uint64_t> lines;
    if (json.is_object())
        if (const auto line = json.find("line"); line != json.end() && line->is_number_unsigned())
            lines.insert(line->get<std::uint64_t>());
    if (json.is_structured())
        for (const auto& item : json) lines.merge(lines_used(item));
    return lines;
}

// A number taken from the column beside its own must change the facts: of each parser that reads rows of
// numbers one example has a row that gives facts and holds no number twice.
TEST(Parsers, NeighbouringColumnsDiffer) {
    for (const auto& folder : parser_folders()) {
        bool rows = false, distinct = false;
        for (const auto& file : test::entries(folder)) {
            if (file.extension() != ".txt") continue;
            const std::string text = test::read_file(file);
            const auto lines = split_lines(text);
            const Json facts = facts_to_json(parse_all(to_output(text, "example")), true);
            for (const std::uint64_t line : lines_used(facts)) {
                if (line == 0 || line > lines.size() || lines[line - 1].starts_with("$ ")) continue;
                const auto numbers = numbers_in(lines[line - 1]);
                if (numbers.size() < 2) continue;
                rows = true;
                distinct = distinct ||
                           std::set<std::string>(numbers.begin(), numbers.end()).size() == numbers.size();
            }
        }
        EXPECT_EQ(rows, distinct) << folder;
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
            for (std::size_t keep = 0; keep < lines.size() && keep < 60; ++keep) {
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
            const std::size_t step = std::max<std::size_t>(1, text.size() / (text.size() > 3000 ? 15 : 40));
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
