// Finds and reads the shaders of a campaign.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

struct Source {
    std::string path;
    std::string shown;  ///< relative to the folder in which it was found; as given for a file
};

/// Returns the named files and, sorted, every *.tgsi below each folder. The error names a path that does not exist.
tl::expected<std::vector<Source>, std::string> find_sources(std::span<const std::string> paths);

/// Returns the bytes of a file, at most one more than a shader may have, or an error with the reason.
tl::expected<std::string, std::string> read_source(const std::string& path);

}  // namespace tgsi2spv::difftest
