// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commands/fix_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/quoting.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool among(std::initializer_list<Setting> settings, Setting setting) {
    return std::find(settings.begin(), settings.end(), setting) != settings.end();
}

std::string refusal(std::string_view name) {
    return fmt::format("no command is printed: the name '{}' has characters that must not stand in one",
                       escaped(name));
}

const SettingValue* value_of(const Job& job, Setting setting) {
    for (const Change& change : job.changes)
        if (change.setting == setting) return &change.value;
    return nullptr;
}

}  // namespace

bool Job::has(Setting setting) const {
    return value_of(*this, setting) != nullptr;
}

std::optional<std::uint64_t> Job::number(Setting setting) const {
    const SettingValue* value = value_of(*this, setting);
    const auto* number = value ? std::get_if<std::uint64_t>(value) : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}

std::optional<bool> Job::flag(Setting setting) const {
    const SettingValue* value = value_of(*this, setting);
    const bool* flag = value ? std::get_if<bool>(value) : nullptr;
    return flag ? std::optional(*flag) : std::nullopt;
}

const std::string* Job::text(Setting setting) const {
    const SettingValue* value = value_of(*this, setting);
    return value ? std::get_if<std::string>(value) : nullptr;
}

Command& Command::number(std::uint64_t value) {
    return word(fmt::format("{}", value));
}

Command& Command::name(std::string_view theirs) {
    // "/dev/" before a name must not hide its hyphen.
    const bool hyphen = theirs.find("/-") != std::string_view::npos;
    if ((!safe_name(theirs) || hyphen) && refused_.empty()) refused_ = refusal(theirs);
    return word(theirs);
}

Command& Command::flag(std::string_view letter, std::optional<std::uint64_t> value) {
    return value ? word(letter).number(*value) : *this;
}

FixBuilder::FixBuilder(const HostFacts& host, const StorageGraph& graph, Os os,
                       std::span<const Change> changes)
    : host_(host), graph_(graph), os_(os), pending_(changes.begin(), changes.end()) {
    // Before a tool's own prefix (/dev/, r) could make a bad name look good.
    for (const Change& change : changes) {
        const bool nameless = change.setting == Setting::fstrim_timer;  // of the whole host
        if (!nameless && !safe_name(change.subject)) refused_.push_back(refusal(change.subject));
        const auto* text = std::get_if<std::string>(&change.value);
        if (text && text->starts_with('-')) refused_.push_back(refusal(*text));
    }
}

bool FixBuilder::is(std::initializer_list<Os> systems) const {
    return std::find(systems.begin(), systems.end(), os_) != systems.end();
}

std::optional<bool> FixBuilder::at_least(unsigned major, unsigned minor) const {
    if (!host_.os.release || !host_.is(os_)) return std::nullopt;
    const auto first = leading_unsigned(*host_.os.release);
    if (!first) return std::nullopt;
    if (first->value != major) return first->value > major;
    std::string_view rest = first->rest;
    if (!rest.starts_with('.')) return minor == 0;
    const auto second = leading_unsigned(rest.substr(1));
    return second && second->value >= minor;
}

bool FixBuilder::asked(std::string_view subject, Setting setting) const {
    return std::any_of(pending_.begin(), pending_.end(), [&](const Change& change) {
        return change.setting == setting && same_device(change.subject, subject);
    });
}

std::vector<Job> FixBuilder::take(std::initializer_list<Setting> settings) {
    return take(settings, settings);
}

std::vector<Job> FixBuilder::take(std::initializer_list<Setting> settings,
                                  std::initializer_list<Setting> deciding) {
    std::vector<std::string> subjects;
    for (const Change& change : pending_)
        if (among(deciding, change.setting) &&
            std::find(subjects.begin(), subjects.end(), change.subject) == subjects.end())
            subjects.push_back(change.subject);
    std::vector<Job> jobs;
    for (std::string& subject : subjects) {
        Job job{std::move(subject), {}};
        std::erase_if(pending_, [&](Change& change) {
            if (change.subject != job.subject || !among(settings, change.setting)) return false;
            job.changes.push_back(std::move(change));
            return true;
        });
        jobs.push_back(std::move(job));
    }
    return jobs;
}

std::vector<Job> FixBuilder::take_of(std::string_view subject, std::initializer_list<Setting> settings) {
    Job job{std::string(subject), {}};
    std::erase_if(pending_, [&](Change& change) {
        if (!same_device(change.subject, subject) || !among(settings, change.setting)) return false;
        job.changes.push_back(std::move(change));
        return true;
    });
    if (job.changes.empty()) return {};
    return {std::move(job)};
}

void FixBuilder::run(const Command& command) {
    if (!command.refused().empty())
        refused_.push_back(command.refused());
    else
        done_.commands.push_back(command.argv());
}

void FixBuilder::note(std::string text) {
    if (std::find(done_.notes.begin(), done_.notes.end(), text) == done_.notes.end())
        done_.notes.push_back(std::move(text));
}

FixCommands FixBuilder::finish() {
    for (const Change& change : pending_) {
        note(fmt::format("{} of {} becomes {}: no command of this system does it",
                         info(change.setting).phrase, escaped(change.subject),
                         escaped(to_string(change.value))));
    }
    if (!refused_.empty()) {
        done_.commands.clear();
        for (std::string& why : refused_) note(std::move(why));
    }
    return std::move(done_);
}

}  // namespace diskwright
