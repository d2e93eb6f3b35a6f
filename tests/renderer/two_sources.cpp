// Dual-source blending: by devices, and in FRAG where the device cannot (SwiftShader, and lavapipe where that is
// hidden).
#include <fmt/format.h>

#include <bit>

#include "queries.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kFloatTarget = 10, kOverlap = 11, kArguments = 12, kSampled = 13, kIndices = 14;
// Gallium's numbers: factors of blending.
constexpr uint32_t kOne = 1, kDstColor = 5, kConstColor = 7, kSecondColor = 9, kSecondAlpha = 10, kZero = 17,
                   kInvDstAlpha = 20, kInvSecondColor = 25, kInvSecondAlpha = 26;

struct Factors {
    uint32_t color_src, color_dst, alpha_src, alpha_dst;
    uint32_t op = 0;  ///< add, subtract, reverse subtract
};
constexpr Factors kFactors[] = {{kSecondColor, kInvSecondColor, kOne, kZero},
                                {kOne, kSecondColor, kOne, kSecondAlpha},
                                {kDstColor, kInvSecondAlpha, kSecondAlpha, kInvSecondAlpha},
                                {kSecondAlpha, kConstColor, kOne, kInvSecondColor},
                                {kOne, kSecondColor, kOne, kSecondAlpha, 1},
                                {kInvDstAlpha, kSecondColor, kSecondColor, kOne, 2}};

// All of these are exact in floats, also after two triangles.
constexpr std::array<float, 4> kFirst{0.5F, 0.25F, 1, 0.75F}, kSecond{0.25F, 0.5F, 0.75F, 0.125F},
    kBefore{0.75F, 0.5F, 0.25F, 0.5F}, kConstant{1, 0.5F, 0.25F, 0};

float factor(uint32_t number, size_t c, const std::array<float, 4>& target) {
    switch (number) {
        case kOne:
            return 1;
        case kDstColor:
            return target[c];
        case kConstColor:
            return kConstant[c];
        case kSecondColor:
            return kSecond[c];
        case kSecondAlpha:
            return kSecond[3];
        case kInvDstAlpha:
            return 1 - target[3];
        case kInvSecondColor:
            return 1 - kSecond[c];
        case kInvSecondAlpha:
            return 1 - kSecond[3];
        default:
            return 0;
    }
}

std::array<float, 4> blended(const Factors& f, const std::array<float, 4>& target) {
    std::array<float, 4> result{};
    for (size_t c = 0; c < 4; c++) {
        const float src = kFirst[c] * factor(c == 3 ? f.alpha_src : f.color_src, c, target);
        const float dst = target[c] * factor(c == 3 ? f.alpha_dst : f.color_dst, c, target);
        result[c] = f.op == 0 ? src + dst : f.op == 1 ? src - dst : dst - src;
    }
    return result;
}

/// A way of blending two sources.
struct Way {
    const char* name;
    const char* device;
    Names without{};
};
constexpr const char *kLocalRead = "VK_KHR_dynamic_rendering_local_read",
                     *kInOrder = "VK_EXT_rasterization_order_attachment_access",
                     *kInOrderOfArm = "VK_ARM_rasterization_order_attachment_access";
const Way kWays[] = {
    {"TheDevice", "llvmpipe"},
    {"InOrder", "llvmpipe", {"dualSrcBlend"}},
    {"InOrderByArm", "llvmpipe", {"dualSrcBlend", kInOrder}},
    {"OneByOne", "llvmpipe", {"dualSrcBlend", kInOrder, kInOrderOfArm}},
    // GEOM, and what else knows of the whole draw, is one draw.
    {"OneByOneWithoutRecords", "llvmpipe", {"dualSrcBlend", kInOrder, kInOrderOfArm, "vertexPipelineStoresAndAtomics"}},
    {"OneByOneInPasses", "llvmpipe", {"dualSrcBlend", kInOrder, kInOrderOfArm, "dynamicRendering"}},
    {"OneByOneWithPipelines",
     "llvmpipe",
     {"dualSrcBlend", kInOrder, kInOrderOfArm, "VK_EXT_extended_dynamic_state3", "VK_EXT_vertex_input_dynamic_state",
      "extendedDynamicState", "extendedDynamicState2"}},
    {"SwiftShader", "SwiftShader"},
    {"SwiftShaderInOrder", "SwiftShader", {kLocalRead}},
    {"SwiftShaderOneByOne", "SwiftShader", {kLocalRead, kInOrder, kInOrderOfArm}},
};

