// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/array_model.hpp"

#include <algorithm>

namespace diskwright {
namespace {

template <class T>
std::uint32_t slot_of(std::vector<T>& slots, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
        slots.emplace_back();
        return static_cast<std::uint32_t>(slots.size() - 1);
    }
    const std::uint32_t slot = free.back();
    free.pop_back();
    return slot;
}

const DriveCounters nothing_done;

}  // namespace

ArrayModel::ArrayModel(ComponentSet components, const Sectors& sectors)
    : components_(std::move(components)), sectors_(sectors) {}

std::optional<DriveCompletion> ArrayModel::next(double until_s) {
    for (;;) {
        const double arrival_s = host_.empty() ? never : std::max(host_.front().arrival_s, now_s_);
        // What the driver does for itself goes on for ever; it is looked at as far as somebody looks.
        const bool endless = until_s == never && open_ == 0 && host_.empty() && driver_->dirty_blocks() == 0;
        const double wake_s = endless ? never : std::max(driver_->wakes_s(), now_s_);
        const double event_s = std::min({arrival_s, wake_s, done_.next_s()});
        if (const auto done = components_.next(std::min(event_s, until_s), array_counters_.queue_s)) {
            now_s_ = std::max(now_s_, done->completion.done_s);
            component_done(*done);
            continue;
        }
        if (event_s == never || event_s > until_s) {
            components_.settle(until_s);
            return std::nullopt;
        }
        now_s_ = event_s;
        if (done_.next_s() == event_s) {
            --open_;
            return done_.pop();
        }
        if (arrival_s == event_s) {
            const DriveRequest request = host_.front();
            host_.pop_front();
            arrive(request);
        } else {
            driver_->wake();
        }
        take_parts();
    }
}

void ArrayModel::arrive(const DriveRequest& request) {
    ++open_;
    const std::uint32_t slot = slot_of(requests_, free_requests_);
    requests_[slot] = {request, 1, now_s_};
    const std::uint32_t most = driver_->most_blocks();
    DriveRequest part = request;
    if (most > 0 && request.blocks > most) {
        requests_[slot].parts = (request.blocks + most - 1) / most;
        for (std::uint32_t at = 0; at < request.blocks; at += most) {
            part.block = request.block + at;
            part.blocks = std::min(most, request.blocks - at);
            parts_.push_back({part, slot});
        }
    } else {
        parts_.push_back({part, slot});
    }
}

void ArrayModel::take_parts() {
    while (!parts_.empty() && driver_->takes(parts_.front().part)) {
        const Part part = parts_.front();
        parts_.pop_front();
        array_counters_.queue_s += now_s_ - requests_[part.request].request.arrival_s;
        driver_->take(part.part, part.request);
    }
}

void ArrayModel::answer(std::uint32_t request, double at_s) {
    Request& answered = requests_[request];
    answered.answered_s = std::max({answered.answered_s, at_s, now_s_});
    if (--answered.parts > 0) return;
    const DriveRequest& done = answered.request;
    done_.push({done.id, done.arrival_s, answered.answered_s});
    if (done.operation == DriveOperation::flush) {
        ++volume_counters_.flushes;
        array_counters_.flush_s += answered.answered_s - done.arrival_s;
    } else {
        const bool write = done.operation == DriveOperation::write;
        ++(write ? volume_counters_.writes : volume_counters_.reads);
        (write ? volume_counters_.blocks_written : volume_counters_.blocks_read) += done.blocks;
    }
    free_requests_.push_back(request);
}

ArrayPlan& ArrayModel::new_plan() {
    planned_ = slot_of(jobs_, free_jobs_);
    jobs_[planned_].plan.clear();
    return jobs_[planned_].plan;
}

void ArrayModel::begin(std::uint32_t request, std::uint64_t tag) {
    Job& job = jobs_[planned_];
    job.plan.end_chain();
    job.request = request;
    job.tag = tag;
    job.locks = 0;
    job.begun_s = now_s_;
    lock_and_run(planned_);
}

void ArrayModel::lock_and_run(std::uint32_t index) {
    Job& job = jobs_[index];
    while (job.locks < job.plan.locks.size())
        if (!locks_.acquire(job.plan.locks[job.locks++], index)) return;
    array_counters_.queue_s += now_s_ - job.begun_s;
    job.chains.clear();
    job.chains_left = static_cast<std::uint32_t>(job.plan.chain_ends.size());
    std::uint32_t step = 0;
    for (const std::uint32_t end : job.plan.chain_ends) {
        job.chains.push_back({step, end, 0});
        step = end;
    }
    if (job.chains_left == 0) return finish(index);
    for (std::uint32_t chain = 0; chain < job.chains.size(); ++chain) send_step(index, chain);
}

