// SPDX-License-Identifier: BSD-2-Clause
// build: `jobs` files compiled one after the other, twenty to a directory, whose objects then become a
// library. A compiler reads the source and headers that all share, leaves what the assembler reads in /tmp,
// on the same file system, and an object beside the source; ar(1) writes a new library and renames it. What
// compiling takes of the processor is not part of it: only what starting the processes does.
#include <algorithm>

#include "tuner/simulator/file_operations.hpp"

namespace diskwright {
namespace {

using Kind = FileOperation::Kind;
using Operations = std::vector<FileOperation>;

// Assumed: what a C file of a system's source makes of itself.
constexpr std::uint32_t files_in_directory = 20, headers = 200, headers_read = 30, processes = 3;
constexpr std::uint64_t assembler_factor = 4, object_factor = 1, most_jobs = 200'000, seed = 2;
constexpr std::uint32_t call = 65536, temporary_directory = 1, header_directory = 2, first_header = 3;

struct Sources {
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint32_t> objects, directories;
    std::vector<std::uint64_t> header_bytes;
    std::uint32_t next = first_header;
};

void put(Operations& to, std::uint32_t file, std::uint32_t parent, std::uint32_t name, std::uint64_t bytes) {
    to.push_back({Kind::create, file, parent, name, 0, 0});
    to.push_back({Kind::append, file, 0, 0, bytes, call});
    to.push_back({Kind::close, file, 0, 0, 0, 0});
}

Sources lay_out(Operations& to, std::uint64_t jobs, Random& random) {
    Sources made;
    to.push_back({Kind::make_directory, temporary_directory, 0, 3, 0, 0});
    to.push_back({Kind::make_directory, header_directory, 0, 7, 0, 0});
    for (std::uint32_t i = 0; i < headers; ++i) {
        made.header_bytes.push_back(source_file_bytes(random));
        put(to, made.next++, header_directory, 8, made.header_bytes.back());
    }
    std::uint32_t directory = 0;
    for (std::uint64_t i = 0; i < jobs; ++i) {
        if (i % files_in_directory == 0) {
            directory = made.next++;
            to.push_back({Kind::make_directory, directory, 0, 6, 0, 0});
        }
        made.bytes.push_back(source_file_bytes(random));
        made.objects.push_back(made.next);
        made.directories.push_back(directory);
        put(to, made.next++, directory, 8, made.bytes.back());
    }
    to.push_back({Kind::remount, 0, 0, 0, 0, 0});
    return made;
}

// The object's number comes back.
std::uint32_t compile(Operations& to, Sources& sources, std::size_t job, Random& random) {
    for (std::uint32_t i = 0; i < processes; ++i) to.push_back({});
    to.push_back({Kind::read, sources.objects[job], 0, 0, sources.bytes[job], call});
    for (std::uint32_t i = 0; i < headers_read; ++i) {
        const auto header = static_cast<std::uint32_t>(random.below(headers));
        to.push_back({Kind::read, first_header + header, 0, 0, sources.header_bytes[header], call});
    }
    const std::uint32_t assembler = sources.next++, object = sources.next++;
    put(to, assembler, temporary_directory, 10, sources.bytes[job] * assembler_factor);
    to.push_back({Kind::read, assembler, 0, 0, sources.bytes[job] * assembler_factor, call});
    put(to, object, sources.directories[job], 8, sources.bytes[job] * object_factor);
    to.push_back({Kind::unlink, assembler, 0, 0, 0, 0});
    return object;
}

}  // namespace

Result<FileWork> build_work(const MachineConfiguration::Work& work) {
    const auto jobs = amount(work, "jobs", 1000, most_jobs);
    if (!jobs) return jobs.error();
    FileWork made;
    Random random(seed);
    Sources sources = lay_out(made.before, *jobs, random);
    std::vector<std::pair<std::uint32_t, std::uint64_t>> objects;
    std::uint64_t library_bytes = 0;
    for (std::size_t job = 0; job < *jobs; ++job) {
        const std::uint64_t bytes = sources.bytes[job] * object_factor;
        objects.emplace_back(compile(made.measured, sources, job, random), bytes);
        library_bytes += bytes;
        if (objects.size() < files_in_directory && job + 1 < *jobs) continue;
        made.measured.push_back({});
        for (const auto& [object, size] : objects)
            made.measured.push_back({Kind::read, object, 0, 0, size, call});
        const std::uint32_t library = sources.next++;
        put(made.measured, library, sources.directories[job], 10, library_bytes);
        made.measured.push_back({Kind::rename, library, sources.directories[job], 8, 0, 0});
        objects.clear();
        library_bytes = 0;
    }
    return made;
}

}  // namespace diskwright
