// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/nvlist.hpp"

#include "probes/support/byte_reader.hpp"

namespace diskwright {
namespace {

constexpr std::uint32_t type_uint64 = 8, type_string = 9, type_nvlist = 19, type_nvlist_array = 20;
constexpr int deepest = 8;
constexpr std::size_t most_pairs = 4096;  // of all lists together

class Reader {
 public:
    explicit Reader(std::span<const std::byte> bytes) : reader_(bytes, ByteOrder::big) {}

    // Encoding XDR (1), byte order, two bytes unused.
    bool header() {
        at_ = 4;
        return reader_.u8(0) == 1;
    }

    // Version, flags, pairs, and a pair of size zero at the end.
    std::optional<NvList> list(int depth) {
        if (depth > deepest || !word() || !word()) return std::nullopt;
        NvList out;
        for (;;) {
            const std::size_t start = at_;
            const auto encoded = word(), decoded = word();
            if (!encoded || !decoded) return std::nullopt;
            if (*encoded == 0 && *decoded == 0) return out;
            if (++pairs_ > most_pairs || *encoded < 8 || *encoded > reader_.size() - start)
                return std::nullopt;
            if (!pair(out, depth)) return std::nullopt;
            // Lists are not counted in the size of the pair that holds them before they are read.
            if (at_ > start + *encoded) return std::nullopt;
            at_ = start + *encoded;
        }
    }

 private:
    std::optional<std::uint32_t> word() {
        const auto value = reader_.u32(at_);
        if (value) at_ += 4;
        return value;
    }
    std::optional<std::string> text() {
        const auto length = word();
        if (!length) return std::nullopt;
        auto value = reader_.text(at_, *length);
        if (value) at_ += (std::size_t{*length} + 3) / 4 * 4;
        return value;
    }
    bool pair(NvList& out, int depth) {
        const auto name = text();
        const auto type = word(), count = word();
        if (!name || !type || !count) return false;
        if (*type == type_uint64) {
            const auto value = reader_.u64(at_);
            if (value) out.numbers[*name] = *value;
            return value.has_value();
        }
        if (*type == type_string) {
            const auto value = text();
            if (value) out.texts[*name] = *value;
            return value.has_value();
        }
        if (*type != type_nvlist && *type != type_nvlist_array) return true;
        auto& lists = out.lists[*name];
        for (std::uint32_t i = 0; i < (*type == type_nvlist ? 1 : *count); ++i) {
            auto one = list(depth + 1);
            if (!one) return false;
            lists.push_back(std::move(*one));
        }
        return true;
    }

    ByteReader reader_;
    std::size_t at_ = 0, pairs_ = 0;
};

}  // namespace

std::optional<std::uint64_t> NvList::number(const std::string& name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string NvList::text(const std::string& name) const {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string{} : found->second;
}

std::optional<NvList> read_nvlist(std::span<const std::byte> bytes) {
    Reader reader(bytes);
    return reader.header() ? reader.list(0) : std::nullopt;
}

}  // namespace diskwright
