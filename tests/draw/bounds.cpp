// Out-of-range accesses on a device, for each class and each choice (lower/bounds.h).
#include <gtest/gtest.h>

#include "draw/draw.h"

namespace tgsi2spv::test {
namespace {

using lower::OutOfRange;

class BoundsOnDevices : public Drawing {};

/// Runs in one lane. CONST[1] holds values that are out of range: register 9, address 400, buffer 7, texels (5, −3) and
/// (9, 9). Each result is a word of BUFFER[2].
constexpr const char* kText =
    R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL BUFFER[0..2]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL CONST[0][0..2]
DCL CONST[1][0..2]
DCL TEMP[0..2], ARRAY(1), LOCAL
DCL TEMP[3]
DCL ADDR[0..1]
IMM[0] UINT32 {0, 4, 8, 12}
IMM[1] UINT32 {16, 20, 77, 1}
IMM[2] UINT32 {10, 20, 30, 99}
UARL ADDR[0].x, CONST[1][0].xxxx
UARL ADDR[1].x, CONST[1][0].zzzz
MOV TEMP[0], IMM[2].xxxx
MOV TEMP[1], IMM[2].yyyy
MOV TEMP[2], IMM[2].zzzz
MOV TEMP[3].x, TEMP[ADDR[0].x](1).xxxx
STORE BUFFER[2].x, IMM[0].xxxx, TEMP[3]
MOV TEMP[3].x, CONST[0][ADDR[0].x].xxxx
STORE BUFFER[2].x, IMM[0].yyyy, TEMP[3]
LOAD TEMP[3].x, BUFFER[0], CONST[1][0].yyyy
STORE BUFFER[2].x, IMM[0].zzzz, TEMP[3]
STORE BUFFER[1].x, CONST[1][0].yyyy, IMM[1].zzzz
ATOMUADD TEMP[3].x, BUFFER[1], CONST[1][0].yyyy, IMM[1].wwww
STORE BUFFER[2].x, IMM[0].wwww, TEMP[3]
LOAD TEMP[3].x, BUFFER[ADDR[1].x], IMM[0].xxxx
STORE BUFFER[2].x, IMM[1].xxxx, TEMP[3]
LOAD TEMP[3].x, IMAGE[0], CONST[1][1], 2D, PIPE_FORMAT_R32_UINT
STORE BUFFER[2].x, IMM[1].yyyy, TEMP[3]
STORE IMAGE[0], CONST[1][2], IMM[2].wwww, 2D, PIPE_FORMAT_R32_UINT
END
)";

using Words = std::vector<uint32_t>;

TEST_F(BoundsOnDevices, EachClassIsZeroOrClamped) {
    static constexpr OutOfRange lower::Bounds::*kClasses[] = {&lower::Bounds::registers, &lower::Bounds::constants,
                                                              &lower::Bounds::buffers, &lower::Bounds::images,
                                                              &lower::Bounds::descriptors};
    // 0: no class is clamped; 1 to 5: one class is clamped; 6: all are.
    for (uint32_t clamped = 0; clamped < 7; clamped++) {
        SCOPED_TRACE(clamped);
        api::Options options;
        bool is[5] = {};
        for (uint32_t k = 0; k < 5; k++) {
            is[k] = clamped == k + 1 || clamped == 6;
            if (is[k]) options.lower.bounds.*kClasses[k] = OutOfRange::Clamp;
        }
        const auto words = convert(kText, options);
        harness::Job job;
        job.compute.words = words;
        const auto buffer = [&](Words content) {
            job.buffers.push_back({std::move(content), true});
            return static_cast<uint32_t>(job.buffers.size() - 1);
        };
        const uint32_t first = buffer({1, 2, 3, 4}), second = buffer({5, 6}), results = buffer(Words(6, 0xdead));
        Words constants(12);
        for (uint32_t i = 0; i < 12; i++) constants[i] = 100 + i;
        job.descriptors = {
            {0, 480, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {first, second, results}, {}},
            {0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {buffer(constants)}, {}},
            {0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {buffer({9, 400, 7, 0, 5, ~2u, 0, 0, 9, 9, 0, 0})}, {}},
            {0, 416, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, {0}, {}}};
        harness::Image image;
        image.format = VK_FORMAT_R32_UINT;
        image.texel_bytes = 4;
        image.width = image.height = 2;
        image.storage = image.readback = true;
        image.data = {{50, 0, 0, 0, 51, 0, 0, 0, 52, 0, 0, 0, 53, 0, 0, 0}};
        job.images = {image};
        job.views.emplace_back();
        run(job, [&](const harness::Outputs& out) {
            const uint32_t reg = is[0] ? 30 : 0;
            EXPECT_EQ(out.buffers[results], (Words{reg, is[1] ? 108u : 0, is[2] ? 4u : 0, is[2] ? 77u : 0,
                                                   is[4] ? reg : 0, is[3] ? 51u : 0}));
            EXPECT_EQ(out.buffers[second], (Words{5, is[2] ? 78u : 6}));
            EXPECT_EQ(out.images[0][0][12], is[3] ? 99 : 53);
        });
    }
}

TEST_F(BoundsOnDevices, TrustedIndicesHaveNoChecks) {
    api::Options checked, trusting, shorthand;
    for (auto access : {&lower::Bounds::registers, &lower::Bounds::constants, &lower::Bounds::buffers,
                        &lower::Bounds::images, &lower::Bounds::descriptors})
        trusting.lower.bounds.*access = OutOfRange::Trust;
    shorthand.lower.trust_indices = true;
    const auto with = convert(kText, checked), without = convert(kText, trusting);
    EXPECT_LT(without.size(), with.size());
    EXPECT_EQ(convert(kText, shorthand), without);
}

}  // namespace
}  // namespace tgsi2spv::test
