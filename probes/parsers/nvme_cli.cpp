// SPDX-License-Identifier: BSD-2-Clause
// nvme list, id-ns (also -H), id-ctrl, smart-log and get-feature -f 6 -H of nvme-cli 1.x to 3.x (Linux):
//   Node                  Generic               SN              Model        Namespace  Usage ...
//   /dev/nvme0n1          /dev/ng0n1            S64HNX          SAMSUNG ...  0x1  3.84  TB /   3.84  TB  512
//   B +  0 B NVME Identify Namespace 1: nsze    : 0x1bf1f72b0 lbaf  0 : ms:0   lbads:9  rp:0x2 (in use) LBA
//   Format  0 : Metadata Size: 0   bytes - Data Size: 512 bytes - Relative Performance: 0x2 Good (in use)
//   Smart Log for NVME device:nvme0 namespace-id:ffffffff
//   media_errors                            : 0
// The format in use gives the logical sector; a drive does not tell its physical one. The sizes of nvme list
// are rounded and left out. vwc 0 says that nothing is lost with the power, vwc 1 that a volatile cache
// exists, not that it is on. Source: linux-nvme/nvme-cli:nvme-print.c (1.x), src/nvme-print-stdout.c (3.x).
#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/key_value.hpp"
#include "probes/parsers/partition_listing.hpp"

namespace diskwright {
namespace {

bool is_list_header(std::string_view line) {
    const auto w = words(line);
    const auto has = [&](std::string_view word) { return std::find(w.begin(), w.end(), word) != w.end(); };
    return w.size() >= 5 && w[0] == "Node" && has("SN") && has("Model") && has("Format");
}

bool is_smart_heading(std::string_view text) {
    return text.starts_with("Smart Log for NVME device:") || text.starts_with("SMART Log for NVME device:");
}
bool is_identify_heading(std::string_view text) {
    return text.starts_with("NVME Identify Namespace") || text.starts_with("NVME Identify Controller");
}
bool is_feature_heading(std::string_view text) {
    return text.starts_with("get-feature:") && contains(text, "Volatile Write Cache");
}
// "lbaf  0 : ms:0 lbads:9 rp:0x2", "LBA Format  0 : Metadata Size: 0 bytes - Data Size: 512 bytes - ..."
bool is_format_row(std::string_view text) {
    return (text.starts_with("lbaf ") && contains(text, "lbads:")) ||
           (text.starts_with("LBA Format ") && contains(text, "Data Size:"));
}
bool is_filtered_key(std::string_view key) {
    return key == "nsze" || key == "vwc" || key == "oncs" || key == "mn" || key == "media_errors" ||
           key == "critical_warning";
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (is_smart_heading(text) || is_identify_heading(text) || is_feature_heading(text) ||
        is_format_row(text) || is_list_header(text))
        return true;
    // Through grep the heading is gone; the command says whose the lines are.
    const auto pair = out.program() == "nvme" ? key_value(text) : std::nullopt;
    return pair && is_filtered_key(pair->key);
}

bool in_use(std::string_view text) {
    return contains(text, "(in use)");
}

// One block of "key : value" lines about one device.
class Block {
 public:
    Block(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        disk_.name = name();
        std::size_t last = begin_, idle = 0;
        for (std::size_t i = begin_; i < out_.lines.size(); ++i) {
            const auto text = trim(out_.text(i));
            if (text.empty()) {
                if (++idle > 1) break;
                continue;
            }
            if (i > begin_ && (is_smart_heading(text) || is_identify_heading(text) ||
                               is_feature_heading(text) || is_list_header(text)))
                break;
            if (!take(text, i)) break;
            idle = 0;
            last = i;
        }
        finish(last);
        return last - begin_ + 1;
    }

