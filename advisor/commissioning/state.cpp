// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "probes/model/json_object.hpp"
#include "probes/support/posix.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_profile = std::size_t{64} << 20;

Error failed(const std::string& path, int number) {
    const bool refused = number == EACCES || number == EPERM || number == EEXIST || number == EROFS;
    return Error{refused ? ErrorKind::no_permission : ErrorKind::os_error,
                 fmt::format("{}: {}", escaped(path), errno_text(number))};
}

Result<bool> write_new(const std::string& path, std::string_view text) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return failed(path, errno);
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            const int why = errno;
            close(fd);
            return failed(path, why);
        }
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    const bool on_disk = fsync(fd) == 0;
    const int why = errno;
    close(fd);
    if (!on_disk) return failed(path, why);
    return true;
}

std::string profile_path(const std::string& folder) {
    return folder + "/profile.json";
}

}  // namespace

Result<bool> make_journal_folder(const std::string& folder) {
    if (mkdir(folder.c_str(), 0700) == 0) return true;
    if (errno == EEXIST)
        return Error{
            ErrorKind::no_permission,
            fmt::format("{}: is there already; --resume goes on with the job in it", escaped(folder))};
    return failed(folder, errno);
}

Result<bool> save_profile(const std::string& folder, const std::string& subject,
                          const DeviceProfile& profile) {
    const std::string path = profile_path(folder), temporary = path + ".new";
    unlink(temporary.c_str());  // of a job that was killed while writing it
    const Json json{{"subject", subject}, {"profile", profile_to_json(profile)}};
    const auto written = write_new(temporary, json.dump(1) + "\n");
    if (!written) return written;
    if (std::rename(temporary.c_str(), path.c_str()) != 0) return failed(path, errno);
    return true;
}

Result<std::optional<DeviceProfile>> saved_profile(const std::string& folder, const std::string& subject) {
    const std::string path = profile_path(folder);
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0)
        return Error{ErrorKind::no_input, fmt::format("{}: {}", escaped(folder), errno_text())};
    if (lstat(path.c_str(), &status) != 0) return std::optional<DeviceProfile>{};
    if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) > largest_profile)
        return Error{ErrorKind::bad_data, fmt::format("{}: no profile of ours", escaped(path))};
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) return Error{ErrorKind::no_input, fmt::format("{}: cannot be read", escaped(path))};
    const auto json = parse_json(text.str(), path);
    if (!json) return json.error();
    JsonObject top(*json, path);
    const auto whose = top.text("subject");
    const auto* profile = top.any("profile");
    top.reject_unknown_keys();
    if (!profile) top.fail("profile", "missing");
    if (whose && *whose != subject)
        top.fail("subject", fmt::format("the job was begun for '{}', not for '{}'", *whose, subject));
    if (top.error()) return *top.error();
    auto read = profile_from_json(*profile, path);
    if (!read) return read.error();
    return std::optional(std::move(*read));
}

Result<TrialsFile> open_trials(const std::string& folder, bool resume, const JournalHeader& header,
                               const SearchSpace& space) {
    TrialsFile out;
    if (folder.empty()) return out;
    const std::string path = folder + "/trials.jsonl";
    struct stat status {};
    if (resume && lstat(path.c_str(), &status) == 0) {
        auto resumed = Journal::resume(path, header, space);
        if (!resumed) return resumed.error();
        out.journal.emplace(std::move(resumed->journal));
        out.trials = std::move(resumed->trials);
        out.note = std::move(resumed->note);
        return out;
    }
    auto created = Journal::create(path, header, space);
    if (!created) return created.error();
    out.journal.emplace(std::move(*created));
    return out;
}

}  // namespace diskwright
