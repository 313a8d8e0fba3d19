// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "advisor/cli/host_input.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/planning/plan.hpp"
#include "advisor/planning/typed_disks.hpp"
#include "advisor/reports/plan_report.hpp"
#include "probes/capture/assemble.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

struct PlanOptions {
    std::vector<std::string> inputs;  // empty: this host, unless disks are typed
    OutputOptions out;
    std::string volume, workload, mount_point, label, size;
    std::string os;
    std::vector<std::string> assume;
    TypedDisks typed;
};

// What show --format json prints, one host of it, or the facts alone.
Result<HostFacts> facts_of_json(const std::string& text, const std::string& source) {
    const auto parsed = parse_json(text, escaped(source));
    if (!parsed) return parsed.error();
    const Json& json = *parsed;
    const Json* facts = &json;
    if (json.contains("hosts")) {
        const Json& hosts = json["hosts"];
        if (!hosts.is_array() || hosts.size() != 1)
            return Error{ErrorKind::bad_data, fmt::format("{}: one host is needed", escaped(source))};
        facts = &hosts[0];
    }
    if (facts->is_object() && facts->contains("facts")) facts = &(*facts)["facts"];
    if (!facts->is_object())
        return Error{ErrorKind::bad_data, fmt::format("{}: no object of facts", escaped(source))};
    return facts_from_json(*facts, source);
}

bool looks_like_json(const Capture& capture) {
    return capture.documents.size() == 1 && trim(capture.documents[0].bytes).starts_with('{');
}

// Who types the components of a set types them all.
void complete_typed_sets(HostFacts& facts) {
    for (Volume& v : facts.volumes)
        if (!v.components.empty() && !v.columns && !v.components_complete)
            v.components_complete = Flag(true, v.level.from());
}

Result<HostFacts> read_facts(const PlanOptions& options) {
    const Assumptions assumptions{options.os, options.assume};
    if (!options.typed.disks.empty()) {
        HostFacts stated;
        const auto os = apply_assumptions(stated, {options.os, {}});
        if (!os) return os.error();
        auto facts = typed_server(stated.os, options.typed);
        if (!facts) return facts;
        const auto done = apply_assumptions(*facts, {{}, options.assume});
        if (!done) return done.error();
        return facts;
    }
    const auto capture = options.inputs.empty() ? this_host() : joined_inputs(options.inputs);
    if (!capture) return capture.error();
    if (!looks_like_json(*capture)) return assemble(*capture, assumptions);
    auto facts = facts_of_json(capture->documents[0].bytes, capture->documents[0].name);
    if (!facts) return facts;
    const auto done = apply_assumptions(*facts, assumptions);
    if (!done) return done.error();
    complete_typed_sets(*facts);
    derive(*facts);
    return facts;
}

Result<Intent> intent_of(const PlanOptions& options) {
    Intent intent{.subject = options.volume,
                  .workload = options.workload,
                  .mount_point = options.mount_point,
                  .size_bytes = {},
                  .label = options.label,
                  .new_set = !options.typed.disks.empty() && !options.typed.raid.empty()};
    if (options.size.empty()) return intent;
    intent.size_bytes = to_size(options.size, true);
    if (!intent.size_bytes || *intent.size_bytes == 0)
        return Error{ErrorKind::usage,
                     fmt::format("--size {}: no size, such as 500g", escaped(options.size))};
    return intent;
}

Result<bool> check_options(const PlanOptions& options) {
    if (options.typed.disks.empty() && !options.typed.raid.empty())
        return Error{ErrorKind::usage, "--raid needs --disks"};
    if (!options.typed.disks.empty() && !options.inputs.empty())
        return Error{ErrorKind::usage, "--disks and INPUT exclude each other"};
    return true;
}

int run_plan(const PlanOptions& options) {
    const auto consistent = check_options(options);
    if (!consistent) return fail(consistent.error());
    const auto intent = intent_of(options);
    if (!intent) return fail(intent.error());
    const auto facts = read_facts(options);
    if (!facts) return fail(facts.error());
    const auto plan = plan_filesystem(*facts, *intent);
    if (!plan) return fail(plan.error());

    std::string text;
    if (options.out.format == "json")
        text = plan_json(*plan);
    else if (options.out.format == "script")
        text = plan_script(*plan);
    else
        text = plan_text(*plan,
                         text_style(options.out.color, options.out.output.empty() && stdout_is_terminal()));
    const auto written = write_result(options.out.output, text);
    return written ? 0 : fail(written.error());
}

}  // namespace

std::function<int()> prepare_plan(CLI::App& command, const std::vector<std::string>&) {
    const auto options = std::make_shared<PlanOptions>();
    command.add_option("INPUT", options->inputs,
                       "what audit reads, or facts as show --format json prints them; all of one host; "
                       "nothing: this host");
    add_output_options(command, options->out, {"text", "json", "script"});
    command.add_option("--volume", options->volume, "the volume, disk or partition to use")
        ->type_name("NAME");
    command.add_option("--disks", options->typed.disks, "a server to be built: so many disks of that kind")
        ->type_name("COUNTxSIZE[,512n|512e|4kn][,RPM|ssd|nvme][,sata|sas]");
    command.add_option("--raid", options->typed.raid, "the set that --disks become")
        ->type_name("LEVEL[:UNIT]");
    command.add_option("--os", options->os, "the system, such as netbsd-10")->type_name("NAME[-RELEASE]");
    command.add_option("--for", options->workload, "what the file system is for: mail, database, build, ...")
        ->type_name("WORKLOAD");
    command.add_option("--mount", options->mount_point, "where it is to be mounted")->type_name("POINT");
    command.add_option("--size", options->size, "of the file system, when it is not to be all there is")
        ->type_name("SIZE");
    command.add_option("--label", options->label, "its label")->type_name("LABEL");
    command
        .add_option("--assume", options->assume,
                    "take a fact as given, such as disks.ada0.physical_sector_bytes=4096")
        ->type_name("FACT=VALUE")
        ->allow_extra_args(false);
    return [options] { return run_plan(*options); };
}

}  // namespace diskwright
