// SPDX-License-Identifier: BSD-2-Clause
// Reports with one row a device: iostat -x of FreeBSD and DragonFly, -x and -y of NetBSD, -d and -x of
// sysstat.
//   FreeBSD   device     r/s   w/s    kr/s    kw/s qlen svc_t  %b            8 to 10, under "extended device
//   statistics"
//             device  r/s  w/s  kr/s  kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b  11 and later
//   NetBSD    device  read KB/t    r/s   time     MB/s write KB/t    w/s   time     MB/s      time is a
//   fraction, twice the same
//             device  read KB/t  r/s  MB/s write KB/t  w/s  MB/s  wait actv wsvc_t asvc_t wtime time     -y,
//             8 and later
//   sysstat   Device: rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util     and later
//   generations
//             tps kB_read/s ... kB_wrtn     -d; device name last with -h
// Sources: freebsd/freebsd-src:usr.sbin/iostat/iostat.c, NetBSD/src:usr.sbin/iostat/iostat.c,
// DragonFlyBSD/DragonFlyBSD:usr.sbin/iostat/iostat.c, sysstat/sysstat:iostat.c at its tags.
// Read by label, as a stream of words: mail clients wrap headers and rows alike.
#include <algorithm>
#include <array>

#include "probes/parsers/io_sampling.hpp"
#include "probes/parsers/iostat_columns.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_device_heading(std::string_view word) {
    return word == "Device" || word == "Device:" || word == "device";
}

// Words of a line without a date or time at its head; `clock` gets the time.
std::vector<std::string_view> words_after_clock(std::string_view line,
                                                std::optional<double>* clock = nullptr) {
    auto w = words(line);
    for (std::size_t i = 0; i < w.size() && i < 2; ++i) {
        const auto time = clock_time(w, i);
        if (!time) continue;
        if (clock) *clock = time;
        const bool half_day = i + 1 < w.size() && (iequals(w[i + 1], "AM") || iequals(w[i + 1], "PM"));
        w.erase(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(i + (half_day ? 2 : 1)));
        break;
    }
    return w;
}

struct Header {
    std::vector<IoColumn> columns;
    bool device_last = false, sysstat = false, netbsd = false, freebsd = false, totals = false;
    std::size_t lines = 1;
};

// Adds the columns that the words name; false when the words are no heading.
bool add_columns(const std::vector<std::string_view>& w, std::size_t from, std::size_t to, Header& header,
                 bool& writes_side) {
    for (std::size_t i = from; i < to; ++i) {
        const auto word = w[i];
        if (word == "read" || word == "write") {
            writes_side = word == "write";
            header.netbsd = true;
            continue;
        }
        const IoColumn* label = iostat_column(word);
        if (!label) return i > from + 1 && word.starts_with('<');  // a remark behind the heading
        IoColumn column = *label;
        if (header.netbsd && word == "KB/t")
            column = {writes_side ? IoField::write_size : IoField::read_size};
        if (header.netbsd && word == "MB/s")
            column = {writes_side ? IoField::write_kb : IoField::read_kb, 1024};
        header.freebsd = header.freebsd || word == "qlen";
        header.totals = header.totals || word.ends_with("/i") || word == "xfr" || word == "MB";
        header.columns.push_back(column);
    }
    return true;
}

// FreeBSD puts the terminal's and the processor's columns behind those of the first row (-C, -T).
std::size_t without_cpu(const std::vector<std::string_view>& w) {
    const auto at =
        std::find_if(w.begin(), w.end(), [](std::string_view x) { return x == "tin" || x == "us"; });
    return static_cast<std::size_t>(at - w.begin());
}

std::optional<Header> header_at(const Output& out, std::size_t at) {
    const auto w = words_after_clock(out.text(at));
    if (w.size() < 3) return std::nullopt;
    Header header;
    const bool first = is_device_heading(w.front());
    header.device_last = !first && is_device_heading(w.back());
    if (!first && !header.device_last) return std::nullopt;
    header.sysstat = w.front().starts_with('D') || header.device_last;
    bool writes_side = false;
    const std::size_t end = header.device_last ? w.size() - 1 : without_cpu(w);
    if (!add_columns(w, first ? 1 : 0, end, header, writes_side)) return std::nullopt;
    for (std::size_t i = at + 1; i < out.lines.size() && i < at + 4 && !header.device_last; ++i) {
        const auto more = words(out.text(i));
        if (more.empty() || !std::all_of(more.begin(), more.end(), [](std::string_view x) {
                return iostat_column(x) || x == "read" || x == "write";
            }))
            break;
        add_columns(more, 0, more.size(), header, writes_side);
        ++header.lines;
    }
    const auto useful = std::count_if(header.columns.begin(), header.columns.end(),
                                      [](const IoColumn& c) { return c.field != IoField::none; });
    if (header.columns.size() < 2 || (useful < 1 && !header.totals && !header.device_last))
        return std::nullopt;
    return header;
}

