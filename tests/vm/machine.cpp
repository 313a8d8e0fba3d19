// SPDX-License-Identifier: BSD-2-Clause
#include "tests/vm/machine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/tool.hpp"
#include "tests/vm/initramfs.hpp"

namespace diskwright::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view qemu = "qemu-system-x86_64";

// Of this host; those in the second list only where they are installed. No iostat: its samples take seconds.
constexpr std::array<std::string_view, 17> programs{
    "mdadm", "mkfs.ext4", "mkfs.xfs", "xfs_db",   "xfs_spaceman", "xfs_info", "lsblk",   "mount",  "umount",
    "blkid", "sfdisk",    "fdisk",    "dumpe2fs", "dmsetup",      "blockdev", "findmnt", "tune2fs"};
constexpr std::array<std::string_view, 4> extras{"parted", "smartctl", "hdparm", "xfs_io"};

constexpr std::array<std::string_view, 26> modules{"crc32c_generic",
                                                   "virtio_pci",
                                                   "virtio_blk",
                                                   "9p",
                                                   "9pnet_virtio",
                                                   "scsi_mod",
                                                   "sd_mod",
                                                   "scsi_debug",
                                                   "md-mod",
                                                   "linear",
                                                   "raid0",
                                                   "raid1",
                                                   "raid10",
                                                   "raid456",
                                                   "dm-mod",
                                                   "dm-delay",
                                                   "dm-flakey",
                                                   "ext4",
                                                   "xfs",
                                                   "ufs",
                                                   "loop",
                                                   "crct10dif_generic",
                                                   "crc64_rocksoft_generic",
                                                   "t10-pi",
                                                   "crc16",
                                                   "libcrc32c"};

fs::path kernel_folder() {
    return fs::path(DISKWRIGHT_VM_FOLDER) / "kernel";
}
fs::path snippets_folder() {
    return tests_folder() / "vm/snippets";
}

std::string stem_of_module(std::string_view path) {
    std::string name(path.substr(path.rfind('/') + 1));
    return name.substr(0, name.find(".ko"));
}

// The modules above and all that they need; modules.dep(5): "file: file...", what is needed last first.
void add_modules(Initramfs& root) {
    const std::string version(trim(read_file(kernel_folder() / "version")));
    const std::string target = "/lib/modules/" + version + "/";
    const std::string table = read_file(kernel_folder() / "modules/modules.dep");
    std::string kept;
    for (const std::string_view line : split_lines(table)) {
        const auto colon = line.find(':');
        if (colon == line.npos) continue;
        const std::string name = stem_of_module(line.substr(0, colon));
        if (std::find(modules.begin(), modules.end(), name) == modules.end()) continue;
        kept += std::string(line) + "\n";
        std::string files(line);
        std::erase(files, ':');
        for (const auto file : words(files))
            root.file(target + std::string(file), read_file(kernel_folder() / "modules" / file));
    }
    root.file(target + "modules.dep", kept);
}

void add_programs(Initramfs& root) {
    for (const auto name : programs) root.program(*find_tool(std::string(name)));
    for (const auto name : extras)
        if (const auto path = find_tool(std::string(name))) root.program(*path);
    root.program(DISKWRIGHT_PROGRAM);
    const std::string busybox = *find_tool("busybox");
    root.program(busybox);
    const std::string applets = run_tool({busybox, "--list"}).output;
    for (const auto name : split_lines(applets)) root.link("/bin/" + std::string(name), "busybox");
    for (const char* other : {"/sbin", "/usr/bin", "/usr/sbin"}) root.link(other, "/bin");
    root.file("/etc/mke2fs.conf", read_file("/etc/mke2fs.conf"));
    root.link("/etc/mtab", "/proc/mounts");
}

std::string initramfs_of(const std::string& boot) {
    Initramfs root;
    for (const char* path : {"/proc", "/sys", "/dev", "/run", "/tmp", "/mnt", "/out", "/etc"})
        root.folder(path);
    root.file("/init", read_file(tests_folder() / "vm/init"), 0755);
    root.file("/lib.sh", read_file(snippets_folder() / "lib.sh"));
    for (const auto& path : entries(snippets_folder() / boot))
        root.file("/snippets/" + path.filename().string(), read_file(path));
    add_programs(root);
    add_modules(root);
    return root.finished();
}

