// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/linux_interlocks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;

// A made-up /sys and /proc: the disk sda (8:0) with sda1 (8:1, from 1 MiB) and sda2 (8:2, from 3 MiB), 2 MiB
// each, and a plain file that stands for the node of sda.
class LinuxInterlocks : public testing::Test {
 protected:
    LinuxInterlocks() {
        write("sys/block/sda/size", "32768\n");
        write("sys/block/sda/device/serial", "  S1234 \n");
        partition("sda1", "8:1", "1", "2048", "4096");
        partition("sda2", "8:2", "2", "6144", "4096");
        link("../../../sys/block/sda", "sys/dev/block/8:0");
        fs::create_directories(folder_.path("sys/block/sda/holders"));
        node_ = folder_.file("node", "x");
        link("pid:[4026531836]", "proc/self/ns/pid");
        fs::create_directories(folder_.path("proc/1/fd"));
        write("proc/self/mountinfo", "22 1 8:1 / /boot rw - ext4 /dev/sda1 rw\n");
        write("proc/swaps", "Filename Type Size Used Priority\n");
    }

    void write(const std::string& name, const std::string& text) {
        fs::create_directories(fs::path(folder_.path(name)).parent_path());
        folder_.file(name, text);
    }
    void link(const std::string& target, const std::string& name) {
        fs::create_directories(fs::path(folder_.path(name)).parent_path());
        fs::create_symlink(target, folder_.path(name));
    }
    void partition(const std::string& name, const std::string& number, const std::string& index,
                   const std::string& start, const std::string& size) {
        const std::string folder = "sys/block/sda/" + name;
        write(folder + "/partition", index + "\n");
        write(folder + "/start", start + "\n");
        write(folder + "/size", size + "\n");
        fs::create_directories(folder_.path(folder + "/holders"));
        link("../../../" + folder, "sys/dev/block/" + number);
    }
    KernelRoots roots() const { return {folder_.path("sys"), folder_.path("proc")}; }
    KernelName device(const std::string& number) const {
        KernelName out{{}, number};
        EXPECT_EQ(stat(node_.c_str(), &out.status), 0);
        return out;
    }

    test::TemporaryFolder folder_;
    std::string node_;
};

std::string_view interlock(const std::optional<Obstacle>& found) {
    return found ? found->interlock : "";
}

TEST_F(LinuxInterlocks, MountedByNumberOrBySource) {
    EXPECT_EQ(interlock(mounted(roots(), device("8:1"))), "mounted");
    EXPECT_EQ(interlock(mounted(roots(), device("8:0"))), "");
    // btrfs shows a number of its own.
    write("proc/self/mountinfo", "22 1 0:40 / /a\\040b rw shared:1 - btrfs " + node_ + " rw\n");
    const auto found = mounted(roots(), device("8:0"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->found, "on /a b");
    fs::remove(folder_.path("proc/self/mountinfo"));
    EXPECT_TRUE(contains(mounted(roots(), device("8:0"))->found, "cannot be checked"));
}

TEST_F(LinuxInterlocks, Swap) {
    EXPECT_FALSE(used_as_swap(roots(), device("8:0")));
    write("proc/swaps", "Filename Type Size Used Priority\n" + node_ + " partition 1 0 -2\n");
    EXPECT_EQ(interlock(used_as_swap(roots(), device("8:0"))), "swap");
    fs::remove(folder_.path("proc/swaps"));
    EXPECT_FALSE(used_as_swap(roots(), device("8:0"))) << "a kernel without swap";
    fs::remove(folder_.path("proc/self/mountinfo"));
    EXPECT_TRUE(used_as_swap(roots(), device("8:0"))) << "no /proc at all";
}

TEST_F(LinuxInterlocks, Component) {
    EXPECT_FALSE(component(roots(), device("8:0")));
    fs::create_directories(folder_.path("sys/block/sda/holders/md0"));
    EXPECT_EQ(component(roots(), device("8:0"))->found, "part of md0");
    EXPECT_FALSE(component(roots(), device("8:1")));
    EXPECT_TRUE(component(roots(), device("9:9"))) << "unknown is an obstacle";
}

TEST_F(LinuxInterlocks, OverlapWithWhatTheKernelShows) {
    struct Row {
        std::string number;
        ByteRange range;
        std::string_view found;  // "" when nothing lies there
    };
    const std::vector<Row> rows{{"8:0", {0, 16 * MiB}, "sda1"},        {"8:0", {5 * MiB, 11 * MiB}, ""},
                                {"8:0", {5 * MiB - 512, MiB}, "sda2"}, {"8:0", {0, MiB}, ""},
                                {"8:0", {MiB, 512}, "sda1"},           {"8:1", {0, 2 * MiB}, ""},
                                {"8:1", {0, 2 * MiB + 512}, "sda2"},   {"8:2", {0, 2 * MiB}, ""}};
    for (const Row& row : rows) {
        const auto found = overlapping(roots(), device(row.number), row.range);
        EXPECT_EQ(found.has_value(), !row.found.empty()) << row.number << " " << row.range.offset;
        EXPECT_TRUE(!found || contains(found->found, row.found)) << row.range.offset;
    }
    EXPECT_TRUE(has_partitions(roots(), device("8:0")));
    EXPECT_FALSE(has_partitions(roots(), device("8:1")));
    fs::remove(folder_.path("sys/block/sda/sda2/size"));
    EXPECT_TRUE(overlapping(roots(), device("8:0"), {10 * MiB, 512})) << "its place is not told";
    fs::remove(folder_.path("sys/block/sda/sda1/start"));
    EXPECT_TRUE(contains(overlapping(roots(), device("8:1"), {0, 512})->found, "cannot be checked"));
}

TEST_F(LinuxInterlocks, TheSerialIsThatOfTheDisk) {
    EXPECT_EQ(serial_number(roots(), device("8:0")), "S1234");
    EXPECT_EQ(serial_number(roots(), device("8:2")), "S1234");
    EXPECT_EQ(serial_number(roots(), device("9:9")), "");
}

TEST_F(LinuxInterlocks, OpenByAProcess) {
    const auto nobody = open_by_process(roots(), device("8:0"));
    EXPECT_EQ(nobody.process, "");
    EXPECT_EQ(nobody.not_seen, "");
    link(node_, "proc/" + std::to_string(getpid()) + "/fd/5");
    EXPECT_EQ(open_by_process(roots(), device("8:0")).process, "") << "that is us";
    link(node_, "proc/77/fd/3");
    write("proc/77/comm", "dd\n");
    EXPECT_EQ(open_by_process(roots(), device("8:0")).process, "process 77 (dd)");
}

TEST_F(LinuxInterlocks, ProcessesThatAreNotSeen) {
    fs::remove_all(folder_.path("proc/1"));
    EXPECT_TRUE(contains(open_by_process(roots(), device("8:0")).not_seen, "root")) << "hidepid";
    fs::create_directories(folder_.path("proc/1/fd"));
    EXPECT_EQ(open_by_process(roots(), device("8:0")).not_seen, "");
    fs::remove(folder_.path("proc/self/ns/pid"));
    EXPECT_NE(open_by_process(roots(), device("8:0")).not_seen, "");
    link("pid:[4026532208]", "proc/self/ns/pid");
    EXPECT_TRUE(contains(open_by_process(roots(), device("8:0")).not_seen, "container"));
}

}  // namespace
}  // namespace diskwright
