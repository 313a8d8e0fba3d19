// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string_view>

namespace diskwright {

/// A data file of the source tree that the build put into the program.
struct EmbeddedFile {
    std::string_view name;  // without folder and extension
    std::string_view text;
};

}  // namespace diskwright
