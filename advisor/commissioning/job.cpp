// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/commissioning/measured_choice.hpp"
#include "advisor/commissioning/state.hpp"
#include "probes/model/profile_facts.hpp"
#include "probes/support/statistics.hpp"
#include "tuner/optimizers/optimizers.hpp"

namespace diskwright {
namespace {

constexpr std::size_t repeats = 5;

Result<Plan> plan_with(const CommissionSetup& setup, HostFacts facts, const MeasuredChoice& choice) {
    Intent intent = setup.intent;
    if (!setup.new_set.empty()) {
        auto bare = new_server(facts, setup.new_set, choice.stripe_unit_bytes);
        if (!bare) return bare.error();
        facts = std::move(*bare);
        intent.new_set = true;
    }
    if (setup.unlisted) {
        facts.disks.push_back(*setup.unlisted);
        if (intent.subject.empty()) intent.subject = setup.unlisted->name;
    }
    intent.bsize = choice.bsize;
    intent.fsize = choice.fsize;
    intent.measured = choice.reason;
    return plan_filesystem(facts, intent);
}

// Why trials on this scratch area would tell nothing; empty: they would.
std::string trials_useless(const CommissionSetup& setup, const DeviceProfile& profile) {
    if (!setup.scratch) return {};
    if (const std::string cached = setup.scratch->cached_because(); !cached.empty())
        return "no trials: they would time a cache: " + cached;
    const auto flush = profile.find("flush_latency_s");
    if (flush != profile.end() && flush->second.confidence == Confidence::inconclusive)
        return "no trials: commits cannot be timed: " + flush->second.reason;
    return {};
}

class Job {
 public:
    Job(const CommissionSetup& setup, ProgressMeter& progress) : setup_(setup), progress_(progress) {
        report_.subject = setup.subject;
        report_.seed = setup.seed;
        report_.workload = setup.intent.workload;
        report_.facts = setup.facts;
        report_.new_server = !setup.new_set.empty();
        report_.no_trials = setup.no_trials;
    }

    Result<CommissionReport> run() {
        if (auto error = probe()) return *error;
        report_.judgement = judge(report_.facts, {}, report_.workload);
        if (auto error = plan({})) return *error;
        if (may_try())
            if (auto error = tune()) return *error;
        if (report_.plan) report_.remaining = judge(report_.plan->planned, {}, report_.workload).findings;
        return std::move(report_);
    }

 private:
    using MaybeError = std::optional<Error>;

    MaybeError probe() {
        report_.profile = setup_.known_profile;
        std::optional<DeviceProfile> before;
        if (setup_.resume) {
            auto saved = saved_profile(setup_.journal, setup_.subject);
            if (!saved) return saved.error();
            before = std::move(*saved);
        }
        if (!setup_.device) {
            // Nothing was measured, yet the folder is to say whose it is.
            if (!before) save();
            return std::nullopt;
        }
        report_.profile_measured = before.has_value();
        if (before) report_.profile = std::move(*before);
        if (!report_.profile_measured) measure();
        if (!setup_.device_name.empty()) note_profile(report_.facts, setup_.device_name, report_.profile, "probe", setup_.device_name);
        return std::nullopt;
    }

    void measure() {
        auto results = run_probes(*setup_.device, setup_.scratch, setup_.probe_budget, progress_);
        report_.profile = std::move(results.profile);
        report_.profile_measured = true;
        report_.interrupted = results.interrupted;
        report_.failure = results.failure;
        if (!results.interrupted && !results.failure) save();
    }

    void save() {
        if (setup_.journal.empty()) return;
        const auto saved = save_profile(setup_.journal, setup_.subject, report_.profile);
        if (!saved) report_.failure = saved.error();
    }

    MaybeError plan(const MeasuredChoice& choice) {
        auto plan = plan_with(setup_, report_.facts, choice);
        if (plan)
            report_.plan = std::move(*plan);
        else if (plan.error().kind != ErrorKind::usage)
            report_.no_plan = plan.error().message;
        else
            return plan.error();
        return std::nullopt;
    }

    bool may_try() {
        if (!setup_.trials || report_.interrupted || report_.failure) return false;
        report_.no_trials = trials_useless(setup_, report_.profile);
        return report_.no_trials.empty();
    }

