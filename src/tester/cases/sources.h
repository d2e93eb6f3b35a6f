// Finds and reads the shaders of a campaign.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

struct Source {
    std::string path;
    std::string name;  ///< relative to the root
};

/// The deepest folder that holds all of these files and folders; a folder holds itself.
std::string common_folder(std::span<const std::string> paths);
/// Whether all of them are below a folder, or are that folder.
bool are_below(std::span<const std::string> paths, const std::string& root);

/// Returns the named files and, sorted, every *.tgsi below each folder, each file once. The error names a path that
/// does not exist, or is not below the root. An empty root is their common folder.
tl::expected<std::vector<Source>, std::string> find_sources(std::span<const std::string> paths,
                                                            const std::string& root = {});

/// Returns the bytes of a file, at most one more than a shader may have, or an error with the reason.
tl::expected<std::string, std::string> read_source(const std::string& path);

}  // namespace tgsi2spv::difftest
