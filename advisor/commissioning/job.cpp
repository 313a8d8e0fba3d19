// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/commissioning/measured_choice.hpp"
#include "advisor/commissioning/state.hpp"
#include "probes/support/statistics.hpp"
#include "tuner/optimizers/optimizers.hpp"

namespace diskwright {
namespace {

constexpr std::size_t repeats = 5;

class Job {
 public:
    Job(const CommissionSetup& setup, ProgressMeter& progress) : setup_(setup), progress_(progress) {
        report_.subject = setup.subject;
        report_.seed = setup.seed;
        report_.workload = setup.intent.workload;
        report_.facts = setup.facts;
    }

    Result<CommissionReport> run() {
        if (auto failed = probe()) return *failed;
        report_.judgement = judge(report_.facts, {}, report_.workload);
        if (auto failed = plan(MeasuredChoice{})) return *failed;
        if (auto failed = tune()) return *failed;
        if (report_.plan) report_.remaining = judge(report_.plan->planned, {}, report_.workload).findings;
        return std::move(report_);
    }

 private:
    using Failure = std::optional<Error>;

    Failure probe() {
        report_.profile = setup_.known_profile;
        if (!setup_.device) return std::nullopt;
        if (setup_.resume) {
            auto saved = saved_profile(setup_.journal, setup_.subject);
            if (!saved) return saved.error();
            if (*saved) report_.profile = std::move(**saved);
            report_.profile_measured = saved->has_value();
        }
        if (!report_.profile_measured) {
            auto results = run_probes(*setup_.device, setup_.scratch, setup_.probe_budget, progress_);
            if (results.failure) return results.failure;
            report_.profile = std::move(results.profile);
            report_.profile_measured = true;
            report_.interrupted = results.interrupted;
            if (!setup_.journal.empty() && !results.interrupted) {
                const auto saved = save_profile(setup_.journal, setup_.subject, report_.profile);
                if (!saved) return saved.error();
            }
        }
        if (!setup_.device_name.empty()) {
            note_profile(report_.facts, setup_.device_name, report_.profile);
            Disk& on = disk(report_.facts, setup_.device_name);
            if (!on.size_bytes)
                on.size_bytes = Number(setup_.device->size_bytes(),
                                       Provenance("probe", 0, setup_.device_name, Provenance::Kind::device));
        }
        return std::nullopt;
    }

    Failure plan(const MeasuredChoice& choice) {
        HostFacts facts = report_.facts;
        Intent intent = setup_.intent;
        if (!setup_.new_set.empty()) {
            auto bare = new_server(facts, setup_.new_set, choice.stripe_unit_bytes);
            if (!bare) return bare.error();
            facts = std::move(*bare);
            intent.new_set = true;
        }
        intent.bsize = choice.bsize;
        intent.fsize = choice.fsize;
        intent.measured = choice.reason;
        auto plan = plan_filesystem(facts, intent);
        if (plan) {
            report_.plan = std::move(*plan);
        } else if (plan.error().kind == ErrorKind::unavailable) {
            report_.no_plan = plan.error().message;
        } else {
            return plan.error();
        }
        return std::nullopt;
    }

