// SPDX-License-Identifier: BSD-2-Clause
// Sets read through their components. RAIDframe against tests/data/model/raidframe-mapping.json (measured on
// real sets); the other layouts against an independent writer here, which lays data out unit by unit as the
// drivers do (torvalds/linux:drivers/md/raid5.c and raid10.c, openbsd/src:sys/dev/softraid_raid5.c,
// freebsd/freebsd-src:sys/geom/{stripe,concat,raid3}).
#include "probes/ondisk/assembled_source.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "probes/model/redundancy.hpp"
#include "tests/support/files.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<std::byte>;

Volume make_set(VolumeKind kind, RaidLevel level, std::uint64_t columns, std::uint64_t unit,
                std::string layout = {}) {
    Volume v;
    v.name = "set";
    v.kind = Known<VolumeKind>(kind, {});
    v.level = Known<RaidLevel>(level, {});
    v.columns = Number(columns, {});
    if (unit > 0) v.stripe_unit_bytes = Number(unit, {});
    if (!layout.empty()) v.layout = Text(std::move(layout), {});
    v.components.resize(static_cast<std::size_t>(columns));
    return v;
}

// Components in memory, some of them absent.
struct Set {
    Volume volume;
    std::uint64_t data_offset = 0;
    std::vector<std::unique_ptr<test::MemorySource>> members;

    Set(Volume v, std::uint64_t offset, const std::vector<Bytes>& columns)
        : volume(std::move(v)), data_offset(offset) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            Bytes bytes(offset);
            bytes.insert(bytes.end(), columns[i].begin(), columns[i].end());
            const std::uint64_t size = bytes.size();
            members.push_back(
                std::make_unique<test::MemorySource>("sd" + std::to_string(i), std::move(bytes), size));
            volume.components[i].name = members.back()->name();
            volume.components[i].used_bytes = Number(columns[i].size(), {});
        }
    }
    AssembledSource source(const std::vector<std::size_t>& missing = {}) const {
        std::vector<AssembledSource::Column> columns;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const bool gone = std::find(missing.begin(), missing.end(), i) != missing.end();
            columns.push_back(
                {gone ? nullptr : members[i].get(), data_offset, members[i]->readable_bytes() - data_offset});
        }
        return AssembledSource(volume, std::move(columns));
    }
};

// A byte that tells its place apart from all others nearby.
std::byte stamp(std::uint64_t byte) {
    return static_cast<std::byte>((byte * 2654435761U >> 13) & 0xff);
}
Bytes stamped(std::uint64_t size) {
    Bytes out(size);
    for (std::uint64_t i = 0; i < size; ++i) out[i] = stamp(i);
    return out;
}

void expect_data(AssembledSource&& source, const Bytes& data, std::string_view what) {
    ASSERT_EQ(source.readable_bytes(), data.size()) << what;
    constexpr std::size_t most = 512 * 1024;
    for (std::size_t at = 0; at < data.size(); at += most) {
        const auto length = std::min(most, data.size() - at);
        const auto read = source.read(at, length);
        ASSERT_TRUE(read.ok()) << what << ": " << read.error().message;
        const auto from = data.begin() + static_cast<std::ptrdiff_t>(at);
        EXPECT_TRUE(std::equal(from, from + static_cast<std::ptrdiff_t>(length), read->begin())) << what;
    }
    const auto part = source.read(data.size() / 3, 700);
    ASSERT_TRUE(part.ok()) << what;
    EXPECT_TRUE(
        std::equal(part->begin(), part->end(), data.begin() + static_cast<std::ptrdiff_t>(data.size() / 3)));
    EXPECT_FALSE(source.read(data.size(), 1).ok());
    EXPECT_FALSE(source.read(data.size() - 1, 2).ok());
}

