// SPDX-License-Identifier: BSD-2-Clause
// Unknown is a value: each fact and each two facts of every row of the rules' tables are forgotten in turn,
// and no finding may come from that, nor get worse.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "rules/rule.hpp"
#include "tests/support/rule_rows.hpp"

namespace diskwright {
namespace {

// Walks the facts and makes the one numbered `wanted` unknown. A name or key says which thing is meant and is
// no fact about it; a list that is forgotten was not in the input at all.
class Forget {
 public:
    explicit Forget(std::size_t wanted) : wanted_(wanted) {}

    template <class T>
    void operator()(std::string_view name, Known<T>& value) {
        if (value && here(name)) value.reset();
    }
    template <class T>
    void key(std::string_view, T&) {}
    void text(std::string_view, std::string&) {}
    void optional(std::string_view name, std::optional<double>& value) {
        if (value && here(name)) value.reset();
    }
    void boolean(std::string_view, bool&) {}
    template <class E>
    void enumeration(std::string_view, E&) {}
    void provenance(const Provenance&) {}
    template <class T>
    void list(std::string_view name, std::vector<T>& elements) {
        const std::string before = path_;
        path_ += std::string(name) + ".";
        for (T& element : elements) T::visit(element, *this);
        if (!elements.empty() && here("")) elements.clear();
        path_ = before;
    }
    template <class T>
    void object(std::string_view name, T& element) {
        const std::string before = path_;
        path_ += std::string(name) + ".";
        T::visit(element, *this);
        path_ = before;
    }
    void map(std::string_view name, std::map<std::string, Text>& values) {
        std::string gone;
        for (const auto& [key, value] : values)
            if (here(std::string(name) + "." + key)) gone = key;
        values.erase(gone);
    }

    /// "disks.rotational", or "disks." for the whole list; empty when there are not so many facts.
    const std::string& forgotten() const { return forgotten_; }

 private:
    bool here(std::string_view name) {
        if (count_++ != wanted_) return false;
        forgotten_ = path_ + std::string(name);
        return true;
    }

