// SPDX-License-Identifier: BSD-2-Clause
// Why a command of the table tells nothing: the words of Capture::notes, of manifests and of the printed
// script.
#pragma once

#include <string_view>

namespace diskwright::left_out {

inline constexpr std::string_view needs_root = "needs root",
                                  time_is_up = "left out, the time for looking is up",
                                  no_answer = "gave no answer in time",
                                  hung_before = "gave no answer before";  // behind "left out, PROGRAM"

/// Of a note "what: why": what, when nobody has looked there. Empty when something else is said of it, such
/// as that a command failed.
constexpr std::string_view not_looked_at(std::string_view note) {
    for (const auto why : {needs_root, time_is_up, no_answer})
        if (note.size() > why.size() + 2 && note.ends_with(why) &&
            note.substr(0, note.size() - why.size()).ends_with(": "))
            return note.substr(0, note.size() - why.size() - 2);
    if (note.ends_with(hung_before)) return note.substr(0, note.rfind(": left out, "));
    return {};
}

}  // namespace diskwright::left_out