void ArrayModel::send_step(std::uint32_t index, std::uint32_t chain) {
    Job& job = jobs_[index];
    const std::uint32_t step = job.chains[chain].step++;
    const std::uint32_t first = step == 0 ? 0 : job.plan.step_ends[step - 1], end = job.plan.step_ends[step];
    job.chains[chain].outstanding = end - first;
    for (std::uint32_t i = first; i < end; ++i) {
        const ComponentRequest& request = job.plan.requests[i];
        const std::uint32_t sent = slot_of(sent_, free_sent_);
        sent_[sent] = {request.use, index, chain};
        count(request);
        components_.send(request.component,
                         {sent, request.block, request.blocks, request.operation, request.through, now_s_},
                         now_s_, array_counters_.queue_s);
    }
}

void ArrayModel::count(const ComponentRequest& request) {
    const bool write = request.operation == DriveOperation::write;
    switch (request.use) {
        case ComponentUse::data:
        case ComponentUse::parity:
        case ComponentUse::old_data:
        case ComponentUse::recovery:
            break;  // counted as planned, before what lies next to each other is joined
        case ComponentUse::map:
            array_counters_.map_writes += write ? 1 : 0;
            break;
        case ComponentUse::rebuild:
            array_counters_.rebuild_blocks += write ? request.blocks : 0;
            break;
        case ComponentUse::flush:
            ++array_counters_.component_flushes;
            break;
    }
}

void ArrayModel::component_done(const ComponentSet::Done& done) {
    const auto slot = static_cast<std::uint32_t>(done.completion.id);
    const Sent sent = sent_[slot];
    free_sent_.push_back(slot);
    Job& job = jobs_[sent.job];
    Chain& chain = job.chains[sent.chain];
    if (--chain.outstanding > 0) return;
    // What the whole step took is what the request waited for.
    const double step_s = now_s_ - job.begun_s;
    const std::uint32_t first = chain.step < 2 ? 0 : job.plan.step_ends[chain.step - 2];
    const ComponentUse use = job.plan.requests[first].use;
    const bool read = job.plan.requests[first].operation == DriveOperation::read;
    if (sent.chain == 0 && job.request != nobodys_request) {
        if (use == ComponentUse::map || (use == ComponentUse::flush && job.plan.requests.front().use != use))
            array_counters_.map_write_s += step_s;
        else if (read && (use == ComponentUse::old_data || use == ComponentUse::parity))
            array_counters_.parity_read_s += step_s;
    }
    job.begun_s = now_s_;
    if (chain.step < chain.last_step) return send_step(sent.job, sent.chain);
    if (--job.chains_left == 0) {
        finish(sent.job);
        take_parts();
    }
}

void ArrayModel::finish(std::uint32_t index) {
    const std::uint64_t tag = jobs_[index].tag;
    const std::uint32_t request = jobs_[index].request;
    if (!jobs_[index].plan.locks.empty()) {
        locks_.release(index, granted_);
        const std::vector<std::uint32_t> granted = granted_;
        for (const std::uint32_t other : granted) lock_and_run(other);
    }
    free_jobs_.push_back(index);
    driver_->done(tag, request);
}

std::uint64_t ArrayModel::dirty_blocks() const {
    std::uint64_t blocks = driver_->dirty_blocks();
    for (std::size_t i = 0; i < components_.size(); ++i) blocks += component_dirty_blocks(i);
    return blocks;
}

std::uint64_t ArrayModel::component_dirty_blocks(std::size_t component) const {
    const SimulatedDrive* drive = components_.drive(component);
    return drive ? drive->dirty_blocks() : 0;
}

const DriveCounters& ArrayModel::component_counters(std::size_t component) const {
    const SimulatedDrive* drive = components_.drive(component);
    return drive ? drive->counters() : nothing_done;
}

const DriveCounters& ArrayModel::counters() const {
    counters_ = volume_counters_;
    for (std::size_t i = 0; i < components_.size(); ++i) {
        const DriveCounters& of = component_counters(i);
        counters_.blocks_from_buffer += of.blocks_from_buffer;
        counters_.media_written += of.media_written;
        counters_.overwritten_in_buffer += of.overwritten_in_buffer;
        counters_.busy_s += of.busy_s;
        counters_.seek_s += of.seek_s;
        counters_.rotation_s += of.rotation_s;
        counters_.transfer_s += of.transfer_s;
    }
    return counters_;
}

}  // namespace diskwright
