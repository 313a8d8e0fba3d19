// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/scrub.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "probes/capture/assemble.hpp"
#include "probes/capture/identities.hpp"
#include "probes/capture/identity_forms.hpp"
#include "probes/capture/identity_index.hpp"
#include "probes/capture/pseudonyms.hpp"
#include "probes/capture/secrets.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

class Scrubber {
 public:
    Scrubber(const std::vector<Identity>& identities, const ScrubKey& key)
        : index_(identities), pseudonyms_(key) {
        // In the order they were found, so that the same capture gives the same pseudonyms.
        for (const Identity& identity : identities) pseudonym(identity);
    }

    std::string text(std::string_view bytes) {
        std::string out;
        out.reserve(bytes.size());
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
            out += line(bytes.substr(at, end - at));
            if (end < bytes.size()) out += '\n';
            at = end + 1;
        }
        return out;
    }

    // Numbers stay numbers, whoever has one for a serial.
    void strings(nlohmann::ordered_json& json) {
        if (json.is_string()) json = line(json.get_ref<const std::string&>());
        if (json.is_structured())
            for (auto& item : json) strings(item);
    }

    std::string line(std::string_view original) {
        std::string out(original);
        for (const AddressSpan& span : addresses_in_line(original)) {
            const auto address = original.substr(span.first, span.last - span.first);
            out.replace(span.first, address.size(),
                        span.six ? pseudonyms_.ipv6(address) : pseudonyms_.ipv4(address));
        }
        for (std::size_t at = 0; at < original.size();) {
            const auto match =
                is_identity_character(original[at]) ? index_.match_at(original, at) : std::nullopt;
            if (!match) {
                ++at;
                continue;
            }
            const auto found = original.substr(at, match->length);
            out.replace(at, found.size(),
                        Pseudonyms::spelled(found, pseudonym(*match->identity), kind(*match->identity)));
            at += match->length;
        }
        return out;
    }

 private:
    static Pseudonyms::Kind kind(const Identity& identity) {
        return identity.kind == Identity::Kind::hex ? Pseudonyms::Kind::hex : Pseudonyms::Kind::word;
    }
    const std::string& pseudonym(const Identity& identity) {
        return pseudonyms_.of(canonical_identity(identity.text), kind(identity));
    }

    IdentityIndex index_;
    Pseudonyms pseudonyms_;
};

// Of the devices what was understood, and none of the bytes: they have names and numbers where no reader
// looks.
void keep_facts_alone(Capture& capture, Scrubber& scrubber) {
    if (capture.images.empty() && !capture.device_facts) return;
    const auto os = capture.info ? from_string<Os>(capture.info->system) : std::nullopt;
    const HostFacts known = facts_of_devices(capture, os);
    capture.images.clear();
    capture.device_facts.reset();
    auto json = facts_to_json(known, true);
    scrubber.strings(json);
    auto facts = facts_from_json(json, "device_facts");
    if (facts)
        capture.device_facts = std::move(*facts);
    else
        capture.notes.push_back("device facts: " + facts.error().message);
    for (const Unparsed& row : known.unparsed)
        capture.notes.push_back(scrubber.line(fmt::format("{}: {}", row.source, row.reason)));
}

}  // namespace

Result<ScrubKey> random_scrub_key() {
    ScrubKey key{};
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> source(std::fopen("/dev/urandom", "rb"),
                                                                 std::fclose);
    if (!source || std::fread(key.data(), 1, key.size(), source.get()) != key.size())
        return Error{ErrorKind::os_error, "/dev/urandom: no random numbers for the key"};
    return key;
}

Result<ScrubKey> parse_scrub_key(std::string_view digits) {
    ScrubKey key{};
    bool good = digits.size() == 2 * key.size();
    for (std::size_t i = 0; good && i < key.size(); ++i) {
        const auto pair = digits.substr(2 * i, 2);
        const auto value = to_hex(pair);
        good = value && pair.find_first_of("xX") == std::string_view::npos;
        if (good) key[i] = static_cast<std::uint8_t>(*value);
    }
    if (!good) return Error{ErrorKind::usage, "--scrub-key: expected 32 hexadecimal digits"};
    return key;
}

Capture scrubbed(Capture capture, const ScrubKey& key) {
    Scrubber scrubber(identities_of(capture), key);
    for (Document& document : capture.documents) {
        document.name = scrubber.line(document.name);
        document.bytes = scrubber.text(without_secrets(std::move(document.bytes)));
        for (auto& word : document.argv) word = scrubber.line(word);
    }
    for (auto& note : capture.notes) note = scrubber.line(note);
    keep_facts_alone(capture, scrubber);
    if (capture.info) {
        // Alone, as a tool prints it: a name too common to be replaced elsewhere is known by where it stands.
        const std::string_view before = "Linux ";
        capture.info->host = scrubber.line(std::string(before) + capture.info->host).substr(before.size());
        capture.info->scrubbed = true;
    }
    return capture;
}

}  // namespace diskwright
