// SPDX-License-Identifier: BSD-2-Clause
// CRYPT001: an encryption layer that works in 512-byte sectors on a disk of larger ones.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Volume& v : context.host.volumes) {
        if (!v.crypto_format || !v.crypto_sector_bytes) continue;
        const bool luks2 = iequals(*v.crypto_format, "LUKS2");
        if (!luks2 && !iequals(*v.crypto_format, "geli")) continue;  // the others have no choice
        const auto medium = context.graph.medium(v.name);
        if (*v.crypto_sector_bytes >= 4096) continue;
        if (!medium.physical_sector_bytes) {
            std::vector<std::string> missing;
            for (const auto& disk : context.graph.disks_under(v.name))
                missing.push_back(context.host.is(Os::linux_)
                                      ? fmt::format("lsblk -o NAME,LOG-SEC,PHY-SEC /dev/{}", disk)
                                      : fmt::format("diskinfo -v {}", disk));
            if (!missing.empty()) out.skip(v.name, std::move(missing));
            continue;
        }
        if (*v.crypto_sector_bytes >= *medium.physical_sector_bytes) continue;
        // A header read from the device itself does not say what the open layer is called.
        const bool nameless = v.components.size() == 1 &&
                              v.name == fmt::format("luks-{}", device_name(v.components.front().name));
        out.report(nameless ? v.components.front().name : v.name)
            .message(fmt::format("encrypts in sectors of {} bytes on physical sectors of {}",
                                 *v.crypto_sector_bytes, *medium.physical_sector_bytes))
            .evidence(v.crypto_sector_bytes)
            .evidence(medium.physical_sector_bytes)
            .change(Setting::crypto_sector, v.name, *medium.physical_sector_bytes)
            .note(luks2 ? "a file system with blocks below 4096 bytes would not mount afterwards; back up "
                          "before the conversion"
                        : "geli init writes new keys and loses what is on the provider: save it, geli init "
                          "-s 4096, restore");
    }
}

}  // namespace

extern const Rule disk_crypto_sector_below_physical;
const Rule disk_crypto_sector_below_physical{
    {.code = "CRYPT001",
     .slug = "crypto-sector-below-physical",
     .severity = Severity::notice,
     .impact = 1.2,
     .summary = "an encryption layer works in 512-byte sectors on larger physical ones",
     .why = "Every sector is encrypted by itself, with its own initial vector. Eight 512-byte sectors cost "
            "more set-up than one of 4096 bytes, and a layer that shows 512 bytes lets the file system above "
            "choose requests that the disk can only serve by read-modify-write. LUKS1, softraid and cgd have "
            "no such setting and are not judged.",
     .cost =
         "CPU time of encryption, and read-modify-write on the disk where requests are not whole physical "
         "sectors. No figure is published.",
     .remedy = "LUKS2: cryptsetup reencrypt --sector-size 4096 (2.4 or later, on a backed-up device). geli: "
               "init -s 4096 on an empty provider.",
     .bad =
         R"({"os": {"name": "linux"}, "disks": [{"name": "sde", "physical_sector_bytes": 4096, "logical_sector_bytes": 512}], "volumes": [{"name": "backup", "kind": "crypto", "crypto_format": "LUKS2", "crypto_sector_bytes": 512, "components": [{"name": "sde1"}]}], "partitions": [{"name": "sde1", "parent": "sde", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 4000785104896, "type": "Linux filesystem"}]})",
     .good =
         R"({"os": {"name": "linux"}, "disks": [{"name": "sde", "physical_sector_bytes": 4096, "logical_sector_bytes": 512}], "volumes": [{"name": "backup", "kind": "crypto", "crypto_format": "LUKS2", "crypto_sector_bytes": 4096, "components": [{"name": "sde1"}]}], "partitions": [{"name": "sde1", "parent": "sde", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 4000785104896, "type": "Linux filesystem"}]})",
     .references = "cryptsetup(8), geli(8) -s"},
    check};

}  // namespace diskwright
