// SPDX-License-Identifier: BSD-2-Clause
// Captures whose manifest is damaged or hostile: what can be used is used, and what cannot is said.
#include "probes/capture/manifest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "probes/capture/file_source.hpp"
#include "probes/support/text.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

constexpr std::string_view head = R"({"format": "diskwright-capture", "format_version": 1, )";

Capture with_manifest(const std::string& manifest) {
    Capture capture;
    capture.documents.push_back({"capture/001-a.txt", "/dev/wd0a on / type ffs (local)\n", {}});
    capture.documents.push_back({"capture/002-b.txt", "b\n", {}});
    capture.documents.push_back({"capture/manifest.json", manifest, {}});
    return capture;
}

TEST(Manifest, DamageIsToldAndTheRestUsed) {
    struct Row {
        const char* name;
        std::string rest;       // of the manifest
        std::string_view note;  // part of a note; empty: there is none
        std::size_t with_argv;  // documents that got their command
    };
    const std::vector<Row> rows{
        {"whole", R"("members": [{"file": "001-a.txt", "argv": ["mount"]}]})", "", 1},
        {"cut", R"("members": [{"file": "001-a.txt", "argv": ["mo)", "read without it", 0},
        {"not there", R"("members": [{"file": "003-c.txt", "argv": ["mount"]}]})",
         "names 003-c.txt, which is not", 0},
        {"outside", R"("members": [{"file": "../../etc/passwd", "argv": ["mount"]}]})",
         "names ../../etc/passwd, which is not", 0},
        {"absolute", R"("members": [{"file": "/etc/passwd", "argv": ["mount"]}]})",
         "names /etc/passwd, which is not", 0},
        {"twice",
         R"("members": [{"file": "001-a.txt", "argv": ["mount"]}, {"file": "001-a.txt", "argv": ["df"]}]})",
         "names 001-a.txt, which is not", 1},
        {"no argv", R"("members": [{"file": "001-a.txt"}, {"file": "002-b.txt", "argv": ["df"]}]})",
         "members[0]: argv: missing", 1},
        {"empty argv", R"("members": [{"file": "001-a.txt", "argv": [""]}]})", "members[0]: argv: missing",
         0},
        {"wrong type", R"("members": [{"file": "001-a.txt", "argv": "mount"}]})", "members[0]: argv", 0},
        {"number in argv", R"("members": [{"file": "001-a.txt", "argv": [1]}]})", "members[0]: argv", 0},
        {"no list", R"("members": 7})", "members", 0},
        {"no objects", R"("members": [7]})", "members[0]", 0},
        {"escapes", R"("members": [{"file": "\u001b[2J", "argv": ["mount"]}]})", R"(names \x1b[2J)", 0},
        {"odd left_out", R"("members": [], "left_out": [3]})", "left_out", 0},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        Capture capture = with_manifest(std::string(head) + row.rest);
        const auto applied = apply_manifests(capture);
        ASSERT_TRUE(applied) << applied.error().message;
        EXPECT_EQ(capture.documents.size(), 2U);
        EXPECT_EQ(static_cast<std::size_t>(std::count_if(capture.documents.begin(), capture.documents.end(),
                                                         [](const Document& d) { return !d.argv.empty(); })),
                  row.with_argv);
        EXPECT_EQ(capture.notes.empty(), row.note.empty());
        const bool said = std::any_of(capture.notes.begin(), capture.notes.end(),
                                      [&](const auto& note) { return contains(note, row.note); });
        EXPECT_TRUE(said || row.note.empty()) << (capture.notes.empty() ? "" : capture.notes.front());
        for (const auto& note : capture.notes) EXPECT_EQ(note.find('\x1b'), std::string::npos);
    }
}

TEST(Manifest, OrderCommandsAndWhatWasLeftOut) {
    Capture capture = with_manifest(std::string(head) + R"("members": [
        {"file": "002-b.txt", "argv": ["raidctl", "-s", "raid0"], "exit_status": 1, "seconds": 0.5, "timed_out": true},
        {"file": "001-a.txt", "argv": ["mount"]}],
        "left_out": [{"what": "zdb", "why": "needs root"}]})");
    ASSERT_TRUE(apply_manifests(capture));
    ASSERT_EQ(capture.documents.size(), 2U);
    EXPECT_EQ(capture.documents[0].name, "002-b.txt");
    EXPECT_EQ(capture.documents[0].argv, (std::vector<std::string>{"raidctl", "-s", "raid0"}));
    ASSERT_TRUE(capture.documents[0].run);
    EXPECT_EQ(capture.documents[0].run->exit_status, 1);
    EXPECT_TRUE(capture.documents[0].run->timed_out);
    EXPECT_EQ(capture.documents[1].name, "001-a.txt");
    EXPECT_EQ(capture.notes, std::vector<std::string>{"zdb: needs root"});
}

