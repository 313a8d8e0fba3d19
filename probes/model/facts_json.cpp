// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/facts_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>

#include "probes/model/json_object.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kind_names{"output", "prose",    "user",
                                                     "table",  "inferred", "device"};

std::string_view kind_name(Provenance::Kind kind) {
    return kind_names.at(static_cast<std::size_t>(kind));
}

template <class T>
Json plain(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return Json(std::string(to_string(value)));
    else if constexpr (std::is_same_v<T, std::string>)
        return Json(escaped(value));
    else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        Json list = Json::array();
        for (const auto& item : value) list.push_back(escaped(item));
        return list;
    } else
        return Json(value);
}

// ---- to JSON

// Appended, not looked up: an ordered object searches all its keys, and no key comes twice.
void append(Json& object, std::string_view name, Json value) {
    object.get_ref<Json::object_t&>().emplace_back(std::string(name), std::move(value));
}

constexpr std::size_t usual_keys = 16;

struct Writer {
    Json& out;
    bool with_provenance;
    Json origins = object_for(usual_keys);

    template <class T>
    void operator()(std::string_view name, const Known<T>& value) {
        if (!value.known()) return;
        if constexpr (std::is_same_v<T, std::string>)
            if (value->empty()) return;
        append(out, name, plain(*value));
        if (with_provenance && !value.from().empty()) append(origins, name, provenance_to_json(value.from()));
    }
    template <class T>
    void key(std::string_view name, const Known<T>& value) {
        (*this)(name, value);
    }
    void key(std::string_view name, const std::string& value) { text(name, value); }
    void text(std::string_view name, const std::string& value) {
        if (!value.empty()) append(out, name, escaped(value));
    }
    void optional(std::string_view name, const std::optional<double>& value) {
        if (value) append(out, name, *value);
    }
    void boolean(std::string_view name, bool value) { append(out, name, value); }
    template <class E>
    void enumeration(std::string_view name, E value) {
        append(out, name, std::string(to_string(value)));
    }
    void provenance(const Provenance& from) {
        if (with_provenance && !from.empty()) out["provenance"] = provenance_to_json(from);
    }
    template <class T>
    void list(std::string_view name, const std::vector<T>& list) {
        Json array = Json::array();
        for (const T& element : list) array.push_back(element_json(element));
        append(out, name, std::move(array));
    }
    template <class T>
    void object(std::string_view name, const T& element) {
        append(out, name, element_json(element));
    }
    void map(std::string_view name, const std::map<std::string, Text>& values) {
        std::map<std::string, std::string> printable;
        for (const auto& [key, value] : values)
            if (value.known()) printable.emplace(escaped(key), escaped(*value));
        Json object = Json::object();
        for (auto& [key, value] : printable) append(object, key, Json(std::move(value)));
        append(out, name, std::move(object));
    }
    template <class T>
    Json element_json(const T& element) const;
};

template <class T>
Json Writer::element_json(const T& element) const {
    Json object = object_for(std::is_same_v<T, HostFacts> ? 2 * usual_keys : usual_keys);
    Writer inner{object, with_provenance};
    T::visit(element, inner);
    if (!inner.origins.empty()) object["provenance"] = std::move(inner.origins);
    return object;
}

// ---- from JSON

struct BadJson {
    std::string message;
};

struct Reader {
    const Json& in;
    std::string path;
    std::string_view source;
    std::set<std::string> seen = {"provenance"};

    const Json* find(std::string_view name) {
        seen.insert(std::string(name));
        const auto at = in.find(std::string(name));
        return at == in.end() ? nullptr : &*at;
    }
    std::string at(std::string_view name) const {
        return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    }

    static Provenance read_provenance(const Json& json, std::string text) {
        const std::string source = json.value("source", std::string{});
        const auto kind = json.value("kind", std::string("output"));
        std::size_t k = 0;
        while (k + 1 < kind_names.size() && kind_names[k] != kind) ++k;
        return Provenance(source, json.value("line", 0U), json.value("text", std::move(text)),
                          static_cast<Provenance::Kind>(k));
    }
    Provenance from(std::string_view name, const Json& value) const {
        const auto all = in.find("provenance");
        if (all != in.end() && all->is_object()) {
            const auto mine = all->find(std::string(name));
            if (mine != all->end() && mine->is_object()) return read_provenance(*mine, {});
        }
        return Provenance(std::string(source), 0, fmt::format("{}: {}", at(name), value.dump()));
    }