    Failure tune() {
        report_.no_trials = setup_.no_trials;
        if (!setup_.trials || report_.interrupted) return std::nullopt;
        report_.trials = setup_.trials;
        const TrialSource& source = *report_.trials;
        const std::optional<Point> planned =
            report_.plan ? point_of(*report_.plan, source.space, source.default_point) : std::nullopt;

        OptimizerOptions options;
        options.seed = setup_.seed;
        options.minimise = source.objective.minimise;
        if (source.default_point) options.start.push_back(*source.default_point);
        if (planned && planned != source.default_point) options.start.push_back(*planned);
        const auto optimizer = make_expected_improvement(source.space, options);

        JournalHeader header;
        header.method = "default";
        header.seed = setup_.seed;
        header.source = source.description;
        header.objective = source.objective;
        header.default_point = source.default_point;
        auto opened = open_trials(setup_.journal, setup_.resume, header, source.space);
        if (!opened) return opened.error();
        if (!opened->note.empty()) report_.notes.push_back(opened->note);
        TuningSession session(*optimizer, *source.runner, opened->journal ? &*opened->journal : nullptr,
                              source.objective);
        if (const auto replayed = session.replay(opened->trials); !replayed) return replayed.error();
        auto result = session.run(setup_.tuning_limits, progress_);
        if (!result) return result.error();
        report_.tuning = std::move(*result);
        report_.interrupted = report_.tuning.stop == TuningResult::Stop::cancelled;
        report_.importance =
            parameter_importance(source.space, report_.tuning.trials, source.objective.minimise);
        if (report_.interrupted || !report_.tuning.best) return std::nullopt;
        return verify(source, planned);
    }

    // What wins must win again: both in turns, so that a drift of the machine meets both.
    Failure verify(const TrialSource& source, const std::optional<Point>& planned) {
        const Point best = report_.tuning.trials[*report_.tuning.best].point;
        const auto& reference = planned ? planned : source.default_point;
        if (!reference || *reference == best) return std::nullopt;
        Verification check;
        check.best.point = best;
        check.reference.point = *reference;
        check.reference_is = planned ? "what the arithmetic plans" : "the default";
        const std::size_t rounds = source.recorded ? 1 : repeats;
        for (std::size_t round = 0; round < rounds; ++round)
            for (Repeats* side : {&check.reference, &check.best}) {
                progress_.at("verifying", static_cast<double>(round), static_cast<double>(rounds));
                if (progress_.cancelled()) {
                    report_.interrupted = true;
                    return std::nullopt;
                }
                const auto trial = source.runner->run(side->point, setup_.tuning_limits.trial);
                if (!trial) return trial.error();
                if (trial->value) side->values.push_back(*trial->value);
            }
        if (check.reference.values.size() < rounds || check.best.values.size() < rounds) {
            report_.notes.push_back(fmt::format(
                "{} cannot be measured here, so it is not compared with the best trial", check.reference_is));
            return std::nullopt;
        }
        for (Repeats* side : {&check.best, &check.reference}) {
            side->median = *median(side->values);
            side->spread = std::max(*median_absolute_deviation(side->values), source.spread * side->median);
        }
        const double gain = source.objective.minimise ? check.reference.median - check.best.median
                                                      : check.best.median - check.reference.median;
        check.differs = gain > 2 * (check.best.spread + check.reference.spread);
        report_.verification = check;
        if (!check.differs) return std::nullopt;
        return plan(measured_choice(source, check));
    }

    const CommissionSetup& setup_;
    ProgressMeter& progress_;
    CommissionReport report_;
};

}  // namespace

void note_profile(HostFacts& facts, const std::string& name, const DeviceProfile& profile) {
    const auto number = [&](std::string_view quantity) -> std::optional<double> {
        const auto at = profile.find(std::string(quantity));
        if (at == profile.end() || at->second.confidence == Confidence::inconclusive) return std::nullopt;
        const auto* value = std::get_if<double>(&at->second.value);
        return value ? std::optional(*value) : std::nullopt;
    };
    const Provenance probed("probe", 0, name, Provenance::Kind::device);
    Disk& on = disk(facts, name);
    if (const auto bytes = number("logical_sector_bytes"); bytes && !on.logical_sector_bytes)
        on.logical_sector_bytes = Number(static_cast<std::uint64_t>(*bytes), probed);
    if (const auto seconds = number("flush_latency_s")) on.flush_latency_s = Real(*seconds, probed);
}

Result<CommissionReport> commission(const CommissionSetup& setup, ProgressMeter& progress) {
    return Job(setup, progress).run();
}

}  // namespace diskwright
