// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/simulation_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "probes/support/random.hpp"
#include "tuner/simulator/file_operations.hpp"
#include "tuner/simulator/file_system_model.hpp"

namespace diskwright {
namespace {

// What a host is taken to be where the configuration does not say: each is named in `assumed`.
constexpr std::uint64_t assumed_ram_bytes = std::uint64_t{4} << 30;
constexpr double assumed_syscall_s = 20e-6;
constexpr std::uint64_t block_bytes = 512;

Error not_modelled(std::string what) {
    return Error{ErrorKind::unavailable, std::move(what)};
}

class Run {
 public:
    Run(const MachineConfiguration& machine, SimulatedDrive& volume, const SimulationOptions& options)
        : machine_(machine), volume_(volume), options_(options) {}
    Result<SimulationResult> result();

 private:
    using Kind = FileOperation::Kind;
    template <class T>
    T given(const std::optional<T>& value, const char* name, T otherwise) {
        if (value) return *value;
        result_.assumed.push_back(fmt::format("{} {}", name, otherwise));
        return otherwise;
    }
    std::optional<Error> set_up();
    std::optional<Error> perform(const std::vector<FileOperation>& list);
    void perform(const FileOperation& operation);
    template <class Call>
    void by_calls(const FileOperation& operation, Call call);
    std::optional<Error> measure(const FileWork& work, double start_s);
    void spend(double seconds) {
        io_->spend(seconds);
        result_.processor_s += seconds;
    }
    void sleep(double seconds);
    void settle();
    void add_noise();
    void settle_in_time();

