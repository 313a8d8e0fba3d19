// SPDX-License-Identifier: BSD-2-Clause
// MOUNT005: what is in force is not what fstab says.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

using Names = std::set<std::string>;

// Options that mount(8) shows when they are in force, so that their absence means something. Others are
// spelled in many ways (errors=, quotas), implied (rw, local, relatime, defaults, seclabel), or flags of the
// superblock (soft updates).
Names comparable(const RuleContext& context) {
    Names out{"ro", "sync", "async", "noatime", "noexec", "nosuid"};
    const HostFacts& host = context.host;
    if (!host.os.name) return out;
    const auto release = release_of(host);
    switch (*host.os.name) {
        case Os::netbsd:
            out.insert({"nodev", "log", "nodevmtime", "nocoredump", "discard"});
            if (release && *release < Release{6, 0}) out.insert("softdep"), out.erase("log");
            break;
        case Os::freebsd:
            out.insert({"nosymfollow"});
            break;  // nodev is accepted and ignored since 6
        case Os::dragonfly:
            out.insert({"nodev"});
            break;
        case Os::openbsd:
            out.insert({"nodev", "wxallowed"});
            if (release && *release < Release{7, 4}) out.insert("softdep");
            break;
        case Os::linux_:
            // async is the default there and never shown.
            out.insert({"nodev", "nodiratime", "discard", "nobarrier"});
            out.erase("async");
            break;
    }
    return out;
}

Names chosen(const TextList& options, const Names& among) {
    Names out;
    for (const std::string& option : *options)
        if (const auto name = canonical_mount_option(option); among.contains(name)) out.insert(name);
    return out;
}

// user and its kin imply these.
void imply(const TextList& options, Names& asked) {
    for (const std::string_view word : {"user", "users", "owner", "group"})
        if (has_mount_option(options, word)) asked.insert({"nosuid", "nodev"});
    for (const std::string_view word : {"user", "users"})
        if (has_mount_option(options, word)) asked.insert("noexec");
}

std::string joined(const Names& names) {
    std::string out;
    for (const auto& n : names) out += (out.empty() ? "" : ", ") + n;
    return out;
}

// Options nobody should keep because they happen to be in force.
bool risky(const std::string& option) {
    return option == "async" || option == "sync" || option == "nobarrier";
}

void check(const RuleContext& context, Findings& out) {
    const Names among = comparable(context);
    for (const FstabEntry& entry : context.host.fstab) {
        if (!entry.type || !on_local_disk(*entry.type) || !entry.options) continue;
        const Mount* mount = mount_at(context.host, entry.point);
        if (mount && !mount->options) out.skip(entry.point, {"mount"});
        if (!mount || !mount->options || (mount->type && !on_local_disk(*mount->type))) continue;
        Names asked = chosen(entry.options, among);
        const Names in_force = chosen(mount->options, among);
        Names implied = asked;
        imply(entry.options, implied);
        Names missing, extra;
        std::set_difference(asked.begin(), asked.end(), in_force.begin(), in_force.end(),
                            std::inserter(missing, missing.end()));
        std::set_difference(in_force.begin(), in_force.end(), implied.begin(), implied.end(),
                            std::inserter(extra, extra.end()));
        // A kernel that has no barrier option left does not show it.
        missing.erase("nobarrier");
        if (missing.empty() && extra.empty()) continue;
        auto report = out.report(entry.point);
        report
            .message(fmt::format(
                "{}{}{}",
                missing.empty() ? ""
                                : fmt::format("fstab asks for {}, which is not in force", joined(missing)),
                !missing.empty() && !extra.empty() ? "; " : "",
                extra.empty() ? ""
                              : fmt::format("{} in force without standing in fstab",
                                            joined(extra) + (extra.size() > 1 ? " are" : " is"))))
            .evidence(entry.options)
            .evidence(mount->options)
            .cost(
                "the host behaves differently after the next boot, or is not set up as meant now; no figure "
                "applies");
        const bool became_read_only = extra.contains("ro");
        for (const auto& option : missing)
            if (option != "ro") report.change(Setting::mount_option_on, entry.point, option);
        for (const auto& option : extra) {
            if (option == "ro") continue;
            report.change(risky(option) ? Setting::mount_option_off : Setting::mount_option_on, entry.point,
                          option);
            // Without async and without a journal JRNL001 would be next.
            if (option == "async" && !has_log(context, *mount) && !has_softupdates(context, *mount))
                add_journal(context, *mount, report);
        }
        if (became_read_only)
            report.note(
                "It is mounted read-only although fstab says read-write: look for errors in the kernel's log "
                "and check the file system before mounting it read-write again.");
        else if (missing.contains("ro"))
            report.note(
                "It is mounted read-write although fstab says read-only: somebody may be working on it.");
        else if (!extra.empty())
            report.note(
                "Options that were set by hand are gone after a boot: what is useful goes into fstab, the "
                "others are taken off.");
        else
            report.note("fstab was changed and the file system not mounted again since.");
    }
}

}  // namespace

extern const Rule mount_fstab_differs;
const Rule mount_fstab_differs{
    {.code = "MOUNT005",
     .slug = "fstab-differs",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "mount options in force differ from fstab",
     .why = "An option that fstab asks for and that is not in force is missing now; one that is in force and "
            "not in fstab is gone after the next boot. Only options that mount(8) shows are compared, in "
            "either spelling (async and asynchronous); what is implied or a flag of the superblock is left "
            "out, and options that the release ignores are another rule's (JRNL004).",
     .cost = "None by itself. No figure applies.",
     .remedy = "Mount again with the options of fstab, or put those in force into fstab.",
     .bad =
         R"({"os": {"name": "freebsd"}, "mounts": [{"device": "ada0p4", "point": "/var/mail", "type": "ufs", "options": ["local", "soft-updates"]}],
        "fstab": [{"device": "ada0p4", "point": "/var/mail", "type": "ufs", "options": ["rw", "noatime"], "dump": 2, "pass": 2}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "mounts": [{"device": "ada0p4", "point": "/var/mail", "type": "ufs", "options": ["local", "noatime", "soft-updates"]}],
        "fstab": [{"device": "ada0p4", "point": "/var/mail", "type": "ufs", "options": ["rw", "noatime"], "dump": 2, "pass": 2}]})",
     .references = "mount(8), fstab(5)"},
    check};

}  // namespace diskwright
