// Commands for which memory is short. What earlier ones have used is free after a wait, so all of these are done, in
// one submission; and what finds no memory even then is skipped, with a line in the log, and changes nothing.
#include <gmock/gmock.h>
#include <volk.h>

#include "queries.h"
#include "renderer/state/log.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

/// While it lives, calls of one function return an error, and do nothing.
template <auto kPlace, class Function = std::remove_pointer_t<std::remove_pointer_t<decltype(kPlace)>>>
class Refuses;
template <auto kPlace, class... Parameters>
class Refuses<kPlace, VkResult(Parameters...)> {
  public:
    Refuses() {
        real_ = std::exchange(
            *kPlace, +[](Parameters...) -> VkResult { return VK_ERROR_OUT_OF_DEVICE_MEMORY; });
    }
    Refuses(const Refuses&) = delete;
    Refuses& operator=(const Refuses&) = delete;
    ~Refuses() { *kPlace = real_; }

  private:
    VkResult (*VKAPI_PTR real_)(Parameters...);
};

class ShortMemory : public Draws {
  protected:
    void start() override {
        options_.memory_limit = uint64_t{kMib} << 20;
        Draws::start();
        log.clear();
        set_log([](const std::string& line) { log += line + "\n"; });
    }
    void TearDown() override {
        set_log(nullptr);
        EXPECT_THAT(log, Not(HasSubstr("validation:")));
        Draws::TearDown();
    }
    /// All of these commands are done.
    void run_all(const Buffer& commands) {
        run(commands);
        EXPECT_THAT(log, Not(HasSubstr("skipped")));
    }
    static constexpr uint32_t kMib = 20;
    static inline std::string log;
};

void append(Buffer& all, const Buffer& more) {
    all.insert(all.end(), more.begin(), more.end());
}

/// Only one pixel of the target, in the order of its texels.
Buffer only(uint32_t pixel) {
    const uint32_t x = pixel % kSize, y = pixel / kSize;
    return command(Id::SetScissorState, {0, x | y << 16, (x + 1) | (y + 1) << 16});
}

/// 40 KiB for each of 1,024 draws.
TEST_F(ShortMemory, EachDrawHasItsConstants) {
    constexpr uint32_t kLast = 2500, kDraws = 1024;
    Buffer all = scene() +
                 use(61, fmt::format("FRAG; DCL OUT[0], COLOR; DCL CONST[0..{0}]; MOV OUT[0], CONST[{0}]; END", kLast));
    Buffer words(2 + 4 * (kLast + 1), 0);
    words[0] = 1;
    for (uint32_t i = 0; i < kDraws; i++) {
        words[2 + 4 * kLast] = words[4 + 4 * kLast] = bits(static_cast<float>(i % 256) / 255);
        words[5 + 4 * kLast] = bits(1);
        append(all, command(Id::SetConstantBuffer, words) + only(i % 256) + triangle());
    }
    run_all(all);
    const auto drawn = pixels();
    for (uint32_t i = 0; i < 256; i++) EXPECT_EQ(drawn[i], 0xff000000 | i << 16 | i) << i;
}

/// 1 MiB for each of 64 draws: the host replaces the restart index, which is not Vulkan's.
TEST_F(ShortMemory, RewrittenIndicesAreDrawn) {
    constexpr uint32_t kIndices = 30, kCount = 1 << 18, kDraws = 64;
    std::vector<uint16_t> indices(kCount);
    indices[1] = 1;
    indices[2] = 2;
    create({kIndices, 0, 64, kBindIndexBuffer, 2 * kCount, 1, 1, 1, 0, 0});
    write(kIndices, {0, 0, 0, 2 * kCount, 1, 1}, indices);
    Buffer all = scene() + command(Id::SetIndexBuffer, {kIndices, 2, 0});
    for (uint32_t i = 0; i < kDraws; i++)
        append(all, only(i) + command(Id::DrawVbo, {0, kCount, 4, 1, 1, 0, 0, 1, 0x7fff, 0, ~0U, 0}));
    run_all(all);
    const auto drawn = pixels();
    EXPECT_THAT(std::span(drawn).first(kDraws), Each(kDrawn));
}

