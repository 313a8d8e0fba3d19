// SPDX-License-Identifier: BSD-2-Clause
// The disks of a NetBSD server that were pulled: five of them with a RAIDframe RAID 5 in their partition e, a
// file system on raid0a, which begins at sector 63.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/images.hpp"
#include "tests/support/program.hpp"
#include "tests/support/raidframe_label.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<std::byte>;

constexpr std::size_t disks = 5, sector = 512, unit = 32 * sector;
constexpr std::uint64_t component_start = 2048, component_blocks = 600'000, reserved = 64;

Bytes part(const test::Bytes& bytes, std::size_t length) {
    const auto bytes_of_part = bytes.part(0, length);
    return {bytes_of_part.begin(), bytes_of_part.end()};
}

void write_at(int fd, std::uint64_t at, const Bytes& bytes) {
    ASSERT_EQ(pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
}

class Server {
 public:
    explicit Server(std::uint64_t partition_sector) {
        for (std::size_t i = 0; i < disks; ++i) {
            paths_.push_back(folder_.path("sd" + std::to_string(i) + ".img"));
            fds_.push_back(open(paths_.back().c_str(), O_CREAT | O_RDWR | O_EXCL, 0600));
            write_disk(i);
        }
        write_volume(volume(partition_sector));
        for (const int fd : fds_) close(fd);
    }
    std::vector<std::string> paths() const { return paths_; }

 private:
    void write_disk(std::size_t i) {
        const std::uint64_t length = reserved + component_blocks, end = component_start + length;
        test::Bytes table(128 * sector);
        test::write_mbr(table, 0, {{0xa9, 64, static_cast<std::uint32_t>(end + 2048 - 64)}});
        test::write_label(table, 65 * sector, static_cast<std::uint32_t>(end + 2048),
                          {{0, 0, 0},
                           {0, 0, 0},
                           {end + 2048 - 64, 64, 0},
                           {end + 2048, 0, 0},
                           {length, component_start, 19}});
        write_at(fds_[i], 0, part(table, 128 * sector));
        test::RaidframeLabel label;
        label.num_columns = disks, label.column = static_cast<std::uint32_t>(i);
        label.num_blocks = component_blocks, label.partition_size = length;
        label.map_flags = 0;
        const auto bytes = test::write_label(label);
        write_at(fds_[i], component_start * sector, part(bytes, 16384 + 1024));
    }

    // What raid0 shows: a label in its second sector, and a file system of blocks as large as a unit.
    static Bytes volume(std::uint64_t partition_sector) {
        const auto image = test::stored_image("ffs/netbsd-wapbl-log-16k-1g.gz");
        test::Bytes label(2 * sector);
        const std::uint64_t total = (disks - 1) * component_blocks;
        test::write_label(
            label, sector, static_cast<std::uint32_t>(total),
            {{std::uint64_t{1} << 21, partition_sector, 7}, {0, 0, 0}, {0, 0, 0}, {total, 0, 0}});
        Bytes out = part(label, 2 * sector);
        const auto start = static_cast<std::size_t>(partition_sector * sector);
        out.resize((start + image.size() + unit - 1) / unit * unit);
        std::copy(image.begin(), image.end(), out.begin() + static_cast<std::ptrdiff_t>(start));
        return out;
    }

    // Where tests/data/model/raidframe-mapping.json has each unit of a level 5 set.
    void write_volume(const Bytes& bytes) {
        std::map<std::uint64_t, Bytes> parity;
        for (std::uint64_t u = 0; u * unit < bytes.size(); ++u) {
            const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(u * unit);
            const Bytes piece(from, from + unit);
            const std::uint64_t row = u / (disks - 1);
            write_at(fds_[u % disks], data_at(row), piece);
            Bytes& sum = parity.try_emplace(row, Bytes(unit)).first->second;
            for (std::size_t i = 0; i < unit; ++i) sum[i] ^= piece[i];
        }
        for (const auto& [row, sum] : parity) write_at(fds_[disks - 1 - row % disks], data_at(row), sum);
    }
    static std::uint64_t data_at(std::uint64_t row) {
        return (component_start + reserved) * sector + row * unit;
    }

    test::TemporaryFolder folder_;
    std::vector<std::string> paths_;
    std::vector<int> fds_;
};

Json audited(std::vector<std::string> images) {
    images.insert(images.begin(), {"audit", "--format", "json", "--host"});
    const auto result = test::run_program(images);
    EXPECT_EQ(result.errors, "");
    return Json::parse(result.output)["hosts"][0];
}

const Json* finding(const Json& host, std::string_view code) {
    for (const Json& f : host["findings"])
        if (f["code"] == code) return &f;
    return nullptr;
}

// Codes above the severity info.
std::vector<std::string> heard(const Json& host) {
    std::vector<std::string> out;
    for (const Json& f : host["findings"])
        if (f["severity"] != "info") out.push_back(f["code"].get<std::string>());
    return out;
}

TEST(Raid5Images, TheFileSystemAtSector63) {
    const Server server(63);
    auto images = server.paths();
    const Json whole = audited(images);
    const Json* unaligned = finding(whole, "ALIGN002");
    ASSERT_TRUE(unaligned) << whole.dump(1);
    EXPECT_EQ((*unaligned)["subject"], "raid0a");
    EXPECT_FALSE(finding(whole, "RAID001"));
    EXPECT_EQ(heard(whole), std::vector<std::string>{"ALIGN002"});
    // On the volume byte 32256 is 512 bytes before the end of the second unit; components keep 32 KiB.
    const auto message = (*unaligned)["message"].get<std::string>();
    EXPECT_NE(message.find("starts at byte 32256 of raid0"), std::string::npos) << message;
    EXPECT_NE(message.find("512 B at byte 48640 of sd1e, 15.5 KiB at byte 32768 of sd2e"), std::string::npos)
        << message;
    const Json& fix = (*unaligned)["fix"];
    EXPECT_EQ(fix["commands"][0], Json({"disklabel", "-e", "raid0"}));
    EXPECT_NE(fix["note"].get<std::string>().find("offset 2048"), std::string::npos);
    EXPECT_EQ(whole["facts"]["volumes"][0]["components"].size(), disks);
    EXPECT_EQ(whole["facts"]["filesystems"][0]["wapbl"], true);
    for (std::size_t gone = 0; gone < disks; ++gone) {
        auto left = images;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(gone));
        const Json degraded = audited(left);
        ASSERT_TRUE(finding(degraded, "ALIGN002")) << gone;
        const Json* same = finding(degraded, "ALIGN002");
        EXPECT_EQ((*same)["fix"], (*unaligned)["fix"]) << gone;
        EXPECT_NE((*same)["message"].get<std::string>().find("starts at byte 32256 of raid0"),
                  std::string::npos);
        const Json* lost = finding(degraded, "RAID001");
        ASSERT_TRUE(lost) << gone;
        EXPECT_EQ((*lost)["subject"], "raid0");
        EXPECT_EQ(degraded["facts"]["filesystems"][0]["wapbl"], true) << "read through the parity";
    }
}