bool is_device_name(std::string_view word) {
    if (word.empty() || word.size() > 128 || io_cell(word)) return false;
    const char c = word[0];
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
    return std::all_of(word.begin(), word.end(), [](char x) {
        return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '_' ||
               x == '.' || x == '/' || x == ':' || x == '-' || x == '+' || x == '!';
    });
}

struct Row {
    std::string_view device;
    std::vector<Cell> cells;
    std::size_t lines = 1;
    bool cut = false;
    std::optional<double> clock;
};

std::optional<Row> row_at(const Output& out, std::size_t at, const Header& header) {
    Row row;
    auto w = words_after_clock(out.text(at), &row.clock);
    if (w.empty()) return std::nullopt;
    std::size_t i = 0;
    if (!header.device_last) {
        if (!is_device_name(w[0])) return std::nullopt;
        row.device = w[i++];
        if (row.device.ends_with(':')) row.device.remove_suffix(1);
    }
    for (std::size_t line = at;;) {
        for (; i < w.size() && row.cells.size() < header.columns.size(); ++i) {
            const auto cell = io_cell(w[i]);
            if (!cell) break;
            row.cells.push_back(*cell);
        }
        const bool stopped = i < w.size();
        if (row.cells.size() == header.columns.size() || stopped || row.lines >= 4) break;
        const auto next = words(out.text(++line));
        if (next.empty() || !io_cell(next[0]) || clock_time(next, 0)) break;
        w = next;
        i = 0;
        ++row.lines;
    }
    if (header.device_last) {
        if (row.cells.size() < header.columns.size() || i >= w.size() || !is_device_name(w[i]))
            return std::nullopt;
        row.device = w[i];
        return row;
    }
    row.cut = row.cells.size() < header.columns.size();
    // A word and one number may be anything; half a row is one.
    if (row.cut && row.cells.size() * 2 < header.columns.size()) return std::nullopt;
    return row;
}

// "Linux 5.10.62 (host01) 	09/04/2021 	_x86_64_	(48 CPU)": the banner of all sysstat tools
bool is_banner(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 4 && w[0] == "Linux" && w[1][0] >= '0' && w[1][0] <= '9' && w[2].starts_with('(') &&
           w[2].ends_with(')');
}

void read_banner(std::size_t at, Scribe& scribe) {
    const auto w = words(scribe.output().text(at));
    Platform& os = scribe.facts.os;
    os.name = scribe.known(Os::linux_, at);
    os.release = scribe.text(w[1], at);
    if (w[2].size() > 2) os.hostname = scribe.text(w[2].substr(1, w[2].size() - 2), at);
    for (const auto word : w)
        if (word.size() > 2 && word.starts_with('_') && word.ends_with('_'))
            os.machine = scribe.text(word.substr(1, word.size() - 2), at);
}

bool is_statistics_title(std::string_view line) {
    return trim(line).starts_with("extended device statistics");
}
bool is_processor_title(std::string_view line) {
    return trim(line).starts_with("avg-cpu:");
}

std::optional<double> clock_line(std::string_view line) {
    const auto w = words(line);
    if (w.empty() || w.size() > 3) return std::nullopt;
    const auto first = clock_time(w, 0);
    return first ? first : clock_time(w, 1);
}

bool is_gap(std::string_view line) {
    const auto text = trim(line);
    return text.empty() || text == "..." || text == "[...]";
}

class Reader {
 public:
    Reader(const Output& out, Scribe& scribe) : out_(out), scribe_(scribe) {}

    std::size_t read(std::size_t at) {
        const std::size_t first = at;
        std::size_t end = at, begin = at;
        if (is_banner(out_.text(at))) {
            banner_ = true;
            read_banner(at, scribe_);
            end = ++at;
        }
        while (at < out_.lines.size()) {
            const auto line = out_.text(at);
            if (const auto header = header_at(out_, at)) {
                if (header_ && header->columns.size() != header_->columns.size() &&
                    !goes_on_with_report(*header))
                    break;
                take_header(*header, at);
                end = at += header->lines;
            } else if (is_statistics_title(line)) {
                end = ++at;
            } else if (is_processor_title(line)) {
                end = at += at + 1 < out_.lines.size() && !words(out_.text(at + 1)).empty() &&
                                    io_cell(words(out_.text(at + 1))[0])
                                ? 2
                                : 1;
            } else if (is_gap(line)) {
                ++at;
            } else if (const auto clock = clock_line(line)) {
                run_.timestamp(*clock);
                end = ++at;
            } else if (const auto row = header_ ? row_at(out_, at, *header_) : std::nullopt) {
                take_row(*row, at);
                end = at += row->lines;
            } else if (header_ && header_->netbsd && words(line).size() == 1 &&
                       is_device_name(words(line)[0])) {
                end = ++at;  // -z of NetBSD 10: an idle device is named without figures
            } else if (header_ && is_stray(at)) {
                end = ++at;
            } else {
                break;
            }
        }
        if (header_) write_iostat_run(run_, out_, begin, header_->sysstat, banner_, scribe_);
        return end - first;
    }

