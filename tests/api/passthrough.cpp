#include "api/passthrough.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "api/convert.h"
#include "lower/interface/link.h"

namespace tgsi2spv::api {
namespace {

TEST(Passthrough, PassesOnTheInputsOfTheEvaluation) {
    Context context;
    ASSERT_TRUE(parse(context,
                      R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], POSITION
DCL IN[][1..2], ARRAY(1), GENERIC[9]
DCL IN[][3], GENERIC[10]
DCL OUT[0], POSITION
MOV OUT[0], IN[0][0]
END
)",
                      {}));
    const auto text = passthrough_tess_ctrl(context.program, context.registers, 5);
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, testing::HasSubstr("PROPERTY TCS_VERTICES_OUT 5\n"));
    EXPECT_THAT(*text, testing::HasSubstr("DCL OUT[][4], GENERIC[10]\n"));
    EXPECT_THAT(*text, testing::HasSubstr("MOV OUT[SV[0].x][2], IN[SV[0].x][0]\n"));
    EXPECT_THAT(*text, testing::Not(testing::HasSubstr("OUT[][5]")));  // GENERIC[10] is declared once
    ASSERT_TRUE(convert(context, *text, {})) << context.diagnostics[0].message;
    EXPECT_EQ(context.module.entry.stage, ir::Stage::TessControl);
    EXPECT_EQ(context.module.entry.output_vertices, 5u);
    EXPECT_EQ(reflect(context, {}).spec_constants.size(), 6u);  // the default tessellation levels
}

TEST(Passthrough, RefusesInputsThatItCannotPassOn) {
    const auto refusal = [](std::string_view shader, uint32_t vertices) {
        Context context;
        EXPECT_TRUE(parse(context, shader, {}));
        const auto text = passthrough_tess_ctrl(context.program, context.registers, vertices);
        return text ? std::string() : text.error().message;
    };
    constexpr std::string_view kEvaluation = "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nEND\n";
    EXPECT_EQ(refusal(kEvaluation, 32), "");
    EXPECT_THAT(refusal(kEvaluation, 0), testing::HasSubstr("1 to 32"));
    EXPECT_THAT(refusal(kEvaluation, 33), testing::HasSubstr("1 to 32"));
    EXPECT_THAT(refusal("VERT\nEND\n", 3), testing::HasSubstr("TESS_EVAL"));
    EXPECT_THAT(refusal(R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[0], PATCH
END
)",
                        3),
                testing::HasSubstr("PATCH"));
}

}  // namespace
}  // namespace tgsi2spv::api
