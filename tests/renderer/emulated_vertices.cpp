// Attributes that emulated draws fetch, and what their VERT stores: as on a device that fetches and stores itself.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "queries.h"
#include "renderer/emulate/fetch.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kValues = 10, kCaptured = 11, kStored = 12, kOther = 14, kDraws = 4;
const Names kNoCapture{"VK_EXT_transform_feedback"};
const Names kNoStores{"vertexPipelineStoresAndAtomics"};

class EmulatedVertices : public Queries {
  protected:
    void start() override {
        Queries::start();
        // No NaNs of 16 or 32 bits.
        Buffer values;
        for (uint32_t i = 0; i < 128; i++) {
            uint32_t word = 0;
            for (uint32_t k = 0; k < 4; k++)
                word |= ((37 * (4 * i + k) + 11 + i * i) % 0x78 | ((i + k) % 3 == 0 ? 0x80 : 0)) << 8 * k;
            values.push_back(word);
        }
        make_buffer(kValues, kBindVertexBuffer, values);
        std::ranges::reverse(values);
        make_buffer(kOther, kBindVertexBuffer, values);
        make_buffer(kCaptured, kBindStreamOutput, Buffer(8192, 9));
        make_buffer(kStored, kBindShaderBuffer, Buffer(64, 0));
    }
    /// What VERTs have read and written, one after the other.
    Buffer captured(const Buffer& draws) {
        const std::string text =
            "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] FLT32 {0, 0, 0, 1}\n"
            "MOV OUT[0], IMM[0]\n" +
            writes_ + "END\n";
        run(scene() + whole_target() + use(20, text, {1, 4, 0, 0, 0, 1 | 4 << 10, 0}) +
            capture_to(21, kCaptured, 0, 32'768) + draws);
        return words_of(kCaptured, 8192);
    }
    Buffer captured_without(const Buffer& draws, const Names& names) {
        restart_without(names);
        return captured(draws);
    }
    std::string writes_ = "MOV OUT[1], IN[0]\n";
};

Buffer elements(uint32_t handle, uint32_t offset, uint32_t divisor, uint32_t format) {
    return bind_new(O::VertexElements, {handle, offset, divisor, 0, format});
}

/// For vertices beyond the end of a buffer: drawn, the layer mistakes them for other buffers (docs/tested.md).
Buffer discard() {
    return bind_new(O::Rasterizer, {22, kRasterizer | 1u << 3, bits(1), 0, 0, bits(1), 0, 0, 0});
}

bool is_nan(uint32_t word) {
    return std::isnan(std::bit_cast<float>(word));
}

TEST_F(EmulatedVertices, HaveEachFormat) {
    for (const auto& [offset, stride] : {std::pair(8U, 40U), std::pair(5U, 35U)}) {
        Buffer draws = command(Id::SetVertexBuffers, {stride, 16, kValues});
        Buffer formats;
        for (uint32_t n = 0; n < 512; n++)
            if (const FormatInfo* format = format_info(n);
                format != nullptr && attribute_layout(*format).bits[0] != 0) {
                formats.push_back(n);
                draws = draws + elements(100 + n, offset, 0, n) +
                        command(Id::DrawVbo, {0, kDraws, 0, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
            }
        ASSERT_GT(formats.size(), 100U);
        const auto own = captured_without(draws, {}), emulated = captured_without(draws, kNoCapture);
        for (size_t i = 0; i < 4 * kDraws * formats.size(); i++) {
            if (is_nan(own[i]) && is_nan(emulated[i])) continue;
            const FormatInfo& format = *format_info(formats[i / (4 * kDraws)]);
            const AttributeType type = attribute_layout(format).type;
            // lavapipe multiplies by a number that is rounded itself.
            const bool divided = type == AttributeType::Unorm || type == AttributeType::Snorm;
            EXPECT_LE(std::abs(static_cast<int64_t>(own[i]) - emulated[i]), divided ? 1 : 0)
                << format.name << ", " << i % (4 * kDraws) << ": " << std::bit_cast<float>(own[i]);
        }
    }
}

/// Two attributes, which VERT may read where they are, or not: in one buffer or in two, and at its end.
TEST_F(EmulatedVertices, AreWordsInTheirBuffers) {
    constexpr uint32_t kOneWord = 28, kStride = 40;
    writes_ = "MOV OUT[1].xy, IN[0].ywyw\nMOV OUT[1].zw, IN[1].yzzw\n";
    Buffer draws =
        discard() + command(Id::SetVertexBuffers, {kStride, 0, kValues, kStride, 20, kValues, 16, 0, kOther});
    uint32_t handle = 100, count = 0;
    for (const uint32_t buffer : {0U, 1U, 2U})
        for (uint32_t words = 0; words < 4; words++)
            for (const uint32_t first : {0U, 7U, 8U, 9U, 12U, 13U}) {
                draws = draws +
                        bind_new(O::VertexElements, {handle, 20, 0, 0, kOneWord + words, 4, 0, buffer, kOneWord + 3}) +
                        command(Id::DrawVbo, {first, kDraws, 0, 0, 2, 0, 0, 0, 0, 0, ~0u, 0});
                handle++;
                count += 2 * kDraws;
            }
    const auto own = captured_without(draws, {}), emulated = captured_without(draws, kNoCapture);
    EXPECT_EQ(emulated, own);
    EXPECT_THAT(std::span(own).first(4 * count), testing::Not(testing::Contains(9)));
}

TEST_F(EmulatedVertices, AdvanceByInstance) {
    Buffer draws = command(Id::SetVertexBuffers, {24, 4, kValues});
    for (const uint32_t divisor : {0U, 1U, 2U, 3U, ~0U})
        draws = draws + elements(100 + (divisor & 0xff), 4, divisor, 31) +
                command(Id::DrawVbo, {1, 3, 0, 0, 5, 0, 2, 0, 0, 0, ~0u, 0});
    draws = draws + command(Id::SetVertexBuffers, {0, 4, kValues}) +
            command(Id::DrawVbo, {1, 3, 0, 0, 2, 0, 0, 0, 0, 0, ~0u, 0});
    const auto own = captured_without(draws, {});
    EXPECT_EQ(captured_without(draws, kNoCapture), own);
    EXPECT_EQ(captured_without(draws, {"VK_EXT_vertex_attribute_divisor"}), own);
}

TEST_F(EmulatedVertices, EndInsideAWord) {
    constexpr uint32_t kOdd = 13, kBytes = 18, kR8Uint = 177;
    const auto odd = [&](const Names& names) {
        restart_without(names);
        create({kOdd, 0, 64, kBindVertexBuffer, kBytes, 1, 1, 1, 0, 0});
        std::array<uint8_t, kBytes> bytes;
        for (uint32_t i = 0; i < kBytes; i++) bytes[i] = static_cast<uint8_t>(10 + i);
        write(kOdd, {0, 0, 0, kBytes, 1, 1}, bytes);
        Buffer draws = command(Id::SetVertexBuffers, {1, 0, kOdd}) + elements(100, 0, 0, kR8Uint) +
                       command(Id::DrawVbo, {0, kBytes, 0, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
        return captured(draws);
    };
    const auto own = odd({}), emulated = odd(kNoCapture);
    EXPECT_EQ(emulated, own);
    EXPECT_NE(own[4 * (kBytes - 1)], 0U);
}

/// Without GEOM, adjacent vertices are left out.
TEST_F(EmulatedVertices, OfPrimitivesWithAdjacency) {
    Buffer draws = command(Id::SetVertexBuffers, {16, 0, kValues}) + elements(100, 0, 0, 31);
    for (const uint32_t mode : {10U, 11U, 12U, 13U})
        draws = draws + command(Id::DrawVbo, {0, 12, mode, 0, 2, 0, 0, 0, 0, 0, ~0u, 0});
    EXPECT_EQ(captured_without(draws, kNoCapture), captured_without(draws, {}));
}

/// Numbers, strides, offsets and divisors at their limits: nothing is read that is not the buffer's.
TEST_F(EmulatedVertices, BeyondTheBufferAreZeros) {
    Buffer draws = discard();
    uint32_t handle = 100, count = 0;
    const auto add = [&](uint32_t stride, uint32_t offset, uint32_t of_element, uint32_t divisor, uint32_t first) {
        draws = draws + command(Id::SetVertexBuffers, {stride, offset, kValues}) +
                elements(handle++, of_element, divisor, 31) +
                command(Id::DrawVbo, {first, 1, 0, 0, 1, 0, first, 0, 0, 0, ~0u, 0});
        count++;
    };
    for (const uint32_t far : {512U, 0x7fff'fff0U, ~0U}) {
        add(16, 0, 0, 0, far);
        add(16, far, 0, 0, 0);
        add(16, far, far, 0, far);
        add(2048, far, far, 1, far);
    }
    add(16, 500, 0, 0, 0);  // 12 of 16 bytes are there
    restart_without(kNoCapture);
    const auto left = captured(draws);
    EXPECT_THAT(std::span(left).first(4 * count), testing::Each(0));
}

TEST_F(EmulatedVertices, StoreOnce) {
    const std::string text =
        "VERT; DCL IN[0]; DCL IN[1]; DCL SV[0], VERTEXID; DCL SV[1], INSTANCEID; DCL BUFFER[0]; DCL OUT[0], POSITION; "
        "DCL OUT[1], GENERIC[0]; DCL TEMP[0]; IMM[0] UINT32 {0, 1, 4, 16}; "
        "UMAD TEMP[0].x, SV[0].xxxx, IMM[0].zzzz, IMM[0].wwww; "
        "ATOMUADD TEMP[0].y, BUFFER[0], TEMP[0].xxxx, IMM[0].yyyy; "
        "ATOMUADD TEMP[0].y, BUFFER[0], IMM[0].xxxx, SV[1].xxxx; MOV OUT[0], IN[0]; MOV OUT[1], IN[1]; END";
    const Buffer commands = scene() + whole_target() + use(20, text) +
                            command(Id::SetShaderBuffers, {0, 0, 0, 256, kStored}) +
                            command(Id::DrawVbo, {0, 3, 4, 0, 3, 0, 0, 0, 0, 0, ~0u, 0});
    const auto left = [&](const Names& names) {
        restart_without(names);
        run(commands);
        auto all = words_of(kStored, 64);
        const auto seen = pixels();
        all.insert(all.end(), seen.begin(), seen.end());
        return all;
    };
    const auto own = left({}), emulated = left(kNoStores);
    EXPECT_EQ(own, emulated);
    EXPECT_THAT(std::span(emulated).subspan(4, 4), testing::ElementsAre(3, 3, 3, 0)) << "runs of each vertex";
}

}  // namespace
}  // namespace tgsi2spv::host
