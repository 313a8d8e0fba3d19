// SPDX-License-Identifier: BSD-2-Clause
// Superblocks of md and signatures of RAID members as tools that others wrote see them: mdadm --examine and
// blkid -p on image files. Skips where a tool is not installed.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "probes/live/process_runner.hpp"
#include "probes/ondisk/discover.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/firmware_raid.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/program.hpp"
#include "tests/support/same_facts.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::Ddf;
using test::Intel;
using test::Md0;
using test::Md1;
using test::MemorySource;

class RaidTools : public ::testing::Test {
 protected:
    std::string write(const std::vector<std::byte>& bytes) const {
        const std::string path = folder_.path("disk.img");
        const int fd = open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0600);
        EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        close(fd);
        return path;
    }
    // Output of the tool, whatever its status; nothing when it is not installed.
    std::optional<std::string> run(const std::vector<std::string>& argv) {
        const auto outcome = runner_.run(argv, {});
        return outcome ? std::optional(outcome->output) : std::nullopt;
    }
    // The facts that the parser of mdadm's output has of the image, as if it were /dev/sda1.
    std::optional<HostFacts> examined(const std::vector<std::byte>& bytes) {
        const std::string path = write(bytes);
        auto text = run({"mdadm", "--examine", path});
        if (!text) return std::nullopt;
        output_ = *text;
        for (std::size_t at; (at = text->find(path)) != std::string::npos;)
            text->replace(at, path.size(), "/dev/sda1");
        return test::facts_of_output({"mdadm", "--examine", "/dev/sda1"}, *text);
    }
    // The value of KEY in blkid's own format; empty when it names none.
    std::optional<std::string> blkid(const std::vector<std::byte>& bytes, const std::string& key) {
        const auto text = run({"blkid", "-p", "-o", "export", write(bytes)});
        if (!text) return std::nullopt;
        for (const auto line : split_lines(*text))
            if (line.starts_with(key + "=")) return std::string(line.substr(key.size() + 1));
        return "";
    }
    // Volume and component of the text, both as far as they go, equal those of the bytes.
    void expect_same(const std::vector<std::byte>& bytes, const HostFacts& text) {
        MemorySource source("sda1", bytes, bytes.size());
        const std::vector<ByteSource*> sources{&source};
        const HostFacts found = discover(sources).facts;
        ASSERT_EQ(text.volumes.size(), 1U) << output_;
        ASSERT_EQ(found.volumes.size(), 1U);
        Volume wanted = text.volumes[0], have = found.volumes[0];
        ASSERT_FALSE(wanted.components.empty()) << output_;
        const Component& a = wanted.components[0];
        const auto b = std::find_if(have.components.begin(), have.components.end(),
                                    [](const Component& c) { return c.name == "sda1"; });
        ASSERT_NE(b, have.components.end());
        // The text of a replacement does not say that it holds the place alone.
        if (!a.role.is("replacement")) {
            EXPECT_EQ(b->slot.value_or(99), a.slot.value_or(99));
        }
        EXPECT_EQ(b->data_offset_bytes.value_or(0), a.data_offset_bytes.value_or(0));
        // Of a concatenation mdadm prints that 0 sectors of each device are used.
        if (a.used_bytes.value_or(0) > 0) {
            EXPECT_EQ(*b->used_bytes, *a.used_bytes);
        }
        EXPECT_EQ(*b->events, *a.events);
        EXPECT_EQ(b->role.value_or(""), a.role.value_or(""));
        EXPECT_EQ(b->state.is(ComponentState::spare), a.state.is(ComponentState::spare));
        wanted.components.clear(), have.components.clear();
        EXPECT_EQ(test::missing_values(wanted, have), std::vector<std::string>{}) << output_;
    }

    test::TemporaryFolder folder_;
    ProcessRunner runner_;
    std::string output_;
};

constexpr std::uint64_t device = 4 * MiB;

Bytes image_of(const Md1& sb) {
    Bytes image(device);
    image.copy(sb.super_offset * 512, sb.bytes());
    return image;
}
Bytes image_of(const Md0& sb) {
    Bytes image(device);
    image.copy(test::md0_place(device), sb.bytes());
    return image;
}

struct Shape {
    std::int32_t level;
    std::uint32_t layout;
};
const std::vector<Shape>& shapes() {
    static const std::vector<Shape> list{
        {-1, 0}, {0, 0},  {1, 0},      {4, 0},      {5, 0},      {5, 1},        {5, 2},     {5, 3},
        {5, 4},  {5, 5},  {6, 0},      {6, 2},      {6, 8},      {6, 9},        {6, 10},    {6, 16},
        {6, 18}, {6, 20}, {10, 0x102}, {10, 0x103}, {10, 0x201}, {10, 0x10201}, {10, 0x202}};
    return list;
}

