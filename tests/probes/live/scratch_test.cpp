// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/scratch.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "probes/live/process_runner.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

constexpr std::size_t file_bytes = 2 * MiB;

class Scratch : public testing::Test {
 protected:
    Result<std::unique_ptr<ScratchDevice>> open(const std::string& scratch, const std::string& yes) {
        const auto request = parse_scratch(scratch, yes);
        if (!request) return request.error();
        return open_scratch(*request, commands_, progress_);
    }
    /// With a clock that the test moves.
    Result<std::unique_ptr<ScratchDevice>> open_at(const std::string& file) {
        auto clock = std::make_unique<test::VirtualClock>();
        clock_ = clock.get();
        return open_scratch({file, std::nullopt, file}, commands_, progress_, std::move(clock));
    }
    void overwrite(std::string_view bytes) {
        const int fd = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
        ASSERT_EQ(pwrite(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
        close(fd);
    }
    void expect_refused(const std::string& scratch, const std::string& yes, std::string_view says,
                        ErrorKind kind = ErrorKind::no_permission) {
        const auto device = open(scratch, yes);
        ASSERT_FALSE(device) << scratch << ", " << yes << ": not refused";
        EXPECT_EQ(device.error().kind, kind) << device.error().message;
        EXPECT_TRUE(contains(device.error().message, says)) << device.error().message;
    }

    test::TemporaryFolder folder_;
    test::VirtualClock* clock_ = nullptr;  // of the device that open_at() opened
    const std::string file_ = folder_.file("scratch", std::string(file_bytes, '\xa5'));

 private:
    ProcessRunner commands_;
    test::StopAfter progress_;
};

TEST_F(Scratch, ParsesDeviceAndRegion) {
    const auto whole = parse_scratch("/dev/sd:0", "");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->path, "/dev/sd:0");
    EXPECT_FALSE(whole->region);
    const auto part = parse_scratch("/dev/sd1:1m+2gb", "/dev/sd1");
    ASSERT_TRUE(part);
    EXPECT_EQ(part->path, "/dev/sd1");
    EXPECT_EQ(*part->region, (ByteRange{MiB, 2'000'000'000}));
    for (const auto* wrong : {"d:+1m", "d:1m+", "d:x+1m", "d:1m+x", "d:1+16e", ":0+1m", "d:-1+2"}) {
        const auto request = parse_scratch(wrong, "d");
        ASSERT_FALSE(request) << wrong;
        EXPECT_EQ(request.error().kind, ErrorKind::usage) << wrong;
    }
}

TEST_F(Scratch, NeedsTheSameFileNamedTwice) {
    const std::string other = folder_.file("other", std::string(file_bytes, '\xa5'));
    expect_refused(file_, "", "named twice");
    expect_refused(file_, other, "named twice");
    expect_refused(file_, folder_.path("missing"), "No such file", ErrorKind::no_input);
    expect_refused(folder_.path("missing"), folder_.path("missing"), "truncate", ErrorKind::no_input);
    EXPECT_TRUE(open(file_, file_));
}

TEST_F(Scratch, AHardLinkIsTheSameFileASymlinkIsRefused) {
    const std::string hard = folder_.path("hard"), soft = folder_.path("soft");
    ASSERT_EQ(link(file_.c_str(), hard.c_str()), 0);
    ASSERT_EQ(symlink(file_.c_str(), soft.c_str()), 0);
    EXPECT_TRUE(open(file_, hard));
    expect_refused(soft, file_, "symlink");
    expect_refused(file_, soft, "symlink");
    expect_refused(soft, soft, "symlink");
}

TEST_F(Scratch, WhatIsNoDeviceAndNoFile) {
    const std::string pipe = folder_.path("pipe"), directory = folder_.path("directory");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    ASSERT_EQ(mkdir(directory.c_str(), 0700), 0);
    expect_refused(pipe, pipe, "neither", ErrorKind::no_input);
    expect_refused(directory, directory, "neither", ErrorKind::no_input);
    expect_refused("/dev/null", "/dev/null", "/dev/null", ErrorKind::no_input);
}

TEST_F(Scratch, ARegionLiesWithinOnSectors) {
    for (const auto* region : {":0+0", ":0+3m", ":2m+4k", ":3m+4k", ":7+4k", ":4k+7"})
        expect_refused(file_ + region, file_, "scratch area", ErrorKind::usage);
    const auto device = open(file_ + ":1m+512k", file_);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_EQ((*device)->size_bytes(), 512 * KiB);
    EXPECT_EQ((*device)->first_byte(), MiB);
    const std::string empty = folder_.file("empty", "");
    expect_refused(empty, empty, "empty", ErrorKind::usage);
}

TEST_F(Scratch, ASignatureIsRefusedWhereverItStands) {
    struct Row {
        std::size_t at;
        std::string_view bytes, region;
    };
    constexpr std::array<Row, 4> rows{{
        {0, "XFSB", ""},
        {0, "XFSB", ":1m+512k"},               // a file system on the whole, whatever the region
        {MiB + 8192, "marcCRAM", ":1m+512k"},  // at the start of the region
        {510, "\x55\xaa", ":1m+512k"},         // of a file no kernel shows the partitions
    }};
    for (const Row& row : rows) {
        std::string bytes(file_bytes, '\xa5');
        bytes.replace(row.at, row.bytes.size(), row.bytes);
        const std::string file = folder_.file("marked", bytes);
        expect_refused(file + std::string(row.region), file, "signature");
        EXPECT_EQ(test::read_file(file), bytes) << "it was written to";
    }
}

TEST_F(Scratch, OpenElsewhere) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::open(file_.c_str(), O_RDONLY);
        pause();
        _exit(0);
    }
    // The child opens it in its own time.
    bool refused = false;
    for (int i = 0; i < 100 && !refused; ++i) {
        refused = !open(file_, file_);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_TRUE(refused);
    expect_refused(file_, file_, "open elsewhere");
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(open(file_, file_));
}

TEST_F(Scratch, ASecondSessionIsRefused) {
    const auto first = open(file_, file_);
    ASSERT_TRUE(first);
    EXPECT_FALSE(open(file_, file_));
}

TEST_F(Scratch, ASparseFileIsFilledAndNothingBesideTheRegionIs) {
    const std::string sparse = folder_.file("sparse", "");
    ASSERT_EQ(truncate(sparse.c_str(), file_bytes), 0);
    {
        const auto device = open(sparse + ":1m+512k", sparse);
        ASSERT_TRUE(device) << device.error().message;
    }
    const std::string bytes = test::read_file(sparse);
    EXPECT_EQ(bytes.substr(0, MiB), std::string(MiB, '\0'));
    EXPECT_EQ(bytes.substr(MiB + 512 * KiB), std::string(512 * KiB, '\0'));
    EXPECT_EQ(bytes.substr(MiB, 512 * KiB).find('\0'), std::string::npos);
    EXPECT_TRUE(open(sparse, sparse)) << "what it was filled with is no signature";
}

TEST_F(Scratch, WritesReadsAndFlushesWithinTheRegion) {
    const auto device = open(file_ + ":1m+512k", file_);
    ASSERT_TRUE(device) << device.error().message;
    const std::vector<std::byte> block(4 * KiB, std::byte{0xee});
    EXPECT_TRUE((*device)->write_at(8 * KiB, block));
    EXPECT_TRUE((*device)->flush());
    EXPECT_FALSE((*device)->write_at(512 * KiB, block)) << "past the region";
    EXPECT_FALSE((*device)->write_at(UINT64_MAX - 100, block));
    constexpr std::array<ReadRequest, 2> requests{{{0, 4 * KiB}, {508 * KiB, 4 * KiB}}};
    EXPECT_TRUE((*device)->read(requests, 2));
    const std::string bytes = test::read_file(file_);
    EXPECT_EQ(bytes.substr(MiB + 8 * KiB, 4 * KiB), std::string(4 * KiB, '\xee'));
    EXPECT_EQ(bytes.substr(0, MiB), std::string(MiB, '\xa5'));
}

TEST_F(Scratch, InterlocksAreEvaluatedAgainAtEachStepAndTwiceASecond) {
    const std::vector<std::byte> block(4 * KiB, std::byte{0xee});
    for (const bool at_a_step : {true, false}) {
        SCOPED_TRACE(at_a_step ? "at a step" : "within a step");
        const auto device = open_at(file_);
        ASSERT_TRUE(device);
        EXPECT_TRUE((*device)->write_at(MiB, block)->after_check) << "opening evaluates them too";
        overwrite("XFSB");
        clock_->advance(0.499);
        const auto trusted = (*device)->write_at(MiB, block);
        ASSERT_TRUE(trusted);
        EXPECT_FALSE(trusted->after_check);
        if (at_a_step) {
            EXPECT_EQ((*device)->begin_step()->kind, ErrorKind::no_permission);
        } else {
            clock_->advance(0.001);
        }
        const auto refused = (*device)->write_at(MiB, block);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::no_permission);
        EXPECT_TRUE(contains(refused.error().message, "XFS")) << refused.error().message;
        overwrite("\xa5\xa5\xa5\xa5");
        EXPECT_FALSE((*device)->write_at(MiB, block)) << "once refused, refused for good";
        EXPECT_TRUE((*device)->begin_step());
    }
}

TEST_F(Scratch, ACheckThatPassesIsSaidOnce) {
    const auto device = open_at(file_);
    ASSERT_TRUE(device);
    const std::vector<std::byte> block(4 * KiB, std::byte{0xee});
    std::vector<bool> after_check;
    for (int i = 0; i < 6; ++i) {
        after_check.push_back((*device)->write_at(MiB, block)->after_check);
        clock_->advance(0.2);
    }
    EXPECT_EQ(after_check, (std::vector<bool>{true, false, false, true, false, false}));
}

TEST_F(Scratch, ANameThatBecameAnotherFileIsRefused) {
    const auto device = open_at(file_);
    ASSERT_TRUE(device);
    const std::string other = folder_.file("other", std::string(file_bytes, '\xa5'));
    ASSERT_EQ(rename(other.c_str(), file_.c_str()), 0);
    const auto refused = (*device)->begin_step();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->kind, ErrorKind::no_permission);
}

TEST_F(Scratch, RunsReadsAndWritesTogether) {
    const test::TemporaryFolder own;
    const std::string path = own.file("area", std::string(4 * MiB, '\xa5'));
    auto scratch = open(path + ":1m+2m", path);
    ASSERT_TRUE(scratch) << scratch.error().message;
    ASSERT_FALSE((*scratch)->begin_step());
    std::vector<std::byte> bytes(64 * KiB);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>('a' + i / (4 * KiB));
    std::vector<MixedRequest> requests;
    for (std::uint64_t i = 0; i < 32; ++i) requests.push_back({i * 4 * KiB, 4 * KiB, i % 2 == 0});
    const auto run = (*scratch)->run(requests, 8, bytes);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->service.size(), requests.size());
    EXPECT_TRUE(run->after_check);
    requests.assign(1, {2 * MiB, 4 * KiB, true});
    EXPECT_FALSE((*scratch)->run(requests, 1, bytes)) << "outside of the area";
    const std::string now = test::read_file(path);
    for (std::size_t i = 0; i < 32; ++i) {
        const std::string here = now.substr(MiB + i * 4 * KiB, 4 * KiB);
        const std::string wanted(4 * KiB, static_cast<char>('a' + i / 2));
        EXPECT_EQ(here == wanted, i % 2 == 0) << i;
    }
    EXPECT_EQ(now.substr(0, MiB), std::string(MiB, '\xa5'));
    EXPECT_EQ(now.substr(3 * MiB), std::string(MiB, '\xa5'));
}

}  // namespace
}  // namespace diskwright
