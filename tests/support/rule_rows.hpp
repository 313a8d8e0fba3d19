// SPDX-License-Identifier: BSD-2-Clause
// The rows of all tables in tests/rules, for what must hold of them together.
#pragma once

#include <string>
#include <vector>

#include "probes/model/host_facts.hpp"

namespace diskwright::test {

struct Row {
    std::string slug, name, workload;  // slug: of the rule whose table it is
    HostFacts facts;
};

/// Read once. Rows whose facts are no facts are left out: the table's own test says so.
const std::vector<Row>& rule_rows();

}  // namespace diskwright::test
