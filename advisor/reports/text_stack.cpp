// SPDX-License-Identifier: BSD-2-Clause
// What lies on what, as a tree: disks with their partitions, then sets with theirs; where each begins on the
// device below, and a ruler of the boundaries it begins on.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "advisor/reports/text.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t deepest = 16, components_shown = 32;

struct Step {
    std::string name;
    std::uint64_t bytes;
};

// On a striped set the boundaries that matter are its unit and its stripe.
std::vector<Step> steps_on(const StorageGraph& graph, const std::string& base) {
    std::vector<Step> out{{"512", 512}};
    const Volume* v = graph.volume(base);
    if (v && is_striped(*v) && v->stripe_unit_bytes.value_or(0) > 0) {
        out.push_back({"unit", *v->stripe_unit_bytes});
        if (const Number stripe = full_stripe_bytes(*v); stripe && *stripe != *v->stripe_unit_bytes)
            out.push_back({"stripe", *stripe});
        return out;
    }
    out.push_back({"4K", 4 * KiB}), out.push_back({"64K", 64 * KiB}), out.push_back({"1M", MiB});
    return out;
}

// "512 + 4K + 64K - 1M -": begins on such a boundary, or beside it.
std::string ruler(const StorageGraph& graph, const std::string& device) {
    const auto start = graph.start_on_base(device);
    if (!start.bytes) return {};
    std::string out;
    for (const Step& step : steps_on(graph, start.base))
        out += fmt::format("{}{} {}", out.empty() ? "" : " ", step.name,
                           *start.bytes % step.bytes == 0 ? '+' : '-');
    return out;
}

std::string set_words(const Volume& v) {
    std::string out = v.kind ? std::string(to_string(*v.kind)) : "volume";
    if (v.level) out += fmt::format(" level {}", to_string(*v.level));
    if (v.columns) out += fmt::format(", {} columns", *v.columns);
    if (v.stripe_unit_bytes) out += fmt::format(", unit {}", human_size(*v.stripe_unit_bytes));
    if (v.state) out += fmt::format(", {}", to_string(*v.state));
    return out;
}

class StackWriter {
 public:
    StackWriter(Page& page, const HostFacts& facts) : page_(page), facts_(facts), graph_(facts) {}

    void write() {
        if (facts_.partitions.empty() && facts_.volumes.empty()) return;
        page_.blank();
        page_.line(0, page_.coloured("Stack", Colour::bold));
        for (const Disk& d : facts_.disks) root(d.name, d.size_bytes, "disk");
        for (const Volume& v : facts_.volumes) {
            if (!root(v.name, v.size_bytes, set_words(v))) continue;
            components(v);
        }
        // Tables of devices that have no element of their own.
        for (const Partition& p : facts_.partitions)
            if (!p.parent.empty() && !graph_.partition(p.parent)) root(p.parent, {}, "device");
    }

 private:
    bool root(const std::string& name, const Number& size, const std::string& what) {
        if (!done_.insert(name).second) return false;
        page_.line(2, fmt::format("{}  {}{}{}", escaped(name), what, size ? ", " : "",
                                  size ? human_size(*size) : std::string{}));
        contents(name, 6);
        children(name, 4, 0);
        return true;
    }

    void children(const std::string& parent, std::size_t indent, std::size_t depth) {
        if (depth > deepest) return;
        std::vector<const Partition*> inside;
        for (const Partition& p : facts_.partitions)
            if (p.parent == parent) inside.push_back(&p);
        std::stable_sort(inside.begin(), inside.end(), [](const Partition* a, const Partition* b) {
            return a->start_bytes.value_or(0) < b->start_bytes.value_or(0);
        });
        for (const Partition* p : inside) {
            if (!done_.insert(p->name).second) continue;
            partition(*p, indent);
            contents(p->name, indent + 4);
            children(p->name, indent + 2, depth + 1);
        }
    }

    void partition(const Partition& p, std::size_t indent) {
        std::string text = fmt::format("{:<12}", escaped(p.name));
        text += p.start_bytes ? fmt::format("  at byte {}", *p.start_bytes) : std::string("  start unknown");
        if (p.size_bytes) text += fmt::format("  {}", human_size(*p.size_bytes));
        if (p.type) text += fmt::format("  {}", escaped(*p.type));
        if (const auto marks = ruler(graph_, p.name); !marks.empty()) text += fmt::format("  | {} |", marks);
        page_.line(indent, text);
    }

    void contents(const std::string& device, std::size_t indent) {
        if (const Filesystem* fs = graph_.filesystem(device)) {
            std::string text = fs->type ? escaped(*fs->type) : "file system";
            if (fs->bsize) text += fmt::format(", block {}", human_size(*fs->bsize));
            if (fs->fsize && !fs->fsize.is(fs->bsize.value_or(0)))
                text += fmt::format(", fragment {}", human_size(*fs->fsize));
            page_.line(indent, text);
        }
        if (const Volume* v = graph_.volume_with_component(device); v && v->name != device)
            page_.line(indent, fmt::format("component of {}", escaped(v->name)));
    }

    void components(const Volume& v) {
        std::size_t shown = 0;
        for (const Component& c : v.components) {
            if (++shown > components_shown) {
                page_.line(6, fmt::format("and {} more components", v.components.size() - components_shown));
                return;
            }
            std::string text = c.name.empty() ? "(missing)" : escaped(c.name);
            if (c.slot) text = fmt::format("{}: {}", *c.slot, text);
            if (c.state) text += fmt::format(", {}", to_string(*c.state));
            if (const Number reserved = reserved_bytes(v, c); reserved && !c.name.empty())
                text += fmt::format(", data from {}", human_size(*reserved));
            page_.line(6, text);
        }
    }

    Page& page_;
    const HostFacts& facts_;
    StorageGraph graph_;
    std::set<std::string> done_;
};

}  // namespace

void write_stack(Page& page, const HostFacts& facts) {
    StackWriter(page, facts).write();
}

}  // namespace diskwright
