// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/probe_simulated.hpp"

#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "advisor/cli/configuration_files.hpp"
#include "advisor/cli/in_order.hpp"
#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/commissioning/simulated_target.hpp"
#include "advisor/reports/profile_text.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t ahead = 64;

/// The only line of the terminal, shared by threads; how far one of the devices is says nothing.
class SharedStop final : public ProgressMeter {
 public:
    explicit SharedStop(const ProgressMeter& shown) : shown_(shown) {}
    void at(std::string_view, double, double) override {}
    bool cancelled() const override { return shown_.cancelled(); }

 private:
    const ProgressMeter& shown_;
};

struct Piece {
    std::string text;
    std::optional<Error> failure;
    bool interrupted = false;
};

std::string rendered(const ProbeResults& results, const SimulatedDevice& device, const SimulatedProbe& options,
                     bool lines) {
    if (options.format == "json") return profile_to_json(results.profile).dump(lines ? -1 : 2) + "\n";
    std::string head;
    if (!options.quiet)
        head = fmt::format("{}, simulated, {}, seed {}{}", escaped(device.name()), human_size(device.size_bytes()),
                           options.budget.seed,
                           results.interrupted ? ", interrupted: what was measured until then" : "");
    return render_profile_text(results.profile, head) + (lines ? "\n" : "");
}

Piece probed(const nlohmann::ordered_json& json, const std::string& source, const SimulatedProbe& options,
             bool lines, ProgressMeter& progress) {
    auto machine = configuration_from_json(json, source);
    if (!machine) return {"", machine.error()};
    auto device = simulated_target(std::move(*machine), source);
    if (!device) return {"", device.error()};
    const auto results =
        run_probes(**device, options.read_only ? nullptr : device->get(), options.budget, progress);
    return {rendered(results, **device, options, lines), results.failure, results.interrupted};
}

}  // namespace

int probe_simulated(const SimulatedProbe& options) {
    if (const auto clash = output_clash(options.output, {options.file})) return fail(*clash);
    const bool lines = options.file.ends_with(".jsonl");
    const auto configurations = configurations_in(options.file, lines);
    if (!configurations) return fail(configurations.error());
    ResultSink sink(options.output);
    if (const auto opened = sink.open(); !opened) return fail(opened.error());
    std::optional<Error> failure;
    bool interrupted = false;
    {
        ProgressLine progress(options.quiet);
        SharedStop stop(progress);
        double done = 0;
        in_order(
            configurations->size(), ahead,
            [&](std::size_t at) {
                const std::string source = lines ? fmt::format("{}:{}", options.file, at + 1) : options.file;
                return probed((*configurations)[at], source, options, lines, stop);
            },
            [&](Piece piece) {
                progress.at("probing simulated devices", ++done, static_cast<double>(configurations->size()));
                interrupted = interrupted || piece.interrupted;
                if (!piece.text.empty())
                    if (const auto written = sink.write(piece.text); !written) piece.failure = written.error();
                if (piece.failure && !failure) failure = std::move(piece.failure);
                return !failure && !interrupted;
            });
    }
    const auto written = failure ? Result<bool>(true) : sink.close();
    if (interrupted) end_by_signal();
    if (failure) return fail(*failure);
    return written ? 0 : fail(written.error());
}

}  // namespace diskwright