TEST(AssembledSource, RaidframeAsMeasured) {
    const Json rows =
        Json::parse(test::read_file(test::data_folder() / "model/raidframe-mapping.json"), nullptr, false);
    ASSERT_TRUE(rows.is_array());
    std::size_t units = 0;
    for (const auto& row : rows) {
        const auto level = *from_string<RaidLevel>(row["level"].get<std::string>());
        const auto n = row["columns"].get<std::uint64_t>(),
                   unit = row["unit_sectors"].get<std::uint64_t>() * 512;
        std::uint64_t last = 0;
        for (const auto& entry : row["units"])
            for (const auto& copy : entry[1]) last = std::max(last, copy[1].get<std::uint64_t>());
        std::vector<Bytes> columns(n, Bytes((last - 64) * 512 + unit));
        Bytes data(row["units"].size() * unit);
        for (const auto& entry : row["units"]) {
            const auto at = entry[0].get<std::uint64_t>() * 512;
            for (std::uint64_t i = 0; i < unit; ++i) data.at(at + i) = stamp(at + i);
            for (const auto& copy : entry[1])
                for (std::uint64_t i = 0; i < unit; ++i)
                    columns.at(copy[0].get<std::size_t>()).at((copy[1].get<std::uint64_t>() - 64) * 512 + i) =
                        stamp(at + i);
            ++units;
        }
        const bool parity = level == RaidLevel::raid4 || level == RaidLevel::raid5;
        const bool mirror = level == RaidLevel::raid1;
        if (parity)  // what no data unit fills is the sum of its row
            for (std::uint64_t r = 0; r < columns[0].size() / unit; ++r) {
                const std::size_t p = level == RaidLevel::raid4 ? n - 1 : n - 1 - r % n;
                for (std::uint64_t i = r * unit; i < (r + 1) * unit; ++i) {
                    std::byte sum{};
                    for (std::size_t c = 0; c < n; ++c)
                        if (c != p) sum ^= columns[c][i];
                    columns[p][i] = sum;
                }
            }
        const Set set(make_set(VolumeKind::raidframe, level, n, unit), 64 * 512, columns);
        const std::string what =
            "level " + row["level"].get<std::string>() + ", " + std::to_string(n) + " columns";
        data.resize(std::min<std::size_t>(data.size(), set.source().readable_bytes()));
        expect_data(set.source(), data, what);
        for (std::size_t gone = 0; gone < n && (parity || mirror); ++gone)
            expect_data(set.source({gone}), data, what + " without " + std::to_string(gone));
        if (level == RaidLevel::raid0) {
            auto broken = set.source({0});
            EXPECT_FALSE(broken.read(0, 512).ok());
        }
    }
    EXPECT_GT(units, 900U);
}

std::uint8_t times_two(std::uint8_t value) {
    return static_cast<std::uint8_t>(value << 1 ^ ((value & 0x80) != 0 ? 0x1d : 0));
}

// Fills P (and Q) of one row whose data columns are given in the order of the syndrome.
void write_parity(std::vector<Bytes>& columns, std::uint64_t row, std::uint64_t unit, std::size_t p,
                  std::optional<std::size_t> q, const std::vector<std::size_t>& data_in_order) {
    for (std::uint64_t i = row * unit; i < (row + 1) * unit; ++i) {
        std::uint8_t sum = 0, weighted = 0;
        for (auto c = data_in_order.rbegin(); c != data_in_order.rend(); ++c) {
            const auto value = std::to_integer<std::uint8_t>(columns[*c][i]);
            sum ^= value;
            weighted = static_cast<std::uint8_t>(times_two(weighted) ^ value);
        }
        columns[p][i] = static_cast<std::byte>(sum);
        if (q) columns[*q][i] = static_cast<std::byte>(weighted);
    }
}

struct ParityRow {
    std::string layout;
    // Of row s on n columns: where P and Q are, and the first data column.
    std::size_t (*p)(std::size_t s, std::size_t n);
    std::optional<std::size_t> (*q)(std::size_t s, std::size_t n);
    bool symmetric;
};

std::size_t left(std::size_t s, std::size_t n) {
    return n - 1 - s % n;
}
std::size_t right(std::size_t s, std::size_t n) {
    return s % n;
}
std::size_t left_of_rest(std::size_t s, std::size_t n) {
    return n - 2 - s % (n - 1);
}
std::optional<std::size_t> none(std::size_t, std::size_t) {
    return std::nullopt;
}
std::optional<std::size_t> behind_left(std::size_t s, std::size_t n) {
    return (left(s, n) + 1) % n;
}
std::optional<std::size_t> behind_right(std::size_t s, std::size_t n) {
    return (right(s, n) + 1) % n;
}
std::optional<std::size_t> last(std::size_t, std::size_t n) {
    return n - 1;
}

