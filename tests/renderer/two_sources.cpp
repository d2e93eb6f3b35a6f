// Dual-source blending: by devices, and in FRAG where the device cannot (SwiftShader).
#include <fmt/format.h>

#include <bit>

#include "drawing.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kFloatTarget = 10, kOverlap = 11;
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

class TwoSources : public Draws, public testing::WithParamInterface<const char*> {
  protected:
    void start() override {
        options_.device = GetParam();
        options_.validate =
            options_.device == "llvmpipe";  // Debian 12's layer does not know VK_KHR_dynamic_rendering_local_read
        if (!make_renderer(options_)) GTEST_SKIP() << "no " << options_.device;
        Draws::start();
        ASSERT_EQ(renderer_->create_resource({kFloatTarget, 2, kFloats, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0},
                                             nullptr),
                  Outcome::Done);
        // Two equal triangles, of one draw.
        std::vector<uint32_t> vertices;
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
        const auto words = [](const std::array<float, 4>& c) {
            return Buffer{bits(c[0]), bits(c[1]), bits(c[2]), bits(c[3])};
        };
        ASSERT_EQ(renderer_->submit(scene() + shader(12, virgl::Stage::Frag, frag) + command(Id::BindShader, {12, 1}) +
                                    command(Id::SetVertexBuffers, {32, 0, kOverlap}) +
                                    object(O::Surface, {13, kFloatTarget, kFloats, 0, 0}) +
                                    command(Id::SetFramebufferState, {1, 0, 13}) +
                                    command(Id::SetBlendColor, words(kConstant))),
                  Outcome::Done);
    }
    Buffer blend(const Factors& f) {
        handle_++;
        return object(O::Blend, {handle_, 0, 0,
                                 0x7800'0001 | f.op << 1 | f.color_src << 4 | f.color_dst << 9 | f.op << 14 |
                                     f.alpha_src << 17 | f.alpha_dst << 22,
                                 0, 0, 0, 0, 0, 0, 0}) +
               bind(O::Blend, handle_);
    }
    std::array<float, 4> drawn(const Factors& f) {
        EXPECT_EQ(renderer_->submit(blend(f) +
                                    command(Id::Clear, {kClearColor0, bits(kBefore[0]), bits(kBefore[1]),
                                                        bits(kBefore[2]), bits(kBefore[3]), 0, 0, 0}) +
                                    command(Id::DrawVbo, {0, 6, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0})),
                  Outcome::Done);
        return std::bit_cast<std::array<float, 4>>(read_first());
    }

  private:
    std::array<uint32_t, 4> read_first() {
        std::vector<uint32_t> words(size_t{4} * kSize * kSize);
        const TransferRequest all{kFloatTarget, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}};
        EXPECT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(words))), Outcome::Done);
        return {words[0], words[1], words[2], words[3]};
    }
    uint32_t handle_ = 20;
};

TEST_P(TwoSources, PrimitivesAreBlendedOneAfterTheOther) {
    for (const Factors& f : kFactors)
        EXPECT_EQ(drawn(f), blended(f, blended(f, kBefore))) << f.color_src << ", " << f.color_dst;
}

INSTANTIATE_TEST_SUITE_P(, TwoSources, testing::Values("llvmpipe", "SwiftShader"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace tgsi2spv::host
