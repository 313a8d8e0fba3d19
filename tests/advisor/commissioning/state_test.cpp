// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/state.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

DeviceProfile profile() {
    DeviceProfile out;
    out["flush_latency_s"] = {0.008, "s", 0.001, 3, Confidence::low, "few", {{"a", {0.008, 0.007, 0.009}}}};
    return out;
}

class CommissionState : public testing::Test {
 protected:
    test::TemporaryFolder temporary;
    const std::string folder = temporary.path("job");
};

TEST_F(CommissionState, FolderIsMadeOnceAndPrivate) {
    ASSERT_TRUE(make_journal_folder(folder));
    struct stat status {};
    ASSERT_EQ(stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
    const auto again = make_journal_folder(folder);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, ErrorKind::no_permission);
    EXPECT_TRUE(contains(again.error().message, "--resume"));
}

TEST_F(CommissionState, ProfileComesBack) {
    ASSERT_TRUE(make_journal_folder(folder));
    const auto none = saved_profile(folder, "sd0");
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none) << "a job that was stopped while it probed";
    temporary.file("job/profile.json.new", "{\"subj");  // of one that was killed while it saved
    ASSERT_TRUE(save_profile(folder, "sd0", profile()));
    const auto saved = saved_profile(folder, "sd0");
    ASSERT_TRUE(saved) << saved.error().message;
    EXPECT_EQ(**saved, profile());
    EXPECT_NE(access((folder + "/profile.json.new").c_str(), F_OK), 0);
}

TEST_F(CommissionState, WhatIsNotOursIsRefused) {
    struct Row {
        std::string_view text, says;
    };
    constexpr std::array<Row, 5> rows{{
        {R"({"subject": "sd1", "profile": {}})", "begun for 'sd1', not for 'sd0'"},
        {R"({"subject": "sd0"})", "profile: missing"},
        {R"({"subject": "sd0", "profile": {}, "more": 1})", "more: unknown key"},
        {R"({"subject": )", "not JSON"},
        {R"({"subject": "sd0", "profile": {"x": 1}})", "x: not an object"},
    }};
    ASSERT_TRUE(make_journal_folder(folder));
    for (const Row& row : rows) {
        temporary.file("job/profile.json", std::string(row.text));
        const auto saved = saved_profile(folder, "sd0");
        ASSERT_FALSE(saved) << row.text;
        EXPECT_EQ(saved.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(saved.error().message, row.says)) << saved.error().message;
    }
    EXPECT_EQ(saved_profile(temporary.path("none"), "sd0").error().kind, ErrorKind::no_input);
}

}  // namespace
}  // namespace diskwright
