// SPDX-License-Identifier: BSD-2-Clause
// Heads and tails of disks in captures: written, read back, and what a hostile manifest says of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "probes/capture/assemble.hpp"
#include "probes/capture/manifest.hpp"
#include "probes/capture/scrub.hpp"
#include "probes/capture/write_capture.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/program.hpp"
#include "tests/support/recorded_host.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t disk_bytes = 64 * MiB;

// A NetBSD disk of 64 MiB, of which its first 64 KiB and its end were read.
DeviceRegions netbsd_disk(const std::string& name) {
    test::Bytes head(64 * KiB);
    test::write_mbr(head, 0, {{0xa9, 64, 131008}});
    test::write_label(head, 65 * 512, 131072, {{100000, 64, 7}, {31008, 100064, 1}});
    DeviceRegions regions{name, disk_bytes, 512, {}, {}};
    regions.add(0, head.bytes());
    regions.add(disk_bytes - 4096, std::vector<std::byte>(4096));
    return regions;
}

Capture capture_of(std::vector<DeviceRegions> devices) {
    Capture capture;
    capture.info = CaptureInfo{"1.2.3", "2026-12-01T08:00:00Z", "nas1", "netbsd", "9.3", true, false};
    capture.documents.push_back({"u", "NetBSD nas1 9.3 NetBSD 9.3 (GENERIC) amd64\n", {"uname", "-a"}});
    for (auto& device : devices) {
        auto source = RegionSource::make(std::move(device));
        EXPECT_TRUE(source.ok());
        if (source) capture.images.push_back(std::move(*source));
    }
    return capture;
}

const Partition* partition_of(const HostFacts& facts, std::string_view name) {
    for (const Partition& p : facts.partitions)
        if (p.name == name) return &p;
    return nullptr;
}

TEST(DeviceMembers, BothFormsReadBackAsTheyWere) {
    const test::TemporaryFolder folder;
    DeviceRegions empty{"wd1", disk_bytes, 4096, {}, {}};
    empty.add(0, std::vector<std::byte>(8192));
    // Bytes that look like text are bytes of the disk all the same.
    DeviceRegions letters{"wd2", disk_bytes, 512, {}, {}};
    letters.add(4096, std::vector<std::byte>(4096, std::byte{'a'}));
    const std::vector<DeviceRegions> devices{netbsd_disk("wd0"), empty, letters};
    for (const std::string name : {"a.tar.gz", "b/"}) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(write_capture(folder.path(name), capture_of(devices)));
        const auto read = load_input(folder.path(name));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_TRUE(read->notes.empty()) << read->notes.front();
        ASSERT_EQ(read->documents.size(), 1U);
        const auto back = collected_devices(*read);
        ASSERT_EQ(back.size(), devices.size());
        for (std::size_t i = 0; i < devices.size(); ++i) EXPECT_EQ(back[i]->regions(), devices[i]);
        const auto facts = assemble(*read);
        ASSERT_TRUE(facts) << facts.error().message;
        ASSERT_TRUE(partition_of(*facts, "wd0a"));
        EXPECT_EQ(*partition_of(*facts, "wd0a")->size_bytes, 100000U * 512);
        ASSERT_EQ(facts->disks.size(), 3U);
        EXPECT_EQ(*facts->disks[0].size_bytes, disk_bytes);
        EXPECT_TRUE(facts->damages.empty());
        EXPECT_TRUE(facts->unparsed.empty()) << facts->unparsed.front().reason;
    }
    EXPECT_EQ(test::entries(folder.path("b")).size(), 4U) << "an empty device has no file";
}

class HostileManifest : public testing::Test {
 protected:
    void SetUp() override {
        ASSERT_TRUE(write_capture(folder.path("c/"), capture_of({netbsd_disk("wd0")})));
        json = Json::parse(test::read_file(folder.path("c/manifest.json")));
        file = json["devices"][0]["file"];
    }
    Capture loaded() const {
        folder.file("c/manifest.json", json.dump());
        auto capture = load_input(folder.path("c"));
        EXPECT_TRUE(capture) << capture.error().message;
        return capture ? std::move(*capture) : Capture{};
    }
    static std::string notes_of(const Capture& capture) {
        std::string out;
        for (const auto& note : capture.notes) out += note + "\n";
        return out;
    }

    test::TemporaryFolder folder;
    Json json;
    std::string file;
};

