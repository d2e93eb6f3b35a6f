// Which shaders a campaign runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

struct Source {
    std::string path;
    std::string shown;  ///< relative to the folder it was found in
};

/// Files as they are named, and every *.tgsi below the folders, sorted. The error names a path that does not exist.
tl::expected<std::vector<Source>, std::string> find_sources(std::span<const std::string> paths);

/// The bytes of a file, at most one more than a shader may have; the error says why not.
tl::expected<std::string, std::string> read_source(const std::string& path);

}  // namespace tgsi2spv::difftest