/// 1 MiB for each of 64 blits: the level that they read and draw to is copied first.
TEST_F(ShortMemory, BlitsWithinALevelAreDone) {
    constexpr uint32_t kImage = 30, kWidth = 512, kBlits = 64;
    create({kImage, 2, kBgra, kBindRenderTarget, kWidth, kWidth, 1, 1, 0, 0});
    const auto square = [](uint32_t at) { return Side{kImage, kBgra, {at % kWidth, at / kWidth * 8, 0, 8, 8, 1}}; };
    Buffer all = scene() + framebuffer(31, kImage, kBgra) + clear(1, 0, 1, 1) +
                 command(Id::ClearSurface, {0, 31, 0, 0, 0, 0, 0, 8, kWidth, kWidth});
    for (uint32_t i = 1; i <= kBlits; i++) append(all, blit(kBlitColor, square(8 * i), square(0)));
    run_all(all);
    EXPECT_THAT(texels(kImage, {0, 0, 0, kWidth, 8, 1}), Each(0xffff00ff));
}

/// 512 KiB for each of 64 copies: a texel becomes a block, by way of a buffer.
TEST_F(ShortMemory, CopiesToBlocksAreDone) {
    constexpr uint32_t kBlocks = 30, kTexels = 32, kDxt1 = 105, kRg32 = 29, kWidth = 256;
    create({kBlocks, 2, kDxt1, kBindSamplerView, 4 * kWidth, 4 * kWidth, 1, 1, 0, 0});
    for (uint32_t i = 0; i < 2; i++) {
        create({kTexels + i, 2, kRg32, kBindSamplerView, kWidth, kWidth, 1, 1, 0, 0});
        write(kTexels + i, {0, 0, 0, kWidth, kWidth, 1}, Buffer(2 * kWidth * kWidth, 100 + i));
    }
    Buffer all;
    for (uint32_t i = 0; i < 64; i++)
        append(all, command(Id::ResourceCopyRegion,
                            {kBlocks, 0, 0, 0, 0, kTexels + (i == 63 ? 1 : 0), 0, 0, 0, 0, kWidth, kWidth, 1}));
    run_all(all);
    std::vector<uint64_t> read(kWidth * kWidth);
    ASSERT_EQ(renderer_->read({kBlocks, 0, 0, 0, {0, 0, 0, 4 * kWidth, 4 * kWidth, 1}},
                              std::as_writable_bytes(std::span(read))),
              Outcome::Done);
    EXPECT_THAT(read, Each(uint64_t{101} << 32 | 101));
}

/// 1 MiB for each of 64 copies within a buffer, whose ranges overlap: each moves all words to the one before.
TEST_F(ShortMemory, CopiesWithinABufferAreDone) {
    constexpr uint32_t kBuffer = 30, kCopies = 64, kBytes = 1 << 20;
    Buffer words(kBytes / 4 + 1), all;
    for (uint32_t i = 0; i < words.size(); i++) words[i] = i;
    make_buffer(kBuffer, kBindVertexBuffer, words);
    for (uint32_t i = 0; i < kCopies; i++)
        append(all, command(Id::ResourceCopyRegion, {kBuffer, 0, 0, 0, 0, kBuffer, 0, 4, 0, 0, kBytes, 1, 1}));
    run_all(all);
    EXPECT_EQ(words_of(kBuffer, 1)[0], kCopies);
}

/// What GEOM emits takes 2 MiB, and so does the list of its primitives. Copies leave room for the first only.
TEST_F(ShortMemory, EmulatedGeometryStoresOnce) {
    constexpr uint32_t kStored = 30, kBuffer = 31, kPoints = 128, kGeom = 2;
    const std::string text =
        "GEOM; PROPERTY GS_INPUT_PRIMITIVE POINTS; PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP; "
        "PROPERTY GS_MAX_OUTPUT_VERTICES 1024; DCL IN[][0], POSITION; DCL OUT[0], POSITION; "
        "DCL BUFFER[0]; DCL TEMP[0]; IMM[0] UINT32 {0, 1, 0, 0}; "
        "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy; MOV OUT[0], IN[0][0]; "
        "EMIT IMM[0].xxxx; END";
    for (uint32_t copies = 0; copies < kMib / 2; copies++) {
        restart_without({"geometryShader", "tessellationShader", "VK_EXT_transform_feedback"});
        make_buffer(kStored, kBindShaderBuffer, Buffer(64, 0));
        create({kBuffer, 0, 64, kBindVertexBuffer, (1 << 20) + 4, 1, 1, 1, 0, 0});
        Buffer all = scene() + use(20, text) + command(Id::SetShaderBuffers, {kGeom, 0, 0, 256, kStored});
        for (uint32_t i = 0; i < copies; i++)
            append(all, command(Id::ResourceCopyRegion, {kBuffer, 0, 4, 0, 0, kBuffer, 0, 0, 0, 0, 1 << 20, 1, 1}));
        run_all(all + command(Id::DrawVbo, {0, kPoints, 0, 0, 1, 0, 0, 0, 0, 0, ~0U, 0}));
        EXPECT_EQ(words_of(kStored, 1)[0], kPoints) << copies << " MiB";
    }
}

