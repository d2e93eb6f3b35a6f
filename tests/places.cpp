#include "places.h"

namespace tgsi2spv::test {

std::string source_path(const std::string& path) {
    return path.empty() ? TGSI2SPV_SOURCE_DIR : std::string(TGSI2SPV_SOURCE_DIR "/") + path;
}

}  // namespace tgsi2spv::test