class TwoSources : public Queries, public testing::WithParamInterface<Way> {
  protected:
    void start() override {
        options_.device = GetParam().device;
        options_.without = GetParam().without;
        options_.stats = true;
        // Debian 12's layer does not know VK_KHR_dynamic_rendering_local_read.
        options_.validate = options_.device == "llvmpipe";
        if (!make_renderer(options_)) GTEST_SKIP() << "no " << options_.device;
        Queries::start();
        make_texture(kFloatTarget, kFloats);
        // Two equal triangles, of one draw.
        Buffer vertices;
        for (int twice = 0; twice < 2; twice++)
            for (const auto& [x, y] : {std::pair(-1.F, -1.F), std::pair(3.F, -1.F), std::pair(-1.F, 3.F)})
                for (const float v : {x, y, 0.F, 1.F, 0.F, 0.F, 0.F, 0.F}) vertices.push_back(bits(v));
        make_buffer(kOverlap, kBindVertexBuffer, vertices);
        const auto colour = [](const std::array<float, 4>& c) {
            return fmt::format("FLT32 {{{}, {}, {}, {}}}", c[0], c[1], c[2], c[3]);
        };
        const std::string frag = fmt::format(
            "FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nIMM[0] {}\nIMM[1] {}\nMOV OUT[0], IMM[0]\n"
            "MOV OUT[1], IMM[1]\nEND\n",
            colour(kFirst), colour(kSecond));
        run(scene() + use(12, frag) + command(Id::SetVertexBuffers, {32, 0, kOverlap}) +
            framebuffer(13, kFloatTarget, kFloats) +
            command(Id::SetBlendColor,
                    Buffer{bits(kConstant[0]), bits(kConstant[1]), bits(kConstant[2]), bits(kConstant[3])}));
    }
    Buffer blend(const Factors& f) {
        handle_++;
        return bind_new(O::Blend, {handle_, 0, 0,
                                   0x7800'0001 | f.op << 1 | f.color_src << 4 | f.color_dst << 9 | f.op << 14 |
                                       f.alpha_src << 17 | f.alpha_dst << 22,
                                   0, 0, 0, 0, 0, 0, 0});
    }
    /// The target, after it was cleared and drawn to.
    std::array<float, 4> drawn(const Factors& f, const Buffer& draws, const Buffer& shown = {}) {
        run(blend(f) + clear(kBefore[0], kBefore[1], kBefore[2], kBefore[3]) + draws + shown);
        return texels<std::array<float, 4>>(kFloatTarget)[0];
    }
    static Buffer draw_list(uint32_t vertices, uint32_t instances) {
        return command(Id::DrawVbo, {0, vertices, 4, 0, instances, 0, 0, 0, 0, 0, ~0u, 0});
    }
    /// That each of these draws is two triangles, which are blended one after the other.
    void expect_both(const Buffer& draws, const Buffer& shown = {}) {
        for (const Factors& f : kFactors)
            EXPECT_EQ(drawn(f, draws, shown), blended(f, blended(f, kBefore))) << f.color_src << ", " << f.color_dst;
    }

  private:
    uint32_t handle_ = 20;
};

TEST_P(TwoSources, PrimitivesDrawsAndInstancesAreBlendedOneAfterTheOther) {
    for (const Buffer& draws : {draw_list(6, 1), draw_list(3, 1) + draw_list(3, 1), draw_list(3, 2)})
        expect_both(draws);
}

TEST_P(TwoSources, StripsWithRestarts) {
    make_buffer(kIndices, kBindIndexBuffer, {0, 1, 2, 7, 0, 1, 2});
    expect_both(command(Id::SetIndexBuffer, {kIndices, 4, 0}) +
                command(Id::DrawVbo, {0, 7, 5, 1, 1, 0, 0, 1, 7, 0, ~0u, 0}));
}

TEST_P(TwoSources, IndirectDraws) {
    make_buffer(kArguments, kBindCommandArgs, {3, 2, 0, 0});
    expect_both(command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, 0, 0, kArguments, 0, 0, 1, 0, 0}));
}

