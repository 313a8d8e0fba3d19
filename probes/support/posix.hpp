// SPDX-License-Identifier: BSD-2-Clause
// What every system call needs: the meaning of errno, and a write that is whole.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "probes/support/result.hpp"

namespace diskwright {

/// What errno says, safe in any thread.
std::string errno_text(int number = errno);
/// no_input for what is not there, no_permission for what is not allowed (EEXIST and a refused link too),
/// io_error for a device that fails or is full, os_error for the rest.
ErrorKind kind_of_errno(int number = errno);

/// All of the text, whatever the system takes at a time. False: errno says why, and a part may be written.
bool write_all(int fd, std::string_view text);

/// So that a file that was made or renamed is still there after a power failure. False: errno says why; a
/// file system that cannot do it is no failure.
bool sync_folder_of(const std::string& path);

}  // namespace diskwright
