// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/command_words.hpp"

#include <optional>

namespace diskwright {
namespace {

Error fault(const char* what) {
    return Error{ErrorKind::usage, what};
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

Result<std::vector<std::string>> command_words(std::string_view text) {
    std::vector<std::string> words;
    std::optional<std::string> word;
    char quote = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == 0) return fault("a NUL byte in the command");
        if (quote == 0 && is_blank(c)) {
            if (word) words.push_back(std::move(*word));
            word.reset();
            continue;
        }
        if (!word) word.emplace();
        const bool last = at + 1 == text.size();
        const bool escapes =
            quote == 0 || (quote == '"' && !last && (text[at + 1] == '"' || text[at + 1] == '\\'));
        if (c == '\\' && escapes) {
            if (last) return fault("a backslash at the end of the command");
            *word += text[++at];
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == quote) {
            quote = 0;
        } else {
            *word += c;
        }
    }
    if (quote != 0) return fault("a quote in the command is not closed");
    if (word) words.push_back(std::move(*word));
    if (words.empty()) return fault("the command is empty");
    return words;
}

}  // namespace diskwright