void check_parity_layout(VolumeKind kind, RaidLevel level, const ParityRow& layout, std::size_t n) {
    constexpr std::uint64_t unit = 512, rows = 13;
    std::vector<Bytes> columns(n, Bytes(rows * unit));
    const std::size_t d = n - (level == RaidLevel::raid6 ? 2 : 1);
    const Bytes data = stamped(rows * d * unit);
    for (std::uint64_t s = 0; s < rows; ++s) {
        const std::size_t p = layout.p(s, n);
        const auto q = layout.q(s, n);
        std::vector<std::size_t> order;  // data columns, unit by unit
        const bool fixed_q = level == RaidLevel::raid6 && q == n - 1 && layout.layout.ends_with("-6");
        const std::size_t ring = fixed_q ? n - 1 : n;
        const std::size_t from = layout.symmetric ? ((q && !fixed_q ? *q : p) + 1) % ring : 0;
        for (std::size_t k = 0; k < ring; ++k) {
            const std::size_t c = (from + k) % ring;
            if (c != p && c != q) order.push_back(c);
        }
        for (std::size_t k = 0; k < d; ++k)
            std::copy_n(data.begin() + static_cast<std::ptrdiff_t>((s * d + k) * unit), unit,
                        columns[order[k]].begin() + static_cast<std::ptrdiff_t>(s * unit));
        std::vector<std::size_t> syndrome;  // from the column behind Q on
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t c = ((q ? *q : p) + 1 + k) % n;
            if (c != p && c != q) syndrome.push_back(c);
        }
        write_parity(columns, s, unit, p, q, syndrome);
    }
    const Set set(make_set(kind, level, n, unit, layout.layout), 4096, columns);
    const std::string what = layout.layout + " on " + std::to_string(n);
    expect_data(set.source(), data, what);
    for (std::size_t a = 0; a < n; ++a) {
        expect_data(set.source({a}), data, what + " without " + std::to_string(a));
        for (std::size_t b = a + 1; b < n; ++b) {
            auto two = set.source({a, b});
            if (level == RaidLevel::raid6)
                expect_data(set.source({a, b}), data,
                            what + " without " + std::to_string(a) + " and " + std::to_string(b));
            else
                EXPECT_FALSE(two.read(0, rows * d * unit).ok());
        }
    }
}

TEST(AssembledSource, ParityLayoutsOfMdAndSoftraid) {
    for (const std::size_t n : {3, 4, 5, 7}) {
        for (const ParityRow& row :
             std::initializer_list<ParityRow>{{"left-symmetric", left, none, true},
                                              {"right-symmetric", right, none, true},
                                              {"left-asymmetric", left, none, false},
                                              {"right-asymmetric", right, none, false}})
            check_parity_layout(VolumeKind::md, RaidLevel::raid5, row, n);
        check_parity_layout(VolumeKind::softraid, RaidLevel::raid5, {"", left, none, false}, n);
    }
    for (const std::size_t n : {4, 5, 7})
        for (const ParityRow& row :
             std::initializer_list<ParityRow>{{"left-symmetric", left, behind_left, true},
                                              {"right-symmetric", right, behind_right, true},
                                              {"left-symmetric-6", left_of_rest, last, true},
                                              {"left-asymmetric-6", left_of_rest, last, false}})
            check_parity_layout(VolumeKind::md, RaidLevel::raid6, row, n);
}

// openbsd/src:sys/dev/softraid_raid6.c: P stands before Q, and the powers are those of the column.
TEST(AssembledSource, Raid6OfSoftraid) {
    constexpr std::uint64_t unit = 512, rows = 13;
    for (const std::size_t n : {4, 5, 7}) {
        std::vector<Bytes> columns(n, Bytes(rows * unit));
        const Bytes data = stamped(rows * (n - 2) * unit);
        for (std::uint64_t s = 0; s < rows; ++s) {
            const std::size_t q = n - 1 - s % n, p = q == 0 ? n - 1 : q - 1;
            std::size_t k = s * (n - 2);
            for (std::size_t c = 0; c < n; ++c) {
                if (c == p || c == q) continue;
                for (std::uint64_t i = 0; i < unit; ++i) {
                    const auto value = std::to_integer<std::uint8_t>(data[k * unit + i]);
                    std::uint8_t weighted = value;
                    for (std::size_t power = 0; power < c; ++power) weighted = times_two(weighted);
                    columns[c][s * unit + i] = static_cast<std::byte>(value);
                    columns[p][s * unit + i] ^= static_cast<std::byte>(value);
                    columns[q][s * unit + i] ^= static_cast<std::byte>(weighted);
                }
                ++k;
            }
        }
        const Set set(make_set(VolumeKind::softraid, RaidLevel::raid6, n, unit), 528 * 512, columns);
        const std::string what = "softraid on " + std::to_string(n);
        expect_data(set.source(), data, what);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = a; b < n; ++b) expect_data(set.source({a, b}), data, what);
    }
}

