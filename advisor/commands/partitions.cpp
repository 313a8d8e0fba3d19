// SPDX-License-Identifier: BSD-2-Clause
// gpart(8) of FreeBSD, gpt(8) of NetBSD, sgdisk(8) and sfdisk(8) of Linux; disklabel(8) and fdisk(8), whose
// editors are interactive, get the numbers to enter.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "advisor/commands/newfs.hpp"
#include "advisor/commands/partition_target.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

namespace {

constexpr std::string_view lost =
    "everything on the partition is lost: make a backup first and restore it afterwards";

// A file system does not survive the move of its partition, so it is made again on it, at once with whatever
// else of it is to change.
void renew_filesystem(FixBuilder& fix, const std::string& device, const Mount* mounted) {
    const Filesystem* fs = fix.graph().filesystem(device);
    const bool wedge_to_come = device.find('#') != std::string::npos;
    if (!fs || !fs->type || !fs->type->starts_with("ffs") || fix.is({Os::linux_}) || wedge_to_come) return;
    const auto changes = fix.take_of(device, told_to_newfs);
    Command newfs("newfs");
    if (!newfs_command(fix, changes.empty() ? Job{device, {}} : changes.front(), newfs)) return;
    fix.run(newfs);
    if (mounted && mounted->point != "/") fix.run(Command("mount").name(mounted->point));
}

void move_with_gpart(FixBuilder& fix, const PartitionTarget& p) {
    fix.run(Command("gpart").word("delete").word("-i").number(p.index).name(p.parent));
    Command add = Command("gpart")
                      .word("add")
                      .word("-b")
                      .number(p.start / p.sector)
                      .word("-s")
                      .number(p.size / p.sector);
    add.flag("-t", p.type).word("-i").number(p.index);
    if (!p.label.empty()) add.flag("-l", p.label);
    fix.run(add.name(p.parent));
}

void move_with_gpt(FixBuilder& fix, const PartitionTarget& p) {
    fix.run(Command("gpt").word("remove").word("-i").number(p.index).name(p.parent));
    Command add =
        Command("gpt").word("add").word("-b").number(p.start / p.sector).word("-s").number(p.size / p.sector);
    add.word("-t").word(gpt_alias(p.type)).word("-i").number(p.index);
    if (!p.label.empty()) add.flag("-l", p.label);
    fix.run(add.name(p.parent));
    fix.note("the wedge of the partition is made anew: dkctl listwedges shows its name");
}

void move_with_sgdisk(FixBuilder& fix, const PartitionTarget& p) {
    Command move = Command("sgdisk").word(fmt::format("--delete={}", p.index));
    move.word(fmt::format("--new={}:{}:{}", p.index, p.start / p.sector, (p.start + p.size) / p.sector - 1));
    fix.run(move.name("/dev/" + p.parent));
    fix.note(fmt::format(
        "give the new partition its type ({}) with sgdisk --typecode, then make the file system or set on it",
        escaped(p.type)));
}

void enter_in_disklabel(FixBuilder& fix, const PartitionTarget& p, const std::string& subject) {
    const std::string_view letter = std::string_view(subject).substr(subject.size() - 1);
    if (fix.is({Os::openbsd})) {
        fix.run(Command("disklabel").word("-E").name(p.parent));
        fix.note(fmt::format("in the editor: d {0}, a {0}, offset {1}, size {2}, type {3}, then w and q",
                             escaped(letter), p.start / p.sector, p.size / p.sector, escaped(p.type)));
    } else {
        fix.run(Command("disklabel").word("-e").name(p.parent));
        fix.note(fmt::format("in the editor: on the line of {}, size {} and offset {}", escaped(letter),
                             p.size / p.sector, p.start / p.sector));
    }
}

void explain_move(FixBuilder& fix, const std::string& subject, std::uint64_t start) {
    fix.note(fmt::format("make {} again so that it begins at byte {}{}", escaped(subject), start,
                         start % 512 == 0 ? fmt::format(" (sector {} of 512 bytes)", start / 512) : ""));
}

void move_partition(FixBuilder& fix, const Job& job) {
    const auto start = job.number(Setting::partition_start);
    const auto target = partition_target(fix, job.subject, start, job.number(Setting::partition_size));
    fix.note(std::string(lost));
    if (!target || target->type.empty()) return explain_move(fix, job.subject, *start);
    const PartitionTarget& p = *target;
    const bool gpart = fix.is({Os::freebsd}) && p.scheme != Scheme::ebr;
    const bool gpt = fix.is({Os::netbsd}) && p.scheme == Scheme::gpt && !gpt_alias(p.type).empty();
    const bool sgdisk = fix.is({Os::linux_}) && p.scheme == Scheme::gpt;
    const bool label = fix.is({Os::netbsd, Os::openbsd, Os::dragonfly}) && p.scheme == Scheme::disklabel;
    if (!gpart && !gpt && !sgdisk && !label) return explain_move(fix, job.subject, p.start);

    const Mount* mounted = unmount_partition(fix, job.subject);
    if (gpart) move_with_gpart(fix, p);
    if (gpt) move_with_gpt(fix, p);
    if (sgdisk) move_with_sgdisk(fix, p);
    if (label) enter_in_disklabel(fix, p, job.subject);
    renew_filesystem(fix, job.subject, mounted);
}

void resize_partition(FixBuilder& fix, const Job& job) {
    const auto target = partition_target(fix, job.subject, std::nullopt, job.number(Setting::partition_size));
    fix.note("what lies on the partition has to fit first: shrink or remake it and keep a backup");
    if (!target)
        return fix.note(fmt::format("make {} {} bytes large", escaped(job.subject),
                                    *job.number(Setting::partition_size)));
    const PartitionTarget& p = *target;
    const std::uint64_t sectors = p.size / p.sector;
    if (fix.is({Os::freebsd}) && p.scheme != Scheme::ebr)
        fix.run(Command("gpart").word("resize").word("-i").number(p.index).word("-s").number(sectors).name(
            p.parent));
    else if (fix.is({Os::netbsd}) && p.scheme == Scheme::gpt && fix.at_least(7).value_or(true))
        fix.run(Command("gpt").word("resize").word("-i").number(p.index).word("-s").number(sectors).name(
            p.parent));
    else
        fix.note(fmt::format("in the table of {}, set the size of {} to {} sectors", escaped(p.parent),
                             escaped(job.subject), sectors));
}

void retype_partition(FixBuilder& fix, const std::string& subject, const std::string& type) {
    const auto target = partition_target(fix, subject, std::nullopt, std::nullopt);
    if (target && fix.is({Os::freebsd}) && target->scheme != Scheme::ebr) {
        fix.run(Command("gpart")
                    .word("modify")
                    .word("-i")
                    .number(target->index)
                    .flag("-t", type)
                    .name(target->parent));
    } else if (target && fix.is({Os::netbsd}) && target->scheme == Scheme::gpt && !gpt_alias(type).empty()) {
        fix.run(Command("gpt")
                    .word("type")
                    .word("-i")
                    .number(target->index)
                    .word("-t")
                    .word(gpt_alias(type))
                    .name(target->parent));
    } else if (target && fix.is({Os::linux_}) && target->scheme != Scheme::disklabel &&
               safe_type_code(type)) {
        fix.run(Command("sfdisk")
                    .word("--part-type")
                    .name("/dev/" + target->parent)
                    .number(target->index)
                    .name(type));
    } else if (target && target->scheme == Scheme::disklabel && fix.is({Os::netbsd, Os::openbsd})) {
        fix.run(Command("disklabel").word(fix.is({Os::openbsd}) ? "-E" : "-e").name(target->parent));
        fix.note(fmt::format("in the editor, the type of {} becomes {}", escaped(subject), escaped(type)));
    } else {
        fix.note(fmt::format("change the type of {} to {} in its partition table", escaped(subject),
                             escaped(type)));
    }
}

// The kernel made the label up, and no other table is shown: gpt migrate would find no MBR to start from
// (NetBSD/src:sbin/gpt/migrate.c).
bool is_blank(const HostFacts& host, const std::string& disk) {
    bool made_up = false;
    for (const PartitionTable& t : host.tables) {
        if (t.parent != disk) continue;
        if (!t.fictitious.is(true)) return false;
        made_up = true;
    }
    return made_up;
}

void replace_table(FixBuilder& fix, const Job& job) {
    const std::string& disk = job.subject;
    if (fix.is({Os::netbsd}) && is_blank(fix.host(), disk)) {
        fix.run(Command("gpt").word("create").name(disk));
        fix.note(fmt::format("then a wedge, such as gpt add -a 1m -t ffs {}", escaped(disk)));
        return;
    }
    fix.note("everything on the disk may be lost: make a backup first");
    if (fix.is({Os::netbsd, Os::dragonfly})) {
        fix.run(Command("gpt").word("migrate").name(disk));
    } else if (fix.is({Os::linux_})) {
        fix.run(Command("sgdisk").word("--mbrtogpt").name(device_path(fix, disk)));
        fix.note("the sectors for the second table at the end of the disk must be free");
    } else if (fix.is({Os::freebsd})) {
        fix.run(Command("gpart").word("destroy").word("-F").name(disk));
        fix.run(Command("gpart").word("create").word("-s").word("gpt").name(disk));
        fix.note("then add the partitions again, aligned (gpart add -a 1m), and restore");
    } else if (fix.at_least(7, 2).value_or(false)) {
        fix.run(Command("fdisk").word("-g").name(disk));
    } else {
        fix.note(
            "initialise the disk with a GPT by fdisk -g (fdisk -ig before 7.1), then make the disklabel "
            "again");
    }
}

}  // namespace

void generate_partitions(FixBuilder& fix) {
    for (const Job& job : fix.take({Setting::table_scheme})) {
        const std::string* scheme = job.text(Setting::table_scheme);
        if (scheme && *scheme == "gpt")
            replace_table(fix, job);
        else
            fix.note(fmt::format("{} needs another kind of partition table", escaped(job.subject)));
    }
    for (const Job& job : fix.take({Setting::partition_start, Setting::partition_size})) {
        if (job.number(Setting::partition_start))
            move_partition(fix, job);
        else if (job.number(Setting::partition_size))
            resize_partition(fix, job);
    }
    for (const Job& job : fix.take({Setting::partition_type}))
        if (const std::string* type = job.text(Setting::partition_type))
            retype_partition(fix, job.subject, *type);
}

}  // namespace diskwright
