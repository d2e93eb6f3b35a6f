// An external user of the library in C++, built with find_package: converts two stages of a draw for a given
// device.
#include <cstdio>
#include <string_view>
#include <tgsi2spv/tgsi2spv.hpp>

constexpr std::string_view kVertex =
    R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)";
constexpr std::string_view kFragment =
    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)";

int main() {
    auto caps = tgsi2spv::make<tgsi2spv_device_caps>();
    caps.api_version = 1u << 22 | 2u << 12;
    auto options = tgsi2spv::default_options;
    options.device = &caps;
    tgsi2spv::Context context;
    if (!context) return 1;
    uint32_t location = ~0u;
    for (const std::string_view text : {kVertex, kFragment, kVertex}) {
        const tgsi2spv::Module module = context.translate(text, options);
        if (!module || module.words()[0] != 0x07230203) return 1;
        std::printf("stage %d: %zu words\n", module.info().stage, module.words().size());
        // Stages that were converted separately use the same locations.
        if (module.info().stage == TGSI2SPV_STAGE_FRAGMENT && module.input(0).location != location) return 1;
        for (uint32_t i = 0; i < module.info().output_count; ++i)
            if (module.output(i).builtin == TGSI2SPV_NO_BUILTIN) location = module.output(i).location;
    }
    return 0;
}
