// SPDX-License-Identifier: BSD-2-Clause
// The whole job on one server: probe, audit, plan, tune, verify. The arithmetic proposes a set-up, the trials
// may know better, and the plan that comes out says one thing per setting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/planning/plan.hpp"
#include "probes/model/device_profile.hpp"
#include "probes/timing/probes.hpp"
#include "rules/rule.hpp"
#include "tuner/importance.hpp"
#include "tuner/landscape.hpp"
#include "tuner/session.hpp"

namespace diskwright {

/// What the trials measure: a table of measurements made before, or a pattern on a scratch area.
struct TrialSource {
    std::string description;  // for people, and the identity of the journal
    SearchSpace space;
    Objective objective;
    std::optional<Point> default_point;
    TrialRunner* runner = nullptr;
    bool recorded = false;  // its values were measured once, elsewhere: to ask again tells nothing
    double spread = 0;      // relative, of recorded values
};

struct CommissionSetup {
    std::string subject;  // "netbsd-raid5: a file server of 2012 ..."
    HostFacts facts;
    Intent intent;
    std::string
        new_set;  // level of the set to be made of all disks of the facts; empty: plan on what is there
    DeviceProfile known_profile;    // of a preset; used where nothing can be timed
    TimedDevice* device = nullptr;  // null: nothing to time
    std::string device_name;        // the facts' disk that it is or lies on; empty when it is none of them
    std::optional<Disk> unlisted;   // to be planned on although the facts do not show it: a plain file
    ScratchDevice* scratch = nullptr;
    ProbeBudget probe_budget;
    std::optional<TrialSource> trials;  // nothing: no tuning
    std::string no_trials;              // why not
    TuningLimits tuning_limits;
    std::uint64_t seed = 1;
    std::string journal;  // a folder; empty: none
    bool resume = false;
};

/// A configuration measured again and again, or, recorded, once.
struct Repeats {
    Point point;
    std::vector<double> values;
    double median = 0, spread = 0;  // median absolute deviation
};

/// Best and reference in turns. They differ when their medians are further apart than twice both spreads.
struct Verification {
    Repeats best, reference;
    std::string reference_is;  // "what the arithmetic plans", "the default"
    bool differs = false;
};

struct CommissionReport {
    std::string subject, workload;
    std::uint64_t seed = 1;
    HostFacts facts;  // with what the probes told
    DeviceProfile profile;
    bool profile_measured = false;  // false: a preset's
    Judgement judgement;
    std::optional<Plan> plan;
    std::string no_plan;  // why there is none
    std::optional<TrialSource> trials;
    TuningResult tuning;
    std::optional<std::vector<double>> importance;  // of the space's parameters
    std::optional<Verification> verification;
    std::string no_trials;
    std::vector<Finding> remaining;  // of the audit of the plan's result
    std::vector<std::string> notes;
    bool interrupted = false;
    std::optional<Error> failure;  // of a device or a journal; the rest of the report holds
    bool new_server = false;       // the plan makes everything anew

    /// Whether the plan puts right what the finding is about, so that no fix is to be printed beside it.
    bool settles(const Finding& finding) const;
};

/// The plan by arithmetic alone, for checking an intent before anything is measured.
Result<Plan> planned_by_arithmetic(const CommissionSetup& setup);

/// Interrupted or failed work comes back with what it has; an error is one of planned_by_arithmetic(), or a
/// journal that cannot be resumed.
Result<CommissionReport> commission(const CommissionSetup& setup, ProgressMeter& progress);

}  // namespace diskwright
