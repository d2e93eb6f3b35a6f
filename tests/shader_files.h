// The shaders that tests read: the project's own, and those in the folder that TGSI2SPV_CORPUS names.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "places.h"

namespace tgsi2spv::test {

struct ShaderFile {
    std::string path;  ///< relative to the folder
    std::string text;
};

/// Returns the .tgsi files under `folder`, sorted by path. `takes` selects by path.
inline std::vector<ShaderFile> shaders_under(const std::string& folder,
                                             const std::function<bool(const std::string&)>& takes = {}) {
    std::vector<ShaderFile> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".tgsi") continue;
        ShaderFile file{std::filesystem::relative(entry.path(), folder).string(), {}};
        if (takes && !takes(file.path)) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        file.text.assign(std::istreambuf_iterator<char>(in), {});
        files.push_back(std::move(file));
    }
    std::ranges::sort(files, {}, &ShaderFile::path);
    return files;
}

inline std::vector<ShaderFile> own_shaders() {
    return shaders_under(source_path("shaders"));
}

/// Returns an empty list if the variable is not set; tests that need a corpus then skip.
inline std::vector<ShaderFile> corpus_shaders(const std::function<bool(const std::string&)>& takes = {}) {
    const char* root = std::getenv("TGSI2SPV_CORPUS");
    return root == nullptr || *root == '\0' ? std::vector<ShaderFile>() : shaders_under(root, takes);
}

/// Returns the project's own shaders, followed by those of the corpus if there is one.
inline std::vector<ShaderFile> all_shaders() {
    std::vector<ShaderFile> files = own_shaders();
    for (ShaderFile& file : corpus_shaders()) files.push_back(std::move(file));
    return files;
}

}  // namespace tgsi2spv::test
