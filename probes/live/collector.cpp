// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/collector.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "probes/capture/assemble.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/clock.hpp"
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
    return graph.partition(name) || graph.disk(name) || graph.volume(name);
}

// What "{disk}" and the like stand for, from the facts of the commands before.
std::vector<std::string> candidates(std::string_view placeholder, const HostFacts& facts) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
        if (!name.empty() && name[0] != '-' && std::find(out.begin(), out.end(), name) == out.end())
            out.push_back(name);
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
    LiveCapture(CommandRunner& runner, bool is_root, std::chrono::milliseconds deadline)
        : runner_(runner), is_root_(is_root), end_(clock_.now() + deadline) {}

    void run(const LiveCommand& command, const HostFacts& so_far) {
        const auto at = placeholder_at(command.argv);
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

    Capture capture;

 private:
    void run_one(const std::vector<std::string>& argv, bool needs_root) {
        const std::string line = joined(argv);
        if (!done_.insert(line).second) return;
        if (needs_root && !is_root_) {
            capture.notes.push_back(fmt::format("{}: needs root", line));
            return;
        }
        if (clock_.now() >= end_) {
            capture.notes.push_back(fmt::format("{}: left out, the time for looking is up", line));
            return;
        }
        if (argv[0] == "<") return read_file(argv);
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - clock_.now());
        CommandLimits limits;
        limits.time = std::min(limits.time, left);
        const auto outcome = runner_.run(argv, limits);
        if (!outcome) {
            // A tool that is not installed has nothing to tell of this host; only the rest is worth a note.
            if (outcome.error().kind != ErrorKind::unavailable)
                capture.notes.push_back(outcome.error().message);
            return;
        }
        if (outcome->timed_out) capture.notes.push_back(fmt::format("{}: gave no answer in time", line));
        if (outcome->output_cut)
            capture.notes.push_back(
                fmt::format("{}: printed more than is taken; the rest is left out", line));
        if (outcome->exit_status != 0 && !outcome->errors.empty()) {
            const auto lines = split_lines(outcome->errors);
            capture.notes.push_back(fmt::format("{}: {}", line, trim(lines.back())));
            return;
        }
        if (!outcome->output.empty()) capture.documents.push_back({line, outcome->output, argv});
    }

    void read_file(const std::vector<std::string>& argv) {
        std::ifstream in(argv[1], std::ios::binary);
        if (!in) return;
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        if (!bytes.empty()) capture.documents.push_back({argv[1], bytes, {"cat", argv[1]}});
    }

    CommandRunner& runner_;
    bool is_root_;
    SteadyClock clock_;
    std::chrono::nanoseconds end_;
    std::set<std::string> done_;
};

}  // namespace

std::optional<Os> running_system() {
    struct utsname name {};
    if (uname(&name) != 0) return std::nullopt;
    return from_string<Os>(lowercase(name.sysname));
}

Capture collect_live(CommandRunner& runner, Os system, bool is_root, std::chrono::milliseconds deadline) {
    LiveCapture live(runner, is_root, deadline);
    const auto each = [&](bool with_devices, const HostFacts& so_far) {
        for (const CommandParser& parser : command_parsers())
            for (const LiveCommand& command : parser.live)
                if (command.os == system && placeholder_at(command.argv).has_value() == with_devices)
                    live.run(command, so_far);
    };
    // What there is first, then what each of it says.
    each(false, {});
    const auto so_far = assemble(live.capture);
    if (so_far) each(true, *so_far);
    return std::move(live.capture);
}

}  // namespace diskwright
