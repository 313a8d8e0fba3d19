// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/drive_models.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Sources. The quirk tables list drives of 4096-byte sectors, whatever they report; the rest comes from the
// makers' data sheets and model number guides, as smartmontools' drivedb.h groups the families.
constexpr std::string_view quirk = "freebsd/freebsd-src: sys/cam/ata/ata_da.c, ada_quirk_table (4K)";
constexpr std::string_view quirk_smr = "freebsd/freebsd-src: sys/cam/ata/ata_da.c, ada_quirk_table (SMR_DM)";
constexpr std::string_view wd_sheet = "Western Digital data sheet of the series";
constexpr std::string_view wd_smr = "Western Digital, list of SMR drives, April 2020";
constexpr std::string_view seagate_sheet = "Seagate product manual of the series";
constexpr std::string_view exos_7e8 =
    "Seagate data sheets DS1882 and DS1957, Exos 7E8 and 7E10: 512n and 512e by the last four characters";
constexpr std::string_view seagate_smr = "Seagate, CMR and SMR product list";
constexpr std::string_view seagate_old =
    "Seagate model numbers before 2011 (ST3..., ST9...): 512-byte sectors";
constexpr std::string_view hgst_sheet =
    "Hitachi/HGST model number guide: ALE 512e, ALN 4Kn, ALA and ALS 512n";
constexpr std::string_view samsung_sheet = "Samsung SpinPoint data sheet of the series";
constexpr std::string_view toshiba_sheet = "Toshiba product manual of the series";
constexpr std::string_view flash = "the maker's solid state series";

constexpr std::optional<bool> yes = true, no = false, unknown = std::nullopt;

