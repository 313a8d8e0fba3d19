// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/cli/tuned_filesystem.hpp"
#include "advisor/prediction/prediction.hpp"
#include "advisor/reports/prediction_report.hpp"
#include "probes/capture/document.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct PredictOptions {
    std::string os, size, sector, from;
    std::vector<std::string> devices, command;
    OutputOptions out;
};

constexpr std::size_t most_conf_bytes = std::size_t{1} << 20;
constexpr std::uint64_t least_sector = 512, largest_sector = 65536;

Error usage(std::string what) {
    return Error{ErrorKind::usage, std::move(what)};
}

Result<std::uint64_t> size_of(std::string_view option, const std::string& word) {
    const auto size = to_size(word, true);
    if (!size || *size == 0 || *size > INT64_MAX)
        return usage(fmt::format("{} {}: no size, such as 500g", option, escaped(word)));
    return *size;
}

Result<Medium> medium_of(const PredictOptions& options) {
    Medium medium;
    if (!options.size.empty()) {
        const auto size = size_of("--size", options.size);
        if (!size) return size.error();
        medium.size_bytes = *size;
    }
    if (options.sector.empty()) return medium;
    const auto sector = to_size(options.sector);
    if (!sector || *sector < least_sector || *sector > largest_sector || (*sector & (*sector - 1)) != 0)
        return usage(fmt::format("--sector {}: no power of two from {} to {}", escaped(options.sector),
                                 least_sector, largest_sector));
    medium.sector_bytes = static_cast<std::uint32_t>(*sector);
    return medium;
}

Result<std::string> conf_text(const std::string& path) {
    LoadLimits limits;
    limits.bytes = limits.document_bytes = most_conf_bytes;
    return load_file(path, limits);
}

Result<Prediction> newfs(const PredictOptions& options, const ToolRelease& release,
                         const std::vector<std::string>& args) {
    if (!options.from.empty()) return usage("--from goes with tunefs, and with raidctl -c");
    if (options.size.empty()) return usage("newfs needs --size, of the partition");
    const auto medium = medium_of(options);
    if (!medium) return medium.error();
    return predict_newfs(release, *medium, args);
}

Result<Prediction> tunefs(const PredictOptions& options, const ToolRelease& release,
                          const std::vector<std::string>& args) {
    if (options.from.empty()) return usage("tunefs needs --from, an image or what dumpfs prints");
    const auto before = tuned_filesystem(options.from, release, args);
    if (!before) return before.error();
    return predict_tunefs(release, *before, args);
}

Result<Prediction> raidctl(const PredictOptions& options, const ToolRelease& release,
                           const std::vector<std::string>& args) {
    const auto command = raid_command(args);
    if (!command) return command.error();
    const auto medium = medium_of(options);
    if (!medium) return medium.error();
    RaidRequest request;
    request.conf_name = command->conf;
    request.checks_labels = command->checks_labels;
    request.component = *medium;
    for (const std::string& word : options.devices) {
        const std::size_t equals = word.rfind('=');
        if (equals == std::string::npos || equals == 0)
            return usage(fmt::format("--device {}: not NAME=SIZE", escaped(word)));
        const auto size = size_of("--device", word.substr(equals + 1));
        if (!size) return size.error();
        request.devices[word.substr(0, equals)] = *size;
    }
    if (command->conf == "-" && options.from == "-") return usage("the standard input is read once");
    auto conf = conf_text(command->conf);
    if (!conf) return conf.error();
    request.conf = std::move(*conf);
    if (!options.from.empty()) {
        auto labelled = conf_text(options.from);
        if (!labelled) return labelled.error();
        request.labelled = std::move(*labelled);
    }
    return predict_raidctl(release, request);
}

struct Tool {
    std::string_view name;
    Result<Prediction> (*predict)(const PredictOptions&, const ToolRelease&, const std::vector<std::string>&);
};
constexpr Tool tools[] = {{"newfs", newfs}, {"tunefs", tunefs}, {"raidctl", raidctl}};

Result<const Tool*> tool_named(const std::string& word) {
    const std::string_view name = std::string_view(word).substr(word.rfind('/') + 1);
    std::vector<std::string_view> names;
    for (const Tool& tool : tools) {
        if (tool.name == name) return &tool;
        names.push_back(tool.name);
    }
    const auto near = nearest(name, names);
    return usage(near ? fmt::format("'{}' is not predicted; did you mean '{}'?", escaped(word), *near)
                      : fmt::format("'{}' is not predicted; {} are", escaped(word), fmt::join(names, ", ")));
}

int run_predict(const PredictOptions& options) {
    if (options.os.empty()) return fail(usage("predict needs --os, such as netbsd-10"));
    if (options.command.empty())
        return fail(usage("predict needs a command line behind --, such as: -- newfs -O 2"));
    const auto release = tool_release(options.os);
    if (!release) return fail(release.error());
    const auto tool = tool_named(options.command.front());
    if (!tool) return fail(tool.error());
    if (const auto clash = output_clash(options.out.output, {options.from})) return fail(*clash);
    const std::vector<std::string> args(options.command.begin() + 1, options.command.end());
    const auto prediction = (*tool)->predict(options, *release, args);
    if (!prediction) return fail(prediction.error());

    const std::string text =
        options.out.format == "json"
            ? render_prediction_json(*release, *prediction)
            : render_prediction_text(
                  *release, fmt::format("{}", fmt::join(options.command, " ")), *prediction,
                  text_style(options.out.color, options.out.output.empty() && stdout_is_terminal()));
    const auto written = write_result(options.out.output, text);
    return written ? 0 : fail(written.error());
}

}  // namespace

std::function<int()> prepare_predict(CLI::App& command, const std::vector<std::string>& words) {
    const auto options = std::make_shared<PredictOptions>();
    command.add_option("--os", options->os, "whose tool, such as netbsd-10")->type_name("NAME[-RELEASE]");
    command.add_option("--size", options->size, "of the partition; of raidctl's components, each")
        ->type_name("SIZE");
    command.add_option("--sector", options->sector, "of the device; 512")->type_name("BYTES");
    command
        .add_option("--from", options->from,
                    "what tunefs works on: an image or the output of dumpfs; for raidctl -c, the file that "
                    "the components were configured with")
        ->type_name("FILE");
    command.add_option("--device", options->devices, "raidctl: a component of another size")
        ->type_name("NAME=SIZE")
        ->allow_extra_args(false);
    command.add_option("COMMAND", options->command, "behind --: newfs, tunefs or raidctl, and its words");
    add_output_options(command, options->out, {"text", "json"});
    return [options, &words] {
        // As they were given: the parser makes several of a word in brackets.
        const auto mark = std::find(words.begin(), words.end(), "--");
        if (mark != words.end()) options->command.assign(mark + 1, words.end());
        return run_predict(*options);
    };
}

}  // namespace diskwright
