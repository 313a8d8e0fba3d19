// SPDX-License-Identifier: BSD-2-Clause
// What the kernel makes of a configuration: raidctl -C, or -c with the labels that another one left. Sources:
// NetBSD/src:sys/dev/raidframe/rf_disks.c, rf_layout.c, rf_raid0.c, rf_raid1.c, rf_raid4.c, rf_raid5.c;
// what it accepts and spoils was measured with NetBSD's own code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "advisor/prediction/option_reader.hpp"
#include "advisor/prediction/raid_conf.hpp"
#include "advisor/prediction/tool_numbers.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t reserved_sectors = 64;  // rf_protectedSectors

bool is_raw(std::string_view device) {
    constexpr std::array<std::string_view, 10> drivers{"wd",  "sd",  "ld",  "dk",  "cd",
                                                       "vnd", "ccd", "cgd", "xbd", "raid"};
    const std::size_t slash = device.rfind('/');
    std::string_view name = device.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (!name.starts_with('r')) return false;
    name.remove_prefix(1);
    return std::any_of(drivers.begin(), drivers.end(), [&](std::string_view driver) {
        return name.starts_with(driver) && name.size() > driver.size() && name[driver.size()] >= '0' &&
               name[driver.size()] <= '9';
    });
}

// A name that no device can have: the rest of a comment, a carriage return, a section's head.
bool no_device(std::string_view name) {
    return !name.starts_with('/') || std::any_of(name.begin(), name.end(), [](char c) {
        return c == '#' || static_cast<unsigned char>(c) <= ' ';
    });
}

class SetConfigurator {
 public:
    SetConfigurator(const ToolRelease& release, const RaidRequest& request)
        : release_(release), request_(request) {}

    Prediction run() {
        auto read = read_raid_conf(release_, request_, out_.warnings);
        if (auto* const wrong = std::get_if<Refusal>(&read)) return stop(std::move(*wrong));
        conf_ = std::move(std::get<RaidConf>(read));
        auto wrong = check_disks();
        if (!wrong) wrong = check_labels();
        if (!wrong) wrong = lay_out();
        if (wrong) return stop(std::move(*wrong));
        warn_of_spoiled();
        out_.accepted = true;
        return std::move(out_);
    }

 private:
    using Stop = std::optional<Refusal>;

    Prediction stop(Refusal refusal) { return refused(std::move(refusal), std::move(out_.warnings)); }

    Refusal kernel(std::string_view error, std::string_view why) {
        out_.warnings.push_back(std::string(why));
        return Refusal{1, fmt::format("ioctl (RAIDFRAME_CONFIGURE) failed: {}", error)};
    }

    std::uint64_t bytes_of(const std::string& disk) const {
        const auto own = request_.devices.find(disk);
        return own == request_.devices.end() ? request_.component.size_bytes : own->second;
    }

    Stop check_disk(const std::string& disk) {
        if (no_device(disk))
            return kernel("No such file or directory", fmt::format("'{}' is no device", shown(disk)));
        if (is_raw(disk))
            return kernel("Block device required", fmt::format("{} is a raw device", shown(disk)));
        if (!seen_.insert(disk).second)
            return kernel("Device busy", fmt::format("{} is named twice", shown(disk)));
        return std::nullopt;
    }

    Stop check_disks() {
        const std::uint64_t sector = request_.component.sector_bytes;
        std::uint64_t least = UINT64_MAX, most = 0;
        bool known = true, any = false;
        for (const std::string& disk : conf_.disks) {
            if (disk == "absent") continue;
            if (auto wrong = check_disk(disk)) return wrong;
            any = true;
            const std::uint64_t sectors = bytes_of(disk) / sector;
            known = known && bytes_of(disk) != 0;
            least = std::min(least, sectors);
            most = std::max(most, sectors);
        }
        if (!any) return kernel("Invalid argument", "no component is there");
        if (known && least != most) out_.warnings.push_back("components are cut to the smallest one");
        // An unsigned difference, which a tiny component wraps: the set then holds nothing.
        if (known) component_sectors_ = least > reserved_sectors ? least - reserved_sectors : 0;
        for (const std::string& disk : conf_.spare_disks) {
            if (auto wrong = check_disk(disk)) return wrong;
            if (known && bytes_of(disk) != 0 && bytes_of(disk) / sector < least)
                return kernel("Invalid argument", fmt::format("spare {} is too small", shown(disk)));
        }
        return std::nullopt;
    }

    // A component's label knows its place and the number of columns, not unit or level.
    Stop check_labels() {
        if (!request_.checks_labels) return std::nullopt;
        const auto refuse = [&](std::string_view why) { return kernel("Invalid argument", why); };
        if (!request_.labelled) return refuse("the components carry no labels yet: -C forces, -c checks");
        RaidRequest before;
        before.conf = *request_.labelled;
        std::vector<std::string> ignored;
        auto read = read_raid_conf(release_, before, ignored);
        const auto* const old = std::get_if<RaidConf>(&read);
        if (!old) return refuse("the configuration that the labels are said to carry is none");
        if (old->columns != conf_.columns) return refuse("the labels have another number of columns");
        for (std::size_t i = 0; i < conf_.disks.size(); ++i)
            if (conf_.disks[i] != "absent" && conf_.disks[i] != old->disks[i])
                return refuse(fmt::format("{} is labelled for another column", shown(conf_.disks[i])));
        if (old->level != conf_.level || old->unit_sectors != conf_.unit_sectors)
            out_.warnings.push_back(
                "the labels carry another level or stripe unit: accepted, and the data are "
                "read wrongly");
        return std::nullopt;
    }

