// SPDX-License-Identifier: BSD-2-Clause
// NetBSD/src:sbin/gpt/gpt_uuid.c, sys/sys/disklabel_gpt.h; freebsd/freebsd-src:sys/geom/part/g_part.c and
// g_part_{gpt,mbr}.c, sys/sys/disk/{gpt,mbr}.h; openbsd/src:sbin/fdisk/part.c;
// util-linux/util-linux:include/pt-gpt-partnames.h.
#include "probes/ondisk/partition_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace diskwright {
namespace {

// A name that a tool does not have is empty: it prints the GUID then.
struct GptType {
    std::string_view guid, netbsd, gpart, openbsd, linux_name;
    std::optional<Os> os;
};
constexpr std::array<GptType, 39> gpt_types{{
    {"c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "EFI System", "efi", "EFI Sys", "EFI System", {}},
    {"21686148-6449-6e6f-744e-656564454649", "BIOS Boot", "bios-boot", "BIOS Boot", "BIOS boot", {}},
    {"516e7cb4-6ecf-11d6-8ff8-00022d09712b", "FreeBSD legacy", "freebsd", "FreeBSD", "", Os::freebsd},
    {"83bd6b9d-7f41-11dc-be0b-001560b84f0f", "", "freebsd-boot", "", "FreeBSD boot", Os::freebsd},
    {"516e7cb5-6ecf-11d6-8ff8-00022d09712b", "FreeBSD swap", "freebsd-swap", "", "FreeBSD swap", Os::freebsd},
    {"516e7cb6-6ecf-11d6-8ff8-00022d09712b", "FreeBSD UFS/UFS2", "freebsd-ufs", "", "FreeBSD UFS",
     Os::freebsd},
    {"516e7cb8-6ecf-11d6-8ff8-00022d09712b", "FreeBSD vinum", "freebsd-vinum", "", "FreeBSD Vinum",
     Os::freebsd},
    {"516e7cba-6ecf-11d6-8ff8-00022d09712b", "FreeBSD ZFS", "freebsd-zfs", "", "FreeBSD ZFS", Os::freebsd},
    {"74ba7dd9-a689-11e1-bd04-00e081286acf", "", "freebsd-nandfs", "", "FreeBSD nandfs", Os::freebsd},
    {"49f48d32-b10e-11dc-b99b-0019d1879648", "NetBSD swap", "netbsd-swap", "", "NetBSD swap", Os::netbsd},
    {"49f48d5a-b10e-11dc-b99b-0019d1879648", "NetBSD FFSv1/FFSv2", "netbsd-ffs", "", "NetBSD FFS",
     Os::netbsd},
    {"49f48d82-b10e-11dc-b99b-0019d1879648", "NetBSD LFS", "netbsd-lfs", "", "NetBSD LFS", Os::netbsd},
    {"49f48daa-b10e-11dc-b99b-0019d1879648", "NetBSD RAIDFrame component", "netbsd-raid", "", "NetBSD RAID",
     Os::netbsd},
    {"2db519c4-b10f-11dc-b99b-0019d1879648", "NetBSD ccd component", "netbsd-ccd", "", "NetBSD concatenated",
     Os::netbsd},
    {"2db519ec-b10f-11dc-b99b-0019d1879648", "NetBSD Cryptographic Disk", "netbsd-cgd", "",
     "NetBSD encrypted", Os::netbsd},
    {"824cc7a0-36a8-11e3-890a-952519ad3f61", "", "openbsd-data", "OpenBSD", "OpenBSD data", Os::openbsd},
    {"0fc63daf-8483-4772-8e79-3d69d8477de4", "Linux data", "linux-data", "Linux files*", "Linux filesystem",
     Os::linux_},
    {"a19d880f-05fc-4d3b-a006-743f0f84911e", "Linux RAID", "linux-raid", "", "Linux RAID", Os::linux_},
    {"0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "Linux swap", "linux-swap", "Linux swap", "Linux swap",
     Os::linux_},
    {"e6d6d379-f507-44c2-a23c-238f2a3df928", "Linux LVM", "linux-lvm", "Linux LVM", "Linux LVM", Os::linux_},
    {"4f68bce3-e8cd-4db1-96e7-fbcaf984b709", "", "", "", "Linux root (x86-64)", Os::linux_},
    {"933ac7e1-2eb4-4f13-b844-0e14e2aef915", "", "", "", "Linux home", Os::linux_},
    {"bc13c2ff-59e6-4262-a352-b275fd6f7172", "", "", "", "Linux extended boot", Os::linux_},
    {"ebd0a0a2-b9e5-4433-87c0-68b6b72699c7",
     "Windows basic data",
     "ms-basic-data",
     "FAT12",
     "Microsoft basic data",
     {}},
    {"e3c9e316-0b5c-4db8-817d-f92df00215ae", "Windows reserved", "ms-reserved", "", "Microsoft reserved", {}},
    {"de94bba4-06d1-4d40-a16a-bfd50179d6ac",
     "",
     "ms-recovery",
     "Win Recovery",
     "Windows recovery environment",
     {}},
    {"9d087404-1ca5-11dc-8817-01301bb8a9f5", "", "dragonfly-label32", "", "", Os::dragonfly},
    {"3d48ce54-1d16-11dc-8696-01301bb8a9f5", "", "dragonfly-label64", "", "", Os::dragonfly},
    {"9d58fdbd-1ca5-11dc-8817-01301bb8a9f5", "", "dragonfly-swap", "", "", Os::dragonfly},
    {"9d94ce7c-1ca5-11dc-8817-01301bb8a9f5", "", "dragonfly-ufs", "", "", Os::dragonfly},
    {"61dc63ac-6e38-11dc-8513-01301bb8a9f5", "", "dragonfly-hammer", "", "", Os::dragonfly},
    {"5cbb9ad1-862d-11dc-a94d-01301bb8a9f5", "", "dragonfly-hammer2", "", "", Os::dragonfly},
    {"6a898cc3-1dd2-11b2-99a6-080020736631", "", "apple-zfs", "", "Solaris /usr & Apple ZFS", {}},
    {"6a85cf4d-1dd2-11b2-99a6-080020736631", "", "solaris-root", "Solaris", "Solaris root", {}},
    {"48465300-0000-11aa-aa11-00306543ecac", "Apple HFS", "apple-hfs", "MacOS X HFS+", "Apple HFS/HFS+", {}},
    {"55465300-0000-11aa-aa11-00306543ecac", "Apple UFS", "apple-ufs", "MacOS X", "Apple UFS", {}},
    {"52414944-0000-11aa-aa11-00306543ecac", "", "apple-raid", "", "Apple RAID", {}},
    {"9e1a2d38-c612-4316-aa26-8b49521e5a8b", "", "prep-boot", "", "PowerPC PReP boot", {}},
    {"024dee41-33e7-11d3-9d69-0008c781f39f", "", "mbr", "", "MBR partition scheme", {}},
}};

const GptType* find_gpt_type(std::string_view guid) {
    const auto at =
        std::find_if(gpt_types.begin(), gpt_types.end(), [&](const GptType& t) { return t.guid == guid; });
    return at == gpt_types.end() ? nullptr : &*at;
}

// g_part_mbr.c, mbr_alias_match[].
std::string_view gpart_mbr_alias(std::uint8_t type) {
    switch (type) {
        case 0x05:
        case 0x0f:
            return "ebr";
        case 0x06:
            return "fat16";
        case 0x07:
            return "ntfs";
        case 0x0b:
            return "fat32";
        case 0x0c:
            return "fat32lba";
        case 0x41:
            return "prep-boot";
        case 0x82:
            return "linux-swap";
        case 0x83:
            return "linux-data";
        case 0x8e:
            return "linux-lvm";
        case 0xa5:
            return "freebsd";
        case 0xa8:
            return "apple-ufs";
        case 0xab:
            return "apple-boot";
        case 0xaf:
            return "apple-hfs";
        case 0xef:
            return "efi";
        case 0xfb:
            return "vmware-vmfs";
        case 0xfc:
            return "vmware-vmkdiag";
        case 0xfd:
            return "linux-raid";
        default:
            return {};
    }
}

std::string uppercase(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

}  // namespace

Os table_speaker(std::string_view device, std::optional<Os> types_say) {
    const auto by_name = os_of_disk_name(device);
    const bool dragonfly = types_say == Os::dragonfly;
    if (by_name == Os::freebsd) return dragonfly ? Os::dragonfly : Os::freebsd;
    if (by_name) return *by_name;
    // A FreeBSD table on a disk of no FreeBSD driver has no FreeBSD devices.
    return dragonfly || types_say == Os::openbsd ? *types_say : Os::netbsd;
}

std::string mbr_type_text(std::uint8_t type, Os speaker) {
    switch (speaker) {
        case Os::netbsd:
        case Os::dragonfly:
            return fmt::format("{}", type);
        case Os::openbsd:
        case Os::linux_:
            return fmt::format("0x{:02x}", type);
        case Os::freebsd:
            break;
    }
    const auto alias = gpart_mbr_alias(type);
    return alias.empty() ? fmt::format("!{}", type) : std::string(alias);
}

std::optional<Os> mbr_type_os(std::uint8_t type) {
    switch (type) {
        case 0xa5:
            return Os::freebsd;
        case 0xa6:
            return Os::openbsd;
        case 0xa9:
            return Os::netbsd;
        case 0x6c:
            return Os::dragonfly;
        case 0x82:
        case 0x83:
        case 0x8e:
        case 0xfd:
            return Os::linux_;
        default:
            return std::nullopt;
    }
}

bool is_mbr_container(std::uint8_t type) {
    return type == 0x05 || type == 0x0f || type == 0x85;
}

std::string gpt_type_text(std::string_view guid, Os speaker) {
    const GptType* known = find_gpt_type(guid);
    std::string_view name;
    if (known) {
        switch (speaker) {
            case Os::netbsd:
                name = known->netbsd;
                break;
            case Os::freebsd:
            case Os::dragonfly:
                name = known->gpart;
                break;
            case Os::openbsd:
                name = known->openbsd;
                break;
            case Os::linux_:
                name = known->linux_name;
                break;
        }
    }
    if (!name.empty()) return std::string(name);
    if (speaker == Os::freebsd) return "!" + std::string(guid);
    return speaker == Os::linux_ ? uppercase(guid) : std::string(guid);
}

std::optional<Os> gpt_type_os(std::string_view guid) {
    const GptType* known = find_gpt_type(guid);
    return known ? known->os : std::nullopt;
}

bool is_gpt_label_holder(std::string_view guid) {
    const GptType* known = find_gpt_type(guid);
    return known && (known->gpart == "freebsd" || known->gpart.starts_with("dragonfly-label"));
}

// DragonFlyBSD/DragonFlyBSD:sys/sys/dtype.h.
std::string dragonfly_label_type(std::uint8_t type) {
    constexpr std::array<std::string_view, 14> bsd{
        "unused", "swap",  "Version 6", "Version 7", "System V", "4.1BSD",  "Eighth Edition",
        "4.2BSD", "MSDOS", "4.4LFS",    "unknown",   "HPFS",     "ISO9660", "boot"};
    switch (type) {
        case 14:
            return "vinum";
        case 15:
            return "raid";
        case 20:
            return "ccd";
        case 22:
            return "HAMMER";
        case 23:
            return "HAMMER2";
        case 27:
            return "ZFS";
        default:
            return type < bsd.size() ? std::string(bsd.at(type)) : fmt::format("{}", type);
    }
}

std::string mbr_entry_name(std::string_view device, std::uint64_t index, Os speaker) {
    switch (speaker) {
        case Os::freebsd:
            return gpart_provider(device, Scheme::mbr, index + 1);
        case Os::linux_:
            return linux_partition(device, index + 1);
        case Os::dragonfly:
            return fmt::format("{}:{}", device, index + 1);
        case Os::netbsd:
        case Os::openbsd:
            break;
    }
    return fmt::format("{}:{}", device, index);
}

std::string mbr_logical_name(std::string_view device, std::uint64_t index, Os speaker) {
    switch (speaker) {
        case Os::freebsd:
            return gpart_provider(device, Scheme::mbr, index + 5);
        case Os::linux_:
            return linux_partition(device, index + 5);
        default:
            return fmt::format("{}:E{}", device, index);
    }
}

std::string gpt_entry_name(std::string_view device, std::uint64_t index, Os speaker) {
    switch (speaker) {
        case Os::freebsd:
            return gpart_provider(device, Scheme::gpt, index + 1);
        case Os::linux_:
            return linux_partition(device, index + 1);
        case Os::openbsd:
            return fmt::format("{}#{}", device, index);
        case Os::netbsd:
        case Os::dragonfly:
            break;
    }
    return fmt::format("{}#{}", device, index + 1);
}

}  // namespace diskwright
