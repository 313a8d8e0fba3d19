// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/document.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "probes/capture/file_source.hpp"
#include "probes/capture/foreign_files.hpp"
#include "probes/capture/gunzip.hpp"
#include "probes/capture/manifest.hpp"
#include "probes/capture/read_archive.hpp"
#include "probes/capture/utf16.hpp"
#include "probes/support/posix.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

class Descriptor {
 public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ > STDERR_FILENO) close(fd_);
    }
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }
    void take(int fd) { fd_ = fd; }

 private:
    int fd_;
};

Error unreadable(const std::string& path, int code) {
    return {ErrorKind::no_input, fmt::format("{}: {}", escaped(path), errno_text(code))};
}

// A pipe may be named before its writer opens it.
constexpr int writer_comes_in_ms = 2000;

// False when nothing came in that time; -1 waits for ever.
bool await_input(int fd, int milliseconds) {
    pollfd wanted{fd, POLLIN, 0};
    return poll(&wanted, 1, milliseconds) != 0;
}

Result<std::string> read_all(int fd, const std::string& path, const LoadLimits& limits) {
    std::string bytes;
    struct stat status {};
    const bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    const auto expected = regular ? static_cast<std::size_t>(status.st_size) : 0;
    std::size_t limit = 0;  // decided by what the bytes begin with
    bool writer_awaited = !S_ISFIFO(status.st_mode);
    char buffer[64 * KiB];
    for (;;) {
        const ssize_t count = read(fd, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            await_input(fd, -1);
            continue;
        }
        if (count < 0) return unreadable(path, errno);
        if (count == 0 && bytes.empty() && !std::exchange(writer_awaited, true)) {
            if (!await_input(fd, writer_comes_in_ms))
                return Error{ErrorKind::no_input,
                             fmt::format("{}: nobody writes to this pipe", escaped(path))};
            continue;
        }
        if (count == 0) return bytes;
        const std::string_view more(buffer, static_cast<std::size_t>(count));
        if (bytes.empty())
            limit = is_archive(more) ? limits.bytes : std::min(limits.bytes, limits.document_bytes);
        if (std::max(expected, bytes.size() + more.size()) > limit)
            return Error{ErrorKind::bad_data,
                         fmt::format("{}: larger than {}", escaped(path), human_size(limit))};
        if (bytes.empty()) bytes.reserve(std::max(expected, more.size()));
        bytes.append(more);
    }
}

// Control characters, but for those of terminal sequences, page breaks and blanks.
constexpr auto no_text_has = [] {
    std::array<std::uint8_t, 256> out{};
    for (std::size_t byte = 0; byte < out.size(); ++byte)
        out.at(byte) =
            byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32) || byte == 127 ? 1 : 0;
    return out;
}();

// Bytes that no text has: a disk image, a database, a compressed file of a kind we do not take. Terminal
// sequences and page breaks of a recorded session are text.
bool is_binary(std::string_view bytes) {
    auto head = bytes.substr(0, 64 * KiB);
    // Lines of text in front of zeros are no disk: the end of a file that is being written may be seen so.
    constexpr std::size_t sector = 512;
    const auto lines = head.substr(0, head.find('\0'));
    if (lines.size() > sector && lines.find('\n') != std::string_view::npos) head = lines;
    const std::size_t most_strange = head.size() / 20;
    // Most disks begin with zeros.
    if (head.substr(0, most_strange + 1).find_first_not_of('\0') == std::string_view::npos && !head.empty())
        return true;
    std::size_t strange = 0;
    for (const char c : head) {
        strange += no_text_has[static_cast<unsigned char>(c)];
        if (strange > most_strange) return true;
    }
    // An erased disk begins with one byte over and over, which begins no character of a text.
    return head.size() == 64 * KiB && (head[0] & 0x80) != 0 &&
           head.substr(0, 4 * KiB).find_first_not_of(head[0]) == std::string_view::npos;
}

/// A file that is text, or one that is not.
struct Loaded {
    std::string bytes;
    std::shared_ptr<ByteSource> image;  // null for text and archives
};

// Valid as long as the source; empty when nothing can be read.
std::string_view head_of(FileSource& file) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(file.readable_bytes(), 64 * KiB));
    const auto bytes = file.read(0, length);
    if (!bytes) return {};
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// named: by the user, and no file that a folder happens to hold.
Result<Loaded> read_path(const std::string& path, const LoadLimits& limits, bool named) {
    // O_NONBLOCK: opening a FIFO nobody writes to must not hang.
    Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (file.get() < 0) return unreadable(path, errno);
    struct stat status {};
    if (fstat(file.get(), &status) != 0) return unreadable(path, errno);
    if (S_ISBLK(status.st_mode) || S_ISCHR(status.st_mode)) {
        // Disks of FreeBSD are character devices; most others of that kind have no end.
        const auto end = end_of_device(file.get());
        if (!end)
            return Error{ErrorKind::no_input,
                         fmt::format("{}: not a device whose size is known", escaped(path))};
        return Loaded{{}, std::make_shared<FileSource>(source_name(path, true), file.release(), *end, true)};
    }
    if (S_ISFIFO(status.st_mode) && named) {
        auto piped = read_all(file.get(), path, limits);
        if (!piped) return piped.error();
        return Loaded{std::move(*piped), nullptr};
    }
    if (!S_ISREG(status.st_mode))
        return Error{ErrorKind::no_input,
                     fmt::format("{}: neither a file, a folder nor a disk", escaped(path))};
    if (!path.ends_with(regions_suffix)) {
        const auto size = static_cast<std::uint64_t>(status.st_size);
        auto disk = std::make_shared<FileSource>(source_name(path, false), file.release(), size, false);
        const std::string_view head = head_of(*disk);
        if (const auto kind = foreign_kind(head); !kind.empty())
            return Error{ErrorKind::bad_data,
                         fmt::format("{}: {}: binary data in which no partition table, no set's metadata and "
                                     "no file system is recognised",
                                     escaped(path), kind)};
        if (is_binary(head) && !is_archive(head) && !is_utf16(head)) return Loaded{{}, std::move(disk)};
        file.take(disk->release());
    }
    auto bytes = read_all(file.get(), path, limits);
    if (!bytes) return bytes.error();
    if (named && bytes->empty())
        return Error{
            ErrorKind::bad_data,
            fmt::format("{}: an empty file: neither the output of a command nor a disk", escaped(path))};
    return Loaded{std::move(*bytes), nullptr};
}

