// What a guest reads was written by it, or is zero (docs/host-design.md, "Old bytes").
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr uint32_t kStored = 3;

class Zeros : public Draws {
  protected:
    /// Of work groups of two.
    static Buffer compute(const std::string& body, const std::string& declared = {}) {
        const std::string text =
            "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 2\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\n"
            "PROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL SV[0], THREAD_ID\nDCL BUFFER[0..1]\nDCL MEMORY[0], SHARED\n"
            "DCL TEMP[0..1]\n" +
            declared + "IMM[0] UINT32 {4, 7, 0, 0}\nUMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n" + body + "END\n";
        return use(21, text, {64});
    }
    static Buffer groups(uint32_t number) { return command(Id::LaunchGrid, {2, 1, 1, number, 1, 1, 0, 0}); }
    static Buffer bind_stored() { return command(Id::SetShaderBuffers, {5, 0, 0, 16, kStored}); }
};

/// Groups' memory is the device's own: another program's data must not show (CVE-2023-4969).
TEST_F(Zeros, MemoryOfAGroupBeginsAsZeros) {
    const Buffer writes = compute("STORE MEMORY[0].x, TEMP[0].xxxx, IMM[0].yyyy\nBARRIER\n"),
                 reads = compute(
                     "LOAD TEMP[1].x, MEMORY[0], TEMP[0].xxxx\nSTORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx\n");
    for (const bool has_feature : {true, false}) {
        restart_without(has_feature ? Names{} : Names{"shaderZeroInitializeWorkgroupMemory"});
        make_buffer(kStored, kBindShaderBuffer, Buffer(4, 1));
        run(writes + groups(8) + reads + bind_stored() + groups(1));
        EXPECT_THAT(words_of(kStored, 4), ElementsAre(0, 0, 1, 1)) << has_feature;
    }
}

/// What one context stores where nothing is bound, another one does not read.
TEST_F(Zeros, StoresToNothingStayInTheirContext) {
    const Buffer writes = compute("STORE BUFFER[1].x, TEMP[0].xxxx, IMM[0].yyyy\n"),
                 reads = compute(
                     "LOAD TEMP[1].x, BUFFER[1], TEMP[0].xxxx\n"
                     "STORE BUFFER[1].x, TEMP[0].xxxx, TEMP[1].xxxx\n"
                     "STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx\n");
    restart_without({"nullDescriptor"});
    make_buffer(kStored, kBindShaderBuffer, Buffer(4, 1));
    auto& shared = dynamic_cast<SharedRenderer&>(*renderer_);
    for (const uint32_t context : {1U, 2U}) {
        ASSERT_EQ(shared.create_context(context), Outcome::Done);
        ASSERT_EQ(shared.attach(context, kStored), Outcome::Done);
    }
    ASSERT_EQ(shared.submit(1, writes + groups(1)), Outcome::Done);
    ASSERT_EQ(shared.submit(2, reads + bind_stored() + groups(1)), Outcome::Done);
    EXPECT_EQ(words_of(kStored, 1)[0], 0U);
}

/// The same of images, which belong to programs: equal texts share one.
TEST_F(Zeros, ImagesForNothingStayInTheirContext) {
    const Buffer text = compute(
        "LOAD TEMP[1].x, IMAGE[0], IMM[0].zzzz, 2D, PIPE_FORMAT_R32_UINT\n"
        "STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx\n"
        "STORE IMAGE[0], IMM[0].zzzz, IMM[0].yyyy, 2D, PIPE_FORMAT_R32_UINT\n",
        "DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\n");
    restart_without({"nullDescriptor"});
    make_buffer(kStored, kBindShaderBuffer, Buffer(4, 1));
    auto& shared = dynamic_cast<SharedRenderer&>(*renderer_);
    for (const uint32_t context : {1U, 2U, 3U}) {
        ASSERT_EQ(shared.create_context(context), Outcome::Done);
        ASSERT_EQ(shared.attach(context, kStored), Outcome::Done);
        ASSERT_EQ(shared.submit(context, text + bind_stored() + groups(1)), Outcome::Done);
        EXPECT_EQ(words_of(kStored, 1)[0], 0U) << context;
        if (context == 2) {
            ASSERT_EQ(shared.destroy_context(context), Outcome::Done);
        }
    }
}

TEST_F(Zeros, TargetsWithoutAnOutputKeepTheirTexels) {
    make_texture(20, kBgra);
    write(20, kWhole, Buffer(kSize * kSize, 0x12345678));
    EXPECT_EQ(first_pixel(scene() + object(O::Surface, {8, 20, kBgra, 0, 0}) +
                          command(Id::SetFramebufferState, {2, 0, 7, 8}) + triangle()),
              kDrawn);
    EXPECT_THAT(pixels(20), Each(0x12345678U));
}

/// Each level, layer, slice and aspect, where another resource's data has been.
TEST_F(Zeros, MemoryOfResourcesBeginsAsZeros) {
    constexpr uint32_t kSide = 128, kTex2dArray = 7, kZ24S8 = 19, kSamplers = kBindSamplerView;
    constexpr uint32_t kBytes = 2U << 20;  // half a block of memory
    const ResourceRequest requests[] = {{2, 0, 64, kBindVertexBuffer, 1 << 20, 1, 1, 1, 0, 0},
                                        {2, kTex2dArray, kBgra, kSamplers, kSide, kSide, 1, 5, 7, 0},
                                        {2, 3, kBgra, kSamplers, kSide, kSide, 16, 1, 7, 0},
                                        {2, 4, kBgra, kSamplers, kSide, kSide, 1, 6, 7, 0},
                                        {2, kTex2dArray, kZ24S8, kBindDepthStencil, kSide, kSide, 1, 5, 7, 0}};
    options_.memory_limit = 32U << 20;
    renderer_ = nullptr;
    ASSERT_NO_FATAL_FAILURE(open());
    for (const ResourceRequest& r : requests) {
        for (const uint32_t secret : {1U, 3U}) {
            create({secret, 0, 64, kBindVertexBuffer, kBytes, 1, 1, 1, 0, 0});
            write(secret, {0, 0, 0, kBytes, 1, 1}, std::vector<std::byte>(kBytes, std::byte{0xab}));
        }
        for (const uint32_t secret : {1U, 3U}) ASSERT_EQ(renderer_->destroy_resource(secret), Outcome::Done);
        create(r);
        for (uint32_t level = 0; level <= r.last_level; level++) {
            const auto halved = [&](uint32_t size) { return std::max(size >> level, 1U); };
            const Box all{0, 0, 0, halved(r.width), halved(r.height), std::max(halved(r.depth), r.array_size)};
            const uint32_t texel = r.target == 0 ? 1 : 4;
            std::vector<std::byte> read(uint64_t{all.width} * all.height * all.depth * texel, std::byte{1});
            ASSERT_EQ(renderer_->read({2, level, 0, 0, all}, read), Outcome::Done) << r.target;
            EXPECT_EQ(std::ranges::count(read, std::byte{0}), std::ssize(read)) << r.target << " level " << level;
        }
        ASSERT_EQ(renderer_->destroy_resource(2), Outcome::Done);
    }
}

}  // namespace
}  // namespace tgsi2spv::host
