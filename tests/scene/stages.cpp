// Programs as the reference of scenes reads them.
#include "scene/stages.h"

#include <gtest/gtest.h>

namespace tgsi2spv::scene {
namespace {

TEST(Stages, RegistersOfOneSemanticAreOneOutput) {
    // OUT[1] is declared before and after OUT[2], each time with other components.
    Shader shader;
    shader.stage = tgsi::Stage::Vertex;
    shader.text =
        R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1].xy, GENERIC[0]
DCL OUT[2].xy, GENERIC[0]
DCL OUT[1].zw, GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1].xy, IN[0]
MOV OUT[2].zw, IN[0]
END
)";
    const auto parsed = parse(shader);
    ASSERT_TRUE(parsed) << parsed.error();
    const int32_t reg = find(*parsed, tgsi::File::Output, tgsi::Semantic::Generic, 0);
    int outputs = 0;
    for (const tgsi::Operand& o : parsed->program.operands)
        if (o.file == tgsi::File::Output && o.index != 0) {
            EXPECT_EQ(o.index, reg);
            ++outputs;
        }
    EXPECT_EQ(outputs, 2);
}

}  // namespace
}  // namespace tgsi2spv::scene
