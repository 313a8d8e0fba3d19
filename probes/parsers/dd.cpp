// SPDX-License-Identifier: BSD-2-Clause
// dd of all systems:
//   524288000 bytes transferred in 6.470 secs (81022423 bytes/sec)              BSD
//   1073741824 bytes (1.1 GB) copied, 9.4 s, 114 MB/s                           GNU to 8.25; "1,1 GB", "9,4
//   s" in some locales 1073741824 bytes (1.1 GB, 1.0 GiB) copied, 9.4 s, 114 MB/s                  GNU since
//   1073741824 bytes (1,0GB) copied, 9.4 seconds, 108.9MB/s                     busybox
// What was read and written stands in the command: at the prompt, or in a line "dd if=... of=..." above the
// result.
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Result {
    std::uint64_t bytes = 0;
    double seconds = 0;
};

// The result that ends with word `k` + 1 ("... copied, 9.4", "... transferred in 6.470").
std::optional<Result> result_at(const std::vector<std::string_view>& w, std::size_t k) {
    if (k == 0 || k + 1 >= w.size()) return std::nullopt;
    const bool bsd = w[k] == "in" && w[k - 1] == "transferred";
    if (!bsd && w[k] != "copied,") return std::nullopt;
    auto seconds = w[k + 1];
    if (seconds.ends_with(',')) seconds.remove_suffix(1);
    const auto time = to_double(seconds);
    // "(1.1 GB, 1.0 GiB)" may stand between the bytes and the verb.
    for (std::size_t i = k; i-- > 1 && k - i < 7;) {
        if (w[i] != "bytes") continue;
        const auto bytes = to_unsigned(w[i - 1]);
        if (!bytes || *bytes == 0 || !time || *time <= 0) return std::nullopt;
        return Result{*bytes, *time};
    }
    return std::nullopt;
}

bool has_result(std::string_view line) {
    if (!contains(line, "bytes")) return false;
    const auto w = words(line);
    for (std::size_t k = 1; k + 1 < w.size(); ++k)
        if (result_at(w, k)) return true;
    return false;
}

struct Operands {
    std::string_view in, out, block, in_block, out_block, conv, in_flags, out_flags;
    std::size_t line = 0;
    bool at_prompt = false;
};

void take(Operands& o, std::string_view word) {
    while (!word.empty() && (word.back() == '"' || word.back() == '\'' || word.back() == ';' ||
                             word.back() == ')' || word.back() == '`'))
        word.remove_suffix(1);
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) return;
    const auto key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "if")
        o.in = value;
    else if (key == "of")
        o.out = value;
    else if (key == "bs")
        o.block = value;
    else if (key == "ibs")
        o.in_block = value;
    else if (key == "obs")
        o.out_block = value;
    else if (key == "conv")
        o.conv = value;
    else if (key == "iflag")
        o.in_flags = value;
    else if (key == "oflag")
        o.out_flags = value;
}

bool is_dd(std::string_view word) {
    while (!word.empty() &&
           (word.front() == '"' || word.front() == '\'' || word.front() == '(' || word.front() == '`'))
        word.remove_prefix(1);
    return word == "dd" || word.ends_with("/dd");
}

// A command is at most that many lines above its result: two lines of records, remarks of a wrapped mail.
constexpr std::size_t reach = 6;

std::optional<Operands> command_for(const Output& out, std::size_t at) {
    for (std::size_t back = 1; back <= reach && back <= at; ++back) {
        const std::size_t line = at - back;
        if (has_result(out.text(line))) break;
        const auto w = words(out.text(line));
        const auto dd = std::find_if(w.begin(), w.end(), is_dd);
        if (dd == w.end()) continue;
        Operands o;
        o.line = line;
        for (auto i = dd + 1; i != w.end(); ++i) take(o, *i);
        // The rest of a wrapped command.
        for (const auto word : words(out.text(line + 1))) take(o, word);
        if (!o.in.empty() || !o.out.empty()) return o;
    }
    const auto dd =
        std::find_if(out.argv.begin(), out.argv.end(), [](const std::string& word) { return is_dd(word); });
    if (dd == out.argv.end()) return std::nullopt;
    Operands o;
    o.at_prompt = true;
    for (auto i = dd + 1; i != out.argv.end(); ++i) take(o, *i);
    if (o.in.empty() && o.out.empty()) return std::nullopt;
    return o;
}

