// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "probes/capture/device_facts.hpp"
#include "probes/capture/manifest_devices.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/safe_name.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "diskwright-capture";
constexpr std::uint64_t format_version = 1;
constexpr std::size_t longest_words = 60;
constexpr std::size_t largest_manifest = std::size_t{16} << 20;
constexpr std::size_t most_devices = 4096;

struct Member {
    std::string file;
    std::vector<std::string> argv;
    CommandRun run;
};

std::string folder_of(std::string_view path) {
    const auto slash = path.rfind('/');
    return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
}

bool is_manifest(const Document& document) {
    return document.name.substr(folder_of(document.name).size()) == manifest_name &&
           contains(document.bytes, format_name);
}

std::vector<std::string> string_list(JsonObject& object, std::string_view key) {
    std::vector<std::string> out;
    for (const Json* word : object.list(key)) {
        if (!word->is_string()) {
            object.fail(key, "not a list of strings");
            return {};
        }
        out.push_back(word->get<std::string>());
    }
    return out;
}

Result<Member> read_member(const Json& json, const std::string& where) {
    JsonObject object(json, where);
    Member member;
    member.file = object.text("file").value_or("");
    member.argv = string_list(object, "argv");
    if (const auto status = object.count("exit_status"))
        member.run.exit_status = static_cast<int>(std::min<std::uint64_t>(*status, 255));
    member.run.seconds = object.number("seconds").value_or(0);
    member.run.timed_out = object.flag("timed_out").value_or(false);
    member.run.cut = object.flag("cut").value_or(false);
    if (member.file.empty()) object.fail("file", "missing");
    if (member.argv.empty() || member.argv.front().empty()) object.fail("argv", "missing");
    if (object.error()) return *object.error();
    return member;
}

CaptureInfo read_info(JsonObject& object) {
    CaptureInfo info;
    if (auto tool = object.object("tool")) info.tool_version = tool->text("version").value_or("");
    info.collected = object.text("collected").value_or("");
    info.host = object.text("host").value_or("");
    if (auto os = object.object("os")) {
        info.system = os->text("name").value_or("");
        info.release = os->text("release").value_or("");
    }
    info.root = object.flag("root").value_or(false);
    info.scrubbed = object.flag("scrubbed").value_or(false);
    return info;
}

// One manifest and the documents beside it.
class ManifestReader {
 public:
    ManifestReader(Capture& capture, const Document& manifest, bool only_one)
        : capture_(capture), source_(manifest.name), folder_(folder_of(manifest.name)), only_one_(only_one) {}

    Result<bool> read(const std::string& text) {
        if (text.size() > largest_manifest)
            return without(fmt::format("larger than {}", human_size(largest_manifest)));
        const auto json = parse_json(text, manifest_name);
        if (!json) return without(said(json.error()));
        JsonObject object(*json, manifest_name);
        const auto format = object.text("format");
        const auto version = object.count("format_version");
        if (object.error()) return without(said(*object.error()));
        if (format != format_name || !version) return without("does not say which format it has");
        if (*version > format_version)
            return Error{ErrorKind::bad_data,
                         fmt::format("{}: format version {}; this program reads version {}", escaped(source_),
                                     *version, format_version)};
        if (only_one_) capture_.info = read_info(object);
        for (std::size_t i = 0; i < capture_.documents.size(); ++i)
            if (!capture_.documents[i].name.empty()) at_.emplace(capture_.documents[i].name, i);
        take_members(object);
        take_devices(object);
        take_device_facts(object);
        take_left_out(object);
        if (object.error()) note(said(*object.error()));
        return true;
    }

    std::vector<Document> taken;

 private:
    void take_members(JsonObject& object) {
        const auto members = object.list("members");
        for (std::size_t i = 0; i < members.size(); ++i) {
            auto member = read_member(*members[i], fmt::format("members[{}]", i));
            if (!member) {
                note(member.error().message);
                continue;
            }
            auto document = take(member->file);
            if (!document) continue;
            if (only_one_) document->name = member->file;
            document->argv = std::move(member->argv);
            document->run = member->run;
            taken.push_back(std::move(*document));
        }
    }