TEST_F(RaidTools, MdadmReadsFormat1AsWeDo) {
    for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{8}, test::md1_0_place(device) / 512}) {
        for (const Shape& shape : shapes()) {
            SCOPED_TRACE(fmt::format("at {} level {} layout {:#x}", at, shape.level, shape.layout));
            Md1 sb;
            sb.super_offset = at;
            if (at > 8) sb.data_offset = 0;
            sb.level = shape.level, sb.layout = shape.layout, sb.disks = 4, sb.roles = {0, 1, 2, 3};
            sb.size = shape.level == 1 ? 4096 - 128 : shape.level > 0 ? 4096 : 0;
            if (shape.level == 1) sb.chunk = 0;
            const auto bytes = image_of(sb).bytes();
            const auto text = examined(bytes);
            if (!text) GTEST_SKIP() << "mdadm is not installed";
            EXPECT_TRUE(diskwright::contains(output_, "- correct")) << output_;
            expect_same(bytes, *text);
        }
    }
}

TEST_F(RaidTools, MdadmReadsTheRestOfFormat1AsWeDo) {
    const std::vector<void (*)(Md1&)> changes{
        [](Md1& sb) { sb.resync_offset = 0; },
        [](Md1& sb) { sb.roles[1] = 0xffff; },
        [](Md1& sb) { sb.roles[1] = 0xfffd, sb.features = 512; },
        [](Md1& sb) {
            sb.features = 16, sb.roles = {0, 1, 2, 1}, sb.device = 3;
        },
        [](Md1& sb) { sb.features = 1024, sb.bitmap_offset = 8 | 256 << 16; },
        [](Md1& sb) { sb.name = "home:my-data"; },
        [](Md1& sb) { sb.name = ""; },
        [](Md1& sb) { sb.level = 0, sb.features = 4096, sb.layout = 1; },
        [](Md1& sb) { sb.level = 0, sb.features = 4096, sb.layout = 2; },
        [](Md1& sb) { sb.events = std::uint64_t{1} << 40; },
        [](Md1& sb) {
            sb.features = 4, sb.delta = 1, sb.disks = 4, sb.roles = {0, 1, 2, 3}, sb.reshape_position = 4096;
        },
        [](Md1& sb) { sb.features = 4, sb.delta = -1, sb.reshape_position = 2048, sb.new_chunk = 256; },
        [](Md1& sb) { sb.features = 4, sb.new_layout = 0, sb.new_level = 6, sb.reshape_position = 10; }};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        SCOPED_TRACE(i);
        Md1 sb;
        changes[i](sb);
        const auto bytes = image_of(sb).bytes();
        const auto text = examined(bytes);
        if (!text) GTEST_SKIP() << "mdadm is not installed";
        expect_same(bytes, *text);
    }
}

TEST_F(RaidTools, MdadmReadsABitmapAsWeDo) {
    Md1 sb;
    sb.features = 1;
    Bytes image = image_of(sb);
    image.copy(8192, test::md_bitmap_header(sb.uuid, sb.events, sb.size));
    auto text = examined(image.bytes());
    if (!text) GTEST_SKIP() << "mdadm is not installed";
    EXPECT_TRUE(text->volumes.at(0).parity_map.is(true)) << output_;
    expect_same(image.bytes(), *text);
    // Without the header mdadm takes the feature away, and shows the checksum as wrong by one.
    text = examined(image_of(sb).bytes());
    EXPECT_TRUE(text->volumes.at(0).parity_map.is(false)) << output_;
    EXPECT_TRUE(contains(output_, "- expected")) << output_;
    expect_same(image_of(sb).bytes(), *text);
}

TEST_F(RaidTools, MdadmReadsFormat0AsWeDo) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        for (const Shape& shape : shapes()) {
            SCOPED_TRACE(fmt::format("level {} layout {:#x}", shape.level, shape.layout));
            Md0 sb;
            sb.order = order;
            sb.level = shape.level, sb.layout = shape.layout, sb.disks = 4;
            if (shape.level == 1) sb.chunk = 0;
            const auto bytes = image_of(sb).bytes();
            const std::string path = write(bytes);
            // Metadata of another byte order has a name of its own.
            auto output = order == ByteOrder::little ? run({"mdadm", "--examine", path})
                                                     : run({"mdadm", "--examine", "--metadata=0.swap", path});
            if (!output) GTEST_SKIP() << "mdadm is not installed";
            output_ = *output;
            for (std::size_t at; (at = output->find(path)) != std::string::npos;)
                output->replace(at, path.size(), "/dev/sda1");
            EXPECT_TRUE(contains(output_, "- correct")) << output_;
            expect_same(bytes, test::facts_of_output({"mdadm", "--examine", "/dev/sda1"}, *output));
        }
    }
    Md0 sb;
    sb.minor = 91, sb.delta = 1, sb.disks = 4, sb.reshape_position = 2048, sb.new_chunk = 131072;
    sb.state = 0;
    const auto text = examined(image_of(sb).bytes());
    expect_same(image_of(sb).bytes(), *text);
}

