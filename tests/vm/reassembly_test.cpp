// SPDX-License-Identifier: BSD-2-Clause
// Sets of md that a kernel ran: what their members tell against what it told of them while they ran, and what
// is read through the members in user space against what it read.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "probes/model/facts_json.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/member_sets.hpp"
#include "probes/support/text.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/same_facts.hpp"
#include "tests/vm/booted.hpp"

namespace diskwright {
namespace {

using test::MemorySource;
using Bytes = std::vector<std::byte>;

// Of snippets/reassembly/sets.sh.
constexpr std::size_t sets = 19, drives = 6;
constexpr std::uint64_t first_partition = 1 * MiB, partition = 8 * MiB;

class reassembly : public test::Booted<reassembly> {
 public:
    static constexpr const char* boot = "reassembly";
    static void prepare(test::Machine& machine) {
        for (std::size_t i = 0; i < drives; ++i) machine.drives.push_back(machine.sparse_drive(168 * MiB));
    }

 protected:
    static std::string kernel(std::size_t set, const std::string& key) {
        const std::string table = snippet("sets").file(fmt::format("md{}.kernel", set));
        for (const auto line : split_lines(table))
            if (starts_with_word(line, key)) return std::string(trim(line.substr(key.size())));
        return {};
    }
};

Bytes bytes_of(const std::string& path, std::uint64_t at, std::uint64_t length) {
    Bytes out(length);
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(length));
    EXPECT_TRUE(file) << path;
    return out;
}

// The partitions that are members of one set, in the order of the drives.
struct Members {
    std::vector<std::unique_ptr<MemorySource>> sources;
    std::vector<FoundMember> found;

    Members(const std::vector<test::Drive>& images, std::size_t set) {
        for (std::size_t i = 0; i < images.size(); ++i) {
            auto source = std::make_unique<MemorySource>(
                fmt::format("vd{}{}", static_cast<char>('a' + i), set),
                bytes_of(images[i].path, first_partition + (set - 1) * partition, partition), partition);
            Found here;
            if (const auto read = read_md(*source, here); !read || !*read) continue;
            for (Member& m : here.members) found.push_back({std::move(m), source.get(), 0});
            EXPECT_TRUE(here.damage.empty()) << here.damage[0];
            sources.push_back(std::move(source));
        }
    }
    std::vector<FoundMember> without(const std::vector<std::size_t>& gone) const {
        std::vector<FoundMember> out;
        for (std::size_t i = 0; i < found.size(); ++i)
            if (std::find(gone.begin(), gone.end(), i) == gone.end()) out.push_back(found[i]);
        return out;
    }
};

// Byte of the first difference; nothing where there is none.
std::optional<std::uint64_t> difference(const std::vector<FoundMember>& members, const Bytes& wanted) {
    const MemberSet set = make_set(members);
    constexpr std::size_t piece = 512 * KiB, pieces_of_one = 2;  // what one source may read is bounded
    std::unique_ptr<AssembledSource> source;
    for (std::size_t at = 0, n = 0; at < wanted.size(); at += piece, ++n) {
        if (n % pieces_of_one == 0) source = std::make_unique<AssembledSource>(set.volume, set.columns);
        EXPECT_EQ(source->readable_bytes(), wanted.size());
        const std::size_t length = std::min(piece, wanted.size() - at);
        const auto read = source->read(at, length);
        EXPECT_TRUE(read) << read.error().message;
        if (!read) return at;
        const auto [a, b] =
            std::mismatch(read->begin(), read->end(), wanted.begin() + static_cast<std::ptrdiff_t>(at));
        if (a != read->end()) return at + static_cast<std::size_t>(a - read->begin());
    }
    return std::nullopt;
}

TEST_F(reassembly, EveryBlockIsThatOfTheKernel) {
    const auto& result = snippet("sets");
    for (std::size_t set = 1; set <= sets; ++set) {
        SCOPED_TRACE(result.file(fmt::format("md{}.detail", set)));
        const std::string image = result.file(fmt::format("md{}.image", set));
        ASSERT_FALSE(image.empty());
        const auto* begin = reinterpret_cast<const std::byte*>(image.data());
        const Bytes wanted(begin, begin + image.size());
        const Members members(machine().drives, set);
        ASSERT_EQ(members.found.size(), std::stoul(kernel(set, "raid_disks")));
        EXPECT_EQ(difference(members.found, wanted), std::nullopt);
    }
}

// Columns that the set can do without: none of them was missing in the machine.
TEST_F(reassembly, WhatIsMissingIsComputed) {
    const auto& result = snippet("sets");
    std::size_t compared = 0;
    for (std::size_t set = 1; set <= sets; ++set) {
        const std::string level = kernel(set, "level");
        if (level == "raid0" || level == "linear" || kernel(set, "degraded") != "0") continue;
        SCOPED_TRACE(result.file(fmt::format("md{}.detail", set)));
        const std::string image = result.file(fmt::format("md{}.image", set));
        const auto* begin = reinterpret_cast<const std::byte*>(image.data());
        const Bytes wanted(begin, begin + image.size());
        const Members members(machine().drives, set);
        ASSERT_GT(members.found.size(), 1U);
        for (std::size_t i = 0; i < members.found.size(); ++i) {
            EXPECT_EQ(difference(members.without({i}), wanted), std::nullopt) << "without " << i;
            ++compared;
            if (level != "raid6") continue;
            for (std::size_t j = 0; j < i; ++j)
                EXPECT_EQ(difference(members.without({i, j}), wanted), std::nullopt)
                    << "without " << i << " and " << j;
        }
    }
    EXPECT_GT(compared, 40U);
}

// "vda4 in slot 0" of each component whose data counts.
std::vector<std::string> in_use(const Volume& set) {
    std::vector<std::string> out;
    for (const Component& c : set.components)
        if (c.state.is(ComponentState::optimal) && c.slot)
            out.push_back(fmt::format("{} in slot {}", c.name, *c.slot));
    return out;
}

TEST_F(reassembly, MembersTellOfARunningSetWhatMdadmTells) {
    const auto& result = snippet("sets");
    const auto shown = nlohmann::ordered_json::parse(result.file("devices.json"), nullptr, false);
    ASSERT_FALSE(shown.is_discarded());
    const auto devices = facts_from_json(shown["hosts"][0]["facts"], "devices");
    ASSERT_TRUE(devices) << devices.error().message;
    for (std::size_t set = 1; set <= sets; ++set) {
        const std::string detail = result.file(fmt::format("md{}.detail", set));
        SCOPED_TRACE(detail);
        const HostFacts text =
            test::facts_of_output({"mdadm", "--detail", fmt::format("/dev/md{}", set)}, detail);
        ASSERT_EQ(text.volumes.size(), 1U);
        Volume wanted = text.volumes[0], found;
        for (const Volume& v : devices->volumes)
            if (v.uuid && wanted.uuid && *v.uuid == *wanted.uuid) found = v;
        // The listing names who failed after the others, its members know that place only as one left behind.
        EXPECT_EQ(in_use(found), in_use(wanted));
        wanted.components.clear(), found.components.clear();
        EXPECT_EQ(test::missing_values(wanted, found), std::vector<std::string>{});
    }
}

}  // namespace
}  // namespace diskwright