constexpr std::array models{
    // --- Western Digital, shingled
    DriveModel{"WD20EFAX*", 4096, yes, yes, wd_smr},
    DriveModel{"WD30EFAX*", 4096, yes, yes, wd_smr},
    DriveModel{"WD40EFAX*", 4096, yes, yes, wd_smr},
    DriveModel{"WD60EFAX*", 4096, yes, yes, wd_smr},
    DriveModel{"WD20EZAZ*", 4096, yes, yes, wd_smr},
    DriveModel{"WD60EZAZ*", 4096, yes, yes, wd_smr},
    DriveModel{"WD20SPZX*", 4096, yes, yes, wd_smr},
    DriveModel{"WD10SPZX*", 4096, yes, yes, wd_smr},
    DriveModel{"WD10SPSX*", 4096, yes, yes, wd_smr},
    // --- Western Digital, 4096
    DriveModel{"WD##EFRX*", 4096, yes, no, wd_sheet},  // Red
    DriveModel{"WD80EFAX*", 4096, yes, no, wd_sheet},  // Red, helium
    DriveModel{"WD1##EFAX*", 4096, yes, no, wd_sheet},
    DriveModel{"WD##EFZX*", 4096, yes, no, wd_sheet},  // Red Plus
    DriveModel{"WD##EFPX*", 4096, yes, no, wd_sheet},
    DriveModel{"WD####FFBX*", 4096, yes, no, wd_sheet},  // Red Pro
    DriveModel{"WD####FFWX*", 4096, yes, no, wd_sheet},
    DriveModel{"WD##EZRZ*", 4096, yes, unknown, wd_sheet},  // Blue of 2015 and later
    DriveModel{"WD##EZEX*", 4096, yes, no, wd_sheet},
    DriveModel{"WD##??RS*", 4096, yes, no, quirk},  // Green: EARS EZRS EURS
    DriveModel{"WD##??RX*", 4096, yes, no, quirk},  // Green and AV: EARX EZRX EURX
    DriveModel{"WD####??RS*", 4096, yes, no, quirk},
    DriveModel{"WD####??RX*", 4096, yes, no, quirk},
    DriveModel{"WD##??CX*", 4096, yes, no, quirk},  // Red of 2.5 inch
    DriveModel{"WD####??CX*", 4096, yes, no, quirk},
    DriveModel{"WD####AZEX*", 4096, yes, no, quirk},
    DriveModel{"WD####FZEX*", 4096, yes, no, quirk},  // Black
    DriveModel{"WD####FZWX*", 4096, yes, no, wd_sheet},
    DriveModel{"WD###PKT*", 4096, yes, no, quirk},  // Scorpio
    DriveModel{"WD####?PKT*", 4096, yes, no, quirk},
    DriveModel{"WD###PVT*", 4096, yes, no, quirk},
    DriveModel{"WD####?PVT*", 4096, yes, no, quirk},
    DriveModel{"WD####FRYZ*", 4096, yes, no, wd_sheet},  // Gold
    DriveModel{"WD##1KRYZ*", 4096, yes, no, wd_sheet},
    // --- Western Digital, 512 native
    DriveModel{"WD##EA[CD]S*", 512, yes, no, wd_sheet},  // Green before Advanced Format: EACS EADS
    DriveModel{"WD####EA[CD]S*", 512, yes, no, wd_sheet},
    DriveModel{"WD##EAVS*", 512, yes, no, wd_sheet},
    DriveModel{"WD##EVDS*", 512, yes, no, wd_sheet},
    DriveModel{"WD####A[AB]KS*", 512, yes, no, wd_sheet},  // Caviar Blue: AAKS ABKS
    DriveModel{"WD####AAJS*", 512, yes, no, wd_sheet},
    DriveModel{"WD####A?JB*", 512, yes, no, wd_sheet},
    DriveModel{"WD####J[BDS]", 512, yes, no, wd_sheet},  // Caviar of 2003 to 2007
    DriveModel{"WD####J[BDS]-*", 512, yes, no, wd_sheet},
    DriveModel{"WD####BEVT*", 512, yes, no, wd_sheet},  // Scorpio Blue before Advanced Format
    DriveModel{"WD####BEVS*", 512, yes, no, wd_sheet},
    DriveModel{"WD####FALS*", 512, yes, no, wd_sheet},  // Caviar Black
    DriveModel{"WD####AALS*", 512, yes, no, wd_sheet},
    DriveModel{"WD[12]###FAEX*", 512, yes, no, wd_sheet},
    DriveModel{"WD####AALX*", 512, yes, no, wd_sheet},
    DriveModel{"WD####AAEX*", 512, yes, no, wd_sheet},
    DriveModel{"WD####AAKX*", 512, yes, no, wd_sheet},
    DriveModel{"WD####?BYS*", 512, yes, no, wd_sheet},  // RE2, RE3, RE4: ABYS FBYS
    DriveModel{"WD####?BYX*", 512, yes, no, wd_sheet},  // RE4
    DriveModel{"WD####FYYS*", 512, yes, no, wd_sheet},
    DriveModel{"WD####FYPS*", 512, yes, no, wd_sheet},  // RE4-GP
    DriveModel{"WD####YS", 512, yes, no, wd_sheet},     // RE
    DriveModel{"WD####YS-*", 512, yes, no, wd_sheet},
    DriveModel{"WD#000FYYZ*", 512, yes, no, wd_sheet},  // RE, SATA, of 2012
    DriveModel{"WD#000FYYX*", 512, yes, no, wd_sheet},
    DriveModel{"WD#001FYYG*", 512, yes, no, wd_sheet},  // RE, SAS
    DriveModel{"WD100#FBYZ*", 512, yes, no, wd_sheet},
    DriveModel{"WD####HLFS*", 512, yes, no, wd_sheet},  // VelociRaptor
    DriveModel{"WD####GLFS*", 512, yes, no, wd_sheet},
    DriveModel{"WD###GD*", 512, yes, no, wd_sheet},  // Raptor
    DriveModel{"WD####ADFD*", 512, yes, no, wd_sheet},
    // --- Seagate, shingled
    DriveModel{"ST8000AS000#*", 4096, yes, yes, quirk_smr},
    DriveModel{"ST####AS000#*", 4096, yes, yes, seagate_smr},  // Archive HDD
    DriveModel{"ST2000DM005*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST2000DM008*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST3000DM007*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST4000DM004*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST5000DM000*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST6000DM003*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST8000DM004*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST####LM015*", 4096, yes, yes, seagate_smr},  // BarraCuda 2.5 inch
    DriveModel{"ST####LM024*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST500LM030*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST1000LM048*", 4096, yes, yes, seagate_smr},
    DriveModel{"ST1000LM035*", 4096, yes, yes, seagate_smr},
    // --- Seagate, 4096
    DriveModel{"ST####DL*", 4096, yes, no, quirk},      // Barracuda Green
    DriveModel{"ST###DM*", 4096, yes, unknown, quirk},  // Barracuda
    DriveModel{"ST####DM*", 4096, yes, unknown, quirk},
    DriveModel{"ST###LT*", 4096, yes, unknown, quirk},      // Momentus Thin
    DriveModel{"ST####VN*", 4096, yes, no, seagate_sheet},  // NAS HDD, IronWolf
    DriveModel{"ST##000VN*", 4096, yes, no, seagate_sheet},
    DriveModel{"ST####NE*", 4096, yes, no, seagate_sheet},  // IronWolf Pro
    DriveModel{"ST##000NE*", 4096, yes, no, seagate_sheet},
    DriveModel{"ST##000NM*", 4096, yes, no, seagate_sheet},  // Exos X10 and larger
    DriveModel{"ST8000NM*", 4096, yes, no, seagate_sheet},
    DriveModel{"ST6000NM0024*", 4096, yes, no, seagate_sheet},
    DriveModel{"ST[46]000NM0115*", 4096, yes, no, exos_7e8},
    DriveModel{"ST2000NM0125*", 4096, yes, no, exos_7e8},
    DriveModel{"ST2000NM001A*", 4096, yes, no, exos_7e8},
    DriveModel{"ST4000NM002A*", 4096, yes, no, exos_7e8},
    DriveModel{"ST6000NM021A*", 4096, yes, no, exos_7e8},
    DriveModel{"ST2000NM017B*", 4096, yes, no, exos_7e8},
    DriveModel{"ST4000NM024B*", 4096, yes, no, exos_7e8},
    DriveModel{"ST6000NM019B*", 4096, yes, no, exos_7e8},
    DriveModel{"ST950042[34]AS*", 4096, yes, no, quirk},  // Momentus
    DriveModel{"ST964042[34]AS*", 4096, yes, no, quirk},
    DriveModel{"ST975042[023]AS*", 4096, yes, no, quirk},
    // --- Seagate, 512 native
    DriveModel{"ST[1234]000NM0011*", 512, yes, no, seagate_sheet},  // Constellation ES
    DriveModel{"ST[1234]000NM0001*", 512, yes, no, seagate_sheet},
    DriveModel{"ST[1234]000NM0033*", 512, yes, no, seagate_sheet},  // Constellation ES.3
    DriveModel{"ST[1234]000NM0023*", 512, yes, no, seagate_sheet},
    DriveModel{"ST500NM0011*", 512, yes, no, seagate_sheet},
    DriveModel{"ST[12]000NM0055*", 512, yes, no, exos_7e8},
    DriveModel{"ST3000NM0005*", 512, yes, no, exos_7e8},
    DriveModel{"ST4000NM0035*", 512, yes, no, exos_7e8},
    DriveModel{"ST6000NM0235*", 512, yes, no, exos_7e8},
    DriveModel{"ST[1234]000NM000A*", 512, yes, no, exos_7e8},
    DriveModel{"ST6000NM002A*", 512, yes, no, exos_7e8},
    DriveModel{"ST[246]000NM000B*", 512, yes, no, exos_7e8},
    DriveModel{"ST3#####A*", 512, yes, no, seagate_old},
    DriveModel{"ST3######A*", 512, yes, no, seagate_old},  // Barracuda 7200.7 to 7200.12
    DriveModel{"ST3[12]######A*", 512, yes, no, seagate_old},
    DriveModel{"ST3######NS*", 512, yes, no, seagate_old},  // Barracuda ES, Constellation ES
    DriveModel{"ST3#######NS*", 512, yes, no, seagate_old},
    DriveModel{"ST3######SV*", 512, yes, no, seagate_old},
    DriveModel{"ST3#######SV*", 512, yes, no, seagate_old},
    DriveModel{"ST3#####SS*", 512, yes, no, seagate_old},  // Cheetah, Barracuda ES SAS
    DriveModel{"ST3######SS*", 512, yes, no, seagate_old},
    DriveModel{"ST3#######SS*", 512, yes, no, seagate_old},
    DriveModel{"ST3#####L?*", 512, yes, no, seagate_old},  // Cheetah, parallel SCSI
    DriveModel{"ST3######L?*", 512, yes, no, seagate_old},
    DriveModel{"ST3#####FC*", 512, yes, no, seagate_old},
    DriveModel{"ST3######FC*", 512, yes, no, seagate_old},
    DriveModel{"ST9######SS*", 512, yes, no, seagate_old},  // Savvio
    DriveModel{"ST9#####SS*", 512, yes, no, seagate_old},
    DriveModel{"ST9#####AS*", 512, yes, no, seagate_old},  // Momentus up to 160 GB
    DriveModel{"ST9######NS*", 512, yes, no, seagate_old},
    // --- Hitachi, HGST
    DriveModel{"HT???????A9E3*", 4096, yes, no, quirk},       // Travelstar
    DriveModel{"HUS72####ALE6*", 4096, yes, no, hgst_sheet},  // Ultrastar
    DriveModel{"HUS72####ALN6*", 4096, yes, no, hgst_sheet},
    DriveModel{"HUS72####ALA6*", 512, yes, no, hgst_sheet},
    DriveModel{"HUS72####ALS6*", 512, yes, no, hgst_sheet},
    DriveModel{"HUS72?T#TALE6*", 4096, yes, no, hgst_sheet},
    DriveModel{"HUS72?T#TALN6*", 4096, yes, no, hgst_sheet},
    DriveModel{"HUS72?T#TALA6*", 512, yes, no, hgst_sheet},
    DriveModel{"HUH7?????ALE6*", 4096, yes, no, hgst_sheet},
    DriveModel{"HUH7?????ALN6*", 4096, yes, no, hgst_sheet},
    DriveModel{"HUA72####?LA*", 512, yes, no, hgst_sheet},
    DriveModel{"HUS15####VL*", 512, yes, no, hgst_sheet},     // Ultrastar 15K
    DriveModel{"HUC10####CS*", 512, yes, no, hgst_sheet},     // Ultrastar C10K
    DriveModel{"HDN72####ALE6*", 4096, yes, no, hgst_sheet},  // Deskstar NAS
    DriveModel{"HDS72####ALE6*", 4096, yes, no, hgst_sheet},
    DriveModel{"HDS5C####ALE6*", 4096, yes, no, hgst_sheet},
    DriveModel{"HMS5C####?LE6*", 4096, yes, no, hgst_sheet},
    DriveModel{"HDS72####?LA3*", 512, yes, no, hgst_sheet},  // Deskstar
    DriveModel{"HDS72####?LA6*", 512, yes, no, hgst_sheet},
    DriveModel{"HDS5C####?LA6*", 512, yes, no, hgst_sheet},
    DriveModel{"HDT72####?LA3*", 512, yes, no, hgst_sheet},
    DriveModel{"HDP72####GLA3*", 512, yes, no, hgst_sheet},
    // --- Samsung
    DriveModel{"HD155UI*", 4096, yes, no, quirk},
    DriveModel{"HD204UI*", 4096, yes, no, quirk},
    DriveModel{"HD154UI*", 512, yes, no, samsung_sheet},
    DriveModel{"HD203WI*", 512, yes, no, samsung_sheet},
    DriveModel{"HD103[SU]J*", 512, yes, no, samsung_sheet},
    DriveModel{"HD103SI*", 512, yes, no, samsung_sheet},
    DriveModel{"HD###?J*", 512, yes, no, samsung_sheet},  // F1, F3 and earlier: HD501LJ HD502HJ HD753LJ
    DriveModel{"SP####?*", 512, yes, no, samsung_sheet},  // P80, P120
    // --- Toshiba
    DriveModel{"DT01ACA###*", 4096, yes, no, toshiba_sheet},
    DriveModel{"MG03ACA###*", 512, yes, no, toshiba_sheet},
    DriveModel{"MG04ACA###E*", 4096, yes, no, toshiba_sheet},
    DriveModel{"MG04ACA###N*", 512, yes, no, toshiba_sheet},
    DriveModel{"MG0[5678]AC?*", 4096, yes, no, toshiba_sheet},
    // --- solid state; what a page or erase block is they do not tell
    DriveModel{"Samsung SSD*", 0, no, no, flash},
    DriveModel{"SAMSUNG MZ*", 0, no, no, flash},
    DriveModel{"INTEL SSD*", 0, no, no, flash},
    DriveModel{"OCZ-*", 0, no, no, flash},
    DriveModel{"Crucial_CT*", 0, no, no, flash},
    DriveModel{"CT###*SSD#*", 0, no, no, flash},
    DriveModel{"Corsair Force*", 0, no, no, flash},
    DriveModel{"WDS###*", 0, no, no, flash},
};

