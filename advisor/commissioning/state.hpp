// SPDX-License-Identifier: BSD-2-Clause
// The journal folder of a commissioning job: profile.json, whole or not there, and trials.jsonl.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/model/device_profile.hpp"
#include "tuner/journal.hpp"

namespace diskwright {

/// Makes the folder, of mode 0700. no_permission when it is there already and a new job is to begin.
Result<bool> make_journal_folder(const std::string& folder);

/// Under a temporary name first, so that a kill leaves either the whole file or none.
Result<bool> save_profile(const std::string& folder, const std::string& subject,
                          const DeviceProfile& profile);
/// Nothing when the job was stopped before it was saved. bad_data when it is of another subject.
Result<std::optional<DeviceProfile>> saved_profile(const std::string& folder, const std::string& subject);

struct TrialsFile {
    std::optional<Journal> journal;  // none without a folder
    std::vector<Trial> trials;       // of before
    std::string note;
};
/// Resumed where there is one of before, else made. The space must outlive it.
Result<TrialsFile> open_trials(const std::string& folder, bool resume, const JournalHeader& header,
                               const SearchSpace& space);

}  // namespace diskwright
