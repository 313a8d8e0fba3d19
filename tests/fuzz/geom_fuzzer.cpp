// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/families.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace diskwright::fuzz;
    return bounded(read_as("geom", data, size), most_of_one);
}
