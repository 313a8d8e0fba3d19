// SPDX-License-Identifier: BSD-2-Clause
#pragma once

namespace diskwright {

/// The whole program: parses arguments, runs the subcommand, returns the exit status, diskwright(8).
int run_command_line(int argc, char** argv);

}  // namespace diskwright
