// SPDX-License-Identifier: BSD-2-Clause
// Swap of Linux: a page at the start, its last ten bytes the mark, the header at 1024 in the order of the
// machine. Layout: torvalds/linux:include/linux/swap.h (union swap_header), mm/swapfile.c
// (read_swap_header). Swap of the BSDs has nothing on the disk; its partition's type tells.
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t header_place = 1024;
namespace field {
constexpr std::size_t version = 0, last_page = 4, bad_pages = 8;
}

}  // namespace

Result<bool> read_swap(ByteSource& source, Found& found) {
    for (const std::uint64_t page : swap_pages) {
        const auto mark = read_structure(source, page - swap_mark_bytes, swap_mark_bytes);
        if (!mark) return mark.error();
        if (!*mark) return false;
        // The kernel puts the second in place of the first while memory is saved there.
        if (!(*mark)->has(0, swap_mark) && !(*mark)->has(0, swap_mark_suspended)) continue;
        const auto little = read_structure(source, header_place, 12);
        if (!little) return little.error();
        if (!*little) return false;
        const bool big = (*little)->u32(field::version) != 1;
        const Structure header = (*little)->in_order(big ? ByteOrder::big : ByteOrder::little);
        const auto pages = header.u32(field::last_page);
        if (header.u32(field::version) != 1)
            return Error{ErrorKind::bad_data, header.place(field::version) + ": swap: unknown version"};
        if (pages == 0)
            return Error{ErrorKind::bad_data, header.place(field::last_page) + ": swap: no pages"};
        const auto bytes = pages * page;
        if (const auto size = source.size_bytes(); size && *size / page <= pages)
            found.damage.push_back(
                fmt::format("{}: swap: {} pages of {} bytes, and the header, are more than {} bytes",
                            header.place(field::last_page), pages, page, *size));
        if (header.u32(field::bad_pages) >= pages)
            found.damage.push_back(header.place(field::bad_pages) + ": swap: as many bad pages as pages");
        SwapArea area;
        area.device = source.name();
        // Without the header's page, as swapon -s shows it.
        area.size_bytes = header.known(bytes, field::last_page, "size in bytes");
        vote_for_os(source, found, Os::linux_, header.from(0, "swap of Linux"));
        found.facts.swap.push_back(std::move(area));
        return true;
    }
    return false;
}

}  // namespace diskwright
