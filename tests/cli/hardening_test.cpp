// SPDX-License-Identifier: BSD-2-Clause
// Inputs that somebody made to hurt, or that went wrong: a clear message, the right status, bounded time and
// memory.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using test::ProgramLimits;
using test::run_program;

constexpr ProgramLimits bounded{.address_space = 1 * GiB, .cpu_seconds = 60};

constexpr std::string_view mounted = "$ mount\n/dev/ada0p2 on / (ufs, local, soft-updates)\n";

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    out.reserve(text.size() * count);
    while (count-- > 0) out += text;
    return out;
}

// One member of a tar archive; type '0' file, '1' hard link, '2' symbolic link, '3' character device, '6'
// FIFO.
std::string tar_member(const std::string& name, const std::string& bytes, char type = '0',
                       const std::string& target = {}) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    const auto octal = [](std::size_t value) {
        std::array<char, 12> text{};
        std::snprintf(text.data(), text.size(), "%011zo", value);
        return std::string(text.data());
    };
    put(0, name), put(100, "0000644"), put(108, "0000000"), put(116, "0000000"),
        put(124, octal(bytes.size()));
    put(136, octal(0)), put(148, "        "), put(156, std::string(1, type)), put(157, target);
    put(257, std::string("ustar\0"
                         "00",
                         8));
    std::size_t sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::array<char, 8> checksum{};
    std::snprintf(checksum.data(), checksum.size(), "%06zo", sum);
    put(148, std::string(checksum.data(), 7) + " ");
    const std::size_t padding = (512 - bytes.size() % 512) % 512;
    return header + bytes + std::string(padding, '\0');
}

std::string tar(const std::string& members) {
    return members + std::string(1024, '\0');
}

class Hardening : public testing::Test {
 protected:
    std::string gzip(const std::string& name, const std::string& bytes) const {
        const std::string path = folder.file(name, bytes);
        EXPECT_EQ(std::system(("gzip -9f " + path).c_str()), 0);
        return path + ".gz";
    }

    test::TemporaryFolder folder;
};

