// SPDX-License-Identifier: BSD-2-Clause
// Success or a described failure. The kind is for the program (it becomes the exit status in advisor/cli),
// the message is for the person and names the source and line or offset.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace diskwright {

enum class ErrorKind {
    usage,          // bad command line
    bad_data,       // malformed input, or nothing recognisable in it
    no_input,       // input missing or unreadable
    unavailable,    // a needed tool or facility is absent
    internal,       // a bug of ours
    os_error,       // a system call failed
    io_error,       // the device reported an error
    no_permission,  // not allowed, or refused for safety
    bad_settings,   // the settings file is wrong
};

struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string message;
};

/// Either a value or an Error; never neither. Reading the side that is not there is a bug.
template <class T>
class [[nodiscard]] Result {
 public:
    Result(T value) : state_(std::move(value)) {}
    Result(Error error) : state_(std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    const T& value() const { return std::get<0>(state_); }
    T& value() { return std::get<0>(state_); }
    const T& operator*() const { return value(); }
    T& operator*() { return value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }
    const Error& error() const { return std::get<1>(state_); }

 private:
    std::variant<T, Error> state_;
};

}  // namespace diskwright