/// Later commands name a shader, so the program would end without room for it.
TEST_F(ShortMemory, ShadersAreMade) {
    constexpr uint32_t kBuffer = 30, kShaders = 400;
    for (uint32_t copies = 0; copies < kMib; copies += 2) {
        restart_without({});
        create({kBuffer, 0, 64, kBindVertexBuffer, (1 << 20) + 4, 1, 1, 1, 0, 0});
        Buffer all;
        for (uint32_t i = 0; i < copies; i++)
            append(all, command(Id::ResourceCopyRegion, {kBuffer, 0, 4, 0, 0, kBuffer, 0, 0, 0, 0, 1 << 20, 1, 1}));
        for (uint32_t i = 0; i < kShaders; i++) append(all, shader(100 + i, kVert));
        run_all(all);
    }
}

TEST_F(ShortMemory, SlicesThatAreNoTargetsAreNotShortOfMemory) {
    restart_without({"imageView2DOn3DImage", "image2DViewOf3D"});
    create({30, 3, kBgra, kBindRenderTarget, 4, 4, 4, 1, 0, 0});
    run(scene() + framebuffer(31, 30, kBgra));
    EXPECT_THAT(log, Not(HasSubstr("memory")));
    run(blit(kBlitColor, {30, kBgra, {0, 0, 0, 4, 4, 1}}, {kTarget, kBgra, {0, 0, 0, 8, 8, 1}}));
    EXPECT_THAT(log, Not(HasSubstr("memory")));
    EXPECT_THAT(log, HasSubstr("is not supported here"));
}

/// A clear is part of the next rendering. Where nothing is drawn, another command begins one for it.
TEST_F(ShortMemory, ClearsWait) {
    restart_without({"dynamicRendering"});
    const Buffer copy =
        command(Id::ResourceCopyRegion, {kTarget, 0, 0, 0, 0, kTarget, 0, kSize / 2, 0, 0, kSize / 2, kSize, 1});
    run(scene());  // ends with a clear
    {
        const Refuses<&vkCreateFramebuffer> refuses;
        run(copy);
    }
    EXPECT_THAT(log, HasSubstr("memory is short: 1 commands are skipped"));
    EXPECT_THAT(pixels(), Each(kGreen));
}

/// A clear that waits for memory stops no transfer of another resource, which may be another client's.
TEST_F(ShortMemory, TransfersPassAClear) {
    restart_without({"dynamicRendering"});
    constexpr uint32_t kImage = 30;
    create({kImage, 2, kBgra, kBindSamplerView, kSize, kSize, 1, 1, 0, 0});
    run(scene());  // ends with a clear
    {
        const Refuses<&vkCreateFramebuffer> refuses;
        write(kImage, kWhole, Buffer(kSize * kSize, kDrawn));
        EXPECT_THAT(texels(kImage, kWhole), Each(kDrawn));
    }
    EXPECT_THAT(pixels(), Each(kGreen));
}

/// A guest waits for the result of a query that it has ended.
TEST_F(ShortMemory, QueriesEnd) {
    restart_without({"dynamicRendering"});
    const auto memory = std::make_shared<Bytes>(64);
    ASSERT_EQ(renderer_->create_resource({kResult, 0, 64, kBindCustom, 64, 1, 1, 1, 0, 0}, memory), Outcome::Done);
    run(scene());  // ends with a clear
    {
        const Refuses<&vkCreateFramebuffer> refuses;
        run(query(QueryType::Timestamp) + end() + get());
    }
    EXPECT_FALSE(renderer_->busy(kResult, true));
    EXPECT_EQ(memory->storage[0], std::byte{1});
    EXPECT_THAT(pixels(), Each(kGreen));
}

