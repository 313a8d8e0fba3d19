// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "advisor/reports/report.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// Colour and width for what goes to standard output: colour on a terminal unless NO_COLOR is set or TERM is
/// dumb; "always" and "never" decide. Width of the terminal, or 0 when it is none.
TextStyle text_style(std::string_view color, bool to_terminal);
bool stdout_is_terminal();

/// Where results go: a file of mode 0600 or, with "" or "-", standard output. The file appears under its name
/// when it is whole, and takes the place of a regular file of that name; anything else of that name, a
/// symlink too, is refused.
class ResultSink {
 public:
    explicit ResultSink(std::string path) : path_(std::move(path)) {}
    ResultSink(const ResultSink&) = delete;
    ResultSink& operator=(const ResultSink&) = delete;
    /// What was not closed leaves nothing behind.
    ~ResultSink();
    /// Before long work, so that a wrong path is known at once; else the first write does it.
    Result<bool> open();
    Result<bool> write(std::string_view text);
    /// After the last write: whether all of it arrived.
    Result<bool> close();

 private:
    Error failure() const;

    std::string path_, temporary_;
    int fd_ = -1;
};

/// All at once.
Result<bool> write_result(const std::string& path, std::string_view text);

/// usage when `output` is one of the files that the work reads or writes.
std::optional<Error> output_clash(const std::string& output, std::initializer_list<std::string_view> used);

/// "diskwright: message" on standard error, escaped.
void complain(std::string_view message);
/// The same with the error's message; its exit status.
int fail(const Error& error);

}  // namespace diskwright
