// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/collector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "probes/parsers/command.hpp"
#include "probes/support/safe_name.hpp"
#include "probes/support/text.hpp"
#include "tests/support/recorded_host.hpp"

namespace diskwright {
namespace {

using test::RecordedHost;
using Argv = std::vector<std::string>;

struct Host {
    const char* name;
    Os os;
};
constexpr std::array<Host, 3> hosts{
    {{"netbsd-raid1", Os::netbsd}, {"freebsd-gmirror", Os::freebsd}, {"openbsd-softraid", Os::openbsd}}};

std::string joined(const Argv& argv) {
    std::string out;
    for (const auto& word : argv) out += (out.empty() ? "" : " ") + word;
    return out;
}

bool asked(const RecordedHost& host, std::string_view line) {
    return std::any_of(host.asked().begin(), host.asked().end(),
                       [&](const Argv& argv) { return joined(argv) == line; });
}

TEST(Collector, RecordedHostsAreAskedAllTheyCanTell) {
    for (const Host& row : hosts) {
        SCOPED_TRACE(row.name);
        RecordedHost host(test::recorded_capture(row.name));
        const Capture live = collect_live(host, row.os, true, {});
        for (const Document& document : host.capture().documents)
            EXPECT_TRUE(asked(host, joined(document.argv))) << joined(document.argv);
        EXPECT_EQ(live.documents.size(), host.capture().documents.size());
        auto facts = test::facts_of(live), recorded = test::facts_of(host.capture());
        ASSERT_TRUE(facts.contains("volumes"));
        test::sort_lists(facts), test::sort_lists(recorded);
        EXPECT_EQ(facts.dump(1), recorded.dump(1));
    }
}

TEST(Collector, WithoutRootOnlyWhatAnyoneMayAsk) {
    for (const Host& row : hosts) {
        SCOPED_TRACE(row.name);
        RecordedHost host(test::recorded_capture(row.name));
        const Capture live = collect_live(host, row.os, false, {});
        EXPECT_TRUE(asked(host, "uname -a"));
        for (const CommandParser& parser : command_parsers())
            for (const LiveCommand& command : parser.live)
                if (command.os == row.os && command.needs_root) {
                    EXPECT_FALSE(asked(host, joined(command.argv)));
                }
        EXPECT_TRUE(std::any_of(live.notes.begin(), live.notes.end(),
                                [](const auto& note) { return note.ends_with(": needs root"); }));
    }
}

// raidctl rewrites the component labels when it opens a set.
TEST(Collector, RaidctlOnlyForSetsInUse) {
    Capture capture = test::recorded_capture("netbsd-raid1");
    RecordedHost in_use(capture);
    collect_live(in_use, Os::netbsd, true, {});
    EXPECT_TRUE(asked(in_use, "raidctl -s raid0"));

    std::erase_if(capture.documents, [](const Document& document) {
        return document.argv.front() == "mount" || document.argv.front() == "swapctl" ||
               document.argv.front() == "df";
    });
    RecordedHost idle(std::move(capture));
    const Capture live = collect_live(idle, Os::netbsd, true, {});
    EXPECT_FALSE(live.documents.empty());
    for (const Argv& argv : idle.asked()) {
        EXPECT_NE(argv.front(), "raidctl") << joined(argv);
        EXPECT_EQ(std::count(argv.begin(), argv.end(), "raid0"), 0) << joined(argv);
    }
}

TEST(Collector, SamplesOnlyWhenAskedAndLast) {
    Capture capture = test::recorded_capture("openbsd-softraid");
    capture.documents.push_back({"iostat", "", {"iostat", "-D"}});
    RecordedHost host(capture);
    collect_live(host, Os::openbsd, true, {});
    EXPECT_FALSE(asked(host, "iostat -D -w 2 -c 4"));
    LiveOptions options;
    options.sampling = true;
    RecordedHost again(std::move(capture));
    collect_live(again, Os::openbsd, true, options);
    ASSERT_FALSE(again.asked().empty());
    EXPECT_EQ(joined(again.asked().back()), "iostat -D -w 2 -c 4");
}

// Nobody misses what a tool would have told that is not there.
TEST(Collector, WhatIsNotInstalledIsNotMissed) {
    RecordedHost host(test::recorded_capture("netbsd-raid1"));
    const Capture live = collect_live(host, Os::netbsd, false, {});
    EXPECT_NE(std::find(live.notes.begin(), live.notes.end(), "disklabel wd0: needs root"), live.notes.end());
    for (const auto& note : live.notes) {
        const auto program = note.substr(0, note.find(' '));
        EXPECT_TRUE(host.installed(program)) << note;
    }
}

TEST(Collector, NothingStartsAfterTheDeadline) {
    RecordedHost host(test::recorded_capture("freebsd-gmirror"));
    LiveOptions options;
    options.deadline = std::chrono::milliseconds(0);
    const Capture live = collect_live(host, Os::freebsd, true, options);
    EXPECT_TRUE(host.asked().empty());
    ASSERT_FALSE(live.notes.empty());
    EXPECT_TRUE(live.notes.front().ends_with("the time for looking is up")) << live.notes.front();
}

// Some tools never answer, the others are those of the recorded host.
class HostWithHangingTools final : public CommandRunner {
 public:
    HostWithHangingTools(Capture capture, std::set<std::string> hanging)
        : host_(std::move(capture)), hanging_(std::move(hanging)) {}
    Result<CommandOutcome> run(const Argv& argv, const CommandLimits& limits) override {
        order.push_back(joined(argv));
        longest = std::max(longest, limits.time);
        if (!hanging_.contains(argv[0])) return host_.run(argv, limits);
        CommandOutcome outcome;
        outcome.timed_out = true;
        return outcome;
    }
    bool installed(const std::string& program) const override { return host_.installed(program); }

