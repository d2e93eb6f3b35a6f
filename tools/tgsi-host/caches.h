// Files in which a host keeps the caches of drivers' compilers.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace tools {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// The file of compiled pipelines, which only this user can have written. Null if it cannot be used; `why` then has the
/// reason.
File open_pipelines(const std::string& path, std::string& why);

/// Makes `folder` the place for the files that Mesa's drivers keep themselves (lavapipe keeps nothing in a pipeline
/// cache): as one file, which is open before a process is confined. Nothing in it is ever removed, so the folder is
/// emptied where it has grown large. Only a folder that this function has made for this user is used: a mark in it, and
/// its owner and mode, say so. Call it before any driver is loaded. Returns why the folder is not used, or an empty
/// string.
std::string use_folder_of_mesa(const std::string& folder);

/// The file of pipelines of this user's own programs, under XDG_CACHE_HOME or ~/.cache, whose folder of Mesa is then in
/// use. Empty if it cannot be.
std::string own_pipelines();

}  // namespace tools
