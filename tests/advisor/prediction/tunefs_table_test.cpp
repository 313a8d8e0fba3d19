// SPDX-License-Identifier: BSD-2-Clause
// What real tunefs of the three systems changed and said, one command line a row, on a file system of 1 GiB
// as newfs with the row's options left it. NetBSD's worked on one that OpenBSD's newfs had made.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/prediction/prediction.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::json;

TunedFilesystem made_by(const ToolRelease& release, const std::vector<std::string>& newfs) {
    const auto made = predict_newfs(release, Medium{std::uint64_t{1} << 30}, newfs);
    EXPECT_TRUE(made.ok() && made.value().superblock);
    return tuned(release, *made.value().superblock);
}

Json changed(const Prediction& prediction) {
    Json out = Json::object();
    for (const FieldChange& change : *prediction.changes) {
        const auto value = [&](const std::string& text) {
            return change.number ? Json::parse(text) : Json(text);
        };
        out[change.field] =
            Json::array({change.before ? value(*change.before) : Json(), value(change.after)});
    }
    return out;
}

TEST(PredictTunefs, RealToolsTable) {
    std::istringstream rows(test::read_file(test::data_folder() / "prediction/tunefs.jsonl"));
    std::size_t count = 0;
    for (std::string line; std::getline(rows, line); ++count) {
        const Json row = Json::parse(line);
        SCOPED_TRACE(line);
        const auto release = tool_release(row["os"].get<std::string>());
        ASSERT_TRUE(release.ok());
        const auto maker = tool_release(release.value().os == Os::freebsd ? "freebsd-14" : "openbsd-7.6");
        const TunedFilesystem before = made_by(maker.value(), row["newfs"]);
        const auto prediction = predict_tunefs(release.value(), before, row["args"]);
        ASSERT_TRUE(prediction.ok());
        const Prediction& told = prediction.value();
        EXPECT_EQ(told.exit_status, row.value("exit", 0)) << told.reason;
        EXPECT_EQ(told.accepted, !row.contains("exit"));
        EXPECT_EQ(told.reason, row.value("reason", ""));
        if (row.contains("changed")) {
            ASSERT_TRUE(told.changes);
            EXPECT_EQ(changed(told), row["changed"]);
        }
        for (const Json& said : row.value("says", Json::array()))
            EXPECT_NE(std::find(told.warnings.begin(), told.warnings.end(), said), told.warnings.end())
                << said;
    }
    EXPECT_EQ(count, 46U);
}

TEST(PredictTunefs, WhatIsNotKnownIsSaid) {
    const auto release = tool_release("freebsd-14");
    const auto prediction =
        predict_tunefs(release.value(), TunedFilesystem{}, {"-m", "5", "-o", "space", "-k", "64"});
    ASSERT_TRUE(prediction.ok());
    const Json expected = {{"minfree", {nullptr, 5}}, {"optim", {nullptr, 1}}};
    EXPECT_EQ(changed(prediction.value()), expected);
    EXPECT_FALSE(prediction.value().warnings.empty());
}

TEST(PredictTunefs, UncleanIsRefusedSinceFreebsd13) {
    TunedFilesystem before;
    before.clean = false;
    for (const auto& [os, status] : {std::pair("freebsd-14", 1), std::pair("freebsd-12", 0)}) {
        const auto prediction = predict_tunefs(tool_release(os).value(), before, {"-m", "5"});
        ASSERT_TRUE(prediction.ok());
        EXPECT_EQ(prediction.value().exit_status, status) << os;
    }
}

}  // namespace
}  // namespace diskwright
