// SPDX-License-Identifier: BSD-2-Clause
// The words of an output one after the other, across line ends: a table whose rows a mail program wrapped, or
// whose lines were all run together, is still the same sequence of words. Reads lines only as far as it is
// asked.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

class WordReader {
 public:
    WordReader(const Output& out, std::size_t at) : out_(&out), next_line_(at) {}

    /// The k-th word from here; empty at the end, and when blank lines lie between it and the word before it
    /// (for k = 0: more than one blank line).
    std::string_view peek(std::size_t k = 0) {
        if (!fill(k)) return {};
        const std::size_t before = k > 0 ? words_[k - 1].line : last_line_;
        const std::size_t gap = words_[k].line - before;
        return gap <= (k > 0 || !started_ ? 1U : 2U) ? words_[k].text : std::string_view{};
    }
    std::size_t line(std::size_t k = 0) {
        if (fill(k)) return words_[k].line;
        return words_.empty() ? last_line_ : words_.back().line;
    }
    /// Whether the next word is the first of its line.
    bool at_line_start() { return fill(0) && words_[0].first; }
    bool on_same_line(std::size_t k) { return fill(k) && words_[k].line == words_[0].line; }

    void skip(std::size_t count = 1) {
        while (count-- > 0 && fill(0)) {
            started_ = true;
            last_line_ = words_.front().line;
            words_.pop_front();
        }
    }
    void skip_line() {
        if (!fill(0)) return;
        const std::size_t current = words_[0].line;
        while (fill(0) && words_[0].line == current) skip();
    }
    bool matches(std::initializer_list<std::string_view> expected) {
        std::size_t k = 0;
        for (const auto word : expected)
            if (peek(k++) != word) return false;
        return true;
    }
    /// One past the last line of which a word was read.
    std::size_t end_line() const { return started_ ? last_line_ + 1 : next_line_; }
    bool started() const { return started_; }

 private:
    struct Word {
        std::string_view text;
        std::size_t line;
        bool first;
    };

    bool fill(std::size_t k) {
        while (words_.size() <= k && next_line_ < out_->lines.size()) {
            const std::size_t number = next_line_++;
            bool first = true;
            for (const auto text : words(out_->text(number))) {
                words_.push_back({text, number, first});
                first = false;
            }
            if (!started_ && words_.empty()) continue;
            if (!started_ && last_line_ == 0) last_line_ = words_.front().line;
        }
        return words_.size() > k;
    }

    const Output* out_;
    std::size_t next_line_;
    std::size_t last_line_ = 0;
    bool started_ = false;
    std::deque<Word> words_;
};

}  // namespace diskwright
