// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/gunzip.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "probes/support/text.hpp"

namespace diskwright {

bool is_gzip(std::string_view bytes) {
    return bytes.starts_with("\x1f\x8b");
}

Result<std::string> gunzip(std::string_view bytes, std::string_view source, const LoadLimits& limits) {
    const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(),
                                                                        archive_read_free);
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_format_raw(reader.get());
    const auto broken = [&] {
        const char* why = archive_error_string(reader.get());
        return Error{ErrorKind::bad_data,
                     fmt::format("{}: {}", escaped(source), escaped(why ? why : "broken gzip file"))};
    };
    if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) return broken();
    archive_entry* entry = nullptr;
    const int begun = archive_read_next_header(reader.get(), &entry);
    if (begun == ARCHIVE_EOF) return std::string();
    if (begun < ARCHIVE_WARN) return broken();
    const std::size_t most = std::min(limits.bytes, bytes.size() * limits.expansion_ratio + 64 * KiB);
    std::string text;
    char buffer[64 * KiB];
    for (;;) {
        const la_ssize_t count = archive_read_data(reader.get(), buffer, sizeof buffer);
        if (count < 0) return broken();
        if (count == 0) return text;
        if (text.size() + static_cast<std::size_t>(count) > most)
            return Error{ErrorKind::bad_data,
                         fmt::format("{}: expands to more than {}", escaped(source), human_size(most))};
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

}  // namespace diskwright
