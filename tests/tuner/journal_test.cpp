// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/journal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "probes/support/posix.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/spaces.hpp"

namespace diskwright {
namespace {

class JournalFile : public testing::Test {
 protected:
    test::TemporaryFolder folder;
    const std::string path = folder.path("journal");
    const SearchSpace space = test::grid(2, 3);
    const JournalHeader header{"random", 7, "table 00, noise 0", {"time_s", true}, Point{1, 2}};
    const std::vector<Trial> trials{
        {{0, 0}, TrialState::ok, 0.1 + 0.2, std::chrono::nanoseconds(1'234'567'891), ""},
        {{1, 0}, TrialState::invalid, std::nullopt, {}, "exit status 1: no"},
        {{3, 2}, TrialState::timeout, std::nullopt, std::chrono::hours(3), "killed"},
        {{3, 3}, TrialState::failed, std::nullopt, std::chrono::nanoseconds(1), ""},
        {{2, 3}, TrialState::ok, -1e-300, {}, ""},
    };

    std::string written() {
        {
            auto journal = Journal::create(path, header, space);
            EXPECT_TRUE(journal) << journal.error().message;
            for (const Trial& trial : trials) EXPECT_TRUE(journal->append(trial));
        }
        return test::read_file(path);
    }
    Result<Journal::Resumed> resumed(const std::string& text) {
        std::filesystem::remove(path);
        folder.file("journal", text);
        return Journal::resume(path, header, space);
    }
};

TEST_F(JournalFile, GivesBackWhatItWasGiven) {
    written();
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    const auto again = Journal::resume(path, header, space);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->trials, trials);
    EXPECT_EQ(again->note, "");
}

TEST_F(JournalFile, CutAnywhereItGivesTheWholeLinesAndGoesOn) {
    const std::string whole = written();
    // Every byte of the last line, every few of the others.
    const std::size_t last = whole.rfind('\n', whole.size() - 2);
    for (std::size_t length = 0; length <= whole.size(); length += length < last ? 7 : 1) {
        SCOPED_TRACE(length);
        const std::string cut = whole.substr(0, length);
        const auto lines = static_cast<std::size_t>(std::count(cut.begin(), cut.end(), '\n'));
        const bool torn = !cut.empty() && cut.back() != '\n';
        {
            auto again = resumed(cut);
            ASSERT_TRUE(again) << again.error().message;
            EXPECT_EQ(again->trials.size(), lines == 0 ? 0 : lines - 1);
            EXPECT_EQ(again->note.empty(), !torn);
            for (std::size_t i = again->trials.size(); i < trials.size(); ++i)
                ASSERT_TRUE(again->journal.append(trials[i]));
        }
        ASSERT_EQ(test::read_file(path), whole);
    }
}

TEST_F(JournalFile, WithoutAWholeHeaderItBeginsAnew) {
    const std::string whole = written();
    const std::string header_line = whole.substr(0, whole.find('\n') + 1);
    const std::string other = JournalHeader{"default", 8, "command x", {"y", true}, {}}.line(space);
    for (const std::string& torn : {std::string(), header_line.substr(0, 20), other.substr(0, 70)}) {
        SCOPED_TRACE(torn);
        const auto again = resumed(torn);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_TRUE(again->trials.empty());
        EXPECT_EQ(test::read_file(path), header_line);
    }
}

TEST_F(JournalFile, AFullDiskIsAnErrorOfTheDevice) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
    const int full = open("/dev/full", O_WRONLY);
    EXPECT_FALSE(write_all(full, "x"));
    EXPECT_EQ(kind_of_errno(), ErrorKind::io_error);
    close(full);
}

TEST_F(JournalFile, NeverReplacesAFileOrFollowsALink) {
    folder.file("journal", "precious\n");
    EXPECT_EQ(Journal::create(path, header, space).error().kind, ErrorKind::no_permission);
    EXPECT_EQ(test::read_file(path), "precious\n");
    const std::string link = folder.path("link");
    ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
    EXPECT_EQ(Journal::create(link, header, space).error().kind, ErrorKind::no_permission);
    EXPECT_EQ(Journal::resume(link, header, space).error().kind, ErrorKind::no_permission);
    EXPECT_EQ(Journal::resume(folder.path(""), header, space).error().kind, ErrorKind::no_permission);
    EXPECT_EQ(Journal::resume(folder.path("none"), header, space).error().kind, ErrorKind::no_input);
    EXPECT_EQ(Journal::create(folder.path("no/such"), header, space).error().kind, ErrorKind::no_input);
}

// Locks are between processes, so that the second session is a child.
TEST_F(JournalFile, ASecondSessionIsRefused) {
    const auto journal = Journal::create(path, header, space);
    ASSERT_TRUE(journal);
    const pid_t child = fork();
    if (child == 0) {
        const auto second = Journal::resume(path, header, space);
        _exit(!second && second.error().kind == ErrorKind::no_permission &&
                      contains(second.error().message, "another session")
                  ? 0
                  : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_F(JournalFile, AnotherSearchIsRefusedByItsFirstDifference) {
    const std::string whole = written();
    const std::string deep(1'000'000, '[');
    struct Row {
        std::string_view part, instead, message;
    };
    const std::vector<Row> rows{
        {"\"random\"", "\"default\"", "method: the journal has \"default\", this search \"random\""},
        {"\"seed\":7", "\"seed\":8", "seed: the journal has 8, this search 7"},
        {"noise 0\"", "noise 1\"", "source: the journal has"},
        {"\"time_s\"", "\"rate\"", "objective.name: the journal has \"rate\""},
        {"\"min\"", "\"max\"", "objective.direction: the journal has \"max\""},
        {"\"linear\"", "\"choice\"", "space[0].scale: the journal has \"choice\""},
        {"\"name\":\"x1\"", "\"name\":\"y\"", "space[1].name: the journal has \"y\""},
        {"\"values\":[0,", "\"values\":[0.1,", "space[0].values[0]: the journal has 0.1, this search 0"},
        {"\"values\":[0,", "\"values\":[", "space[0].values[0]"},
        {"\"values\":[0,", "\"values\":[[[[]]],", "a list or an object"},
        {"\"default\":{", "\"default\":{\"z\":1,", "default: the journal has a list or an object"},
        {"\"format_version\":1", "\"format_version\":2", "format_version: the journal has 2"},
        {"diskwright-tune-journal", "something", "line 1: not the header"},
        {"\"linear\"", deep, "line 1: not the header"},
        {"{\"format\"", "[\"format\"", "line 1: not the header"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.message);
        std::string text = whole;
        const auto at = text.find(row.part);
        ASSERT_NE(at, std::string::npos);
        const auto again = resumed(text.replace(at, row.part.size(), row.instead));
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(again.error().message, row.message)) << again.error().message;
    }
    EXPECT_EQ(resumed("no journal at all").error().kind, ErrorKind::bad_data);
    EXPECT_EQ(resumed("{\"f\"").error().kind, ErrorKind::bad_data);
}

TEST_F(JournalFile, MalformedLinesAreNamedByNumber) {
    const std::string whole = written();
    const std::string deep = "\"trial\":" + std::string(1'000'000, '[');
    struct Row {
        std::string_view part, instead, message;
    };
    const std::vector<Row> rows{
        {"{\"trial\":1", "\"trial\":1", "line 2: not JSON at byte"},
        {"{\"trial\":1", "{\"x\":1,\"trial\":1", "line 2: x: unknown key"},
        {"\"trial\":2,", "", "line 3: trial: missing"},
        {"\"trial\":2", "\"trial\":3", "line 3: trial: 3, not 2"},
        {"\"invalid\"", "\"odd\"", "line 3: state: 'odd' is none"},
        {"\"invalid\"", "1", "line 3: state: not a text"},
        {"\"invalid\"", "\"ok\"", "line 3: value: a trial has one"},
        {"\"value\":-1e-300", "\"value\":\"x\"", "line 6: value: not a number"},
        {"\"seconds\":10800.0", "\"seconds\":-1", "line 4: seconds: not a time"},
        {"\"seconds\":10800.0", "\"seconds\":1e300", "line 4: seconds: not a time"},
        {"\"trial\":2", deep, "line 3: nested deeper than 64"},
        {"\"note\":\"killed\"", "\"note\":1", "line 4: note: not a text"},
        {"\"point\":{\"x0\":0,", "\"point\":{\"x0\":7,", "line 2: point.x0: 7 is none of its values"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.message);
        std::string text = whole;
        const auto at = text.find(row.part);
        ASSERT_NE(at, std::string::npos);
        const auto again = resumed(text.replace(at, row.part.size(), row.instead));
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(again.error().message, row.message)) << again.error().message;
    }
}

}  // namespace
}  // namespace diskwright
