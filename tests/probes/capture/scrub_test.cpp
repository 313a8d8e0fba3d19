// SPDX-License-Identifier: BSD-2-Clause
// Captures of all systems that hold every kind of identity in the spellings of the tools: none of them is
// left, and what is understood stays the same.
#include "probes/capture/scrub.hpp"

#include <gtest/gtest.h>

#include <set>

#include "advisor/reports/report.hpp"
#include "probes/capture/assemble.hpp"
#include "probes/capture/common_names.hpp"
#include "probes/capture/identities.hpp"
#include "probes/capture/identity_forms.hpp"
#include "probes/capture/manifest.hpp"
#include "probes/capture/pseudonyms.hpp"
#include "probes/support/text.hpp"
#include "tests/support/recorded_host.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr ScrubKey key{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

struct Host {
    const char* name;
    std::vector<std::string_view> originals;  // letters and digits of them, lower case
    std::vector<std::string_view> kept;       // as they are printed
};

const std::vector<Host>& hosts() {
    static const std::vector<Host> list{
        {"netbsd-raid1",
         {"nas7",
          "acme",
          "wdwmatv1234567",
          "wdwmatv7654321",
          "wdwcavy0011223",
          "50014ee2ab12cd34",
          "50014ee2ab12cd35",
          "50014ee2ab12cd36",
          "002590a1b2c3",
          "5b7e1c9a04d34a6f8f21c3d2e1f00a1b",
          "backupacme",
          "backupvol",
          "filer3",
          "mmustermann",
          "storageadmin",
          "192168170",
          "1921681723",
          "2001db885a38a2e3707334",
          "2001db885a3",
          "2026113001"},
         {"WDC WD1002FBYS-02A6B0", "1953525168", "raid0", "/dev/wd0a", "NetBSD 9.3", "wapbl",
          "mkrepro.NetBSD.org", "maxfilesize 0x000800800805ffff", "1,000,204,886,016"}},
        {"freebsd-gmirror",
         {"dbprimary", "acme", "z1n4abcd", "z1n4wxyz", "5000c500a1b2c3d4", "5000c500a1b2c3d5", "kundendaten",
          "kundenroot", "nas7", "ac1f6b0d1e2f", "5003048000d1e2f3"},
         {"ST1000NM0011", "1945132032", "ada0", "13.2-RELEASE", "releng1.nyi.freebsd.org", "mirror/",
          "n254617-525ecfdad597"}},
        {"openbsd-softraid",
         {"gwmuenchen", "acme", "wdwcaw31234567", "wdwcaw37654321", "91f0e2d3c4b5a697", "a7b8c9d0e1f20314",
          "5c1a0d2b7e3f4a91", "50014ee1a2b3c4d5", "50014ee1a2b3c4d6", "001b213c4d5e"},
         {"WDC WD1003FBYX-0", "SR RAID 1", "softraid0", "1953525168", "deraadt@amd64.openbsd.org",
          "GENERIC.MP#1397"}},
        {"linux-md",
         {"buildsued",
          "acme",
          "zc1a2b3c",
          "zc1x9y8z",
          "5000c500ab12cd33",
          "5000c500ab12cd34",
          "3f1d2c4b5a69788796a5b4c3d2e1f00f",
          "a2df0794852e50cd93c8496b9dd6baba",
          "0b1c2d3e4f5046178293a4b5c6d7e8f9",
          "7c8d9e0f1a2b4c3d9e4f5a6b7c8d9e0f",
          "c0ffee1234564789abcdef0123456789",
          "8e7d6c5b4a3942819706f5e4d3c2b1a0",
          "a8a1596a7b8c",
          "kundenvg",
          "projekte",
          "projektdaten",
          "projektraida",
          "filer3",
          "10203041",
          "1020300",
          "client17",
          "fd001234567817",
          "mmustermann",
          "storageadmin"},
         {"ST4000NM0035-1V4107", "4000787030016", "A19D880F-05FC-4D3B-A006-743F0F84911E", "md0",
          "6.1.0-18-amd64", "debian-kernel@lists.debian.org", "Debian 6.1.76-1", "https://www.debian.org/"}},
    };
    return list;
}

std::string everything(const Capture& capture) {
    std::vector<std::string> files;
    std::string all;
    for (const Document& document : capture.documents) {
        files.push_back(member_file_name(files.size() + 1, document.argv));
        all += document.name + "\n" + document.bytes + "\n";
    }
    return all + manifest_text(*capture.info, capture, files);
}