TEST(Manifest, WhatIsNoTextIsAmongTheImages) {
    Capture capture = with_manifest(
        std::string(head) +
        R"("members": [{"file": "003-c.txt", "argv": ["zdb"]}, {"file": "004-d.txt", "argv": ["df"]}]})");
    capture.images.push_back(std::make_shared<BytesSource>("003-c", std::string(512, '\1')));
    ASSERT_TRUE(apply_manifests(capture));
    ASSERT_EQ(capture.notes.size(), 1U);
    EXPECT_TRUE(contains(capture.notes.front(), "names 004-d.txt")) << capture.notes.front();
}

TEST(Manifest, AnotherVersionIsRefused) {
    Capture capture =
        with_manifest(R"({"format": "diskwright-capture", "format_version": 2, "members": []})");
    const auto applied = apply_manifests(capture);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().kind, ErrorKind::bad_data);
    EXPECT_TRUE(contains(applied.error().message, "format version 2")) << applied.error().message;
}

TEST(Manifest, AFileOfThatNameThatIsNoneOfOursStays) {
    Capture capture = with_manifest(R"({"name": "some web application", "icons": []})");
    ASSERT_TRUE(apply_manifests(capture));
    EXPECT_EQ(capture.documents.size(), 3U);
    EXPECT_TRUE(capture.notes.empty());
}

TEST(Manifest, SeveralCapturesInOneFolderKeepTheirFolders) {
    Capture capture;
    for (const std::string host : {"a/", "b/"}) {
        capture.documents.push_back({host + "001-mount.txt", "x\n", {}});
        capture.documents.push_back(
            {host + "manifest.json",
             std::string(head) + R"("members": [{"file": "001-mount.txt", "argv": ["mount"]}]})",
             {}});
    }
    ASSERT_TRUE(apply_manifests(capture));
    ASSERT_EQ(capture.documents.size(), 2U);
    EXPECT_EQ(capture.documents[0].name, "a/001-mount.txt");
    EXPECT_EQ(capture.documents[1].name, "b/001-mount.txt");
}

// A member of a capture that is a link would lead out of it.
TEST(Manifest, LinksInACaptureFolderAreLeftOut) {
    const test::TemporaryFolder folder;
    const auto secret = folder.file("secret", "/dev/wd9a on /secret type ffs (local)\n");
    folder.file("capture/manifest.json",
                std::string(head) + R"("members": [{"file": "001-mount.txt", "argv": ["mount"]}]})");
    folder.file("capture/002-x.txt", "x\n");
    std::filesystem::create_symlink(secret, folder.path("capture/001-mount.txt"));
    const auto capture = load_input(folder.path("capture"));
    ASSERT_TRUE(capture);
    EXPECT_EQ(capture->documents.size(), 1U);
    ASSERT_EQ(capture->notes.size(), 2U);
    EXPECT_TRUE(contains(capture->notes[0], "a symbolic link"));
    EXPECT_TRUE(contains(capture->notes[1], "which is not in the capture"));
}

}  // namespace
}  // namespace diskwright
