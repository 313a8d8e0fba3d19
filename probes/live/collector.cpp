// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/collector.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>

#include "probes/capture/assemble.hpp"
#include "probes/capture/left_out.hpp"
#include "probes/capture/secrets.hpp"
#include "probes/live/command_pool.hpp"
#include "probes/live/device_heads.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/posix.hpp"
#include "probes/support/safe_name.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t devices_at_most =
    256;  // of one placeholder: a host with more is collected in part, and says so

std::string joined(const std::vector<std::string>& argv) {
    std::string out;
    for (const auto& word : argv) out += (out.empty() ? "" : " ") + word;
    return out;
}

// Mounted from a device the facts know, not from tmpfs, a server or a pool.
bool graph_device(std::string_view name, const HostFacts& facts) {
    const StorageGraph graph(facts);
    const auto known = [&](std::string_view device) {
        return graph.partition(device) || graph.disk(device) || graph.volume(device);
    };
    // A partition whose table is still to be read: raid0e of raid0.
    const std::string whole = whole_device_name(name);
    return known(name) || (!whole.empty() && known(whole));
}

// What "{disk}" and the like stand for, from the facts of the commands before.
std::vector<std::string> candidates(std::string_view placeholder, const HostFacts& facts) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
        if (safe_name(name) && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    };
    // "{volume:md}", "{mount:xfs}": only those of that kind.
    const auto colon = placeholder.find(':');
    const auto what = placeholder.substr(1, std::min(colon, placeholder.size() - 1) - 1);
    const auto kind = colon == std::string_view::npos
                          ? std::string_view{}
                          : placeholder.substr(colon + 1, placeholder.size() - colon - 2);
    const auto of_kind = [&](const Mount& m) {
        return kind.empty() || (m.type && (m.type->starts_with(kind) || (kind == "ffs" && *m.type == "ufs")));
    };
    if (what == "disk")
        for (const Disk& d : facts.disks) add(d.name);
    if (what == "volume") {
        const StorageGraph graph(facts);
        // raidctl rewrites the component labels when it opens a set, so only sets in use are asked: those
        // below a mounted file system or swap.
        const auto in_use = [&](const Volume& v) {
            const auto on_it = [&](std::string_view device) {
                const Volume* below = graph.on_volume(device).volume;
                return below && below->name == v.name;
            };
            return std::any_of(facts.mounts.begin(), facts.mounts.end(),
                               [&](const Mount& m) { return m.device && on_it(*m.device); }) ||
                   std::any_of(facts.swap.begin(), facts.swap.end(),
                               [&](const SwapArea& s) { return on_it(s.device); });
        };
        for (const Volume& v : facts.volumes) {
            if (!kind.empty() && !(v.kind && to_string(*v.kind) == kind)) continue;
            if (!v.kind.is(VolumeKind::raidframe) || in_use(v)) add(v.name);
        }
    }
    for (const Mount& m : facts.mounts) {
        if (!of_kind(m)) continue;
        const bool device = m.device && !contains(*m.device, ":") && graph_device(*m.device, facts);
        if (what == "filesystem" && device) add(device_name(*m.device));
        if (what == "mount") add(m.point);
    }
    return out;
}

std::optional<std::size_t> placeholder_at(const std::vector<std::string>& argv) {
    for (std::size_t i = 0; i < argv.size(); ++i)
        if (contains(argv[i], "{") && contains(argv[i], "}")) return i;
    return std::nullopt;
}

class LiveCapture {
 public:
    LiveCapture(CommandRunner& runner, bool is_root, const LiveOptions& options)
        : runner_(runner),
          is_root_(is_root),
          options_(options),
          pool_(runner, {options.at_once, std::chrono::steady_clock::now() + options.deadline,
                         std::min(CommandLimits{}.time, options.deadline / shares), options.progress}) {}

    void ask(const LiveCommand& command, const HostFacts& so_far) {
        const auto at = placeholder_at(command.argv);
        if (!at) return ask_once(command.argv, command.needs_root, false);
        const std::string& word = command.argv[*at];
        const auto from = word.find('{'), to = word.find('}');
        const auto names = candidates(std::string_view(word).substr(from, to - from + 1), so_far);
        for (std::size_t i = 0; i < names.size() && i < devices_at_most; ++i) {
            auto argv = command.argv;
            argv[*at] = word.substr(0, from) + names[i] + word.substr(to + 1);
            ask_once(argv, command.needs_root, true);
        }
        if (names.size() > devices_at_most && done_.insert(joined(command.argv)).second)
            capture.notes.push_back(fmt::format("{}: run for {} of {} devices", joined(command.argv),
                                                devices_at_most, names.size()));
    }

    /// Until all asked have answered, or that time is over.
    void wait_for(std::chrono::milliseconds time) { pool_.wait_for(time); }
    void wait_for_all() { pool_.wait_for_all(); }

    /// What has been answered so far, in the order of the questions.
    std::optional<HostFacts> facts() {
        Capture answered;
        for (const Question& question : questions_)
            if (const auto* done = pool_.done(question.number); done && done->begun && done->outcome)
                answered.documents.push_back({question.line, done->outcome->output, question.argv});
        auto facts = assemble(answered);
        return facts ? std::optional(std::move(*facts)) : std::nullopt;
    }
    bool all_answered() {
        return std::all_of(questions_.begin(), questions_.end(),
                           [&](const Question& question) { return pool_.done(question.number) != nullptr; });
    }