std::vector<std::string> command_line(const fs::path& folder, const std::vector<Drive>& drives) {
    std::vector<std::string> line{
        *find_tool(std::string(qemu)),
        "-accel",
        "tcg",
        "-cpu",
        "qemu64",
        "-smp",
        "2",
        "-m",
        "1536",
        "-nodefaults",
        "-no-user-config",
        "-nographic",
        "-serial",
        "stdio",
        "-no-reboot",
        "-kernel",
        (kernel_folder() / "vmlinuz").string(),
        "-initrd",
        (folder / "initramfs").string(),
        "-append",
        "console=ttyS0 quiet panic=-1",
        "-virtfs",
        fmt::format("local,path={},mount_tag=out,security_model=none", (folder / "out").string())};
    for (std::size_t i = 0; i < drives.size(); ++i) {
        line.insert(line.end(), {"-drive",
                                 fmt::format("file={},format=raw,if=none,id=d{},cache=unsafe,readonly={}",
                                             drives[i].path, i, drives[i].read_only ? "on" : "off"),
                                 "-device", fmt::format("virtio-blk-pci,drive=d{},serial=drive{}", i, i)});
    }
    return line;
}

// Standard output and errors into the file. Nothing is left running: it dies with this process, too.
void run_for(std::vector<std::string> words, const fs::path& output, std::chrono::seconds limit) {
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
        const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(file, STDOUT_FILENO), dup2(file, STDERR_FILENO);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    const auto end = std::chrono::steady_clock::now() + limit;
    while (waitpid(child, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= end) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            std::ofstream(output, std::ios::app) << "\nended by force after " << limit.count() << " s\n";
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

bool boots_anew() {
    return std::getenv("DISKWRIGHT_VM_KEEP") == nullptr;
}

std::string read_if_there(const fs::path& path) {
    return fs::exists(path) ? read_file(path) : std::string();
}

}  // namespace

std::string SnippetResult::file(const std::string& wanted) const {
    return read_if_there(folder / wanted);
}

Machine::Machine(std::string boot) : boot_(std::move(boot)), folder_(fs::path(DISKWRIGHT_VM_FOLDER) / boot_) {
    if (boots_anew()) fs::remove_all(folder_);
    fs::create_directories(folder_ / "out");
}

Drive Machine::sparse_drive(std::uint64_t bytes) const {
    const fs::path path = folder_ / fmt::format("drive{}", drives.size());
    if (boots_anew()) std::ofstream(path, std::ios::binary).flush();
    fs::resize_file(path, bytes);
    return {path.string()};
}

std::optional<std::string> Machine::missing() {
    if (sanitized) return "a program with sanitizers is too slow for an emulated processor";
    std::vector<std::string> needed(programs.begin(), programs.end());
    needed.insert(needed.begin(), {std::string(qemu), "busybox", "ldd"});
    for (const auto& name : needed)
        if (!find_tool(name)) return name + " is not installed";
    for (const char* name : {"vmlinuz", "version", "modules/modules.dep"})
        if (!fs::exists(kernel_folder() / name))
            return fmt::format("no kernel in {}; tests/vm/get_kernel puts one there",
                               kernel_folder().string());
    return std::nullopt;
}

void Machine::start() {
    if (boots_anew()) {
        std::ofstream(folder_ / "initramfs", std::ios::binary) << initramfs_of(boot_);
        run_for(command_line(folder_, drives), folder_ / "console", limit);
        fs::remove(folder_ / "initramfs");
    }
    for (const auto& path : entries(snippets_folder() / boot_)) {
        SnippetResult result;
        result.name = path.stem().string();
        result.folder = folder_ / "out" / result.name;
        const std::string status = read_if_there(result.folder / "status");
        if (!status.empty()) result.status = std::atoi(status.c_str());
        result.output = result.file("stdout");
        result.errors = result.file("stderr");
        results_.emplace(result.name, result);
    }
}

const SnippetResult& Machine::result(const std::string& snippet) const {
    static const SnippetResult none;
    const auto found = results_.find(snippet);
    return found == results_.end() ? none : found->second;
}

std::string Machine::console() const {
    constexpr std::size_t most = 4000;
    const std::string text = read_if_there(folder_ / "console");
    return text.size() > most ? text.substr(text.size() - most) : text;
}

}  // namespace diskwright::test
