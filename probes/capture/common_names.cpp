// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/common_names.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "probes/capture/pseudonyms.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// What labels and names are made of on any host; such a word tells nothing, and the tools print it elsewhere.
constexpr std::string_view words_of_names = R"(
    a admin alt amd64 any array backup basic bin bios boot build cache ccd cd com concat crypt daemon
    data db debian default disk dragonfly dump efi esp example exports ext4 fictitious files filesystem
    freebsd gm gmirror gpt gptboot gr graid gs gst gstripe gw home host journal label lan linux local
    localdomain localhost log logs lv lvm mail main md media microsoft mirror mnt msr nas net netbsd
    news nfs no nobody none null off old on openbsd operator opt org os p partition primary raid
    recovery reserved root rootfs rpool s server spool sr srv ssd st storage stripe swap sys system tank
    tmp ubuntu ufs unknown untitled user users usr uuid var vg vm vms vol volume volume0 wheel www yes zfs
    zpool zroot
)";
// Folders of the systems and of what runs on them.
constexpr std::string_view words_of_folders = R"(
    archive archives backups bacula bind binfmt bpf cgroup cgroups chroot compat config containers crash
    credentials cvs cvsroot cyrus debug dev disks distfiles docker efivars emul etc export fdesc fs ftp
    fuse git html http hugepages images imap iso jail jails kern kernel keys kvm lib libvirt lock lxc
    misc mqueue mysql named nextcloud nfsd obj overlay pgdata pgsql pkg pkgsrc pool pools ports postfix
    postgres postgresql poudriere private proc projects pstore ptyfs pub public qemu queue releng repo
    repos rpc rsnapshot run samba sbin scratch security service share shares shm snap snapshots squid
    src store svn svnroot systemd timemachine tracing upper vmail web work xen
)";

const std::set<std::string_view>& common_words() {
    static const std::set<std::string_view> all = [] {
        std::set<std::string_view> out;
        for (const auto list : {words_of_names, words_of_folders})
            for (const auto line : split_lines(list))
                for (const auto word : words(line)) out.insert(word);
        return out;
    }();
    return all;
}

bool has_letter(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return is_identity_character(c) && !(c >= '0' && c <= '9'); });
}

// Words of a name, split where letters and digits do not touch, and at the number behind a word.
std::vector<std::string> words_of_name(std::string_view name) {
    std::vector<std::string> out;
    std::string word;
    for (const char c : name) {
        if (is_identity_character(c)) {
            word += canonical_identity(std::string_view(&c, 1));
        } else if (!word.empty()) {
            out.push_back(std::move(word));
            word.clear();
        }
    }
    if (!word.empty()) out.push_back(std::move(word));
    for (auto& each : out)
        while (each.size() > 1 && has_letter(each) && each.back() >= '0' && each.back() <= '9')
            each.pop_back();
    return out;
}

}  // namespace

bool is_common_name(std::string_view name) {
    const auto parts = words_of_name(name);
    return std::all_of(parts.begin(), parts.end(), [](const std::string& word) {
        return !has_letter(word) || common_words().contains(word);
    });
}

}  // namespace diskwright
