// SPDX-License-Identifier: BSD-2-Clause
// The closed vocabularies of the facts, and their one spelling in JSON and reports.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace diskwright {

enum class Os { netbsd, freebsd, openbsd, dragonfly, linux_ };
enum class Scheme { mbr, gpt, disklabel, vtoc8, apm, ebr };
enum class Switch { on, off };
enum class Optimization { time, space };
enum class VolumeKind {
    raidframe,
    gmirror,
    gstripe,
    graid3,
    graid,
    gconcat,
    softraid,
    ccd,
    md,
    lvm,
    crypto,
    hardware,
    zfs
};
enum class RaidLevel { raid0, raid1, raid3, raid4, raid5, raid6, raid10, concat };
enum class VolumeState { optimal, degraded, failed, rebuilding, inactive };
enum class ComponentState { optimal, failed, spare, used_spare, rebuilding, missing };
/// What a set is doing to itself. check reads only and is no loss of redundancy.
enum class Activity { rebuild, resync, reshape, check, copyback, parity_rewrite };
enum class Progress { running, paused, pending };

/// Spellings in the order of the enumerators.
template <class E>
struct EnumNames;

template <>
struct EnumNames<Os> {
    static constexpr std::array<std::string_view, 5> names{"netbsd", "freebsd", "openbsd", "dragonfly",
                                                           "linux"};
};
template <>
struct EnumNames<Scheme> {
    static constexpr std::array<std::string_view, 6> names{"mbr", "gpt", "disklabel", "vtoc8", "apm", "ebr"};
};
template <>
struct EnumNames<Switch> {
    static constexpr std::array<std::string_view, 2> names{"on", "off"};
};
template <>
struct EnumNames<Optimization> {
    static constexpr std::array<std::string_view, 2> names{"time", "space"};
};
template <>
struct EnumNames<VolumeKind> {
    static constexpr std::array<std::string_view, 13> names{
        "raidframe", "gmirror", "gstripe", "graid3", "graid",    "gconcat", "softraid",
        "ccd",       "md",      "lvm",     "crypto", "hardware", "zfs"};
};
template <>
struct EnumNames<RaidLevel> {
    static constexpr std::array<std::string_view, 8> names{"0", "1", "3", "4", "5", "6", "10", "concat"};
};
template <>
struct EnumNames<VolumeState> {
    static constexpr std::array<std::string_view, 5> names{"optimal", "degraded", "failed", "rebuilding",
                                                           "inactive"};
};
template <>
struct EnumNames<ComponentState> {
    static constexpr std::array<std::string_view, 6> names{"optimal",    "failed",     "spare",
                                                           "used_spare", "rebuilding", "missing"};
};
template <>
struct EnumNames<Activity> {
    static constexpr std::array<std::string_view, 6> names{"rebuild", "resync",   "reshape",
                                                           "check",   "copyback", "parity_rewrite"};
};
template <>
struct EnumNames<Progress> {
    static constexpr std::array<std::string_view, 3> names{"running", "paused", "pending"};
};

template <class E>
constexpr std::string_view to_string(E value) {
    return EnumNames<E>::names.at(static_cast<std::size_t>(value));
}

/// The enumerator of that spelling, or nothing.
template <class E>
constexpr std::optional<E> from_string(std::string_view name) {
    for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i)
        if (EnumNames<E>::names[i] == name) return static_cast<E>(i);
    return std::nullopt;
}

}  // namespace diskwright
