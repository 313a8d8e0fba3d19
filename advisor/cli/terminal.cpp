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
#include <initializer_list>
#include <utility>

#include "advisor/reports/exit_status.hpp"
#include "probes/support/posix.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
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
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

Error ResultSink::failure() const {
    // What is missing here is no input.
    return {errno == ENOENT ? ErrorKind::no_permission : kind_of_errno(),
            fmt::format("{}: {}", escaped(path_), errno_text())};
}

Result<bool> ResultSink::open() {
    if (fd_ >= 0) return true;
    if (path_.empty() || path_ == "-") {
        fd_ = STDOUT_FILENO;
        return true;
    }
    struct stat status {};
    if (lstat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        return Error{ErrorKind::no_permission, fmt::format("{}: not a regular file", escaped(path_))};
    std::string name = path_ + ".XXXXXX";
    fd_ = mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0) return failure();
    temporary_ = name;
    return true;
}

Result<bool> ResultSink::write(std::string_view text) {
    if (auto opened = open(); !opened) return opened;
    if (write_all(fd_, text)) return true;
    return Error{
        ErrorKind::io_error,
        fmt::format("{}: {}", fd_ == STDOUT_FILENO ? "standard output" : escaped(path_), errno_text())};
}

Result<bool> ResultSink::close() {
    if (fd_ <= STDERR_FILENO) return true;
    if (::close(std::exchange(fd_, -1)) != 0) return failure();
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failure();
    temporary_.clear();
    return true;
}

Result<bool> write_result(const std::string& path, std::string_view text) {
    ResultSink sink(path);
    auto done = sink.write(text);
    return done ? sink.close() : done;
}

std::optional<Error> output_clash(const std::string& output, std::initializer_list<std::string_view> used) {
    struct stat a {
    }, b{};
    if (output.empty() || stat(output.c_str(), &a) != 0) return std::nullopt;
    for (const std::string_view other : used)
        if (!other.empty() && stat(std::string(other).c_str(), &b) == 0 && a.st_dev == b.st_dev &&
            a.st_ino == b.st_ino)
            return Error{ErrorKind::usage,
                         fmt::format("-o {}: is the same file as {}", escaped(output), escaped(other))};
    return std::nullopt;
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