TEST_F(ShortMemory, SurfacesFindTheirViewsLater) {
    const Buffer bound = command(Id::SetFramebufferState, {1, 0, 31});
    create({30, 2, kBgra, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0});
    run(scene());
    {
        const Refuses<&vkCreateImageView> refuses;
        run(object(O::Surface, {31, 30, kBgra, 0, 0}) + bound + triangle());
    }
    EXPECT_THAT(log, HasSubstr("memory is short: 2 commands are skipped"));
    EXPECT_THAT(pixels(), Each(kGreen));
    run(bound + clear(1, 0, 0, 1));
    EXPECT_THAT(texels(30, kWhole), Each(0xffff0000));
}

/// Not drawn with zeros in the place of what the view has.
TEST_F(ShortMemory, DrawsWithoutAViewAreSkipped) {
    constexpr uint32_t kTexture = 30;
    create({kTexture, 2, kBgra, kBindSamplerView, kSize, kSize, 1, 1, 0, 0});
    write(kTexture, kWhole, Buffer(kSize * kSize, 0xffffffff));
    const Buffer sampled =
        scene() + whole_target() + sample(40, kTexture, kBgra) +
        use(61,
            "FRAG; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], 2D, FLOAT; IMM[0] INT32 {0, 0, 0, 0}; "
            "TXF OUT[0], IMM[0], SAMP[0], 2D; END");
    run(sampled);
    {
        const Refuses<&vkCreateImageView> refuses;
        run(triangle());
    }
    EXPECT_THAT(log, HasSubstr("memory is short: 1 commands are skipped"));
    EXPECT_THAT(pixels(), Each(kGreen));
    EXPECT_THAT(pixels_after(triangle()), Each(0xffffffff));
}

TEST_F(ShortMemory, DrawsWithoutTexelsAreSkipped) {
    constexpr uint32_t kTexels = 30, kRgba32 = 31;
    make_buffer(kTexels, kBindSamplerView, Buffer(4, bits(1)));
    run(scene() + whole_target() + object(O::SamplerView, {40, kTexels, kRgba32, 0, 0, kXyzw}) +
        command(Id::SetSamplerViews, {1, 0, 40}) +
        use(61,
            "FRAG; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], BUFFER, FLOAT; IMM[0] INT32 {0, 0, 0, 0}; "
            "TXF OUT[0], IMM[0], SAMP[0], BUFFER; END"));
    {
        const Refuses<&vkCreateBufferView> refuses;
        run(triangle());
    }
    EXPECT_THAT(log, HasSubstr("memory is short: 1 commands are skipped"));
    EXPECT_THAT(pixels(), Each(kGreen));
    EXPECT_THAT(pixels_after(triangle()), Each(0xffffffff));
}

/// A program whose texture found no memory goes on: draws with it are skipped until it binds another one.
TEST_F(ShortMemory, DrawsWithAResourceThatIsMissingAreSkipped) {
    constexpr uint32_t kMissing = 30, kTexture = 31, kWidth = 4096;
    expect(renderer_->create_resource({kMissing, 2, kBgra, kBindSamplerView, kWidth, kWidth, 1, 1, 0, 0}, nullptr),
           Outcome::Refused, Place::current());
    create({kTexture, 2, kBgra, kBindSamplerView, kSize, kSize, 1, 1, 0, 0});
    write(kTexture, kWhole, Buffer(kSize * kSize, 0xffffffff));
    const Buffer texel =
        use(61,
            "FRAG; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], 2D, FLOAT; IMM[0] INT32 {0, 0, 0, 0}; "
            "TXF OUT[0], IMM[0], SAMP[0], 2D; END");
    run(scene() + whole_target() + texel + sample(40, kMissing, kBgra) + triangle() +
        blit(kBlitColor, {}, {kMissing, kBgra, kWhole}));
    EXPECT_THAT(log, HasSubstr("memory is short: 4 commands are skipped"));
    EXPECT_THAT(pixels(), Each(kGreen));
    EXPECT_THAT(pixels_after(sample(41, kTexture, kBgra) + triangle()), Each(0xffffffff));
}

}  // namespace
}  // namespace tgsi2spv::host
