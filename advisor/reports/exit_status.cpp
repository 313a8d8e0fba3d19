// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/exit_status.hpp"

#include <algorithm>

namespace diskwright {

int exit_status(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
            return 64;
        case ErrorKind::bad_data:
            return 65;
        case ErrorKind::no_input:
            return 66;
        case ErrorKind::unavailable:
            return 69;
        case ErrorKind::internal:
            return 70;
        case ErrorKind::os_error:
            return 71;
        case ErrorKind::io_error:
            return 74;
        case ErrorKind::no_permission:
            return 77;
        case ErrorKind::bad_settings:
            return 78;
    }
    return 70;
}

int exit_status(std::span<const HostReport> hosts, std::optional<Severity> fail_on, bool strict_inputs) {
    const auto failed = [](const HostReport& host) { return host.error.has_value(); };
    const auto first = std::find_if(hosts.begin(), hosts.end(), failed);
    if (first != hosts.end() && (strict_inputs || std::all_of(hosts.begin(), hosts.end(), failed)))
        return exit_status(first->error->kind);
    if (!fail_on) return 0;
    for (const HostReport& host : hosts)
        for (const Finding& finding : host.judgement.findings)
            if (finding.severity >= *fail_on) return 1;
    return 0;
}

}  // namespace diskwright
