// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/one_file.hpp"

#include <fmt/format.h>

#include "probes/capture/document.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

Result<std::string> one_file(const std::string& path, std::size_t max_bytes) {
    LoadLimits limits;
    limits.bytes = max_bytes;
    auto capture = load_input(path, limits);
    if (!capture) return capture.error();
    if (capture->documents.size() != 1)
        return Error{ErrorKind::bad_data, fmt::format("{}: not one file", escaped(path))};
    return std::move(capture->documents.front().bytes);
}

}  // namespace diskwright