    const MachineConfiguration& machine_;
    SimulatedDrive& volume_;
    const SimulationOptions& options_;
    SimulationResult result_;
    std::unique_ptr<VirtualIo> io_;
    std::unique_ptr<FileSystemModel> files_;
    std::vector<FileSystemModel::Handle> objects_{FileSystemModel::root};
    double syscall_s_ = 0, operation_s_ = 0;
};

std::optional<Error> Run::set_up() {
    if (!machine_.filesystem) return Error{ErrorKind::bad_data, "filesystem: missing: a workload needs one"};
    const auto& wanted = *machine_.filesystem;
    const MakeFileSystem make = file_system_maker(wanted.type);
    if (!make) return not_modelled(wanted.type + " is not modelled");
    const std::uint64_t volume_bytes = volume_.blocks() * block_bytes;
    const std::uint64_t start = machine_.partition_start_bytes.value_or(0);
    if (start >= volume_bytes)
        return Error{
            ErrorKind::bad_data,
            fmt::format("partition_start_bytes: {} is beyond the volume of {} bytes", start, volume_bytes)};
    FileSystemPlace place{machine_};
    place.size_bytes = wanted.size_bytes.value_or(volume_bytes - start);
    if (place.size_bytes > volume_bytes - start)
        return Error{ErrorKind::bad_data,
                     fmt::format("filesystem.size_bytes: {} is more than the {} from its start on",
                                 place.size_bytes, volume_bytes - start)};
    place.start_bytes = start;
    place.sector_bytes = std::uint64_t{volume_.logical_blocks()} * block_bytes;
    place.ram_bytes = given(machine_.host.ram_bytes, "host.ram_bytes", assumed_ram_bytes);
    place.assumed = &result_.assumed;
    io_ = std::make_unique<VirtualIo>(volume_, start, options_.records, options_.goes_on);
    auto made = make(place, *io_);
    if (!made) return made.error();
    files_ = std::move(*made);
    syscall_s_ = given(machine_.host.syscall_s, "host.syscall_s", assumed_syscall_s);
    operation_s_ = given(machine_.host.operation_s, "host.operation_s", 0.0);
    return std::nullopt;
}

template <class Call>
void Run::by_calls(const FileOperation& operation, Call call) {
    for (std::uint64_t done = 0; done < operation.bytes && !files_->failure(); done += operation.call) {
        spend(syscall_s_);
        call(operation.from + done, std::min<std::uint64_t>(operation.call, operation.bytes - done));
    }
}

void Run::perform(const FileOperation& operation) {
    const auto object = [&] { return objects_.at(operation.object); };
    switch (operation.kind) {
        case Kind::make_directory:
            spend(syscall_s_);
            objects_.push_back(files_->make_directory(objects_.at(operation.parent), operation.name));
            return;
        case Kind::create:
            spend(syscall_s_);
            objects_.push_back(files_->create(objects_.at(operation.parent), operation.name));
            return;
        case Kind::append:
            by_calls(operation, [&](std::uint64_t, std::uint64_t bytes) { files_->append(object(), bytes); });
            return;
        case Kind::write:
            by_calls(operation,
                     [&](std::uint64_t from, std::uint64_t bytes) { files_->write(object(), from, bytes); });
            return;
        case Kind::read:
            by_calls(operation,
                     [&](std::uint64_t from, std::uint64_t bytes) { files_->read(object(), from, bytes); });
            return;
        case Kind::close:
            spend(syscall_s_);
            return;
        case Kind::rename:
            spend(syscall_s_);
            files_->rename(object(), objects_.at(operation.parent), operation.name);
            return;
        case Kind::calls:
            spend(double(operation.bytes) * syscall_s_);
            return;
        case Kind::unlink:
            spend(syscall_s_);
            files_->unlink(object());
            return;
        case Kind::fsync:
            spend(syscall_s_);
            files_->fsync(object());
            return;
        case Kind::process:
            spend(operation_s_);
            return;
        case Kind::sleep:
            sleep(double(operation.bytes) / 1000);
            return;
        case Kind::remount:
            files_->remount();
            return;
    }
}

std::optional<Error> Run::perform(const std::vector<FileOperation>& list) {
    for (const FileOperation& operation : list) {
        perform(operation);
        if (files_->failure()) return Error{ErrorKind::bad_data, "filesystem: " + *files_->failure()};
    }
    return std::nullopt;
}

std::optional<Error> Run::measure(const FileWork& work, double start_s) {
    if (!work.round) return perform(work.measured);
    std::uint64_t rounds = 0;
    for (; rounds < FileWork::most_rounds && io_->now_s() < start_s + work.seconds; ++rounds)
        if (auto wrong = perform(work.round())) return wrong;
    result_.transactions = rounds;
    return std::nullopt;
}

void Run::sleep(double seconds) {
    const double until_s = io_->now_s() + seconds;
    for (double next_s = files_->next_background_s(); next_s < until_s;
         next_s = files_->next_background_s()) {
        io_->idle_until(next_s);
        files_->background();
        // Then it waits for what is under way.
        if (files_->next_background_s() <= io_->now_s()) io_->idle_until_done(until_s);
    }
    io_->idle_until(until_s);
}

// Until nothing is dirty: sync(2), or what the syncer does when.
void Run::settle() {
    if (machine_.workload->sync_at_end) files_->sync();
    settle_in_time();
}

void Run::settle_in_time() {
    io_->wait_for_all();
    for (double next_s = files_->next_background_s(); std::isfinite(next_s);
         next_s = files_->next_background_s()) {
        io_->idle_until(next_s);
        files_->background();
        io_->wait_for_all();
    }
}

// As if a clock had measured it: the times of the command and of what follows it, each by its own factor.
void Run::add_noise() {
    if (machine_.noise <= 0) return;
    // A log-normal factor of this sigma has the relative spread `noise`.
    const double sigma = std::sqrt(std::log1p(machine_.noise * machine_.noise));
    Random random(machine_.seed);
    const double settling_s = result_.settled_s - result_.command_s;
    result_.command_s *= std::exp(sigma * random.normal());
    result_.settled_s = result_.command_s + settling_s * std::exp(sigma * random.normal());
}

Result<SimulationResult> Run::result() {
    if (!machine_.workload) return Error{ErrorKind::bad_data, "workload: missing"};
    const auto work = options_.work ? Result<FileWork>(*options_.work) : file_work(*machine_.workload);
    if (!work) return work.error();
    if (const auto wrong = set_up()) return *wrong;
    files_->remount();
    if (const auto wrong = perform(work->before)) return *wrong;
    files_->sync();
    settle_in_time();
    const DriveCounters before = volume_.counters();
    const auto waited_before = io_->waited_s();
    const double start_s = io_->now_s();
    const std::size_t first_record = io_->records().size();
    const std::uint64_t commits_before = files_->commits();
    const std::uint64_t data_before = files_->data_bytes_written();
    result_.processor_s = 0;
    if (options_.at_start) options_.at_start();
    if (const auto wrong = measure(*work, start_s)) return *wrong;
    result_.command_s = io_->now_s() - start_s;
    settle();
    if (options_.at_end) options_.at_end();
    result_.settled_s = std::max(result_.command_s, io_->last_done_s() - start_s);
    result_.volume = volume_.counters() - before;
    for (std::size_t i = 0; i < io_purposes; ++i) result_.waited_s[i] = io_->waited_s()[i] - waited_before[i];
    result_.commits = files_->commits() - commits_before;
    result_.file_bytes_written = files_->data_bytes_written() - data_before;
    const auto& records = io_->records();
    result_.requests.assign(records.begin() + static_cast<std::ptrdiff_t>(first_record), records.end());
    for (IoRecord& record : result_.requests) {
        record.arrival_s -= start_s;
        record.done_s -= start_s;
    }
    add_noise();
    return std::move(result_);
}

}  // namespace

Result<SimulationResult> run_simulation(const MachineConfiguration& machine, SimulatedDrive& volume,
                                        const SimulationOptions& options) {
    try {
        return Run(machine, volume, options).result();
    } catch (const StoppedSimulation& stopped) {
        return stopped.error;
    }
}

}  // namespace diskwright
