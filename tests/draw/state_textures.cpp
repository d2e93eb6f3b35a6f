// State of samplers and views that Vulkan lacks, or lacks for some formats: set by specialization constants of one
// module.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "api/stage.h"
#include "draw/draw.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::test {
namespace {

namespace spec = lower::spec;

/// Texel (x, y) of the 4 × 4 texture is (10 y + x, 0.5, −1, 2).
float red(uint32_t x, uint32_t y) {
    return static_cast<float>(10 * y + x);
}

class TextureStates : public Drawing {
  protected:
    /// `body` computes OUT[0] from SAMP[2] and IN[0], which is `place` everywhere.
    vulkan::Job job(const lower::State& state, const std::string& body, const Pixel& place) {
        api::Options options;
        options.lower.convert_depth_range = false;
        vertex = convert(
            R"(VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)",
            options);
        options.lower.state = state;
        fragment = convert(
            R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL SAMP[2]
DCL OUT[0], COLOR
DCL TEMP[0]
)" + body + "END\n",
            options);
        auto j = job_of(vertex, fragment, kWhole, {3, place});
        vulkan::Image image;
        image.width = image.height = 4;
        Pixels texels;
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 4; x++) texels.push_back({red(x, y), 0.5f, -1, 2});
        image.data.emplace_back(texels.size() * sizeof(Pixel));
        std::memcpy(image.data[0].data(), texels.data(), image.data[0].size());
        j.images = {image};
        j.views.emplace_back();
        j.samplers.emplace_back();
        j.descriptors = {{1, 34, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {0}, {0}}};
        return j;
    }
    void expect_everywhere(const vulkan::Job& j, const Pixel& expected) {
        draw(j, [&](const Pixels& all) {
            for (const Pixel& p : all) EXPECT_EQ(p, expected);
        });
    }

    std::vector<uint32_t> vertex, fragment;
};

TEST_F(TextureStates, CoordinatesAreTexelsWhereTheStateSaysSo) {
    lower::State state;
    state.unnormalized = 1u << 2;
    const std::pair<const char*, bool> bodies[] = {
        {"TEX OUT[0], IN[0], SAMP[2], 2D\n", false},
        {"MOV TEMP[0], IN[0]\nTXD OUT[0], IN[0], TEMP[0].zzzz, TEMP[0].zzzz, SAMP[2], 2D\n", false},
        {"TXP OUT[0], IN[0], SAMP[2], 2D\n", true}};
    for (const auto& [body, projected] : bodies) {
        SCOPED_TRACE(body);
        auto j = job(state, body, projected ? Pixel{3, 5, 0, 2} : Pixel{1.5f, 2.5f, 0, 1});
        expect_everywhere(j, {red(2, 2), 0.5f, -1, 2});  // 1.5 and 2.5 wrap around to the middle
        j.fragment.constants = {{spec::kUnnormalized, 1u << 2}};
        expect_everywhere(j, {red(1, 2), 0.5f, -1, 2});
        j.fragment.constants = {{spec::kUnnormalized, 1u << 1}};
        expect_everywhere(j, {red(2, 2), 0.5f, -1, 2});
    }
}

TEST_F(TextureStates, TheShaderCompares) {
    lower::State state;
    state.compare_in_shader = 1u << 2;
    // The four texels in the middle of the texture are 11, 12, 21 and 22; the sampled texel (1, 2) is 21.
    for (const float reference : {12.0f, 21.0f}) {
        auto one = job(state, "TEX OUT[0], IN[0], SAMP[2], SHADOW2D\n", {0.375f, 0.625f, reference, 1});
        const auto vertex_of_one = vertex, fragment_of_one = fragment;
        one.vertex.words = vertex_of_one;
        one.fragment.words = fragment_of_one;
        auto four = job(state, "TG4 OUT[0], IN[0], SAMP[2], SHADOW2D\n", {0.5f, 0.5f, reference, 1});
        for (uint32_t function = 0; function < 8; function++) {
            SCOPED_TRACE(std::to_string(function) + " " + std::to_string(reference));
            const auto passes = [&](float texel) {
                const bool all[8] = {false, reference<texel, reference == texel, reference <= texel, reference> texel,
                                     reference != texel, reference >= texel, true};
                return all[function] ? 1.0f : 0.0f;
            };
            one.fragment.constants = four.fragment.constants = {{spec::kCompareFunction + 2, function}};
            const float r = passes(21);
            expect_everywhere(one, {r, r, r, 1});
            expect_everywhere(four, {passes(21), passes(22), passes(12), passes(11)});
        }
    }
}

TEST_F(TextureStates, ViewsAreSwizzled) {
    lower::State state;
    state.swizzled_views = 1u << 2;
    const Pixel texel{red(1, 2), 0.5f, -1, 2};
    const auto show = [&](uint32_t letter) { return letter < 4 ? texel[letter] : letter == 5 ? 1.0f : 0.0f; };
    const uint32_t swizzles[] = {spec::kIdentitySwizzle, 00123, 05432, 04511};
    for (const char* body :
         {"TEX OUT[0], IN[0], SAMP[2], 2D\n", "IMM[0] UINT32 {1, 2, 0, 0}\nTXF OUT[0], IMM[0].xyzz, SAMP[2], 2D\n"}) {
        SCOPED_TRACE(body);
        auto j = job(state, body, {0.375f, 0.625f, 0, 1});
        expect_everywhere(j, texel);
        for (const uint32_t s : swizzles) {
            j.fragment.constants = {{spec::kViewSwizzle + 2, s}};
            expect_everywhere(j, {show(s & 7), show(s >> 3 & 7), show(s >> 6 & 7), show(s >> 9 & 7)});
        }
    }
    // Gathers the second component of the swizzle.
    auto j =
        job(state, "IMM[0] UINT32 {1, 0, 0, 0}\nTG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[2], 2D\n", {0.5f, 0.5f, 0, 1});
    for (const uint32_t letter : {0u, 1u, 3u, 4u, 5u}) {
        j.fragment.constants = {{spec::kViewSwizzle + 2, letter << 3}};
        const Pixel reds{red(1, 2), red(2, 2), red(2, 1), red(1, 1)};
        const float other = show(letter);
        expect_everywhere(j, letter == 0 ? reds : Pixel{other, other, other, other});
    }
}

}  // namespace
}  // namespace tgsi2spv::test