// A layout that is recorded and has no name is not the usual one, and noise is not searched.
TEST(AssembledSource, WhatCannotBeRead) {
    for (const RaidLevel level : {RaidLevel::raid5, RaidLevel::raid6, RaidLevel::raid10}) {
        Volume v = make_set(VolumeKind::md, level, 4, 65536);
        EXPECT_TRUE(AssembledSource::possible(v));
        EXPECT_TRUE(map_byte(v, 0));
        v.layout = Text::unknown("layout 0x63");
        EXPECT_FALSE(AssembledSource::possible(v));
        EXPECT_FALSE(map_byte(v, 0));
        EXPECT_FALSE(parity_columns(v, 0));
    }
    Volume mirror = make_set(VolumeKind::softraid, RaidLevel::raid1, 2, 0);
    EXPECT_TRUE(AssembledSource::possible(mirror));
    mirror.crypto_format = Text("softraid", {});
    EXPECT_FALSE(AssembledSource::possible(mirror));
}

// md stripes what the longer members have left in zones of their own, in which order only the superblock
// tells.
TEST(AssembledSource, StripesOfUnequalMembers) {
    constexpr std::size_t unit = 1024;
    struct Zone {
        std::size_t first_row, rows;
        std::vector<std::size_t> members;
    };
    const std::vector<std::size_t> sizes{3 * unit, 7 * unit, 12 * unit + 512};
    const std::vector<Zone> zones{{0, 3, {0, 1, 2}}, {3, 4, {1, 2}}, {7, 5, {2}}};
    const Bytes data = stamped((3 + 7 + 12) * unit);
    for (const std::string layout : {"original", "alternate"}) {
        std::vector<Bytes> columns;
        for (const std::size_t size : sizes) columns.emplace_back(size);
        std::size_t chunk = 0;
        for (const Zone& zone : zones)
            for (std::size_t i = 0; i < zone.rows * zone.members.size(); ++i, ++chunk) {
                const std::size_t turn = layout == "original" ? chunk : i;
                const std::size_t member = zone.members[turn % zone.members.size()];
                const std::size_t row = zone.first_row + i / zone.members.size();
                std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(chunk * unit), unit,
                            columns[member].begin() + static_cast<std::ptrdiff_t>(row * unit));
            }
        Volume v = make_set(VolumeKind::md, RaidLevel::raid0, 3, unit, layout);
        v.size_bytes = Number(data.size(), {});
        const Set set(v, 2048, columns);
        expect_data(set.source(), data, layout);
        EXPECT_FALSE(map_byte(set.volume, data.size())) << "behind the last zone";
        EXPECT_EQ(set.source({2}).readable_bytes(), 9 * unit) << "as far as every row has what is there";
    }
    Volume unsaid = make_set(VolumeKind::md, RaidLevel::raid0, 3, unit);
    unsaid.size_bytes = Number(data.size(), {});
    const Set set(unsaid, 0, {Bytes(sizes[0]), Bytes(sizes[1]), Bytes(sizes[2])});
    EXPECT_EQ(set.source().readable_bytes(), 9 * unit);
    EXPECT_TRUE(map_byte(set.volume, 9 * unit - 1));
    EXPECT_FALSE(map_byte(set.volume, 9 * unit));
}

TEST(AssembledSource, MirrorsStripesAndConcatenations) {
    const Bytes data = stamped(24 * 1024);
    const Set mirror(make_set(VolumeKind::gmirror, RaidLevel::raid1, 3, 0), 0, {data, data, data});
    expect_data(mirror.source(), data, "mirror");
    expect_data(mirror.source({0, 2}), data, "mirror with one left");

    std::vector<Bytes> striped(3, Bytes(8 * 1024));
    for (std::size_t i = 0; i < data.size(); ++i) striped[i / 1024 % 3][i / 3072 * 1024 + i % 1024] = data[i];
    expect_data(Set(make_set(VolumeKind::gstripe, RaidLevel::raid0, 3, 1024), 0, striped).source(), data,
                "stripe");

    const std::vector<Bytes> parts{{data.begin(), data.begin() + 5120},
                                   {data.begin() + 5120, data.begin() + 6144},
                                   {data.begin() + 6144, data.end()}};
    expect_data(Set(make_set(VolumeKind::gconcat, RaidLevel::concat, 3, 0), 0, parts).source(), data,
                "concat");

    // Each sector of graid3 lies in parts on all data components.
    std::vector<Bytes> parts3(3, Bytes(12 * 1024));
    for (std::size_t i = 0; i < data.size(); ++i) parts3[i / 256 % 2][i / 512 * 256 + i % 256] = data[i];
    for (std::size_t i = 0; i < parts3[2].size(); ++i) parts3[2][i] = parts3[0][i] ^ parts3[1][i];
    Volume raid3 = make_set(VolumeKind::graid3, RaidLevel::raid3, 3, 0);
    raid3.logical_sector_bytes = Number(512, {});
    const Set set3(raid3, 0, parts3);
    for (std::size_t gone = 0; gone < 3; ++gone) expect_data(set3.source({gone}), data, "graid3");
}