TEST_F(HostileManifest, IsNotedAndTheRestIsRead) {
    struct Row {
        const char* pointer;
        Json value;
        std::string_view note;
    };
    for (const Row& row : std::vector<Row>{
             {"/devices", 5, "devices"},
             {"/devices/0", "wd0", "devices[0]"},
             {"/devices/0/device", "", "device"},
             {"/devices/0/size_bytes", -1, "size_bytes"},
             {"/devices/0/size_bytes", 4096, "of a device of 4096"},
             {"/devices/0/size_bytes", nullptr, "size_bytes"},
             {"/devices/0/sector_bytes", 1000, "sectors of 1000"},
             {"/devices/0/regions", "all", "regions"},
             {"/devices/0/regions/0", 7, "regions[0]"},
             {"/devices/0/regions/0/offset", -4096, "offset"},
             {"/devices/0/regions/0/offset", 1e300, "offset"},
             {"/devices/0/regions/0/length", 0, "a region of 0 bytes"},
             {"/devices/0/regions/0/length", 18446744073709551615ULL, "ends early"},
             {"/devices/0/regions/1/offset", 0, "over each other"},
             {"/devices/0/file", "001-uname_-a.txt", "does not end in .regions"},
             {"/devices/0/file", "../../secret.regions", "not in the capture"},
             {"/devices/0/file", "other.regions", "not in the capture"},
         }) {
        SCOPED_TRACE(testing::Message() << row.pointer << " = " << row.value);
        const Json before = json;
        json[Json::json_pointer(row.pointer)] = row.value;
        const Capture capture = loaded();
        EXPECT_EQ(capture.documents.size(), 1U);
        EXPECT_TRUE(contains(notes_of(capture), row.note)) << notes_of(capture);
        EXPECT_TRUE(assemble(capture));
        json = before;
    }
}

TEST_F(HostileManifest, ADeviceOrAFileTwice) {
    json["devices"].push_back(json["devices"][0]);
    Capture capture = loaded();
    EXPECT_EQ(capture.images.size(), 1U);
    EXPECT_TRUE(contains(notes_of(capture), "wd0 a second time")) << notes_of(capture);
    json["devices"][1]["device"] = "wd1";
    capture = loaded();
    EXPECT_TRUE(contains(notes_of(capture), "names " + file + ", which is not in the capture"))
        << notes_of(capture);
    const auto devices = collected_devices(capture);
    ASSERT_EQ(devices.size(), 2U);
    EXPECT_TRUE(devices[1]->regions().bytes.empty());
}

TEST_F(HostileManifest, FilesOfAnotherLength) {
    const std::string bytes = test::read_file(folder.path("c/" + file));
    folder.file("c/" + file, bytes + "more");
    Capture capture = loaded();
    EXPECT_TRUE(contains(notes_of(capture), "wd0: its file is longer")) << notes_of(capture);
    EXPECT_TRUE(partition_of(*assemble(capture), "wd0a"));
    folder.file("c/" + file, bytes.substr(0, 100));
    capture = loaded();
    EXPECT_TRUE(contains(notes_of(capture), "wd0: its file ends early")) << notes_of(capture);
    const auto facts = assemble(capture);
    ASSERT_TRUE(facts);
    EXPECT_TRUE(facts->damages.empty()) << "what is not there is not damaged";
}

TEST_F(HostileManifest, WithoutItNobodyKnowsWhereBytesBelong) {
    std::filesystem::remove(folder.path("c/manifest.json"));
    const auto capture = load_input(folder.path("c"));
    ASSERT_TRUE(capture);
    EXPECT_TRUE(capture->images.empty());
    EXPECT_EQ(capture->documents.size(), 1U);
    EXPECT_TRUE(contains(notes_of(*capture), "no manifest tells where these bytes belong"));
}

