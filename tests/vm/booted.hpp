// SPDX-License-Identifier: BSD-2-Clause
// Tests of one boot share it; helpers for what snippets bring back.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "tests/vm/machine.hpp"

namespace diskwright::test {

/// A fixture per boot: class alignment : public Booted<alignment> { public: static constexpr const char* boot
/// }.
template <class Boot>
class Booted : public testing::Test {
 protected:
    static Machine& machine() {
        static Machine once(Boot::boot);
        return once;
    }
    static void SetUpTestSuite() {
        if (Machine::missing() || started_) return;
        started_ = true;
        Boot::prepare(machine());
        machine().start();
    }
    void SetUp() override {
        if (const auto why = Machine::missing()) GTEST_SKIP() << "skipped: no virtual machine: " << *why;
    }
    /// Boots that need no drives.
    static void prepare(Machine&) {}

    /// What that snippet left; fails where it did not end well.
    static const SnippetResult& snippet(const std::string& name) {
        const SnippetResult& result = machine().result(name);
        EXPECT_EQ(result.status, 0) << name << ": " << result.errors << "\nconsole:\n"
                                    << (result.status < 0 ? machine().console() : "");
        return result;
    }

 private:
    inline static bool started_ = false;
};

/// "ALIGN001 sda1" of each finding in the capture of lib.sh's look(), sorted.
std::vector<std::string> findings(const SnippetResult& snippet, const std::string& look);
/// The facts of that capture, as JSON.
nlohmann::ordered_json facts(const SnippetResult& snippet, const std::string& look);
/// The element of that list whose "name" it is; null where there is none.
nlohmann::ordered_json named(const nlohmann::ordered_json& list, const std::string& name);

}  // namespace diskwright::test
