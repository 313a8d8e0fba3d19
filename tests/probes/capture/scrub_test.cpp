// SPDX-License-Identifier: BSD-2-Clause
// Captures of all systems that hold every kind of identity in the spellings of the tools: none of them is
// left, and what is understood stays the same.
#include "probes/capture/scrub.hpp"

#include <gtest/gtest.h>

#include <set>

#include "advisor/reports/report.hpp"
#include "probes/capture/assemble.hpp"
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
