// Reflection of linked modules; requests/reflection.txt has that of single ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "api/library_texts.h"

namespace tgsi2spv {
namespace {

/// By semantic and its index.
tgsi2spv_variable variable_named(const Module& m, bool output, tgsi2spv_semantic semantic, uint32_t index) {
    const uint32_t count = output ? m.info().output_count : m.info().input_count;
    for (uint32_t i = 0; i < count; ++i) {
        const auto v = output ? m.output(i) : m.input(i);
        if (v.semantic == semantic && v.semantic_index == index) return v;
    }
    ADD_FAILURE() << "no " << tgsi2spv_semantic_name(semantic) << '[' << index << ']';
    return make<tgsi2spv_variable>();
}

/// More varyings than locations: those of which one component is read share the last one.
TEST(ApiReflection, SaysInWhichComponentAVariableStarts) {
    std::string vertex = "VERT\nDCL IN[0]\nDCL OUT[0..32], GENERIC[0]\n";
    std::string fragment =
        R"(FRAG
DCL IN[0..32], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
MOV TEMP[0], IN[0]
)";
    for (int i = 0; i < 33; ++i) {
        const std::string n = std::to_string(i);
        vertex += "MOV OUT[" + n + "], IN[0]\n";
        fragment += "ADD TEMP[0], TEMP[0], IN[" + n + (i < 30 ? "]\n" : "].xxxx\n");
    }
    Context context;
    const Program v = context.parse(vertex + "END\n"), f = context.parse(fragment + "MOV OUT[0], TEMP[0]\nEND\n");
    ASSERT_TRUE(v && f);
    std::array<Linkage, 2> linkages;
    ASSERT_TRUE(context.link({&v, &f}, linkages, everything)) << context.diagnostic(0).message;
    for (const bool output : {true, false}) {
        auto options = everything;
        options.linkage = linkages[output ? 0 : 1].get();
        const Module m = context.convert(output ? v : f, options);
        ASSERT_TRUE(m);
        const auto wide = variable_named(m, output, TGSI2SPV_SEMANTIC_GENERIC, 29);
        EXPECT_EQ(wide.component, 0u);
        EXPECT_EQ(wide.components, 4u);
        for (uint32_t i = 0; i < 3; ++i) {
            const auto narrow = variable_named(m, output, TGSI2SPV_SEMANTIC_GENERIC, 30 + i);
            EXPECT_EQ(narrow.location, 30u);
            EXPECT_EQ(narrow.component, i);
            EXPECT_EQ(narrow.components, 1u);
        }
    }
}

}  // namespace
}  // namespace tgsi2spv
