// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/bsd_interlocks.hpp"

#include <gtest/gtest.h>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

// Answers every command with the same text, which is made up in the form of the tool.
class OneAnswer final : public CommandRunner {
 public:
    explicit OneAnswer(std::string output, int status = 0, std::string errors = "")
        : outcome_{status, false, false, std::move(output), std::move(errors)} {}
    Result<CommandOutcome> run(const std::vector<std::string>& argv, const CommandLimits&) override {
        asked = argv;
        return outcome_;
    }
    bool installed(const std::string&) const override { return true; }
    std::vector<std::string> asked;

 private:
    CommandOutcome outcome_;
};

constexpr std::string_view fstat_heading =
    "USER     CMD          PID   FD MOUNT      INUM MODE         SZ|DV R/W NAME\n";

TEST(BsdInterlocks, OpenByAProcess) {
    OneAnswer nobody{std::string(fstat_heading)};
    EXPECT_FALSE(open_by_process("/home/scratch", nobody));
    EXPECT_EQ(nobody.asked, (std::vector<std::string>{"fstat", "/home/scratch"}));
    EXPECT_FALSE(open_by_process("-name", nobody));
    EXPECT_EQ(nobody.asked[1], "./-name") << "no option";

    OneAnswer another{std::string(fstat_heading) +
                      "root     my prog        1    3 /home      1234 -rw-r--r--   4096 rw /home/scratch\n"};
    const auto found = open_by_process("/home/scratch", another);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->interlock, "open elsewhere");
    EXPECT_EQ(found->found, "by process 1");

    std::string own = std::to_string(getpid());
    own.insert(0, 6 - std::min<std::size_t>(own.size(), 6), ' ');
    OneAnswer ours{std::string(fstat_heading) + "root     diskwrigh " + own.substr(own.size() > 6 ? 1 : 0) +
                   "    3 /home      1234 -rw-r--r--   4096 rw /home/scratch\n"};
    EXPECT_FALSE(open_by_process("/home/scratch", ours));
}

// fstat -n of NetBSD: MODE is octal, SZ|DV of a device node its numbers.
constexpr std::string_view fstat_numbers =
    "USER     CMD          PID   FD  DEV     INUM  MODE  SZ|DV R/W\n"
    "root     init           1   wd  0,0        2 40755    512 r \n"
    "root     ksh          200    4* internet stream tcp 0xfffffe8012\n";

std::string with_own(const std::string& more) {
    return std::string(fstat_numbers) + "root     diskwright " + std::to_string(getpid()) +
           "    5  0,0    12345 20640  3,21 rw\n" + more;
}

TEST(BsdInterlocks, DevicesOpenByAProcessAreFoundByTheirNumber) {
    struct Row {
        std::string more;
        std::string_view found;  // "" when nobody has it open
    };
    const std::vector<Row> rows{
        {"", ""},
        // Another node of the same device, in another folder, of either kind.
        {"root     dd           300    3  0,7      999 20600  3,21 w \n", "by process 300"},
        {"root     dd           301    3  0,0      999 60600  0,21 r \n", "by process 301"},
        {"root     a long name here 302    3  0,0      999 20600  3,21   \n", "by process 302"},
        {"root     dd           303    3  0,0      999 20600  3,22 w \n", ""},   // another partition
        {"root     dd           304    3  0,0      999 20600  4,21 w \n", ""},   // another driver
        {"root     dd           305    3  0,0      999 100600  3,21 w \n", ""},  // no device
        {"root     dd           306    3 -         -        ?(1a)    -\n", "cannot be checked"},
    };
    const std::vector<DeviceNumber> devices{{true, 3, 21}, {false, 0, 21}};
    for (const Row& row : rows) {
        OneAnswer answer{with_own(row.more)};
        const auto found = device_open_by_process(devices, answer);
        EXPECT_EQ(answer.asked, (std::vector<std::string>{"fstat", "-n"}));
        EXPECT_EQ(found.has_value(), !row.found.empty()) << row.more;
        EXPECT_TRUE(!found || contains(found->found, row.found)) << row.more;
    }
    OneAnswer without_us{std::string(fstat_numbers)};
    EXPECT_TRUE(device_open_by_process(devices, without_us)) << "who sees not even us sees nobody";
    OneAnswer failing("", 1);
    EXPECT_TRUE(device_open_by_process(devices, failing));
}

