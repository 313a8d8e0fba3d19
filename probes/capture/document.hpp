// SPDX-License-Identifier: BSD-2-Clause
// What an INPUT holds: named texts, read into memory, and images of disks; nothing interpreted yet.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/ondisk/byte_source.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// Bounds on untrusted input.
struct LoadLimits {
    std::size_t bytes = std::size_t{1} << 30;           // of one host, expanded
    std::size_t document_bytes = std::size_t{1} << 28;  // of one text
    std::size_t expansion_ratio = 200;                  // of a compressed archive
    std::size_t members = 100'000;                      // of an archive or folder
    std::size_t images = 256;                           // of a folder: each keeps a descriptor
};

/// How a command went whose output was taken.
struct CommandRun {
    int exit_status = 0;
    double seconds = 0;
    bool timed_out = false;
    bool cut = false;  // it printed more than was taken
};

struct Document {
    std::string name;  // as evidence shall cite it
    std::string bytes;
    std::vector<std::string> argv;  // of the command that printed it, when the collector ran it
    std::optional<CommandRun> run = std::nullopt;  // when the collector ran it and said so
};

/// When, where and by whom a capture was made.
struct CaptureInfo {
    std::string tool_version;
    std::string collected;  // UTC: 2026-12-01T08:00:00Z
    std::string host, system, release;
    bool root = false;
    bool scrubbed = false;
};

struct Capture {
    std::optional<CaptureInfo> info = std::nullopt;   // of the manifest
    std::vector<Document> documents;                  // in the order of the manifest, else sorted by name
    std::vector<std::shared_ptr<ByteSource>> images;  // sorted by name: disks of the host
    /// What was read from disks whose bytes are not kept, as in a scrubbed capture.
    std::optional<HostFacts> device_facts = std::nullopt;
    std::vector<std::string> notes;  // "what: why" of all that was left out
    /// No disk of the host is missing: it was asked itself, or the user says so.
    bool whole_host = false;
};

/// A text file, a folder (one host), a .tar, .tar.gz, .tgz (one host; members are read in memory, regular
/// files only), or what is no text: a disk, named by its last part, or the image of one, by its last part
/// without extension; read only where readers look. Where there is a manifest.json of diskwright-capture(5),
/// the files it names carry their commands.
/// "-" is standard input. Errors: no_input for missing or unreadable, bad_data for broken archives and
/// exceeded limits.
Result<Capture> load_input(const std::string& path, const LoadLimits& limits = {});

/// What one file holds, as it is or compressed by gzip; "-" is standard input. bad_data for what is no text,
/// broken, or larger than limits.bytes.
Result<std::string> load_file(const std::string& path, const LoadLimits& limits);

}  // namespace diskwright
