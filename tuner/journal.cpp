// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "probes/support/posix.hpp"
#include "probes/support/text.hpp"
#include "tuner/journal_lines.hpp"

namespace diskwright {
namespace {

constexpr std::size_t max_bytes = std::size_t{256} << 20;

// Whether text without a line end is what a search left that was killed while it wrote its header: nothing is
// lost then, whatever search it was.
bool begins_header(std::string_view text, std::string_view wanted) {
    const std::string_view mark = wanted.substr(0, wanted.find(','));
    return text.size() < mark.size() ? mark.starts_with(text) : text.starts_with(mark);
}

}  // namespace

Journal::Journal(Journal&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      space_(other.space_),
      trials_(other.trials_) {}

Journal::~Journal() {
    if (fd_ >= 0) close(fd_);
}

Error Journal::failure(ErrorKind kind, std::string_view what) const {
    return Error{kind, fmt::format("{}: {}", escaped(path_), what)};
}

Error Journal::system_failure(std::string_view what) const {
    const int why = errno;
    return failure(kind_of_errno(why), fmt::format("{}: {}", what, errno_text(why)));
}

Result<bool> Journal::lock() {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (fcntl(fd_, F_SETLK, &whole) == 0) return true;
    if (errno == EAGAIN || errno == EACCES)
        return failure(ErrorKind::no_permission, "another session is using this journal");
    return failure(ErrorKind::os_error, "cannot be locked: " + errno_text());
}

Result<bool> Journal::write_line(const std::string& line) {
    if (!write_all(fd_, line)) return system_failure("write");
    if (fsync(fd_) != 0) return system_failure("fsync");
    return true;
}

Result<bool> Journal::append(const Trial& trial) {
    return write_line(trial_line(*space_, trial, ++trials_));
}

Result<Journal> Journal::create(const std::string& path, const JournalHeader& header,
                                const SearchSpace& space) {
    Journal journal(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600),
                    path, space);
    if (journal.fd_ < 0 && errno == EEXIST)
        return journal.failure(ErrorKind::no_permission, "exists already; --resume goes on with a journal");
    if (journal.fd_ < 0) return journal.failure(kind_of_errno(), errno_text());
    if (auto locked = journal.lock(); !locked) return locked.error();
    if (auto written = journal.write_line(header.line(space)); !written) return written.error();
    if (!sync_folder_of(path)) return journal.system_failure("fsync of its folder");
    return journal;
}

Result<std::string> Journal::contents() const {
    std::string text;
    std::array<char, 64 * KiB> part{};
    for (;;) {
        const ssize_t count = read(fd_, part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_failure("read");
        if (count == 0) return text;
        text.append(part.data(), static_cast<std::size_t>(count));
        if (text.size() > max_bytes) return failure(ErrorKind::bad_data, "larger than 256 MiB");
    }
}

Result<Journal::Resumed> Journal::resume(const std::string& path, const JournalHeader& header,
                                         const SearchSpace& space) {
    Journal journal(open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
                    path, space);
    if (journal.fd_ < 0) return journal.failure(kind_of_errno(), errno_text());
    struct stat status {};
    if (fstat(journal.fd_, &status) != 0 || !S_ISREG(status.st_mode))
        return journal.failure(ErrorKind::no_permission, "not a regular file");
    if (auto locked = journal.lock(); !locked) return locked.error();
    const auto text = journal.contents();
    if (!text) return text.error();

    const std::string wanted = header.line(space);
    const std::size_t whole = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
    if (whole == 0 && !begins_header(*text, wanted))
        return journal.failure(ErrorKind::bad_data, "line 1: not the header of a journal");
    const auto lines = split_lines(std::string_view(*text).substr(0, whole));
    if (whole != 0)
        if (const auto difference = header_difference(lines.front(), wanted))
            return journal.failure(ErrorKind::bad_data, *difference);
    std::vector<Trial> trials;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        auto trial = trial_from_line(space, lines[i], i, fmt::format("{}: line {}", path, i + 1));
        if (!trial) return trial.error();
        trials.push_back(std::move(*trial));
    }
    journal.trials_ = trials.size();

    std::string note;
    if (whole != text->size()) {
        note = fmt::format("{}: the last line has no end and was dropped", escaped(path));
        if (ftruncate(journal.fd_, static_cast<off_t>(whole)) != 0) return journal.system_failure("truncate");
    }
    if (whole == 0)
        if (auto written = journal.write_line(wanted); !written) return written.error();
    return Resumed{std::move(journal), std::move(trials), std::move(note)};
}

}  // namespace diskwright
