// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/collector.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "probes/capture/assemble.hpp"
#include "probes/live/device_heads.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/clock.hpp"
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
        : runner_(runner), is_root_(is_root), options_(options), end_(clock_.now() + options.deadline) {}

    /// `rank`: the place of its output among those of the turn.
    void run(const LiveCommand& command, const HostFacts& so_far, std::size_t rank) {
        rank_ = rank;
        const auto at = placeholder_at(command.argv);
        hang_counts_for_ = at ? 1 : most_hangs;
        if (!at) return run_one(command.argv, command.needs_root);
        const std::string& word = command.argv[*at];
        const auto from = word.find('{'), to = word.find('}');
        const auto names = candidates(std::string_view(word).substr(from, to - from + 1), so_far);
        for (std::size_t i = 0; i < names.size() && i < devices_at_most; ++i) {
            auto argv = command.argv;
            argv[*at] = word.substr(0, from) + names[i] + word.substr(to + 1);
            run_one(argv, command.needs_root);
        }
        if (names.size() > devices_at_most)
            capture.notes.push_back(fmt::format("{}: run for {} of {} devices", joined(command.argv),
                                                devices_at_most, names.size()));
    }

    /// The documents since the last call in the order of their ranks.
    void sort_turn() {
        std::vector<std::size_t> order(ranks_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return ranks_[a] < ranks_[b]; });
        const std::size_t first = capture.documents.size() - ranks_.size();
        std::vector<Document> sorted;
        for (const std::size_t i : order) sorted.push_back(std::move(capture.documents[first + i]));
        std::move(sorted.begin(), sorted.end(),
                  capture.documents.begin() + static_cast<std::ptrdiff_t>(first));
        ranks_.clear();
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
    void run_one(std::vector<std::string> argv, bool needs_root) {
        const bool is_file = argv[0] == "<";
        if (is_file) argv[0] = "cat";
        const std::string line = is_file ? argv[1] : joined(argv);
        if (!done_.insert(line).second) return;
        if (needs_root && !is_root_) return leave_out(line, "needs root");
        if (hangs_[argv[0]] >= most_hangs)
            return leave_out(line, "left out, " + argv[0] + " gave no answer before");
        if (clock_.now() >= end_) return leave_out(line, "left out, the time for looking is up");
        if (options_.progress) {
            if (options_.progress->cancelled()) return;
            options_.progress->at("collecting: " + line, 0, 0);
        }
        const auto begun = clock_.now();
        CommandLimits limits;
        limits.time = std::min({limits.time, options_.deadline / shares,
                                std::chrono::duration_cast<std::chrono::milliseconds>(end_ - begun)});
        limits.progress = options_.progress;
        auto outcome = runner_.run(argv, limits);
        if (!outcome) {
            // A tool that is not installed has nothing to tell of this host; only the rest is worth a note.
            if (outcome.error().kind != ErrorKind::unavailable)
                capture.notes.push_back(outcome.error().message);
            return;
        }
        if (outcome->timed_out && !outcome->output_cut) {
            leave_out(line, "gave no answer in time");
            if (!is_file) hangs_[argv[0]] += hang_counts_for_;
        }
        if (outcome->output_cut) leave_out(line, "printed more than is taken; the rest is left out");
        const CommandRun how{outcome->exit_status,
                             std::chrono::duration<double>(clock_.now() - begun).count(), outcome->timed_out,
                             outcome->output_cut};
        if (outcome->exit_status != 0 && !trim(outcome->errors).empty()) {
            const auto why = trim(split_lines(trim(outcome->errors)).back());
            // Nor has a file that most hosts do not have.
            if (is_file && why.ends_with(errno_text(ENOENT))) return;
            leave_out(line, why);
        }
        if (outcome->output.empty()) return;
        capture.documents.push_back({line, std::move(outcome->output), argv, how});
        ranks_.push_back(rank_);
    }

    void leave_out(std::string_view line, std::string_view why) {
        capture.notes.push_back(fmt::format("{}: {}", line, why));
    }

    static constexpr int shares = 6;      // of the time for looking: one for a command that hangs
    static constexpr int most_hangs = 2;  // of one program, on two devices: one of them may be broken

    CommandRunner& runner_;
    bool is_root_;
    const LiveOptions& options_;
    SteadyClock clock_;
    std::chrono::nanoseconds end_;
    std::set<std::string> done_;
    std::map<std::string, int> hangs_;
    int hang_counts_for_ = 1;
    std::size_t rank_ = 0;
    std::vector<std::size_t> ranks_;  // of the documents since the last sort_turn()
};

}  // namespace

std::optional<Os> running_system() {
    struct utsname name {};
    if (uname(&name) != 0) return std::nullopt;
    return from_string<Os>(lowercase(name.sysname));
}

Capture collect_live(CommandRunner& runner, Os system, bool is_root, const LiveOptions& options) {
    LiveCapture live(runner, is_root, options);
    enum class Turn { files, whole_host, each_device, sampling };
    const auto run = [&](Turn turn, const HostFacts& so_far) {
        std::size_t rank = 0;
        for (const CommandParser& parser : command_parsers())
            for (const LiveCommand& command : parser.live) {
                const Turn its_turn = command.samples                ? Turn::sampling
                                      : placeholder_at(command.argv) ? Turn::each_device
                                      : command.argv[0] == "<"       ? Turn::files
                                                                     : Turn::whole_host;
                ++rank;
                if (command.os == system && its_turn == turn) live.run(command, so_far, rank);
            }
    };
    // What there is first, then what each of it says.
    run(Turn::files, {});
    run(Turn::whole_host, {});
    live.sort_turn();
    const auto so_far = assemble(live.capture);
    if (so_far) run(Turn::each_device, *so_far);
    if (so_far && !options.devices.empty()) live.read_disks(*so_far);
    if (options.sampling) run(Turn::sampling, so_far ? *so_far : HostFacts{});
    return std::move(live.capture);
}

}  // namespace diskwright
