// Options and limits of links; requests/options.txt has a row for every option.
#include "api/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "api/library_texts.h"
#include "lower/interface/link.h"

namespace tgsi2spv {
namespace {

/// Vulkan, "Required Limits": 64 components at each interface, 120 of a patch, 1024 of all vertices of GEOM.
TEST(Options, EachLimitOfTheDeviceIsThatOfItsInterface) {
    using Caps = tgsi2spv_device_caps;
    using lower::LinkLimits;
    struct Limit {
        uint32_t Caps::*has;
        uint32_t LinkLimits::*limit;
        uint32_t least;
    };
    const Limit rows[] = {
        {&Caps::max_vertex_output_components, &LinkLimits::vertex_output, 64},
        {&Caps::max_tessellation_control_per_vertex_input_components, &LinkLimits::tess_control_input, 64},
        {&Caps::max_tessellation_control_per_vertex_output_components, &LinkLimits::tess_control_output, 64},
        {&Caps::max_tessellation_control_per_patch_output_components, &LinkLimits::tess_control_patch_output, 120},
        {&Caps::max_tessellation_evaluation_input_components, &LinkLimits::tess_eval_input, 64},
        {&Caps::max_tessellation_evaluation_output_components, &LinkLimits::tess_eval_output, 64},
        {&Caps::max_geometry_input_components, &LinkLimits::geometry_input, 64},
        {&Caps::max_geometry_output_components, &LinkLimits::geometry_output, 64},
        {&Caps::max_fragment_input_components, &LinkLimits::fragment_input, 64},
        {&Caps::max_geometry_total_output_components, &LinkLimits::geometry_total, 1024},
    };
    for (const Limit& row : rows)
        for (const uint32_t has : {0u, 32u, 2048u}) {
            auto caps = make<Caps>();
            caps.*row.has = has;
            const LinkLimits limits = api::link_limits_of(caps);
            for (const Limit& other : rows)
                EXPECT_EQ(limits.*other.limit, &other == &row && has == 2048 ? 2048 : other.least)
                    << &row - rows << ' ' << &other - rows << ' ' << has;
        }
}

/// The number of varyings, each of four components, that go from VERT through GEOM to FRAG.
TEST(Options, VaryingsAreLinkedUpToTheSmallerLimit) {
    const auto text = [](const std::string& head, bool vertices, bool writes, int count) {
        std::string t = head + "DCL IN[0..39], GENERIC[0], PERSPECTIVE\n";
        if (vertices) t = head + "DCL IN[][0..39], GENERIC[0]\n";
        if (head.starts_with("VERT")) t = head + "DCL IN[0..39]\n";
        t += writes ? "DCL OUT[0..39], GENERIC[0]\n" : "DCL OUT[0], COLOR\nDCL TEMP[0]\n";
        for (int i = 0; i < count; ++i) {
            const std::string n = std::to_string(i), in = (vertices ? "IN[0][" : "IN[") + n + "]";
            t += writes ? "MOV OUT[" + n + "], " + in + "\n" : "ADD TEMP[0], TEMP[0], " + in + "\n";
        }
        return t + (vertices ? "EMIT IMM[0].xxxx\nEND\n" : writes ? "END\n" : "MOV OUT[0], TEMP[0]\nEND\n");
    };
    const std::string geometry =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
IMM[0] UINT32 {0, 0, 0, 0}
)";
    Context context;
    const auto linked = [&](const tgsi2spv_device_caps& caps) {
        auto options = default_options;
        options.device = &caps;
        int most = 0;
        for (int count = 10; count <= 32; ++count) {
            const Program v = context.parse(text("VERT\n", false, true, count)),
                          g = context.parse(text(geometry, true, true, count)),
                          f = context.parse(text("FRAG\n", false, false, count));
            EXPECT_TRUE(v && g && f);
            std::array<Linkage, 3> linkages;
            if (context.link({&v, &g, &f}, linkages, options)) most = count;
        }
        return most;
    };
    auto caps = make<tgsi2spv_device_caps>();
    caps.geometry_shader = 1;
    EXPECT_EQ(linked(caps), 16);
    caps.max_vertex_output_components = caps.max_geometry_input_components = caps.max_fragment_input_components = 128;
    EXPECT_EQ(linked(caps), 16);  // the outputs of GEOM
    caps.max_geometry_output_components = 80;
    EXPECT_EQ(linked(caps), 20);
    caps.max_fragment_input_components = 72;
    EXPECT_EQ(linked(caps), 18);
}

/// The budget counts the iterations of all loops, but not those of loops that a user cannot distinguish from none.
TEST(Options, ABudgetDoesNotKeepLoopsWithoutEffect) {
    const std::string loop =
        "BGNLOOP\nFSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\nUIF TEMP[1].xxxx\nBRK\nENDIF\n"
        "ADD TEMP[0], TEMP[0], IN[1]\nENDLOOP\n";
    Context context;
    const auto size = [&](const std::string& body, uint32_t max_iterations) {
        auto options = default_options;
        options.max_iterations = max_iterations;
        const Module m = context.translate(
            "FRAG\nDCL IN[0..1], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\n" + body + "END\n",
            options);
        return m ? m.words().size() : 0;
    };
    EXPECT_EQ(size(loop + "MOV OUT[0], IN[1]\n", 100), size("MOV OUT[0], IN[1]\n", 0));
    EXPECT_GT(size(loop + loop + "MOV OUT[0], TEMP[0]\n", 100), size(loop + "MOV OUT[0], TEMP[0]\n", 100));
}

}  // namespace
}  // namespace tgsi2spv