TEST(BsdInterlocks, TwoNodesOfOneUnit) {
    const std::vector<DriverMajors> drivers{{3, 0}, {8, 4}, {9, -1}, {-1, 9}};
    EXPECT_TRUE(same_unit({true, 3, 21}, {false, 0, 21}, drivers));
    EXPECT_FALSE(same_unit({true, 3, 21}, {false, 0, 22}, drivers)) << "another partition";
    EXPECT_FALSE(same_unit({true, 3, 21}, {false, 4, 21}, drivers)) << "another driver";
    EXPECT_FALSE(same_unit({true, 8, 21}, {false, 0, 21}, drivers));
    EXPECT_FALSE(same_unit({true, 3, 21}, {true, 3, 21}, drivers)) << "no block device";
    EXPECT_FALSE(same_unit({true, 9, 1}, {false, 9, 1}, drivers)) << "a driver with one kind only";
    EXPECT_FALSE(same_unit({true, 3, 21}, {false, 0, 21}, {}));
}

TEST(BsdInterlocks, NoAnswerIsAnObstacle) {
    struct stat file {};
    for (OneAnswer silent : {OneAnswer(""), OneAnswer("", 1), OneAnswer("some text\n", 127)}) {
        const auto found = open_by_process("/f", silent);
        ASSERT_TRUE(found);
        EXPECT_TRUE(contains(found->found, "cannot be checked")) << found->found;
    }
    OneAnswer failing("", 1);
    EXPECT_TRUE(used_as_swap({"swapctl", "-l"}, {file}, failing));
    EXPECT_TRUE(behind_vnd({"vnconfig", "-l"}, file, failing));
    EXPECT_TRUE(behind_md(file, failing));
}

TEST(BsdInterlocks, SwapAndLoopFiles) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("a file", "x"), other = folder.file("b", "x");
    struct stat file {
    }, another{};
    ASSERT_EQ(stat(path.c_str(), &file), 0);
    ASSERT_EQ(stat(other.c_str(), &another), 0);

    OneAnswer none("", 1, "swapctl: no swap devices configured\n");
    EXPECT_FALSE(used_as_swap({"swapctl", "-l"}, {another}, none));
    OneAnswer swap("Device      512-blocks     Used    Avail Capacity  Priority\n" + other +
                   "     8192        0     8192     0%    0\n");
    EXPECT_TRUE(used_as_swap({"swapctl", "-l"}, {another}, swap));
    EXPECT_FALSE(used_as_swap({"swapctl", "-l"}, {file}, swap));

    OneAnswer vnd("vnd0: covering " + path + " on sd0a, inode " + std::to_string(file.st_ino) +
                  "\nvnd1: not in use\n");
    EXPECT_EQ(behind_vnd({"vnconfig", "-l"}, file, vnd)->interlock, "loop");
    EXPECT_FALSE(behind_vnd({"vnconfig", "-l"}, another, vnd));
    OneAnswer broken("vnd0: covering x on sd0a, inode ?\n");
    EXPECT_TRUE(behind_vnd({"vnconfig", "-l"}, another, broken)) << "not read is not absent";

    for (const auto* end : {"", "\t", "\ta label"}) {
        OneAnswer md("md0\tvnode\t  100M\t" + path + end + "\nmd1\tswap\t 1G\t-\t\n");
        ASSERT_TRUE(behind_md(file, md)) << end;
        EXPECT_EQ(behind_md(file, md)->interlock, "loop");
        EXPECT_FALSE(behind_md(another, md));
    }
}

// What is listed but cannot be looked at may be the very file.
TEST(BsdInterlocks, AListedPathThatIsNotThereIsAnObstacle) {
    const test::TemporaryFolder folder;
    struct stat file {
    }, device{};
    ASSERT_EQ(stat(folder.file("a", "x").c_str(), &file), 0);
    ASSERT_EQ(stat("/dev/null", &device), 0);
    OneAnswer md("md0\tvnode\t  100M\t" + folder.path("gone") + "\t\n"), cut("md0\tvnode\t  100M\n");
    EXPECT_TRUE(contains(behind_md(file, md)->found, "cannot be checked"));
    EXPECT_TRUE(behind_md(file, cut));
    const auto swap_on = [](const std::string& name) {
        return OneAnswer("Device      512-blocks     Used    Avail Capacity  Priority\n" + name +
                         "     8192        0     8192     0%    0\nTotal  8192  0  8192  0%\n");
    };
    OneAnswer gone = swap_on(folder.path("gone")), word = swap_on("swap_device"), nfs = swap_on("<NFSfile>");
    EXPECT_TRUE(used_as_swap({"swapctl", "-l"}, {file}, gone));
    EXPECT_FALSE(used_as_swap({"swapctl", "-l"}, {file}, word)) << "a word is a device";
    EXPECT_TRUE(used_as_swap({"swapctl", "-l"}, {device}, word));
    EXPECT_TRUE(used_as_swap({"swapctl", "-l"}, {file}, nfs));
}

