// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/prediction/newfs.hpp"
#include "advisor/prediction/prediction.hpp"
#include "advisor/prediction/raid_conf.hpp"
#include "advisor/prediction/tunefs.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// The release of each system whose real tools were run and compared; and the one that is meant by the name
// alone.
struct Compared {
    Os os;
    std::string_view name, release, latest;
};
constexpr std::array compared{Compared{Os::netbsd, "netbsd", "8", "10.1"},
                              Compared{Os::freebsd, "freebsd", "14", "14.3"},
                              Compared{Os::openbsd, "openbsd", "7.6", "7.6"}};

const Compared& compared_of(Os os) {
    return *std::find_if(compared.begin(), compared.end(), [&](const Compared& row) { return row.os == os; });
}

// "14.1-RELEASE" counts as 14.1.
bool parse_release(std::string_view text, ToolRelease& release) {
    const auto major = leading_unsigned(text);
    if (!major || major->value > 999) return false;
    release.major = static_cast<unsigned>(major->value);
    if (major->rest.empty()) return true;
    if (major->rest[0] != '.') return major->rest[0] == '-' || major->rest[0] == '_';
    const auto minor = leading_unsigned(major->rest.substr(1));
    if (!minor || minor->value > 999) return false;
    release.minor = static_cast<unsigned>(minor->value);
    return true;
}

std::optional<Error> impossible(const std::vector<std::string>& args) {
    for (const auto& word : args)
        if (word.find('\0') != std::string::npos)
            return Error{ErrorKind::usage, "a word of a command line cannot hold a NUL"};
    return std::nullopt;
}

Prediction marked(const ToolRelease& release, Prediction prediction) {
    const Compared& row = compared_of(release.os);
    ToolRelease real;
    real.os = row.os;
    parse_release(row.release, real);
    prediction.verified =
        release.major == real.major && (release.os != Os::openbsd || release.minor == real.minor);
    prediction.compared_with = fmt::format("{}-{}", row.name, row.release);
    return prediction;
}

}  // namespace

Result<ToolRelease> tool_release(std::string_view words) {
    const std::size_t dash = words.find('-');
    const std::string name = lowercase(words.substr(0, dash));
    ToolRelease release;
    for (const Compared& row : compared) {
        if (row.name != name) continue;
        release.os = row.os;
        release.text =
            dash == std::string_view::npos ? std::string(row.latest) : std::string(words.substr(dash + 1));
        if (parse_release(release.text, release)) return release;
        return Error{ErrorKind::usage,
                     fmt::format("--os {}: '{}' is no release", escaped(words), escaped(release.text))};
    }
    std::vector<std::string_view> names;
    for (const Compared& row : compared) names.push_back(row.name);
    const auto near = nearest(name, names);
    return Error{
        ErrorKind::usage,
        near ? fmt::format("--os {}: did you mean '{}'?", escaped(words), *near)
             : fmt::format("--os {}: the tools of netbsd, freebsd and openbsd are known", escaped(words))};
}

std::string release_name(const ToolRelease& release) {
    return fmt::format("{}-{}", compared_of(release.os).name, escaped(release.text));
}

Prediction refused(Refusal refusal, std::vector<std::string> warnings) {
    Prediction out;
    out.exit_status = refusal.exit_status;
    out.reason = std::move(refusal.reason);
    out.warnings = std::move(warnings);
    return out;
}

Result<Prediction> predict_newfs(const ToolRelease& release, const Medium& medium,
                                 const std::vector<std::string>& args) {
    if (auto wrong = impossible(args)) return *wrong;
    if (!args.empty() && args.front() == "-mfs" && release.os == Os::netbsd)
        return Error{ErrorKind::usage, "newfs -mfs is mount_mfs, which is not predicted"};
    switch (release.os) {
        case Os::netbsd:
            return marked(release, predict_netbsd_newfs(release, medium, args));
        case Os::freebsd:
            return marked(release, predict_freebsd_newfs(release, medium, args));
        default:
            return marked(release, predict_openbsd_newfs(release, medium, args));
    }
}

Result<Prediction> predict_tunefs(const ToolRelease& release, const TunedFilesystem& before,
                                  const std::vector<std::string>& args) {
    if (auto wrong = impossible(args)) return *wrong;
    switch (release.os) {
        case Os::netbsd:
            return marked(release, predict_netbsd_tunefs(release, before, args));
        case Os::freebsd:
            return marked(release, predict_freebsd_tunefs(release, before, args));
        default:
            return marked(release, predict_openbsd_tunefs(release, before, args));
    }
}

Result<Prediction> predict_raidctl(const ToolRelease& release, const RaidRequest& request) {
    if (release.os != Os::netbsd)
        return Error{ErrorKind::usage, "raidctl is predicted for NetBSD: name it with --os netbsd-10"};
    return marked(release, configure_set(release, request));
}

}  // namespace diskwright
