// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/read_archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "probes/capture/inflate.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";

// Of an archive that is cut off, what came over whole is as good as in a whole one.
struct Archive {
    Capture capture;
    std::string cut;  // why it ends before its end; empty when it is all there
};

std::string why_broken(archive* reader) {
    const char* why = archive_error_string(reader);
    return escaped(why ? why : "broken archive");
}

std::size_t most_expanded(std::size_t packed, const LoadLimits& limits) {
    return std::min(limits.bytes, packed * limits.expansion_ratio + 64 * KiB);
}

Result<Archive> read_members(const std::string& bytes, const std::string& path, std::size_t most,
                             const LoadLimits& limits) {
    const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(),
                                                                        archive_read_free);
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_format_tar(reader.get());
    Archive out;
    Capture& capture = out.capture;
    // Opening takes the first buffer already.
    if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
        out.cut = why_broken(reader.get());
        return out;
    }
    std::size_t total = 0, members = 0;
    for (archive_entry* entry = nullptr;;) {
        const int status = archive_read_next_header(reader.get(), &entry);
        if (status == ARCHIVE_EOF) break;
        if (status < ARCHIVE_WARN) {
            out.cut = why_broken(reader.get());
            break;
        }
        if (++members > limits.members)
            return Error{ErrorKind::bad_data,
                         fmt::format("{}: more than {} members", escaped(path), limits.members)};
        const char* raw_name = archive_entry_pathname(entry);
        const std::string name = raw_name ? raw_name : "";
        if (archive_entry_hardlink(entry) || archive_entry_symlink(entry) ||
            archive_entry_filetype(entry) != AE_IFREG) {
            if (archive_entry_filetype(entry) != AE_IFDIR)
                capture.notes.push_back(fmt::format("{}: not a regular file, left out", escaped(name)));
            continue;
        }
        Document document{name, {}, {}};
        char buffer[64 * KiB];
        for (;;) {
            const la_ssize_t count = archive_read_data(reader.get(), buffer, sizeof buffer);
            if (count < 0) {
                out.cut = why_broken(reader.get());
                return out;
            }
            if (count == 0) break;
            total += static_cast<std::size_t>(count);
            if (total > most)
                return Error{ErrorKind::bad_data,
                             fmt::format("{}: expands to more than {}: {}", escaped(path), human_size(most),
                                         most < limits.bytes
                                             ? fmt::format("{} times its own size", limits.expansion_ratio)
                                             : std::string("the most that is taken"))};
            if (document.bytes.size() <= limits.document_bytes)
                document.bytes.append(buffer, static_cast<std::size_t>(count));
        }
        if (document.bytes.size() > limits.document_bytes)
            capture.notes.push_back(fmt::format("{}: larger than {}, left out", escaped(name),
                                                human_size(limits.document_bytes)));
        else
            capture.documents.push_back(std::move(document));
    }
    return out;
}

}  // namespace

bool is_archive(std::string_view bytes) {
    const bool gzip = bytes.starts_with(gzip_magic);
    const bool ustar = bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
    return gzip || ustar;
}

Result<Capture> read_archive(const std::string& bytes, const std::string& path, const LoadLimits& limits) {
    const std::size_t most = most_expanded(bytes.size(), limits);
    auto read = read_members(bytes, path, most, limits);
    if (!read) return read.error();
    if (read->cut.empty()) return std::move(read->capture);
    const std::string why = read->cut;
    const bool gzip = bytes.starts_with(gzip_magic);
    // Of a large one what libarchive holds back is nothing to the rest.
    constexpr std::size_t worth_the_time = 16 * MiB;
    Inflated tar;
    if (gzip && bytes.size() <= worth_the_time) tar = inflate_prefix(bytes, most);
    if (gzip && !tar.damaged && is_archive(tar.bytes)) {
        auto more = read_members(tar.bytes, path, most, limits);
        if (more && more->capture.documents.size() > read->capture.documents.size()) read = std::move(more);
    }
    Capture& capture = read->capture;
    if (!capture.documents.empty()) {
        capture.notes.push_back(fmt::format("{}: {}; what follows {} is lost", escaped(path), why,
                                            escaped(capture.documents.back().name)));
        return std::move(capture);
    }
    const bool other = gzip && !tar.bytes.empty() && !is_archive(tar.bytes);
    return Error{
        ErrorKind::bad_data,
        other ? fmt::format("{}: a gzip file, and what is in it is no tar archive, as a capture is one",
                            escaped(path))
              : fmt::format("{}: a {}: {}", escaped(path), gzip ? "gzip file" : "tar archive", why)};
}

}  // namespace diskwright
