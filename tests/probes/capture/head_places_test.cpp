// SPDX-License-Identifier: BSD-2-Clause
// The places that the printed script reads blindly are those that the readers ask for. Where they ask for
// more, it stands here.
#include "probes/capture/head_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "probes/ondisk/discover.hpp"
#include "probes/support/text.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright {
namespace {

// Records where it is read; zeros behind what it was given.
class Watched final : public ByteSource {
 public:
    Watched(std::string name, std::uint64_t size, std::vector<std::byte> head)
        : name_(std::move(name)), size_(size), head_(std::move(head)) {}
    const std::string& name() const override { return name_; }
    std::optional<std::uint64_t> size_bytes() const override { return size_; }
    std::uint64_t readable_bytes() const override { return size_; }
    std::uint64_t sector_bytes() const override { return 512; }
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override {
        if (offset > size_ || length > size_ - offset) return Error{ErrorKind::no_input, name_};
        asked.emplace_back(offset, length);
        auto& out = kept_.emplace_back(length);
        if (offset < head_.size())
            std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(offset),
                        std::min<std::size_t>(length, head_.size() - static_cast<std::size_t>(offset)),
                        out.begin());
        return std::span<const std::byte>(out);
    }
    std::vector<std::pair<std::uint64_t, std::size_t>> asked;

 private:
    std::string name_;
    std::uint64_t size_;
    std::vector<std::byte> head_;
    std::deque<std::vector<std::byte>> kept_;
};

struct Slot {
    std::uint64_t start, size;
};

bool is_read_blindly(std::uint64_t offset, std::size_t length, const std::vector<Slot>& slots) {
    std::uint64_t at = offset;
    while (at < offset + length) {
        std::uint64_t reached = at;
        for (const Slot& slot : slots)
            for (const HeadPlace& place : head_places) {
                const std::uint64_t from = place.from == HeadPlace::From::start ? place.distance
                                           : place.from == HeadPlace::From::end
                                               ? slot.size - place.distance
                                               : slot.size / 65536 * 65536 - place.distance;
                const std::uint64_t begin = (slot.start + from) / 4096 * 4096;
                const std::uint64_t end = slot.start + from + place.length;
                if (begin <= at && at < end) reached = std::max(reached, end);
            }
        if (reached == at) return false;
        at = reached;
    }
    return true;
}

// Offsets within the last slot, or from its end ("-"), of what is read nowhere else.
std::set<std::string> asked_elsewhere(Watched& source, const std::vector<Slot>& slots) {
    ByteSource* const one = &source;
    (void)discover(std::span(&one, 1));
    std::set<std::string> out;
    for (const auto& [offset, length] : source.asked) {
        if (is_read_blindly(offset, length, slots)) continue;
        const auto slot = std::find_if(slots.rbegin(), slots.rend(), [at = offset](const Slot& s) {
            return at >= s.start && at < s.start + s.size;
        });
        const std::uint64_t inside = offset - slot->start;
        out.insert(inside >= slot->size / 2 ? "-" + std::to_string(slot->size - inside)
                                            : std::to_string(inside));
    }
    return out;
}

constexpr std::uint64_t disk_bytes = std::uint64_t{1} << 40;

// Where nobody looks without a reason: copies of superblocks, of ext at the beginning of groups and of FFS
// behind its boot blocks, second headers of LUKS2 behind larger first ones, two of the four labels of ZFS,
// and metadata of old Promise controllers, which lies where the geometry of the drive had its last cylinder.
const std::set<std::string> left_out{
    "8389632", "25166848", "33554432", "100663296", "134217728", "402653184", "73728",   "81920",   "98304",
    "131072",  "-245760",  "-507904",  "-204288",   "-302592",   "-345600",   "-376320", "-466432", "-486912",
    "-498688", "-507392",  "-1580544", "524288",    "1048576",   "2097152",   "4194304"};

std::set<std::string> without(std::set<std::string> all, const std::set<std::string>& some) {
    for (const auto& one : some) all.erase(one);
    return all;
}

TEST(HeadPlaces, ArePagesInOrder) {
    for (const HeadPlace& place : head_places) {
        EXPECT_EQ(place.length % 4096, 0U);
        EXPECT_EQ(place.distance % 4096, 0U);
        EXPECT_GT(place.length, 0U);
        EXPECT_TRUE(place.from == HeadPlace::From::start || place.distance >= place.length);
    }
}

TEST(HeadPlaces, OfAnEmptyDiskAndAnEmptyPartition) {
    Watched empty("wd0", disk_bytes, {});
    EXPECT_EQ(without(asked_elsewhere(empty, {{0, disk_bytes}}), left_out), std::set<std::string>());
    EXPECT_GT(empty.asked.size(), 20U);

    test::Bytes mbr(512);
    test::write_mbr(mbr, 0, {{0x83, 2048, 1U << 30}});
    Watched divided("sda", disk_bytes, mbr.bytes());
    const Slot slot{std::uint64_t{2048} * 512, (std::uint64_t{1} << 30) * 512};
    EXPECT_EQ(without(asked_elsewhere(divided, {{0, disk_bytes}, slot}), left_out), std::set<std::string>());
    EXPECT_GT(divided.asked.size(), 40U);
}

TEST(HeadPlaces, OfPartitionsInUse) {
    struct Row {
        const char* image;
        std::set<std::string> elsewhere;  // what the superblock leads to
    };
    for (const Row& row : {Row{"ffs/freebsd-001-default-8m.gz", {}}, Row{"ffs/netbsd-B-be.gz", {}}}) {
        SCOPED_TRACE(row.image);
        auto image = test::stored_image(row.image);
        const std::uint64_t size = image.size();
        Watched source("da0", size, std::move(image));
        const auto elsewhere = asked_elsewhere(source, {{0, size}});
        // Cylinder groups are sampled for what is free in them, and nothing else is missing then.
        EXPECT_LE(elsewhere.size(), 16U);
        for (const auto& offset : elsewhere) EXPECT_FALSE(left_out.contains(offset)) << offset;
    }
}

}  // namespace
}  // namespace diskwright