TEST(Scrub, NoOriginalIsLeftInAnySpelling) {
    for (const Host& host : hosts()) {
        SCOPED_TRACE(host.name);
        const Capture capture = test::recorded_capture(host.name);
        const std::string before = everything(capture), after = everything(scrubbed(capture, key));
        for (const auto original : host.originals) {
            const auto bare = canonical_identity(original);
            EXPECT_NE(canonical_identity(before).find(bare.substr(0, 6)), std::string::npos)
                << original << " is not in the capture";
            // Line by line: letters and digits alone must not meet across what stands between two lines.
            for (const auto line : split_lines(after))
                EXPECT_EQ(canonical_identity(line).find(bare), std::string::npos) << original << ": " << line;
        }
        for (const auto kept : host.kept) {
            EXPECT_TRUE(contains(before, kept)) << kept;
            EXPECT_TRUE(contains(after, kept)) << kept;
        }
    }
}

std::vector<std::string> findings_of(const Capture& capture) {
    std::vector<std::string> out;
    const auto facts = assemble(capture);
    if (!facts) return out;
    const Judgement judgement = judge(*facts);
    for (const Finding& finding : judgement.findings) out.push_back(std::string(finding.code));
    return out;
}

TEST(Scrub, TheSameIsUnderstood) {
    for (const Host& host : hosts()) {
        SCOPED_TRACE(host.name);
        Capture capture = test::recorded_capture(host.name);
        const Capture clean = scrubbed(capture, key);
        ASSERT_EQ(clean.documents.size(), capture.documents.size());
        for (std::size_t i = 0; i < clean.documents.size(); ++i)
            EXPECT_EQ(clean.documents[i].bytes.size(), capture.documents[i].bytes.size())
                << clean.documents[i].name;
        EXPECT_TRUE(clean.info->scrubbed);
        EXPECT_EQ(findings_of(clean), findings_of(capture));
        // The facts as a text of the capture: scrubbed, they are the facts of the scrubbed capture.
        const Json facts = test::facts_of(capture), facts_after = test::facts_of(clean);
        capture.documents.push_back({"facts.json", facts.dump(1), {"facts"}});
        EXPECT_EQ(facts_after.dump(1), scrubbed(capture, key).documents.back().bytes);
    }
}

TEST(Scrub, StableForAKeyAndOtherForAnother) {
    const Capture capture = test::recorded_capture("linux-md");
    ScrubKey other = key;
    other[3] = 77;
    const std::string first = everything(scrubbed(capture, key));
    EXPECT_EQ(everything(scrubbed(capture, key)), first);
    EXPECT_NE(everything(scrubbed(capture, other)), first);
    const auto random = random_scrub_key(), again = random_scrub_key();
    ASSERT_TRUE(random && again);
    EXPECT_NE(*random, *again);
}

TEST(Scrub, OneIdentityInItsSpellingsHasOnePseudonym) {
    Pseudonyms names(key);
    const auto& hex = names.of("50014ee2ab12cd34", Pseudonyms::Kind::hex);
    EXPECT_EQ(hex.size(), 16U);
    EXPECT_EQ(hex[0], '5');
    EXPECT_NE(hex, "50014ee2ab12cd34");
    const auto spaced = Pseudonyms::spelled("5 0014ee 2ab12cd34", hex, Pseudonyms::Kind::hex);
    EXPECT_EQ(spaced.size(), 18U);
    EXPECT_EQ(canonical_identity(spaced), hex);
    const auto big = Pseudonyms::spelled("50014EE2AB12CD34", hex, Pseudonyms::Kind::hex);
    EXPECT_EQ(lowercase(big), hex);
    const auto serial = Pseudonyms::spelled(
        "WD-WMATV1234567", names.of("wdwmatv1234567", Pseudonyms::Kind::word), Pseudonyms::Kind::word);
    EXPECT_EQ(serial[2], '-');
    for (std::size_t i = 8; i < serial.size(); ++i)
        EXPECT_TRUE(serial[i] >= '0' && serial[i] <= '9') << serial;
    std::set<std::string> all;
    for (int i = 0; i < 200; ++i) all.insert(names.of("n" + std::to_string(i + 100), Pseudonyms::Kind::word));
    EXPECT_EQ(all.size(), 200U);
}

