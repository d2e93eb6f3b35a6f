// Where the sources are. Only places.cpp is compiled with this path: ccache then finds the other tests in any clone.
#pragma once

#include <string>

namespace tgsi2spv::test {

/// The project's folder, or `path` in it.
std::string source_path(const std::string& path = {});

}  // namespace tgsi2spv::test
