// SPDX-License-Identifier: BSD-2-Clause
// A virtual machine with a Linux kernel of the distribution, started for a list of sh snippets and switched
// off after them. To add a check to a boot: snippets/BOOT/NAME.sh, and a test that looks at what it left.
//
// A snippet runs under busybox sh -eu as root, after snippets/lib.sh, in an empty folder in memory; what it
// writes to the folder $OUT comes back as it is. What it set up is taken down after it (lib.sh: clean_up).
// ctest -L vm runs these tests alone, ctest -LE vm all others. With DISKWRIGHT_VM_KEEP in the environment the
// tests look again at what the last boot left in build/vm.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace diskwright::test {

struct SnippetResult {
    std::string name;
    int status = -1;  // -1: it did not end
    std::string output, errors;
    std::filesystem::path folder;  // $OUT
    std::string file(const std::string& name) const;
};

struct Drive {
    std::string path;  // an image on this host, /dev/vda and so on in the machine in the order of the list
    bool read_only = false;
};

class Machine {
 public:
    /// boot: folder of the snippets.
    explicit Machine(std::string boot);

    /// Why no machine can be started here: "qemu-system-x86_64 is not installed". Nothing when one can.
    static std::optional<std::string> missing();

    /// A new image of that size without data, in folder().
    Drive sparse_drive(std::uint64_t bytes) const;
    const std::filesystem::path& folder() const { return folder_; }
    std::vector<Drive> drives;
    /// A machine that is still running then is ended by force.
    std::chrono::seconds limit{400};

    /// Boots, runs all snippets, and is off again.
    void start();
    /// Of a snippet that never began: status -1.
    const SnippetResult& result(const std::string& snippet) const;
    /// The last lines of the console, for the message of a test that fails.
    std::string console() const;

 private:
    std::string boot_;
    std::filesystem::path folder_;
    std::map<std::string, SnippetResult> results_;
};

}  // namespace diskwright::test