// BSD: k, m, g are powers of 1024 and b is 512; GNU: the same, and kB, MB, GB powers of 1000.
std::optional<std::uint64_t> block_bytes(std::string_view text) {
    if (text.ends_with('b')) {
        const auto blocks = to_unsigned(text.substr(0, text.size() - 1));
        if (blocks) return multiply(*blocks, 512);
    }
    return to_size(text, true);
}

bool is_source(std::string_view name) {
    return name == "/dev/zero" || name == "/dev/urandom" || name == "/dev/random";
}
bool is_sink(std::string_view name) {
    return name == "/dev/null";
}

// NetBSD and OpenBSD: rwd1d, rsd0c are raw; FreeBSD has no other disk devices; Linux: only O_DIRECT avoids
// the cache.
bool is_raw_device(std::string_view name) {
    return name.starts_with("/dev/r") && device_name(name) != name.substr(5);
}

std::optional<bool> cached(const Operands& o, bool writes) {
    const auto flags = writes ? o.out_flags : o.in_flags;
    if (contains(flags, "direct") || is_raw_device(writes ? o.out : o.in)) return false;
    if (writes && (contains(o.conv, "fsync") || contains(o.conv, "fdatasync") || contains(flags, "sync")))
        return false;
    const auto name = writes ? o.out : o.in;
    if (!name.starts_with("/dev/")) return true;
    return std::nullopt;
}

void write(const Result& result, const std::optional<Operands>& command, std::size_t at, Scribe& scribe) {
    if (!command) {
        scribe.unparsed(at, at, "dd: the command is not shown, so the device is not known");
        return;
    }
    const bool writes =
        (command->in.empty() || is_source(command->in)) && !command->out.empty() && !is_sink(command->out);
    const bool reads =
        !command->in.empty() && !is_source(command->in) && (command->out.empty() || is_sink(command->out));
    if (!writes && !reads) {
        scribe.unparsed(at, at, "dd: a copy from one device to another tells the rate of neither");
        return;
    }
    Throughput t;
    t.device = device_name(writes ? command->out : command->in);
    t.direction = scribe.text(writes ? "write" : "read", at);
    t.bytes_per_s = scribe.known(static_cast<double>(result.bytes) / result.seconds, at);
    t.tool = scribe.text("dd", at);
    const Provenance from = command->at_prompt ? scribe.at_prompt() : scribe.at(command->line);
    auto block = writes ? command->out_block : command->in_block;
    if (block.empty()) block = command->block;
    if (block.empty())
        t.request_bytes = Number(512, from);  // dd's own default
    else if (const auto bytes = block_bytes(block); bytes && *bytes > 0)
        t.request_bytes = Number(*bytes, from);
    if (const auto through_cache = cached(*command, writes)) t.cached = Flag(*through_cache, from);
    scribe.facts.throughputs.push_back(std::move(t));
}

bool starts(const Output& out, std::size_t at) {
    return has_result(out.text(at));
}

// A line that lost its line ends may hold several commands and results: it is read as a stream of words.
std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const auto w = words(out.text(at));
    std::optional<Operands> command;
    bool beside = false;
    for (std::size_t k = 0; k < w.size(); ++k) {
        if (is_dd(w[k])) {
            command.emplace();
            command->line = at;
            beside = true;
        } else if (const auto result = result_at(w, k)) {
            write(*result, beside ? command : command_for(out, at), at, scribe);
        } else if (command) {
            take(*command, w[k]);
        }
    }
    return 1;
}

}  // namespace

extern const CommandParser dd_parser{
    .id = "dd",
    .programs = {"dd"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
