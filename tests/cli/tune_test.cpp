// SPDX-License-Identifier: BSD-2-Clause
// tune as scripts see it, and what a search survives.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "probes/support/random.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;
using test::run_program;

Words operator+(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

class Tune : public testing::Test {
 protected:
    static std::string landscape(const std::string& name) {
        return (test::data_folder() / "landscapes" / (name + ".json")).string();
    }
    test::TemporaryFolder folder;
    const std::string file = landscape("netbsd_r5x3A_touchrm");
    const std::string journal = folder.path("journal");
    const Words recorded{"tune", "--recorded", file};
    const Words space{"tune", "--space", file, "--trials", "4"};
};

TEST_F(Tune, ExitStatus) {
    const std::string broken = folder.file("broken.json", "{\"parameters\": ");
    const std::string other = landscape("netbsd_r1x2C_tree");
    const std::string used = folder.path("used");
    ASSERT_EQ(run_program(recorded + Words{"--trials", "2", "--journal", used}).status, 0);
    struct Row {
        Words argv;
        int status;
        std::string_view errors;
    };
    const std::vector<Row> rows{
        {recorded, 0, ""},
        {{"tune"}, 64, "either --recorded FILE or --space FILE"},
        {recorded + Words{"--space", file}, 64, "either --recorded"},
        {{"tune", "--space", file}, 64, "--measure-command"},
        {recorded + Words{"--measure-command", "true"}, 64, "go together"},
        {recorded + Words{"--method", "nlopt-direkt"}, 64, "did you mean 'nlopt-direct'?"},
        {recorded + Words{"--trials", "0"}, 64, "--trials"},
        {recorded + Words{"--trials", "-3"}, 64, "--trials"},
        {recorded + Words{"--trials", "1000001"}, 64, "--trials"},
        {recorded + Words{"--seed", "-1"}, 64, "--seed"},
        {recorded + Words{"--noise", "-1"}, 64, "--noise"},
        {space + Words{"--measure-command", "true", "--timeout", "nan"}, 64, "--timeout"},
        {recorded + Words{"--noise", "nan"}, 64, "--noise"},
        {recorded + Words{"--timeout", "5"}, 64, "--timeout"},
        {recorded + Words{"--format", "html"}, 64, "html"},
        {recorded + Words{"--journal", "a", "--resume", "b"}, 64, "give one of them"},
        {space + Words{"--measure-command", "a 'b"}, 64, "quote"},
        {space + Words{"--measure-command", "true", "--noise", "0.1"}, 64, "--noise"},
        {space + Words{"--measure-command", "true", "--timeout", "0"}, 64, "--timeout"},
        {{"tune", "--recorded", broken}, 65, "broken.json: not JSON at byte 16"},
        {{"tune", "--recorded", folder.path("none")}, 66, "No such file"},
        {space + Words{"--measure-command", "diskwright-no-such-program"}, 69, "not installed"},
        {space + Words{"--measure-command", "false"}, 65, "no trial gave a value"},
        {recorded + Words{"--journal", used}, 77, "exists already"},
        {recorded + Words{"--resume", folder.path("none")}, 66, "No such file"},
        {recorded + Words{"--resume", used, "--seed", "2"}, 65, "seed: the journal has 1, this search 2"},
        {recorded + Words{"--resume", used, "--method", "random"}, 65, "method:"},
        {recorded + Words{"--resume", used, "--noise", "0.1"}, 65, "source:"},
        {{"tune", "--recorded", other, "--resume", used}, 65, "source:"},
        {recorded + Words{"--resume", broken}, 65, "not the header of a journal"},
        {recorded + Words{"--resume", used, "--trials", "3"}, 0, ""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(testing::PrintToString(row.argv));
        const auto result = run_program(row.argv);
        EXPECT_EQ(result.status, row.status) << result.errors;
        EXPECT_TRUE(contains(result.errors, row.errors)) << result.errors;
        EXPECT_EQ(result.errors.empty(), row.errors.empty()) << result.errors;
    }
}

TEST_F(Tune, JsonKeepsTheTypesOfTheFile) {
    const auto result = run_program(recorded + Words{"--trials", "12", "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json json = Json::parse(result.output);
    std::size_t valid = 0;
    double best = 1e9;
    Json best_point;
    for (const Json& trial : json.at("trials")) {
        EXPECT_TRUE(trial.at("point").at("bsize").is_number_integer());
        EXPECT_TRUE(trial.at("seconds").is_number());
        EXPECT_NE(trial.contains("value"), trial.contains("state"));
        if (!trial.contains("value")) continue;
        ++valid;
        if (trial["value"] < best) {
            best = trial["value"];
            best_point = trial["point"];
        }
    }
    EXPECT_EQ(valid, 12U);
    EXPECT_EQ(json.at("best_value"), best);
    EXPECT_EQ(json.at("best"), best_point);
    EXPECT_EQ(json.at("importance").size(), 5U);
    EXPECT_EQ(json.at("default").at("bsize"), 16384);
    EXPECT_EQ(run_program(recorded + Words{"--trials", "12", "--format", "json"}).output, result.output);
}

TEST_F(Tune, LargerIsBetterWhereTheFileSaysSo) {
    const auto result = run_program({"tune", "--recorded", landscape("linux_raid5_write_tcq0"), "--method",
                                     "exhaustive", "--format", "json"});
    const Json json = Json::parse(result.output);
    double most = 0;
    for (const Json& trial : json["trials"]) most = std::max(most, trial.value("value", 0.0));
    EXPECT_EQ(json["best_value"], most);
    EXPECT_EQ(json["stopped"], "exhausted");
}

TEST_F(Tune, TextReport) {
    const auto result = run_program(recorded + Words{"--trials", "10", "--noise", "0.05"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.errors, "");
    test::expect_golden(test::data_folder() / "reports" / "tune.txt", result.output);
}

TEST_F(Tune, MeasuresWithACommand) {
    const std::string script = folder.file("measure",
                                           "#!/bin/sh\n"
                                           "read -r point\n"
                                           "case $point in\n"
                                           "*'\"log\":1'*) echo 'took 2.5 s' ;;\n"
                                           "*'\"bsize\":8192'*) echo refused >&2; exit 1 ;;\n"
                                           "*) echo 7 ;;\n"
                                           "esac\n");
    const auto result = run_program({"tune", "--space", file, "--measure-command", "sh '" + script + "'",
                                     "--trials", "6", "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json json = Json::parse(result.output);
    EXPECT_EQ(json["best_value"], 2.5);
    EXPECT_EQ(json["best"]["log"], 1);
    EXPECT_EQ(json["default_value"], 7);
    for (const Json& trial : json["trials"])
        EXPECT_EQ(trial.value("note", ""), trial.contains("state") ? "exit status 1: refused" : "");
}

TEST_F(Tune, ASearchThatFailsOnTheWayPrintsWhatItHas) {
    const std::string script = folder.file("measure",
                                           "#!/bin/sh\n[ -e \"$0.once\" ] && rm \"$0\"\n"
                                           ": >\"$0.once\"\necho 4\n");
    ASSERT_EQ(chmod(script.c_str(), 0700), 0);
    const Words search = space + Words{"--measure-command", script};
    const auto text = run_program(search);
    EXPECT_EQ(text.status, 69);
    EXPECT_TRUE(contains(text.output, "Best: ")) << text.output;
    EXPECT_TRUE(contains(text.output, "The search failed before its end: ")) << text.output;
    EXPECT_TRUE(contains(text.errors, "not installed")) << text.errors;
}

TEST_F(Tune, ACommandThatHangsIsATimeout) {
    const auto result = run_program({"tune", "--space", file, "--measure-command",
                                     "sh -c 'read -r p; case $p in *:16384*) sleep 60;; esac; echo 1'",
                                     "--trials", "1", "--timeout", "0.3", "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(Json::parse(result.output)["trials"][0]["state"], "timeout");
}

// Starts the program, kills it after a while, and tells whether it had ended by itself.
bool ended_before_kill(const Words& argv, std::chrono::microseconds delay) {
    Words words{DISKWRIGHT_PROGRAM};
    words = words + argv;
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    usleep(static_cast<useconds_t>(delay.count()));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status);
}

TEST_F(Tune, ASearchKilledAtAnyMomentEndsAsIfItHadNotBeen) {
    for (const auto* method : {"default", "random", "nlopt-crs"}) {
        SCOPED_TRACE(method);
        const Words search =
            recorded + Words{"--trials", "60", "--noise", "0.05", "--format", "json", "--method", method};
        const std::string straight = folder.path(std::string(method) + ".straight");
        const std::string killed = folder.path(std::string(method) + ".killed");
        const auto wanted = run_program(search + Words{"--journal", straight});
        ASSERT_EQ(wanted.status, 0) << wanted.errors;
        EXPECT_EQ(wanted.output, run_program(search).output);

        Random random(42);
        int kills = 0;
        for (int round = 0; round < 200; ++round) {
            const bool begun = std::filesystem::exists(killed);
            const std::chrono::microseconds delay(2000 + 500 * round + random.below(20'000));
            if (ended_before_kill(search + Words{begun ? "--resume" : "--journal", killed}, delay)) break;
            ++kills;
        }
        EXPECT_GT(kills, 0);
        const auto resumed = run_program(search + Words{"--resume", killed});
        EXPECT_EQ(resumed.status, 0) << resumed.errors;
        EXPECT_EQ(resumed.output, wanted.output);
        EXPECT_EQ(test::read_file(killed), test::read_file(straight));
    }
}

TEST_F(Tune, ATornLineIsDroppedWithAMessage) {
    const Words search = recorded + Words{"--trials", "5", "--format", "json"};
    const auto wanted = run_program(search + Words{"--journal", journal});
    const std::string whole = test::read_file(journal);
    std::filesystem::resize_file(journal, whole.size() - 7);
    const auto resumed = run_program(search + Words{"--resume", journal});
    EXPECT_TRUE(contains(resumed.errors, "the last line has no end and was dropped")) << resumed.errors;
    EXPECT_EQ(resumed.output, wanted.output);
    EXPECT_EQ(test::read_file(journal), whole);
}

TEST_F(Tune, StoppedBySignalItPrintsWhatItHas) {
    const std::string out = folder.path("out");
    const Words search{"tune",
                       "--space",
                       file,
                       "--measure-command",
                       "sh -c 'echo 1; sleep 0.1'",
                       "--trials",
                       "300",
                       "--format",
                       "json",
                       "-o",
                       out};
    Words words{DISKWRIGHT_PROGRAM};
    words = words + search;
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    usleep(1'500'000);
    kill(child, SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    const Json json = Json::parse(test::read_file(out));
    EXPECT_EQ(json["stopped"], "cancelled");
    EXPECT_GT(json["trials"].size(), 0U);
}

}  // namespace
}  // namespace diskwright
