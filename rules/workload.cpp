// SPDX-License-Identifier: BSD-2-Clause
#include "rules/workload.hpp"

#include <algorithm>
#include <array>

namespace diskwright {
namespace {

constexpr WorkloadWord word(std::string_view name, std::string_view traits) {
    const auto has = [&](char trait) { return traits.find(trait) != std::string_view::npos; };
    return {name, has('w'), has('c'), has('f'), has('s')};
}

// w: small writes, c: commits often, f: small files, s: sequential.
constexpr std::array words{
    word("general", ""),      word("fileserver", ""), word("mail", "wcf"),    word("source-control", "wcf"),
    word("build", "wcf"),     word("database", "wc"), word("media", "s"),     word("backup", "s"),
    word("vm", "w"),

    word("news", "wcf"),      word("nfs", "wc"),      word("source", "f"),    word("streaming", "s"),
    word("video", "s"),       word("web", "wf"),

    word("mkdir", "w"),       word("rm", "w"),        word("seqread", "s"),   word("seqwrite", "s"),
    word("svnupdate", "wcf"), word("touch", "wc"),    word("touchrm", "wcf"), word("tree", "wf"),
    word("untar", "wcf"),
};
static_assert(words[general_workloads - 1].name == "vm");

}  // namespace

std::span<const WorkloadWord> workload_words() {
    return words;
}

const WorkloadWord* find_workload(std::string_view name) {
    const auto at =
        std::find_if(words.begin(), words.end(), [&](const WorkloadWord& w) { return w.name == name; });
    return at == words.end() ? nullptr : &*at;
}

}  // namespace diskwright
