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

void HostTally::add(const HostReport& host) {
    ++hosts;
    if (host.error) {
        ++failed;
        if (!first_error) first_error = host.error->kind;
    } else if (host.judgement.findings.empty()) {
        ++clean;
    } else {
        Severity greatest = Severity::info;
        for (const Finding& finding : host.judgement.findings)
            greatest = std::max(greatest, finding.severity);
        ++worst.at(static_cast<std::size_t>(greatest));
    }
}

void HostTally::add(const HostTally& other) {
    hosts += other.hosts, failed += other.failed, clean += other.clean;
    for (std::size_t s = 0; s < worst.size(); ++s) worst.at(s) += other.worst.at(s);
    if (!first_error) first_error = other.first_error;
}

HostTally tally_of(std::span<const HostReport> hosts) {
    HostTally tally;
    for (const HostReport& host : hosts) tally.add(host);
    return tally;
}

int exit_status(const HostTally& tally, std::optional<Severity> fail_on, bool strict_inputs) {
    if (tally.first_error && (strict_inputs || tally.failed == tally.hosts))
        return exit_status(*tally.first_error);
    if (!fail_on) return 0;
    for (std::size_t s = static_cast<std::size_t>(*fail_on); s < tally.worst.size(); ++s)
        if (tally.worst.at(s) != 0) return 1;
    return 0;
}

}  // namespace diskwright
