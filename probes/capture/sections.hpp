// SPDX-License-Identifier: BSD-2-Clause
// From pasted text to the outputs of commands: quoting and encoding undone, prompts found, flattened lines
// cut.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/capture/document.hpp"
#include "probes/parsers/command.hpp"

namespace diskwright {

/// Lines of a text, one after the other, without BOM, CR, mail quoting ("> > ", ": " on every line) and code
/// fences; no-break blanks become blanks. Numbers are those of the source. The text must outlive the cursor.
class NormalisedLines {
 public:
    explicit NormalisedLines(std::string_view bytes);
    std::optional<TextLine> next();
    /// Whether of the line that next() gave last only the first MiB was taken: no tool prints longer ones.
    bool cut() const { return cut_; }

 private:
    std::optional<std::string_view> take_raw();

    std::string_view rest_;
    std::optional<std::string_view> before_, current_, after_;
    std::uint32_t number_ = 0;
    bool cut_ = false;
};
std::vector<TextLine> normalised_lines(std::string_view bytes);

/// The command of a line that shows one after a shell prompt ("# ", "host1$ ", "[root@h ~]# ", "~> doas ",
/// "root@h:/ # "), or after a bare sudo or doas. Only commands of is_known_program() count.
struct PromptCommand {
    std::vector<std::string> argv;  // without sudo, doas, env, variables and the folder of the program
    bool filtered = false;          // piped through something that drops lines
    std::string host = {};          // that the prompt names, without its domain; empty when it names none
};
std::optional<PromptCommand> prompt_command(std::string_view line);

/// A long line that holds several rows of known tables, as a web archive flattens them, cut into those rows.
/// One element when there is nothing to cut.
std::vector<std::string> unflattened(const std::string& line);

/// Calls `take` with the outputs of one document in order, each as soon as it is complete. A document with an
/// argv is one output. `host` is that of the prompt, empty when it names none. What was left out is returned:
/// the ends of lines that no tool prints, and what follows the last line that is looked at.
using OutputTaker = std::function<void(const Output& output, const std::string& host)>;
std::vector<Unparsed> for_each_output(const Document& document, const OutputTaker& take);
std::vector<Output> outputs_of(const Document& document);

}  // namespace diskwright
