// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advisor/reports/prediction_report.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json superblock_json(const PredictedSuperblock& fs) {
    Json out = {{"type", fs.ufs2 ? "ffs2" : "ffs1"},
                {"bsize", fs.bsize},
                {"fsize", fs.fsize},
                {"size_bytes", fs.size_bytes()},
                {"ncg", fs.groups},
                {"ipg", fs.group_inodes},
                {"fpg", fs.group_frags},
                {"minfree_percent", fs.minfree_percent},
                {"optimization", fs.space ? "space" : "time"},
                {"maxbpg", fs.maxbpg},
                {"maxcontig", fs.maxcontig},
                {"avgfilesize", fs.avgfilesize},
                {"avgfpdir", fs.avgfpdir},
                {"softupdates", fs.softupdates},
                {"su_journal", fs.su_journal},
                {"trim", fs.trim},
                {"inodes", fs.inodes()}};
    if (fs.gjournal) out["gjournal"] = true;
    if (fs.multilabel) out["multilabel"] = true;
    if (!fs.label.empty()) out["label"] = escaped(fs.label);
    if (fs.sector_bytes) out["sector_bytes"] = *fs.sector_bytes;
    if (fs.metaspace) out["metaspace"] = *fs.metaspace;
    return out;
}

Json array_json(const PredictedArray& set) {
    Json out = {{"level", std::string(1, set.level)},
                {"columns", set.columns},
                {"spares", set.spares},
                {"sector_bytes", set.sector_bytes}};
    if (set.stripe_unit_sectors != 0) out["stripe_unit_bytes"] = set.stripe_unit_sectors * set.sector_bytes;
    if (set.sectors) {
        out["sectors"] = *set.sectors;
        out["size_bytes"] = *set.sectors * set.sector_bytes;
    }
    Json& components = out["components"] = Json::array();
    for (const std::string& name : set.components) components.push_back(escaped(name));
    return out;
}

Json changes_json(const std::vector<FieldChange>& changes) {
    Json out = Json::object();
    for (const FieldChange& change : changes) {
        const auto value = [&](const std::string& text) {
            return change.number ? Json::parse(text) : Json(escaped(text));
        };
        out[change.field] =
            Json::array({change.before ? value(*change.before) : Json(nullptr), value(change.after)});
    }
    return out;
}

}  // namespace

std::string render_prediction_json(const ToolRelease& release, const Prediction& prediction) {
    Json json = {{"accepted", prediction.accepted},
                 {"verified", prediction.verified},
                 {"os", release_name(release)},
                 {"compared_with", prediction.compared_with}};
    if (!prediction.accepted) {
        json["reason"] = prediction.reason;
        json["exit"] = prediction.exit_status;
    }
    if (prediction.accepted && prediction.superblock)
        json["superblock"] = superblock_json(*prediction.superblock);
    if (prediction.accepted && prediction.array) json["array"] = array_json(*prediction.array);
    if (prediction.accepted && prediction.changes) json["changed"] = changes_json(*prediction.changes);
    json["warnings"] = prediction.warnings;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace diskwright
