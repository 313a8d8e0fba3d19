// SPDX-License-Identifier: BSD-2-Clause
#pragma once

namespace diskwright {

/// A drive that says when it has something to do: sets then take their components' events in exact order.
class TellsNextEvent {
 public:
    virtual ~TellsNextEvent() = default;
    /// The earliest moment at which something happens in it if nothing more is submitted; infinity when
    /// nothing will.
    virtual double next_event_s() const = 0;
};

}  // namespace diskwright
