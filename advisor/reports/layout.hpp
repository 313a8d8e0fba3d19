// SPDX-License-Identifier: BSD-2-Clause
// Lines for a terminal or a pipe: wrapping by columns, colour on demand, sections.
#pragma once

#include <string>
#include <string_view>

#include "advisor/reports/report.hpp"

namespace diskwright {

enum class Colour { bold, dim, red, yellow, cyan };

Colour colour_of(Severity severity);

class Page {
 public:
    explicit Page(const TextStyle& style) : style_(style) {}

    /// As it is, after `indent` blanks.
    void line(std::size_t indent, std::string_view text);
    void blank();
    /// Wrapped at blanks when the style has a width; `head` begins the first line, in that colour; what
    /// follows is indented by `indent` + 4.
    void paragraph(std::size_t indent, std::string_view head, Colour colour, std::string_view text);
    void paragraph(std::size_t indent, std::string_view text) { paragraph(indent, "", Colour::bold, text); }
    /// Running text: every line at the same indentation.
    void running(std::size_t indent, std::string_view text);
    std::string coloured(std::string_view text, Colour colour) const;
    const TextStyle& style() const { return style_; }

    std::string take() { return std::move(out_); }

 private:
    TextStyle style_;
    std::string out_;
};

/// Columns the text takes: code points; the input is escaped, so nothing else moves the cursor.
std::size_t columns(std::string_view text);
/// "1 disk", "3 disks".
std::string counted(std::size_t count, std::string_view singular, std::string_view plural);
/// "dmesg.txt:12", "raid0.img@0x4000", "user", "inferred".
std::string place(const Provenance& from);

}  // namespace diskwright
