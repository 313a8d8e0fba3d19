// SPDX-License-Identifier: BSD-2-Clause
// What a search measured, in a file that survives whatever ends the search: JSON lines, the first a header,
// then one per trial. Each line is on disk before the next trial begins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/landscape.hpp"

namespace diskwright {

/// What must be the same for trials to belong to one search.
struct JournalHeader {
    std::string method;
    std::uint64_t seed = 1;
    std::string source;  // what measures: a table with its digest, or a command
    Objective objective;
    std::optional<Point> default_point;

    std::string line(const SearchSpace& space) const;
};

class Journal {
 public:
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    Journal(Journal&& other) noexcept;
    Journal& operator=(Journal&&) = delete;
    /// Releases the lock.
    ~Journal();

    /// A new file of mode 0600 with the header; no_permission when there is one of that name already (also a
    /// link), no_input when its folder is not there. The space must outlive the journal.
    static Result<Journal> create(const std::string& path, const JournalHeader& header,
                                  const SearchSpace& space);

    struct Resumed;
    /// A journal to go on with. A last line without its end, of a search that was killed while writing it, is
    /// cut off; without even a header it begins anew. no_permission when another session uses it, no_input
    /// when it is not there, bad_data when it is of another search (naming the first difference) or a line
    /// (named by its number) is malformed.
    static Result<Resumed> resume(const std::string& path, const JournalHeader& header,
                                  const SearchSpace& space);

    Result<bool> append(const Trial& trial);

 private:
    Journal(int fd, std::string path, const SearchSpace& space)
        : fd_(fd), path_(std::move(path)), space_(&space) {}
    Result<bool> lock();
    Result<std::string> contents() const;
    Result<bool> write_line(const std::string& line);
    Error failure(ErrorKind kind, std::string_view what) const;
    Error system_failure(std::string_view what) const;

    int fd_ = -1;
    std::string path_;
    const SearchSpace* space_;
    std::uint64_t trials_ = 0;
};

struct Journal::Resumed {
    Journal journal;
    std::vector<Trial> trials;
    std::string note;  // of what was cut off; empty when nothing was
};

std::string_view name_of(TrialState state);

}  // namespace diskwright
