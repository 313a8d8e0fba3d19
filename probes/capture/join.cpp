// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/join.hpp"

#include <algorithm>
#include <cmath>

#include "probes/parsers/zfs_names.hpp"

namespace diskwright {
namespace {

// One report of an interval, not since boot.
bool is_single(const IoTrace& t) {
    return t.samples.size() == 1 && !t.samples.front().since_boot && t.interval_s && t.run;
}

bool same_columns(const IoSample& a, const IoSample& b) {
    return a.reads_per_s.has_value() == b.reads_per_s.has_value() &&
           a.queue.has_value() == b.queue.has_value() &&
           a.service_ms.has_value() == b.service_ms.has_value() &&
           a.read_await_ms.has_value() == b.read_await_ms.has_value() &&
           a.kb_per_s.has_value() == b.kb_per_s.has_value();
}

// Whether `later` goes on where `trace` ends. dT of gstat varies by a few milliseconds.
bool goes_on(const IoTrace& trace, const IoTrace& later) {
    const IoSample& last = trace.samples.back();
    return trace.device == later.device && last.from.source() == later.samples.front().from.source() &&
           same_columns(last, later.samples.front()) &&
           std::abs(*trace.interval_s - *later.interval_s) <= 0.2 * *trace.interval_s;
}

// Whether df would print `point` so.
bool is_shown_as(std::string_view point, std::string_view shown) {
    return point.size() == shown.size() && point != shown &&
           std::equal(point.begin(), point.end(), shown.begin(), [](char c, char as) {
               const auto byte = static_cast<unsigned char>(c);
               return c == as || (as == '?' && (byte < 32 || byte == 127));
           });
}

}  // namespace

void join_shortened_points(HostFacts& facts) {
    std::vector<const Mount*> odd;  // with a character that df does not print
    for (const Mount& m : facts.mounts)
        if (std::any_of(m.point.begin(), m.point.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }))
            odd.push_back(&m);
    std::vector<std::string> twice;
    for (const Mount& m : facts.mounts) {
        if (m.point.find('?') == std::string::npos || !m.device) continue;
        if (std::any_of(odd.begin(), odd.end(), [&](const Mount* full) {
                return full->device && device_name(*full->device) == device_name(*m.device) &&
                       is_shown_as(full->point, m.point);
            }))
            twice.push_back(m.point);
    }
    std::erase_if(facts.mounts, [&](const Mount& m) {
        return std::find(twice.begin(), twice.end(), m.point) != twice.end();
    });
}

void join_controller_volumes(HostFacts& facts) {
    for (std::size_t i = 0; i < facts.volumes.size();) {
        const std::string address = facts.volumes[i].name;
        const auto named = std::find_if(facts.volumes.begin(), facts.volumes.end(), [&](const Volume& v) {
            return v.kind.is(VolumeKind::hardware) && v.name != address && v.set_name.is(address);
        });
        if (!facts.volumes[i].kind.is(VolumeKind::hardware) || named == facts.volumes.end()) {
            ++i;
            continue;
        }
        HostFacts one;
        one.volumes.push_back(std::move(facts.volumes[i]));
        one.volumes.front().name = named->name;
        facts.volumes.erase(facts.volumes.begin() + static_cast<std::ptrdiff_t>(i));
        merge(facts, std::move(one));
    }
}

void join_unnamed_pool(HostFacts& facts) {
    const auto unnamed = std::find_if(facts.volumes.begin(), facts.volumes.end(),
                                      [](const Volume& v) { return v.name == unnamed_pool; });
    std::string name;
    for (const Volume& v : facts.volumes) {
        if (!v.kind.is(VolumeKind::zfs) || v.name == unnamed_pool) continue;
        if (!name.empty()) return;
        name = v.name;
    }
    if (unnamed == facts.volumes.end() || name.empty()) return;
    HostFacts one;
    one.volumes.push_back(std::move(*unnamed));
    one.volumes.front().name = name;
    facts.volumes.erase(unnamed);
    merge(facts, std::move(one));
}

void join_single_reports(HostFacts& facts) {
    std::vector<IoTrace> out;
    std::size_t first = 0;  // of the run that is being continued, in `out`
    bool open = false;      // whether that run may go on
    const auto& traces = facts.io_traces;
    for (std::size_t i = 0; i < traces.size();) {
        std::size_t end = i;
        while (end < traces.size() && traces[end].run == traces[i].run) ++end;
        const bool single = std::all_of(traces.begin() + static_cast<std::ptrdiff_t>(i),
                                        traces.begin() + static_cast<std::ptrdiff_t>(end), is_single);
        bool continues = open && single && out.size() - first == end - i;
        for (std::size_t k = i; continues && k < end; ++k) continues = goes_on(out[first + k - i], traces[k]);
        if (continues) {
            for (std::size_t k = i; k < end; ++k)
                out[first + k - i].samples.push_back(traces[k].samples.front());
        } else {
            first = out.size();
            open = single;
            out.insert(out.end(), traces.begin() + static_cast<std::ptrdiff_t>(i),
                       traces.begin() + static_cast<std::ptrdiff_t>(end));
        }
        i = end;
    }
    facts.io_traces = std::move(out);
}

}  // namespace diskwright
