// SPDX-License-Identifier: BSD-2-Clause
// audit and plan take the same words for --for.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "advisor/planning/workload.hpp"
#include "rules/workload.hpp"

namespace diskwright {
namespace {

TEST(WorkloadWords, PlanKnowsTheGeneralOnesOfTheRules) {
    std::set<std::string_view> general, planned;
    for (const WorkloadWord& word : workload_words().first(general_workloads)) general.insert(word.name);
    for (const WorkloadProfile& profile : workload_profiles()) planned.insert(profile.word);
    EXPECT_EQ(general, planned);
}

TEST(WorkloadWords, EachOnce) {
    std::set<std::string_view> names;
    for (const WorkloadWord& word : workload_words())
        EXPECT_TRUE(names.insert(word.name).second) << word.name;
}

}  // namespace
}  // namespace diskwright
