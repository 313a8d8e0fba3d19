// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/families.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return diskwright::fuzz::read_as("linux-raid", data, size);
}
