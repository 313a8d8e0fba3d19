// SPDX-License-Identifier: BSD-2-Clause
// Names of partitions and of their types, spelled as the tool of the system prints them that the disk belongs
// to: facts read from a table are those its listing gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probes/model/device_names.hpp"

namespace diskwright {

/// Whose spelling a table of this device takes: that of the system whose driver the name is of, else of what
/// the types in the table say, else NetBSD's.
Os table_speaker(std::string_view device, std::optional<Os> types_say);

/// "169" (NetBSD, DragonFly), "0xa6" (OpenBSD), "freebsd", "!169" (gpart), "0x83" (Linux).
std::string mbr_type_text(std::uint8_t type, Os speaker);
/// Whose slot it is: a5 FreeBSD, a6 OpenBSD, a9 NetBSD, 6c DragonFly, 82 83 8e fd Linux.
std::optional<Os> mbr_type_os(std::uint8_t type);
bool is_mbr_container(std::uint8_t type);  // 05 0f 85

/// "NetBSD FFSv1/FFSv2" (gpt), "freebsd-ufs" (gpart), "OpenBSD" (fdisk), "Linux filesystem" (fdisk); the GUID
/// itself, in the case that tool prints, for one it does not know. guid is written in lower case.
std::string gpt_type_text(std::string_view guid, Os speaker);
std::optional<Os> gpt_type_os(std::string_view guid);
/// Slots that hold a label of their own: FreeBSD's and DragonFly's.
bool is_gpt_label_holder(std::string_view guid);

/// ada0s1, sda1, wd0:0 (DragonFly's fdisk counts from 1). `index` is the slot, from 0.
std::string mbr_entry_name(std::string_view device, std::uint64_t index, Os speaker);
/// p_fstype of DragonFly's labels of both kinds: "4.2BSD", "HAMMER2", "29".
std::string dragonfly_label_type(std::uint8_t type);
/// The n-th logical partition of an extended one, from 0: sda5, ada0s5, wd0:E0.
std::string mbr_logical_name(std::string_view device, std::uint64_t index, Os speaker);
/// ada0p1, sda1, wd0#1 (OpenBSD's fdisk counts from 0).
std::string gpt_entry_name(std::string_view device, std::uint64_t index, Os speaker);

}  // namespace diskwright
