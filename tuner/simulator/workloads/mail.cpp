// SPDX-License-Identifier: BSD-2-Clause
// mail: for so many seconds messages are delivered into mailboxes in the format maildir, and as many fetched
// and deleted. A delivery writes a file in tmp, syncs it and renames it into new (maildir(5) of qmail); the
// reader renames it into cur, reads and unlinks it.
#include <deque>
#include <memory>

#include "tuner/simulator/file_operations.hpp"

namespace diskwright {
namespace {

using Kind = FileOperation::Kind;

constexpr double most_seconds = 86400;
constexpr std::uint64_t seed = 3;
constexpr std::uint32_t mailboxes = 100, directories_of_one = 4, name_bytes = 30, call = 65536;
constexpr std::uint32_t kept = 20;  // messages of a mailbox that stay until the next ones come

struct Message {
    std::uint32_t file = 0;
    std::uint64_t bytes = 0;
};

// In each its tmp, new and cur.
std::uint32_t mailbox(std::uint32_t index) {
    return 1 + index * directories_of_one;
}

class Mail {
 public:
    explicit Mail(std::vector<FileOperation>& before) : waiting_(mailboxes) {
        for (std::uint32_t index = 0; index < mailboxes; ++index) {
            const std::uint32_t self = mailbox(index);
            before.push_back({Kind::make_directory, self, 0, 6, 0, 0});
            for (std::uint32_t i = 1; i < directories_of_one; ++i)
                before.push_back({Kind::make_directory, self + i, self, 3, 0, 0});
        }
        next_ = mailbox(mailboxes);
        for (std::uint32_t i = 0; i < mailboxes * kept; ++i) deliver(i % mailboxes, before);
    }
    std::vector<FileOperation> round() {
        std::vector<FileOperation> list;
        const auto index = static_cast<std::uint32_t>(random_.below(mailboxes));
        list.push_back({});
        deliver(index, list);
        fetch(index, list);
        return list;
    }

 private:
    void deliver(std::uint32_t index, std::vector<FileOperation>& to) {
        const Message fresh{next_++, source_file_bytes(random_)};
        const std::uint32_t tmp = mailbox(index) + 1, in_new = tmp + 1;
        to.push_back({Kind::create, fresh.file, tmp, name_bytes, 0, 0});
        to.push_back({Kind::append, fresh.file, 0, 0, fresh.bytes, call});
        to.push_back({Kind::fsync, fresh.file, 0, 0, 0, 0});
        to.push_back({Kind::close, fresh.file, 0, 0, 0, 0});
        to.push_back({Kind::rename, fresh.file, in_new, name_bytes, 0, 0});
        waiting_[index].push_back(fresh);
    }
    void fetch(std::uint32_t index, std::vector<FileOperation>& to) {
        const Message oldest = waiting_[index].front();
        waiting_[index].pop_front();
        to.push_back({Kind::rename, oldest.file, mailbox(index) + 3, name_bytes, 0, 0});
        to.push_back({Kind::read, oldest.file, 0, 0, oldest.bytes, call});
        to.push_back({Kind::close, oldest.file, 0, 0, 0, 0});
        to.push_back({Kind::unlink, oldest.file, 0, 0, 0, 0});
    }

    Random random_{seed};
    std::vector<std::deque<Message>> waiting_;
    std::uint32_t next_ = 0;
};

}  // namespace

Result<FileWork> mail_work(const MachineConfiguration::Work& work) {
    const auto seconds = duration(work, 60, most_seconds);
    if (!seconds) return seconds.error();
    FileWork made;
    made.seconds = *seconds;
    const auto mail = std::make_shared<Mail>(made.before);
    made.round = [mail] { return mail->round(); };
    return made;
}

}  // namespace diskwright
