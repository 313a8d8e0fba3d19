// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/prediction/raid_conf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/prediction/tool_numbers.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t line_space = 1024, name_space = 50;    // BUFSIZ, RF_Config_t
constexpr std::int64_t most_columns = 40, most_disks = 400;  // RF_MAXCOL, times RF_MAXROW

bool blank(char c) {
    return c == ' ' || c == '\t';
}
std::string_view without_blanks(std::string_view line) {
    while (!line.empty() && blank(line.front())) line.remove_prefix(1);
    return line;
}

// A file as fgets gives it out.
class ConfText {
 public:
    explicit ConfText(std::string_view text) : text_(text) {}

    std::optional<std::string_view> line(std::size_t space) {
        if (at_ >= text_.size()) return std::nullopt;
        const std::size_t end = text_.find('\n', at_);
        const std::size_t whole = (end == std::string_view::npos ? text_.size() : end + 1) - at_;
        std::string_view line = text_.substr(at_, std::min(whole, space - 1));
        at_ += line.size();
        return line.substr(0, line.find('\0'));
    }
    bool seek_section(std::string_view name) {
        at_ = 0;
        while (const auto next = line(line_space)) {
            std::string_view rest = without_blanks(*next);
            if (!rest.starts_with("START")) continue;
            while (!rest.empty() && !blank(rest.front())) rest.remove_prefix(1);
            if (without_blanks(rest).starts_with(name)) return true;
        }
        return false;
    }
    std::optional<std::string> entry(std::size_t space = line_space) {
        while (const auto next = line(space)) {
            const std::string_view rest = without_blanks(*next);
            if (rest.empty() || rest.front() == '\n' || rest.front() == '#') continue;
            std::string out(*next);
            while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
            return out;
        }
        return std::nullopt;
    }

 private:
    std::string_view text_;
    std::size_t at_ = 0;
};

// sscanf's %d, as often as it goes; what is left behind them.
std::vector<std::int64_t> leading_numbers(std::string_view& line, std::size_t most) {
    std::vector<std::int64_t> numbers;
    while (numbers.size() < most) {
        const CNumber number = c_number(line, 10);
        if (number.used == 0) break;
        numbers.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(number.value)));
        line.remove_prefix(number.used);
    }
    return numbers;
}

class ConfReader {
 public:
    ConfReader(const ToolRelease& release, const RaidRequest& request, std::vector<std::string>& warnings)
        : text_(request.conf), name_(shown(request.conf_name)), warnings_(warnings) {
        two_numbers_ = release.at_least(9);
    }

    std::variant<RaidConf, Refusal> read() {
        auto wrong = read_array();
        if (!wrong) read_queue();
        if (!wrong) wrong = read_disks();
        if (!wrong) wrong = read_spares();
        if (!wrong) wrong = read_layout();
        if (wrong) return std::move(*wrong);
        return std::move(conf_);
    }

 private:
    using Stop = std::optional<Refusal>;

    Stop read_array() {
        if (!text_.seek_section("array"))
            return Refusal{1,
                           fmt::format("Unable to find start of \"array\" params in config file {}", name_)};
        const std::string line = text_.entry().value_or("");
        std::string_view rest = line;
        const auto numbers = leading_numbers(rest, 3);
        if (numbers.size() == 3) {
            rows_ = two_numbers_ ? 1 : numbers[0];
            conf_.columns = numbers[1];
            conf_.spares = numbers[2];
            if (numbers[0] > 1) warnings_.push_back("rows beyond the first are ignored");
            return std::nullopt;
        }
        if (two_numbers_ && numbers.size() == 2) {
            conf_.columns = numbers[0];
            conf_.spares = numbers[1];
            return std::nullopt;
        }
        return Refusal{1, fmt::format("Config file error (\"array\" section):  unable to get {}",
                                      two_numbers_ ? "numCol, numSpare" : "numRow, numCol, numSpare")};
    }

