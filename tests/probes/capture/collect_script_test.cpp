// SPDX-License-Identifier: BSD-2-Clause
// The printed script under every shell that is there: against played-back hosts, and on this machine.
#include "probes/capture/collect_script.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "probes/capture/secrets.hpp"
#include "probes/live/collector.hpp"
#include "probes/live/process_runner.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/recorded_host.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view search_path = "PATH=/sbin:/usr/sbin:/bin:/usr/bin:/usr/pkg/sbin:/usr/local/sbin\n";

void replace(std::string& script, std::string_view what, const std::string& by) {
    const auto at = script.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    script.replace(at, what.size(), by);
}

// Disks of this machine are none of the test's business.
std::string without_devices(std::string script) {
    replace(script, "devices=/dev\n", "devices=/nonexistent\n");
    return script;
}

std::string without_search_path(std::string script, const std::string& folder) {
    replace(script, search_path, "PATH='" + folder + "'\n");
    return script;
}

int shell(const std::string& line) {
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool installed(const std::string& program) {
    return shell(fmt::format("command -v {} >/dev/null 2>&1", program)) == 0;
}

class CollectScript : public testing::TestWithParam<const char*> {
 protected:
    void SetUp() override {
        const std::string program = std::string(GetParam()).substr(0, std::string(GetParam()).find(' '));
        if (!installed(program)) GTEST_SKIP() << program << " is not installed";
    }
    int run(const std::string& script, const std::string& operand) const {
        const auto file = folder.file("collect.sh", script);
        return shell(fmt::format("cd '{}' && {} '{}' {} >out 2>err </dev/null", folder.path(""), GetParam(),
                                 file, operand));
    }

    test::TemporaryFolder folder;
};

TEST_P(CollectScript, RecordedHostsAuditAsLive) {
    struct Host {
        const char* name;
        Os os;
    };
    for (const Host& row : {Host{"netbsd-raid1", Os::netbsd}, Host{"freebsd-gmirror", Os::freebsd},
                            Host{"openbsd-softraid", Os::openbsd}}) {
        SCOPED_TRACE(row.name);
        test::RecordedHost host(test::recorded_capture(row.name));
        host.write_stand_ins(folder.path(row.name), row.os);
        const auto script =
            without_search_path(without_devices(collect_script("1.2.3")), folder.path(row.name) + "/bin");
        ASSERT_EQ(run(script, fmt::format("{}.tar", row.name)), 0) << test::read_file(folder.path("err"));
        const auto capture = load_input(folder.path(fmt::format("{}.tar", row.name)));
        ASSERT_TRUE(capture) << capture.error().message;
        const bool is_root = geteuid() == 0;
        const Capture live = collect_live(host, row.os, is_root, {.sampling = true});
        ASSERT_EQ(capture->documents.size(), live.documents.size());
        for (std::size_t i = 0; i < live.documents.size(); ++i) {
            EXPECT_EQ(capture->documents[i].argv, live.documents[i].argv);
            EXPECT_EQ(capture->documents[i].bytes, live.documents[i].bytes);
        }
        EXPECT_EQ(test::facts_of(*capture), test::facts_of(live));
        ASSERT_TRUE(capture->info);
        EXPECT_EQ(capture->info->system, to_string(row.os));
        EXPECT_EQ(capture->info->tool_version, "1.2.3");
        EXPECT_EQ(capture->info->root, is_root);
    }
}

// Facts that differ from one moment to the next.
void drop_moving(Json& json) {
    for (const auto* key : {"used_bytes", "available_bytes", "used_percent", "inodes_used", "samples",
                            "interval_s", "used_percent", "inodes"})
        if (json.is_object()) json.erase(key);
    if (json.is_structured())
        for (auto& item : json) drop_moving(item);
}

TEST_P(CollectScript, ThisMachineAsLive) {
    const auto system = running_system();
    if (!system) GTEST_SKIP() << "a system that is not collected from";
    ProcessRunner runner;
    LiveOptions options;
    options.deadline = std::chrono::seconds(60);
    const Capture live = collect_live(runner, *system, geteuid() == 0, options);
    std::string script = without_devices(collect_script("1.2.3"));
    // Sampling takes the test longer than all the rest, and its figures differ anyway.
    for (const auto line : {"    run anyone iostat", "    run root gstat"})
        for (auto at = script.find(line); at != std::string::npos; at = script.find(line, at))
            script.erase(at, script.find('\n', at) + 1 - at);
    ASSERT_EQ(run(script, "here/"), 0) << test::read_file(folder.path("err"));
    const auto capture = load_input(folder.path("here"));
    ASSERT_TRUE(capture) << capture.error().message;
    ASSERT_EQ(capture->documents.size(), live.documents.size());
    for (std::size_t i = 0; i < live.documents.size(); ++i)
        EXPECT_EQ(capture->documents[i].argv, live.documents[i].argv);
    Json facts = test::facts_of(*capture), live_facts = test::facts_of(live);
    drop_moving(facts), drop_moving(live_facts);
    EXPECT_EQ(facts, live_facts);
    EXPECT_EQ(fs::status(folder.path("here")).permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(folder.path("here/manifest.json")).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
}

TEST_P(CollectScript, NamesThatExistFloodsAndHangs) {
    test::RecordedHost host(test::recorded_capture("openbsd-softraid"));
    host.write_stand_ins(folder.path("host"), Os::openbsd);
    folder.file("host/bin/dmesg",
                "#!/bin/sh\nwhile :; do echo 'sd9 at scsibus9 targ 0 lun 0: <X, Y, 1>'; done\n");
    folder.file("host/bin/df", "#!/bin/sh\nexec /bin/sleep 60\n");
    for (const auto* name : {"dmesg", "df"})
        fs::permissions(folder.path("host/bin/") + name, fs::perms::owner_all);
    auto script = without_search_path(without_devices(collect_script("1.2.3")), folder.path("host") + "/bin");
    const auto change = [&](std::string_view from, std::string_view to) {
        const auto at = script.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        script.replace(at, from.size(), to);
    };
    change("command_seconds=10", "command_seconds=1");
    change("output_bytes=16777216", "output_bytes=65536");
    ASSERT_EQ(run(script, "a.tar"), 0) << test::read_file(folder.path("err"));
    const auto capture = load_input(folder.path("a.tar"));
    ASSERT_TRUE(capture) << capture.error().message;
    for (const Document& document : capture->documents) {
        ASSERT_TRUE(document.run);
        EXPECT_EQ(document.run->cut, document.argv.front() == "dmesg") << document.name;
        EXPECT_LE(document.bytes.size(), 65536U);
    }
    std::string notes;
    for (const auto& note : capture->notes) notes += note + "\n";
    EXPECT_TRUE(contains(notes, "dmesg: printed more than is taken")) << notes;
    EXPECT_TRUE(contains(notes, "df -ik: gave no answer in time")) << notes;

    const std::string whole = test::read_file(folder.path("a.tar"));
    EXPECT_EQ(run(script, "a.tar"), 77);
    EXPECT_EQ(test::read_file(folder.path("a.tar")), whole);
    folder.file("full/x", "x");
    EXPECT_EQ(run(script, "full/"), 77);
    EXPECT_EQ(run(script, "a b c"), 64);
    for (const auto& entry : test::entries(folder.path("")))
        EXPECT_EQ(entry.filename().string().find(".part"), std::string::npos) << entry;
}

// OpenBSD and NetBSD had no timeout(1) for long.
TEST_P(CollectScript, HangsEndWithoutTimeout) {
    test::RecordedHost host(test::recorded_capture("openbsd-softraid"));
    host.write_stand_ins(folder.path("host"), Os::openbsd);
    fs::remove(folder.path("host/bin/timeout"));
    folder.file("host/bin/df", "#!/bin/sh\nexec /bin/sleep 60\n");
    folder.file("host/bin/mount", "#!/bin/sh\ntrap '' TERM\nwhile :; do /bin/sleep 1; done\n");
    for (const auto* name : {"mount", "df"})
        fs::permissions(folder.path("host/bin/") + name, fs::perms::owner_all);
    auto script = without_search_path(collect_script("1.2.3"), folder.path("host") + "/bin");
    const std::string_view limit = "command_seconds=10";
    script.replace(script.find(limit), limit.size(), "command_seconds=1");
    ASSERT_EQ(run(script, "a.tar"), 0) << test::read_file(folder.path("err"));
    const auto capture = load_input(folder.path("a.tar"));
    ASSERT_TRUE(capture) << capture.error().message;
    std::string notes;
    for (const auto& note : capture->notes) notes += note + "\n";
    EXPECT_TRUE(contains(notes, "df -ik: gave no answer in time")) << notes;
    EXPECT_TRUE(contains(notes, "mount: gave no answer in time")) << notes;
    EXPECT_FALSE(capture->documents.empty());
}

// A name that appears while it runs is neither followed nor entered.
TEST_P(CollectScript, NamesThatAppearMeanwhile) {
    test::RecordedHost host(test::recorded_capture("openbsd-softraid"));
    host.write_stand_ins(folder.path("host"), Os::openbsd);
    for (const std::string& what : {"ln -s '" + folder.path("other") + "'", std::string("mkdir")}) {
        SCOPED_TRACE(what);
        fs::create_directories(folder.path("other"));
        folder.file("host/bin/df",
                    fmt::format("#!/bin/sh\n/bin/{} '{}' 2>/dev/null || :\n", what, folder.path("race.tar")));
        fs::permissions(folder.path("host/bin/df"), fs::perms::owner_all);
        const auto script = without_search_path(collect_script("1.2.3"), folder.path("host") + "/bin");
        EXPECT_EQ(run(script, "race.tar"), 77);
        EXPECT_EQ(test::read_file(folder.path("err")), "collect: race.tar: exists already\n");
        EXPECT_TRUE(fs::is_empty(folder.path("race.tar")));
        fs::remove(folder.path("race.tar"));
        // A folder has its name from the beginning.
        EXPECT_EQ(run(script, "race.tar/"), 0) << test::read_file(folder.path("err"));
        EXPECT_TRUE(fs::exists(folder.path("race.tar/manifest.json")));
        EXPECT_TRUE(fs::is_empty(folder.path("other")));
        fs::remove_all(folder.path("race.tar"));
    }
}

TEST_P(CollectScript, WhatFailsIsOneClearLine) {
    test::RecordedHost host(test::recorded_capture("openbsd-softraid"));
    host.write_stand_ins(folder.path("host"), Os::openbsd);
    const auto good = without_search_path(collect_script("1.2.3"), folder.path("host") + "/bin");
    EXPECT_EQ(run(good, "no/such/a.tar"), 71);
    EXPECT_EQ(test::read_file(folder.path("err")), "collect: no/such/a.tar: No such file or directory\n");
    EXPECT_EQ(run(good, "-x.tar"), 0) << test::read_file(folder.path("err"));
    EXPECT_TRUE(fs::exists(folder.path("-x.tar")));
    fs::create_symlink("nowhere", folder.path("link.tar"));
    EXPECT_EQ(run(good, "link.tar"), 77);
    EXPECT_EQ(run(good, "link.tar/"), 77);
    if (geteuid() != 0) {
        fs::create_directories(folder.path("closed"));
        fs::permissions(folder.path("closed"), fs::perms::owner_read | fs::perms::owner_exec);
        EXPECT_EQ(run(good, "closed/a.tar"), 77);
    }
    // Any tool of its frame that fails, as on a full disk.
    fs::remove(folder.path("host/bin/tar"));
    folder.file("host/bin/tar", "#!/bin/sh\necho 'tar: x: No space left on device' >&2\nexit 2\n");
    fs::permissions(folder.path("host/bin/tar"), fs::perms::owner_all);
    EXPECT_EQ(run(good, "full.tar"), 71);
    EXPECT_EQ(test::read_file(folder.path("err")),
              "collect: full.tar: not written: tar: x: No space left on device\n");
    for (const auto& entry : test::entries(folder.path(""))) {
        EXPECT_EQ(entry.filename().string().find(".part"), std::string::npos) << entry;
        EXPECT_NE(entry.filename(), "full.tar");
    }
}

TEST_P(CollectScript, ASignalIsHeardAtOnce) {
    test::RecordedHost host(test::recorded_capture("openbsd-softraid"));
    host.write_stand_ins(folder.path("host"), Os::openbsd);
    for (const bool with_timeout : {true, false}) {
        SCOPED_TRACE(with_timeout);
        if (!with_timeout) fs::remove(folder.path("host/bin/timeout"));
        folder.file("host/bin/df", "#!/bin/sh\nexec /bin/sleep 60\n");
        fs::permissions(folder.path("host/bin/df"), fs::perms::owner_all);
        const auto script = without_search_path(collect_script("1.2.3"), folder.path("host") + "/bin");
        const auto file = folder.file("collect.sh", script);
        for (const std::string& operand : {std::string("a.tar"), std::string("b/")}) {
            const auto begun = std::chrono::steady_clock::now();
            EXPECT_EQ(shell(fmt::format(
                          "cd '{}' && {{ {} '{}' {} >out 2>err & }}; sleep 1.5; kill -TERM $!; wait $!",
                          folder.path(""), GetParam(), file, operand)),
                      143);
            EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(8));
            for (const auto& entry : test::entries(folder.path(""))) {
                EXPECT_EQ(entry.filename().string().find(".part"), std::string::npos) << entry;
                EXPECT_NE(entry.filename(), "b");
            }
        }
    }
}

TEST_P(CollectScript, SecretsAreMaskedAsInALiveCapture) {
    test::RecordedHost host(test::recorded_capture("openbsd-softraid"));
    host.write_stand_ins(folder.path("host"), Os::openbsd);
    const std::string text =
        "//s/x /m cifs username=jdoe,PassWord=hunter2,,x,domain=A 0 0\n"
        "//s/y /m cifs pass=\"two words\",password2=c,username=jdoe%geheim,ro 0\n"
        "curlftpfs#ftp://jdoe:geheim@nas/ /m fuse\nrd.iscsi.in.password=geheim bypass=1 3 passes\n";
    folder.file("text", text);
    folder.file("host/bin/df", fmt::format("#!/bin/sh\nexec /bin/cat '{}'\n", folder.path("text")));
    fs::permissions(folder.path("host/bin/df"), fs::perms::owner_all);
    ASSERT_EQ(run(without_search_path(collect_script("1.2.3"), folder.path("host") + "/bin"), "a.tar"), 0);
    const auto capture = load_input(folder.path("a.tar"));
    ASSERT_TRUE(capture) << capture.error().message;
    std::size_t seen = 0;
    for (const Document& document : capture->documents)
        if (document.argv.front() == "df") {
            EXPECT_EQ(document.bytes, without_secrets(text));
            ++seen;
        }
    EXPECT_GT(seen, 0U);
}

TEST_P(CollectScript, ToStandardOutputAndFromStandardInput) {
    test::RecordedHost host(test::recorded_capture("freebsd-gmirror"));
    host.write_stand_ins(folder.path("host"), Os::freebsd);
    folder.file("collect.sh",
                without_search_path(without_devices(collect_script("1.2.3")), folder.path("host") + "/bin"));
    ASSERT_EQ(
        shell(fmt::format("cd '{}' && {} -s -- - <collect.sh >out.tar 2>err", folder.path(""), GetParam())),
        0)
        << test::read_file(folder.path("err"));
    const auto capture = load_input(folder.path("out.tar"));
    ASSERT_TRUE(capture) << capture.error().message;
    EXPECT_EQ(test::facts_of(*capture)["os"]["name"], "freebsd");
}

INSTANTIATE_TEST_SUITE_P(Shells, CollectScript, testing::Values("dash", "bash --posix", "mksh", "yash"),
                         [](const auto& row) {
                             const std::string name = row.param;
                             return name.substr(0, name.find(' '));
                         });

TEST(CollectScriptText, PassesShellcheck) {
    if (!installed("shellcheck")) GTEST_SKIP() << "shellcheck is not installed";
    const test::TemporaryFolder folder;
    const auto file = folder.file("collect.sh", collect_script("1.2.3"));
    EXPECT_EQ(shell(fmt::format("shellcheck -s sh '{}'", file)), 0);
}

TEST(CollectScriptText, HoldsToTheRulesForScripts) {
    const std::string script = collect_script("1.2'3\n; reboot");
    EXPECT_EQ(script.find("eval"), std::string::npos);
    for (const auto* part : {"set -eu\n", "umask 077\n", "LC_ALL=C\n", "version='1.23reboot'\n"})
        EXPECT_NE(script.find(part), std::string::npos) << part;
    EXPECT_NE(script.find(search_path), std::string::npos);
    EXPECT_TRUE(std::all_of(script.begin(), script.end(),
                            [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    for (const auto* system : {"netbsd", "freebsd", "openbsd", "dragonfly", "linux"})
        EXPECT_NE(script.find(fmt::format("\nask_{}() {{\n", system)), std::string::npos) << system;
    // Every kind of volume that a command wants has its lister.
    for (const auto line : split_lines(script)) {
        const auto kind = between(line, "$(list_volume ", ")");
        if (!kind) continue;
        const auto word = kind->substr(0, kind->find(' '));
        EXPECT_NE(script.find(fmt::format("        {})", word)), std::string::npos) << word;
    }
}

}  // namespace
}  // namespace diskwright