    void take_devices(JsonObject& object) {
        const auto devices = object.list("devices");
        std::set<std::string> seen;
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (i == most_devices) return note(fmt::format("devices: more than {}", most_devices));
            const std::string where = fmt::format("devices[{}]", i);
            auto device = read_device_entry(*devices[i], where);
            if (!device) {
                note(device.error().message);
                continue;
            }
            if (!seen.insert(device->regions.device).second) {
                note(fmt::format("{}: {} a second time", where, escaped(device->regions.device)));
                continue;
            }
            if (const auto done = take_device(std::move(*device)); !done)
                note(fmt::format("{}: {}", where, done.error().message));
        }
    }

    Result<bool> take_device(StoredDevice device) {
        std::string bytes;
        if (!device.file.empty()) {
            auto document = take(device.file);
            if (document) bytes = std::move(document->bytes);
        }
        if (const auto wrong = take_bytes(device.regions, std::move(bytes)); !wrong.empty())
            note(fmt::format("{}: {}", escaped(device.regions.device), wrong));
        auto source = RegionSource::make(std::move(device.regions));
        if (!source) return source.error();
        capture_.images.push_back(std::move(*source));
        return true;
    }

    void take_device_facts(JsonObject& object) {
        const auto file = object.text("device_facts");
        if (!file) return;
        const auto document = take(*file);
        if (!document) return;
        std::vector<std::string> left_out;
        auto facts = read_device_facts(document->bytes, *file, left_out);
        if (!facts) return note(escaped(facts.error().message));
        for (const auto& what : left_out) note(escaped(what));
        if (capture_.device_facts)
            merge(*capture_.device_facts, std::move(*facts));
        else
            capture_.device_facts = std::move(*facts);
    }

    // The document of that file; one that another entry has taken is not there.
    std::optional<Document> take(const std::string& file) {
        const auto found = at_.find(folder_ + file);
        if (found == at_.end()) {
            // What is no text was put among the images, and is reported there.
            const auto is_it = [&](const auto& image) {
                return image->name() == std::filesystem::path(file).stem().string();
            };
            if (std::any_of(capture_.images.begin(), capture_.images.end(), is_it)) return std::nullopt;
            note(fmt::format("names {}, which is not in the capture", escaped(file)));
            return std::nullopt;
        }
        Document document = std::exchange(capture_.documents[found->second], {});
        at_.erase(found);
        return document;
    }

    void take_left_out(JsonObject& object) {
        for (const Json* row : object.list("left_out")) {
            JsonObject left_out(*row, "left_out");
            const auto what = left_out.text("what"), why = left_out.text("why");
            if (left_out.error() || !what || !why)
                note("left_out: expected objects with what and why");
            else
                capture_.notes.push_back(fmt::format("{}: {}", escaped(*what), escaped(*why)));
        }
    }

    // The source stands before it in every note.
    static std::string said(const Error& error) {
        const std::string prefix = std::string(manifest_name) + ": ";
        return error.message.starts_with(prefix) ? error.message.substr(prefix.size()) : error.message;
    }
    Result<bool> without(std::string_view why) {
        note(fmt::format("{}; the files are read without it, by their form", why));
        return true;
    }
    void note(std::string_view what) {
        capture_.notes.push_back(fmt::format("{}: {}", escaped(source_), what));
    }

    Capture& capture_;
    std::string source_, folder_;
    bool only_one_;
    std::map<std::string, std::size_t, std::less<>> at_;  // documents not yet taken, by name
};

}  // namespace

std::string member_file_name(std::size_t number, const std::vector<std::string>& argv,
                             std::string_view suffix) {
    std::string words;
    for (const auto& word : argv) words += (words.empty() ? "" : "_") + word;
    for (char& c : words)
        if (!is_plain_character(c) || c == '/' || c == ':') c = '_';
    words.resize(std::min(words.size(), longest_words));
    return fmt::format("{:03}-{}{}", number, words, suffix);
}

std::vector<const RegionSource*> collected_devices(const Capture& capture) {
    std::vector<const RegionSource*> out;
    for (const auto& image : capture.images)
        if (const auto* device = dynamic_cast<const RegionSource*>(image.get())) out.push_back(device);
    return out;
}

std::string manifest_text(const CaptureInfo& info, const Capture& capture,
                          const std::vector<std::string>& files) {
    Json json;
    json["format"] = format_name;
    json["format_version"] = format_version;
    json["tool"] = {{"name", "diskwright"}, {"version", info.tool_version}};
    json["collected"] = info.collected;
    json["host"] = info.host;
    json["os"] = {{"name", info.system}, {"release", info.release}};
    json["root"] = info.root;
    json["scrubbed"] = info.scrubbed;
    json["members"] = Json::array();
    for (std::size_t i = 0; i < capture.documents.size(); ++i) {
        const Document& document = capture.documents[i];
        const CommandRun run = document.run.value_or(CommandRun{});
        json["members"].push_back({{"file", files.at(i)},
                                   {"argv", document.argv},
                                   {"exit_status", run.exit_status},
                                   {"seconds", run.seconds},
                                   {"timed_out", run.timed_out},
                                   {"cut", run.cut}});
    }
    std::size_t next = capture.documents.size();
    if (const auto devices = collected_devices(capture); !devices.empty()) {
        json["devices"] = Json::array();
        for (const RegionSource* device : devices)
            json["devices"].push_back(device_entry(device->regions(), files.at(next++)));
    }
    if (capture.device_facts) json["device_facts"] = files.at(next);
    json["left_out"] = Json::array();
    for (const auto& note : capture.notes) {
        const auto colon = std::min(note.find(": "), note.size());
        json["left_out"].push_back(
            {{"what", note.substr(0, colon)}, {"why", note.substr(std::min(colon + 2, note.size()))}});
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<bool> apply_manifests(Capture& capture) {
    std::vector<Document> manifests;
    for (Document& document : capture.documents)
        if (is_manifest(document)) manifests.push_back(std::move(document)), document = {};
    std::vector<Document> ordered;
    for (const Document& manifest : manifests) {
        ManifestReader reader(capture, manifest, manifests.size() == 1);
        const auto done = reader.read(manifest.bytes);
        if (!done) return done.error();
        std::move(reader.taken.begin(), reader.taken.end(), std::back_inserter(ordered));
    }
    std::erase_if(capture.documents, [&](const Document& document) {
        if (document.name.empty()) return true;
        if (!document.name.ends_with(regions_suffix)) return false;
        capture.notes.push_back(
            fmt::format("{}: no manifest tells where these bytes belong; left out", escaped(document.name)));
        return true;
    });
    std::move(capture.documents.begin(), capture.documents.end(), std::back_inserter(ordered));
    capture.documents = std::move(ordered);
    return true;
}

}  // namespace diskwright
