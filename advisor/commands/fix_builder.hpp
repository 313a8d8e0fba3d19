// SPDX-License-Identifier: BSD-2-Clause
// What a generator works with: the changes still to be done, the host they are for, and the commands so far.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/commands/generator.hpp"
#include "probes/model/storage_graph.hpp"

namespace diskwright {

/// The changes of one subject that one tool carries out.
struct Job {
    std::string subject;
    std::vector<Change> changes;

    bool has(Setting setting) const;
    std::optional<std::uint64_t> number(Setting setting) const;
    std::optional<bool> flag(Setting setting) const;
    /// Null when not there, or no text.
    const std::string* text(Setting setting) const;
};

/// One argv. What comes from the input goes through name(), which remembers a word that may not be printed.
class Command {
 public:
    explicit Command(std::string_view tool) { argv_.emplace_back(tool); }
    Command& word(std::string_view ours) { return argv_.emplace_back(ours), *this; }
    Command& number(std::uint64_t value);
    Command& name(std::string_view theirs);
    /// A flag and its value; nothing when there is none.
    Command& flag(std::string_view letter, std::optional<std::uint64_t> value);
    Command& flag(std::string_view letter, std::string_view theirs) { return word(letter).name(theirs); }

    const std::vector<std::string>& argv() const { return argv_; }
    const std::string& refused() const { return refused_; }

 private:
    std::vector<std::string> argv_;
    std::string refused_;
};

class FixBuilder {
 public:
    FixBuilder(const HostFacts& host, const StorageGraph& graph, Os os, std::span<const Change> changes);

    const HostFacts& host() const { return host_; }
    const StorageGraph& graph() const { return graph_; }
    Os os() const { return os_; }
    bool is(std::initializer_list<Os> systems) const;
    /// Nothing when the release is unknown or no number.
    std::optional<bool> at_least(unsigned major, unsigned minor = 0) const;

    /// Whether this setting of the subject, under whichever spelling, is still to be changed.
    bool asked(std::string_view subject, Setting setting) const;

    /// Takes changes of these settings out of the list, grouped by subject in the order of first appearance.
    std::vector<Job> take(std::initializer_list<Setting> settings);
    /// The same, only for subjects that have at least one of `deciding`.
    std::vector<Job> take(std::initializer_list<Setting> settings, std::initializer_list<Setting> deciding);

    /// The same, only for this subject under whichever spelling; at most one.
    std::vector<Job> take_of(std::string_view subject, std::initializer_list<Setting> settings);

    void run(const Command& command);
    void note(std::string text);

    /// Changes nobody took become notes. A name that must not be printed takes all commands away: half a
    /// procedure is worse than none.
    FixCommands finish();

 private:
    const HostFacts& host_;
    const StorageGraph& graph_;
    Os os_;
    std::vector<Change> pending_;
    FixCommands done_;
    std::vector<std::string> refused_;
};

/// One tool, or several that belong together.
struct Generator {
    std::string_view tool;
    void (*generate)(FixBuilder&);
};

/// In the order in which their commands are to run: partitions, sets, file systems, mounts, the host.
std::span<const Generator> generators();

}  // namespace diskwright
