// SPDX-License-Identifier: BSD-2-Clause
// The facts as a table: device by device, one line per line of the input they were read from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/reports/text.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t samples_shown = 5;

bool drop_suffix(std::string& name, std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.resize(name.size() - suffix.size());
    return true;
}

std::string size_text(std::uint64_t bytes) {
    const std::string human = human_size(bytes);
    const auto back = to_size(human);
    return back && *back == bytes ? human : fmt::format("{} ({} bytes)", human, bytes);
}

// gmirror and graid3 show two counters, of which facts make one number: the generation counts first.
bool is_of_geom(const Provenance& from) {
    return icontains(from.text(), "genid") || icontains(from.text(), "syncid");
}
std::string counters_of_geom(std::uint64_t events) {
    return fmt::format("genid {}, syncid {}", events >> 32, events & 0xffffffff);
}

// "start_bytes", 32256 -> "start 31.5 KiB (32256 bytes)"
template <class T>
std::string named_value(std::string_view key, const Known<T>& value) {
    std::string name(key), text;
    if constexpr (std::is_same_v<T, std::uint64_t>) {
        if (key == "events" && is_of_geom(value.from())) return counters_of_geom(*value);
        if (drop_suffix(name, "_bytes")) text = size_text(*value);
    }
    if (text.empty()) {
        text = escaped(value_text(value));
        if constexpr (std::is_same_v<T, double>) text = fmt::format("{:.6g}", *value);
        if constexpr (std::is_same_v<T, bool>) text = *value ? "yes" : "no";
        if (drop_suffix(name, "_percent"))
            text += " %";
        else if (drop_suffix(name, "_per_s"))
            text += "/s";
        else if (drop_suffix(name, "_s"))
            text += " s";
    }
    std::replace(name.begin(), name.end(), '_', ' ');
    return fmt::format("{} {}", name, text);
}

std::string number_text(double value) {
    return fmt::format("{:g}", value);
}

/// Values of one element, those of one line of the input together.
struct Row {
    Provenance from;
    std::vector<std::string> values;
};

class ElementWriter {
 public:
    ElementWriter(Page& page, std::size_t indent, std::string_view kind)
        : page_(page), indent_(indent), head_(kind) {}

    template <class T>
    void operator()(std::string_view name, const Known<T>& value) {
        if (value.known()) row(value.from()).push_back(named_value(name, value));
    }
    template <class T>
    void key(std::string_view name, const Known<T>& value) {
        (*this)(name, value);
    }
    void key(std::string_view, const std::string& value) {
        if (!value.empty()) head_ += fmt::format(" {}", escaped(value));
    }
    void text(std::string_view name, const std::string& value) {
        if (!value.empty()) head_ += fmt::format(", {} {}", name, escaped(value));
    }
    void optional(std::string_view name, const std::optional<double>& value) {
        if (value) row(from_).push_back(fmt::format("{} {}", spaced(name), number_text(*value)));
    }
    void boolean(std::string_view name, bool value) {
        if (value) row(from_).push_back(spaced(name));
    }
    template <class E>
    void enumeration(std::string_view, E value) {
        head_ += fmt::format(" {}", spaced(to_string(value)));
    }
    // visit() tells the provenance of a whole element last.
    void provenance(const Provenance& from) {
        for (Row& r : rows_)
            if (r.from.empty()) r.from = from;
        if (rows_.empty() && !from.empty()) rows_.push_back({from, {}});
    }
    template <class T>
    void list(std::string_view name, const std::vector<T>& elements) {
        flush();
        std::string kind(name);
        drop_suffix(kind, "s");
        const std::size_t shown =
            name == "samples" ? std::min(elements.size(), samples_shown) : elements.size();
        for (std::size_t i = 0; i < shown; ++i) {
            ElementWriter inner(page_, indent_ + 4, kind);
            T::visit(elements[i], inner);
            inner.flush();
        }
        if (shown < elements.size())
            page_.line(indent_ + 4, fmt::format("and {} more {}", elements.size() - shown, name));
    }

    void flush() {
        if (!head_done_) page_.line(indent_, page_.coloured(head_, Colour::bold));
        head_done_ = true;
        for (const Row& r : rows_) {
            const std::string where = place(r.from);
            page_.paragraph(indent_ + 4, fmt::format("{}{}", fmt::join(r.values, ", "),
                                                     where.empty() ? "" : fmt::format("  [{}]", where)));
        }
        rows_.clear();
    }

 private:
    static std::string spaced(std::string_view name) {
        std::string out(name);
        std::replace(out.begin(), out.end(), '_', ' ');
        return out;
    }
    std::vector<std::string>& row(const Provenance& from) {
        for (Row& r : rows_)
            if (r.from == from) return r.values;
        return rows_.emplace_back(Row{from, {}}).values;
    }

    Page& page_;
    std::size_t indent_;
    std::string head_;
    bool head_done_ = false;
    Provenance from_;
    std::vector<Row> rows_;
};

struct Section {
    std::string_view list, title, element;
};
constexpr std::array sections{
    Section{"disks", "Disks", "disk"},
    Section{"tables", "Partition tables", "table of"},
    Section{"partitions", "Partitions", "partition"},
    Section{"volumes", "Sets and volumes", "volume"},
    Section{"filesystems", "File systems", "file system on"},
    Section{"mounts", "Mounts", "mount"},
    Section{"fstab", "fstab", "entry"},
    Section{"exports", "NFS exports", "export"},
    Section{"swap", "Swap", "swap on"},
    Section{"io_traces", "I/O measured", "trace of"},
    Section{"timings", "Commands timed", "timing"},
    Section{"throughputs", "Rates measured", "rate"},
    Section{"journal_rates", "Journals", "journal of"},
    Section{"events", "Said by kernel or tools", "event"},
    Section{"damages", "Damaged places", "damage"},
};

/// Walks HostFacts itself.
struct HostWriter {
    Page& page;

    template <class T>
    void list(std::string_view name, const std::vector<T>& elements) {
        if (elements.empty()) return;
        const auto section =
            std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.list == name; });
        const bool known = section != sections.end();
        title(known ? section->title : name);
        for (const T& element : elements) {
            ElementWriter writer(page, 2, known ? section->element : name);
            T::visit(element, writer);
            writer.flush();
        }
    }
    template <class T>
    void object(std::string_view, const T& element) {
        if (element == T{}) return;
        page.blank();
        ElementWriter writer(page, 0, "System");
        T::visit(element, writer);
        writer.flush();
    }
    void map(std::string_view, const std::map<std::string, Text>& values) {
        if (values.empty()) return;
        title("Kernel variables");
        for (const auto& [name, value] : values)
            if (value)
                page.paragraph(
                    2, fmt::format("{} = {}  [{}]", escaped(name), escaped(*value), place(value.from())));
    }
    void title(std::string_view text) {
        page.blank();
        page.line(0, page.coloured(text, Colour::bold));
    }
};

}  // namespace

void write_show(Page& page, const HostReport& host) {
    page.paragraph(0, host_headline(host) + not_looked_at(host));
    write_stack(page, host.facts);
    HostFacts::visit(host.facts, HostWriter{page});
    write_conflicts(page, host.facts);
    write_unparsed(page, host.facts, host.facts.unparsed.size());
}

}  // namespace diskwright