TEST(AssembledSource, Raid10OfMd) {
    constexpr std::size_t unit = 512, units = 24;
    const Bytes data = stamped(units * unit);
    const auto put = [&](std::vector<Bytes>& columns, std::size_t u, std::size_t column, std::size_t row) {
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(u * unit), unit,
                    columns[column].begin() + static_cast<std::ptrdiff_t>(row * unit));
    };
    for (const std::size_t n : {3, 4}) {
        const std::size_t rows = units * 2 / n;
        std::vector<Bytes> near(n, Bytes(rows * unit)), far = near, offset = near;
        for (std::size_t u = 0; u < units; ++u) {
            put(near, u, 2 * u % n, 2 * u / n), put(near, u, (2 * u + 1) % n, (2 * u + 1) / n);
            put(far, u, u % n, u / n), put(far, u, (u + 1) % n, rows / 2 + u / n);
            put(offset, u, u % n, u / n * 2), put(offset, u, (u + 1) % n, u / n * 2 + 1);
        }
        const std::vector<std::pair<std::string, std::vector<Bytes>*>> layouts{
            {"near=2", &near}, {"far=2", &far}, {"offset=2", &offset}};
        for (const auto& [layout, columns] : layouts) {
            Volume v = make_set(VolumeKind::md, RaidLevel::raid10, n, unit, layout);
            v.size_bytes = Number(data.size(), {});
            const Set set(v, 1024, *columns);
            for (std::size_t gone = 0; gone < n; ++gone) {
                auto source = set.source({gone});
                const auto whole = source.read(0, data.size());
                ASSERT_TRUE(whole.ok()) << layout << " on " << n;
                EXPECT_TRUE(std::equal(data.begin(), data.end(), whole->begin())) << layout << " on " << n;
            }
        }
    }
}

TEST(AssembledSource, HeadsAreReadAsFarAsTheyReach) {
    std::vector<Bytes> columns(4, stamped(3 * 1024 + 100));
    const Set set(make_set(VolumeKind::raidframe, RaidLevel::raid5, 4, 1024), 64 * 512, columns);
    auto source = set.source();
    EXPECT_EQ(source.readable_bytes(), 3U * 3 * 1024);
    EXPECT_TRUE(source.read(8 * 1024, 1024).ok());
    EXPECT_FALSE(source.read(9 * 1024, 1).ok());
}

TEST(AssembledSource, ReadsAreBounded) {
    const Bytes data(8 << 20);
    const Set mirror(make_set(VolumeKind::gmirror, RaidLevel::raid1, 2, 0), 0, {data, data});
    auto source = mirror.source();
    std::size_t taken = 0;
    for (std::size_t at = 0; at < data.size(); at += 1 << 16) taken += source.read(at, 1 << 16).ok() ? 1 : 0;
    EXPECT_EQ(taken << 16, AssembledSource::budget);
    EXPECT_TRUE(source.read(0, 1 << 16).ok()) << "what was read before stays";
    EXPECT_TRUE(source.exhausted());
    // Small units of a degraded set on many columns are much work for few bytes.
    constexpr std::size_t n = 129, unit = 16;
    const Set wide(make_set(VolumeKind::md, RaidLevel::raid4, n, unit), 0,
                   std::vector<Bytes>(n, Bytes(65536)));
    auto degraded = wide.source({0});
    EXPECT_FALSE(degraded.exhausted());
    std::size_t rows = 0;
    while (rows < 65536 / unit && degraded.read(rows * unit * (n - 1), unit).ok()) ++rows;
    EXPECT_TRUE(degraded.exhausted());
    EXPECT_NEAR(static_cast<double>(rows), static_cast<double>(AssembledSource::most_pieces) / (n - 1), 1.0);
    EXPECT_FALSE(AssembledSource::possible(make_set(VolumeKind::md, RaidLevel::raid0, 2, 1)));
    EXPECT_FALSE(AssembledSource::possible(make_set(VolumeKind::hardware, RaidLevel::raid5, 3, 65536)));
}

}  // namespace
}  // namespace diskwright