// The tree of a disk ada1 with its DEV consumer opened once, and what `more` adds.
std::string tree(std::string_view dev_mode, std::string_view more) {
    return "<mesh>\n  <class id=\"0x1\">\n    <name>DISK</name>\n    <geom id=\"0x2\">\n"
           "      <class ref=\"0x1\"/>\n      <name>ada1</name>\n      <rank>1</rank>\n"
           "      <provider id=\"0x3\">\n        <geom ref=\"0x2\"/>\n        <mode>r1w1e0</mode>\n"
           "        <name>ada1</name>\n        <mediasize>1000</mediasize>\n      </provider>\n    </geom>\n"
           "  </class>\n  <class id=\"0x4\">\n    <name>DEV</name>\n    <geom id=\"0x5\">\n"
           "      <class ref=\"0x4\"/>\n      <name>ada1</name>\n      <consumer id=\"0x6\">\n"
           "        <geom ref=\"0x5\"/>\n        <provider ref=\"0x3\"/>\n        <mode>" +
           std::string(dev_mode) + "</mode>\n      </consumer>\n    </geom>\n  </class>\n" +
           std::string(more) + "</mesh>\n";
}
std::string user(std::string_view class_name, std::string_view mode, std::string_view provider = "0x3") {
    return "  <class id=\"0x7\">\n    <name>" + std::string(class_name) +
           "</name>\n    <geom id=\"0x8\">\n      <class ref=\"0x7\"/>\n      <name>gm0</name>\n"
           "      <consumer id=\"0x9\">\n        <geom ref=\"0x8\"/>\n        <provider ref=\"" +
           std::string(provider) + "\"/>\n        <mode>" + std::string(mode) +
           "</mode>\n      </consumer>\n    </geom>\n  </class>\n";
}

TEST(BsdInterlocks, UsersOfAGeomProvider) {
    struct Row {
        std::string xml;
        std::string_view interlock;  // "" when nothing stands in the way
    };
    const std::vector<Row> rows{
        {tree("r1w1e0", ""), ""},
        {tree("r2w1e0", ""), "open elsewhere"},
        {tree("r1w2e0", ""), "open elsewhere"},
        {tree("r1w1e0", user("MIRROR", "r1w1e1")), "component"},
        {tree("r1w1e0", user("VFS", "r1w1e1")), "mounted"},
        {tree("r1w1e0", user("SWAP", "r1w1e0")), "swap"},
        {tree("r1w1e0", user("PART", "r0w0e0")), "overlap"},
        {tree("r1w1e0", user("LABEL", "r0w0e0")), ""},
        {tree("r1w1e0", user("STRIPE", "r0w0e0")), "component"},
        {tree("r1w1e0", user("ELI", "r0w0e0")), "component"},
        {tree("r1w1e0", user("LABEL", "r1w0e0")), "component"},
        {tree("r1w1e0", user("MIRROR", "r1w1e1", "0x33")), ""},
        {tree("r1w1e0", user("MIRROR", "rXw1e1")), "component"},
        {"", "component"},
        {"<mesh><class id=", "component"},
    };
    for (const Row& row : rows) {
        const auto found = geom_user(row.xml, "ada1", 1);
        EXPECT_EQ(found ? found->interlock : "", row.interlock) << row.xml;
    }
    EXPECT_FALSE(geom_user(tree("r0w0e0", ""), "ada1", 0));
    EXPECT_TRUE(geom_user(tree("r1w0e0", ""), "ada1", 0)) << "not opened by us yet";
    EXPECT_TRUE(geom_user(tree("r1w1e0", ""), "ada2", 1)) << "unknown is an obstacle";
}

}  // namespace
}  // namespace diskwright
