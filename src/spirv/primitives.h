// What ir::EntryPoint's numbers of primitives (tgsi::Primitive's) and of TES_SPACING mean, as execution modes.
#pragma once

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>

namespace tgsi2spv::spirv {

inline spv::ExecutionMode input_primitive(uint8_t primitive) {
    switch (primitive) {
        case 0:
            return spv::ExecutionMode::InputPoints;
        case 1:
        case 2:
        case 3:
            return spv::ExecutionMode::InputLines;
        case 10:
        case 11:
            return spv::ExecutionMode::InputLinesAdjacency;
        case 12:
        case 13:
            return spv::ExecutionMode::InputTrianglesAdjacency;
        default:
            return spv::ExecutionMode::Triangles;
    }
}

inline spv::ExecutionMode output_primitive(uint8_t primitive) {
    switch (primitive) {
        case 0:
            return spv::ExecutionMode::OutputPoints;
        case 3:
            return spv::ExecutionMode::OutputLineStrip;
        default:
            return spv::ExecutionMode::OutputTriangleStrip;
    }
}

inline spv::ExecutionMode tess_domain(uint8_t primitive) {
    switch (primitive) {
        case 1:
            return spv::ExecutionMode::Isolines;
        case 7:
            return spv::ExecutionMode::Quads;
        default:
            return spv::ExecutionMode::Triangles;
    }
}

inline spv::ExecutionMode tess_spacing(uint8_t spacing) {
    switch (spacing) {
        case 0:
            return spv::ExecutionMode::SpacingFractionalOdd;
        case 1:
            return spv::ExecutionMode::SpacingFractionalEven;
        default:
            return spv::ExecutionMode::SpacingEqual;
    }
}

}  // namespace tgsi2spv::spirv