Result<Loaded> read_standard_input(const LoadLimits& limits) {
    auto bytes = read_all(STDIN_FILENO, "standard input", limits);
    if (!bytes) return bytes.error();
    return Loaded{std::move(*bytes), nullptr};
}

Result<Capture> read_folder(const std::string& path, const LoadLimits& limits) {
    namespace fs = std::filesystem;
    Capture capture;
    std::error_code error;
    std::vector<fs::path> files;
    const auto too_many = [&] {
        return Error{ErrorKind::bad_data,
                     fmt::format("{}: more than {} files", escaped(path), limits.members)};
    };
    // Symbolic links to folders are not followed, so a loop cannot happen.
    for (fs::recursive_directory_iterator at(path, fs::directory_options::none, error), end;
         !error && at != end; at.increment(error)) {
        std::error_code ignored;
        // A link in somebody's capture must not lead to other files of this machine.
        if (at->is_symlink(ignored)) {
            capture.notes.push_back(fmt::format("{}: a symbolic link, left out",
                                                escaped(at->path().lexically_relative(path).string())));
            if (capture.notes.size() > limits.members) return too_many();
            continue;
        }
        if (at->is_directory(ignored)) continue;
        // Only who names a device means it.
        if (at->is_block_file(ignored) || at->is_character_file(ignored)) {
            capture.notes.push_back(fmt::format("{}: a device, left out: it has to be named itself",
                                                escaped(at->path().lexically_relative(path).string())));
            if (capture.notes.size() > limits.members) return too_many();
            continue;
        }
        if (files.size() >= limits.members) return too_many();
        files.push_back(at->path());
    }
    if (error) return unreadable(path, error.value());
    std::sort(files.begin(), files.end());
    LoadLimits left = limits;
    for (const auto& file : files) {
        const std::string name = file.lexically_relative(path).string();
        auto bytes = read_path(file.string(), left, false);
        if (!bytes) {
            capture.notes.push_back(bytes.error().message);
            continue;
        }
        if (bytes->image && capture.images.size() >= limits.images) {
            capture.notes.push_back(
                fmt::format("{}: more than {} images, left out", escaped(name), limits.images));
            continue;
        }
        if (bytes->image) {
            capture.images.push_back(std::move(bytes->image));
            continue;
        }
        left.bytes -= bytes->bytes.size();
        capture.documents.push_back({name, std::move(bytes->bytes), {}});
    }
    if (capture.documents.empty() && capture.images.empty())
        return Error{ErrorKind::no_input, capture.notes.empty()
                                              ? fmt::format("{}: no file in it", escaped(path))
                                              : capture.notes.front()};
    return capture;
}

}  // namespace

Result<Capture> load_input(const std::string& path, const LoadLimits& limits) {
    std::error_code error;
    Capture capture;
    if (path != "-" && std::filesystem::is_directory(path, error)) {
        auto folder = read_folder(path, limits);
        if (!folder) return folder;
        capture = std::move(*folder);
        capture.whole_host = true;
    } else {
        auto loaded = path == "-" ? read_standard_input(limits) : read_path(path, limits, true);
        if (!loaded) return loaded.error();
        if (loaded->image) {
            capture.images.push_back(std::move(loaded->image));
        } else if (is_archive(loaded->bytes)) {
            auto members = read_archive(loaded->bytes, path, limits);
            if (!members) return members;
            capture = std::move(*members);
            capture.whole_host = true;
            std::stable_sort(capture.documents.begin(), capture.documents.end(),
                             [](const Document& a, const Document& b) { return a.name < b.name; });
        } else {
            capture.documents.push_back({path == "-" ? "-" : std::filesystem::path(path).filename().string(),
                                         std::move(loaded->bytes),
                                         {}});
        }
    }
    std::erase_if(capture.documents, [&](Document& document) {
        if (document.name.ends_with(regions_suffix)) return false;
        if (is_utf16(std::string_view(document.bytes).substr(0, 64 * KiB)))
            document.bytes = utf8_of(document.bytes);
        if (!is_binary(document.bytes)) return false;
        capture.images.push_back(
            std::make_shared<BytesSource>(source_name(document.name, false), std::move(document.bytes)));
        return true;
    });
    if (const auto applied = apply_manifests(capture); !applied)
        return Error{applied.error().kind, fmt::format("{}: {}", escaped(path), applied.error().message)};
    return capture;
}

Result<std::string> load_file(const std::string& path, const LoadLimits& limits) {
    auto loaded = path == "-" ? read_standard_input(limits) : read_path(path, limits, true);
    if (!loaded) return loaded.error();
    if (loaded->image) return Error{ErrorKind::bad_data, fmt::format("{}: no text", escaped(path))};
    if (is_gzip(loaded->bytes)) return gunzip(loaded->bytes, path, limits);
    return std::move(loaded->bytes);
}

}  // namespace diskwright
