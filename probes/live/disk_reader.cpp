// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/disk_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "probes/capture/file_source.hpp"
#include "probes/live/device_system.hpp"
#include "probes/ondisk/discover.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds answer_time{1};
constexpr std::uint64_t longest_answer = 4 * MiB;
constexpr std::size_t most_failures = 16;  // a dying disk needs no more to be known as one

// What the two processes say to each other. A request of no length is the last one.
struct Request {
    std::uint64_t offset, length;
};
struct Answer {
    std::uint64_t failed;  // 0, or 1 + ErrorKind and a text instead of bytes
    std::uint64_t length;  // of what follows
};
struct Geometry {
    std::uint64_t size, sector;
};
struct Summary {
    std::uint64_t regions, bytes, exhausted, failures;
};
struct RegionRow {
    std::uint64_t offset, length, zero;
};

// ---- the process that reads

bool send_all(int socket, const void* data, std::size_t length) {
    const auto* at = static_cast<const char*>(data);
    while (length > 0) {
        const ssize_t count = send(socket, at, length, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += count, length -= static_cast<std::size_t>(count);
    }
    return true;
}

bool receive_all(int socket, void* data, std::size_t length) {
    auto* at = static_cast<char*>(data);
    while (length > 0) {
        const ssize_t count = recv(socket, at, length, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += count, length -= static_cast<std::size_t>(count);
    }
    return true;
}

bool send_error(int socket, const Error& error) {
    const Answer answer{1 + static_cast<std::uint64_t>(error.kind), error.message.size()};
    return send_all(socket, &answer, sizeof answer) &&
           send_all(socket, error.message.data(), error.message.size());
}

bool send_bytes(int socket, const void* data, std::size_t length) {
    const Answer answer{0, length};
    return send_all(socket, &answer, sizeof answer) && send_all(socket, data, length);
}

void send_everything(int socket, const FileSource& source) {
    const DeviceRegions all = source.regions();
    std::size_t failures = std::min(source.failures().size(), most_failures);
    const Summary summary{all.regions.size(), all.bytes.size(), source.exhausted() ? 1U : 0U, failures};
    if (!send_all(socket, &summary, sizeof summary)) return;
    for (const auto& [page, failure] : source.failures()) {
        if (failures-- == 0) break;
        if (!send_bytes(socket, failure.message.data(), failure.message.size())) return;
    }
    for (const auto& r : all.regions) {
        const RegionRow row{r.offset, r.length, r.zero ? 1U : 0U};
        if (!send_all(socket, &row, sizeof row)) return;
    }
    send_all(socket, all.bytes.data(), all.bytes.size());
}

Result<OpenedDevice> open_disk(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return system_error(path, "");
    // Direct reads of a file would have to be whole sectors of the file system, to the end of the file.
    if (S_ISREG(status.st_mode)) return open_device(path, O_RDONLY | O_NONBLOCK, 0);
    return device_system::open_for_reading(path);
}

void serve(int socket, const std::string& name, const std::string& path) {
    auto device = open_disk(path);
    const auto geometry = device ? device_system::geometry(*device) : Result<DeviceGeometry>(device.error());
    if (!geometry) {
        send_error(socket, geometry.error());
        return;
    }
    const std::uint64_t sector = device->is_file() ? 512 : geometry->sector_bytes;
    FileSource source(name, device->io.release(), geometry->size_bytes, true, sector);
    // From now on most of what will be asked for is in memory.
    ByteSource* const alone = &source;
    if (geometry->size_bytes > 0) (void)discover(std::span(&alone, 1));
    const Geometry found{geometry->size_bytes, sector};
    if (!send_bytes(socket, &found, sizeof found)) return;
    for (Request request{}; receive_all(socket, &request, sizeof request);) {
        if (request.length == 0) return send_everything(socket, source);
        const auto bytes = source.read(request.offset, static_cast<std::size_t>(request.length));
        if (!(bytes ? send_bytes(socket, bytes->data(), bytes->size()) : send_error(socket, bytes.error())))
            return;
    }
}

// Held by a disk that does not answer, the process must not hold a terminal or a pipe.
[[noreturn]] void run_reader(int socket, const std::vector<int>& others, const std::string& name,
                             const std::string& path) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    const int null = open("/dev/null", O_RDWR);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
    for (const int other : others) close(other);
    try {
        serve(socket, name, path);
    } catch (...) {
        _exit(1);  // out of memory: the other process sees the end of the connection
    }
    _exit(0);
}

}  // namespace

// ---- the process that asks

