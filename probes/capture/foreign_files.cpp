// SPDX-License-Identifier: BSD-2-Clause
// Magic numbers: the formats' own specifications. Two bytes prove nothing, so each has four or more.
#include "probes/capture/foreign_files.hpp"

#include <algorithm>
#include <array>

namespace diskwright {
namespace {

using namespace std::string_view_literals;

struct Kind {
    std::string_view magic, name;
};
constexpr std::array kinds{
    Kind{"\x7f"
         "ELF"sv,
         "an ELF program or library"},
    Kind{"PK\x03\x04"sv, "a zip archive"},
    Kind{"\xfd"
         "7zXZ\0"sv,
         "an xz file"},
    Kind{"BZh91AY&SY"sv, "a bzip2 file"},
    Kind{"\x28\xb5\x2f\xfd"sv, "a zstd file"},
    Kind{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    Kind{"Rar!\x1a\x07"sv, "a rar archive"},
    Kind{"SQLite format 3\0"sv, "an SQLite database"},
    Kind{"%PDF-"sv, "a PDF document"},
    Kind{"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
    Kind{"\xff\xd8\xff\xe0"sv, "a JPEG picture"},
    Kind{"\xff\xd8\xff\xe1"sv, "a JPEG picture"},
    // Sectors of these do not lie where the disk has them.
    Kind{"QFI\xfb"sv, "a QCOW image, to be converted to a raw one first (qemu-img convert -O raw)"},
    Kind{"KDMV"sv, "a VMDK image, to be converted to a raw one first (qemu-img convert -O raw)"},
    Kind{"conectix"sv, "a dynamic VHD image, to be converted to a raw one first (qemu-img convert -O raw)"},
    Kind{"vhdxfile"sv, "a VHDX image, to be converted to a raw one first (qemu-img convert -O raw)"},
};

bool at(std::string_view head, std::size_t offset, std::string_view text) {
    return head.size() >= offset + text.size() && head.substr(offset, text.size()) == text;
}

}  // namespace

std::string_view foreign_kind(std::string_view head) {
    if (at(head, 510, "\x55\xaa") || at(head, 512, "EFI PART") || at(head, 4096, "EFI PART")) return {};
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return head.starts_with(k.magic); });
    return kind == kinds.end() ? std::string_view{} : kind->name;
}

}  // namespace diskwright
