// SPDX-License-Identifier: BSD-2-Clause
// All table readers over images that are cut or damaged at random: nothing is read past the end, and the work
// is bounded.
#include <gtest/gtest.h>

#include "tests/support/table_reading.hpp"

namespace diskwright {
namespace {

using namespace test;

TEST(Tables, TruncatedAtEveryByte) {
    Bytes gpt = gpt_image();
    Bytes label(64 * 512);
    write_label(label, 512, 262016, netbsd_rows());
    for (Bytes* image : {&gpt, &label})
        for (std::size_t length = 0; length < 1024 + 16384 + 600 && length < image->bytes().size();
             ++length) {
            const std::vector<std::byte> head(image->bytes().begin(),
                                              image->bytes().begin() + static_cast<std::ptrdiff_t>(length));
            MemorySource source("wd0", head);
            const auto read = read_tables(source);
            for (const Error& e : read.errors) EXPECT_EQ(e.kind, ErrorKind::bad_data) << length;
            EXPECT_LT(source.reads, 64U);
        }
}

TEST(Tables, RandomDamageEndsInBoundedWork) {
    Bytes base(2048 * 512);
    write_gpt(base, 512, {{openbsd_data, 64, 1999}});
    write_label(base, 65 * 512, 2048, netbsd_rows());
    std::uint32_t state = 20240101;
    const auto next = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
    for (int round = 0; round < 400; ++round) {
        std::vector<std::byte> bytes = base.bytes();
        // Half of the rounds have an MBR with a chain in place of the GPT.
        Bytes chain(512);
        if (round % 2 == 0) {
            write_mbr(chain, 0,
                      {{0x05, next() % 64 + 1, 100}, {0x0f, next() % 64 + 1, 100}, {0xa6, 64, 500}});
            for (std::size_t s = 0; s < 64; ++s)
                std::copy(chain.bytes().begin() + 446, chain.bytes().end(),
                          bytes.begin() + static_cast<std::ptrdiff_t>(s * 512 + 446));
        }
        for (int i = 0; i < 1 + round % 16; ++i)
            bytes[next() % (80 * 512)] = static_cast<std::byte>(next() & 0xff);
        MemorySource source("sd0", std::move(bytes), 2048 * 512);
        const auto read = read_tables(source);
        EXPECT_LT(source.reads, 800U);
        EXPECT_LT(read.found.facts.partitions.size(), 512U);
    }
}

}  // namespace
}  // namespace diskwright
