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
    R"(FRAG
DCL IN[0], GENERIC[2], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL CONST[0..3]
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[1], 2D
MUL OUT[0], TEMP[0], CONST[2]
END
)";
inline constexpr std::string_view kVertex = R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)";
inline constexpr std::string_view kDouble =
    R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL TEMP[0]
DADD TEMP[0].xy, IN[0].xyxy, IN[0].zwzw
MOV OUT[0], TEMP[0].xyxy
END
)";

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
