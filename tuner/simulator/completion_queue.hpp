// SPDX-License-Identifier: BSD-2-Clause
// Requests that are done at a known time, the earliest first; of equals the one of the smallest id.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

class CompletionQueue {
 public:
    void push(const DriveCompletion& completion) {
        heap_.push_back(completion);
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    /// Infinity when there is none.
    double next_s() const {
        return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().done_s;
    }
    DriveCompletion pop() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const DriveCompletion first = heap_.back();
        heap_.pop_back();
        return first;
    }

 private:
    static bool later(const DriveCompletion& a, const DriveCompletion& b) {
        return a.done_s != b.done_s ? a.done_s > b.done_s : a.id > b.id;
    }
    std::vector<DriveCompletion> heap_;
};

}  // namespace diskwright