    void read_queue() {
        std::optional<std::string> line;
        if (text_.seek_section("queue")) line = text_.entry();
        if (!line) {
            warnings_.push_back(
                fmt::format("[No disk queue discipline specified in config file {}.  Using fifo.]", name_));
            return;
        }
        std::string_view rest = trim(*line);
        while (!rest.empty() && !blank(rest.front())) rest.remove_prefix(1);
        if (c_number(rest, 10).used == 0)
            warnings_.push_back(fmt::format(
                "Can't determine queue type and/or max outstanding reqs from line: {}. Using fifo-1",
                shown(*line)));
    }

    Stop read_disks() {
        if (!text_.seek_section("disks"))
            return Refusal{1, fmt::format("Can't find \"disks\" section in config file {}", name_)};
        if (conf_.columns > most_columns)
            warnings_.push_back(
                fmt::format("more than {} columns: raidctl's table has no room for them", most_columns));
        if (conf_.columns > most_disks || rows_ > most_disks)
            return Refusal{1,
                           fmt::format("{} disks overrun raidctl's table of {}", conf_.columns, most_disks)};
        for (std::int64_t row = 0; row < rows_; ++row)
            for (std::int64_t column = 0; column < conf_.columns; ++column) {
                auto disk = text_.entry(two_numbers_ ? line_space : name_space);
                if (!disk)
                    return Refusal{
                        1,
                        fmt::format("Config file error: unable to get device file for disk at row {} col {}",
                                    row, column)};
                if (row == 0) conf_.disks.push_back(kernel_name(*disk));
            }
        // Without a row no name is read, and the kernel gets empty ones.
        conf_.disks.resize(static_cast<std::size_t>(std::max<std::int64_t>(conf_.columns, 0)));
        return std::nullopt;
    }

    static std::string kernel_name(std::string_view line) {
        return std::string(without_blanks(line.substr(0, name_space - 1)));
    }

    Stop read_spares() {
        constexpr std::int64_t most_spares = 10;  // RF_MAXSPARE
        if (!text_.seek_section("spare")) conf_.spares = 0;
        if (conf_.spares > most_spares)
            return Refusal{1,
                           fmt::format("{} spares overrun raidctl's table of {}", conf_.spares, most_spares)};
        for (std::int64_t spare = 0; spare < conf_.spares; ++spare) {
            const auto disk = text_.entry();
            if (!disk)
                return Refusal{
                    1, fmt::format("Config file error: unable to get device file for spare disk {}", spare)};
            conf_.spare_disks.push_back(kernel_name(*disk));
        }
        return std::nullopt;
    }

    Stop read_layout() {
        constexpr std::string_view levels = "TDQRCI0145EeL";
        if (!text_.seek_section("layout"))
            return Refusal{1, fmt::format("Can't find \"layout\" section in configuration file {}", name_)};
        const auto line = text_.entry();
        if (!line)
            return Refusal{1,
                           "Config file error (\"layout\" section): unable to find common layout param line"};
        std::string_view rest = *line;
        const auto numbers = leading_numbers(rest, 3);
        while (!rest.empty() && (blank(rest.front()) || (rest.front() >= '\n' && rest.front() <= '\r')))
            rest.remove_prefix(1);
        if (numbers.size() != 3 || rest.empty()) return Refusal{1, "Unable to scan common layout line"};
        conf_.unit_sectors = numbers[0];
        conf_.units_per_parity = numbers[1];
        conf_.units_per_rebuild = numbers[2];
        conf_.level = rest.front();
        if (levels.find(conf_.level) == std::string_view::npos)
            return Refusal{1, fmt::format("Unknown parity config '{}'", shown(rest.substr(0, 1)))};
        return std::nullopt;
    }

    ConfText text_;
    std::string name_;
    std::vector<std::string>& warnings_;
    bool two_numbers_ = false;
    std::int64_t rows_ = 1;
    RaidConf conf_;
};

}  // namespace

std::variant<RaidConf, Refusal> read_raid_conf(const ToolRelease& release, const RaidRequest& request,
                                               std::vector<std::string>& warnings) {
    return ConfReader(release, request, warnings).read();
}

}  // namespace diskwright
