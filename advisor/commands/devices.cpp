// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commands/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/quoting.hpp"
#include "probes/model/device_names.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool read_only(const Mount& mount) {
    const auto options = mount.options.value_or({});
    return std::any_of(options.begin(), options.end(),
                       [](const std::string& o) { return o == "ro" || o == "read-only"; });
}

void note_root(FixBuilder& fix, Needs needs) {
    if (needs == Needs::read_only)
        fix.note(
            "/ cannot be unmounted: boot to single-user mode, where it is mounted read-only, run this there "
            "and reboot");
    else
        fix.note("/ cannot be unmounted: run this from another system, such as the installation medium");
}

}  // namespace

std::string base_name(std::string_view name) {
    return std::string(name.substr(name.rfind('/') + 1));
}

std::string without_dev(std::string_view name) {
    return std::string(name.starts_with("/dev/") ? name.substr(5) : name);
}

std::string device_path(const FixBuilder& fix, std::string_view name) {
    if (name.starts_with('/')) return std::string(name);
    if (fix.is({Os::freebsd}) && name.find('/') == std::string_view::npos) {
        const Volume* volume = fix.graph().on_volume(name).volume;
        if (volume && volume->kind && name.starts_with(base_name(volume->name)))
            return fmt::format("/dev/{}{}", geom_folder(*volume->kind), name);
    }
    return fmt::format("/dev/{}", name);
}

std::string ffs_device(const FixBuilder& fix, std::string_view name) {
    // A name with a dot is a DUID of OpenBSD, one with a slash or of an own file system no disk: both as they
    // are.
    const bool plain = !name.empty() && name.find_first_of("./") == std::string_view::npos;
    if (plain && fix.is({Os::netbsd})) return fmt::format("/dev/r{}", name);
    if (fix.is({Os::openbsd})) return plain ? fmt::format("r{}", name) : std::string(name);
    return device_path(fix, name);
}

void while_unmounted(FixBuilder& fix, std::string_view device, Needs needs,
                     const std::function<void()>& commands) {
    if (needs == Needs::new_one)
        fix.note("everything on the file system is lost: make a backup first and restore it afterwards");
    const Mount* mount = fix.graph().mount_of(device);
    const FstabEntry* entry = fix.graph().fstab_of(device);
    if (mount && mount->point == "/") {
        note_root(fix, needs);
        return commands();
    }
    if (!mount || (needs == Needs::read_only && read_only(*mount))) {
        if (!mount && fix.host().mounts.empty()) {
            if (entry && entry->point == "/")
                note_root(fix, needs);
            else
                fix.note(fmt::format("unmount {} first if it is mounted", escaped(device)));
        }
        return commands();
    }
    fix.run(Command("umount").name(mount->point));
    commands();
    // mount(8) finds device and options of the point in fstab; where fstab is known to lack it, the device is
    // named.
    Command again("mount");
    if (!entry && !fix.host().fstab.empty()) again.name(device_path(fix, device));
    fix.run(again.name(mount->point));
}

}  // namespace diskwright