 private:
    std::string name() const {
        const auto text = trim(out_.text(begin_));
        if (is_smart_heading(text)) {
            const auto device = words(text.substr(text.find(':') + 1));
            if (!device.empty()) return device_name(device[0]);
        }
        if (out_.program() != "nvme") return {};
        const std::string device = device_name(out_.operand(1, "nofcs"));
        const auto name_space = out_.option('n');
        // "nvme id-ns /dev/nvme0 -n 1" is about nvme0n1.
        if (out_.operand(0) == "id-ns" && !device.empty() && device.find('n', 1) == std::string::npos &&
            is_number(name_space))
            return fmt::format("{}n{}", device, name_space);
        return device;
    }

    bool take(std::string_view text, std::size_t i) {
        if (is_format_row(text)) {
            if (in_use(text)) take_format(text, i);
            return true;
        }
        const auto pair = key_value(text);
        if (!pair) return i == begin_ || text.front() == '[' || text.starts_with("0000:");
        const auto& [key, value] = *pair;
        if (key == "mn" && !value.empty())
            disk_.model = scribe_.text(value, i);
        else if (key == "sn" && !value.empty())
            disk_.serial = scribe_.text(value, i);
        else if (key == "fr" && !value.empty())
            disk_.firmware = scribe_.text(value, i);
        else if (key == "nsze")
            take_count(value, i);
        else if (key == "vwc")
            take_cache(value, i);
        else if (key == "oncs")
            take_commands(value, i);
        else if (key == "critical_warning")
            take_warning(value, i);
        else if (key == "media_errors")
            take_errors(value, i);
        else if (key == "Volatile Write Cache Enable (WCE)")
            take_switch(value, i);
        else
            return i == begin_ || text.front() == '[' || (key.size() <= 45 && out_.program() == "nvme") ||
                   known_unused(key);
        used_ = true;
        return true;
    }

    // Without the command at the prompt the block goes on as long as the keys are of one word, or of the
    // smart log's own few sentences.
    static bool known_unused(std::string_view key) {
        const auto w = words(key);
        return w.size() == 1 || key.starts_with("Data Units ") || key.starts_with("endurance group ") ||
               key.starts_with("Warning Temperature ") || key.starts_with("Critical Composite ") ||
               key.starts_with("Temperature Sensor ") || key.starts_with("Thermal Management ") ||
               key.starts_with("Available Spare") || key.starts_with("Temp. Threshold") ||
               key.starts_with("NVM subsystem ") || key.starts_with("Volatile mem.") ||
               key.starts_with("Persistent Mem.") || (w.size() == 2 && (w[0] == "lbaf" || w[0] == "ps"));
    }

    std::optional<std::uint64_t> bits(std::string_view value, std::size_t i, std::string_view what) {
        const auto word = value.substr(0, value.find_first_of(" \t"));
        const auto number = word.starts_with("0x") ? to_hex(word) : to_unsigned(word);
        if (!number) scribe_.unparsed(i, i, fmt::format("nvme: {}: no number in '{}'", what, escaped(value)));
        return number;
    }

    void take_format(std::string_view text, std::size_t i) {
        std::optional<std::uint64_t> bytes;
        if (const auto power = after(text, "lbads:")) {
            const auto shift = leading_unsigned(*power);
            if (shift && shift->value >= 9 && shift->value <= 16) bytes = std::uint64_t{1} << shift->value;
        } else if (const auto size = after(text, "Data Size:")) {
            const auto count = leading_unsigned(trim(*size));
            if (count && count->value >= 512 && count->value <= 65536) bytes = count->value;
        }
        used_ = true;
        if (bytes)
            disk_.logical_sector_bytes = scribe_.known(*bytes, i);
        else
            scribe_.unparsed(i, i, "nvme: the format in use has no possible data size");
    }

    void take_count(std::string_view value, std::size_t i) {
        blocks_ = bits(value, i, "nsze");
        blocks_line_ = i;
    }