 private:
    void take_header(const Header& header, std::size_t at) {
        std::optional<double> clock;
        words_after_clock(out_.text(at), &clock);
        if (clock) run_.timestamp(*clock);
        if (!header_) {
            if (header.netbsd) scribe_.suggest_os(Os::netbsd, at);
            if (header.freebsd) scribe_.suggest_os(Os::freebsd, at);
            if (header.sysstat) scribe_.suggest_os(Os::linux_, at);
            if (header.totals) scribe_.unparsed(at, at, "iostat: totals since boot (-I) are no rates");
        }
        const bool new_report = !goes_on_with_report(header);
        header_ = header;
        header_indent_ = out_.text(at).find_first_not_of(" \t");
        if (new_report) run_.begin_report(), fields_in_report_ = 0;
        fields_in_report_ |= fields(header);
    }

    static std::uint64_t fields(const Header& header) {
        std::uint64_t set = 0;
        for (const IoColumn& c : header.columns)
            if (c.field != IoField::none) set |= std::uint64_t{1} << static_cast<unsigned>(c.field);
        return set;
    }

    // sysstat -xh prints one report as several tables: reads, writes, discards, flushes, the rest.
    bool goes_on_with_report(const Header& header) const {
        return header_ && header_->device_last && header.device_last &&
               (fields_in_report_ & fields(header)) == 0;
    }

    void take_row(const Row& row, std::size_t at) {
        if (row.cut) {
            scribe_.damage(at, "iostat: the row of " + escaped(row.device) + " has " +
                                   std::to_string(row.cells.size()) + " of " +
                                   std::to_string(header_->columns.size()) + " columns");
            return;
        }
        if (header_->totals || is_group(at)) return;
        const bool seen = run_.seen_in_report(device_name(row.device));
        if (seen && !header_->device_last) run_.begin_report();
        if (row.clock) run_.timestamp_of_row(*row.clock);
        IoRow builder(scribe_.at(at));
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            if (row.cells[i].value) builder.put(header_->columns[i], *row.cells[i].value);
        IoSample sample = builder.finish();
        if (builder.contradicts_itself())
            scribe_.damage(at, "iostat: rate, request size and throughput of " + escaped(row.device) +
                                   " do not fit together");
        if (seen && header_->device_last)
            run_.extend(row.device, std::move(sample));
        else
            run_.add(row.device, std::move(sample));
    }

    // sysstat -g sets the sum over a group of devices off by one blank.
    bool is_group(std::size_t at) const {
        return header_->sysstat && !header_->device_last &&
               out_.text(at).find_first_not_of(" \t") > header_indent_;
    }

    // The tail of a remark that a mail client wrapped under a row: one short line right before the next
    // report.
    bool is_stray(std::size_t at) const {
        if (words(out_.text(at)).size() > 3 || at == 0 || is_gap(out_.text(at - 1)) ||
            at + 1 >= out_.lines.size())
            return false;
        return is_statistics_title(out_.text(at + 1)) || header_at(out_, at + 1) ||
               row_at(out_, at + 1, *header_);
    }

    const Output& out_;
    Scribe& scribe_;
    IoRun run_;
    std::optional<Header> header_;
    std::size_t header_indent_ = 0;
    std::uint64_t fields_in_report_ = 0;
    bool banner_ = false;
};

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    return is_banner(line) || header_at(out, at) || (is_statistics_title(line) && header_at(out, at + 1));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Reader(out, scribe).read(at);
}

}  // namespace

extern const CommandParser iostat_table_parser{
    .id = "iostat-table",
    .programs = {"iostat"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"iostat", "-dx", "2", "4"}, false, true},
             {Os::netbsd, {"iostat", "-x", "-w", "2", "-c", "4"}, false, true},
             {Os::freebsd, {"iostat", "-x", "-w", "2", "-c", "4"}, false, true}},
};

}  // namespace diskwright
