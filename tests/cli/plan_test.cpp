// SPDX-License-Identifier: BSD-2-Clause
// plan as scripts see it: exit status, the forms, and the script that must not run by itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using test::run_program;

// A file server of five 3 TB disks, as facts that somebody typed.
constexpr std::string_view server = R"({"os": {"name": "netbsd", "release": "6.0"},
 "disks": [{"name": "sd0", "model": "HUS723030ALS640", "physical_sector_bytes": 512}],
 "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 4096, "data_disks": 4,
  "columns": 5, "size_bytes": 12000000000000,
  "components": [{"name": "dk0"}, {"name": "dk1"}, {"name": "dk2"}, {"name": "dk3"}, {"name": "dk4"}]}]})";

TEST(PlanCommand, ExitStatus) {
    struct Row {
        std::vector<std::string> argv;
        int status;
        std::string_view errors;
    };
    const test::TemporaryFolder folder;
    const std::string facts = folder.file("facts.json", std::string(server));
    const std::string broken = folder.file("broken.json", "{\"os\": ");
    const std::string many = folder.file("many.json", R"({"hosts": [{"facts": {}}, {"facts": {}}]})");
    const std::string typo = folder.file("typo.json", R"({"volumes": [{"name": "raid0", "stripe": 1}]})");
    const std::vector<Row> rows{
        {{"plan", facts}, 0, ""},
        {{"plan", facts, "--volume", "raid0", "--for", "mail", "--mount", "/mail"}, 0, ""},
        {{"plan", "--disks", "5x3t", "--raid", "5", "--os", "netbsd-9.3"}, 0, ""},
        {{"plan", "--disks", "1x3t", "--os", "openbsd"}, 0, ""},
        {{"plan", "--disks", "5x3t", "--raid", "5"}, 64, "--os"},
        {{"plan", "--disks", "5x3t", "--raid", "5", "--os", "netbds-9"}, 64, "--os netbds-9"},
        {{"plan", "--disks", "5x3t", "--raid", "5", "--os", "linux"}, 64, "levels"},
        {{"plan", "--disks", "1x3t", "--os", "linux"}, 0, ""},
        {{"plan", "--disks", "1x3t", "--os", "dragonfly"}, 69, "DragonFly"},
        {{"plan", "--raid", "5", "--os", "netbsd-9"}, 64, "--raid needs --disks"},
        {{"plan", facts, "--disks", "1x3t"}, 64, "exclude"},
        {{"plan", facts, "--for", "databse"}, 64, "did you mean 'database'"},
        {{"plan", facts, "--fromat", "json"}, 64, "did you mean '--format'?"},
        {{"plan", facts, "--size", "much"}, 64, "--size"},
        {{"plan", facts, "--format", "xml"}, 64, "xml"},
        {{"plan", facts, "--assume", "disks.sd0.colour=red"}, 64, "colour"},
        {{"plan", broken}, 65, "not JSON at byte"},
        {{"plan", many}, 65, "one host"},
        {{"plan", typo}, 65, "stripe"},
        {{"plan", folder.path("missing")}, 66, "missing"},
    };
    for (const Row& row : rows) {
        const auto result = run_program(row.argv);
        std::string line;
        for (const std::string& word : row.argv) line += word + " ";
        SCOPED_TRACE(line);
        EXPECT_EQ(result.status, row.status) << result.errors;
        EXPECT_TRUE(row.errors.empty() ? result.errors.empty() : contains(result.errors, row.errors))
            << result.errors;
        EXPECT_EQ(result.output.empty(), row.status != 0);
    }
}

// show's own JSON is an INPUT, and the plan's facts are one again.
TEST(PlanCommand, FactsGoRound) {
    const test::TemporaryFolder folder;
    const std::string facts = folder.file("facts.json", std::string(server));
    const auto first = run_program({"plan", facts, "--format", "json", "--mount", "/home"});
    ASSERT_EQ(first.status, 0) << first.errors;
    const Json plan = Json::parse(first.output);
    EXPECT_EQ(plan["os"], "netbsd");
    EXPECT_EQ(plan["subject"], "raid0");
    EXPECT_EQ(plan["layout"]["bsize"], 32768);
    EXPECT_EQ(plan["layout"]["full_stripe_bytes"], 16384);
    const std::string again = folder.file("planned.json", plan["planned"].dump());
    const auto second = run_program({"plan", again, "--format", "json", "--mount", "/home"});
    ASSERT_EQ(second.status, 0) << second.errors;
    const Json kept = Json::parse(second.output);
    EXPECT_EQ(kept["layout"]["start_bytes"], plan["layout"]["start_bytes"]);
    EXPECT_EQ(kept["device"], plan["device"]);
}

