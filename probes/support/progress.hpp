// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string_view>

namespace diskwright {

/// Told by long work how far it is; asked by it whether to stop. The terminal line is advisor/cli's.
class ProgressMeter {
 public:
    virtual ~ProgressMeter() = default;
    /// done of total, in whatever unit the work counts; total 0 when it is not known.
    virtual void at(std::string_view step, double done, double total) = 0;
    /// True once the user asked to stop: finish what must not be left half done, then return.
    virtual bool cancelled() const = 0;
};

}  // namespace diskwright