    std::size_t wanted_, count_ = 0;
    std::string path_, forgotten_;
};

std::string forget(HostFacts& facts, std::size_t which) {
    Forget walk(which);
    HostFacts::visit(facts, walk);
    return walk.forgotten();
}

struct Exception {
    std::string_view codes, fact, why;  // codes: separated by blanks, "*" for every rule
};
const std::vector<Exception>& exceptions() {
    static const std::vector<Exception> list{
        // What a tool prints only when it is so: not shown means that it is not.
        {"*", "disks.removable", "a mark"},
        {"*", "disks.read_only", "a mark"},
        {"*", "disks.thin", "a mark"},
        {"*", "disks.cache_protected", "a mark"},
        {"*", "disks.ignores_flush", "a mark: measured"},
        {"*", "tables.protective", "a mark"},
        {"*", "tables.fictitious", "a mark"},
        {"*", "volumes.activity", "a mark: printed while it goes on"},
        {"*", "volumes.activity_progress", "what goes on is running unless it is said to wait"},
        {"*", "volumes.activity_percent", "what goes on has not ended unless it is said to"},
        {"*", "volumes.auto_read_only", "a mark"},
        {"*", "volumes.components.role",
         "a mark: a component is data unless it is said to be a log, cache or spare"},
        {"*", "volumes.reshape_change", "a mark"},
        {"*", "filesystems.inodes_expected", "what the user adds"},
        {"*", "throughputs.cached", "a mark"},
        // What is so unless somebody changed it.
        {"CACHE002 CACHE003", "sysctls.vfs.wapbl.flush_disk_cache", "on by default"},
        {"CACHE002", "disks.write_cache", "drives come with it on, and the counters are seen"},
        {"CACHE003", "mounts.options", "flushes are on by default"},
        {"CACHE003", "mounts.type", "flushes are on by default"},
        {"CACHE003", "mounts.device", "flushes are on by default"},
        {"CACHE003", "volumes.components.", "a disk belongs to no controller's set unless that is shown"},
        {"RAID003", "volumes.metadata", "mdstat prints none for 0.90, the usual kinds are printed"},
        {"RAID003", "os.name", "who prints that the map is off has maps"},
        {"RAID003", "os.release", "who prints that the map is off has maps"},
        // Severity of the contract, lowered only for what is seen.
        {"FFS006", "filesystems.wapbl", "info when journalled"},
        {"RAID008 RAID009 ZFS001", "disks.rotational", "less on solid state"},
        {"RAID008 RAID009", "volumes.components.", "less on solid state"},
        {"IO001", "disks.rotational", "rotational or unknown"},
        {"JRNL001", "filesystems.size_bytes", "of unknown size: notice"},
        {"ALIGN002", "filesystems.bsize", "block unknown: notice"},
        {"ALIGN002", "partitions.type", "block unknown: notice"},
        // Another rule says it, or says more, as long as it knows enough.
        {"ALIGN002", "volumes.data_disks", "ALIGN003 otherwise"},
        {"RAID010", "volumes.columns", "RAID018 otherwise"},
        {"IO001", "volumes.components.", "said of the members otherwise"},
        // A listing that says so little is taken as people read it.
        {"ALIGN001 ALIGN007", "partitions.type", "a range without a kind holds data (lsblk)"},
        {"HOST002", "volumes.components.", "an empty table is the evidence"},
        {"DISK003", "disks.size_bytes", "a total of 2^32 - 1 sectors is the evidence"},
        {"DISK003", "mounts.device", "wedges that are used are not seen"},
        {"FFS004", "filesystems.type", "of the set: whatever shall lie on it"},
        {"FFS011", "filesystems.size_bytes", "as large as its partition"},
        {"FFS014", "filesystems.type", "df names no types; pools and discs are known by their names"},
        {"FFS014", "mounts.options", "df alone: full archives are few"},
        {"FFS014", "mounts.device", "df alone: full archives are few"},
        {"IO003", "disks.model", "members of one set are peers"},
        {"JRNL001", "fstab.options", "it is mounted; noauto would be in fstab"},
        {"MOUNT004", "disks.trim", "solid state takes TRIM unless it says that it does not"},
        {"RAID001 RAID011 RAID014", "volumes.columns", "every listing with states has it"},
        {"RAID004 RAID011 RAID014", "volumes.state", "every listing of a set that does not run says so"},
        {"RAID004", "volumes.components.state", "the set's own state says degraded"},
        {"RAID014", "volumes.components.state", "more are lost than may have been replaced"},
        {"RAID014", "volumes.level", "what has spares is redundant"},
        {"RAID005", "volumes.components.", "few sets lie on sets"},
        {"RAID015", "volumes.state", "that a set ran when its labels were read"},
        {"RAID006 RAID007 RAID015", "volumes.components.state",
         "a configuration or label names its data components without one"},
        {"RAID009", "io_traces.samples.writes_per_s",
         "the average since boot counts where no interval tells"},
        {"RAID009", "io_traces.samples.write_kb_per_s",
         "the average since boot counts where no interval tells"},
        {"RAID013", "filesystems.type", "only what is seen on it makes it the host's own"},
        {"RAID013", "volumes.components.", "only what is seen on it makes it the host's own"},
        {"RAID018", "partitions.size_bytes", "the only partition fills its set"},
        {"RAID020", "disks.rotational", "halves are alike unless they are known not to be"},
        {"RAID020", "volumes.components.", "halves are alike unless they are known not to be"},
        {"RAID022", "swap.size_bytes", "a swap partition is for swap unless another is used"},
        // A set is known by the tool that lists it, so that its kind is never missing.
        {"CACHE003 HOST002 RAID009 RAID013", "volumes.kind",
         "hardware, ZFS and graid3 are named by their tools"},
    };
    return list;
}

bool names(std::string_view codes, std::string_view code) {
    return codes == "*" || codes.find(code) != std::string_view::npos;
}

// Forgetting a list forgets each fact in it.
bool covers(std::string_view fact, std::string_view forgotten) {
    return fact == forgotten || (forgotten.ends_with('.') && fact.starts_with(forgotten));
}

struct Worst {
    int findings = 0;
    Severity severity = Severity::info;
};
std::map<std::string_view, Worst> worst_by_code(const Judgement& judgement) {
    std::map<std::string_view, Worst> out;
    for (const Finding& f : judgement.findings) {
        // What a condition keeps open may come with less known (ALIGN001, ALIGN004, FFS001, IO005).
        if (!f.condition.empty() && f.severity <= Severity::notice) continue;
        Worst& w = out[f.code];
        ++w.findings, w.severity = std::max(w.severity, f.severity);
    }
    return out;
}

class Unknown : public testing::Test {
 protected:
    void compare(const std::map<std::string_view, Worst>& before, const HostFacts& less, const test::Row& row,
                 const std::vector<std::string>& forgotten) {
        for (const auto& [code, now] : worst_by_code(judge(less, {}, row.workload))) {
            const auto was = before.find(code);
            if (was != before.end() && now.findings <= was->second.findings &&
                now.severity <= was->second.severity)
                continue;
            bool allowed = false;
            for (const Exception& e : exceptions())
                for (const std::string& fact : forgotten)
                    if (names(e.codes, code) && covers(e.fact, fact)) allowed = true, used.insert(&e);
            std::string what;
            for (const std::string& fact : forgotten) what += " " + fact;
            EXPECT_TRUE(allowed) << row.slug << ": " << row.name << ": " << code << " ("
                                 << to_string(now.severity) << ") comes from not knowing" << what;
        }
    }
    std::set<const Exception*> used;
};

TEST_F(Unknown, NoFindingComesFromOneOrTwoFactsForgotten) {
    for (const test::Row& row : test::rule_rows()) {
        const auto before = worst_by_code(judge(row.facts, {}, row.workload));
        for (std::size_t i = 0;; ++i) {
            HostFacts less = row.facts;
            const std::string first = forget(less, i);
            if (first.empty()) break;
            compare(before, less, row, {first});
            // Those before it were the first in their turn.
            for (std::size_t j = i;; ++j) {
                HostFacts least = less;
                const std::string second = forget(least, j);
                if (second.empty()) break;
                compare(before, least, row, {first, second});
            }
        }
    }
    for (const Exception& e : exceptions())
        EXPECT_TRUE(used.contains(&e)) << "nothing needs the exception of " << e.codes << " for " << e.fact;
}

// Rules for which there is nothing to ask: the fact that shows the fault is there or the fault is not.
const std::map<std::string_view, std::string_view>& never_skips() {
    static const std::map<std::string_view, std::string_view> list{
        {"ALIGN006", "a table is printed with the size of its device"},
        {"ALIGN008", "needs a measurement or a model of the table"},
        {"DISK004", "something said so"},
        {"DISK005", "something said so"},
        {"DISK006", "a table is printed with its types"},
        {"HOST001", "two sources said so"},
        {"HOST003", "the input shows it"},
        {"IO003", "needs figures of all members over the same time"},
        {"IO007", "a measurement shows it"},
        {"IO008", "needs a known load and figures of it"},
        {"IO009", "two timings show it"},
        {"RAID011", "something said so"},
        {"RAID015", "counters are printed with their set"},
        {"RAID017", "something asks for it"},
        {"RAID019", "members say so"},
    };
    return list;
}

TEST_F(Unknown, RulesSayWhatTheyMiss) {
    std::set<std::string_view> skipped;
    const auto note = [&](const HostFacts& facts, std::string_view workload) {
        for (const Skip& s : judge(facts, {}, workload).skips) skipped.insert(s.code);
    };
    for (const test::Row& row : test::rule_rows()) {
        note(row.facts, row.workload);
        for (std::size_t i = 0;; ++i) {
            HostFacts less = row.facts;
            if (forget(less, i).empty()) break;
            note(less, row.workload);
        }
    }
    for (const Rule* rule : rule_set())
        EXPECT_NE(skipped.contains(rule->info.code), never_skips().contains(rule->info.code))
            << rule->info.code;
}

}  // namespace
}  // namespace diskwright
