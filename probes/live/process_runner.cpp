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
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

namespace bp = boost::process;
namespace asio = boost::asio;

constexpr std::string_view search_path = "/sbin:/usr/sbin:/bin:/usr/bin:/usr/pkg/sbin:/usr/local/sbin";

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : std::string{};
    for (const auto folder : split(search_path, ':')) {
        std::string path = fmt::format("{}/{}", folder, name);
        if (access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

// Reads until the end, keeps at most `limit` bytes and goes on reading, so that the child never blocks on a
// full pipe.
class Collector {
 public:
    Collector(asio::io_context& io, std::size_t limit, std::string& into, bool& cut)
        : pipe(io), limit_(limit), into_(into), cut_(cut) {}

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

}  // namespace

Result<CommandOutcome> ProcessRunner::run(const std::vector<std::string>& argv, const CommandLimits& limits) {
    if (argv.empty()) return Error{ErrorKind::internal, "an empty command"};
    const std::string program = find_program(argv[0]);
    if (program.empty()) return Error{ErrorKind::unavailable, fmt::format("{}: not installed", argv[0])};

    CommandOutcome outcome;
    asio::io_context io;
    bool errors_cut = false;
    Collector output(io, limits.output_bytes, outcome.output, outcome.output_cut);
    Collector errors(io, limits.output_bytes, outcome.errors, errors_cut);
    bp::environment environment;
    environment["PATH"] = std::string(search_path);
    environment["LC_ALL"] = "C";
    bp::group group;
    std::error_code failure;
    bp::child child(bp::exe = program, bp::args = std::vector<std::string>(argv.begin() + 1, argv.end()),
                    environment, (bp::std_in < bp::null), (bp::std_out > output.pipe),
                    (bp::std_err > errors.pipe), group, failure);
    if (failure) return Error{ErrorKind::os_error, fmt::format("{}: {}", argv[0], failure.message())};

    output.start();
    errors.start();
    // Both pipes at their end, or the time is up: a grandchild that keeps a pipe open must not hold us.
    io.run_for(limits.time);
    std::error_code ignored;
    if (!io.stopped()) {
        outcome.timed_out = true;
        group.terminate(ignored);
        output.pipe.close();
        errors.pipe.close();
        io.restart();
        io.run_for(std::chrono::seconds(1));
    }
    child.wait(ignored);
    const int status = child.native_exit_code();
    outcome.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
}

}  // namespace diskwright