TEST(Scrub, AddressesStayAddresses) {
    const Pseudonyms names(key);
    for (const std::string address : {"192.168.17.23", "10.0.0.1", "172.31.255.254"}) {
        const auto other = names.ipv4(address);
        EXPECT_EQ(other.size(), address.size());
        EXPECT_NE(other, address);
        EXPECT_EQ(addresses_in_line(other).size(), 1U) << other;
    }
    const auto six = names.ipv6("2001:db8:85a3::8a2e:370:7334");
    EXPECT_EQ(six.size(), 28U);
    EXPECT_EQ(addresses_in_line(six).size(), 1U) << six;
}

TEST(Scrub, WhatIsNoAddress) {
    for (const auto line :
         {"127.0.0.1 localhost", "mask 255.255.255.0", "::1", "version 3.4.0.2", "smartctl 7.3", "12:34:56",
          "pci0 0000:00:1f.6", "1.2.3.4.5", "300.1.1.1", "UUID 3f1d2c4b:5a697887:96a5b4c3:d2e1f00f"})
        EXPECT_TRUE(addresses_in_line(line).empty()) << line;
    EXPECT_EQ(addresses_in_line("(10.20.30.41)").size(), 1U);
    EXPECT_EQ(addresses_in_line("10.20.30.41:/export").size(), 1U);
    EXPECT_EQ(addresses_in_line("see fe80::225:90ff:fea1:b2c3%em0.").size(), 1U);
}

TEST(Scrub, CommonNamesStay) {
    for (const auto name :
         {"root", "swap", "gm0", "boot0", "Linux filesystem", "EFI System Partition", "data-1", "vg0"})
        EXPECT_TRUE(is_common_name(name)) << name;
    for (const auto name : {"kunden", "backup-ACME", "PROJEKTDATEN", "nas-west"})
        EXPECT_FALSE(is_common_name(name)) << name;
}

TEST(Scrub, CommonWordsOfAHostAndAUserWhereTheyStandAsSuch) {
    Capture capture;
    capture.documents.push_back({"u", "OpenBSD mail.storage.example 7.4 GENERIC#1 amd64\n", {"uname", "-a"}});
    capture.documents.push_back(
        {"f", "# admin@mail.storage.example, mail and storage\n", {"cat", "/etc/fstab"}});
    const Capture clean = scrubbed(capture, key);
    EXPECT_FALSE(contains(clean.documents[0].bytes, "mail"));
    EXPECT_FALSE(contains(clean.documents[0].bytes, "storage"));
    EXPECT_FALSE(contains(clean.documents[1].bytes, "admin"));
    EXPECT_TRUE(clean.documents[1].bytes.ends_with(".example, mail and storage\n"))
        << clean.documents[1].bytes;
    EXPECT_EQ(words(clean.documents[0].bytes)[1], words(clean.documents[1].bytes)[1].substr(6, 20));
}

// A host whose name every tool prints as a word of its own: only where it stands as a host's.
TEST(Scrub, AHostNamedLikeAWordOfTheTools) {
    Capture capture;
    capture.documents.push_back({"u", "Linux vm 6.1.0 #1 SMP x86_64 GNU/Linux\n", {"uname", "-a"}});
    capture.documents.push_back({"s", "vm.dirty_ratio = 20\nvm = 3\n", {"sysctl", "vm"}});
    capture.documents.push_back({"d", "OpenBSD sd0 7.4 GENERIC#1 amd64\n", {"uname", "-a"}});
    capture.documents.push_back(
        {"b", "sd0 at scsibus1 targ 0 lun 0: <ATA, WDC WD10, 01.0> naa.50014ee1a2b3c4d5\n", {"dmesg"}});
    const Capture clean = scrubbed(capture, key);
    EXPECT_FALSE(contains(clean.documents[2].bytes, " sd0 "));
    EXPECT_TRUE(clean.documents[3].bytes.starts_with("sd0 at scsibus1"));
    EXPECT_FALSE(contains(clean.documents[0].bytes, " vm "));
    EXPECT_EQ(clean.documents[1].bytes, capture.documents[1].bytes);
}

