// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/recorded_host.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "probes/capture/assemble.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright::test {
namespace {

namespace fs = std::filesystem;

// What the frame of the script calls; the commands of the table are the stand-ins' business.
constexpr std::array<std::string_view, 23> base_tools{
    "sort", "printf", "cut", "date", "env",     "id", "ln",   "mkdir", "mv",  "rm",    "rmdir", "sed",
    "tail", "tar",    "tr",  "wc",   "timeout", "sh", "head", "dd",    "awk", "sleep", "od"};

void write(const fs::path& path, const std::string& text, bool executable = false) {
    std::ofstream(path, std::ios::binary) << text;
    if (executable) fs::permissions(path, fs::perms::owner_all);
}

// As the stand-in makes it of "$0 $*".
std::string answer_name(const std::vector<std::string>& argv) {
    std::string name = argv.front() + " ";
    for (std::size_t i = 1; i < argv.size(); ++i) name += (i > 1 ? " " : "") + argv[i];
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) &&
            std::string_view("_.@+=,-").find(c) == std::string_view::npos)
            c = '_';
    return name;
}

}  // namespace

bool RecordedHost::has_program(const std::string& name) const {
    return std::any_of(capture_.documents.begin(), capture_.documents.end(),
                       [&](const Document& d) { return !d.argv.empty() && d.argv.front() == name; });
}

Result<CommandOutcome> RecordedHost::run(const std::vector<std::string>& argv, const CommandLimits&) {
    asked_.push_back(argv);
    CommandOutcome outcome;
    for (const Document& document : capture_.documents)
        if (document.argv == argv) {
            outcome.output = document.bytes;
            return outcome;
        }
    if (!has_program(argv.front()))
        return Error{ErrorKind::unavailable, fmt::format("{}: not installed", argv.front())};
    outcome.exit_status = 1;
    outcome.errors = argv.front() == "cat" ? fmt::format("cat: {}: No such file or directory\n", argv.back())
                                           : fmt::format("{}: no answer recorded\n", argv.front());
    return outcome;
}

void RecordedHost::write_stand_ins(const std::string& folder, Os system) const {
    const fs::path bin = fs::path(folder) / "bin", answers = fs::path(folder) / "answers";
    fs::create_directories(bin);
    fs::create_directories(answers);
    for (const auto tool : base_tools)
        for (const auto* where : {"/usr/bin", "/bin"})
            if (std::error_code error; fs::exists(fs::path(where) / tool) && !fs::exists(bin / tool))
                fs::create_symlink(fs::path(where) / tool, bin / tool, error);
    const std::string stand_in = fmt::format(
        "#!/bin/sh\n"
        "name=$(printf '%s' \"${{0##*/}} $*\" | /usr/bin/tr -c 'A-Za-z0-9_.@+=,-' '_')\n"
        "if [ -f '{0}'/\"$name\" ]; then exec /bin/cat '{0}'/\"$name\"; fi\n"
        "case \"${{0##*/}} ${{1:-}}\" in\n"
        "    'cat /etc/'* | 'cat /var/'* | 'cat /proc/'*)\n"
        "        echo \"cat: $1: No such file or directory\" >&2; exit 1 ;;\n"
        "    'cat '*) exec /bin/cat \"$@\" ;;\n"
        "esac\n"
        "echo \"${{0##*/}}: no answer recorded\" >&2\n"
        "exit 1\n",
        answers.string());
    const auto answer = [&](const std::vector<std::string>& argv, const std::string& text) {
        write(bin / argv.front(), stand_in, true);
        write(answers / answer_name(argv), text);
    };
    for (const Document& document : capture_.documents) answer(document.argv, document.bytes);
    for (const std::string name : {"NetBSD", "FreeBSD", "OpenBSD", "DragonFly", "Linux"})
        if (lowercase(name) == to_string(system)) answer({"uname", "-s"}, name + "\n");
    answer({"uname", "-r"}, capture_.info->release + "\n");
    answer({"uname", "-n"}, capture_.info->host + "\n");
}

Capture recorded_capture(const std::string& name) {
    auto capture = load_input((data_folder() / "captures" / name).string());
    EXPECT_TRUE(capture) << (capture ? "" : capture.error().message);
    return capture ? std::move(*capture) : Capture{};
}

void sort_lists(nlohmann::ordered_json& json) {
    if (!json.is_structured()) return;
    for (auto& item : json) sort_lists(item);
    if (json.is_array())
        std::sort(json.begin(), json.end(), [](const auto& a, const auto& b) { return a.dump() < b.dump(); });
}

nlohmann::ordered_json facts_of(const Capture& capture) {
    const auto facts = assemble(capture);
    return facts ? facts_to_json(*facts, false) : nlohmann::ordered_json();
}

}  // namespace diskwright::test