// Data disks follow from the components that were typed; neither sizes nor sectors are needed.
TEST(PlanCommand, FewTypedFactsAreEnough) {
    const test::TemporaryFolder folder;
    const std::string facts = folder.file("facts.json",
                                          R"({"os": {"name": "netbsd", "release": "6.0"},
      "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 16384,
      "components": [{"name": "sd0e"}, {"name": "sd1e"}, {"name": "sd2e"}, {"name": "sd3e"}, {"name": "sd4e"}]}]})");
    const auto result = run_program({"plan", facts, "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json layout = Json::parse(result.output)["layout"];
    EXPECT_EQ(layout["full_stripe_bytes"], 65536);
    EXPECT_EQ(layout["bsize"], 65536);
    EXPECT_EQ(layout["start_bytes"], 65536);
    EXPECT_EQ(layout["components_per_block"], 4);
    EXPECT_FALSE(layout.contains("size_bytes"));
    EXPECT_FALSE(contains(result.output, "addwedge"));
    EXPECT_TRUE(contains(result.output, "dkctl line that gpt add prints"));
}

TEST(PlanCommand, ScriptRefusesUntilConfirmed) {
    const test::TemporaryFolder folder;
    const std::string script = folder.path("plan.sh");
    const auto made = run_program(
        {"plan", "--disks", "5x3t", "--raid", "5", "--os", "netbsd-9.3", "--format", "script", "-o", script});
    ASSERT_EQ(made.status, 0) << made.errors;
    const auto printed =
        run_program({"plan", "--disks", "5x3t", "--raid", "5", "--os", "netbsd-9.3", "--format", "script"});
    for (const std::string_view line : {"\nPATH=", "\nLC_ALL=C\n", "\numask 077\n", "\nset -eu\n",
                                        "\ndestroy_everything_on_the_device=no\n"})
        EXPECT_TRUE(contains(printed.output, line)) << line;
    EXPECT_FALSE(contains(printed.output, "eval"));
    EXPECT_LT(printed.output.find("exit 77"), printed.output.find("\ngpt create"));
    EXPECT_LT(printed.output.find("in use"), printed.output.find("\ngpt create"));
}

// The script with stand-ins for the tools of NetBSD, each of which notes that it ran.
TEST(PlanCommand, ScriptRefusesWhatIsInUse) {
    struct Row {
        std::string_view mounted, swap;
        bool runs;
    };
    constexpr std::array<Row, 8> rows{{{"/dev/wd5a on / type ffs", "/dev/wd5b", true},
                                       {"/dev/wd10a on / type ffs", "", true},  // wd1 is another disk
                                       {"tmpfs on /tmp type tmpfs", "no swap devices configured", true},
                                       {"/dev/wd0a on / type ffs", "", false},
                                       {"/dev/wd3e on /home type ffs", "", false},
                                       {"/dev/raid0a on /home type ffs", "", false},
                                       {"/dev/dk5 on /home type ffs", "", false},
                                       {"/dev/wd5a on / type ffs", "/dev/wd2b", false}}};
    const auto printed = run_program({"plan", "--disks", "5x3t", "--raid", "5", "--os", "netbsd-9.3",
                                      "--mount", "/home", "--format", "script"});
    ASSERT_EQ(printed.status, 0) << printed.errors;
    for (const Row& row : rows) {
        const test::TemporaryFolder folder;
        const std::string log = folder.path("log");
        const auto tool = [&](const std::string& name, const std::string& body) {
            const std::string path = folder.file(name, "#!/bin/sh\n" + body + "\n");
            std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        };
        for (const std::string name : {"gpt", "dkctl", "raidctl", "newfs", "disklabel", "tee", "mkdir"})
            tool(name, "cat </dev/null >/dev/null; echo " + name + " \"$@\" >>" + log);
        tool("id", "echo 0");
        tool("mount", fmt::format("[ $# -gt 0 ] || echo '{}'", row.mounted));
        tool("swapctl", fmt::format("echo '{}'", row.swap));
        std::string text = printed.output;
        const auto path = text.find("PATH=");
        text.replace(path, text.find('\n', path) - path, "PATH=" + folder.path("") + ":/usr/bin:/bin");
        const auto no = text.find("destroy_everything_on_the_device=no");
        text.replace(no, 35, "destroy_everything_on_the_device=yes");
        const auto status = test::run_command({"/bin/sh", folder.file("plan.sh", text)}).status;
        EXPECT_EQ(status, row.runs ? 0 : 77) << row.mounted << " " << row.swap;
        EXPECT_EQ(std::filesystem::exists(log), row.runs) << row.mounted << " " << row.swap;
    }
}

}  // namespace
}  // namespace diskwright
