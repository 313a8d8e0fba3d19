// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/risk_phrase.hpp"

namespace diskwright {

std::string_view risk_phrase(Risk risk) {
    switch (risk) {
        case Risk::none:
            return "no risk";
        case Risk::remount:
            return "remounts";
        case Risk::reboot:
            return "needs a reboot";
        case Risk::writes_metadata:
            return "writes metadata";
        case Risk::recreates_filesystem:
            return "recreates the file system: its data is lost";
        case Risk::recreates_array:
            return "recreates the set: its data is lost";
        case Risk::destroys_data:
            return "destroys data";
    }
    return "";
}

}  // namespace diskwright
