// SPDX-License-Identifier: BSD-2-Clause
// What the three tunefs share: a field that is compared, told about and changed.
#pragma once

#include <fmt/format.h>

#include "advisor/prediction/option_reader.hpp"
#include "advisor/prediction/prediction.hpp"

namespace diskwright {

Prediction predict_netbsd_tunefs(const ToolRelease& release, const TunedFilesystem& before,
                                 const std::vector<std::string>& args);
Prediction predict_freebsd_tunefs(const ToolRelease& release, const TunedFilesystem& before,
                                  const std::vector<std::string>& args);
Prediction predict_openbsd_tunefs(const ToolRelease& release, const TunedFilesystem& before,
                                  const std::vector<std::string>& args);

class TunedFields {
 public:
    TunedFields(const TunedFilesystem& before, std::int64_t usual_minfree, std::string_view unchanged)
        : fs_(before), usual_minfree_(usual_minfree), unchanged_(unchanged) {}

    const TunedFilesystem& fs() const { return fs_; }
    using Member = std::optional<std::int64_t> TunedFilesystem::*;
    /// "what changes from 8% to 20%".
    void change(Member member, std::string_view field, std::int64_t wanted, std::string_view what,
                std::string_view suffix = {});
    void change_optimization(bool space);
    /// Of minfree against the optimization.
    void warn_of_minfree(std::int64_t minfree);
    /// No message. A known value that is the same is no change.
    void set(Member member, std::string_view field, std::int64_t wanted);
    /// As fs_fsbtodb. The fragment size is known.
    void set_sector(std::int64_t bytes);
    /// Whether the bit is set; nothing when that is not known.
    std::optional<bool> flag(std::uint32_t bit) const;
    void set_flags(std::uint32_t on, std::uint32_t off);
    void set_label(const std::string& label);

    template <class... Args>
    void tell(fmt::format_string<Args...> form, Args&&... args) {
        messages_.push_back(fmt::format(form, std::forward<Args>(args)...));
    }
    std::vector<std::string>& messages() { return messages_; }
    /// changed false: it only looked.
    Prediction done(bool changed = true);

 private:
    void record(std::string_view field, std::optional<std::string> before, std::string after,
                bool number = true);

    TunedFilesystem fs_;
    std::int64_t usual_minfree_;
    std::string_view unchanged_;  // "remains unchanged at" or "as"
    std::vector<std::string> messages_;
    std::vector<FieldChange> changes_;
};

}  // namespace diskwright