    void take_cache(std::string_view value, std::size_t i) {
        if (const auto field = bits(value, i, "vwc"); field && (*field & 1) == 0)
            disk_.cache_protected = scribe_.known(true, i);
    }

    void take_commands(std::string_view value, std::size_t i) {
        constexpr std::uint64_t dataset_management = 4;
        if (const auto field = bits(value, i, "oncs"))
            disk_.trim = scribe_.known((*field & dataset_management) != 0, i);
    }

    void take_warning(std::string_view value, std::size_t i) {
        if (const auto field = bits(value, i, "critical_warning"))
            disk_.critical_warning = scribe_.known(*field, i);
    }

    void take_errors(std::string_view value, std::size_t i) {
        if (const auto count = scribe_.number(without_grouping(value), i, "media errors"))
            disk_.media_errors = scribe_.known(*count, i);
    }

    void take_switch(std::string_view value, std::size_t i) {
        if (value == "Enabled" || value == "Disabled")
            disk_.write_cache = scribe_.known(value == "Enabled" ? Switch::on : Switch::off, i);
    }

    void finish(std::size_t last) {
        if (blocks_ && disk_.logical_sector_bytes)
            if (const auto bytes = multiply(*blocks_, *disk_.logical_sector_bytes); bytes && *bytes > 0)
                disk_.size_bytes = scribe_.known(*bytes, blocks_line_);
        scribe_.suggest_os(Os::linux_, begin_);
        if (!used_) {
            scribe_.unparsed(begin_, last, "nvme: nothing of the drive is told here");
        } else {
            disk_.name = described_disk(out_, std::move(disk_.name));
            disk_.transport = scribe_.text("nvme", begin_);
            scribe_.facts.disks.push_back(std::move(disk_));
        }
    }

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    Disk disk_;
    std::optional<std::uint64_t> blocks_;
    std::size_t blocks_line_ = 0;
    bool used_ = false;
};

// Serial numbers and models have blanks; the usage column with its slash is the landmark:
// "<namespace> <used> TB / <total> TB <n> B + <n> B <firmware>".
bool read_row(std::string_view line, std::size_t at, bool generic, Scribe& scribe) {
    const auto w = words(line);
    if (w.empty() || !w[0].starts_with("/dev/nvme")) return false;
    const auto slash = static_cast<std::size_t>(std::find(w.begin(), w.end(), "/") - w.begin());
    const std::size_t model_at = generic ? 3 : 2;
    if (slash + 6 >= w.size() || slash < model_at + 4 || w[slash + 5] != "+") {
        scribe.unparsed(at, at, "nvme list: a row without usage and format");
        return true;
    }
    Disk& d = disk(scribe.facts, device_name(w[0]));
    d.transport = scribe.text("nvme", at);
    const char* end = w[slash - 4].data() + w[slash - 4].size();
    d.serial = scribe.text(w[model_at - 1], at);
    d.model = scribe.text({w[model_at].data(), static_cast<std::size_t>(end - w[model_at].data())}, at);
    if (w.size() > slash + 8) d.firmware = scribe.text(w[slash + 8], at);
    const auto sector = to_size(fmt::format("{}{}", w[slash + 3], w[slash + 4]));
    if (sector && *sector >= 512 && *sector <= 65536)
        d.logical_sector_bytes = scribe.known(*sector, at);
    else
        scribe.unparsed(at, at, "nvme list: the format is no sector size");
    return true;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (!is_list_header(out.text(at))) return Block(out, at, scribe).read();
    const bool generic = contains(out.text(at), "Generic");
    std::size_t i = at + 1;
    for (; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.starts_with("-----")) continue;
        if (!read_row(text, i, generic, scribe)) break;
    }
    scribe.suggest_os(Os::linux_, at);
    return i - at;
}

}  // namespace

extern const CommandParser nvme_cli_parser{
    .id = "nvme",
    .programs = {"nvme"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"nvme", "list"}, true}},
};

}  // namespace diskwright
