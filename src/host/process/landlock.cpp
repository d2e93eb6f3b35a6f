#include "process/landlock.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "process/socket.h"

namespace tgsi2spv::process {

namespace {

namespace fs = std::filesystem;

// Rights of newer versions, which older headers lack.
constexpr uint64_t kRefer = uint64_t{1} << 13, kTruncate = uint64_t{1} << 14;

constexpr uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kWriting = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | kWriting;

/// All rights that a version knows.
uint64_t rights_of(int version) {
    const uint64_t first = (uint64_t{1} << 13) - 1;
    return first | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
}

/// A path, and if it is a manifest of a driver, the library that it names: relative to the manifest, unless the linker
/// is to find it (Vulkan-Loader, LoaderDriverInterface.md).
void add_path(std::vector<std::string>& out, const fs::path& path) {
    out.push_back(path.string());
    std::error_code error;
    if (path.extension() != ".json" || fs::is_directory(path, error)) return;
    std::ifstream file(path);
    const auto manifest = nlohmann::json::parse(file, nullptr, false);
    const auto member = "/ICD/library_path"_json_pointer;
    if (!manifest.is_object() || !manifest.contains(member) || !manifest[member].is_string()) return;
    const fs::path library(manifest[member].get<std::string>());
    if (library.has_parent_path()) out.push_back((path.parent_path() / library).string());
}

void add_list(std::vector<std::string>& out, const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr) return;
    for (std::string_view rest = value; !rest.empty();) {
        const size_t end = std::min(rest.find(':'), rest.size());
        add_path(out, rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

/// The entries of a folder whose names begin so.
void add_entries(std::vector<std::string>& out, const char* folder, std::string_view begin) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (entry.path().filename().string().starts_with(begin)) out.push_back(entry.path().string());
}

bool has_other_threads() {
    std::error_code error;
    const fs::directory_iterator threads("/proc/self/task", error);
    return error || std::distance(fs::begin(threads), fs::end(threads)) != 1;
}

/// A file that does not exist is left out.
bool add_rule(int rules, const std::string& path, uint64_t rights) {
    const Descriptor file(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (file.number() < 0 || fstat(file.number(), &status) != 0) return true;
    const landlock_path_beneath_attr rule{.allowed_access = S_ISDIR(status.st_mode) ? rights : rights & kOfFiles,
                                          .parent_fd = file.number()};
    return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

DriverFiles driver_files() {
    DriverFiles out;
    out.read = {// Libraries, which drivers load late, and the linker's list of them
                "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/nix/store",
                "/run/opengl-driver", "/app/lib", "/opt/amdgpu", "/opt/amdgpu-pro", "/vendor", "/system/lib64",
                // Manifests of drivers and layers, settings of drivers
                "/etc/vulkan", "/usr/share/vulkan", "/usr/local/share/vulkan", "/usr/local/etc/vulkan",
                "/usr/share/drirc.d", "/etc/drirc", "/usr/share/libdrm", "/usr/share/nvidia", "/etc/nvidia",
                "/usr/share/glvnd", "/etc/glvnd", "/etc/localtime",
                // The machine, its devices, this process
                "/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/devices", "/proc/modules",
                "/proc/driver/nvidia", "/proc/self", "/proc/sys/vm", "/proc/sys/kernel/random", "/sys/devices",
                "/sys/dev/char", "/sys/bus", "/sys/class/drm", "/sys/module/nvidia", "/sys/kernel/mm"};
    // Where the user keeps drivers of their own
    for (const char* list : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH",
                             "VK_ADD_LAYER_PATH", "LD_LIBRARY_PATH"})
        add_list(out.read, list);
    out.devices = {"/dev/null", "/dev/zero",  "/dev/full",     "/dev/random",  "/dev/urandom",
                   "/dev/kfd",  "/dev/mali0", "/dev/kgsl-3d0", "/dev/udmabuf", "/dev/dma_heap"};
    add_entries(out.devices, "/dev", "nvidia");
    add_entries(out.devices, "/dev/dri", "renderD");  // not cardN: the first process that opens it controls the screen
    return out;
}

int landlock_version() {
    const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? static_cast<int>(version) : 0;
}

std::string restrict_files(const DriverFiles& files) {
    const auto failed = [](const std::string& what) {
        return fmt::format("Landlock: {}: {}", what, std::generic_category().message(errno));
    };
    if (has_other_threads()) return "Landlock: the process has threads already, which it would not bind";
    const uint64_t all = rights_of(landlock_version());
    const landlock_ruleset_attr attributes{.handled_access_fs = all};
    const Descriptor rules(static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof all, 0)));
    if (rules.number() < 0) return failed("no rules");
    const auto add = [&](const std::vector<std::string>& paths, uint64_t rights) {
        for (const std::string& path : paths)
            if (!add_rule(rules.number(), path, rights & all)) return failed(path);
        return std::string();
    };
    if (std::string why = add(files.read, kReading); !why.empty()) return why;
    if (std::string why = add(files.devices, kReading | kWriting); !why.empty()) return why;
    if (std::string why =
            add(files.caches, kReading | kWriting | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR);
        !why.empty())
        return why;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_landlock_restrict_self, rules.number(), 0) != 0)
        return failed("not in force");
    return {};
}

}  // namespace tgsi2spv::process
