// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/json_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t deepest = 64;
constexpr double largest_exact = 9007199254740992;  // 2^53: what a double counts without gaps

// Builds a value as it is parsed. The parser of nlohmann/json takes the square of the number of keys to read
// an object in order, and depth without a bound.
class Builder {
 public:
    using Json = nlohmann::ordered_json;
    Json root;
    std::string fault = "not JSON";

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(std::int64_t value) { return put(value); }
    bool number_unsigned(std::uint64_t value) { return put(value); }
    bool number_float(double value, const std::string&) { return put(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(Json::binary_t&) { return false; }
    bool key(std::string& name) {
        key_ = std::move(name);
        return true;
    }
    bool start_object(std::size_t) { return open(Json::object()); }
    bool start_array(std::size_t) { return open(Json::array()); }
    bool end_object() { return !key_twice() && end_array(); }
    bool end_array() {
        open_.pop_back();
        return true;
    }
    template <class Exception>
    bool parse_error(std::size_t at, const std::string&, const Exception&) {
        fault = fmt::format("not JSON at byte {}", at);
        return false;
    }

 private:
    using Members = std::vector<Json::object_t::value_type>;

    bool put(Json value) { return placed(std::move(value)) != nullptr; }
    bool open(Json value) {
        if (open_.size() == deepest) {
            fault = fmt::format("nested deeper than {}", deepest);
            return false;
        }
        open_.push_back(placed(std::move(value)));
        return true;
    }
    // What is open does not move: only the innermost grows.
    Json* placed(Json value) {
        if (open_.empty()) return &(root = std::move(value));
        if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
        Members& members = open_.back()->get_ref<Json::object_t&>();
        return &members.emplace_back(std::move(key_), std::move(value)).second;
    }
    bool key_twice() {
        std::vector<std::string_view> names;
        for (const auto& [name, value] : open_.back()->get_ref<Json::object_t&>()) names.push_back(name);
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        if (twice == names.end()) return false;
        fault = fmt::format("the key '{}' is there twice in one object", twice->substr(0, 80));
        return true;
    }

    std::vector<Json*> open_;
    std::string key_;
};

}  // namespace

JsonObject::JsonObject(const Json& json, std::string_view source)
    : JsonObject(json, source, "", std::make_shared<std::optional<Error>>()) {}

JsonObject::JsonObject(const Json& json, std::string_view source, std::string path,
                       std::shared_ptr<std::optional<Error>> error)
    : json_(&json), source_(source), path_(std::move(path)), error_(std::move(error)) {
    if (!json.is_object()) fail("", "not an object");
}

std::string JsonObject::path_of(std::string_view key) const {
    if (path_.empty()) return std::string(key);
    return key.empty() ? path_ : fmt::format("{}.{}", path_, key);
}

void JsonObject::fail(std::string_view key, std::string_view what) {
    if (*error_) return;
    const std::string path = path_of(key);
    *error_ = Error{ErrorKind::bad_data,
                    escaped(fmt::format("{}: {}{}{}", source_, path, path.empty() ? "" : ": ", what))};
}

bool JsonObject::has(std::string_view key) const {
    return json_->is_object() && json_->contains(std::string(key));
}

const JsonObject::Json* JsonObject::any(std::string_view key) {
    asked_.emplace_back(key);
    if (!json_->is_object()) return nullptr;
    const auto at = json_->find(std::string(key));
    return at == json_->end() ? nullptr : &*at;
}

std::optional<double> JsonObject::number(std::string_view key) {
    const Json* value = any(key);
    if (!value) return std::nullopt;
    if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
    fail(key, "not a number");
    return std::nullopt;
}

std::optional<std::uint64_t> JsonObject::count(std::string_view key) {
    const Json* value = any(key);
    if (!value) return std::nullopt;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    if (value->is_number_float()) {  // 3e12 is how people write a size
        const auto number = value->get<double>();
        if (number >= 0 && number <= largest_exact && std::floor(number) == number)
            return static_cast<std::uint64_t>(number);
    }
    fail(key, "not a whole number of 0 or more");
    return std::nullopt;
}

std::optional<std::string> JsonObject::text(std::string_view key) {
    const Json* value = any(key);
    if (!value) return std::nullopt;
    if (value->is_string()) return value->get<std::string>();
    fail(key, "not a text");
    return std::nullopt;
}

std::optional<bool> JsonObject::flag(std::string_view key) {
    const Json* value = any(key);
    if (!value) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    fail(key, "neither true nor false");
    return std::nullopt;
}

std::optional<std::string> JsonObject::word(std::string_view key, std::vector<std::string_view> allowed) {
    const auto value = text(key);
    if (!value || std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return value;
    const auto near = nearest(*value, allowed);
    fail(key,
         near ? fmt::format("'{}' is none of {}; did you mean '{}'?", *value, fmt::join(allowed, ", "), *near)
              : fmt::format("'{}' is none of {}", *value, fmt::join(allowed, ", ")));
    return std::nullopt;
}

std::vector<const JsonObject::Json*> JsonObject::list(std::string_view key) {
    std::vector<const Json*> out;
    const Json* value = any(key);
    if (!value) return out;
    if (!value->is_array()) {
        fail(key, "not a list");
        return out;
    }
    for (const Json& element : *value) out.push_back(&element);
    return out;
}

std::optional<JsonObject> JsonObject::object(std::string_view key) {
    const Json* value = any(key);
    if (!value) return std::nullopt;
    return JsonObject(*value, source_, path_of(key), error_);
}

JsonObject JsonObject::element(std::string_view key, std::size_t index, const Json& json) {
    return JsonObject(json, source_, fmt::format("{}[{}]", path_of(key), index), error_);
}

void JsonObject::reject_unknown_keys() {
    if (!json_->is_object()) return;
    const std::vector<std::string_view> known(asked_.begin(), asked_.end());
    for (const auto& [key, value] : json_->items()) {
        if (*error_) return;
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        const auto near = nearest(key, known);
        fail(key, near ? fmt::format("unknown key; did you mean '{}'?", *near) : "unknown key");
    }
}

Result<nlohmann::ordered_json> parse_json(std::string_view text, std::string_view source) {
    Builder builder;
    if (Builder::Json::sax_parse(text, &builder)) return std::move(builder.root);
    return Error{ErrorKind::bad_data, fmt::format("{}: {}", escaped(source), escaped(builder.fault))};
}

}  // namespace diskwright
