// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "advisor/reports/exit_status.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

Result<bool> write_all(int fd, std::string_view text, const std::string& name) {
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return Error{ErrorKind::io_error, fmt::format("{}: {}", name, std::strerror(errno))};
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace

bool stdout_is_terminal() {
    return isatty(STDOUT_FILENO) == 1;
}

TextStyle text_style(std::string_view color, bool to_terminal) {
    TextStyle style;
    const char* no_color = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    const bool dumb = term && std::string_view(term) == "dumb";
    style.colour = color == "always" || (color == "auto" && to_terminal && !(no_color && *no_color) && !dumb);
    if (to_terminal) {
        struct winsize size {};
        style.width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
    }
    return style;
}

Result<bool> write_result(const std::string& path, std::string_view text) {
    if (path.empty() || path == "-") return write_all(STDOUT_FILENO, text, "standard output");
    const int fd = open(path.c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (fd < 0)
        return Error{ErrorKind::no_permission, fmt::format("{}: {}", escaped(path), std::strerror(errno))};
    struct stat status {};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return Error{ErrorKind::no_permission, fmt::format("{}: not a regular file", escaped(path))};
    }
    auto done = write_all(fd, text, escaped(path));
    if (close(fd) != 0 && done)
        return Error{ErrorKind::io_error, fmt::format("{}: {}", escaped(path), std::strerror(errno))};
    return done;
}

void complain(std::string_view message) {
    const std::string line = fmt::format("diskwright: {}\n", escaped(message));
    std::fwrite(line.data(), 1, line.size(), stderr);
}

int fail(const Error& error) {
    complain(error.message);
    return exit_status(error.kind);
}

}  // namespace diskwright