TEST_F(Hardening, Texts) {
    struct Row {
        std::string_view name;
        std::string bytes;
        int status;
        std::string message;  // part of standard error
    };
    const std::string nothing = "no command output was recognised";
    const std::vector<Row> rows{
        {"empty", "", 65, "input: an empty file: neither"},
        {"a program",
         repeated("\x7f"
                  "ELF\x02\x01\x01",
                  10'000),
         65, "input: an ELF program or library: binary data"},
        {"a zip archive", repeated("PK\x03\x04\x14", 10'000), 65, "input: a zip archive: binary data"},
        {"an image of another layout", repeated(std::string("QFI\xfb\0\0\0\3", 8), 10'000), 65, "qemu-img"},
        {"blank lines", repeated("\n", 1'000'000), 65, nothing},
        {"zeros", std::string(1'000'000, '\0'), 65, "input: blank: only zeros"},
        {"less than a sector of zeros", std::string(100, '\0'), 65, "input: blank: only zeros"},
        {"random bytes",
         repeated("\x7f"
                  "ELF\x02\x01\x01\x00\x93\xfe\x05\x18",
                  10'000),
         65, "binary data"},
        {"64 MB of one line", std::string(64'000'000, 'x'), 65, nothing},
        {"64 MB of words", repeated("word ", 12'800'000), 65, nothing},
        {"64 MB of quotation marks", repeated("> ", 32'000'000), 65, nothing},
        {"no-break blanks", repeated("\xc2\xa0", 8'000'000), 65, nothing},
        {"larger than a text may be", repeated("0123456789abcdef", 17'000'000), 65, "larger than 256 MiB"},
        {"prompts in prompts", repeated("# $ % root@h:~# ", 200'000) + "\n", 65, nothing},
        {"a prompt on each line", repeated("# ls\n", 1'000'000), 65, nothing},
        {"a command that never ends", "# mount \\\n" + repeated(" x \\\n", 500'000), 65, nothing},
        {"continued commands", repeated("# mount \\\n", 500'000), 65, nothing},
        {"quoting on each line", repeated(": x\n", 1'000'000), 65, nothing},
        {"truncated gzip", std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b", 11), 65, "input"},
        {"more than the longest line, and a mount table",
         std::string(2'000'000, 'x') + "\n" + std::string(mounted), 0, ""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        const auto result = run_program({"audit", folder.file("input", row.bytes)}, {}, {}, bounded);
        EXPECT_EQ(result.status, row.status) << result.errors.substr(0, 400);
        EXPECT_TRUE(contains(result.errors, row.message)) << result.errors.substr(0, 400);
    }
}

// One input of a host that tells nothing costs a line, not the answer.
TEST_F(Hardening, BlankAndEmptyInputsOfAHostAreNamed) {
    const std::vector<std::string> inputs{folder.file("sd0.img", std::string(200'000, '\0')),
                                          folder.file("sd1.img", ""),
                                          folder.file("mount", std::string(mounted))};
    const auto all = run_program({"show", "--host", inputs[0], inputs[1], inputs[2]}, {}, {}, bounded);
    EXPECT_EQ(all.status, 0) << all.errors;
    EXPECT_TRUE(contains(all.output, "blank: only zeros where tables, metadata and superblocks lie"));
    EXPECT_TRUE(contains(all.output, "an empty file"));
    const auto none = run_program({"show", "--host", inputs[1], inputs[1]}, {}, {}, bounded);
    EXPECT_EQ(none.status, 65);
    EXPECT_TRUE(contains(none.errors, "an empty file"));
    const auto missing = run_program({"show", "--host", inputs[2], inputs[1] + "x"}, {}, {}, bounded);
    EXPECT_EQ(missing.status, 66);
}

TEST_F(Hardening, WhatIsLeftOutIsSaid) {
    struct Row {
        std::string_view name;
        std::string bytes;
        std::string_view reason;
    };
    std::string sysctls = "$ sysctl -a\n", mounts = "$ mount\n";
    for (int i = 0; i < 20'000; ++i) sysctls += "kern.number" + std::to_string(i) + ": 1\n";
    for (int i = 0; i < 5'000; ++i) {
        const auto n = std::to_string(i);
        mounts += "/dev/ada" + n + "p1 on /data" + n + " (ufs, local, soft-updates)\n";
    }
    const std::string report =
        "device     r/s   w/s    kr/s    kw/s qlen svc_t  %b  \n"
        "ada0       1.0  20.0    16.0   320.0    0   5.0  10  \n"
        "ada1       1.0  20.0    16.0   320.0    0   5.0  10  \n"
        "ada2       1.0  20.0    16.0   320.0    0   5.0  10  \n";
    const std::vector<Row> rows{
        {"a million lines of iostat", "$ iostat -x -w 10\n" + repeated(report, 250'000), "samples of I/O"},
        {"sysctls", sysctls, "16384 sysctls"},
        {"mounts", mounts, "4096 mounts"},
        {"a long line", std::string(mounted) + std::string(2'000'000, 'x') + "\n",
         "a line of more than 1 MiB"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        const auto result = run_program({"show", folder.file("input", row.bytes)}, {}, {}, bounded);
        EXPECT_EQ(result.status, 0) << result.errors;
        EXPECT_TRUE(contains(result.output, row.reason));
    }
}

TEST_F(Hardening, Archives) {
    struct Row {
        std::string_view name;
        std::string path;
        int status;
        std::string_view message;  // on standard error, or among what was not read
    };
    const std::string good(mounted);
    const std::string several =
        tar(tar_member("../../etc/mount.txt", good) + tar_member("/abs/df.txt", "\n") +
            tar_member("link", "", '2', "/etc/passwd") + tar_member("hard", "", '1', "mount.txt") +
            tar_member("tty", "", '3') + tar_member("pipe", "", '6'));
    const std::string inner = test::read_file(gzip("inner", std::string(50'000'000, '\0')));
    std::string many;
    for (int i = 0; i <= 100'000; ++i) many += tar_member("f", "");
    const std::string sparse = folder.path("sparse");
    ASSERT_EQ(std::system(("truncate -s 3G " + sparse + " && echo end >>" + sparse + " && tar -C " +
                           folder.path("") + " -Scf " + folder.path("sparse.tar") + " sparse && rm " + sparse)
                              .c_str()),
              0);
    const std::vector<Row> rows{
        {"paths, links, devices", folder.file("several.tar", several), 0, "not a regular file"},
        {"a ratio bomb", gzip("ratio.tar", tar(tar_member("a", std::string(60'000'000, 'a')))), 65,
         "expands to more than"},
        {"a nested bomb", gzip("nested.tar", tar(tar_member("inner.gz", inner))), 65, "binary data"},
        {"too many members", gzip("many.tar", tar(many)), 65, "more than 100000 members"},
        {"a sparse member", folder.path("sparse.tar"), 65, "expands to more than"},
        {"cut in a member", folder.file("cut.tar", several.substr(0, 520)), 65, "cut.tar"},
        {"no member", gzip("none.tar", tar("")), 65, "no command output"},
        {"no archive", gzip("note", "a line of text\n"), 65, "a gzip file, and what is in it is no tar"},
        {"a name of escape sequences",
         folder.file("names.tar",
                     tar(tar_member("\x1b[2Jevil", good) + tar_member("\x1b]0;x\x07", "", '2', "y"))),
         0, "\\x1b]0;x\\x07"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        const auto result = run_program({"show", row.path}, {}, {}, bounded);
        EXPECT_EQ(result.status, row.status) << result.errors.substr(0, 400);
        EXPECT_TRUE(contains(result.errors + result.output, row.message))
            << (result.errors + result.output).substr(0, 400);
        EXPECT_EQ((result.errors + result.output).find('\x1b'), std::string::npos);
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path("../../etc/mount.txt")));
}

TEST_F(Hardening, Folders) {
    folder.file("host/mount.txt", std::string(mounted));
    folder.file("secret.txt", "$ mount\n/dev/secret on /secret (ufs, local)\n");
    std::filesystem::create_symlink("../secret.txt", folder.path("host/outside"));
    std::filesystem::create_directory_symlink("..", folder.path("host/loop"));
    ASSERT_EQ(mkfifo(folder.path("host/pipe").c_str(), 0600), 0);
    folder.file("host/image", std::string(100'000, '\0'));
    const auto result = run_program({"show", "--format", "json", folder.path("host")}, {}, {}, bounded);
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json host = Json::parse(result.output)["hosts"].at(0);
    EXPECT_EQ(host["facts"]["mounts"].size(), 1U);
    std::vector<std::string> left_out;
    for (const Json& row : host["unparsed"])
        left_out.push_back(row["source"].get<std::string>() + ": " + row["reason"].get<std::string>());
    std::sort(left_out.begin(), left_out.end());
    ASSERT_EQ(left_out.size(), 4U) << host["unparsed"];
    EXPECT_TRUE(contains(left_out[0], "pipe: neither a file")) << left_out[0];
    EXPECT_TRUE(contains(left_out[1], "image: blank")) << left_out[1];
    EXPECT_TRUE(contains(left_out[2], "loop: a symbolic link")) << left_out[2];
    EXPECT_TRUE(contains(left_out[3], "outside: a symbolic link")) << left_out[3];
}

// As a shell's <(command) names one, and as a terminal does not.
TEST_F(Hardening, PipesThatAreNamedAreRead) {
    const std::string pipe = folder.path("pipe"), text = folder.file("text", std::string(mounted));
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& writer : {"cat '" + text + "'", "sleep 0.3; cat '" + text + "'",
                                      "exec 3>&1; sleep 0.3; cat '" + text + "' >&3"}) {
        SCOPED_TRACE(writer);
        ASSERT_EQ(std::system(("(" + writer + ") >'" + pipe + "' &").c_str()), 0);
        const auto result = run_program({"show", "--format", "json", pipe}, {}, {}, bounded);
        ASSERT_EQ(result.status, 0) << result.errors;
        EXPECT_EQ(Json::parse(result.output)["hosts"].at(0)["facts"]["mounts"].size(), 1U);
    }
    const auto standard = test::run_command(
        {"/bin/sh", "-c", "cat '" + text + "' | '" + std::string(DISKWRIGHT_PROGRAM) + "' show /dev/stdin"});
    EXPECT_EQ(standard.status, 0) << standard.errors;
    EXPECT_TRUE(contains(standard.output, "ada0p2"));
}

// What came over whole is read; what did not is named.
TEST_F(Hardening, ArchivesThatAreCutOff) {
    const std::string good(mounted);
    std::string whole =
        tar(tar_member("a.txt", good) + tar_member("b.txt", "$ df\n" + std::string(2000, '\n')));
    for (const std::size_t size : {1500U, 1024U + 400U, 3000U}) {
        SCOPED_TRACE(size);
        const auto result =
            run_program({"show", folder.file("cut.tar", whole.substr(0, size))}, {}, {}, bounded);
        EXPECT_EQ(result.status, 0) << result.errors;
        EXPECT_TRUE(contains(result.output, "ada0p2"));
        EXPECT_TRUE(contains(result.output, "what follows a.txt is lost")) << result.output;
    }
    // Of a compressed one, what the compressor had written before.
    std::string noise;
    for (std::uint32_t i = 1; noise.size() < 1'000'000; i = i * 1664525 + 1013904223)
        noise += std::to_string(i) + "\n";
    const std::string packed =
        test::read_file(gzip("whole.tar", tar(tar_member("a.txt", good) + tar_member("b.txt", noise))));
    const auto result = run_program({"show", folder.file("cut.tar.gz", packed.substr(0, packed.size() / 2))},
                                    {}, {}, bounded);
    EXPECT_TRUE(contains(result.output, "what follows a.txt is lost")) << result.errors;
    EXPECT_EQ(result.status, 0) << result.errors;
    // A small one is less than a decompressor's buffer: not before its first member is over is nothing read.
    const std::string small = test::read_file(
        gzip("small.tar", tar(tar_member("a.txt", good) + tar_member("b.txt", noise.substr(0, 20'000)))));
    const auto most =
        run_program({"show", folder.file("cut.tar.gz", small.substr(0, small.size() / 2))}, {}, {}, bounded);
    EXPECT_TRUE(contains(most.output, "ada0p2")) << most.errors;
    EXPECT_TRUE(contains(most.output, "truncated gzip input; what follows a.txt is lost")) << most.output;
    EXPECT_EQ(most.status, 0) << most.errors;
    const auto none = run_program({"show", folder.file("cut.tar.gz", small.substr(0, 30))}, {}, {}, bounded);
    EXPECT_TRUE(contains(none.errors, "cut.tar.gz: a gzip file: truncated gzip input")) << none.errors;
    EXPECT_EQ(none.status, 65);
}

TEST_F(Hardening, WhatIsNoInput) {
    ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
    std::filesystem::create_directories(folder.path("empty"));
    std::filesystem::create_symlink("round", folder.path("round"));
    const std::string unreadable = folder.file("unreadable", std::string(mounted));
    std::filesystem::permissions(unreadable, std::filesystem::perms::none);
    struct Row {
        std::string path;
        std::string_view message;
    };
    std::vector<Row> rows{
        {folder.path("pipe"), "nobody writes to this pipe"},
        {"/dev/zero", "not a device whose size is known"},
        {folder.path("empty"), "no file in it"},
        {folder.path("round"), "symbolic links"},
        {folder.path("\x1b[2Jmissing"), "\\x1b[2Jmissing: No such file"},
    };
    if (geteuid() != 0) rows.push_back({unreadable, "ermission denied"});
    for (const Row& row : rows) {
        const auto result = run_program({"audit", row.path}, {}, {}, bounded);
        EXPECT_EQ(result.status, 66) << row.path;
        EXPECT_TRUE(contains(result.errors, row.message)) << result.errors;
        EXPECT_EQ(result.errors.find('\x1b'), std::string::npos);
    }
}

TEST_F(Hardening, AnInputThatDoesNotFitIntoMemory) {
    if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than any bound";
    const std::string large = folder.file("large", repeated(mounted, 3'000'000));
    const auto result = run_program({"show", "--format", "jsonl", large}, {}, {},
                                    {.address_space = 140 * MiB, .cpu_seconds = 60});
    EXPECT_EQ(result.status, 71) << result.errors;
    EXPECT_TRUE(contains(result.errors, "not enough memory")) << result.errors;
    EXPECT_EQ(Json::parse(result.output)["error"]["status"], 71);
}

TEST_F(Hardening, AFileThatChangesWhileItIsRead) {
    const std::string path = folder.file("growing", repeated(mounted, 100'000));
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        while (!stop) {
            std::filesystem::resize_file(path, 1000);
            std::ofstream(path, std::ios::app) << repeated(mounted, 20'000);
        }
    });
    for (int i = 0; i < 10; ++i) {
        const auto result = run_program({"show", "--format", "json", path}, {}, {}, bounded);
        EXPECT_EQ(result.status, 0) << result.errors;
        EXPECT_TRUE(Json::accept(result.output));
    }
    stop = true;
    writer.join();
}

TEST_F(Hardening, ListsOfInputs) {
    const std::string good = folder.file("good", std::string(mounted));
    const auto hosts = [&](const std::string& list) {
        const auto result = run_program(
            {"show", "--format", "jsonl", "--inputs-from", folder.file("list", list)}, std::string(mounted));
        EXPECT_EQ(result.status, 0) << result.errors;
        return split_lines(result.output).size();
    };
    EXPECT_EQ(hosts("\n\r\n" + good + "\r\n\n  " + good + "  \n"), 2U) << "blank lines, CRLF, one twice";
    EXPECT_EQ(hosts("-\n" + good), 2U);
    EXPECT_EQ(run_program({"show", "-", "-"}, std::string(mounted)).status, 64);
    EXPECT_EQ(run_program({"show", "-", "--inputs-from", "-"}, good).status, 64);
    EXPECT_EQ(run_program({"show", "--inputs-from", folder.file("blank", "\n\n")}).status, 66);
}

// Results come in the order of the inputs, whichever is ready first, and all of them.
TEST_F(Hardening, OrderOfManyInputs) {
    std::string list;
    const std::string large = folder.file("large", repeated(mounted, 50'000));
    for (int i = 0; i < 300; ++i)
        list += (i % 50 == 0 ? large : folder.file("in" + std::to_string(i), std::string(mounted))) + "\n";
    const auto result =
        run_program({"show", "--format", "jsonl", "--inputs-from", folder.file("list", list)});
    ASSERT_EQ(result.status, 0) << result.errors;
    const auto lines = split_lines(result.output), names = split_lines(list);
    ASSERT_EQ(lines.size(), names.size());
    for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(Json::parse(lines[i])["input"], names[i]);
}

}  // namespace
}  // namespace diskwright
