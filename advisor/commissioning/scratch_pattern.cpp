// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/scratch_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "advisor/planning/release_facts.hpp"
#include "probes/support/random.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/filler.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t inode_bytes = 256;  // FFSv2 and ext4

std::uint64_t file_size(Random& random) {
    const std::uint64_t least = KiB << random.below(6);  // 1, 2, ... 32 KiB, equally often
    return least + random.below(2 * least);
}

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Places of an FFS in its simplest form: inodes in front, then data from there on; tails share blocks.
class Allocator {
 public:
    Allocator(std::uint64_t bsize, std::uint64_t fsize, std::uint64_t first)
        : bsize_(bsize), fsize_(fsize), next_block_(first) {}

    void place(std::uint64_t bytes, std::vector<PatternWrite>& writes) {
        const std::uint64_t whole = bytes / bsize_ * bsize_;
        if (whole > 0) {
            writes.push_back({next_block_, whole});
            next_block_ += whole;
        }
        const std::uint64_t tail = rounded_up(bytes - whole, fsize_);
        if (tail == 0) return;
        if (tail > tail_end_ - next_tail_) {
            next_tail_ = next_block_;
            tail_end_ = next_block_ += bsize_;
        }
        writes.push_back({next_tail_, tail});
        next_tail_ += tail;
    }
    std::uint64_t end() const { return next_block_; }

 private:
    std::uint64_t bsize_, fsize_, next_block_, next_tail_ = 0, tail_end_ = 0;
};

// A check of the interlocks moves the heads, so the same write again is what counts.
Result<std::chrono::nanoseconds> time_of_write(ScratchDevice& scratch, std::uint64_t offset,
                                               std::span<const std::byte> bytes) {
    auto took = scratch.write_at(offset, bytes);
    if (took && took->after_check) took = scratch.write_at(offset, bytes);
    if (!took) return took.error();
    return took->time;
}

std::uint64_t number(const SearchSpace& space, const Point& point, std::string_view name,
                     std::uint64_t otherwise) {
    for (std::size_t i = 0; i < space.parameters().size(); ++i)
        if (space.parameters()[i].name == name)
            return static_cast<std::uint64_t>(space.value(point, i).number);
    return otherwise;
}

Parameter sizes(std::string name, std::uint64_t least, std::uint64_t most) {
    Parameter parameter{std::move(name), Parameter::Scale::log2, {}};
    for (std::uint64_t size = least; size <= most; size *= 2)
        parameter.values.push_back({Value::Kind::number, std::to_string(size), static_cast<double>(size)});
    return parameter;
}

}  // namespace

std::vector<std::vector<PatternWrite>> small_file_writes(const PatternLoad& load, std::uint64_t bsize,
                                                         std::uint64_t fsize, std::uint64_t area_bytes) {
    const std::uint64_t directory = rounded_up(load.files * inode_bytes, bsize), data = directory + bsize;
    Random random(load.seed);
    Allocator allocator(bsize, fsize, data);
    std::vector<std::vector<PatternWrite>> commits;
    for (std::uint64_t file = 0; file < load.files; ++file) {
        if (file % load.files_per_commit == 0) commits.emplace_back();
        auto& writes = commits.back();
        allocator.place(file_size(random), writes);
        const bool last_of_commit = (file + 1) % load.files_per_commit == 0 || file + 1 == load.files;
        if (!last_of_commit) continue;
        writes.push_back({file * inode_bytes / bsize * bsize, bsize});
        writes.push_back({directory, fsize});
    }
    if (allocator.end() > area_bytes) commits.clear();
    return commits;
}

SearchSpace pattern_space(bool fragments) {
    std::vector<Parameter> parameters;
    if (fragments)
        parameters = {sizes("bsize", 8 * KiB, largest_block), sizes("fsize", KiB, largest_block)};
    else
        parameters = {sizes("bsize", KiB, least_block)};
    return SearchSpace::of(std::move(parameters)).value();
}

Point usual_point(const SearchSpace& space, const HostFacts& facts) {
    Point point(space.parameters().size(), 0);
    const auto release = release_facts(facts);
    if (!release) return point;
    // NetBSD and FreeBSD go to 32 KiB on large devices, OpenBSD stays (sbin/newfs of each).
    const std::uint64_t large = release->os == Os::netbsd ? 32 * KiB : release->block_from_zero;
    for (std::size_t i = 0; i < point.size(); ++i) {
        const bool block = space.parameters()[i].name == "bsize";
        const double usual = static_cast<double>(block ? large : large / most_fragments);
        point[i] = space.index_of(i, {Value::Kind::number, "", usual}).value_or(0);
    }
    return point;
}

Result<Trial> PatternRunner::run(const Point& point, const CommandLimits&) {
    Trial trial;
    trial.point = point;
    trial.state = TrialState::invalid;
    const std::uint64_t bsize = number(space_, point, "bsize", 0);
    const std::uint64_t fsize = number(space_, point, "fsize", bsize);
    if (fsize > bsize || bsize / fsize > most_fragments) {
        trial.note = "a block has one to eight fragments";
        return trial;
    }
    if (fsize < scratch_.logical_sector_bytes()) {
        trial.note = "a fragment below the sector";
        return trial;
    }
    const auto commits = small_file_writes(load_, bsize, fsize, scratch_.size_bytes());
    if (commits.empty())
        return Error{ErrorKind::no_permission,
                     fmt::format("{}: too small for the trials", escaped(scratch_.name()))};
    std::uint64_t longest = 0;
    for (const auto& writes : commits)
        for (const auto& write : writes) longest = std::max(longest, write.length);
    std::vector<std::byte> buffer(longest);
    Filler filler(scratch_.clock());
    if (auto refusal = scratch_.begin_step()) return std::move(*refusal);
    for (const auto& writes : commits) {
        if (stop_.cancelled()) return trial;  // the session does not record it
        for (const auto& write : writes) {
            const auto bytes = std::span(buffer).first(write.length);
            filler.fill(bytes);
            const auto took = time_of_write(scratch_, write.offset, bytes);
            if (!took) return took.error();
            trial.cost += *took;
        }
        const auto took = scratch_.flush();
        if (!took) return took.error();
        trial.cost += *took;
    }
    trial.state = TrialState::ok;
    trial.value = std::chrono::duration<double>(trial.cost).count();
    return trial;
}

}  // namespace diskwright
