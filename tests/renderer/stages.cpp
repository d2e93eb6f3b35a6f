// Stages and resources beyond those of OpenGL 2.1, on lavapipe.
#include <filesystem>

#include "drawing.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr uint32_t kRed = 0xffff0000;
constexpr const char* kRedFrag = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 0, 0, 1}\nMOV OUT[0], IMM[0]\nEND\n";

Buffer red() {
    return use(20, kRedFrag);
}
Buffer columns(uint32_t first, uint32_t end) {
    return command(Id::SetScissorState, {0, first, end | 16 << 16});
}

class GuestStages : public Draws {};

// ---- Equal shaders

TEST_F(GuestStages, EqualShadersAreCompiledOnce) {
    const std::filesystem::path folder = testing::TempDir() + "equal-shaders";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    renderer_ = nullptr;  // one device in a process
    auto made = make_renderer({.device = "llvmpipe", .shader_folder = folder});
    ASSERT_TRUE(made) << made.error();
    renderer_ = std::move(*made);
    const Buffer deleted = command(Id::DestroyObject, {20}, static_cast<uint32_t>(O::Shader));
    run(red() + deleted + red() + shader(21, kRedFrag) + shader(22, kVert));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2) << "one file for each text";
}

// ---- Tessellation

constexpr const char* kEval =
    "TESS_EVAL; PROPERTY TES_PRIM_MODE 4; PROPERTY TES_SPACING 2; DCL IN[][0], POSITION; DCL SV[0], TESSCOORD; "
    "DCL OUT[0], POSITION; DCL TEMP[0]; MUL TEMP[0], IN[0][0], SV[0].xxxx; MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]; "
    "MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]; END";
constexpr const char* kPositionVert = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";

Buffer tessellated() {
    return scene() + whole_target() + red() + use(21, kPositionVert) + use(22, kEval) +
           command(Id::SetTessState, {bits(1), bits(1), bits(1), bits(1), bits(1), bits(1)});
}
Buffer patches(uint32_t vertices_per_patch) {
    return command(Id::DrawVbo, {0, 3, 14, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, vertices_per_patch, 0});
}

TEST_F(GuestStages, AnEvaluationShaderNeedsNoControlShader) {
    EXPECT_THAT(pixels_after(tessellated() + patches(3)), Each(kRed));
}

TEST_F(GuestStages, LevelsOfZeroDropThePatch) {
    EXPECT_THAT(pixels_after(tessellated() + command(Id::SetTessState, {0, 0, 0, 0, 0, 0}) + patches(3)), Each(kGreen));
}

TEST_F(GuestStages, PatchesAndEvaluationShadersOnlyDrawTogether) {
    run(tessellated() + triangle());
    EXPECT_THAT(pixels_after(bind_shader(0, 4) + patches(3)), Each(kGreen));
}

TEST_F(GuestStages, PatchesHaveBoundedSizes) {
    refuse(tessellated() + patches(0));
}
TEST_F(GuestStages, PatchesAreNotLargerThanTheDeviceTakes) {
    refuse(tessellated() + patches(33));
}

// ---- Geometry

