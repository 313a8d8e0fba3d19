// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/iostat_columns.hpp"

#include <algorithm>
#include <array>

namespace diskwright {
namespace {

struct Label {
    std::string_view name;
    IoColumn column;
};
constexpr double sector_kb = 0.5, mb_kb = 1024, gb_kb = 1024 * 1024;
constexpr std::array<Label, 99> label_table{{
    {"r/s", {IoField::reads}},
    {"w/s", {IoField::writes}},
    {"kr/s", {IoField::read_kb}},
    {"kw/s", {IoField::write_kb}},
    {"rkB/s", {IoField::read_kb}},
    {"wkB/s", {IoField::write_kb}},
    {"rsec/s", {IoField::read_kb, sector_kb}},
    {"wsec/s", {IoField::write_kb, sector_kb}},
    {"rMB/s", {IoField::read_kb, mb_kb}},
    {"wMB/s", {IoField::write_kb, mb_kb}},
    {"kB_read/s", {IoField::read_kb}},
    {"kB_wrtn/s", {IoField::write_kb}},
    {"Blk_read/s", {IoField::read_kb, sector_kb}},
    {"Blk_wrtn/s", {IoField::write_kb, sector_kb}},
    {"MB_read/s", {IoField::read_kb, mb_kb}},
    {"MB_wrtn/s", {IoField::write_kb, mb_kb}},
    {"tps", {IoField::transfers}},
    {"kB/s", {IoField::kb}},
    {"sec/s", {IoField::kb, sector_kb}},
    {"qlen", {IoField::queue}},
    {"wait", {IoField::queue}},
    {"actv", {IoField::queue}},
    {"aqu-sz", {IoField::queue}},
    {"avgqu-sz", {IoField::queue}},
    {"svc_t", {IoField::service}},
    {"svctm", {IoField::service}},
    {"ms/t", {IoField::service}},
    {"asvc_t", {IoField::service}},
    {"await", {IoField::await}},
    {"r_await", {IoField::read_await}},
    {"w_await", {IoField::write_await}},
    {"ms/r", {IoField::read_await}},
    {"ms/w", {IoField::write_await}},
    {"%b", {IoField::busy}},
    {"%util", {IoField::busy}},
    {"time", {IoField::busy, 100}},
    {"f/s", {IoField::flushes}},
    {"f_await", {IoField::flush_await}},
    {"ms/o", {IoField::flush_await}},  // "other" transactions are flushes, in the main
    {"rrqm/s", {IoField::read_merges}},
    {"%rrqm", {IoField::read_merges_percent}},
    {"rareq-sz", {IoField::read_size}},
    {"wareq-sz", {IoField::write_size}},
    {"wsvc_t", {}},
    {"wtime", {}},
    {"wrqm/s", {}},
    {"%wrqm", {}},
    {"rqm/s", {}},
    {"%rqm", {}},
    {"drqm/s", {}},
    {"%drqm", {}},
    {"d/s", {}},
    {"dkB/s", {}},
    {"dsec/s", {}},
    {"dMB/s", {}},
    {"d_await", {}},
    {"dareq-sz", {}},
    {"areq-sz", {}},
    {"avgrq-sz", {}},
    {"kB_read", {}},
    {"kB_wrtn", {}},
    {"kB_dscd/s", {}},
    {"kB_dscd", {}},
    {"Blk_read", {}},
    {"Blk_wrtn", {}},
    {"Blk_dscd/s", {}},
    {"Blk_dscd", {}},
    {"MB_read", {}},
    {"MB_wrtn", {}},
    {"MB_dscd/s", {}},
    {"MB_dscd", {}},
    {"kB_w+d/s", {}},  // -s: writes and discards in one
    {"kB_w+d", {}},
    {"MB_w+d/s", {}},
    {"MB_w+d", {}},
    {"Blk_w+d/s", {}},
    {"Blk_w+d", {}},
    {"GB_read/s", {IoField::read_kb, gb_kb}},
    {"GB_wrtn/s", {IoField::write_kb, gb_kb}},
    {"GB_dscd/s", {}},
    {"GB_read", {}},
    {"GB_wrtn", {}},
    {"GB_dscd", {}},
    {"GB_w+d/s", {}},
    {"GB_w+d", {}},
    {"rGB/s", {IoField::read_kb, gb_kb}},
    {"wGB/s", {IoField::write_kb, gb_kb}},
    {"dGB/s", {}},
    {"MB/s", {}},  // NetBSD's belongs to the side named before it
    {"KB/t", {}},
    {"r/i", {}},  // BSD -I: totals, no rates
    {"w/i", {}},
    {"kr/i", {}},
    {"kw/i", {}},
    {"tsvc_t/i", {}},
    {"sb/i", {}},
    {"xfr", {}},
    {"MB", {}},
    {"tin", {}},
}};

}  // namespace

const IoColumn* iostat_column(std::string_view label) {
    const auto at =
        std::find_if(label_table.begin(), label_table.end(), [&](const Label& l) { return l.name == label; });
    return at == label_table.end() ? nullptr : &at->column;
}

}  // namespace diskwright
