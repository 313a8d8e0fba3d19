// SPDX-License-Identifier: BSD-2-Clause
// A fact that may be unknown, and where it came from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace diskwright {

/// Where a value was read. Copying is cheap: all values of one line share one record.
class Provenance {
 public:
    enum class Kind {
        output,    // a line of a command's output or of a file
        prose,     // a sentence around pasted output
        user,      // --assume, --os and the like
        table,     // a table of ours, such as the drive models
        inferred,  // follows from other facts; text() says how
        device,    // bytes of a device or image; line() is unused, source() holds name@offset
    };

    Provenance() = default;
    /// line counts from 1; 0 when the source has no lines. text is the line itself, untouched.
    Provenance(std::string source, std::uint32_t line, std::string text, Kind kind = Kind::output)
        : record_(std::make_shared<const Record>(Record{std::move(source), std::move(text), line, kind})) {}

    bool empty() const { return !record_; }
    const std::string& source() const { return record_ ? record_->source : nothing(); }
    const std::string& text() const { return record_ ? record_->text : nothing(); }
    std::uint32_t line() const { return record_ ? record_->line : 0; }
    Kind kind() const { return record_ ? record_->kind : Kind::inferred; }

    friend bool operator==(const Provenance& a, const Provenance& b) {
        return a.record_ == b.record_ || (a.kind() == b.kind() && a.line() == b.line() &&
                                          a.source() == b.source() && a.text() == b.text());
    }

 private:
    struct Record {
        std::string source, text;
        std::uint32_t line;
        Kind kind;
    };
    static const std::string& nothing() {
        static const std::string empty;
        return empty;
    }
    std::shared_ptr<const Record> record_;
};

/// A value with its provenance, or unknown with the reason (empty: nobody looked yet).
/// Unknown is never written as 0, "" or false.
template <class T>
class Known {
 public:
    using value_type = T;

    Known() = default;
    Known(T value, Provenance from) : value_(std::move(value)), from_(std::move(from)) {}
    static Known unknown(std::string why) {
        Known k;
        k.why_unknown_ = std::move(why);
        return k;
    }

    bool known() const { return value_.has_value(); }
    explicit operator bool() const { return known(); }
    const T& operator*() const { return *value_; }
    const T* operator->() const { return &*value_; }
    T value_or(T fallback) const { return value_ ? *value_ : std::move(fallback); }
    /// True only when known and equal: unknown equals nothing.
    bool is(const T& wanted) const { return value_ && *value_ == wanted; }
    const Provenance& from() const { return from_; }
    const std::string& why_unknown() const { return why_unknown_; }
    void reset() { *this = Known{}; }

    friend bool operator==(const Known& a, const Known& b) = default;

 private:
    std::optional<T> value_;
    Provenance from_;
    std::string why_unknown_;
};

}  // namespace diskwright
