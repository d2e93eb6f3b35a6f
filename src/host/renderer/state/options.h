// The options of a renderer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vulkan/mask.h"

namespace tgsi2spv::host {

struct HostOptions {
    std::string device;  ///< an index, a UUID or a part of a name; empty: the default one
    bool validate = false;
    bool sync = false;      ///< each command waits for those before it, and the host for the device
    bool no_cache = false;  ///< nothing that was recorded counts for the next draw, and no pipeline is kept in a file
    bool labels = false;    ///< names of Vulkan's objects, and labels from string markers; `validate` has them, too
    bool stats = false;     ///< a line of the log each second in which something is drawn (docs/host.md)
    uint64_t memory_limit = uint64_t{2} << 30;       ///< bytes of the device's memory
    std::vector<std::string> without;                ///< extensions, features and formats of the device
    std::optional<vulkan::DeviceProfile> profile{};  ///< another device: features that it lacks are not used
    int pipeline_file = -1;                          ///< file of PipelineCache; open as long as the renderer lives
    std::string shader_folder;                       ///< the texts of all shaders go there; empty: nowhere
};

}  // namespace tgsi2spv::host