// A wrong checksum is wrong for both, and the sum that should be there is the same.
TEST_F(RaidTools, MdadmAgreesOnDamage) {
    Bytes image = image_of(Md1{});
    image.u64(4096 + 200, 1);
    if (!examined(image.bytes())) GTEST_SKIP() << "mdadm is not installed";
    const auto at = output_.find("- expected ");
    ASSERT_NE(at, std::string::npos) << output_;
    const std::string expected = output_.substr(at + 11, output_.find('\n', at) - at - 11);
    MemorySource source("sda1", image.bytes(), device);
    Found found;
    const auto result = read_md(source, found);
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().message.ends_with("should be " + expected)) << result.error().message;
}

TEST_F(RaidTools, BlkidNamesMd) {
    for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{8}, test::md1_0_place(device) / 512}) {
        Md1 sb;
        sb.super_offset = at;
        const auto bytes = image_of(sb).bytes();
        const auto type = blkid(bytes, "TYPE");
        if (!type) GTEST_SKIP() << "blkid is not installed";
        EXPECT_EQ(*type, "linux_raid_member");
        MemorySource source("sda1", bytes, bytes.size());
        Found found;
        ASSERT_TRUE(*read_md(source, found));
        EXPECT_EQ(*blkid(bytes, "VERSION"), *found.members.at(0).set.metadata);
        EXPECT_EQ(*blkid(bytes, "LABEL"), "nas1:0");
        EXPECT_EQ(*blkid(bytes, "UUID"), "30313233-3435-3637-3839-616263646566");
    }
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        Md0 sb;
        sb.order = order;
        EXPECT_EQ(*blkid(image_of(sb).bytes(), "TYPE"), "linux_raid_member");
        EXPECT_EQ(*blkid(image_of(sb).bytes(), "VERSION"), "0.90.0");
    }
    EXPECT_EQ(*blkid(Bytes(device).bytes(), "TYPE"), "");
}

TEST_F(RaidTools, BlkidNamesFirmwareRaid) {
    constexpr std::size_t size = 2 * MiB;
    for (const test::FirmwareSample& sample : test::firmware_samples(size)) {
        SCOPED_TRACE(sample.metadata);
        Bytes image = sample.image;
        const auto type = blkid(image.bytes(), "TYPE");
        if (!type) GTEST_SKIP() << "blkid is not installed";
        EXPECT_EQ(*type, sample.blkid);
        for (const std::size_t at : sample.must_match) {
            Bytes changed = sample.image;
            changed.bytes()[at] ^= std::byte{1};
            // Releases before 2.39 take "NVIDIA" and "JM" without their checksums.
            const bool by_name = sample.metadata == "NVIDIA" || sample.metadata == "JMicron";
            const std::string without = *blkid(changed.bytes(), "TYPE");
            EXPECT_TRUE(without.empty() || (by_name && without == sample.blkid)) << without;
        }
    }
    Bytes intel(size);
    Intel{}.write(intel);
    EXPECT_EQ(*blkid(intel.bytes(), "TYPE"), "isw_raid_member");
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
        Ddf md;
        md.order = order;
        Bytes ddf(size, order);
        md.write(ddf);
        EXPECT_EQ(*blkid(ddf.bytes(), "TYPE"), "ddf_raid_member");
    }
}

// With the checksums that mdadm writes. (Intel's metadata it reads from devices with a serial number only.)
TEST_F(RaidTools, MdadmReadsDdfAsWeDo) {
    Ddf md;
    md.crc_of_mdadm = true;
    Bytes image(64 * MiB, ByteOrder::big);
    md.write(image);
    const auto text = run({"mdadm", "--examine", write(image.bytes())});
    if (!text) GTEST_SKIP() << "mdadm is not installed";
    for (const std::string_view line :
         {"VD GUID[1] : 76697274:75616C2D:6469736B:2D677569:642D3234:2D627974", "Name[1] : array1",
          "state[1] : Degraded, Not Consistent", "Raid Devices[1] : 3 (0@288K 1@288K 2@32K)",
          "Chunk Size[1] : 128 sectors", "Raid Level[1] : RAID5", "Device Size[1] : 250",
          "Array Size[1] : 500"})
        EXPECT_TRUE(contains(*text, line)) << line << "\n" << *text;
    MemorySource source("sda", image.bytes(), image.bytes().size());
    Found found;
    ASSERT_TRUE(*read_firmware_raid(source, found));
    EXPECT_EQ(found.damage, std::vector<std::string>{});
    const Member& m = found.members.at(0);
    EXPECT_EQ(*m.set.uuid, "76697274:75616c2d:6469736b:2d677569:642d3234:2d627974");
    EXPECT_EQ(m.set.name, "array1");
    EXPECT_TRUE(m.set.state.is(VolumeState::degraded) && m.set.parity_clean.is(false));
    EXPECT_EQ(*m.column, 2U);
    EXPECT_EQ(m.data_offset_bytes, 32 * KiB);
    EXPECT_EQ(*m.set.stripe_unit_bytes, 128U * 512);
    EXPECT_TRUE(m.set.level.is(RaidLevel::raid5));
    EXPECT_EQ(*m.data_bytes, 250 * KiB);
    EXPECT_EQ(*m.set.size_bytes, 500 * KiB);
}

}  // namespace
}  // namespace diskwright
