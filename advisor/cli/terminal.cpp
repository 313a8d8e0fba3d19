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
#include <utility>

#include "advisor/reports/exit_status.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

Result<bool> write_all(int fd, std::string_view text, const std::string& name) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
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

ResultSink::~ResultSink() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
}

Result<bool> ResultSink::open_file() {
    if (path_.empty() || path_ == "-") {
        fd_ = STDOUT_FILENO;
        return true;
    }
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
               0600);
    if (fd_ < 0)
        return Error{ErrorKind::no_permission, fmt::format("{}: {}", escaped(path_), std::strerror(errno))};
    struct stat status {};
    if (fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) return true;
    ::close(std::exchange(fd_, -1));
    return Error{ErrorKind::no_permission, fmt::format("{}: not a regular file", escaped(path_))};
}

Result<bool> ResultSink::write(std::string_view text) {
    if (fd_ < 0)
        if (auto opened = open_file(); !opened) return opened;
    return write_all(fd_, text, fd_ == STDOUT_FILENO ? "standard output" : escaped(path_));
}

Result<bool> ResultSink::close() {
    if (fd_ <= STDERR_FILENO) return true;
    if (::close(std::exchange(fd_, -1)) != 0)
        return Error{ErrorKind::io_error, fmt::format("{}: {}", escaped(path_), std::strerror(errno))};
    return true;
}

Result<bool> write_result(const std::string& path, std::string_view text) {
    ResultSink sink(path);
    auto done = sink.write(text);
    return done ? sink.close() : done;
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
