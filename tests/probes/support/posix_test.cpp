// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/posix.hpp"

#include <gtest/gtest.h>

#include <system_error>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

TEST(Posix, KindsOfErrors) {
    const int unreadable_sector = static_cast<int>(std::errc::no_message_available);
    struct Row {
        int number;
        ErrorKind kind;
    };
    for (const auto& [number, kind] :
         {Row{ENOENT, ErrorKind::no_input}, Row{EACCES, ErrorKind::no_permission},
          Row{EIO, ErrorKind::io_error}, Row{ENOSPC, ErrorKind::io_error},
          Row{unreadable_sector, ErrorKind::io_error}, Row{EINVAL, ErrorKind::os_error}}) {
        SCOPED_TRACE(number);
        EXPECT_EQ(kind_of_errno(number), kind);
        EXPECT_FALSE(errno_text(number).empty());
    }
    EXPECT_TRUE(contains(errno_text(unreadable_sector), "medium error"));
    EXPECT_FALSE(contains(errno_text(EIO), "medium error"));
}

}  // namespace
}  // namespace diskwright
