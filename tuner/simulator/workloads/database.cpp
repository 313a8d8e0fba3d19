// SPDX-License-Identifier: BSD-2-Clause
// database: for so many seconds transactions on a file of `bytes`, nothing of it in memory at the start. Each
// reads pages anywhere in it, changes some of them in memory, writes a page of the log, that goes round in a
// file of its own, and syncs it; now and then the changed pages are synced as well (a checkpoint).
#include <memory>

#include "tuner/simulator/file_operations.hpp"

namespace diskwright {
namespace {

using Kind = FileOperation::Kind;

constexpr double most_seconds = 86400;
constexpr std::uint64_t seed = 4, most_bytes = std::uint64_t{1} << 40, usual_bytes = std::uint64_t{1} << 30;
// A page, and a segment of the log, as PostgreSQL has them.
constexpr std::uint32_t page = 8192, call = 65536, table = 1, log = 2;
constexpr std::uint64_t log_bytes = std::uint64_t{16} << 20;
constexpr std::uint32_t pages_read = 4, pages_changed = 2, between_checkpoints = 5000;  // assumed

class Transactions {
 public:
    explicit Transactions(std::uint64_t pages) : pages_(pages) {}
    std::vector<FileOperation> round() {
        std::vector<FileOperation> list;
        for (std::uint32_t i = 0; i < pages_read; ++i) {
            const std::uint64_t at = random_.below(pages_) * page;
            list.push_back({Kind::read, table, 0, 0, page, page, at});
            if (i < pages_changed) list.push_back({Kind::write, table, 0, 0, page, page, at});
        }
        list.push_back({Kind::write, log, 0, 0, page, page, done_ * page % log_bytes});
        list.push_back({Kind::fsync, log, 0, 0, 0, 0});
        if (++done_ % between_checkpoints == 0) list.push_back({Kind::fsync, table, 0, 0, 0, 0});
        return list;
    }

 private:
    std::uint64_t pages_, done_ = 0;
    Random random_{seed};
};

}  // namespace

Result<FileWork> database_work(const MachineConfiguration::Work& work) {
    const auto seconds = duration(work, 60, most_seconds);
    if (!seconds) return seconds.error();
    const auto bytes = amount(work, "bytes", usual_bytes, most_bytes);
    if (!bytes) return bytes.error();
    FileWork made;
    const std::uint64_t pages = (*bytes + page - 1) / page;
    made.seconds = *seconds;
    made.before = {{Kind::create, table, 0, 5, 0, 0},
                   {Kind::append, table, 0, 0, pages * page, call},
                   {Kind::create, log, 0, 3, 0, 0},
                   {Kind::append, log, 0, 0, log_bytes, call},
                   {Kind::remount, 0, 0, 0, 0, 0}};
    const auto transactions = std::make_shared<Transactions>(pages);
    made.round = [transactions] { return transactions->round(); };
    return made;
}

}  // namespace diskwright
