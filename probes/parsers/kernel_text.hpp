// SPDX-License-Identifier: BSD-2-Clause
// What the kernel messages of all systems share: the prefixes that dmesg, syslog and the journal put before
// them, the shapes "ada0: ..." and "sd0 at scsibus0 ...", and the errors of a medium.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "probes/parsers/command.hpp"

namespace diskwright::kernel {

struct Message {
    std::string_view text;
    bool prefixed = false;  // a time or a syslog prefix shows that the line is a kernel's
};
/// Without "[    1.234567] ", "<6>", "Nov 30 20:23:24 host kernel: " and the like.
Message message_of(std::string_view line);

/// "ada0: rest" or "ada0 at bus rest", when the name is letters and a number.
struct DeviceLine {
    std::string_view name, rest;
};
std::optional<DeviceLine> device_line(std::string_view message);
std::optional<DeviceLine> attach_line(std::string_view message);
/// Is the name, without its number, one of these drivers?
bool is_driver(std::string_view name, std::initializer_list<std::string_view> drivers);

/// What stands between < and >.
std::string_view in_angles(std::string_view text);
/// The parts of "<VENDOR, PRODUCT, REVISION>", trimmed.
std::vector<std::string_view> inquiry_parts(std::string_view text);

/// Reads messages from `at` on for as long as `read` takes them. Other messages between them belong to the
/// section when the lines are a kernel's beyond doubt (by prefix, or since dmesg printed them). Returns the
/// lines used.
std::size_t read_messages(const Output& out, std::size_t at,
                          const std::function<bool(std::string_view message, std::size_t line)>& read);

/// "real memory  = 8589934592 (8192 MB)" of FreeBSD, "real mem = 8464285696 (8072MB)" of OpenBSD.
bool read_memory(std::string_view message, std::size_t line, Scribe& scribe);

/// Notes things about disks, each once.
class DiskNotes {
 public:
    explicit DiskNotes(Scribe& scribe) : scribe_(scribe) {}

    void size(std::string_view name, std::uint64_t sectors, std::uint64_t sector_bytes, std::size_t line);
    /// A model that SCSI cut to 16 characters must not contradict the whole one that another tool prints.
    void model(std::string_view name, std::string_view text, bool cut, std::size_t line);
    /// What an attach line tells of a disk's model: "<VENDOR, PRODUCT, REVISION>" of SCSI, "<MODEL>" of ATA.
    void attached(std::string_view name, std::string_view rest, std::size_t line);
    void medium_error(std::string_view name, std::string_view what, std::size_t line);
    void event(Event::Kind kind, std::string_view subject, std::string_view what, std::size_t line);

 private:
    Scribe& scribe_;
    std::set<std::pair<int, std::string>> noted_;
};

/// A value that a tool's listing of the present state overrides.
template <class T>
Known<T> passing(T value, const Scribe& scribe, std::size_t line) {
    const Provenance at = scribe.at(line);
    return Known<T>(std::move(value),
                    Provenance(at.source(), at.line(), at.text(), Provenance::Kind::inferred));
}

/// Medium and hardware errors by the words of SCSI sense keys and ATA status; not recovered, aborted, illegal
/// request or unit attention.
bool tells_medium_error(std::string_view message);

}  // namespace diskwright::kernel
