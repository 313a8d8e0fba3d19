// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/process_runner.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/process/args.hpp>
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "probes/live/running_groups.hpp"
#include "probes/support/posix.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

namespace bp = boost::process;
namespace asio = boost::asio;

constexpr std::string_view search_path = "/sbin:/usr/sbin:/bin:/usr/bin:/usr/pkg/sbin:/usr/local/sbin";

std::string find_program(const std::string& name, std::string_view folders) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : std::string{};
    for (const auto folder : split(folders, ':')) {
        std::string path = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
        struct stat status {};
        if (access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
            return path;
    }
    return {};
}

void close_on_exec(int descriptor) {
    if (descriptor > STDERR_FILENO) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// Reads until the end, keeps at most `limit` bytes and goes on reading, so that the child never blocks on a
// full pipe.
class Collector {
 public:
    Collector(asio::io_context& io, std::size_t limit, std::string& into, bool& cut)
        : pipe(io), limit_(limit), into_(into), cut_(cut) {
        // No other command may hold an end of it.
        close_on_exec(pipe.native_source());
        close_on_exec(pipe.native_sink());
    }

    void start() {
        pipe.async_read_some(asio::buffer(buffer_),
                             [this](const boost::system::error_code& error, std::size_t count) {
                                 const std::size_t room = limit_ - std::min(limit_, into_.size());
                                 into_.append(buffer_.data(), std::min(room, count));
                                 if (count > room) cut_ = true;
                                 if (!error) start();
                             });
    }

    bp::async_pipe pipe;

 private:
    std::array<char, 16 * KiB> buffer_{};
    std::size_t limit_;
    std::string& into_;
    bool& cut_;
};

// A file without a name: unlike a pipe it takes any input at once, and a child that does not read it is no
// reader that left. No input needs no place to write.
class InputFile {
 public:
    explicit InputFile(std::string_view text)
        : file_(text.empty() ? std::fopen("/dev/null", "r") : std::tmpfile()) {
        if (file_) close_on_exec(fileno(file_));
        if (text.empty())
            good_ = file_ != nullptr;
        else if (file_ && std::fwrite(text.data(), 1, text.size(), file_) == text.size() &&
                 std::fflush(file_) == 0 && fseek(file_, 0, SEEK_SET) == 0)
            good_ = true;
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile() {
        if (file_) std::fclose(file_);
    }
    bool good() const { return good_; }
    std::FILE* file() const { return file_; }

 private:
    std::FILE* file_;
    bool good_ = false;
};

// No handler interrupts this thread until release(), which a new process calls for itself too.
class SignalsHeld {
 public:
    SignalsHeld() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
    ~SignalsHeld() { release(); }
    void release() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
    sigset_t before_{};
};

struct Process {
    std::string program;
    std::vector<std::string> argv;
    bp::environment environment;
    std::function<bool()> stop;
};

// Leaves the child to be waited for, so that its number stays its own.
bool has_exited(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == child;
}

// Of a killed process: one that waits for a device that gives no answer cannot be ended.
bool ends_soon(pid_t child) {
    constexpr std::chrono::milliseconds nap(5);
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
        if (has_exited(child)) return true;
        std::this_thread::sleep_for(nap);
    }
    return false;
}

// Reads until the child ends, prints more than it may (then true too), its time is up (then false) or
// somebody wants it to stop (false too). The ends of the pipes tell nothing: the child may close them and run
// on, or leave them to a child of its own.
bool ends_in_time(asio::io_context& io, pid_t child, const Process& process, const CommandLimits& limits,
                  const bool& cut) {
    constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(50);
    std::chrono::nanoseconds nap = std::chrono::milliseconds(1);
    const auto deadline = std::chrono::steady_clock::now() + limits.time;
    const auto stopped = [&] {
        return (process.stop && process.stop()) || (limits.progress && limits.progress->cancelled());
    };
    while (!has_exited(child) && !(cut && limits.end_when_cut)) {
        const std::chrono::nanoseconds left = deadline - std::chrono::steady_clock::now();
        if (left <= std::chrono::nanoseconds::zero() || stopped()) return false;
        if (!io.stopped()) {
            io.run_for(std::min(left, slice));
        } else {
            std::this_thread::sleep_for(std::min(left, nap));
            nap = std::min(2 * nap, slice);
        }
    }
    return true;
}

// One at a time: between the making of a pipe and its mark, and until its child has it, another child that
// begins would get it too.
std::mutex beginning;

Result<CommandOutcome> run_process(const Process& process, std::string_view input,
                                   const CommandLimits& limits) {
    std::unique_lock one_at_a_time(beginning);
    const InputFile in(input);
    if (!in.good())
        return Error{ErrorKind::os_error,
                     fmt::format("{}: no file for its input: {}", process.argv[0], errno_text())};
    CommandOutcome outcome;
    asio::io_context io;
    bool errors_cut = false;
    Collector output(io, limits.output_bytes, outcome.output, outcome.output_cut);
    Collector errors(io, limits.output_bytes, outcome.errors, errors_cut);
    bp::group group;
    std::error_code failure;
    SignalsHeld held;
    std::optional<RunningGroup> running(std::in_place);
    bp::child child(bp::exe = process.program,
                    bp::args = std::vector<std::string>(process.argv.begin() + 1, process.argv.end()),
                    process.environment, (bp::std_in < in.file()), (bp::std_out > output.pipe),
                    (bp::std_err > errors.pipe), group, failure,
                    (bp::extend::on_exec_setup = [&](auto&) { held.release(); }));
    running->started(failure ? 0 : child.id());
    held.release();
    one_at_a_time.unlock();
    if (failure) return Error{ErrorKind::os_error, fmt::format("{}: {}", process.argv[0], failure.message())};

    output.start();
    errors.start();
    outcome.timed_out = !ends_in_time(io, child.id(), process, limits, outcome.output_cut);
    killpg(child.id(), SIGKILL);
    const bool ended = ends_soon(child.id());
    running.reset();
    // What was printed is in the pipes; a process that left the group and keeps them open must not hold us.
    io.run_for(std::chrono::milliseconds(200));
    output.pipe.close();
    errors.pipe.close();
    io.restart();
    io.poll();
    if (!ended) {
        child.detach();
        outcome.exit_status = 128 + SIGKILL;
        return outcome;
    }
    child.wait(failure);
    if (failure)
        return Error{ErrorKind::os_error,
                     fmt::format("{}: its exit status is lost: {}", process.argv[0], failure.message())};
    const int status = child.native_exit_code();
    outcome.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
}

Error not_installed(const std::string& name) {
    return Error{ErrorKind::unavailable, fmt::format("{}: not installed", name)};
}

}  // namespace

Result<CommandOutcome> ProcessRunner::run(const std::vector<std::string>& argv, const CommandLimits& limits) {
    if (argv.empty()) return Error{ErrorKind::internal, "an empty command"};
    Process process{find_program(argv[0], search_path), argv, {}, {}};
    if (process.program.empty()) return not_installed(argv[0]);
    process.environment["PATH"] = std::string(search_path);
    process.environment["LC_ALL"] = "C";
    return run_process(process, {}, limits);
}

bool ProcessRunner::installed(const std::string& program) const {
    return !find_program(program, search_path).empty();
}

Result<CommandOutcome> UserProcessRunner::run(const std::vector<std::string>& argv, std::string_view input,
                                              const CommandLimits& limits) {
    if (argv.empty()) return Error{ErrorKind::internal, "an empty command"};
    const char* path = std::getenv("PATH");
    Process process{find_program(argv[0], path ? path : search_path), argv, {}, stop_};
    if (process.program.empty()) return not_installed(argv[0]);
    process.environment = bp::environment(boost::this_process::environment());
    return run_process(process, input, limits);
}

}  // namespace diskwright
