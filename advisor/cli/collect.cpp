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

int run_collect(const CollectOptions& options) {
    if (options.print_script) {
        const auto printed = write_result(options.output, collect_script(DISKWRIGHT_VERSION));
        return printed ? 0 : fail(printed.error());
    }
    const auto key = options.scrub_key.empty() ? random_scrub_key() : parse_scrub_key(options.scrub_key);
    if (!key) return fail(key.error());
    utsname host{};
    const auto system = running_system();
    if (!system || uname(&host) != 0)
        return fail({ErrorKind::unavailable, "this system is none that can be looked at live"});
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
        return fail({ErrorKind::unavailable, "no command of this host told anything"});
    capture.info = info;
    if (options.scrub || !options.scrub_key.empty()) capture = scrubbed(std::move(capture), *key);
    return write_and_tell(options.output.empty() ? default_name(*capture.info) : options.output, capture,
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
