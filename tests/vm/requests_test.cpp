// SPDX-License-Identifier: BSD-2-Clause
// Requests of Linux's file systems, measured again: those of the table that the simulator is compared with.
#include <algorithm>
#include <cmath>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/vm/booted.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

class requests : public test::Booted<requests> {
 public:
    static constexpr const char* boot = "requests";
    static void prepare(test::Machine& machine) {
        machine.drives.push_back(machine.sparse_drive(std::uint64_t{16} << 30));
    }
};

// What depends on how fast the machine is, as commits by time, differs from boot to boot.
void expect_near(const Json& of, const std::string& what, double now) {
    const double then = of[what];
    const double least = what.ends_with("bytes") ? 256 * 1024 : 24;
    EXPECT_NEAR(now, then, std::max(0.3 * then, least)) << what;
}

void expect_table(const test::SnippetResult& measured, const std::string& type) {
    const Json table = Json::parse(test::read_file(test::data_folder() / "simulator/linux_io_counts.json"));
    const std::string counts = measured.file("counts");
    unsigned rows = 0;
    for (const std::string_view line : split_lines(counts)) {
        const auto field = words(line);
        ASSERT_GE(field.size(), 8U) << line;
        if (field[2] != "settled") continue;
        SCOPED_TRACE(std::string(line));
        const auto number = [&](std::size_t n) { return double(to_unsigned(field[n]).value_or(0)); };
        for (const Json& row : table["rows"]) {
            const std::string journal = row.value("journal", std::string("ordered"));
            if (row["filesystem"] != type || journal != "ordered" || row["phase"] != std::string(field[1]))
                continue;
            ++rows;
            expect_near(row["settled"], "read_bytes", number(4) * 512);
            expect_near(row["settled"], "writes", number(5));
            expect_near(row["settled"], "write_bytes", number(6) * 512);
        }
    }
    EXPECT_EQ(rows, 8U) << counts << measured.errors;
}

TEST_F(requests, OfExt4AreThoseOfTheTable) {
    expect_table(snippet("ext4"), "ext4");
}

TEST_F(requests, OfXfsAreThoseOfTheTable) {
    expect_table(snippet("xfs"), "xfs");
}

}  // namespace
}  // namespace diskwright