    /// Everything that was answered, into the capture.
    void finish() {
        for (const Question& question : questions_) take(question, pool_.take(question.number));
        questions_.clear();
    }

    void read_disks(const HostFacts& so_far) {
        const auto disks = whole_disks(so_far);
        if (disks.empty() || (options_.progress && options_.progress->cancelled())) return;
        if (!is_root_) return leave_out("device heads", "needs root");
        auto heads = read_heads(disks, options_.devices, options_.disk_time, options_.progress);
        std::move(heads.devices.begin(), heads.devices.end(), std::back_inserter(capture.images));
        std::move(heads.notes.begin(), heads.notes.end(), std::back_inserter(capture.notes));
    }

    Capture capture;

 private:
    struct Question {
        std::string line;
        std::vector<std::string> argv;
        bool is_file;
        std::size_t number;
    };

    void ask_once(std::vector<std::string> argv, bool needs_root, bool of_device) {
        const bool is_file = argv[0] == "<";
        if (is_file) argv[0] = "cat";
        std::string line = is_file ? argv[1] : joined(argv);
        if (!done_.insert(line).second) return;
        // A tool that is not installed has nothing to tell of this host; only the rest is worth a note.
        if (!runner_.installed(argv[0])) return;
        if (needs_root && !is_root_) return leave_out(line, left_out::needs_root);
        // Files answer at once, whatever else hangs.
        const std::size_t number = pool_.add(argv, is_file     ? CommandPool::Kind::file
                                                   : of_device ? CommandPool::Kind::of_device
                                                               : CommandPool::Kind::of_host);
        questions_.push_back({std::move(line), std::move(argv), is_file, number});
    }

    void take(const Question& question, CommandPool::Done done) {
        const std::string& line = question.line;
        if (done.program_hangs)
            return leave_out(line, fmt::format("left out, {} {}", question.argv[0], left_out::hung_before));
        if (!done.begun) return leave_out(line, left_out::time_is_up);
        auto& outcome = done.outcome;
        if (!outcome) {
            if (outcome.error().kind != ErrorKind::unavailable)
                capture.notes.push_back(outcome.error().message);
            return;
        }
        const CommandRun how{outcome->exit_status, done.seconds, outcome->timed_out, outcome->output_cut};
        if (outcome->output_cut) {
            leave_out(line, "printed more than is taken; the rest is left out");
        } else if (outcome->timed_out) {
            leave_out(line, left_out::no_answer);
        } else if (outcome->exit_status != 0 && !trim(outcome->errors).empty()) {
            const auto why = trim(split_lines(trim(outcome->errors)).back());
            // Nor has a file that most hosts do not have.
            if (question.is_file && why.ends_with(errno_text(ENOENT))) return;
            leave_out(line, why);
        }
        if (!outcome->output.empty())
            capture.documents.push_back(
                {line, without_secrets(std::move(outcome->output)), question.argv, how});
    }

    void leave_out(std::string_view line, std::string_view why) {
        capture.notes.push_back(fmt::format("{}: {}", line, why));
    }

    static constexpr int shares = 6;  // of the time for looking: one for a command that hangs

    CommandRunner& runner_;
    bool is_root_;
    const LiveOptions& options_;
    CommandPool pool_;
    std::vector<Question> questions_;
    std::set<std::string> done_;
};

}  // namespace

std::optional<Os> running_system() {
    struct utsname name {};
    if (uname(&name) != 0) return std::nullopt;
    return from_string<Os>(lowercase(name.sysname));
}

Capture collect_live(CommandRunner& runner, Os system, bool is_root, const LiveOptions& options) {
    // Commands of the whole host that take longer are not waited for before the devices are asked about.
    constexpr std::chrono::milliseconds patience(1500);
    LiveCapture live(runner, is_root, options);
    enum class Turn { whole_host, each_device, sampling };
    const auto ask = [&](Turn turn, const HostFacts& so_far) {
        for (const CommandParser& parser : command_parsers())
            for (const LiveCommand& command : parser.live) {
                const Turn its_turn = command.samples                ? Turn::sampling
                                      : placeholder_at(command.argv) ? Turn::each_device
                                                                     : Turn::whole_host;
                if (command.os == system && its_turn == turn) live.ask(command, so_far);
            }
    };
    // What there is first, then what each of it says; and of what the slow ones have named meanwhile.
    ask(Turn::whole_host, {});
    live.wait_for(patience);
    std::optional<HostFacts> so_far;
    for (bool all = false; !all;) {
        all = live.all_answered();
        so_far = live.facts();
        if (so_far) ask(Turn::each_device, *so_far);
        live.wait_for_all();
    }
    if (so_far && !options.devices.empty()) live.read_disks(*so_far);
    if (options.sampling) {
        ask(Turn::sampling, so_far ? *so_far : HostFacts{});
        live.wait_for_all();
    }
    live.finish();
    return std::move(live.capture);
}

}  // namespace diskwright