// One place of a pattern: how many characters of it, and whether `c` fits.
struct Place {
    std::size_t length;
    bool fits;
};
Place place(std::string_view pattern, char c) {
    const char p = pattern.front();
    if (p == '[') {
        const auto close = pattern.find(']');
        if (close == std::string_view::npos) return {pattern.size(), false};
        return {close + 1, pattern.substr(1, close - 1).find(c) != std::string_view::npos};
    }
    if (p == '?') return {1, true};
    if (p == '#') return {1, c >= '0' && c <= '9'};
    return {1, iequals(std::string_view(&p, 1), std::string_view(&c, 1))};
}

}  // namespace

bool matches_model_pattern(std::string_view pattern, std::string_view text) {
    constexpr auto none = std::string_view::npos;
    std::size_t p = 0, t = 0, star = none, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++, resume = t;
            continue;
        }
        const Place here = p < pattern.size() ? place(pattern.substr(p), text[t]) : Place{0, false};
        if (here.fits)
            p += here.length, ++t;
        else if (star != none)
            p = star + 1, t = ++resume;
        else
            return false;
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::span<const DriveModel> drive_models() {
    return models;
}

const DriveModel* find_drive_model(std::string_view model) {
    // "WDC WD20EARS-00MVWB0", "ATA ST2000DL003-9VT1 CC3C", "ST3000DM001", "Samsung SSD 850 PRO 256GB
    // EXM02B6Q"
    constexpr std::size_t longest = 200;
    auto all = words(model.substr(0, longest));
    std::string rest;
    for (auto word = all.rbegin(); word != all.rend(); ++word)
        rest = std::string(*word) + (rest.empty() ? "" : " ") + rest;
    std::string_view from_here = rest;
    for (const auto word : all) {
        for (const DriveModel& row : models) {
            const bool several = row.pattern.find(' ') != std::string_view::npos;
            if (matches_model_pattern(row.pattern, several ? from_here : word)) return &row;
        }
        from_here.remove_prefix(std::min(from_here.size(), word.size() + 1));
    }
    return nullptr;
}

}  // namespace diskwright
