// SPDX-License-Identifier: BSD-2-Clause
// What is said of devices and images in which no reader found anything.
#pragma once

#include <string_view>

#include "probes/capture/document.hpp"

namespace diskwright {

/// "binary data in which ...", or that the source is blank: nothing but zeros in all that was read of it.
std::string_view what_is_unknown(ByteSource& source);
/// The same of all images of a capture together.
std::string_view what_is_unknown(const Capture& capture);

}  // namespace diskwright
