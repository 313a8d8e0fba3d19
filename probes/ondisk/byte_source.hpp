// SPDX-License-Identifier: BSD-2-Clause
// Bytes of a device, an image, a partition of one, a set put together in memory: whatever a reader of on-disk
// structures looks at. Read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "probes/model/enums.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

class ByteSource {
 public:
    virtual ~ByteSource() = default;
    /// The device's name in the facts, and before the '@' of provenance: "sd0", "sd0a", "raid0".
    virtual const std::string& name() const = 0;
    /// Of the device; nothing for what may be only the head of one.
    virtual std::optional<std::uint64_t> size_bytes() const = 0;
    /// How far bytes can be read: size_bytes(), or the length of the head that is there.
    virtual std::uint64_t readable_bytes() const = 0;
    /// Logical sector; 512 unless told otherwise.
    virtual std::uint64_t sector_bytes() const = 0;
    /// Exactly these bytes, valid as long as the source. no_input where they are not there (cut image, hole
    /// in a capture) or more was asked for than one discovery may read; io_error when the device failed.
    virtual Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) = 0;
    /// The same, not from what was read before: of a device in use that may have caught it half written.
    virtual Result<std::span<const std::byte>> read_anew(std::uint64_t offset, std::size_t length) {
        return read(offset, length);
    }

    /// What a slot may hold of tables: a whole device any; a slot of type FreeBSD or DragonFly a label of its
    /// own; the partitions of a label none, whose first sectors may show the label itself again.
    enum class Tables { any, label, none };
    virtual Tables tables() const { return Tables::any; }
    /// The system whose table or set this lies in, where that tells. Some structures do not say themselves
    /// who wrote them.
    virtual std::optional<Os> os() const { return std::nullopt; }
    /// The host's system where it is known otherwise. A disk may come from another host, so this tells what a
    /// flag means that is not of one system only, and never whose structures there are.
    virtual std::optional<Os> host() const { return std::nullopt; }
    /// Whose reading of a flag applies.
    std::optional<Os> system() const { return os() ? os() : host(); }
};

}  // namespace diskwright