    std::vector<std::string> order;
    std::chrono::milliseconds longest{0};

 private:
    RecordedHost host_;
    std::set<std::string> hanging_;
};

TEST(Collector, AToolThatHangsHidesOnlyItself) {
    HostWithHangingTools host(test::recorded_capture("freebsd-gmirror"), {"gmirror", "diskinfo"});
    LiveOptions options;
    options.deadline = std::chrono::milliseconds(12'000);
    const Capture live = collect_live(host, Os::freebsd, true, options);
    const auto starting = [&](std::string_view program) {
        return std::count_if(host.order.begin(), host.order.end(),
                             [&](const std::string& line) { return starts_with_word(line, program); });
    };
    EXPECT_EQ(starting("gmirror"), 1) << "list and status hang alike";
    EXPECT_EQ(starting("diskinfo"), 2) << "one of the disks might be the reason";
    EXPECT_GT(starting("gpart"), 0);
    EXPECT_GT(starting("dmesg"), 0);
    EXPECT_LE(host.longest, std::chrono::milliseconds(2'000));
    EXPECT_EQ(std::count_if(live.notes.begin(), live.notes.end(),
                            [](const std::string& note) { return contains(note, "gave no answer before"); }),
              1);
    const auto fstab = std::find(host.order.begin(), host.order.end(), "cat /etc/fstab");
    ASSERT_NE(fstab, host.order.end());
    EXPECT_TRUE(std::all_of(host.order.begin(), fstab, [](const auto& line) {
        return line.starts_with("cat ");
    })) << "files come before tools";
    // In the capture each output keeps its place.
    const auto at = [&](std::string_view name) {
        return std::find_if(live.documents.begin(), live.documents.end(),
                            [&](const Document& d) { return d.name == name; }) -
               live.documents.begin();
    };
    EXPECT_LT(at("gpart show"), at("/etc/fstab"));
}

class StopAfter final : public ProgressMeter {
 public:
    explicit StopAfter(int steps) : left_(steps) {}
    void at(std::string_view, double, double) override { --left_; }
    bool cancelled() const override { return left_ <= 0; }

 private:
    int left_;
};

TEST(Collector, StopsWhenAsked) {
    RecordedHost host(test::recorded_capture("freebsd-gmirror"));
    StopAfter progress(3);
    LiveOptions options;
    options.progress = &progress;
    collect_live(host, Os::freebsd, true, options);
    EXPECT_EQ(host.asked().size(), 3U);
}

// Answers every command the same way.
class OneAnswer final : public CommandRunner {
 public:
    explicit OneAnswer(Result<CommandOutcome> answer) : answer_(std::move(answer)) {}
    Result<CommandOutcome> run(const Argv&, const CommandLimits&) override { return answer_; }
    bool installed(const std::string&) const override { return true; }

 private:
    Result<CommandOutcome> answer_;
};

TEST(Collector, WhatFailedIsSaid) {
    struct Row {
        const char* name;
        Result<CommandOutcome> answer;
        std::string_view note;  // end of every note; empty: there is none
        bool documents;
    };
    const std::vector<Row> rows{
        {"not installed", Error{ErrorKind::unavailable, "x: not installed"}, "", false},
        {"cannot start", Error{ErrorKind::os_error, "x: out of memory"}, "x: out of memory", false},
        {"fails with a word", CommandOutcome{1, false, false, "half", "first\nlast word\n\n"}, ": last word",
         true},
        {"fails without", CommandOutcome{1, false, false, "half", " \n"}, "", true},
        {"hangs", CommandOutcome{143, true, false, "half", ""}, ": gave no answer in time", true},
        {"floods", CommandOutcome{0, false, true, "half", ""},
         ": printed more than is taken; the rest is left out", true},
        {"says nothing", CommandOutcome{0, false, false, "", ""}, "", false},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        OneAnswer runner(row.answer);
        const Capture live = collect_live(runner, Os::openbsd, true, {});
        EXPECT_EQ(!live.documents.empty(), row.documents);
        EXPECT_EQ(live.notes.empty(), row.note.empty());
        for (const auto& note : live.notes) EXPECT_TRUE(note.ends_with(row.note)) << note;
        for (const Document& document : live.documents) {
            ASSERT_TRUE(document.run);
            EXPECT_EQ(document.run->exit_status, row.answer->exit_status);
            EXPECT_EQ(document.run->timed_out, row.answer->timed_out);
            EXPECT_EQ(document.run->cut, row.answer->output_cut);
        }
    }
}

// Real programs in place of the system's, one of which hangs: all others are asked, devices too.
class HungTool final : public CommandRunner {
 public:
    HungTool(Capture capture, std::string hung) : host_(std::move(capture)), hung_(std::move(hung)) {}
    Result<CommandOutcome> run(const Argv& argv, const CommandLimits& limits) override {
        if (joined(argv) == hung_) {
            std::this_thread::sleep_for(limits.time);
            return CommandOutcome{137, true, false, "", ""};
        }
        const std::lock_guard lock(mutex_);
        return host_.run(argv, limits);
    }
    bool installed(const std::string& program) const override { return host_.installed(program); }

 private:
    std::mutex mutex_;
    RecordedHost host_;
    std::string hung_;
};

TEST(Collector, AToolThatHangsCostsItsOwnOutputOnly) {
    for (const Host& row : hosts) {
        SCOPED_TRACE(row.name);
        RecordedHost whole(test::recorded_capture(row.name));
        const Capture all = collect_live(whole, row.os, true, {});
        HungTool runner(test::recorded_capture(row.name), "df -ik");
        LiveOptions options;
        options.at_once = 4;
        options.deadline = std::chrono::milliseconds(12'000);
        const Capture live = collect_live(runner, row.os, true, options);
        std::vector<std::string> lines, others;
        for (const Document& document : live.documents) lines.push_back(document.name);
        for (const Document& document : all.documents)
            if (document.name != "df -ik") others.push_back(document.name);
        EXPECT_EQ(lines, others);
        EXPECT_EQ(std::count(live.notes.begin(), live.notes.end(), "df -ik: gave no answer in time"), 1);
    }
}

TEST(Collector, SecretsAreInNoCapture) {
    Capture capture = test::recorded_capture("freebsd-gmirror");
    for (Document& document : capture.documents)
        if (document.argv.back() == "/etc/fstab")
            document.bytes += "//nas/share /mnt smbfs rw,password=hunter2secret,domain=ACME 0 0\n";
    RecordedHost host(std::move(capture));
    bool seen = false;
    for (const Document& document : collect_live(host, Os::freebsd, true, {}).documents) {
        EXPECT_FALSE(contains(document.bytes, "hunter2"));
        seen = seen || contains(document.bytes, "password=xxxxxxxx,domain=ACME");
    }
    EXPECT_TRUE(seen);
}

// A device name comes from what a command printed.
TEST(Collector, NoOddNameBecomesAnOperand) {
    Capture capture = test::recorded_capture("openbsd-softraid");
    for (Document& document : capture.documents)
        if (document.argv.front() == "mount")
            document.bytes += "/dev/sd2f on /a type ffs (local)\n/dev/sd2;reboot on /b type ffs (local)\n";
    RecordedHost host(std::move(capture));
    collect_live(host, Os::openbsd, true, {});
    for (const Argv& argv : host.asked())
        for (const auto& word : argv) EXPECT_EQ(word.find(';'), std::string::npos) << joined(argv);
}

TEST(LiveCommands, NeverOneThatChangesAnything) {
    struct Forbidden {
        std::string_view program;
        std::string_view options;  // letters
    };
    // raidctl without an option of those that only tell is none of ours either.
    constexpr std::array<Forbidden, 6> forbidden{{{"diskinfo", "Sw"},
                                                  {"raidctl", "cCIPiMaAfFgrRBuLU"},
                                                  {"smartctl", "tXs"},
                                                  {"hdparm", "WFYyZz"},
                                                  {"bioctl", "cdOPRruHab"},
                                                  {"tunefs", "AaeFfgjJkLlmnorsStvx"}}};
    std::size_t seen = 0;
    for (const CommandParser& parser : command_parsers())
        for (const LiveCommand& command : parser.live) {
            ++seen;
            SCOPED_TRACE(joined(command.argv));
            const auto& program = command.argv.front();
            for (const Forbidden& row : forbidden) {
                if (program != row.program) continue;
                for (std::size_t i = 1; i < command.argv.size(); ++i) {
                    const auto& word = command.argv[i];
                    if (word.size() < 2 || word[0] != '-') continue;
                    // raidctl -m tells of the parity map; smartctl -g gets a setting.
                    for (const char letter : word.substr(1))
                        EXPECT_EQ(row.options.find(letter), std::string_view::npos) << letter;
                }
            }
            constexpr std::array<std::string_view, 12> tools_that_write{
                "newfs",         "mkfs",           "dd",
                "gmirror label", "fsck",           "sh",
                "wipefs",        "mdadm --create", "mdadm --assemble",
                "zpool import",  "gpt create",     "fdisk -i"};
            for (const auto tool : tools_that_write)
                EXPECT_FALSE(starts_with_word(joined(command.argv), tool));
        }
    EXPECT_GT(seen, 80U);
}

// raidctl as the contract lists it: only these of its options may stand in the table.
TEST(LiveCommands, RaidctlOnlyTells) {
    for (const CommandParser& parser : command_parsers())
        for (const LiveCommand& command : parser.live)
            if (command.argv.front() == "raidctl") {
                ASSERT_EQ(command.argv.size(), 3U);
                EXPECT_TRUE(command.argv[1] == "-s" || command.argv[1] == "-G" || command.argv[1] == "-m");
                EXPECT_EQ(command.argv[2], "{volume:raidframe}");
                EXPECT_TRUE(command.needs_root);
            }
}

TEST(LiveCommands, WordsArePlainAndPlaceholdersKnown) {
    for (const CommandParser& parser : command_parsers())
        for (const LiveCommand& command : parser.live) {
            SCOPED_TRACE(joined(command.argv));
            ASSERT_FALSE(command.argv.empty());
            int placeholders = 0;
            for (std::size_t i = command.argv.front() == "<" ? 1 : 0; i < command.argv.size(); ++i) {
                std::string word = command.argv[i];
                if (const auto open = word.find('{'); open != std::string::npos) {
                    const auto close = word.find('}');
                    ASSERT_NE(close, std::string::npos);
                    const auto inside = word.substr(open + 1, close - open - 1);
                    const auto what = inside.substr(0, inside.find(':'));
                    EXPECT_TRUE(what == "disk" || what == "volume" || what == "filesystem" ||
                                what == "mount");
                    word.erase(open, close - open + 1);
                    ++placeholders;
                }
                EXPECT_TRUE(std::all_of(word.begin(), word.end(), is_plain_character)) << word;
            }
            EXPECT_LE(placeholders, 1);
        }
}

}  // namespace
}  // namespace diskwright
