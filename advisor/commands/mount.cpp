// SPDX-License-Identifier: BSD-2-Clause
// mount(8) in place (-u, remount), and what has to stand in fstab(5) so that it stays.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Opposite {
    std::string_view option, negative;
};
// Where "no" before the option is not how it is turned off.
constexpr std::array opposites{
    Opposite{"barrier=0", "barrier=1"},
    Opposite{"nobarrier", "barrier"},
    Opposite{"norelatime", "relatime"},
    Opposite{"noatime", "atime"},
    Opposite{"ro", "rw"},
    Opposite{"data=writeback", "data=ordered"},
};

std::string turned_off(const FixBuilder& fix, std::string_view option) {
    if (fix.is({Os::linux_}) && option == "sync") return "async";
    for (const Opposite& o : opposites)
        if (option == o.option) return std::string(o.negative);
    return option.starts_with("no") ? std::string(option.substr(2)) : fmt::format("no{}", option);
}

// Decided when the file system is mounted, or by the superblock: a remount does not change them.
bool needs_new_mount(std::string_view option) {
    return option == "softdep" || option.starts_with("data=");
}

const Mount* mounted(const FixBuilder& fix, const std::string& subject) {
    for (const Mount& m : fix.host().mounts)
        if (m.point == subject || (m.device && same_device(*m.device, subject))) return &m;
    return nullptr;
}
const FstabEntry* listed(const FixBuilder& fix, const std::string& subject) {
    for (const FstabEntry& e : fix.host().fstab)
        if (e.point == subject || same_device(e.device, subject)) return &e;
    return nullptr;
}

/// What a job turns on and off.
struct Options {
    std::vector<std::string> on, off;
};
Options options_of(const Job& job) {
    Options out;
    for (const Change& change : job.changes)
        if (const auto* option = std::get_if<std::string>(&change.value))
            (change.setting == Setting::mount_option_on ? out.on : out.off).push_back(*option);
    return out;
}

void remount(FixBuilder& fix, const std::string& point, const Options& options) {
    std::vector<std::string> words;
    // FreeBSD's update drops whatever is not said again; "current" says it. The others begin with fstab's
    // options.
    if (fix.is({Os::freebsd, Os::dragonfly})) words.emplace_back("current");
    if (fix.is({Os::linux_})) words.emplace_back("remount");
    const std::size_t fixed = words.size();
    bool later = false;
    for (const std::string& option : options.off) {
        if (needs_new_mount(option))
            later = true;
        else
            words.push_back(turned_off(fix, option));
    }
    for (const std::string& option : options.on) {
        if (needs_new_mount(option))
            later = true;
        else
            words.push_back(option);
    }
    if (later) fix.note("it takes effect when the file system is mounted the next time");
    if (words.size() == fixed) return;
    Command mount("mount");
    if (!fix.is({Os::linux_})) mount.word("-u");
    fix.run(mount.word("-o").name(fmt::format("{}", fmt::join(words, ","))).name(point));
}

void keep_in_fstab(FixBuilder& fix, const std::string& point, const FstabEntry* entry,
                   const Options& options) {
    if (!entry) {
        fix.note(fmt::format(
            "to keep it, change the options of {} in /etc/fstab: {}{}{}", escaped(point),
            options.on.empty()
                ? ""
                : fmt::format("add {}", escaped(fmt::format("{}", fmt::join(options.on, ",")))),
            options.on.empty() || options.off.empty() ? "" : ", ",
            options.off.empty()
                ? ""
                : fmt::format("remove {}", escaped(fmt::format("{}", fmt::join(options.off, ","))))));
        return;
    }
    std::vector<std::string> field = entry->options.value_or({});
    const std::vector<std::string> before = field;
    for (const std::string& option : options.off) std::erase(field, option);
    for (const std::string& option : options.on) {
        std::erase(field, turned_off(fix, option));
        if (std::find(field.begin(), field.end(), option) == field.end()) field.push_back(option);
    }
    if (field.empty()) field.emplace_back("rw");
    if (field != before)
        fix.note(fmt::format("in /etc/fstab the options of {} become {}", escaped(entry->point),
                             escaped(fmt::format("{}", fmt::join(field, ",")))));
}

}  // namespace

void generate_mount(FixBuilder& fix) {
    for (const Job& job : fix.take({Setting::mount_option_on, Setting::mount_option_off})) {
        const Options options = options_of(job);
        const Mount* mount = mounted(fix, job.subject);
        const FstabEntry* entry = listed(fix, job.subject);
        const std::string point = mount ? mount->point : entry ? entry->point : job.subject;
        const bool perhaps_mounted = mount || fix.host().mounts.empty();
        if (point.starts_with('/') && perhaps_mounted)
            remount(fix, point, options);
        else if (!point.starts_with('/'))
            fix.note(fmt::format("the input does not show where {} is mounted", escaped(job.subject)));
        keep_in_fstab(fix, point, entry, options);
    }
}

void generate_fstab(FixBuilder& fix) {
    for (const Job& job : fix.take({Setting::fstab_pass}))
        if (const auto pass = job.number(Setting::fstab_pass))
            fix.note(fmt::format("in /etc/fstab the last field (fsck pass) of {} becomes {}",
                                 escaped(job.subject), *pass));
    for (const Job& job : fix.take({Setting::fstab_options}))
        if (const std::string* field = job.text(Setting::fstab_options))
            fix.note(fmt::format("in /etc/fstab the options of {} become {}", escaped(job.subject),
                                 escaped(*field)));
}

}  // namespace diskwright
