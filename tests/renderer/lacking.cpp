// Draws on devices that lack a feature: what the host does in its place looks like the device's own.
#include "queries.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kSampled = 13, kIndices = 14, kArguments = 15, kAdjacent = 18;
constexpr uint32_t kDiscard = 1U << 3, kMultisample = 1U << 25, kAlphaToOne = 1U << 4, kWriteAll = 0x78000000;
constexpr const char *kInOrder = "VK_EXT_rasterization_order_attachment_access",
                     *kInOrderOfArm = "VK_ARM_rasterization_order_attachment_access";

/// The number of an instance is x, of eight pixels each.
constexpr const char* kNumbered =
    "VERT; DCL IN[0]; DCL IN[1]; DCL SV[0], INSTANCEID; DCL OUT[0], POSITION; DCL OUT[1], GENERIC[0]; DCL TEMP[0]; "
    "IMM[0] FLT32 {1, 0, 0, 0}; MOV OUT[0], IN[0]; U2F TEMP[0].x, SV[0].xxxx; "
    "ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx; ADD OUT[0].x, IN[0].xxxx, TEMP[0].xxxx; MOV OUT[1], IN[1]; END";

Buffer rasterizer(uint32_t bits_set) {
    return bind_new(O::Rasterizer, {20, kRasterizer | bits_set, bits(3), 0, 0, bits(1), 0, 0, 0}) + whole_target();
}
/// `flags`: the logic operation is switched on by 2.
Buffer blend(uint32_t flags, uint32_t logic) {
    return bind_new(O::Blend, {21, flags, logic, kWriteAll, 0, 0, 0, 0, 0, 0, 0});
}
Buffer draw_mode(uint32_t mode, uint32_t count, uint32_t instances = 1, uint32_t first_instance = 0) {
    return command(Id::DrawVbo, {0, count, mode, 0, instances, 0, first_instance, 0, 0, 0, ~0u, 0});
}

struct Row {
    const char* name;
    Names without;
    Buffer commands;
};

class Lacking : public Queries, public testing::WithParamInterface<Row> {
  protected:
    void start() override {
        Queries::start();
        // Indices 1 and 2 end no triangle.
        make_buffer(kIndices, kBindIndexBuffer, {1, 2, ~0U, 0, 1, 2, ~0U, 0});
        make_buffer(kAdjacent, kBindIndexBuffer, {0, 0, 1, 0, 2, 0});
        make_buffer(kArguments, kBindCommandArgs, {3, 1, 0, 1});
        create({kSampled, 2, kBgra, kBindRenderTarget, kSize, kSize, 1, 1, 0, 4});
    }
    /// The picture, then the number of primitives that were generated.
    Buffer seen() {
        run(scene() + query(QueryType::PrimitivesGenerated) + begin() + GetParam().commands + end() + get());
        Buffer all = pixels();
        all.push_back(static_cast<uint32_t>(result()));
        return all;
    }
};

TEST_P(Lacking, LooksTheSame) {
    const auto expected = seen();
    EXPECT_NE(expected.back(), 0U);
    EXPECT_TRUE(std::any_of(expected.begin(), expected.end() - 1, [](uint32_t p) { return p != kGreen; }));
    restart_without(GetParam().without);
    EXPECT_EQ(seen(), expected);
}

const Buffer kSmall =
    command(Id::SetViewportState, {0, bits(3), bits(3), bits(0.5F), bits(6.6F), bits(5.3F), bits(0.5F)});
const Buffer kIndexed = command(Id::SetIndexBuffer, {kIndices, 4, 0});
const Buffer kRestarted = kIndexed + command(Id::DrawVbo, {0, 8, 4, 1, 1, 0, 0, 1, ~0U, 0, ~0U, 0});
/// A triangle with adjacent corners.
const Buffer kAdjacentTriangle =
    command(Id::SetIndexBuffer, {kAdjacent, 4, 0}) + command(Id::DrawVbo, {0, 6, 12, 1, 1, 0, 0, 0, 0, 0, ~0U, 0});
const Buffer kNumber = use(12, kNumbered) + whole_target();
const Buffer kSamples = framebuffer(16, kSampled, kBgra) + constants(1, 0.5F, 1, 0.25F);
const Buffer kResolved = blit(kBlitColor, {}, {kSampled, kBgra});

INSTANTIATE_TEST_SUITE_P(
    Features, Lacking,
    testing::ValuesIn(std::vector<Row>{
        {"FillModeLine", {"fillModeNonSolid"}, kSmall + rasterizer(1U << 10 | 1U << 12) + triangle()},
        {"FillModeLineOfAdjacency", {"fillModeNonSolid"}, kSmall + rasterizer(1U << 10 | 1U << 12) + kAdjacentTriangle},
        {"FillModePoint", {"fillModeNonSolid"}, kSmall + rasterizer(2U << 10 | 2U << 12) + triangle()},
        {"RestartsInLists", {"primitiveTopologyListRestart"}, kRestarted},
        {"BaseInstance", {"shaderDrawParameters"}, kNumber + draw_mode(4, 3, 1, 1)},
        {"BaseInstanceIndirect",
         {"shaderDrawParameters"},
         kNumber + command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, 0, 0, kArguments, 0, 0, 1, 0, 0})},
        {"Generated", {"VK_EXT_primitives_generated_query"}, draw_mode(5, 3, 2)},
        {"GeneratedWithoutStatistics", {"VK_EXT_primitives_generated_query", "pipelineStatisticsQuery"}, triangle()},
        {"DrawAfterOneThatDiscards",
         {"extendedDynamicState2"},
         triangle() + rasterizer(kDiscard) + triangle() + rasterizer(0) + kSmall + triangle()},
        {"AlphaToOne",
         {"alphaToOne"},
         kSamples + rasterizer(kMultisample) + blend(kAlphaToOne, 0) + triangle() + kResolved},
    }),
    [](const auto& row) { return row.param.name; });

class LogicOperations : public Draws, public testing::WithParamInterface<Names> {};

/// OpenGL, "Logical Operation": gallium's numbers are truth tables, with bit 2 s + d for bits s of FRAG and d of the
/// target.
TEST_P(LogicOperations, AreOfWords) {
    restart_without(GetParam());
    constexpr uint32_t kSource = 0xff8000ff, kBefore = 0xff00ff00;
    const auto operate = [](uint32_t op, uint32_t dst) {
        uint32_t result = 0;
        for (uint32_t bit = 0; bit < 32; bit++)
            result |= (op >> (2 * (kSource >> bit & 1) + (dst >> bit & 1)) & 1) << bit;
        return result;
    };
    for (uint32_t op = 0; op < 16; op++) {
        const uint32_t twice = operate(op, operate(op, kBefore));
        EXPECT_EQ(first_pixel(scene() + blend(2, op) + draw_mode(4, 3, 2)), twice) << op;
        EXPECT_EQ(pixels()[12], kBefore) << "outside of the scissor";
        const uint32_t other = (op + 5) % 16;
        EXPECT_EQ(first_pixel(scene() + blend(2, op) + draw_mode(4, 3, 2) + blend(2, other) + draw_mode(4, 3, 1)),
                  operate(other, twice))
            << "of the last draw: " << other << " after " << op;
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, LogicOperations,
                         testing::ValuesIn(std::vector<Names>{
                             {}, {"logicOp"}, {"logicOp", kInOrder, kInOrderOfArm}, {"logicOp", "dynamicRendering"}}));

}  // namespace
}  // namespace tgsi2spv::host