    template <class T>
    T plain_from(std::string_view name, const Json& value) const {
        const auto wrong = [&](std::string_view wanted) {
            return BadJson{fmt::format("{}: {}: expected {}, found {}", source, at(name), wanted,
                                       value.dump().substr(0, 60))};
        };
        if constexpr (std::is_enum_v<T>) {
            if (value.is_string())
                if (const auto e = from_string<T>(value.get_ref<const std::string&>())) return *e;
            std::string names;
            for (const auto n : EnumNames<T>::names)
                names += fmt::format("{}{}", names.empty() ? "" : "|", n);
            throw wrong(names);
        } else if constexpr (std::is_same_v<T, std::string>) {
            if (!value.is_string()) throw wrong("a string");
            return value.get<std::string>();
        } else if constexpr (std::is_same_v<T, bool>) {
            if (!value.is_boolean()) throw wrong("true or false");
            return value.get<bool>();
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            const bool negative = value.is_number_integer() && !value.is_number_unsigned() &&
                                  value.template get<std::int64_t>() < 0;
            if (!value.is_number_integer() || negative) throw wrong("a whole number, not negative");
            return value.get<std::uint64_t>();
        } else if constexpr (std::is_same_v<T, double>) {
            if (!value.is_number()) throw wrong("a number");
            return value.get<double>();
        } else {
            if (!value.is_array()) throw wrong("a list of strings");
            T list;
            for (const auto& item : value) {
                if (!item.is_string()) throw wrong("a list of strings");
                list.push_back(item.get<std::string>());
            }
            return list;
        }
    }

    template <class T>
    void operator()(std::string_view name, Known<T>& value) {
        if (const Json* json = find(name)) value = Known<T>(plain_from<T>(name, *json), from(name, *json));
    }
    template <class T>
    void key(std::string_view name, Known<T>& value) {
        (*this)(name, value);
    }
    void key(std::string_view name, std::string& value) { text(name, value); }
    void text(std::string_view name, std::string& value) {
        if (const Json* json = find(name)) value = plain_from<std::string>(name, *json);
    }
    void optional(std::string_view name, std::optional<double>& value) {
        if (const Json* json = find(name)) value = plain_from<double>(name, *json);
    }
    void boolean(std::string_view name, bool& value) {
        if (const Json* json = find(name)) value = plain_from<bool>(name, *json);
    }
    template <class E>
    void enumeration(std::string_view name, E& value) {
        if (const Json* json = find(name)) value = plain_from<E>(name, *json);
    }
    void provenance(Provenance& record) {
        const auto at_key = in.find("provenance");
        record = at_key != in.end() && at_key->is_object() ? read_provenance(*at_key, {})
                                                           : Provenance(std::string(source), 0, in.dump());
    }
    template <class T>
    void list(std::string_view name, std::vector<T>& list) {
        const Json* json = find(name);
        if (!json) return;
        if (!json->is_array()) throw BadJson{fmt::format("{}: {}: expected a list", source, at(name))};
        for (std::size_t i = 0; i < json->size(); ++i) {
            T element;
            read_element((*json)[i], fmt::format("{}[{}]", at(name), i), element);
            list.push_back(std::move(element));
        }
    }
    template <class T>
    void object(std::string_view name, T& element) {
        if (const Json* json = find(name)) read_element(*json, at(name), element);
    }
    void map(std::string_view name, std::map<std::string, Text>& values) {
        const Json* json = find(name);
        if (!json) return;
        if (!json->is_object()) throw BadJson{fmt::format("{}: {}: expected an object", source, at(name))};
        for (const auto& [key, value] : json->items())
            values[key] = Text(plain_from<std::string>(name, value),
                               Provenance(std::string(source), 0, fmt::format("{} = {}", key, value.dump())));
    }
    template <class T>
    void read_element(const Json& json, const std::string& where, T& element) const {
        if (!json.is_object()) throw BadJson{fmt::format("{}: {}: expected an object", source, where)};
        Reader inner{json, where, source};
        T::visit(element, inner);
        for (const auto& [key, value] : json.items())
            if (!inner.seen.contains(key))
                throw BadJson{fmt::format("{}: {}: unknown key", source,
                                          where.empty() ? key : fmt::format("{}.{}", where, key))};
    }
};

