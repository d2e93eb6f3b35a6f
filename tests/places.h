// Where the sources and the build are. Only places.cpp is compiled with these paths: ccache then finds the other tests
// in any clone.
#pragma once

#include <string>

namespace tgsi2spv::test {

/// The project's folder, or `path` in it.
std::string source_path(const std::string& path = {});

/// `path` in the build folder.
std::string build_path(const std::string& path);

}  // namespace tgsi2spv::test
