// The files that a driver can still open in a process that serves a guest: Landlock, of Linux 5.13.
#pragma once

#include <string>
#include <vector>

namespace tgsi2spv::process {

struct DriverFiles {
    std::vector<std::string> read;     ///< files, and folders with all that is below them
    std::vector<std::string> devices;  ///< files and folders to read and write
    std::vector<std::string> caches;   ///< folders, in which files can also be made
};
/// Where the drivers of this system have their nodes, libraries and settings, with the paths in the Vulkan loader's
/// variables, and the libraries of the manifests there. Paths that do not exist are left out.
DriverFiles driver_files();

/// The version of Landlock; 0: the kernel has none, or it is switched off.
int landlock_version();
/// From now on, this thread and those that it starts open these files only. Other threads are not restricted, so their
/// existence is an error: call this before any driver. Returns why it failed, or an empty string.
std::string restrict_files(const DriverFiles& files);

}  // namespace tgsi2spv::process