// One line of a tool, alone in its capture: what of it must go, and what stays.
TEST(Scrub, FormsOfTheTools) {
    struct Row {
        std::string_view line;
        std::vector<std::string_view> originals;
        std::string_view kept;
    };
    const std::vector<Row> rows{
        // zdb, zpool status, zpool import
        {"    pool_guid: 9876543210987654321", {"9876543210987654321"}, "pool_guid: "},
        {"                guid: 13579246801357924680", {"13579246801357924680"}, "guid: "},
        {"    hostid: 2831157250", {"2831157250"}, "hostid: "},
        {"    13579246801357924680  UNAVAIL  0 0 0  was /dev/ada3p1", {"1357924680"}, "was /dev/ada3p1"},
        // smartctl and nvme of an NVMe drive, hdparm, SAS
        {"Namespace 1 IEEE EUI-64:            002538 5b71b00001", {"5b71b00001"}, "Namespace 1 IEEE EUI-64"},
        {"nguid   : 01000000000000005cd2e42a91419c24", {"5cd2e42a91419c24"}, "nguid"},
        {"eui64   : 0025385b71b00001", {"5b71b00001"}, "eui64"},
        {"\tUnique ID\t: 2059c0ffe", {"2059c0ffe"}, "Unique ID"},
        {"Logical Unit id:      0x5000c500a1b2c3d4", {"a1b2c3d4"}, "Logical Unit id"},
        {"scsi 0:0:0:0: SATA: handle(0x0009), sas_addr(0x4433221100000012), phy(0)",
         {"4433221100000012"},
         "handle(0x0009)"},
        {"scsi 0:0:0:0: enclosure logical id(0x500605b001234560), slot(3)", {"500605b001234560"}, "slot(3)"},
        {"hpsa 0000:05:00.0: SN(PACCR0M9VZ41S4Q)", {"PACCR0M9VZ41S4Q"}, "0000:05:00.0"},
        // the kernel of Linux, fsck at its boot
        {"usb 1-1: SerialNumber: 4C530001234567890123", {"4C530001234567890123"}, "usb 1-1"},
        {"usb 1-1: New USB device strings: Mfr=1, Product=2, SerialNumber=3", {}, "SerialNumber=3"},
        {"BTRFS: device label HUBERDATA devid 1 transid 7 /dev/sdc1",
         {"HUBERDATA"},
         "devid 1 transid 7 /dev/sdc1"},
        {"systemd-fsck[234]: LOHNDATEN: clean, 11/65536 files", {"LOHNDATEN"}, "clean, 11/65536 files"},
        {"systemd-fsck[234]: /dev/sdx9: clean, 11/65536 files", {}, "/dev/sdx9"},
        {"GEOM_LABEL: Label for provider ada0p2 is ufs/kundenroot.",
         {"kundenroot"},
         "provider ada0p2 is ufs/"},
        // tables of MBR and FAT
        {"Disk identifier: 0xdeadb33f", {"deadb33f"}, "Disk identifier: 0x"},
        {"PARTUUID=deadb33f-01 / ext4 defaults 0 1", {"deadb33f"}, "-01 / ext4"},
        {"UUID=1234-ABCD /boot/efi vfat umask=0077 0 1",
         {"1234-abcd", "1234abcd"},
         "/boot/efi vfat umask=0077"},
        {"Disk identifier: 0x00000000", {}, "0x00000000"},
        // exports, iSCSI, CIFS
        {"/dev/disk/by-path/ip-10.20.30.41:3260-iscsi-iqn.2010-01.com.huberag:lager.platte7-lun-0",
         {"10.20.30.41", "huberag", "lager", "platte7"},
         "iscsi-iqn.2010-01.com."},
        {"InitiatorName=iqn.1993-08.org.debian:01:a1b2c3d4e5f6", {"a1b2c3d4e5f6"}, "org.debian:01:"},
        {"nqn.2014-08.org.nvmexpress:uuid:4c4c4544-0051-3610-8052-b4c04f333332",
         {"4c4c4544"},
         "org.nvmexpress:uuid:"},
        {"//srv/x /mnt cifs rw,domain=HUBERDOM,password=hunter2secret 0 0",
         {"HUBERDOM", "hunter2"},
         "/mnt cifs rw"},
        {"Last mounted on:          /srv/kundenakten-mueller", {"kundenakten", "mueller"}, "/srv/"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.line);
        Capture capture;
        capture.documents.push_back({"a", std::string(row.line) + "\n", {"x"}});
        const std::string after = scrubbed(capture, key).documents[0].bytes;
        for (const auto original : row.originals)
            EXPECT_EQ(lowercase(after).find(lowercase(original)), std::string::npos) << after;
        EXPECT_TRUE(contains(after, row.kept)) << after;
        EXPECT_EQ(after == capture.documents[0].bytes, row.originals.empty()) << after;
    }
}

