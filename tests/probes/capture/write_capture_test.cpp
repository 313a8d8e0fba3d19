// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/write_capture.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "probes/capture/manifest.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/recorded_host.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;

class WriteCapture : public testing::Test {
 protected:
    test::TemporaryFolder folder;
    const Capture capture = test::recorded_capture("netbsd-raid1");

    std::size_t names() const {
        const auto entries = test::entries(folder.path(""));
        return entries.size();
    }
};

unsigned mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777U;
}

TEST_F(WriteCapture, BothFormsReadBackAsTheyWere) {
    for (const std::string name : {"a.tar.gz", "b/", "c"}) {
        SCOPED_TRACE(name);
        const std::string path = folder.path(name);
        if (name == "c") fs::create_directory(path);
        const auto written = write_capture(path, capture);
        ASSERT_TRUE(written) << written.error().message;
        const auto read = load_input(path);
        ASSERT_TRUE(read) << read.error().message;
        ASSERT_EQ(read->documents.size(), capture.documents.size());
        for (std::size_t i = 0; i < capture.documents.size(); ++i) {
            EXPECT_EQ(read->documents[i].argv, capture.documents[i].argv);
            EXPECT_EQ(read->documents[i].bytes, capture.documents[i].bytes);
        }
        EXPECT_EQ(read->notes, capture.notes);
        EXPECT_EQ(test::facts_of(*read), test::facts_of(capture));
        ASSERT_TRUE(read->info);
        EXPECT_EQ(read->info->host, "nas7.acme.example");
        EXPECT_EQ(read->info->system, "netbsd");
        EXPECT_TRUE(read->info->root);
    }
    EXPECT_EQ(mode_of(folder.path("a.tar.gz")), 0600U);
    EXPECT_EQ(mode_of(folder.path("b")), 0700U);
    EXPECT_EQ(mode_of(folder.path("b/manifest.json")), 0600U);
    EXPECT_EQ(names(), 3U);
}

TEST_F(WriteCapture, NothingIsOverwrittenOrLeftHalfDone) {
    folder.file("old.tar.gz", "old");
    folder.file("full/old.txt", "old");
    folder.file("elsewhere", "old");
    fs::create_symlink(folder.path("elsewhere"), folder.path("link.tar.gz"));
    fs::create_symlink(folder.path("nowhere"), folder.path("dangling.tar.gz"));
    fs::create_directory(folder.path("target"));
    fs::create_directory_symlink(folder.path("target"), folder.path("linked"));
    const auto before = names();
    for (const auto* name : {"old.tar.gz", "full/", "link.tar.gz", "dangling.tar.gz", "linked/"}) {
        SCOPED_TRACE(name);
        const auto written = write_capture(folder.path(name), capture);
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().kind, ErrorKind::no_permission) << written.error().message;
        EXPECT_NE(written.error().message.find(folder.path("")), std::string::npos);
    }
    EXPECT_FALSE(write_capture(folder.path("missing/a.tar.gz"), capture));
    EXPECT_EQ(names(), before);
    EXPECT_EQ(test::read_file(folder.path("old.tar.gz")), "old");
    EXPECT_EQ(test::read_file(folder.path("elsewhere")), "old");
    EXPECT_EQ(test::read_file(folder.path("full/old.txt")), "old");
    EXPECT_FALSE(fs::exists(folder.path("nowhere")));
    EXPECT_TRUE(fs::is_empty(folder.path("target")));
}

TEST(MemberFileName, PlainUniqueAndShort) {
    EXPECT_EQ(member_file_name(7, {"raidctl", "-s", "raid0"}), "007-raidctl_-s_raid0.txt");
    EXPECT_EQ(member_file_name(12, {"cat", "/etc/fstab"}), "012-cat__etc_fstab.txt");
    EXPECT_EQ(member_file_name(1, {"x", "../..", "\x1b[31m", "a b"}), "001-x_.._..___31m_a_b.txt");
    EXPECT_LE(member_file_name(100000, {std::string(500, 'x')}).size(), 80U);
}

}  // namespace
}  // namespace diskwright