    MaybeError tune() {
        report_.trials = setup_.trials;
        const TrialSource& source = *report_.trials;
        const auto planned =
            report_.plan ? point_of(*report_.plan, source.space, source.default_point) : std::nullopt;

        OptimizerOptions options;
        options.seed = setup_.seed;
        options.minimise = source.objective.minimise;
        if (source.default_point) options.start.push_back(*source.default_point);
        if (planned && planned != source.default_point) options.start.push_back(*planned);
        const auto optimizer = make_expected_improvement(source.space, options);

        const JournalHeader header{"default", setup_.seed, source.description, source.objective,
                                   source.default_point};
        auto opened = open_trials(setup_.journal, setup_.resume, header, source.space);
        if (!opened) return opened.error();
        if (!opened->note.empty()) report_.notes.push_back(opened->note);
        TuningSession session(*optimizer, *source.runner, opened->journal ? &*opened->journal : nullptr,
                              source.objective);
        if (const auto replayed = session.replay(opened->trials); !replayed) return replayed.error();
        report_.tuning = session.run(setup_.tuning_limits, progress_);
        report_.failure = report_.tuning.failure;
        report_.interrupted = report_.tuning.stop == TuningResult::Stop::cancelled;
        report_.importance =
            parameter_importance(source.space, report_.tuning.trials, source.objective.minimise);
        if (report_.interrupted || report_.failure || !report_.tuning.best) return std::nullopt;
        return verify(source, planned);
    }

    // What wins must win again: both in turns, so that a drift of the machine meets both.
    MaybeError verify(const TrialSource& source, const std::optional<Point>& planned) {
        Verification check;
        check.best.point = report_.tuning.trials[*report_.tuning.best].point;
        const auto& reference = planned ? planned : source.default_point;
        if (!reference) return std::nullopt;
        if (*reference == check.best.point) {
            report_.notes.push_back(fmt::format("the best of the trials is {}",
                                                planned ? "what the arithmetic plans" : "the default"));
            return std::nullopt;
        }
        check.reference.point = *reference;
        check.reference_is = planned ? "what the arithmetic plans" : "the default";
        if (!measure_again(source, check)) return std::nullopt;
        for (Repeats* side : {&check.best, &check.reference}) {
            side->median = *median(side->values);
            side->spread = std::max(*median_absolute_deviation(side->values), source.spread * side->median);
        }
        const double gain = source.objective.minimise ? check.reference.median - check.best.median
                                                      : check.best.median - check.reference.median;
        check.differs = gain > 2 * (check.best.spread + check.reference.spread);
        report_.verification = check;
        return check.differs ? plan(measured_choice(source, check)) : std::nullopt;
    }

    // False when there is nothing to compare; the report says why.
    bool measure_again(const TrialSource& source, Verification& check) {
        const std::size_t rounds = source.recorded ? 1 : repeats;
        for (std::size_t round = 0; round < rounds; ++round)
            for (Repeats* side : {&check.reference, &check.best}) {
                progress_.at("verifying", static_cast<double>(round), static_cast<double>(rounds));
                const auto trial = source.runner->run(side->point, setup_.tuning_limits.trial);
                if (progress_.cancelled()) report_.interrupted = true;
                if (!trial) report_.failure = trial.error();
                if (report_.interrupted || report_.failure) return false;
                if (!trial->value) {
                    report_.notes.push_back(fmt::format(
                        "{} gave no value when it was measured again ({}), so nothing is compared",
                        side == &check.best ? "the best configuration" : check.reference_is, trial->note));
                    return false;
                }
                side->values.push_back(*trial->value);
            }
        return true;
    }

    const CommissionSetup& setup_;
    ProgressMeter& progress_;
    CommissionReport report_;
};

}  // namespace

bool CommissionReport::settles(const Finding& finding) const {
    if (!plan) return false;
    // Faults of disks, loads and hosts outlive any file system, and the facts of the plan do not show them.
    constexpr std::array<std::string_view, 5> made_anew{"ALIGN", "FFS", "JRNL", "MOUNT", "RAID"};
    if (std::none_of(made_anew.begin(), made_anew.end(),
                     [&](std::string_view family) { return finding.code.starts_with(family); }))
        return false;
    // The plan may call the device by another name, so the rule alone is looked for.
    if (std::any_of(remaining.begin(), remaining.end(),
                    [&](const Finding& left) { return left.code == finding.code; }))
        return false;
    if (new_server) return true;
    const StorageGraph graph(facts);
    const Mount* mounted = graph.mount_of(plan->device);
    return same_device(finding.subject, plan->device) || (mounted && finding.subject == mounted->point);
}

Result<Plan> planned_by_arithmetic(const CommissionSetup& setup) {
    return plan_with(setup, setup.facts, {});
}

Result<CommissionReport> commission(const CommissionSetup& setup, ProgressMeter& progress) {
    return Job(setup, progress).run();
}

}  // namespace diskwright
