// Transform feedback, from the caller's table, which is like gallium's pipe_stream_output_info.
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

/// For the last stage before rasterization. It captures the values that the text writes, before depth range, y and
/// clamps are converted for Vulkan.
struct StreamOutputs {
    std::vector<StreamOutput> outputs;
    std::array<uint32_t, 4> strides{};  ///< words per vertex, by buffer
};

}  // namespace tgsi2spv::lower
