// SPDX-License-Identifier: BSD-2-Clause
// What must hold for the rule tables together: every threshold is tested on both sides, and no fix leaves its
// finding or brings another.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "rules/rule.hpp"
#include "tests/support/rule_rows.hpp"

namespace diskwright {
namespace {

using test::Row;
using test::rule_rows;

using Outcome = std::multiset<std::string>;

Outcome outcome(const Judgement& judgement) {
    Outcome out;
    for (const Finding& f : judgement.findings)
        out.insert(std::string(f.code) + " " + f.subject + " " + std::string(to_string(f.severity)));
    return out;
}

using Member = std::variant<std::uint64_t Thresholds::*, double Thresholds::*>;
struct Threshold {
    std::string_view name;
    Member member;
};
#define THRESHOLD(name)          \
    Threshold {                  \
#name, &Thresholds::name \
    }
const std::vector<Threshold>& thresholds() {
    static const std::vector<Threshold> list{
        THRESHOLD(flash_boundary_bytes),
        THRESHOLD(ffs_block_16k_above_bytes),
        THRESHOLD(ffs_block_32k_above_bytes),
        THRESHOLD(ffs1_without_journal_above_bytes),
        THRESHOLD(inode_use_high_percent),
        THRESHOLD(inode_population_factor),
        THRESHOLD(groups_on_one_disk_share),
        THRESHOLD(groups_at_least),
        THRESHOLD(small_filesystem_bytes),
        THRESHOLD(inode_tables_share_percent),
        THRESHOLD(inode_excess_above_bytes),
        THRESHOLD(inode_use_low_percent),
        THRESHOLD(nearly_full_percent),
        THRESHOLD(parity_map_above_bytes),
        THRESHOLD(unused_share_percent),
        THRESHOLD(unused_above_bytes),
        THRESHOLD(small_write_rate),
        THRESHOLD(small_write_stripe_share),
        THRESHOLD(split_request_ratio),
        THRESHOLD(raidframe_counter_step),
        THRESHOLD(single_parity_components),
        THRESHOLD(double_parity_components),
        THRESHOLD(gmirror_slice_bytes),
        THRESHOLD(unjournalled_above_bytes),
        THRESHOLD(frequent_commits_per_s),
        THRESHOLD(log_small_share),
        THRESHOLD(log_large_factor),
        THRESHOLD(buffer_cache_logs),
        THRESHOLD(buffer_cache_bytes),
        THRESHOLD(flush_slow_s),
        THRESHOLD(flushes_per_s),
        THRESHOLD(samples_at_least),
        THRESHOLD(busy_percent),
        THRESHOLD(small_write_bytes),
        THRESHOLD(write_share),
        THRESHOLD(backlog_queue),
        THRESHOLD(backlog_ms),
        THRESHOLD(slow_factor),
        THRESHOLD(slow_by_ms),
        THRESHOLD(slow_rate),
        THRESHOLD(slow_samples),
        THRESHOLD(write_only_share),
        THRESHOLD(member_reads_share),
        THRESHOLD(throughput_share),
        THRESHOLD(delay_ms),
        THRESHOLD(delay_factor),
        THRESHOLD(members_busy_percent),
        THRESHOLD(interval_s),
        THRESHOLD(unmerged_factor),
        THRESHOLD(unmerged_rate),
        THRESHOLD(same_command_seconds),
        THRESHOLD(same_command_operations),
        THRESHOLD(same_command_time_factor),
        THRESHOLD(same_command_io_factor),
        THRESHOLD(atime_busy_percent),
        THRESHOLD(space_unused_share),
        THRESHOLD(adjoining_space_unused_share),
        THRESHOLD(space_unused_above_bytes),
        THRESHOLD(size_disagreement_percent),
        THRESHOLD(label_beyond_device_percent),
        THRESHOLD(swap_above_bytes),
        THRESHOLD(swap_ram_factor),
        THRESHOLD(swap_disk_share),
    };
    return list;
}
#undef THRESHOLD

// A quarter more or less, and at least one.
Thresholds moved(const Threshold& threshold, bool up) {
    Thresholds out;
    std::visit(
        [&](auto member) {
            auto& value = out.*member;
            const auto quarter = value / 4;
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
                value = up ? value + quarter : value - quarter;
            else
                value = up ? value + std::max<std::uint64_t>(quarter, 1)
                           : value - std::max<std::uint64_t>(quarter, 1);
        },
        threshold.member);
    return out;
}

TEST(Thresholds, EachIsTestedOnBothSides) {
    static_assert(sizeof(std::uint64_t) == sizeof(double));
    ASSERT_EQ(thresholds().size() * sizeof(double), sizeof(Thresholds))
        << "a threshold is missing in this test";
    std::vector<Outcome> as_they_are;
    for (const Row& row : rule_rows()) as_they_are.push_back(outcome(judge(row.facts, {}, row.workload)));
    for (const Threshold& threshold : thresholds())
        for (const bool up : {true, false}) {
            const Thresholds changed = moved(threshold, up);
            bool noticed = false;
            for (std::size_t i = 0; i < rule_rows().size() && !noticed; ++i)
                noticed =
                    outcome(judge(rule_rows()[i].facts, changed, rule_rows()[i].workload)) != as_they_are[i];
            EXPECT_TRUE(noticed) << threshold.name << " a quarter " << (up ? "higher" : "lower")
                                 << ": no row of tests/rules notices";
        }
}

std::set<std::string> subjects(const Judgement& judgement) {
    std::set<std::string> out;
    for (const Finding& f : judgement.findings) out.insert(std::string(f.code) + " " + f.subject);
    return out;
}

TEST(Fixes, OfEveryTableAuditClean) {
    for (const Row& row : rule_rows()) {
        SCOPED_TRACE(row.slug + ": " + row.name);
        const Judgement before = judge(row.facts, {}, row.workload);
        const auto were = subjects(before);
        for (const Finding& finding : before.findings) {
            HostFacts fixed = row.facts;
            // A row may leave out what a change is made to; then there is nothing to audit again.
            if (finding.slug != row.slug || finding.changes.empty() || !apply_changes(fixed, finding.changes))
                continue;
            const std::string fault = std::string(finding.code) + " " + finding.subject;
            for (const std::string& left : subjects(judge(fixed, {}, row.workload))) {
                EXPECT_NE(left, fault) << "still fires";
                // The one pair that the contract allows: on parity the log has a cost of its own.
                if (finding.code == "JRNL001" && left.starts_with("JRNL002")) continue;
                EXPECT_TRUE(were.contains(left)) << "the fix of " << fault << " brings " << left;
            }
        }
    }
}

// Whoever carries out the whole report meets no finding that was not in it.
TEST(Fixes, OfAWholeReportBringNothing) {
    for (const Row& row : rule_rows()) {
        SCOPED_TRACE(row.slug + ": " + row.name);
        const Judgement before = judge(row.facts, {}, row.workload);
        const auto were = subjects(before);
        HostFacts fixed = row.facts;
        for (const Finding& finding : before.findings) {
            HostFacts next = fixed;
            if (apply_changes(next, finding.changes)) fixed = std::move(next);
        }
        for (const std::string& left : subjects(judge(fixed, {}, row.workload))) {
            if (left.starts_with("JRNL002")) continue;  // as above
            EXPECT_TRUE(were.contains(left)) << "brings " << left;
        }
    }
}

}  // namespace
}  // namespace diskwright
