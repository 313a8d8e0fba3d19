// SPDX-License-Identifier: BSD-2-Clause
// What FreeBSD's GEOM classes say on the console.
//   GEOM: ada1: the primary GPT table is corrupt or invalid.
//   GEOM: da0: the secondary GPT header is not in the last LBA.
//   GEOM_PART: partition 1 on (ada0, MBR) is not aligned on 4096 bytes
//   GEOM_MIRROR: Device mirror/gm0 launched (1/2).
//   GEOM_MIRROR: Device gm0: rebuilding provider ada0.
//   GEOM_MIRROR: Device gm0: provider ada1 disconnected.
//   GEOM_STRIPE: Disk ada1p1 attached to gsswap.
//   GEOM_STRIPE: Cannot add disk gptid/... to gsswap (error=17).
// Source: freebsd/freebsd-src sys/geom/part/g_part_gpt.c, g_part.c,
// sys/geom/{mirror/g_mirror.c,stripe/g_stripe.c, concat/g_concat.c,raid3/g_raid3.c}.
#pragma once

#include <map>

#include "probes/parsers/kernel_text.hpp"

namespace diskwright::kernel {

class GeomMessages {
 public:
    GeomMessages(Scribe& scribe, DiskNotes& notes) : scribe_(scribe), notes_(notes) {}

    static bool is_message(std::string_view message);
    bool read(std::string_view message, std::size_t line);
    /// Sets still there at the end become volumes; what was attached to a set that could not be kept is left
    /// over.
    void finish();

 private:
    struct Set {
        VolumeKind kind;
        RaidLevel level;
        std::size_t line;
        std::vector<std::string> disks;  // ever attached
        std::size_t refused_line = 0;
        bool refused = false, gone = false, active = false;
    };

    void read_gpt(std::string_view provider, std::string_view said, std::size_t line);
    void read_part(std::string_view said, std::size_t line);
    void read_redundant(std::string_view folder, VolumeKind kind, RaidLevel level, std::string_view said,
                        std::size_t line);
    void read_joined(std::string_view folder, VolumeKind kind, RaidLevel level, std::string_view said,
                     std::size_t line);

    Scribe& scribe_;
    DiskNotes& notes_;
    std::map<std::string, Set> sets_;
};

}  // namespace diskwright::kernel