TEST(Scrub, NamesThatTheFactsKnow) {
    Capture capture;
    capture.documents.push_back({"mounts",
                                 "/dev/sda1 /srv/kundenakten-mueller ext4 rw,relatime 0 0\n"
                                 "tankmueller/kunden /tank zfs rw 0 0\n"
                                 "nas7.acme.example:/vol/lohn /net/jdoe nfs4 rw,addr=10.1.2.3 0 0\n"
                                 "/dev/sda2 /var/lib/mysql ext4 rw 0 0\n",
                                 {"cat", "/proc/mounts"}});
    capture.documents.push_back({"df",
                                 "Filesystem 1K-blocks Used Available Use% Mounted on\n"
                                 "/dev/sda1 1000 10 900 1% /srv/kundenakten-mueller\n",
                                 {"df", "-k"}});
    capture.documents.push_back(
        {"exports", "/srv/kundenakten-mueller @vertrauenswuerdig(rw)\n", {"cat", "/etc/exports"}});
    // Two tools that name two numbers of one drive.
    capture.documents.push_back({"smart",
                                 "smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.10.0] (local build)\n"
                                 "=== START OF INFORMATION SECTION ===\nModel Number: Samsung SSD 970 EVO\n"
                                 "Serial Number: S4EVNF0M123456\n",
                                 {"smartctl", "-i", "/dev/nvme0n1"}});
    capture.documents.push_back(
        {"nvme",
         "Node             SN                   Model                Namespace Usage                      "
         "Format"
         "           FW Rev  \n"
         "---------------- -------------------- -------------------- --------- -------------------------- "
         "---------------- --------\n"
         "/dev/nvme0n1     S9XXNF0M654321       Samsung SSD 970 EVO  1         100.00  GB / 500.11  GB    "
         "512   B +  "
         "0 B   2B2QEXM7\n",
         {"nvme", "list"}});
    std::string before, after;
    for (const Document& document : capture.documents) before += document.bytes;
    for (const Document& document : scrubbed(capture, key).documents) after += document.bytes;
    for (const auto original : {"kundenakten", "mueller", "kunden", "lohn", "jdoe", "nas7", "acme",
                                "10.1.2.3", "vertrauens", "S4EVNF0M123456", "S9XXNF0M654321"}) {
        EXPECT_TRUE(contains(before, original)) << original;
        EXPECT_FALSE(contains(after, original)) << original << "\n" << after;
    }
    for (const auto kept :
         {"/dev/sda2 /var/lib/mysql ext4", "Samsung SSD 970 EVO", "/tank zfs", "/srv/", "2B2QEXM7"})
        EXPECT_TRUE(contains(after, kept)) << kept << "\n" << after;
}

// The part of a mount point may be a word that tools print.
TEST(Scrub, PartsOfPathsOnlyInPaths) {
    Capture capture;
    capture.documents.push_back({"mounts", "/dev/sda1 /srv/clean ext4 rw 0 0\n", {"cat", "/proc/mounts"}});
    capture.documents.push_back(
        {"d", "Filesystem state:         clean\nLast mounted on: /srv/clean\n", {"x"}});
    const Capture scrubbed_capture = scrubbed(capture, key);
    EXPECT_FALSE(contains(scrubbed_capture.documents[0].bytes, "clean"));
    EXPECT_TRUE(contains(scrubbed_capture.documents[1].bytes, "state:         clean\n"));
    EXPECT_FALSE(contains(scrubbed_capture.documents[1].bytes, "/srv/clean"));
}

TEST(ScrubKeyText, IsThirtyTwoDigits) {
    const auto good = parse_scrub_key("000102030405060708090a0b0c0d0eFF");
    ASSERT_TRUE(good);
    EXPECT_EQ((*good)[1], 1);
    EXPECT_EQ((*good)[15], 255);
    for (const auto bad : {"", "00", "000102030405060708090a0b0c0d0e0g", "0x0102030405060708090a0b0c0d0e0f",
                           "000102030405060708090a0b0c0d0e0f0"})
        EXPECT_FALSE(parse_scrub_key(bad)) << bad;
}

// The reference vector of the paper: key 00..0f, input 00..0e.
TEST(SipHash, ReferenceVector) {
    ScrubKey reference{};
    std::string input;
    for (std::uint8_t i = 0; i < 16; ++i) reference[i] = i;
    for (char i = 0; i < 15; ++i) input += i;
    EXPECT_EQ(siphash(reference, input), 0xa129ca6149be45e5U);
}

}  // namespace
}  // namespace diskwright