TEST_F(GuestStages, GeometryShadersReplaceWhatIsDrawn) {
    // A point becomes a triangle over the whole target.
    const char* text =
        "GEOM; PROPERTY GS_INPUT_PRIMITIVE POINTS; PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP; "
        "PROPERTY GS_MAX_OUTPUT_VERTICES 3; PROPERTY GS_INVOCATIONS 1; DCL IN[][0], POSITION; DCL OUT[0], POSITION; "
        "IMM[0] FLT32 {-1, 3, 0, 1}; IMM[1] UINT32 {0, 0, 0, 0}; MOV OUT[0], IMM[0].xxzw; EMIT IMM[1].xxxx; "
        "MOV OUT[0], IMM[0].yxzw; EMIT IMM[1].xxxx; MOV OUT[0], IMM[0].xyzw; EMIT IMM[1].xxxx; ENDPRIM IMM[1].xxxx; "
        "END";
    const Buffer point = command(Id::DrawVbo, {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
    EXPECT_THAT(pixels_after(scene() + whole_target() + red() + use(21, text) + point), Each(kRed));
}

/// VUID-VkGraphicsPipelineCreateInfo-pStages-00739
TEST_F(GuestStages, GeometryShadersOfOtherPrimitivesThanTessellationMakes) {
    const auto geometry = [](const std::string& input) {
        return "GEOM; PROPERTY GS_INPUT_PRIMITIVE " + input +
               "; PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP; PROPERTY GS_MAX_OUTPUT_VERTICES 3; "
               "DCL IN[][0], POSITION; DCL OUT[0], POSITION; IMM[0] FLT32 {-1, 3, 0, 1}; IMM[1] UINT32 {0, 0, 0, 0}; "
               "MOV OUT[0], IMM[0].xxzw; EMIT IMM[1].xxxx; MOV OUT[0], IMM[0].yxzw; EMIT IMM[1].xxxx; "
               "MOV OUT[0], IMM[0].xyzw; EMIT IMM[1].xxxx; END";
    };
    EXPECT_THAT(pixels_after(tessellated() + use(50, geometry("LINES")) + patches(3)), Each(kGreen));
    EXPECT_THAT(pixels_after(use(51, geometry("TRIANGLES")) + patches(3)), Each(kRed));
}

// ---- State that is data

/// Between two draws of one program, with the same pipeline.
TEST_F(GuestStages, AlphaReferencesChangeFromDrawToDraw) {
    const char* text = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 0, 0, 0.5}\nMOV OUT[0], IMM[0]\nEND\n";
    constexpr uint32_t kGreater = 1u << 8 | 4u << 9;  // the alpha test is on
    const auto reference = [](uint32_t handle, float value) {
        return bind_new(O::DepthStencilAlpha, {handle, kGreater, 0, 0, bits(value)});
    };
    run(scene() + use(20, text) + reference(40, 0.25F) + columns(0, 4) + triangle() + reference(41, 0.75F) +
        columns(4, 8) + triangle() + bind(O::DepthStencilAlpha, 40) + columns(8, 12) + triangle());
    const auto all = pixels();
    const auto drawn = [&](size_t column) { return all[column] != kGreen; };
    EXPECT_TRUE(drawn(0) && drawn(8));
    EXPECT_FALSE(drawn(4) || drawn(12));
}

// ---- Uniform buffers

// lavapipe has 15 in a stage, and a guest may use them all: no room for the library's state buffer.
TEST_F(GuestStages, AllUniformBuffersMayBeUsed) {
    std::string text = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL TEMP[0]\n";
    for (int n = 1; n < 15; n++) text += "DCL CONST[" + std::to_string(n) + "][0]\n";
    text += "MOV TEMP[0], CONST[0]\n";
    for (int n = 1; n < 15; n++) text += "ADD TEMP[0], TEMP[0], CONST[" + std::to_string(n) + "][0]\n";
    text += "MOV OUT[0], TEMP[0]\nEND\n";
    const auto alpha_less_than = [](uint32_t handle, float reference) {
        return bind_new(O::DepthStencilAlpha, {handle, 1u << 8 | 1u << 9, 0, 0, bits(reference)});
    };
    const Buffer setup = scene() + whole_target() + use(21, text);
    EXPECT_EQ(first_pixel(setup + alpha_less_than(30, 0.5F) + triangle()), kGreen) << "the clear: alpha is 1";
    EXPECT_EQ(first_pixel(alpha_less_than(31, 1.5F) + triangle()), 0xff80ffffu);
}

// ---- Textures

TEST_F(GuestStages, ClampOfOpenglMixesEdgeAndBorder) {
    constexpr uint32_t kTexture = 3, kFloat = 31;
    create({kTexture, 2, kFloat, kBindSamplerView, 1, 1, 1, 1, 0, 0});
    const std::array<float, 4> white{1, 1, 1, 1};
    write(kTexture, {0, 0, 0, 1, 1, 1}, white);
    const char* text =
        "FRAG; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], 2D, FLOAT; IMM[0] FLT32 {3, 0.5, 0, 1}; "
        "TEX OUT[0], IMM[0], SAMP[0], 2D; END";
    const auto sampler = [](uint32_t handle, Wrap wrap, Filter filter) {
        const auto f = static_cast<uint32_t>(filter);
        const uint32_t word = static_cast<uint32_t>(wrap) | static_cast<uint32_t>(Wrap::ClampToEdge) << 3 | f << 9 |
                              static_cast<uint32_t>(MipFilter::None) << 11 | f << 13;
        return object(O::SamplerState, {handle, word, 0, 0, 0, 0, 0, 0, 0}) +
               command(Id::BindSamplerStates, {1, 0, handle}) + triangle();
    };
    EXPECT_EQ(first_pixel(scene() + whole_target() + use(21, text) + sample(40, kTexture, kFloat) +
                          sampler(30, Wrap::Clamp, Filter::Linear)),
              0x80808080u)
        << "the coordinate is 1, between the texel and the border";
    EXPECT_EQ(first_pixel(sampler(31, Wrap::Clamp, Filter::Nearest)), 0xffffffffu);
    EXPECT_EQ(first_pixel(sampler(32, Wrap::ClampToBorder, Filter::Linear)), 0u);
    EXPECT_EQ(first_pixel(sampler(33, Wrap::ClampToEdge, Filter::Linear)), 0xffffffffu);
}

// ---- Comparisons

TEST_F(GuestStages, ComparisonsTakeTheSwizzleOfTheirView) {
    constexpr uint32_t kDepths = 3, kZ32Float = 18;
    create({kDepths, 2, kZ32Float, kBindSamplerView | kBindDepthStencil, 1, 1, 1, 1, 0, 0});
    const float depth = 0.5F;
    write(kDepths, {0, 0, 0, 1, 1, 1}, std::span(&depth, 1));
    const char* text =
        "FRAG; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], SHADOW2D, FLOAT; IMM[0] FLT32 {0.5, 0.5, 0.25, 1}; "
        "TEX OUT[0], IMM[0], SAMP[0], SHADOW2D; END";
    // The reference 0.25 is less than 0.5: the comparison gives 1.
    const uint32_t less = 1u << 15 | 1u << 16, zero = 4, one = 5;
    const Buffer sampler =
        object(O::SamplerState, {30, less, 0, 0, 0, 0, 0, 0, 0}) + command(Id::BindSamplerStates, {1, 0, 30});
    const auto view = [&](uint32_t handle, uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
        return sample(handle, kDepths, kZ32Float, x | y << 3 | z << 6 | w << 9) + triangle();
    };
    const Buffer setup = scene() + whole_target() + use(21, text) + sampler;
    EXPECT_EQ(first_pixel(setup + view(40, 0, 0, 0, one)), 0xffffffffu) << "luminance";
    EXPECT_EQ(first_pixel(view(41, zero, zero, zero, 0)), 0xff000000u) << "alpha";
    EXPECT_EQ(first_pixel(view(42, 0, zero, zero, zero)), 0x00ff0000u) << "red";
    EXPECT_EQ(first_pixel(view(43, 0, 0, 0, 0)), 0xffffffffu) << "intensity";
}

/// Integers of the other sign; normalised numbers, whose w is 1, as in Mesa's incomplete textures.
TEST_F(GuestStages, IntegersAreReadOfAllBytes) {
    constexpr uint32_t kTexture = 3, kRgba8Uint = 180, kRgba8Sint = 184, kRgba8Unorm = 67;
    const uint32_t texel = 0x04030201;
    for (const uint32_t format : {kRgba8Sint, kRgba8Uint, kRgba8Unorm}) {
        const uint32_t texture = kTexture + format;
        create({texture, 2, format, kBindSamplerView, 1, 1, 1, 1, 0, 0});
        write(texture, {0, 0, 0, 1, 1, 1}, std::span(&texel, 1));
    }
    const auto view = [](uint32_t handle, uint32_t format) {
        return object(O::SamplerView, {handle, kTexture + format, format, 0, 0, kXyzw});
    };
    run(scene() + whole_target() + object(O::SamplerState, {30, 0, 0, 0, 0, 0, 0, 0, 0}) +
        command(Id::BindSamplerStates, {1, 0, 30}) + view(40, kRgba8Uint) + view(41, kRgba8Sint) +
        view(42, kRgba8Unorm));
    uint32_t handle = 50;
    for (const char* type : {"SINT", "UINT"}) {
        const std::string text = std::string("FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, ") + type +
                                 "\nDCL TEMP[0]\nIMM[0] FLT32 {0.5, 0.5, 0.2, 0}\nTEX TEMP[0], IMM[0], SAMP[0], 2D\n"
                                 "I2F TEMP[0], TEMP[0]\nMUL OUT[0], TEMP[0], IMM[0].zzzz\nEND\n";
        handle++;
        run(use(handle, text));
        for (const uint32_t bound : {41u, 40u, 42u}) {
            EXPECT_EQ(first_pixel(command(Id::SetSamplerViews, {1, 0, bound}) + triangle()),
                      bound == 42 ? 0x33336699u : 0xcc336699u)
                << type << " of " << bound;
        }
    }
}

// ---- Storage and compute

constexpr uint32_t kWords = 3;

constexpr const char* kComp =
    "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 2; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; "
    "DCL SV[0], THREAD_ID; DCL SV[1], BLOCK_ID; DCL BUFFER[0]; DCL TEMP[0..1]; IMM[0] UINT32 {2, 4, 7, 0}; "
    "UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx; UMUL TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy; "
    "UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz; STORE BUFFER[0].x, TEMP[1].xxxx, TEMP[0].xxxx; END";

Buffer compute() {
    return use(21, kComp);
}
Buffer bind_storage(virgl::Stage stage, uint32_t offset, uint32_t bytes) {
    return command(Id::SetShaderBuffers, {static_cast<uint32_t>(stage), 0, offset, bytes, kWords});
}
Buffer dispatch(uint32_t groups) {
    return command(Id::LaunchGrid, {2, 1, 1, groups, 1, 1, 0, 0});
}

TEST_F(GuestStages, ComputeStoresInsideTheBoundRange) {
    make_buffer(kWords, kBindShaderBuffer, Buffer(8, 1));
    run(compute() + bind_storage(virgl::Stage::Comp, 16, 12) + dispatch(2));
    EXPECT_THAT(words_of(kWords, 8), ElementsAre(1, 1, 1, 1, 7, 8, 9, 1));
}

// Newer guests than Mesa 22.3: the first register is the lowest binding of OpenGL, in any slot.
TEST_F(GuestStages, TheFirstDeclaredBufferIsSlotZero) {
    const char* second_of_two =
        "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 1; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; "
        "DCL BUFFER[3]; DCL BUFFER[4]; DCL TEMP[0]; IMM[0] UINT32 {0, 5, 0, 0}; "
        "STORE BUFFER[4].x, IMM[0].xxxx, IMM[0].yyyy; END";
    make_buffer(kWords, kBindShaderBuffer, Buffer(8, 1));
    run(use(21, second_of_two) + command(Id::SetShaderBuffers, {5, 0, 0, 16, kWords, 16, 16, kWords}) + dispatch(1));
    EXPECT_THAT(words_of(kWords, 8), ElementsAre(1, 1, 1, 1, 5, 1, 1, 1));
}

TEST_F(GuestStages, DispatchesWaitForEachOther) {
    const char* increment =
        "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 1; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; "
        "DCL BUFFER[0]; DCL TEMP[0]; IMM[0] UINT32 {0, 1, 0, 0}; LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx; "
        "UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy; STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx; END";
    make_buffer(kWords, kBindShaderBuffer, Buffer(4, 0));
    Buffer commands = use(21, increment) + bind_storage(virgl::Stage::Comp, 0, 16);
    for (int i = 0; i < 50; i++) commands = commands + command(Id::LaunchGrid, {1, 1, 1, 1, 1, 1, 0, 0});
    run(commands);
    EXPECT_EQ(words_of(kWords, 1)[0], 50u);
}

TEST_F(GuestStages, IndirectDispatchesReadTheirGrid) {
    constexpr uint32_t kGrid = 4;
    make_buffer(kWords, kBindShaderBuffer, Buffer(8, 1));
    make_buffer(kGrid, kBindCommandArgs, {0, 3, 1, 1});
    run(compute() + bind_storage(virgl::Stage::Comp, 0, 32) + command(Id::LaunchGrid, {2, 1, 1, 0, 0, 0, kGrid, 4}));
    EXPECT_THAT(words_of(kWords, 8), ElementsAre(7, 8, 9, 10, 11, 12, 1, 1));
    refuse(command(Id::LaunchGrid, {2, 1, 1, 0, 0, 0, kGrid, 8}));
}

TEST_F(GuestStages, GridsAndBlocksAreBounded) {
    for (const Buffer& wrong : {dispatch(0xffff'ffff), command(Id::LaunchGrid, {4096, 4096, 1, 1, 1, 1, 0, 0})}) {
        start();
        refuse(compute() + wrong);
    }
}

TEST_F(GuestStages, StorageIsBoundInsideItsBuffer) {
    for (const auto& [offset, bytes] : {std::pair{4u, 4u}, std::pair{48u, 4u}, std::pair{0xffff'fff0u, 16u}}) {
        start();
        make_buffer(kWords, kBindShaderBuffer, Buffer(8, 1));
        EXPECT_EQ(renderer_->submit(bind_storage(virgl::Stage::Comp, offset, bytes)), Outcome::Refused) << offset;
    }
}

TEST_F(GuestStages, FragmentsStoreToImages) {
    constexpr uint32_t kImage = 3, kR32Uint = 193;
    const ResourceRequest image{kImage, 2, kR32Uint, kBindShaderBuffer | kBindSamplerView, kSize, kSize, 1, 1, 0, 0};
    create(image);
    const auto text = [](const char* format, const char* value = "5") {
        return std::string("FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL IMAGE[0], 2D, ") + format +
               ", WR\nDCL TEMP[0]\nIMM[0] UINT32 {" + value +
               ", 5, 5, 5}\nF2I TEMP[0], IN[0]\n"
               "STORE IMAGE[0].x, TEMP[0], IMM[0], 2D, " +
               format + "\nMOV OUT[0], IMM[0]\nEND\n";
    };
    const auto texels = [&] {
        const auto read = pixels(kImage);
        return read;
    };
    const Buffer bound = command(Id::SetShaderImages, {1, 0, kR32Uint, 2, 0, 0, kImage});
    // Another type than the image's: an image that is not of the declared kind counts as missing.
    run(scene() + bound + use(21, text("PIPE_FORMAT_R32_FLOAT")) + triangle());
    EXPECT_THAT(texels(), Each(0u));
    run(use(22, text("PIPE_FORMAT_R32_UINT")) + triangle());
    const auto left_half = [&](uint32_t value) {
        const auto read = texels();
        for (uint32_t i = 0; i < kSize * kSize; i++) EXPECT_EQ(read[i], i % kSize < 8 ? value : 0u) << i;
    };
    left_half(5);
    // GLSL's `writeonly uimage2D`: the type is that of the image.
    run(use(23, text("PIPE_FORMAT_NONE", "6")) + triangle());
    left_half(6);
    run(use(24, text("PIPE_FORMAT_R16_UINT", "700000")) + triangle());
    left_half(700000);
}

/// An index joins all images of a shader in one binding; those without a format keep the types of the bound images.
TEST_F(GuestStages, ImagesWithoutAFormatAreOfSeveralTypes) {
    constexpr uint32_t kIntegers = 3, kReals = 4, kR32Uint = 193, kR32Float = 28;
    for (const auto& [handle, format] : {std::pair{kIntegers, kR32Uint}, std::pair{kReals, kR32Float}})
        create({handle, 2, format, kBindShaderBuffer | kBindSamplerView, kSize, kSize, 1, 1, 0, 0});
    const char* text =
        "FRAG; DCL IN[0], POSITION, LINEAR; DCL OUT[0], COLOR; DCL IMAGE[0..1], 2D, PIPE_FORMAT_NONE, WR; DCL TEMP[0]; "
        "DCL ADDR[0]; IMM[0] UINT32 {6, 0, 0, 0}; IMM[1] FLT32 {0.5, 0.5, 0.5, 0.5}; F2I TEMP[0], IN[0]; "
        "UARL ADDR[0].x, IMM[0].yyyy; STORE IMAGE[0].x, TEMP[0], IMM[0], 2D, PIPE_FORMAT_NONE; "
        "STORE IMAGE[ADDR[0].x+1].x, TEMP[0], IMM[1], 2D, PIPE_FORMAT_NONE; MOV OUT[0], IMM[1]; END";
    run(scene() + command(Id::SetShaderImages, {1, 0, kR32Uint, 2, 0, 0, kIntegers, kR32Float, 2, 0, 0, kReals}) +
        use(21, text) + triangle());
    for (const auto& [handle, value] : {std::pair{kIntegers, 6u}, std::pair{kReals, bits(0.5F)}}) {
        const auto read = pixels(handle);
        EXPECT_EQ(read[0], value);
        EXPECT_EQ(read[kSize - 1], 0u);  // outside of the scissor
    }
}

TEST_F(GuestStages, ImagesAreBoundInsideTheirResource) {
    constexpr uint32_t kImage = 3, kR32Uint = 193;
    for (const auto& [format, layers, level] :
         {std::tuple{kR32Uint, 0u, 1u}, std::tuple{kR32Uint, 1u << 16, 0u}, std::tuple{kR32Uint, 1u, 0u},
          std::tuple{kFloats, 0u, 0u}, std::tuple{511u, 0u, 0u}}) {
        start();
        create({kImage, 2, kR32Uint, kBindShaderBuffer, kSize, kSize, 1, 1, 0, 0});
        EXPECT_EQ(renderer_->submit(command(Id::SetShaderImages, {1, 0, format, 2, layers, level, kImage})),
                  Outcome::Refused)
            << format << " " << layers << " " << level;
    }
}

// ---- Indirect draws

TEST_F(GuestStages, IndirectDrawsReadTheirArguments) {
    constexpr uint32_t kArguments = 4;
    make_buffer(kArguments, kBindCommandArgs, {9, 9, 3, 1, 0, 0, 0, 0});
    const auto indirect = [](uint32_t offset, uint32_t stride, uint32_t draws) {
        return command(Id::DrawVbo,
                       {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, 0, 0, kArguments, offset, stride, draws, 0, 0});
    };
    EXPECT_THAT(pixels_after(scene() + whole_target() + red() + indirect(8, 0, 1)), Each(kRed));
    for (const Buffer& wrong : {indirect(20, 0, 1), indirect(6, 0, 1), indirect(0, 8, 2), indirect(0, 16, 3),
                                indirect(0, 0xffff'fff0, 2), indirect(0xffff'fffc, 0, 1)}) {
        start();
        make_buffer(kArguments, kBindCommandArgs, Buffer(8, 1));
        refuse(scene() + red() + wrong);
    }
}

// ---- State that stays from draw to draw

constexpr uint32_t kYellow = 0xffffff00, kCyan = 0xff00ffff, kBlue = 0xff0000ff;

Buffer stage_constants(virgl::Stage stage, float red, float green, float blue) {
    return command(Id::SetConstantBuffer,
                   {static_cast<uint32_t>(stage), 0, bits(red), bits(green), bits(blue), bits(1)});
}

TEST_F(GuestStages, EachStageKeepsItsConstants) {
    const char* colour =
        "VERT; DCL IN[0]; DCL OUT[0], POSITION; DCL OUT[1], GENERIC[0]; DCL CONST[0]; MOV OUT[0], IN[0]; "
        "MOV OUT[1], CONST[0]; END";
    make_buffer(kWords, kBindShaderBuffer, Buffer(8, 1));
    const auto alpha = [](uint32_t handle, uint32_t function) {  // another pipeline of one program
        return bind_new(O::DepthStencilAlpha, {handle, 1u << 8 | function << 9, 0, 0, bits(0.5F)});
    };
    const char* two_buffers =
        "FRAG; DCL OUT[0], COLOR; DCL CONST[0]; DCL CONST[1][0]; ADD OUT[0], CONST[0], CONST[1][0]; END";
    const Buffer another_program = use(23, two_buffers) + columns(12, 14) + triangle() + bind_shader(6, 1);
    run(scene() + use(22, colour) +  //
        stage_constants(virgl::Stage::Vert, 1, 1, 0) + stage_constants(virgl::Stage::Frag, 1, 1, 1) + columns(0, 2) +
        triangle() +                                                                 //
        stage_constants(virgl::Stage::Vert, 0, 1, 1) + columns(2, 4) + triangle() +  //
        stage_constants(virgl::Stage::Frag, 0, 0, 1) + columns(4, 6) + triangle() +  //
        columns(6, 8) + triangle() +                                                 //
        compute() + bind_storage(virgl::Stage::Comp, 0, 32) + dispatch(1) +          //
        columns(8, 10) + triangle() +                                                //
        stage_constants(virgl::Stage::Vert, 1, 1, 1) + another_program +             //
        alpha(40, 4) + columns(14, 15) + triangle() + alpha(41, 7) + columns(15, 16) + triangle());
    const auto all = pixels();
    EXPECT_THAT(std::vector(all.begin(), all.begin() + 16),
                ElementsAre(kYellow, kYellow, kCyan, kCyan, kBlue, kBlue, kBlue, kBlue, kBlue, kBlue, kGreen, kGreen,
                            kBlue, kBlue, kBlue, kBlue));
    EXPECT_EQ(words_of(kWords, 1)[0], 7u);
}

TEST_F(GuestStages, LinesAndTrianglesOfOneProgram) {
    const Buffer line = command(Id::DrawVbo, {0, 2, 1, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
    // The line is in row 4 from column 4 on, and the triangle below it.
    const Buffer viewport =
        command(Id::SetViewportState, {0, bits(4), bits(4), bits(0.5F), bits(8.5F), bits(8.5F), bits(0.5F)});
    run(scene() + viewport + red() + columns(6, 7) + triangle() + columns(10, 12) + line + columns(8, 9) + triangle());
    const auto all = pixels();
    const auto row = [&](size_t y) { return std::vector(&all[y * kSize + 5], &all[y * kSize + 13]); };
    EXPECT_THAT(row(3), Each(kGreen));
    EXPECT_THAT(row(4), ElementsAre(kGreen, kRed, kGreen, kRed, kGreen, kRed, kRed, kGreen));
    EXPECT_THAT(row(6), ElementsAre(kGreen, kRed, kGreen, kRed, kGreen, kGreen, kGreen, kGreen));
}

TEST_F(GuestStages, BuffersOfVerticesAndIndicesChange) {
    constexpr uint32_t kBlueVertices = 10, kShort = 11, kLong = 12;
    Buffer blue;
    for (const auto& [x, y] : {std::pair{-1.0F, -1.0F}, {3.0F, -1.0F}, {-1.0F, 3.0F}})
        blue.insert(blue.end(), {bits(x), bits(y), 0, bits(1), 0, 0, bits(1), bits(1), 0, 0, 0, 0});  // 48 bytes
    make_buffer(kBlueVertices, kBindVertexBuffer, blue);
    make_buffer(kShort, kBindIndexBuffer, {0xfffe'fffd, 0xffff});
    make_buffer(kLong, kBindIndexBuffer, {9, 0, 1, 2});
    const auto indices = [](uint32_t buffer, uint32_t bytes, uint32_t offset) {
        return command(Id::SetIndexBuffer, {buffer, bytes, offset});
    };
    const auto indexed = [](uint32_t bias, bool restarts) {
        return command(Id::DrawVbo, {0, 3, 4, 1, 1, bias, 0, restarts, 0xffff, 0, ~0u, 0});
    };
    constexpr uint32_t kFromTheEnd = 0u - 0xfffd;  // the last index is 0xffff, and vertex 2 unless it restarts
    run(scene() + stage_constants(virgl::Stage::Frag, 1, 1, 1) +                                               //
        indices(kShort, 2, 0) + columns(0, 2) + indexed(kFromTheEnd, false) +                                  //
        columns(2, 4) + indexed(kFromTheEnd, true) +                                                           //
        columns(4, 6) + indexed(kFromTheEnd, false) +                                                          //
        command(Id::SetVertexBuffers, {48, 0, kBlueVertices}) + columns(6, 8) + indexed(kFromTheEnd, false) +  //
        indices(kLong, 4, 4) + columns(8, 10) + indexed(0, false) +                                            //
        command(Id::SetVertexBuffers, {32, 0, kVertices}) + columns(10, 12) + indexed(0, false));
    const auto all = pixels();
    constexpr uint32_t kMagenta = 0xffff00ff;
    EXPECT_THAT(std::vector(all.begin(), all.begin() + 12),
                ElementsAre(kMagenta, kMagenta, kGreen, kGreen, kMagenta, kMagenta, kBlue, kBlue, kBlue, kBlue,
                            kMagenta, kMagenta));
}

}  // namespace
}  // namespace tgsi2spv::host