// Facts instead of bytes, with the pseudonyms of the rest.
TEST(DeviceFacts, OfAScrubbedCaptureKeepNoBytesAndLoadAgain) {
    constexpr ScrubKey key{1, 2, 3};
    const std::string secret = "kundenarchiv";
    const std::uint64_t sectors = disk_bytes / 512;
    test::Bytes image(disk_bytes);
    test::write_gpt(image, 512,
                    {{"516e7cb6-6ecf-11d6-8ff8-00022d09712b", 64, 9999, secret},
                     {"516e7cb5-6ecf-11d6-8ff8-00022d09712b", 10000, sectors - 100, "swap"}});
    // What no reader looks at: the rest of a page that was read.
    image.text(9000, "kundennummer");
    DeviceRegions regions{"ada0", disk_bytes, 512, {}, {}};
    regions.add(0, image.part(0, 64 * KiB));
    regions.add(disk_bytes - 20480, image.part(disk_bytes - 20480, 20480));
    Capture capture = capture_of({regions});
    capture.info->system = "freebsd";
    capture.documents = {{"g", "/dev/gpt/" + secret + " on /data (ufs, local)\n", {"mount"}}};
    const auto before = assemble(capture);
    ASSERT_TRUE(before);
    ASSERT_TRUE(partition_of(*before, "ada0p1"));
    EXPECT_TRUE(partition_of(*before, "ada0p1")->label.is(secret));

    const Capture clean = scrubbed(capture, key);
    EXPECT_TRUE(clean.images.empty());
    const test::TemporaryFolder folder;
    ASSERT_TRUE(write_capture(folder.path("c/"), clean));
    std::string all;
    for (const auto& entry : test::entries(folder.path("c"))) all += test::read_file(entry);
    EXPECT_EQ(all.find("kunden"), std::string::npos);
    EXPECT_NE(all.find("\"kind\": \"device\""), std::string::npos);

    const auto read = load_input(folder.path("c"));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->notes.empty()) << read->notes.front();
    const auto after = assemble(*read);
    ASSERT_TRUE(after) << after.error().message;
    ASSERT_EQ(after->partitions.size(), before->partitions.size());
    const Partition* p = partition_of(*after, "ada0p1");
    ASSERT_TRUE(p && p->label);
    EXPECT_EQ(p->label->size(), secret.size());
    EXPECT_TRUE(contains(read->documents[0].bytes, *p->label)) << "one pseudonym for one name";
    EXPECT_EQ(*p->start_bytes, 64U * 512);
    EXPECT_EQ(p->start_bytes.from().kind(), Provenance::Kind::device);
    EXPECT_TRUE(after->conflicts.empty());
    // And once more: a scrubbed capture is scrubbed as any other.
    EXPECT_TRUE(scrubbed(*read, key).device_facts);
}

TEST(DeviceFacts, ThatAreNoneAreNoted) {
    const test::TemporaryFolder folder;
    Capture capture = capture_of({});
    capture.device_facts.emplace();
    ASSERT_TRUE(write_capture(folder.path("c/"), capture));
    for (const auto* text : {"", "[]", "{\"disks\": 5}", "{\"planets\": []}", "\xff"}) {
        SCOPED_TRACE(text);
        folder.file("c/002-device_facts.json", text);
        const auto read = load_input(folder.path("c"));
        ASSERT_TRUE(read);
        EXPECT_FALSE(read->device_facts);
        EXPECT_EQ(read->notes.size(), 1U);
        EXPECT_EQ(read->documents.size(), 1U);
    }
}

// What no bytes of a device tell is no fact of one, whatever the file in the capture states.
TEST(DeviceFacts, AreTakenOnlyWhereBytesCanTellThem) {
    const test::TemporaryFolder folder;
    Capture capture = capture_of({});
    capture.device_facts.emplace();
    ASSERT_TRUE(write_capture(folder.path("c/"), capture));
    folder.file("c/002-device_facts.json",
                R"({"disks": [{"name": "sda", "size_bytes": 4096}], "mounts": [{"point": "/"}],
                    "sysctls": {"kern.ostype": "x"},
                    "throughputs": [{"device": "sda", "direction": "read", "tool": "rm -rf"}]})");
    const auto read = load_input(folder.path("c"));
    ASSERT_TRUE(read && read->device_facts);
    EXPECT_EQ(read->device_facts->disks.size(), 1U);
    EXPECT_TRUE(read->device_facts->mounts.empty());
    EXPECT_TRUE(read->device_facts->sysctls.empty());
    EXPECT_TRUE(read->device_facts->throughputs.empty());
    EXPECT_EQ(read->notes.size(), 3U);
    for (const auto* kind : {"output", "user", "prose", "table", "nonsense"}) {
        SCOPED_TRACE(kind);
        folder.file("c/002-device_facts.json",
                    fmt::format(R"({{"disks": [{{"name": "sda", "size_bytes": 4096, "provenance":
                        {{"size_bytes": {{"source": "sda@0x0", "kind": "{}"}}}}}}]}})",
                                kind));
        const auto forged = load_input(folder.path("c"));
        ASSERT_TRUE(forged);
        EXPECT_FALSE(forged->device_facts);
        EXPECT_TRUE(std::any_of(forged->notes.begin(), forged->notes.end(), [](const std::string& note) {
            return contains(note, "among those of devices");
        }));
    }
}

}  // namespace
}  // namespace diskwright