    Stop lay_out() {
        const auto invalid = [&](std::string_view what, std::int64_t value) {
            return kernel("Invalid argument", fmt::format("Invalid {}: {}", what, value));
        };
        // A count of sectors without a sign: -1 is the largest one.
        if (conf_.unit_sectors == 0) return invalid("sectorsPerStripeUnit", conf_.unit_sectors);
        if (conf_.units_per_parity == 0) return invalid("StripeUnitsPerParityUnit", conf_.units_per_parity);
        if (conf_.units_per_rebuild == 0)
            return invalid("StripeUnitsPerReconstructUnit", conf_.units_per_rebuild);
        const auto columns = static_cast<std::uint64_t>(conf_.columns);
        std::optional<std::uint64_t> data;
        switch (conf_.level) {
            case '0':
                data = columns;
                break;
            case '1':
                data = columns / 2;
                break;
            case '4':
            case '5':
                data = columns - 1;
                break;
            default:
                break;
        }
        if (!data) return other_level();
        PredictedArray set;
        set.level = conf_.level;
        set.columns = columns;
        set.spares = conf_.spare_disks.size();
        set.sector_bytes = request_.component.sector_bytes;
        set.components = conf_.disks;
        if (conf_.unit_sectors > 0) {
            set.stripe_unit_sectors = static_cast<std::uint64_t>(conf_.unit_sectors);
            if (component_sectors_)
                set.sectors = *component_sectors_ / set.stripe_unit_sectors * set.stripe_unit_sectors * *data;
        } else {
            set.sectors = 0;
        }
        out_.array = std::move(set);
        return std::nullopt;
    }

    Stop other_level() {
        if (std::string_view("TDQe").find(conf_.level) != std::string_view::npos)
            return Refusal{1, "Can't open layout table file (the levels T, D, Q and e need one)"};
        if (conf_.level == 'E' && conf_.columns < 4)
            return kernel("Invalid argument", "level E needs more columns");
        out_.warnings.push_back(
            fmt::format("level {} is an experiment that few kernels carry: its size is not "
                        "predicted",
                        conf_.level));
        return std::nullopt;
    }

    void warn_of_spoiled() {
        auto& warnings = out_.warnings;
        const auto absent = std::count(conf_.disks.begin(), conf_.disks.end(), "absent");
        const bool parity = conf_.level == '4' || conf_.level == '5';
        if (parity && conf_.columns < 3)
            warnings.push_back(
                "RAID 4 or 5 of less than three components: parity goes wrong, or the kernel dies");
        if (conf_.level == '1' && conf_.columns % 2 != 0)
            warnings.push_back("RAID 1 uses pairs: the last component is left out");
        if ((conf_.level == '0' && absent > 0) || (parity && absent > 1))
            warnings.push_back("too many components are absent: nothing can be read");
        if (out_.array && out_.array->sectors == std::uint64_t{0})
            warnings.push_back("the set has no sectors");
        const auto unit = static_cast<std::uint64_t>(conf_.unit_sectors);
        if (conf_.unit_sectors > 0 && (unit & (unit - 1)) != 0)
            warnings.push_back(
                fmt::format("a stripe unit of {} sectors is no power of two: no block of a file "
                            "system fits it",
                            unit));
    }

    const ToolRelease& release_;
    const RaidRequest& request_;
    RaidConf conf_;
    std::optional<std::uint64_t> component_sectors_;
    std::set<std::string> seen_;
    Prediction out_;
};

}  // namespace

// NetBSD/src:sbin/raidctl/raidctl.c.
Result<RaidCommand> raid_command(const std::vector<std::string>& args) {
    OptionReader options(Os::netbsd, args, "a:A:Bc:C:f:F:g:GiI:l:LmM:r:R:sSt:uU:vp:P");
    RaidCommand command;
    while (const char letter = options.next()) {
        if (letter == '?') return Error{ErrorKind::usage, "raidctl: " + options.complaint()};
        if (letter == 'v') continue;
        if (letter != 'c' && letter != 'C')
            return Error{ErrorKind::usage,
                         "of raidctl, setting up is predicted: -C or -c, or the file alone"};
        command.conf = options.value();
        command.checks_labels = letter == 'c';
    }
    const auto operands = options.operands();
    const bool plain = command.conf.empty();
    if (operands.size() > 1 || (plain && operands.empty()))
        return Error{ErrorKind::usage, "raidctl CONF, or raidctl -C CONF raidN"};
    if (plain) command.conf = operands.front();
    return command;
}

Prediction configure_set(const ToolRelease& release, const RaidRequest& request) {
    return SetConfigurator(release, request).run();
}

}  // namespace diskwright
