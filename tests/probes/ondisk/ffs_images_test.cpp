// SPDX-License-Identifier: BSD-2-Clause
// Heads of file systems that the newfs of each BSD made, beside what its dumpfs printed of them
// (tests/data/images/ffs): the bytes and the text must give the same facts.
#include <gtest/gtest.h>

#include "probes/ondisk/formats.hpp"
#include "tests/support/files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/same_facts.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;

struct Case {
    std::string name;
    std::string image;  // below tests/data/images
    fs::path text;
};

std::vector<Case> cases() {
    std::vector<Case> out;
    for (const auto& path : test::entries(test::data_folder() / "images/ffs"))
        if (path.extension() == ".gz") {
            const std::string name = path.stem().string();
            out.push_back(
                {name, "ffs/" + path.filename().string(), path.parent_path() / (name + ".dumpfs.txt")});
        }
    return out;
}

std::optional<Os> os_of(const std::string& name) {
    return from_string<Os>(std::string_view(name).substr(0, name.find('-')));
}

TEST(FfsImages, BytesAndDumpfsGiveTheSameFacts) {
    std::size_t compared = 0;
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        auto printed = test::facts_of_output({"dumpfs", "/dev/sd0e"}, test::read_file(c.text));
        ASSERT_EQ(printed.filesystems.size(), 1U);
        // dumpfs of FreeBSD prints the totals that an FFSv1 of old would use. tunefs took an inode for the
        // journal and wrote the newer ones only, which the cylinder groups agree with.
        if (c.name == "freebsd-045-ufs1-j") {
            EXPECT_TRUE(printed.filesystems[0].inodes_used.is(4));
            printed.filesystems[0].inodes_used = Number(5, {});
        }
        // The table around it tells the system, as in a real disk.
        test::MemorySource source("sd0e", test::stored_image(c.image));
        source.belongs_to = os_of(c.name);
        Found found;
        const auto read = read_ffs(source, found);
        ASSERT_TRUE(read) << read.error().message;
        ASSERT_TRUE(*read);
        ASSERT_EQ(found.facts.filesystems.size(), 1U);
        EXPECT_EQ(test::missing_values(printed.filesystems[0], found.facts.filesystems[0]),
                  std::vector<std::string>{});
        // Bytes tell how full it is, too; nothing else that dumpfs does not.
        Filesystem bytes = found.facts.filesystems[0];
        bytes.used_bytes.reset(), bytes.used_percent.reset();
        EXPECT_EQ(test::missing_values(bytes, printed.filesystems[0]), std::vector<std::string>{});
        EXPECT_EQ(found.damage, std::vector<std::string>{});
        ++compared;
    }
    EXPECT_GE(compared, 70U);
}

// Nobody tells the system: what its newfs leaves in the superblock does, or nothing does; a wrong system is
// never inferred.
TEST(FfsImages, TheSystemIsInferredOrUnknown) {
    std::size_t freebsd = 0, openbsd = 0, netbsd = 0;
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        test::MemorySource source("sd0e", test::stored_image(c.image));
        Found found;
        ASSERT_TRUE(read_ffs(source, found));
        const auto os = os_of(c.name);
        const auto& inferred = found.facts.os.name;
        if (os == Os::netbsd && !inferred) {
            EXPECT_FALSE(found.facts.filesystems.at(0).acls);
            continue;
        }
        EXPECT_TRUE(inferred.is(*os));
        EXPECT_EQ(inferred.from().kind(), Provenance::Kind::inferred);
        ++(os == Os::freebsd ? freebsd : os == Os::openbsd ? openbsd : netbsd);
    }
    EXPECT_GE(freebsd, 26U);
    EXPECT_GE(openbsd, 15U);
    EXPECT_GE(netbsd, 3U);  // those with a log
}

}  // namespace
}  // namespace diskwright
