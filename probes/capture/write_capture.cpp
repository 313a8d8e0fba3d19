// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/write_capture.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "probes/capture/manifest.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/posix.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& path, int code) {
    const bool denied = code == EEXIST || code == ENOTEMPTY || code == EACCES || code == EPERM ||
                        code == ELOOP || code == ENOTDIR || code == EROFS;
    return {denied ? ErrorKind::no_permission : ErrorKind::os_error,
            fmt::format("{}: {}", escaped(path), errno_text(code))};
}

struct StoredFile {
    std::string name;
    std::string_view bytes;
};

// Removes what was begun unless it was kept.
class Unfinished {
 public:
    explicit Unfinished(std::string path) : path_(std::move(path)) {}
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished() {
        std::error_code ignored;
        if (!kept_) fs::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }
    void keep() { kept_ = true; }

 private:
    std::string path_;
    bool kept_ = false;
};

// A name beside the final one, so that the last step stays within one file system.
std::string template_beside(const std::string& path) {
    const fs::path whole(path);
    return (whole.parent_path() / ("." + whole.filename().string() + ".XXXXXX")).string();
}

Result<bool> write_file(const std::string& path, std::string_view bytes) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return failed(path, errno);
    int code = 0;
    while (!bytes.empty() && code == 0) {
        const ssize_t count = write(fd, bytes.data(), bytes.size());
        if (count >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(count));
        else if (errno != EINTR)
            code = errno;
    }
    if (code == 0 && fsync(fd) != 0) code = errno;
    if (close(fd) != 0 && code == 0) code = errno;
    if (code != 0) return failed(path, code);
    return true;
}

Result<bool> write_folder(const std::string& path, const std::vector<StoredFile>& files) {
    std::string name = template_beside(path);
    if (!mkdtemp(name.data())) return failed(path, errno);
    Unfinished folder(name);
    for (const StoredFile& file : files)
        if (auto done = write_file(name + "/" + file.name, file.bytes); !done) return done;
    // rename() puts a folder in the place of nothing or of an empty folder, and of nothing else.
    if (std::rename(name.c_str(), path.c_str()) != 0) return failed(path, errno);
    folder.keep();
    return true;
}

Result<bool> fill_archive(int fd, const std::string& path, const std::vector<StoredFile>& files) {
    const std::unique_ptr<archive, decltype(&archive_write_free)> out(archive_write_new(),
                                                                      archive_write_free);
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
    archive_write_add_filter_gzip(out.get());
    archive_write_set_format_ustar(out.get());
    const auto broken = [&] {
        const char* why = archive_error_string(out.get());
        return Error{ErrorKind::os_error,
                     fmt::format("{}: {}", escaped(path), why ? why : "cannot be written")};
    };
    if (archive_write_open_fd(out.get(), fd) != ARCHIVE_OK) return broken();
    const std::time_t now = std::time(nullptr);
    for (const StoredFile& file : files) {
        archive_entry_clear(entry.get());
        archive_entry_set_pathname(entry.get(), ("capture/" + file.name).c_str());
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0600);
        archive_entry_set_mtime(entry.get(), now, 0);
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
        if (archive_write_header(out.get(), entry.get()) != ARCHIVE_OK ||
            archive_write_data(out.get(), file.bytes.data(), file.bytes.size()) !=
                static_cast<la_ssize_t>(file.bytes.size()))
            return broken();
    }
    if (archive_write_close(out.get()) != ARCHIVE_OK) return broken();
    return true;
}

// To its final name without overwriting: a link fails where the name exists. File systems without links get
// the name reserved first.
int publish(const std::string& from, const std::string& to) {
    if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str()) == 0 ? 0 : errno;
    if (errno == EEXIST) return EEXIST;
    const int fd = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    close(fd);
    if (std::rename(from.c_str(), to.c_str()) == 0) return 0;
    const int code = errno;
    unlink(to.c_str());
    return code;
}

Result<bool> write_archive(const std::string& path, const std::vector<StoredFile>& files) {
    std::string name = template_beside(path);
    const int fd = mkstemp(name.data());
    if (fd < 0) return failed(path, errno);
    Unfinished file(name);
    auto done = fill_archive(fd, path, files);
    const bool stored = fsync(fd) == 0;
    const int store_code = errno;
    if (close(fd) != 0 && done) return failed(path, errno);
    if (!done) return done;
    if (!stored) return failed(path, store_code);
    if (const int code = publish(name, path)) return failed(path, code);
    file.keep();
    return true;
}

}  // namespace

bool names_folder(const std::string& path) {
    std::error_code error;
    return path.ends_with('/') || (fs::is_directory(path, error) && fs::is_empty(path, error));
}

Result<bool> write_capture(const std::string& path, const Capture& capture) {
    if (!capture.info) return Error{ErrorKind::internal, "a capture without its date"};
    std::vector<std::string> names;
    std::vector<StoredFile> files;
    const auto store = [&](const std::vector<std::string>& words, std::string_view suffix,
                           std::string_view bytes) {
        names.push_back(member_file_name(names.size() + 1, words, suffix));
        files.push_back({names.back(), bytes});
    };
    for (const Document& document : capture.documents) store(document.argv, ".txt", document.bytes);
    for (const RegionSource* device : collected_devices(capture))
        store({device->name()}, regions_suffix, device->regions().bytes);
    std::string facts;
    if (capture.device_facts) {
        facts = facts_to_json(*capture.device_facts, true).dump(1) + "\n";
        store({"device_facts"}, ".json", facts);
    }
    const std::string manifest = manifest_text(*capture.info, capture, names);
    // A device of which all that was read is empty has an entry and no file.
    std::erase_if(files, [](const StoredFile& file) {
        return file.bytes.empty() && file.name.ends_with(regions_suffix);
    });
    files.insert(files.begin(), {std::string(manifest_name), manifest});
    if (!names_folder(path)) return write_archive(path, files);
    std::string folder = path;
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    return write_folder(folder, files);
}

}  // namespace diskwright
