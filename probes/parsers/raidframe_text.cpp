// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/raidframe_text.hpp"

#include <algorithm>
#include <array>

namespace diskwright::raidframe {
namespace {

constexpr std::uint64_t protected_sectors = 64;

struct LabelField {
    std::string_view value;
    std::size_t line = 0;
    explicit operator bool() const { return !value.empty(); }
};

struct Label {
    LabelField column, columns, version, counter, sectors_per_unit, sector_bytes, sectors, level,
        autoconfigure, root, last;
};

// Keys as printed, longest first where one ends like another. Keys without a target only keep the label
// going.
struct Key {
    std::array<std::string_view, 3> words;
    LabelField Label::*target;
};
constexpr std::array<Key, 18> keys{{{{"Num", "Columns:"}, &Label::columns},
                                    {{"Num", "Rows:"}, nullptr},
                                    {{"Serial", "Number:"}, nullptr},
                                    {{"Mod", "Counter:"}, &Label::counter},
                                    {{"Queue", "size:"}, nullptr},
                                    {{"RAID", "Level:"}, &Label::level},
                                    {{"Root", "partition:"}, &Label::root},
                                    {{"Last", "configured", "as:"}, &Label::last},
                                    {{"Row:"}, nullptr},
                                    {{"Column:"}, &Label::column},
                                    {{"Version:"}, &Label::version},
                                    {{"Clean:"}, nullptr},
                                    {{"Status:"}, nullptr},
                                    {{"sectPerSU:"}, &Label::sectors_per_unit},
                                    {{"SUsPerPU:"}, nullptr},
                                    {{"SUsPerRU:"}, nullptr},
                                    {{"blocksize:"}, &Label::sector_bytes},
                                    {{"numBlocks:"}, &Label::sectors}}};
constexpr Key autoconfig_key{{"Autoconfig:"}, &Label::autoconfigure};

std::size_t length_of(const Key& key) {
    return static_cast<std::size_t>(
        std::count_if(key.words.begin(), key.words.end(), [](auto w) { return !w.empty(); }));
}

bool is_at(WordReader& in, const Key& key) {
    for (std::size_t i = 0; i < length_of(key); ++i)
        if (in.peek(i) != key.words[i]) return false;
    return true;
}

const Key* key_at(WordReader& in) {
    if (is_at(in, autoconfig_key)) return &autoconfig_key;
    for (const Key& key : keys)
        if (is_at(in, key)) return &key;
    return nullptr;
}

std::string_view without_comma(std::string_view word) {
    while (!word.empty() && word.back() == ',') word.remove_suffix(1);
    return word;
}

Label read_fields(WordReader& in) {
    Label label;
    while (const Key* key = key_at(in)) {
        in.skip(length_of(*key));
        // A level of NUL (a label never written) leaves no word before the next key.
        if (key_at(in) || in.peek().empty() || at_label(in)) continue;
        if (key->target == &Label::level && in.at_line_start() && in.peek().size() > 1) continue;
        const LabelField field{without_comma(in.peek()), in.line()};
        in.skip();
        if (key->target) label.*key->target = field;
        // What monitoring or a pager put behind the last field of a line.
        while (!in.at_line_start() && !in.peek().empty() && !key_at(in)) in.skip();
    }
    return label;
}

Known<bool> yes_or_no(const LabelField& field, const Scribe& scribe) {
    if (iequals(field.value, "yes")) return scribe.known(true, field.line);
    if (iequals(field.value, "no")) return scribe.known(false, field.line);
    return {};
}

}  // namespace

std::string unit_name(std::string_view word) {
    while (!word.empty() && (word.back() == ':' || word.back() == ',')) word.remove_suffix(1);
    const std::string name = device_name(word);
    std::string_view rest = name;
    if (!rest.starts_with("raid")) return {};
    rest.remove_prefix(4);
    const auto number = leading_unsigned(rest);
    if (!number) return {};
    rest = number->rest;
    if (rest.size() > 1 || (rest.size() == 1 && (rest[0] < 'a' || rest[0] > 'p'))) return {};
    return name.substr(0, name.size() - rest.size());
}

std::string unit_at_prompt(const Output& out) {
    if (out.program() != "raidctl") return {};
    // The set is the last argument; a component before it may be a partition of another set.
    for (std::size_t i = out.argv.size(); i-- > 1;)
        if (auto name = unit_name(out.argv[i]); !name.empty()) return name;
    return {};
}

State state_of(std::string_view word, bool among_spares, Provenance from) {
    while (!word.empty() && (word.back() == '.' || word.back() == ',')) word.remove_suffix(1);
    const auto known = [&](ComponentState s, bool spared = false) {
        return State{Known<ComponentState>(s, std::move(from)), true, spared};
    };
    if (word == "optimal") return known(ComponentState::optimal);
    if (word == "failed") return known(ComponentState::failed);
    if (word == "reconstructing") return known(ComponentState::rebuilding);
    if (word == "spared" || word == "dist_spared") return known(ComponentState::failed, true);
    if (word == "spare") return known(ComponentState::spare);
    if (word == "used_spare") return known(ComponentState::used_spare);
    // rf_ds_rebuilding_spare has no word of its own in raidctl, which prints UNKNOWN for it.
    if (word == "rebuilding_spare" || (word == "UNKNOWN" && among_spares))
        return known(ComponentState::rebuilding);
    if (word == "UNKNOWN")
        return State{Known<ComponentState>::unknown("raidctl prints UNKNOWN"), true, false};
    return {};
}

std::optional<RaidLevel> level_of(std::string_view word) {
    if (word == "0") return RaidLevel::raid0;
    if (word == "1") return RaidLevel::raid1;
    if (word == "4") return RaidLevel::raid4;
    if (word == "5") return RaidLevel::raid5;
    return std::nullopt;
}

bool at_label(WordReader& in) {
    return in.matches({"Component", "label", "for"}) && in.peek(3).size() > 1;
}

std::string read_label(WordReader& in, Scribe& scribe, Volume& set) {
    in.skip(3);
    std::string_view shown = in.peek();
    const std::size_t heading = in.line();
    in.skip();
    if (shown.ends_with(':')) shown.remove_suffix(1);
    const Label label = read_fields(in);

    if (label.version && to_unsigned(label.version.value) == std::uint64_t{0})
        return std::string(label.last.value);
    Component& member = component(set, shown);
    const auto number = [&](const LabelField& field, std::string_view what) -> Number {
        if (!field) return {};
        const auto value = scribe.number(field.value, field.line, what);
        return value ? scribe.known(*value, field.line) : Number{};
    };
    const auto product = [&](const Number& count, const Number& unit, std::string_view what) -> Number {
        if (!count || !unit) return {};
        const auto value = multiply(*count, *unit);
        if (value) return Number(*value, count.from());
        scribe.unparsed(heading, heading, std::string(what) + " is out of range");
        return {};
    };
    const Number sector = number(label.sector_bytes, "raidctl: blocksize");
    const bool usable_sector = sector && *sector >= 512 && *sector <= 65536;
    if (sector && !usable_sector) scribe.unparsed(heading, heading, "raidctl: blocksize is no sector size");
    const Number unit = number(label.sectors_per_unit, "raidctl: sectPerSU");
    const Number columns = number(label.columns, "raidctl: number of columns");
    member.slot = number(label.column, "raidctl: column");
    member.events = number(label.counter, "raidctl: modification counter");
    if (usable_sector) {
        member.data_offset_bytes = Number(protected_sectors * *sector, sector.from());
        member.used_bytes =
            product(number(label.sectors, "raidctl: numBlocks"), sector, "raidctl: size of a component");
        set.logical_sector_bytes = sector;
        if (unit && *unit > 0) set.stripe_unit_bytes = product(unit, sector, "raidctl: stripe unit");
    }
    if (columns && *columns > 0) set.columns = columns;
    if (label.level) {
        if (const auto level = level_of(label.level.value))
            set.level = scribe.known(*level, label.level.line);
        else
            scribe.unparsed(
                label.level.line, label.level.line,
                "raidctl: RAID level '" + escaped(label.level.value) + "' is not one of 0, 1, 4, 5");
    }
    if (auto flag = yes_or_no(label.autoconfigure, scribe)) set.autoconfigure = std::move(flag);
    if (label.root) set.root = scribe.text(label.root.value, label.root.line);
    return unit_name(label.last.value);
}

void judge_state(Volume& set, std::size_t spared, const Provenance& listing) {
    std::vector<const Component*> columns;
    std::size_t used_spares = 0;
    for (const Component& c : set.components) {
        if (!c.role.is("spare")) columns.push_back(&c);
        used_spares += c.state.is(ComponentState::used_spare) ? 1 : 0;
    }
    // A column whose data went to a spare may stay "failed" beside the "used_spare".
    spared = std::max(spared, used_spares);
    std::vector<bool> lost(columns.size());
    std::size_t lost_count = 0, rebuilding = 0;
    const Component* witness = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& state = columns[i]->state;
        if (!state) return;
        if (state.is(ComponentState::optimal)) continue;
        rebuilding += state.is(ComponentState::rebuilding) ? 1 : 0;
        lost[i] = true, ++lost_count, witness = columns[i];
    }
    const auto say = [&](VolumeState state) {
        set.state = Known<VolumeState>(state, witness ? witness->state.from() : listing);
    };
    if (columns.empty()) return;
    if (lost_count <= spared) return say(VolumeState::optimal);
    if (rebuilding > 0) return say(VolumeState::rebuilding);
    bool dead = lost_count == columns.size();
    const std::size_t uncovered = lost_count - spared;
    if (set.level.is(RaidLevel::raid0)) dead = uncovered > 0;
    if (set.level.is(RaidLevel::raid4) || set.level.is(RaidLevel::raid5)) dead = uncovered > 1;
    if (set.level.is(RaidLevel::raid1))
        // Columns 2i and 2i+1 mirror each other.
        for (std::size_t i = 0; i + 1 < lost.size(); i += 2)
            dead = dead || (lost[i] && lost[i + 1] && spared == 0);
    say(dead ? VolumeState::failed : VolumeState::degraded);
}

}  // namespace diskwright::raidframe