Result<std::unique_ptr<DiskReader>> DiskReader::start(std::string name, const std::string& path,
                                                      const std::vector<int>& others) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return system_error(path, "");
    FileDescriptor ours(ends[0]), theirs(ends[1]);
    const pid_t process = fork();
    if (process < 0) return system_error(path, "");
    if (process == 0) {
        auto inherited = others;
        inherited.push_back(ours.get());
        run_reader(theirs.get(), inherited, name, path);
    }
    return std::unique_ptr<DiskReader>(new DiskReader(std::move(name), std::move(ours), process));
}

DiskReader::~DiskReader() {
    socket_ = FileDescriptor();
    kill(process_, SIGKILL);
    constexpr int tries = 20;
    for (int i = 0; i < tries && waitpid(process_, nullptr, WNOHANG) == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

bool DiskReader::receive(void* into, std::size_t length, Time until) {
    auto* at = static_cast<char*>(into);
    while (length > 0 && !silent_) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd wanted{socket_.get(), POLLIN, 0};
        const int ready = poll(&wanted, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
        if (ready < 0 && errno == EINTR) continue;
        const ssize_t count = ready > 0 ? recv(socket_.get(), at, length, MSG_DONTWAIT) : 0;
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        silent_ = count <= 0;
        if (silent_) break;
        at += count, length -= static_cast<std::size_t>(count);
    }
    return !silent_;
}

bool DiskReader::ask(std::uint64_t offset, std::uint64_t length) {
    const Request request{offset, length};
    silent_ = silent_ || !send_all(socket_.get(), &request, sizeof request);
    return !silent_;
}

Error DiskReader::no_answer() {
    silent_ = true;
    return {ErrorKind::unavailable, fmt::format("{}: gave no answer in time", escaped(name_))};
}

Result<bool> DiskReader::begin(Time until) {
    Answer answer{};
    if (!receive(&answer, sizeof answer, until) || answer.length > longest_answer) return no_answer();
    std::string bytes(static_cast<std::size_t>(answer.length), '\0');
    if (!receive(bytes.data(), bytes.size(), until)) return no_answer();
    if (answer.failed != 0) {
        silent_ = true;
        return Error{static_cast<ErrorKind>(answer.failed - 1), bytes};
    }
    Geometry geometry{};
    if (bytes.size() != sizeof geometry) return no_answer();
    std::copy_n(bytes.data(), sizeof geometry, reinterpret_cast<char*>(&geometry));
    size_bytes_ = geometry.size, sector_bytes_ = geometry.sector;
    return true;
}

Result<std::span<const std::byte>> DiskReader::read(std::uint64_t offset, std::size_t length) {
    const auto known = answers_.find({offset, length});
    if (known != answers_.end()) return std::span<const std::byte>(known->second);
    if (length == 0) return std::span<const std::byte>{};
    const auto now = Clock::now();
    // The process is not asked, and so can still hand over what it has.
    if (now >= end_ || (progress_ && progress_->cancelled()))
        return Error{ErrorKind::unavailable, fmt::format("{}: the time for looking is up", escaped(name_))};
    const auto until = now + answer_time;
    Answer answer{};
    if (!ask(offset, length) || !receive(&answer, sizeof answer, until) || answer.length > longest_answer)
        return no_answer();
    std::vector<std::byte> bytes(static_cast<std::size_t>(answer.length));
    if (!receive(bytes.data(), bytes.size(), until)) return no_answer();
    if (answer.failed != 0)
        return Error{static_cast<ErrorKind>(answer.failed - 1),
                     std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
    return std::span<const std::byte>(
        answers_.emplace(std::pair(offset, length), std::move(bytes)).first->second);
}

Result<DiskReader::Everything> DiskReader::everything(Time until) {
    Summary summary{};
    if (!ask(0, 0) || !receive(&summary, sizeof summary, until) ||
        summary.regions > RegionSource::most_regions || summary.bytes > longest_answer ||
        summary.failures > most_failures)
        return no_answer();
    Everything out;
    for (std::uint64_t i = 0; i < summary.failures; ++i) {
        Answer answer{};
        if (!receive(&answer, sizeof answer, until) || answer.length > longest_answer) return no_answer();
        auto& failure = out.failures.emplace_back(static_cast<std::size_t>(answer.length), '\0');
        if (!receive(failure.data(), failure.size(), until)) return no_answer();
    }
    out.exhausted = summary.exhausted != 0;
    out.regions.device = name_;
    out.regions.size_bytes = size_bytes_, out.regions.sector_bytes = sector_bytes_;
    for (std::uint64_t i = 0; i < summary.regions; ++i) {
        RegionRow row{};
        if (!receive(&row, sizeof row, until)) return no_answer();
        out.regions.regions.push_back({row.offset, row.length, row.zero != 0});
    }
    out.regions.bytes.resize(static_cast<std::size_t>(summary.bytes));
    if (!receive(out.regions.bytes.data(), out.regions.bytes.size(), until)) return no_answer();
    return out;
}

}  // namespace diskwright
