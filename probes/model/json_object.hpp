// SPDX-License-Identifier: BSD-2-Clause
// One JSON object of a file that people write, read key by key and strictly: what is of the wrong kind, and
// every key nobody asked for, is an error that names its path. The first error stays; reading on is harmless.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"

namespace diskwright {

class JsonObject {
 public:
    using Json = nlohmann::ordered_json;

    /// json must outlive the object. source: the file, for messages.
    JsonObject(const Json& json, std::string_view source);

    /// Nothing when the key is absent, or holds something else (then there is an error).
    std::optional<double> number(std::string_view key);
    std::optional<std::uint64_t> count(std::string_view key);
    std::optional<std::string> text(std::string_view key);
    std::optional<bool> flag(std::string_view key);
    /// One of these words.
    std::optional<std::string> word(std::string_view key, std::vector<std::string_view> allowed);
    /// Null when absent; any kind of value.
    const Json* any(std::string_view key);
    /// The elements; none when absent.
    std::vector<const Json*> list(std::string_view key);
    /// Nothing when absent.
    std::optional<JsonObject> object(std::string_view key);
    /// An element of list(key) as an object.
    JsonObject element(std::string_view key, std::size_t index, const Json& json);

    bool has(std::string_view key) const;
    /// "disks[0].model"; "" for the outermost object.
    const std::string& path() const { return path_; }
    /// Records "source: path.key: what" unless there is an error already. key may be "".
    void fail(std::string_view key, std::string_view what);
    /// Records every key that nobody asked for, with the nearest one that somebody did.
    void reject_unknown_keys();
    /// The first error of this object and all made from it; null when all is well.
    const Error* error() const { return *error_ ? &**error_ : nullptr; }

 private:
    JsonObject(const Json& json, std::string_view source, std::string path,
               std::shared_ptr<std::optional<Error>> error);
    std::string path_of(std::string_view key) const;

    const Json* json_;
    std::string source_, path_;
    std::vector<std::string> asked_;
    std::shared_ptr<std::optional<Error>> error_;
};

/// The text as JSON, in time that grows with its length alone; bad_data names the source and the byte where it
/// stops being JSON, a key that is twice in one object, or that it is nested deeper than 64.
Result<nlohmann::ordered_json> parse_json(std::string_view text, std::string_view source);

}  // namespace diskwright
