// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/cli.hpp"

int main(int argc, char** argv) {
    return diskwright::run_command_line(argc, argv);
}
