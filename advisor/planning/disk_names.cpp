// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/planning/disk_names.hpp"

#include <fmt/format.h>

namespace diskwright {
namespace {

// sda to sdz, sdaa, sdab, ...
std::string linux_letters(std::size_t index) {
    std::string letters;
    for (std::size_t left = index + 1; left > 0; left = (left - 1) / 26)
        letters.insert(letters.begin(), static_cast<char>('a' + (left - 1) % 26));
    return letters;
}

}  // namespace

std::string new_disk_name(std::optional<Os> os, std::string_view transport, std::size_t index) {
    if (!os) return fmt::format("d{}", index);
    const bool sas = transport == "sas", nvme = transport == "nvme";
    switch (*os) {
        case Os::netbsd:
            return fmt::format("{}{}", sas ? "sd" : nvme ? "ld" : "wd", index);
        case Os::freebsd:
            return fmt::format("{}{}", sas ? "da" : nvme ? "nda" : "ada", index);
        case Os::dragonfly:
            return fmt::format("{}{}", nvme ? "nvme" : "da", index);
        case Os::openbsd:
            return fmt::format("sd{}", index);
        case Os::linux_:
            return nvme ? fmt::format("nvme{}n1", index) : "sd" + linux_letters(index);
    }
    return {};
}

}  // namespace diskwright
