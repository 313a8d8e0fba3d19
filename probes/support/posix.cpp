// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/posix.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

namespace diskwright {

// ENODATA, where a system has it: Linux's block layer says so of a sector that cannot be read
// (torvalds/linux:block/blk-core.c, "critical medium").
constexpr int unreadable_sector = static_cast<int>(std::errc::no_message_available);

std::string errno_text(int number) {
    const std::string text = std::generic_category().message(number);
    return number == unreadable_sector ? "medium error (" + text + ")" : text;
}

ErrorKind kind_of_errno(int number) {
    if (number == unreadable_sector) return ErrorKind::io_error;
    switch (number) {
        case ENOENT:
        case ENOTDIR:
            return ErrorKind::no_input;
        case EACCES:
        case EPERM:
        case EROFS:
        case EEXIST:
        case ELOOP:
        case EISDIR:
            return ErrorKind::no_permission;
        case EIO:
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            return ErrorKind::io_error;
        default:
            return ErrorKind::os_error;
    }
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool sync_folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno == EACCES;  // a folder one may write to and not read
    const bool done = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
    const int why = errno;
    close(fd);
    errno = why;
    return done;
}

}  // namespace diskwright
