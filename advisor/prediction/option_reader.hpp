// SPDX-License-Identifier: BSD-2-Clause
// getopt(3) of the three systems: options end at the first word that is none, or at --.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/enums.hpp"

namespace diskwright {

class OptionReader {
 public:
    /// letters as getopt takes them ("AFe:"). args outlives the reader.
    OptionReader(Os os, const std::vector<std::string>& args, std::string_view letters)
        : os_(os), args_(args), letters_(letters) {}

    /// The next option's letter; 0 at the end; '?' for one that is unknown or lacks its value.
    char next();
    const std::string& value() const { return value_; }
    /// After '?': what getopt prints.
    const std::string& complaint() const { return complaint_; }
    /// After the end.
    std::vector<std::string> operands() const;

 private:
    char complain(std::string_view what, char letter);

    Os os_;
    const std::vector<std::string>& args_;
    std::string_view letters_;
    std::size_t word_ = 0, place_ = 0;  // place_ 0: at the start of a word
    std::string value_, complaint_;
};

}  // namespace diskwright