TEST(Raid5Images, AlignedNothingIsSaid) {
    const Json host = audited(Server(2048).paths());
    EXPECT_EQ(heard(host), std::vector<std::string>{});
}

// A label without a checksum: the other four say what one bit has made wrong, and the set stays readable.
TEST(Raid5Images, OneLabelAgainstTheOthers) {
    const Server server(63);
    const auto images = server.paths();
    for (const auto& [offset, field] : {std::pair{36, "sectPerSU"}, std::pair{48, "RAID Level"}}) {
        const int fd = open(images[0].c_str(), O_RDWR);
        const auto at =
            static_cast<off_t>(component_start * sector + 16384 + static_cast<std::uint64_t>(offset));
        char byte = 0;
        ASSERT_EQ(pread(fd, &byte, 1, at), 1);
        const char flipped = static_cast<char>(byte ^ (field == std::string("RAID Level") ? 0x4 : 0x40));
        ASSERT_EQ(pwrite(fd, &flipped, 1, at), 1);
        const Json host = audited(images);
        ASSERT_EQ(pwrite(fd, &byte, 1, at), 1);
        close(fd);
        const Json* damage = finding(host, "HOST003");
        ASSERT_TRUE(damage) << field;
        EXPECT_NE((*damage)["message"].get<std::string>().find(field), std::string::npos) << damage->dump();
        EXPECT_NE((*damage)["message"].get<std::string>().find("sd0e@0x4000"), std::string::npos);
        EXPECT_EQ(host["facts"]["volumes"][0]["stripe_unit_bytes"], unit);
        EXPECT_EQ(host["facts"]["volumes"][0]["components"][0]["state"], "failed");
        EXPECT_TRUE(finding(host, "RAID001")) << field;
        EXPECT_TRUE(finding(host, "ALIGN002")) << field;
    }
}

TEST(Raid5Images, TwoMissingAreTooMany) {
    const Server server(2048);
    auto images = server.paths();
    images.resize(3);
    const Json host = audited(images);
    const Json* lost = finding(host, "RAID001");
    ASSERT_TRUE(lost);
    EXPECT_EQ((*lost)["severity"], "error");
    EXPECT_TRUE(host["facts"]["filesystems"].empty());
}

}  // namespace
}  // namespace diskwright
