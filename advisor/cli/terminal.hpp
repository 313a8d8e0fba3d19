// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string>
#include <string_view>

#include "advisor/reports/report.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// Colour and width for what goes to standard output: colour on a terminal unless NO_COLOR is set or TERM is
/// dumb; "always" and "never" decide. Width of the terminal, or 0 when it is none.
TextStyle text_style(std::string_view color, bool to_terminal);
bool stdout_is_terminal();

/// Where results go: a file (0600, made anew; an existing regular file is replaced only by name given, never
/// through a symlink) or, with "" or "-", standard output. The file is made by the first write.
class ResultSink {
 public:
    explicit ResultSink(std::string path) : path_(std::move(path)) {}
    ResultSink(const ResultSink&) = delete;
    ResultSink& operator=(const ResultSink&) = delete;
    ~ResultSink();
    Result<bool> write(std::string_view text);
    /// After the last write: whether all of it arrived.
    Result<bool> close();

 private:
    Result<bool> open_file();

    std::string path_;
    int fd_ = -1;
};

/// All at once.
Result<bool> write_result(const std::string& path, std::string_view text);

/// "diskwright: message" on standard error, escaped.
void complain(std::string_view message);
/// The same with the error's message; its exit status.
int fail(const Error& error);

}  // namespace diskwright