// ---- schema

struct SchemaWriter {
    Json& properties;
    bool has_provenance = false;

    template <class T>
    static Json type_of() {
        if constexpr (std::is_enum_v<T>) {
            Json names = Json::array();
            for (const auto n : EnumNames<T>::names) names.push_back(std::string(n));
            return Json{{"enum", std::move(names)}};
        } else if constexpr (std::is_same_v<T, std::string>) {
            return Json{{"type", "string"}, {"minLength", 1}};
        } else if constexpr (std::is_same_v<T, bool>) {
            return Json{{"type", "boolean"}};
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            return Json{{"type", "integer"}, {"minimum", 0}};
        } else if constexpr (std::is_same_v<T, double>) {
            return Json{{"type", "number"}};
        } else {
            return Json{{"type", "array"}, {"items", {{"type", "string"}}}};
        }
    }
    template <class T>
    void operator()(std::string_view name, const Known<T>&) {
        properties[std::string(name)] = type_of<T>();
    }
    template <class T>
    void key(std::string_view name, const Known<T>&) {
        properties[std::string(name)] = type_of<T>();
    }
    void key(std::string_view name, const std::string&) {
        properties[std::string(name)] = type_of<std::string>();
    }
    void text(std::string_view name, const std::string&) {
        properties[std::string(name)] = type_of<std::string>();
    }
    void optional(std::string_view name, const std::optional<double>&) {
        properties[std::string(name)] = type_of<double>();
    }
    void boolean(std::string_view name, bool) { properties[std::string(name)] = type_of<bool>(); }
    template <class E>
    void enumeration(std::string_view name, E) {
        properties[std::string(name)] = type_of<E>();
    }
    void provenance(const Provenance&) { has_provenance = true; }
    template <class T>
    void list(std::string_view name, const std::vector<T>&) {
        properties[std::string(name)] = Json{{"type", "array"}, {"items", element_schema<T>()}};
    }
    template <class T>
    void object(std::string_view name, const T&) {
        properties[std::string(name)] = element_schema<T>();
    }
    void map(std::string_view name, const std::map<std::string, Text>&) {
        properties[std::string(name)] =
            Json{{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    }
    template <class T>
    static Json element_schema() {
        Json inner = Json::object();
        SchemaWriter writer{inner};
        const T element;
        T::visit(element, writer);
        inner["provenance"] = Json{{"type", "object"}};
        return Json{{"type", "object"}, {"properties", std::move(inner)}, {"additionalProperties", false}};
    }
};

}  // namespace

Json provenance_to_json(const Provenance& from) {
    Json out = Json::object();
    if (!from.source().empty()) out["source"] = escaped(from.source());
    if (from.line()) out["line"] = from.line();
    out["kind"] = std::string(kind_name(from.kind()));
    return out;
}

Json object_for(std::size_t keys) {
    Json object = Json::object();
    object.get_ref<Json::object_t&>().reserve(keys);
    return object;
}

Json facts_to_json(const HostFacts& facts, bool with_provenance) {
    Json unused;
    return Writer{unused, with_provenance}.element_json(facts);
}

Result<HostFacts> facts_from_json(const Json& json, std::string_view source) {
    HostFacts facts;
    try {
        Json unused;
        Reader{unused, {}, source}.read_element(json, {}, facts);
    } catch (const BadJson& bad) {
        return Error{ErrorKind::bad_data, bad.message};
    } catch (const Json::exception& bad) {
        return Error{ErrorKind::bad_data, fmt::format("{}: {}", source, bad.what())};
    }
    return facts;
}

Result<HostFacts> facts_from_text(std::string_view text, std::string_view source) {
    const auto json = parse_json(text, source);
    return json ? facts_from_json(*json, source) : Result<HostFacts>(json.error());
}

Json facts_schema() {
    return SchemaWriter::element_schema<HostFacts>();
}

std::string value_text(const Text& value) {
    return *value;
}
std::string value_text(const Number& value) {
    return fmt::format("{}", *value);
}
std::string value_text(const Real& value) {
    return fmt::format("{}", *value);
}
std::string value_text(const Flag& value) {
    return *value ? "true" : "false";
}
std::string value_text(const TextList& value) {
    return fmt::format("[{}]", fmt::join(*value, ", "));
}

}  // namespace diskwright
