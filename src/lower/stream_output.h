// Transform feedback, from the caller's table as gallium's pipe_stream_output_info has it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tgsi2spv::lower {

/// Components first .. first + components − 1 of OUT[reg] go to word `offset` of each vertex in `buffer`.
struct StreamOutput {
    uint32_t reg = 0;
    uint8_t first = 0;
    uint8_t components = 4;
    uint8_t buffer = 0;   ///< 0 to 3
    uint32_t offset = 0;  ///< words
    uint8_t stream = 0;   ///< GEOM: 0 to 3
};

/// Of the last stage before rasterization. What is captured is what the text writes, before the depth range, y and
/// clamps are made Vulkan's.
struct StreamOutputs {
    std::vector<StreamOutput> outputs;
    std::array<uint32_t, 4> strides{};  ///< words of a vertex, by buffer
};

}  // namespace tgsi2spv::lower
