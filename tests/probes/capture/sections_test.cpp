// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/sections.hpp"

#include <gtest/gtest.h>

#include <array>

namespace diskwright {
namespace {

std::string command_of(std::string_view line) {
    const auto command = prompt_command(line);
    if (!command) return "";
    std::string out;
    for (const auto& word : command->argv) out += (out.empty() ? "" : "|") + word;
    return out;
}

TEST(Sections, Prompts) {
    struct Row {
        std::string_view line, command;
    };
    const std::array rows{
        Row{"# uname -a", "uname|-a"},
        Row{"$ uname", "uname"},
        Row{"#uname -r", "uname|-r"},
        Row{"host1# uname -a", "uname|-a"},
        Row{"box$ /usr/bin/uname -a", "uname|-a"},
        Row{"root@host1:~ # uname -a", "uname|-a"},
        Row{"[root@node1 ~]# uname -a", "uname|-a"},
        Row{"root na srv1 ~/# uname -a", "uname|-a"},
        Row{"nas1:~ # cat /etc/fstab", "cat|/etc/fstab"},
        Row{"~> doas uname -a", "uname|-a"},
        Row{"    # uname -a", "uname|-a"},
        Row{"% env LC_ALL=C uname -a", "uname|-a"},
        Row{"sudo uname -a", "uname|-a"},
        Row{"\u279c  ~ sudo uname -a", "uname|-a"},
        Row{"\u279c  src git:(main) \u2717 uname -a", "uname|-a"},
        Row{"~/src main \u276f uname -a", "uname|-a"},
        Row{"# grep 'a b' /etc/x", "grep|a b|/etc/x"},
        Row{"# cat /etc/fstab > /tmp/x", "cat|/etc/fstab"},
        Row{"# ls -l; rm x", "ls|-l"},
        // No commands: comments, headings, prose, tables, quoting.
        Row{"# numRow numCol numSpare", ""},
        Row{"# /dev/rwd0d:", ""},
        Row{"# make command for /dev/x", ""},
        Row{"uname -a prints this", ""},
        Row{"The value of # uname -a", ""},
        Row{"> uname", ""},
        Row{"=>  63  123  da0  MBR", ""},
        Row{"100% uname", "uname"},  // a host called "100" is odd, yet it is what a prompt looks like
        Row{"", ""},
    };
    for (const Row& row : rows) EXPECT_EQ(command_of(row.line), row.command) << row.line;
    EXPECT_TRUE(prompt_command("# cat x | grep y")->filtered);
    EXPECT_FALSE(prompt_command("# cat x")->filtered);
}

TEST(Sections, HostsOfPrompts) {
    struct Row {
        std::string_view line, host;
    };
    const std::array rows{
        Row{"root@web1:~ # uname -a", "web1"},
        Row{"[root@Web1.example.net etc]# uname -a", "web1"},
        Row{"web1$ uname -a", "web1"},
        Row{"web-1:~ # uname -a", "web-1"},
        Row{"(main) me@10.0.0.7:~$ uname -a", "10.0.0.7"},
        Row{"# uname -a", ""},
        Row{"bash-5.2$ uname -a", ""},
        Row{"root# uname -a", ""},
        Row{"root@localhost:~# uname -a", ""},
        Row{"box12% uname -a", ""},  // a history number changes
        Row{"17# uname -a", ""},
        Row{"~/src> sudo uname -a", ""},
        Row{"sudo uname -a", ""},
    };
    for (const Row& row : rows) {
        const auto command = prompt_command(row.line);
        ASSERT_TRUE(command) << row.line;
        EXPECT_EQ(command->host, row.host) << row.line;
    }
}

TEST(Sections, Normalises) {
    const auto text_of = [](std::string_view bytes) {
        std::string out;
        for (const auto& line : normalised_lines(bytes)) out += line.text + "|";
        return out;
    };
    EXPECT_EQ(text_of("\xef\xbb\xbf"
                      "a\r\nb"),
              "a|b|");
    EXPECT_EQ(text_of("> # x\n>> y\n> > z\n"), "# x|y|z|");
    EXPECT_EQ(text_of(":\tx 1\n:\ty 2\n"), "\tx 1|\ty 2|");
    EXPECT_EQ(text_of(": x\nother\n"), ": x|other|") << "one line alone is no quotation";
    EXPECT_EQ(text_of("=> 34 100 da0\n->x\n>x\n"), "=> 34 100 da0|->x|>x|");
    EXPECT_EQ(text_of("```sh\nx\n```\n<CODE>\n"), "|x|||");
    EXPECT_EQ(text_of("a\xc2\xa0"
                      "b"),
              "a b|");
    EXPECT_EQ(normalised_lines("a\n\nb\n")[2].number, 3U);
}

TEST(Sections, FlattenedLinesAreCut) {
    const std::string line =
        "# cat x [...] # size offset fstype [fsize bsize cpg] c: 1430799.4M 0 unused d: 1430796.9M 64 RAID # "
        "cat y Volume Status Size Device softraid0 0 Online 1500298993664 sd9 RAID1 0 Online 1500298993664 "
        "0:0.0 noencl <sd2d>";
    EXPECT_EQ(
        unflattened(line),
        (std::vector<std::string>{"# cat x [...]", "# size offset fstype [fsize bsize cpg]",
                                  "c: 1430799.4M 0 unused", "d: 1430796.9M 64 RAID", "# cat y",
                                  "Volume Status Size Device", "softraid0 0 Online 1500298993664 sd9 RAID1",
                                  "0 Online 1500298993664 0:0.0 noencl <sd2d>"}));
    EXPECT_EQ(unflattened("short # cat x").size(), 1U);
    const std::string prose(400, 'x');
    EXPECT_EQ(unflattened(prose), std::vector<std::string>{prose});
}

TEST(Sections, OutputsKeepTheirCommandAndLines) {
    const auto outputs =
        outputs_of({"paste.txt", "Hello,\n\nbox# uname \\\n  -a\nNetBSD ...\nbox# ls\n", {}});
    ASSERT_EQ(outputs.size(), 3U);
    EXPECT_TRUE(outputs[0].argv.empty());
    EXPECT_EQ(outputs[1].argv, (std::vector<std::string>{"uname", "-a"}));
    EXPECT_EQ(outputs[1].prompt_line, 3U);
    EXPECT_EQ(outputs[1].lines.at(0).number, 5U);
    EXPECT_EQ(outputs[2].program(), "ls");
    const auto collected = outputs_of({"uname -a", "# cat x\n", {"/bin/uname", "-a"}});
    ASSERT_EQ(collected.size(), 1U);
    EXPECT_EQ(collected[0].program(), "uname");
    EXPECT_EQ(collected[0].lines.size(), 1U);
}

}  // namespace
}  // namespace diskwright
