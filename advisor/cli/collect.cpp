// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <memory>

#include "advisor/cli/number_options.hpp"
#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"
#include "probes/capture/collect_script.hpp"
#include "probes/capture/scrub.hpp"
#include "probes/capture/write_capture.hpp"
#include "probes/live/collector.hpp"
#include "probes/live/process_runner.hpp"
#include "probes/support/safe_name.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct CollectOptions {
    std::string output;  // empty: a name made from host and date
    std::string from;    // a capture to scrub; empty: this host
    bool scrub = false;
    std::string scrub_key;
    bool print_script = false;
    double deadline_s = 60;
    bool quiet = false;
};

CaptureInfo info_of(const utsname& host, Os system) {
    CaptureInfo info;
    info.tool_version = DISKWRIGHT_VERSION;
    info.collected = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    info.host = host.nodename;
    info.system = to_string(system);
    info.release = host.release;
    info.root = geteuid() == 0;
    return info;
}

// "diskwright-db1-20261201T080000Z.tar.gz"
std::string default_name(const CaptureInfo& info) {
    std::string host = info.host.substr(0, info.host.find('.'));
    if (!safe_name(host) || contains(host, "/")) host = "host";
    std::string date = info.collected;
    std::erase_if(date, [](char c) { return c == '-' || c == ':'; });
    return fmt::format("diskwright-{}-{}.tar.gz", host, date);
}

int write_and_tell(const std::string& name, const Capture& capture, bool quiet) {
    const auto written = write_capture(name, capture);
    if (!written) return fail(written.error());
    if (!quiet)
        for (const auto& note : capture.notes) complain(note);
    const auto printed = write_result("", name + "\n");
    return printed ? 0 : fail(printed.error());
}

Result<bool> checked(const CollectOptions& options) {
    const bool scrub = options.scrub || !options.scrub_key.empty();
    if (options.print_script && scrub)
        return Error{
            ErrorKind::usage,
            "--print-script: the script cannot scrub; scrub what it makes, with collect --scrub --from "
            "CAPTURE"};
    if (options.print_script && !options.from.empty())
        return Error{ErrorKind::usage, "--print-script does not go with --from"};
    if (!options.from.empty() && !scrub)
        return Error{ErrorKind::usage,
                     "--from: give --scrub too; a capture is taken over scrubbed or not at all"};
    return true;
}

Result<Capture> capture_of_this_host(const CollectOptions& options) {
    utsname host{};
    const auto system = running_system();
    if (!system || uname(&host) != 0)
        return Error{ErrorKind::unavailable, "this system is none that can be looked at live"};
    ProgressLine progress(options.quiet);
    ProcessRunner runner;
    LiveOptions live;
    live.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(options.deadline_s * 1000));
    live.at_once = commands_at_once;
    live.sampling = true;
    live.devices = "/dev/";
    live.progress = &progress;
    const CaptureInfo info = info_of(host, *system);
    Capture capture = collect_live(runner, *system, info.root, live);
    progress.clear();
    if (progress.cancelled()) {
        complain("stopped; nothing was written");
        end_by_signal();
    }
    if (capture.documents.empty())
        return Error{ErrorKind::unavailable, "no command of this host told anything"};
    capture.info = info;
    return capture;
}

// Pseudonyms are of the facts of one host, so a capture without a manifest, or with several, is none to
// scrub.
Result<Capture> finished_capture(const std::string& path) {
    auto capture = load_input(path);
    if (capture && !capture->info)
        return Error{ErrorKind::bad_data,
                     fmt::format("{}: no capture: it has no manifest.json of its own", escaped(path))};
    return capture;
}

int run_collect(const CollectOptions& options) {
    if (const auto sound = checked(options); !sound) return fail(sound.error());
    if (options.print_script) {
        const auto printed = write_result(options.output, collect_script(DISKWRIGHT_VERSION));
        return printed ? 0 : fail(printed.error());
    }
    const auto key = options.scrub_key.empty() ? random_scrub_key() : parse_scrub_key(options.scrub_key);
    if (!key) return fail(key.error());
    auto capture = options.from.empty() ? capture_of_this_host(options) : finished_capture(options.from);
    if (!capture) return fail(capture.error());
    if (options.scrub || !options.scrub_key.empty()) *capture = scrubbed(std::move(*capture), *key);
    return write_and_tell(options.output.empty() ? default_name(*capture->info) : options.output, *capture,
                          options.quiet);
}

}  // namespace

std::function<int()> prepare_collect(CLI::App& command, const std::vector<std::string>&) {
    const auto options = std::make_shared<CollectOptions>();
    command
        .add_option(
            "-o,--output", options->output,
            "where to: a new .tar.gz, or a folder (ends in / or is empty); default: named by host and date")
        ->type_name("FILE|FOLDER/");
    command
        .add_option("--from", options->from,
                    "with --scrub: scrub a finished capture instead of taking one of this host")
        ->type_name("CAPTURE");
    command.add_flag("--scrub", options->scrub,
                     "replace serials, names, labels and addresses by pseudonyms of the same length");
    command
        .add_option("--scrub-key", options->scrub_key,
                    "scrub with this key of 32 hexadecimal digits instead of a random one")
        ->type_name("KEY");
    command.add_flag("--print-script", options->print_script,
                     "print a program for sh(1) that makes the same capture with base tools");
    command.add_option("--deadline", options->deadline_s, "no command starts after that many seconds")
        ->type_name("SECONDS")
        ->check(number_between(1, 3600))
        ->capture_default_str();
    command.add_flag("--quiet", options->quiet, "no progress, and not what was left out");
    return [options] { return run_collect(*options); };
}

}  // namespace diskwright
