// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/geom_text.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright::geom {
namespace {

constexpr std::array<Class, 5> classes{{{"mirror/", VolumeKind::gmirror, RaidLevel::raid1},
                                        {"stripe/", VolumeKind::gstripe, RaidLevel::raid0},
                                        {"concat/", VolumeKind::gconcat, RaidLevel::concat},
                                        {"raid3/", VolumeKind::graid3, RaidLevel::raid3},
                                        {"raid/", VolumeKind::graid, std::nullopt}}};
constexpr Class eli{"", VolumeKind::crypto, std::nullopt};

template <class State>
struct Word {
    std::string_view text;
    State state;
};
constexpr std::array<Word<VolumeState>, 11> volume_words{{{"COMPLETE", VolumeState::optimal},
                                                          {"UP", VolumeState::optimal},
                                                          {"ACTIVE", VolumeState::optimal},
                                                          {"OPTIMAL", VolumeState::optimal},
                                                          {"SUBOPTIMAL", VolumeState::degraded},
                                                          {"DEGRADED", VolumeState::degraded},
                                                          {"BROKEN", VolumeState::failed},
                                                          {"DOWN", VolumeState::failed},
                                                          {"FAILED", VolumeState::failed},
                                                          {"STARTING", VolumeState::inactive},
                                                          {"STOPPED", VolumeState::inactive}}};
constexpr std::array<Word<ComponentState>, 13> component_words{{{"ACTIVE", ComponentState::optimal},
                                                                {"UP", ComponentState::optimal},
                                                                {"SYNCHRONIZING", ComponentState::rebuilding},
                                                                {"REBUILD", ComponentState::rebuilding},
                                                                {"RESYNC", ComponentState::rebuilding},
                                                                {"NEW", ComponentState::rebuilding},
                                                                {"STALE", ComponentState::failed},
                                                                {"DISCONNECTED", ComponentState::missing},
                                                                {"NODISK", ComponentState::missing},
                                                                {"NONE", ComponentState::missing},
                                                                {"OFFLINE", ComponentState::failed},
                                                                {"FAILED", ComponentState::failed},
                                                                {"SPARE", ComponentState::spare}}};

template <class State, std::size_t N>
std::optional<State> find(const std::array<Word<State>, N>& list, std::string_view word) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const auto& w) { return w.text == word; });
    return at == list.end() ? std::nullopt : std::optional<State>(at->state);
}

}  // namespace

const Class* class_of(std::string_view provider) {
    for (const Class& c : classes)
        if (provider.starts_with(c.folder) && provider.size() > c.folder.size()) return &c;
    return provider.ends_with(".eli") && provider.size() > 4 ? &eli : nullptr;
}

std::optional<VolumeState> volume_state(std::string_view word) {
    return find(volume_words, word);
}
std::optional<ComponentState> component_state(std::string_view word) {
    return find(component_words, word);
}

void describe(Volume& set, const Class& c, const Scribe& scribe, std::size_t line) {
    set.kind = scribe.known(c.kind, line);
    if (c.level) set.level = scribe.known(*c.level, line);
    if (c.kind == VolumeKind::crypto) set.crypto_format = scribe.text("geli", line);
}

void synchronizing(Volume& set, std::string_view percent, Scribe& scribe, std::size_t line) {
    set.activity = scribe.known(Activity::rebuild, line);
    set.activity_progress = scribe.known(Progress::running, line);
    if (percent.empty()) return;
    if (percent.ends_with('%')) percent.remove_suffix(1);
    if (const auto value = scribe.real(percent, line, "percent synchronized"))
        set.activity_percent = scribe.known(*value, line);
}

}  // namespace diskwright::geom
