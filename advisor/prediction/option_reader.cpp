// SPDX-License-Identifier: BSD-2-Clause
// Sources: NetBSD/src and freebsd/freebsd-src:lib/libc/stdlib/getopt.c,
// openbsd/src:lib/libc/stdlib/getopt_long.c.
#include "advisor/prediction/option_reader.hpp"

#include "advisor/prediction/tool_numbers.hpp"

namespace diskwright {

char OptionReader::complain(std::string_view what, char letter) {
    complaint_ = std::string(what) + " -- " + shown(std::string_view(&letter, 1));
    return '?';
}

char OptionReader::next() {
    value_.clear();
    if (place_ == 0) {
        if (word_ >= args_.size()) return 0;
        const std::string& word = args_[word_];
        if (word.size() < 2 || word[0] != '-') return 0;
        if (word == "--") {
            ++word_;
            return 0;
        }
        place_ = 1;
    }
    const std::string& word = args_[word_];
    const char letter = word[place_++];
    const bool last = place_ >= word.size();
    const std::size_t known = letter == ':' ? std::string_view::npos : letters_.find(letter);
    if (known == std::string_view::npos) {
        if (last) ++word_, place_ = 0;
        return complain(os_ == Os::freebsd ? "illegal option" : "unknown option", letter);
    }
    if (known + 1 >= letters_.size() || letters_[known + 1] != ':') {
        if (last) ++word_, place_ = 0;
        return letter;
    }
    const std::size_t at = place_;
    place_ = 0;
    ++word_;
    if (!last) {
        value_ = word.substr(at);
        return letter;
    }
    if (word_ >= args_.size()) return complain("option requires an argument", letter);
    value_ = args_[word_++];
    return letter;
}

std::vector<std::string> OptionReader::operands() const {
    return {args_.begin() + static_cast<std::ptrdiff_t>(word_), args_.end()};
}

}  // namespace diskwright