/// Parts of a draw do not have the numbers of the whole.
TEST_P(TwoSources, InstancesThatKnowTheirNumber) {
    constexpr const char* kNumbered =
        "VERT; DCL IN[0]; DCL SV[0], INSTANCEID; DCL OUT[0], POSITION; DCL TEMP[0..1]; IMM[0] FLT32 {8, 0, 0, 0}; "
        "MOV TEMP[0], IN[0]; U2F TEMP[1].x, SV[0].xxxx; MAD TEMP[0].x, TEMP[1].xxxx, IMM[0].xxxx, TEMP[0].xxxx; "
        "MOV OUT[0], TEMP[0]; END";
    // The second instance is outside of the first column.
    run(use(15, kNumbered));
    for (const Factors& f : kFactors) EXPECT_EQ(drawn(f, draw_list(3, 2)), blended(f, kBefore));
}

TEST_P(TwoSources, PrimitivesOfGeometryShaders) {
    run(use(15, geometry_of_triangles("", "MOV OUT[0], IN[@][0]; ", 2)));
    expect_both(draw_list(3, 1));
}

TEST_P(TwoSources, SeveralSamples) {
    make_texture(kSampled, kFloats, kBindRenderTarget, 4);
    constexpr uint32_t kMultisample = 1U << 25;
    run(framebuffer(16, kSampled, kFloats) +
        bind_new(O::Rasterizer, {17, kRasterizer | kMultisample, bits(1), 0, 0, bits(1), 0, 0, 0}));
    expect_both(draw_list(6, 1), blit(kBlitColor, {kFloatTarget, kFloats}, {kSampled, kFloats}));
}

TEST_P(TwoSources, QueriesAndConditions) {
    const Buffer counted = query(QueryType::OcclusionCounter) + begin() + draw_list(6, 1) + end() + get();
    expect_both(counted);
    EXPECT_EQ(result(), 2U * 8 * 16);
    const Buffer condition = command(Id::SetRenderCondition, {kQuery, 1, 0});
    EXPECT_EQ(drawn(kFactors[0], condition + draw_list(6, 1)), kBefore) << "there were samples";
}

TEST_P(TwoSources, CapturedVertices) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(16, 9));
    const Buffer capturing =  // x and y of positions
        use(70, kVert, {1, 2, 0, 0, 0, 2 << 10, 0}) + capture_to(kTargetObject, kCaptured, 0, 56) +
        query(QueryType::PrimitivesEmitted) + begin();
    const Factors& f = kFactors[0];
    EXPECT_EQ(drawn(f, capturing + draw_list(6, 1), end() + get()), blended(f, blended(f, kBefore)));
    EXPECT_EQ(result(), 2U);
    const auto words = words_of(kCaptured, 14);
    EXPECT_EQ(words[10], bits(-1));
    EXPECT_EQ(words[11], bits(3));
    EXPECT_EQ(words[12], 9U);
}

TEST_P(TwoSources, Layers) {
    constexpr uint32_t k2DArray = 7;
    create({kSampled, k2DArray, kFloats, kBindRenderTarget, kSize, kSize, 1, 2, 0, 0});
    run(use(15, geometry_of_triangles("DCL OUT[1], LAYER; IMM[1] UINT32 {1, 1, 1, 1}; ",
                                      "MOV OUT[0], IN[@][0]; MOV OUT[1].x, IMM[1]; ")) +
        framebuffer(16, kSampled, kFloats, 1 << 16));
    const Factors& f = kFactors[0];
    drawn(f, draw_list(6, 1));
    const auto all = texels<std::array<float, 4>>(kSampled, {0, 0, 0, kSize, kSize, 2});
    // lavapipe 22.3 reads those of layer 0 (docs/driver-bugs.md).
    const Way& way = GetParam();
    const bool wrong = way.device == std::string_view("llvmpipe") && !way.without.empty();
    EXPECT_EQ(all[0], kBefore);
    EXPECT_EQ(all[kSize * kSize], wrong ? blended(f, kBefore) : blended(f, blended(f, kBefore)));
}

