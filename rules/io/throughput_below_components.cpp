// SPDX-License-Identifier: BSD-2-Clause
// IO005: a set that was measured slower than its level allows with these components.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "probes/support/safe_name.hpp"
#include "rules/io/traces.hpp"

namespace diskwright {
namespace {

using io::short_number;

bool usable(const Throughput& t) {
    return t.direction && t.bytes_per_s && *t.bytes_per_s > 0 && !t.cached.is(true);
}

bool same_request(const Number& a, const Number& b) {
    return !a || !b || *a == *b;
}

// The best figure of a device: outer zone, second try.
class Rates {
 public:
    explicit Rates(const HostFacts& host) {
        for (const Throughput& t : host.throughputs)
            if (usable(t)) by_device_[device_name(t.device)].push_back(&t);
    }
    const Throughput* best(std::string_view device, const std::string& direction,
                           const Number& request) const {
        const auto at = by_device_.find(device_name(device));
        if (at == by_device_.end()) return nullptr;
        const Throughput* out = nullptr;
        for (const Throughput* t : at->second)
            if (*t->direction == direction && same_request(t->request_bytes, request) &&
                (!out || *t->bytes_per_s > *out->bytes_per_s))
                out = t;
        return out;
    }

 private:
    std::map<std::string, std::vector<const Throughput*>> by_device_;
};

// How many components one sequential stream of that request size keeps busy at best.
std::optional<double> width(const Volume& volume, const Number& request) {
    if (!volume.level) return std::nullopt;
    double n = 1;
    switch (*volume.level) {
        case RaidLevel::raid1:
        case RaidLevel::concat:
            return 1;
        case RaidLevel::raid0:
        case RaidLevel::raid3:
        case RaidLevel::raid4:
        case RaidLevel::raid5:
        case RaidLevel::raid6:
        case RaidLevel::raid10:
            break;
    }
    if (volume.data_disks) {
        n = static_cast<double>(*volume.data_disks);
    } else {
        const auto members = static_cast<double>(data_components(volume).size());
        const bool one_parity = volume.level.is(RaidLevel::raid3) || volume.level.is(RaidLevel::raid4) ||
                                volume.level.is(RaidLevel::raid5);
        n = volume.level.is(RaidLevel::raid0)   ? members
            : one_parity                        ? members - 1
            : volume.level.is(RaidLevel::raid6) ? members - 2
                                                : members / 2;
    }
    // A request smaller than a stripe, sent one at a time, reaches fewer disks.
    if (request && volume.stripe_unit_bytes && *volume.stripe_unit_bytes > 0)
        n = std::min(
            n, std::max(1.0, static_cast<double>(*request) / static_cast<double>(*volume.stripe_unit_bytes)));
    return n >= 1 ? std::optional(n) : std::nullopt;
}

// The same way of measuring, for a component. Words of the input are no commands: of the tools those that are
// known, else dd(1).
std::string rate_command(const Throughput& of_set, const std::string& component) {
    const std::string device = safe_name(component) ? component : std::string("NAME");
    const std::string tool = of_set.tool.value_or("");
    if (tool.starts_with("diskinfo")) return fmt::format("diskinfo -t /dev/{}", device);
    if (tool.starts_with("hdparm")) return fmt::format("hdparm -t /dev/{}", device);
    return fmt::format("dd if=/dev/{} of=/dev/null bs={} count=1024", device,
                       of_set.request_bytes.value_or(MiB));
}

// What the input leaves open; empty when the figures can be compared as they are.
std::string unsaid(const Volume& volume, const Throughput& of_set, const Throughput& slowest,
                   bool some_unmeasured) {
    if (some_unmeasured)
        return fmt::format("the components that were not measured reach {} MB/s as well",
                           short_number(*slowest.bytes_per_s / 1e6));
    if (of_set.request_bytes.known() != slowest.request_bytes.known()) return "the requests were of one size";
    // The other tools choose large ones themselves.
    if (!of_set.request_bytes && (!of_set.tool || of_set.tool.is("dd"))) return "the requests were large";
    if (of_set.request_bytes && !volume.stripe_unit_bytes && is_striped(volume))
        return "the requests cover the stripe";
    return {};
}

void check(const RuleContext& context, Findings& out) {
    const Rates rates(context.host);
    for (const Volume& volume : context.host.volumes) {
        const bool whole = !volume.state || volume.state.is(VolumeState::optimal);
        if (!whole || volume.activity || volume.kind.is(VolumeKind::crypto) ||
            volume.kind.is(VolumeKind::lvm))
            continue;
        const auto members = data_components(volume);
        if (members.empty()) continue;
        for (const std::string direction : {"read", "write"}) {
            const Throughput* of_set = nullptr;
            for (const Throughput& t : context.host.throughputs)
                if (usable(t) && *t.direction == direction && same_device(t.device, volume.name) &&
                    (!of_set || *t.bytes_per_s > *of_set->bytes_per_s))
                    of_set = &t;
            if (!of_set) continue;
            const Throughput* slowest = nullptr;
            std::size_t measured = 0;
            for (const Component* c : members) {
                const Throughput* t = rates.best(c->name, direction, of_set->request_bytes);
                if (!t)
                    t = rates.best(context.graph.start_on_base(c->name).base, direction,
                                   of_set->request_bytes);
                if (!t) continue;
                ++measured;
                if (!slowest || *t->bytes_per_s < *slowest->bytes_per_s) slowest = t;
            }
            const auto n = width(volume, of_set->request_bytes);
            if (!slowest && direction == "read")
                out.skip(volume.name, {rate_command(*of_set, device_name(members.front()->name))});
            if (!slowest || !n) continue;
            const double bound = *n * *slowest->bytes_per_s;
            if (*of_set->bytes_per_s >= context.thresholds.throughput_share * bound) continue;
            auto report = out.report(volume.name);
            report
                .message(fmt::format("{}s {} MB/s where {} components of {} MB/s allow {} MB/s", direction,
                                     short_number(*of_set->bytes_per_s / 1e6), short_number(*n),
                                     short_number(*slowest->bytes_per_s / 1e6), short_number(bound / 1e6)))
                .evidence(of_set->bytes_per_s)
                .evidence(slowest->bytes_per_s)
                .evidence(volume.level)
                .cost(fmt::format("{} times slower than its components allow",
                                  short_number(bound / *of_set->bytes_per_s)))
                .note(
                    "Usual causes: requests smaller than the stripe unit or cut at its borders, too little "
                    "read-ahead or too small a MAXPHYS for the stripe, partial-stripe writes on parity, one "
                    "slow member, a shared bus or expander, a partition that is not aligned. Measure all "
                    "members at once: if their sum falls too, the path to them is the limit and not the "
                    "set.");
            const std::string condition = unsaid(volume, *of_set, *slowest, measured < members.size());
            if (!condition.empty()) report.conditional(condition);
        }
    }
}

}  // namespace

extern const Rule io_throughput_below_components;
const Rule io_throughput_below_components{
    {.code = "IO005",
     .slug = "throughput-below-components",
     .severity = Severity::warning,
     .impact = 3,
     .summary = "a set is slower than half of what its components allow",
     .why = "With large requests a stripe of n disks reaches n times its slowest disk, a mirror one disk's "
            "rate for writing, and a parity set n-1 (or n-2) for sequential work. Half of that or less means "
            "the layer or its settings cost more than the disks. Figures of the same direction and request "
            "size are compared, taken without a cache; a set that is degraded or rebuilding is not judged.",
     .cost = "The ratio shown with the finding.",
     .remedy =
         "Look at stripe unit against request size, alignment, read-ahead, MAXPHYS, a slow member, the bus.",
     .bad = R"({"volumes": [{"name": "stripe/v0", "kind": "gstripe", "level": "0", "data_disks": 2,
        "components": [{"name": "ada2"}, {"name": "ada3"}]}], "throughputs": [
        {"device": "ada2", "direction": "read", "bytes_per_s": 151000000, "tool": "diskinfo"},
        {"device": "ada3", "direction": "read", "bytes_per_s": 150000000, "tool": "diskinfo"},
        {"device": "stripe/v0", "direction": "read", "bytes_per_s": 42000000, "tool": "diskinfo"}]})",
     .good = R"({"volumes": [{"name": "stripe/v0", "kind": "gstripe", "level": "0", "data_disks": 2,
        "components": [{"name": "ada2"}, {"name": "ada3"}]}], "throughputs": [
        {"device": "ada2", "direction": "read", "bytes_per_s": 151000000, "tool": "diskinfo"},
        {"device": "ada3", "direction": "read", "bytes_per_s": 150000000, "tool": "diskinfo"},
        {"device": "stripe/v0", "direction": "read", "bytes_per_s": 260000000, "tool": "diskinfo"}]})",
     .references = "diskinfo(8), dd(1), hdparm(8), gstripe(8), md(4)"},
    check};

}  // namespace diskwright
