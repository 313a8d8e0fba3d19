// SPDX-License-Identifier: BSD-2-Clause
// From pasted text to the outputs of commands: quoting and encoding undone, prompts found, flattened lines
// cut.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/capture/document.hpp"
#include "probes/parsers/command.hpp"

namespace diskwright {

/// Lines without BOM, CR, mail quoting ("> > ", ": " on every line) and code fences; no-break blanks become
/// blanks. Numbers are those of the source.
std::vector<TextLine> normalised_lines(std::string_view bytes);

/// The command of a line that shows one after a shell prompt ("# ", "host1$ ", "[root@h ~]# ", "~> doas ",
/// "root@h:/ # "), or after a bare sudo or doas. Only commands of is_known_program() count.
struct PromptCommand {
    std::vector<std::string> argv;  // without sudo, doas, env, variables and the folder of the program
    bool filtered = false;          // piped through something that drops lines
};
std::optional<PromptCommand> prompt_command(std::string_view line);

/// A long line that holds several rows of known tables, as a web archive flattens them, cut into those rows.
/// One element when there is nothing to cut.
std::vector<std::string> unflattened(const std::string& line);

/// The outputs of one document in order. A document with an argv is one output.
std::vector<Output> outputs_of(const Document& document);

}  // namespace diskwright