/// FRAG uses all buffers of the device, so that the constant colour is a specialization constant.
TEST_P(TwoSources, ConstantColorsWithoutRoomForTheStateBuffer) {
    std::string declared = "FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL TEMP[0..1]\n", sum;
    // All of them are 0. Both devices have 15 uniform buffers; more of them take storage buffers.
    const int uniforms = 30, stores = options_.device == "SwiftShader" ? 15 : 17;
    for (int i = 0; i < uniforms; i++) {
        declared += fmt::format("DCL CONST[{}][0]\n", i);
        sum += fmt::format("ADD TEMP[0], TEMP[0], CONST[{}][0]\n", i);
    }
    for (int i = 0; i < stores; i++) {
        declared += fmt::format("DCL BUFFER[{}]\n", i);
        sum += fmt::format("LOAD TEMP[1], BUFFER[{}], IMM[1].xxxx\nADD TEMP[0], TEMP[0], TEMP[1]\n", i);
    }
    declared += "IMM[0] FLT32 {1, 1, 1, 1}\nIMM[1] UINT32 {0, 0, 0, 0}\nMOV TEMP[0], IMM[0]\n";
    run(use(15, declared + sum + "MOV OUT[0], TEMP[0]\nMOV OUT[1], IMM[0]\nEND\n") + constants(0, 0, 0, 0));
    constexpr Factors kConstantAndSecond{kConstColor, kInvSecondColor, kOne, kZero};
    const auto color = [](float red) {
        return command(Id::SetBlendColor, {bits(red), bits(red), bits(red), bits(red)});
    };
    EXPECT_EQ(drawn(kConstantAndSecond, color(0.5F) + draw_list(3, 1) + color(0.25F) + draw_list(3, 1))[0], 0.25F);
}

/// OpenGL: an error (ARB_blend_func_extended). lavapipe 22.3 ends as it compiles such blending.
TEST_P(TwoSources, AreNotBlendedInTwoTargets) {
    make_texture(kSampled, kFloats);
    const Buffer other = object(O::Surface, {16, kSampled, kFloats, 0, 0});
    EXPECT_EQ(drawn(kFactors[0], other + command(Id::SetFramebufferState, {2, 0, 13, 16}) + draw_list(6, 1)), kFirst);
}

/// FRAG cannot read slices of 3D images as input attachments (VUID-VkDescriptorImageInfo-imageView-07795).
TEST_P(TwoSources, SlicesAreBlendedByTheDeviceAlone) {
    create({kSampled, 3, kFloats, kBindRenderTarget, kSize, kSize, 2, 1, 0, 0});
    const Buffer slice = framebuffer(16, kSampled, kFloats);
    const bool blends = GetParam().name == std::string_view("TheDevice");
    EXPECT_EQ(
        drawn(kFactors[1], slice + draw_list(6, 1), blit(kBlitColor, {kFloatTarget, kFloats}, {kSampled, kFloats})),
        blends ? blended(kFactors[1], blended(kFactors[1], {})) : kFirst);
}

/// Other draws before and after, in the same framebuffer.
TEST_P(TwoSources, AmongOtherDraws) {
    const Factors& f = kFactors[0];
    const auto next = blended(f, kBefore);
    EXPECT_EQ(drawn(f, bind(O::Blend, 1) + draw_list(3, 1) + bind(O::Blend, 21) + draw_list(6, 1)),
              blended(f, blended(f, kFirst)));
    EXPECT_EQ(drawn(f, draw_list(3, 1) + bind(O::Blend, 1) + draw_list(3, 1)), kFirst);
    EXPECT_EQ(drawn(f, draw_list(3, 1)), next);
}

/// More than one batch has.
TEST_P(TwoSources, ManyPrimitives) {
    constexpr uint32_t kInstances = 3000;
    const Factors adds{kSecondAlpha, kOne, kSecondAlpha, kOne};
    const auto all = drawn(adds, draw_list(6, kInstances));
    for (size_t c = 0; c < 4; c++) EXPECT_EQ(all[c], kBefore[c] + 2 * kInstances * kFirst[c] * kSecond[3]);
}

std::string told;

/// Software devices keep the order of primitives anyway, so no picture tells whether each one has its barrier.
TEST_P(TwoSources, PrimitivesHaveBarriersWhereTheDeviceDoesNotOrderThem) {
    told.clear();
    set_log([](const std::string& line) { told += line; });
    drawn(kFactors[0], draw_list(6, 50));
    renderer_ = nullptr;  // tells the last numbers
    set_log(nullptr);
    const size_t at = told.find(" barriers");
    ASSERT_NE(at, std::string::npos) << told;
    const int barriers = std::stoi(told.substr(told.rfind(' ', at - 1) + 1));
    if (std::string_view(GetParam().name).find("OneByOne") == std::string_view::npos)
        EXPECT_LT(barriers, 20);
    else
        EXPECT_GE(barriers, 100);
}

INSTANTIATE_TEST_SUITE_P(, TwoSources, testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace tgsi2spv::host
