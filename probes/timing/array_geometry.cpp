// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"
#include "probes/timing/array/array_timer.hpp"
#include "probes/timing/array/read_layout.hpp"
#include "probes/timing/array/unit_boundaries.hpp"
#include "probes/timing/array/write_layout.hpp"
#include "probes/timing/grading.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t least_bytes = 256 * MiB;
// A unit of high confidence: nearly all of its multiples are slow to cross, and hardly anything else is.
constexpr double usual_crossing = 0.7, unusual_elsewhere = 0.02;
// Deviation of times from what a layout explains; 10 % of noise and the chance of rotation make 0.2.
constexpr double usual_deviation = 0.3;

class Geometry {
 public:
    explicit Geometry(const ProbeContext& context) : context_(context), timer_(context) {}
    ArrayGeometry measure();

 private:
    Measurement& of(std::string_view quantity) { return out_.profile[std::string(quantity)]; }
    void none(std::string_view reason, std::size_t from = 0);
    std::string why_ended(const std::string& otherwise) const;
    void set(Measurement& to, decltype(Measurement::value) value, std::uint64_t samples, Grade grade) const;
    bool find_unit();
    bool find_disks();
    void find_redundancy();
    void tell(const LayoutCandidate& found, std::uint64_t samples, const Grade& grade);
    std::string scratch_obstacle() const;

    const ProbeContext& context_;
    ArrayTimer timer_;
    ArrayGeometry out_;
    UnitBoundaries unit_;
    ReadLayout reads_;
};

// Of the quantities from that one on.
void Geometry::none(std::string_view reason, std::size_t from) {
    for (std::size_t i = from; i < geometry_quantities.size(); ++i)
        of(geometry_quantities[i]) = Measurement::inconclusive(i < 1 ? "bytes" : "", reason);
}

std::string Geometry::why_ended(const std::string& otherwise) const {
    if (timer_.failure()) return timer_.failure()->message;
    if (timer_.interrupted()) return "interrupted before it was measured";
    if (timer_.out_of_time()) return "the time was over before it was measured";
    return otherwise;
}

// What was decided before a failure stays decided, but for what a cache of the host answered.
void Geometry::set(Measurement& to, decltype(Measurement::value) value, std::uint64_t samples,
                   Grade grade) const {
    to.value = std::move(value);
    to.samples = samples;
    conclude(to, std::move(grade), context_.device, {});
}

bool Geometry::find_unit() {
    unit_ = find_unit_boundaries(timer_, context_.device.first_byte());
    if (!unit_.unit_bytes) {
        none(why_ended(unit_.reason));
        of("stripe_unit_bytes").samples = unit_.walks;
        return false;
    }
    Grade grade;
    if (unit_.slow_at_multiples < usual_crossing || unit_.slow_elsewhere > unusual_elsewhere)
        grade = {Confidence::medium,
                 fmt::format("{:.0f} % of its multiples were slow to cross, and {:.1f} % of other places",
                             100 * unit_.slow_at_multiples, 100 * unit_.slow_elsewhere)};
    Measurement& unit = of("stripe_unit_bytes");
    unit.unit = "bytes";
    unit.spread = 0;
    set(unit, static_cast<double>(*unit_.unit_bytes), unit_.walks, grade);
    return unit.confidence != Confidence::inconclusive;
}

bool Geometry::find_disks() {
    if (context_.device.most_in_flight() < 2) {
        none("the device takes one request at a time", 1);
        return false;
    }
    UnitPlaces places(timer_, *unit_.unit_bytes, context_.device.first_byte(), timer_.size_bytes());
    reads_ = find_read_layout(timer_, places, unit_.random_s);
    if (!reads_.left.empty()) return true;
    none(why_ended(reads_.reason), 1);
    return false;
}

void Geometry::tell(const LayoutCandidate& found, std::uint64_t samples, const Grade& grade) {
    none("", 1);
    if (found.data_disks)
        set(of("data_disks"), static_cast<double>(*found.data_disks), samples, grade);
    else
        of("data_disks").reason = fmt::format("two copies on {} disks: no whole number", found.columns);
    set(of("redundancy"), std::string(found.redundancy()), samples, grade);
    if (found.layout.empty())
        of("layout").reason = found.level == RaidLevel::raid0 ? "nothing redundant to lie anywhere"
                              : found.level == RaidLevel::raid4
                                  ? "parity on a disk of its own"
                                  : "left-asymmetric with P and Q the other way round, which has no name";
    else
        set(of("layout"), found.layout, samples, grade);
}

// Why the scratch area is of no use; empty when it is.
std::string Geometry::scratch_obstacle() const {
    std::string why;
    if (!context_.scratch)
        why = "telling which needs a scratch area";
    else if (context_.scratch->name() != context_.device.name())
        why = "the scratch area is on another device";
    if (why.empty()) return why;
    return fmt::format("reads go round {} disks, as they do with and without parity: {}",
                       reads_.left.front()->columns, why);
}

void Geometry::find_redundancy() {
    Grade grade;
    if (reads_.deviation > usual_deviation)
        grade = {Confidence::medium,
                 fmt::format("times lie {:.0f} % beside what the layout explains", 100 * reads_.deviation)};
    if (reads_.left.size() == 1) return tell(*reads_.left.front(), reads_.batches, grade);
    if (const std::string obstacle = scratch_obstacle(); !obstacle.empty()) return none(obstacle, 1);
    const ScratchDevice& scratch = *context_.scratch;
    const UnitPlaces places(timer_, *unit_.unit_bytes, scratch.first_byte(), scratch.size_bytes());
    const WriteLayout writes = find_write_layout(timer_, places, reads_.left, *unit_.unit_bytes);
    if (!writes.found) {
        none(fmt::format("reads go round {} disks, but what of them is redundant stays open: {}",
                         reads_.left.front()->columns, why_ended(writes.reason)),
             1);
        return;
    }
    if (!writes.doubt.empty()) grade = worse(grade, {Confidence::medium, writes.doubt});
    tell(*writes.found, reads_.batches + writes.batches, grade);
}

ArrayGeometry Geometry::measure() {
    if (context_.device.size_bytes() < least_bytes) {
        none(fmt::format("too small: {}", human_size(context_.device.size_bytes())));
        return std::move(out_);
    }
    if (find_unit() && find_disks()) find_redundancy();
    if (!context_.device.cached_because().empty())
        none("may be the time of a cache: " + context_.device.cached_because());
    out_.failure = timer_.failure();
    return std::move(out_);
}

}  // namespace

ArrayGeometry measure_array_geometry(const ProbeContext& context) {
    return Geometry(context).measure();
}

ProbeOutcome measure_stripe_unit(const ProbeContext& context) {
    ArrayGeometry geometry = measure_array_geometry(context);
    ProbeOutcome outcome{std::move(geometry.profile["stripe_unit_bytes"]), std::move(geometry.failure), {}};
    geometry.profile.erase("stripe_unit_bytes");
    outcome.also = std::move(geometry.profile);
    return outcome;
}

}  // namespace diskwright
