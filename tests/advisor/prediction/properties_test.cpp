// SPDX-License-Identifier: BSD-2-Clause
// Whatever the command line and the size: an answer, soon, and one that does not contradict itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "advisor/prediction/prediction.hpp"

namespace diskwright {
namespace {

constexpr std::string_view systems[] = {"netbsd-8",     "netbsd-9",   "netbsd-10",   "freebsd-12",
                                        "freebsd-13.2", "freebsd-14", "openbsd-6.6", "openbsd-7.6"};

template <class T>
const T& any_of(std::mt19937_64& random, const std::vector<T>& from) {
    return from[random() % from.size()];
}

std::uint64_t any_size(std::mt19937_64& random) {
    const auto shift = 16 + random() % 32;  // 64 KiB to 200 TB
    const std::uint64_t size = (std::uint64_t{1} << shift) + random() % (std::uint64_t{1} << shift);
    return std::min<std::uint64_t>(size, 200'000'000'000'000) / 512 * 512;
}

std::vector<std::string> plausible(std::mt19937_64& random) {
    const std::vector<std::string> sizes{"512",   "1024",  "2048",  "4096", "8192",
                                         "16384", "32768", "65536", "3000"};
    const std::vector<std::string> numbers{"0",  "1",   "2",    "5",      "8",         "64",
                                           "99", "300", "4096", "100000", "2147483647"};
    std::vector<std::string> args;
    for (auto count = random() % 5; count > 0; --count) switch (random() % 9) {
            case 0:
            case 1:
                args.insert(args.end(), {"-b", any_of(random, sizes)});
                break;
            case 2:
            case 3:
                args.insert(args.end(), {"-f", any_of(random, sizes)});
                break;
            case 4:
                args.insert(args.end(), {"-i", any_of(random, numbers)});
                break;
            case 5:
                args.insert(args.end(), {"-O", std::to_string(random() % 3)});
                break;
            case 6:
                args.insert(args.end(), {"-m", any_of(random, numbers)});
                break;
            case 7:
                args.insert(args.end(), {"-S", any_of(random, sizes)});
                break;
            default:
                args.insert(args.end(),
                            {std::string("-") + "acdeghnsrk"[random() % 10], any_of(random, numbers)});
        }
    if (random() % 4 == 0)
        args.push_back(any_of<std::string>(random, {"-j", "-U", "-J", "-N", "-t", "-F", "-l", "-G"}));
    return args;
}

std::string line_of(const std::vector<std::string>& args) {
    std::string line;
    for (const auto& word : args) line += " " + word.substr(0, 40);
    return line;
}

bool has(const std::vector<std::string>& args, std::string_view word) {
    return std::find(args.begin(), args.end(), word) != args.end();
}

void expect_consistent(const PredictedSuperblock& fs) {
    ASSERT_GT(fs.fsize, 0U);
    EXPECT_GE(fs.bsize, 4096U);
    EXPECT_LE(fs.bsize, 65536U);
    EXPECT_TRUE(fs.bsize % fs.fsize == 0 && fs.bsize / fs.fsize <= 8);
    ASSERT_GT(fs.groups, 0U);
    ASSERT_GT(fs.group_frags, 0U);
    EXPECT_GE(fs.groups * fs.group_frags, fs.frags);
    EXPECT_LT((fs.groups - 1) * fs.group_frags, fs.frags);
    const std::uint64_t in_block = fs.bsize / (fs.ufs2 ? 256 : 128);
    EXPECT_GT(fs.group_inodes, 0U);
    EXPECT_EQ(fs.group_inodes % in_block, 0U);
    EXPECT_LE(fs.minfree_percent, 99U);
    EXPECT_LE(fs.free_blocks * (fs.bsize / fs.fsize), fs.frags);
}

TEST(PredictionProperties, AcceptedIsConsistent) {
    std::mt19937_64 random(11);
    std::size_t accepted = 0;
    for (int i = 0; i < 8'000; ++i) {
        const std::string_view system = systems[random() % std::size(systems)];
        const Medium medium{any_size(random), random() % 4 == 0 ? 4096U : 512U};
        const auto args = plausible(random);
        SCOPED_TRACE(std::string(system) + " " + std::to_string(medium.size_bytes) + " " +
                     std::to_string(medium.sector_bytes) + line_of(args));
        const auto prediction = predict_newfs(tool_release(system).value(), medium, args);
        ASSERT_TRUE(prediction.ok());
        const Prediction& told = prediction.value();
        if (!told.accepted) {
            ASSERT_NE(told.exit_status, 0);
            ASSERT_FALSE(told.reason.empty());
            continue;
        }
        ++accepted;
        ASSERT_EQ(told.exit_status, 0);
        // -G goes on, whatever comes of it.
        if (!has(args, "-G")) {
            ASSERT_TRUE(told.superblock);
        }
        if (told.superblock) expect_consistent(*told.superblock);
        // Only NetBSD is told a size that it does not check, and OpenBSD a sector that the label has not.
        const bool told_size = has(args, "-s") || has(args, "-S") || has(args, "-F") || has(args, "-N");
        if (told.superblock && !told_size) {
            EXPECT_LE(told.superblock->size_bytes(), medium.size_bytes);
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(accepted, 1'500U);
}

TEST(PredictionProperties, LargerMediumNeverLessSpace) {
    for (const std::string_view system : systems) {
        std::uint64_t last = 0;
        for (std::uint64_t size = 64 << 20; size < (std::uint64_t{1} << 40);
             size = size * 9 / 8 / 4096 * 4096) {
            const auto told = predict_newfs(tool_release(system).value(), Medium{size}, {});
            ASSERT_TRUE(told.ok() && told.value().superblock) << system << " " << size;
            EXPECT_GE(told.value().superblock->size_bytes(), last) << system << " " << size;
            last = told.value().superblock->size_bytes();
        }
    }
}

std::string hostile_word(std::mt19937_64& random) {
    static const std::vector<std::string> words{"",
                                                "-",
                                                "--",
                                                "'",
                                                "\"",
                                                "$(reboot)",
                                                "`id`",
                                                "[a,b]",
                                                "{}",
                                                "-b",
                                                "-f",
                                                "-O",
                                                "-s",
                                                "-i",
                                                "-S",
                                                "%s%n",
                                                "9223372036854775807",
                                                "9223372036854775808",
                                                "-9223372036854775808",
                                                "18446744073709551616",
                                                "1e999",
                                                "0x7fffffffffffffff",
                                                "  12",
                                                "+5",
                                                "12k",
                                                "12kk",
                                                "1p",
                                                "8e",
                                                "9999e",
                                                "1.5g",
                                                "-1",
                                                "-0",
                                                "nan",
                                                "\xff\xfe",
                                                "\x1b[31m",
                                                "-b65536",
                                                "-f512",
                                                "-O2",
                                                "-Oxyz",
                                                "-",
                                                "enable",
                                                "disable"};
    if (random() % 200 == 0) return std::string(100'000, random() % 2 == 0 ? '9' : 'x');
    std::string word = any_of(random, words);
    if (random() % 8 == 0)
        word.insert(word.begin() + static_cast<std::ptrdiff_t>(random() % (word.size() + 1)),
                    static_cast<char>(1 + random() % 255));
    return word;
}

TEST(PredictionProperties, HostileWordsGetAnAnswer) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 30'000; ++i) {
        const ToolRelease release = tool_release(systems[random() % std::size(systems)]).value();
        std::vector<std::string> args;
        for (auto n = random() % 8; n > 0; --n) {
            if (random() % 2 == 0) args.push_back(std::string("-") + static_cast<char>('A' + random() % 58));
            args.push_back(hostile_word(random));
        }
        SCOPED_TRACE(line_of(args));
        const Medium medium{any_size(random), 512};
        const auto made = predict_newfs(release, medium, args);
        TunedFilesystem before;
        if (made.ok() && made.value().superblock) before = tuned(release, *made.value().superblock);
        const auto changed = predict_tunefs(release, before, args);
        for (const auto* told : {&made, &changed}) {
            if (!told->ok()) continue;
            EXPECT_EQ(told->value().accepted, told->value().exit_status == 0);
            // No message repeats a word of 100 kB, and none moves the cursor.
            EXPECT_LT(told->value().reason.size(), 2'000U);
            EXPECT_EQ(told->value().reason.find('\x1b'), std::string::npos);
        }
        if (HasFailure()) return;
    }
}

TEST(PredictionProperties, NulIsNoWord) {
    for (const std::string_view system : systems) {
        const ToolRelease release = tool_release(system).value();
        const std::string word(
            "-b\0"
            "4096",
            7);
        EXPECT_FALSE(predict_newfs(release, Medium{1 << 30}, {word}).ok());
        EXPECT_FALSE(predict_tunefs(release, TunedFilesystem{}, {word}).ok());
    }
}

TEST(PredictionProperties, HostileConfigurationsGetAnAnswer) {
    std::mt19937_64 random(3);
    const std::string whole =
        "START array\n1 3 1\nSTART disks\n/dev/sd0e\n/dev/sd1e\n/dev/sd2e\nSTART spare\n/dev/sd3e\n"
        "START layout\n32 1 1 5\nSTART queue\nfifo 100\n";
    const std::vector<std::string> pieces{"START ", "layout", "-1",  "2147483648", "40", "401",
                                          "absent", "\n",     "\0x", "#",          "5",  "E",
                                          "T",      " ",      "\t",  "\r\n"};
    for (int i = 0; i < 20'000; ++i) {
        RaidRequest request;
        request.conf = whole;
        for (auto n = 1 + random() % 4; n > 0; --n) {
            const std::size_t at = random() % request.conf.size();
            if (random() % 2 == 0) request.conf.erase(at, 1 + random() % 8);
            if (request.conf.empty()) request.conf = " ";
            request.conf.insert(std::min(at, request.conf.size()), any_of(random, pieces));
        }
        request.checks_labels = random() % 2 == 0;
        if (random() % 2 == 0) request.labelled = whole;
        request.component.size_bytes = random() % 3 == 0 ? random() : random() % 100'000'000;
        const auto told =
            predict_raidctl(tool_release(random() % 2 == 0 ? "netbsd-8" : "netbsd-10").value(), request);
        ASSERT_TRUE(told.ok());
        EXPECT_EQ(told.value().accepted, told.value().exit_status == 0) << request.conf;
    }
    RaidRequest large;
    large.conf = std::string(1 << 20, 'x') + whole;
    EXPECT_TRUE(predict_raidctl(tool_release("netbsd-8").value(), large).ok());
}

}  // namespace
}  // namespace diskwright
