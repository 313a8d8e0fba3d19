// SPDX-License-Identifier: BSD-2-Clause
// The first file system of the virtual machine: an archive of the format newc, uncompressed, as
// torvalds/linux:Documentation/driver-api/early-userspace/buffer-format.rst describes it.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace diskwright::test {

class Initramfs {
 public:
    /// Paths begin with '/'; the folders above are made. A path that is there already stays as it is.
    void folder(const std::string& path);
    void file(const std::string& path, std::string_view bytes, unsigned mode = 0644);
    void link(const std::string& path, std::string_view target);
    /// A program of this host as /bin/NAME, with the shared libraries that ldd(1) names, or a script.
    void program(const std::string& host_path);

    bool has(const std::string& path) const { return paths_.count(path) != 0; }
    /// With the entry that ends the archive.
    std::string finished() const;

 private:
    void entry(const std::string& path, unsigned mode, std::string_view data);

    std::string archive_;
    std::set<std::string> paths_;
};

}  // namespace diskwright::test
