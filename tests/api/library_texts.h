// Texts that the tests of the C API convert, and helpers to inspect the results.
#pragma once

#include <spirv-tools/libspirv.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "everything.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {

inline constexpr std::string_view kFragment =
    "FRAG\nDCL IN[0], GENERIC[2], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0..1]\nDCL CONST[0..3]\nDCL TEMP[0]\n"
    "TEX TEMP[0], IN[0], SAMP[1], 2D\nMUL OUT[0], TEMP[0], CONST[2]\nEND\n";
inline constexpr std::string_view kVertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
inline constexpr std::string_view kDouble =
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nDADD TEMP[0].xy, IN[0].xyxy, IN[0].zwzw\n"
    "MOV OUT[0], TEMP[0].xyxy\nEND\n";

inline std::vector<uint32_t> copy(const Module& m) {
    return {m.words().begin(), m.words().end()};
}

/// Returns spirv-val's complaint about a module, or an empty string if the module is valid.
inline std::string invalid(const Module& m) {
    std::string said;
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { said += message; });
    return tools.Validate(m.words().data(), m.words().size()) ? "" : said + "!";
}

}  // namespace tgsi2spv
