// The memory of this process while a guest makes as many things of a kind as it can, with a limit of 256 MiB.
#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <fstream>
#include <functional>

#include "queries.h"

namespace tgsi2spv::host {
namespace {

constexpr uint64_t kMiB = 1U << 20, kLimit = 256;

#if !defined(__has_feature)
#define __has_feature(name) 0
#endif
/// ASan keeps memory that was freed, in MiB, and makes the small blocks of commands several times as large.
constexpr uint32_t kKeptByAsan = __has_feature(address_sanitizer) ? 256 : 0;
constexpr uint32_t kBlocksOfAsan = __has_feature(address_sanitizer) ? 4 : 1;

/// A number of /proc/self/status, in MiB.
uint64_t mib_of(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (uint64_t kib = 0; word == name && status >> kib) return kib / 1024;
    return 0;
}

class Peaks : public Queries {
  protected:
    void start() override { ASSERT_NO_FATAL_FAILURE(open_limited({})); }
    void open_limited(const Names& without) {
        renderer_ = nullptr;
        options_ = {.device = "llvmpipe", .memory_limit = kLimit * kMiB, .without = without};
        Queries::start();
    }
    /// Makes things until one is refused, or for a while. Returns the peak above what there was, in MiB.
    uint64_t peak(const std::function<Outcome(uint32_t)>& make) {
        malloc_trim(0);  // what was freed before would be taken again
        const uint64_t before = mib_of("VmRSS:");
        std::ofstream("/proc/self/clear_refs") << 5;  // VmHWM begins anew
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
        for (uint32_t i = 0; std::chrono::steady_clock::now() < end && make(i) == Outcome::Done; i++) continue;
        return mib_of("VmHWM:") - std::min(before, mib_of("VmHWM:"));
    }
    Outcome make_resource(const ResourceRequest& request) { return renderer_->create_resource(request, nullptr); }
};

constexpr uint32_t kFirst = 1000, kBig = 20, kBigBytes = 100U << 20;

/// A thousand objects in one command buffer.
Buffer many(uint32_t from, const std::function<Buffer(uint32_t)>& make) {
    Buffer all;
    for (uint32_t i = 0; i < 1000; i++) {
        const Buffer one = make(kFirst + from * 1000 + i);
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

Buffer draw_indirect(uint32_t draws) {
    return command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, 3, 0, kBig, 0, 16, draws, 0, 0});
}

std::string geometry() {
    return "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
           "PROPERTY GS_MAX_OUTPUT_VERTICES 64\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] UINT32 {0, 0, 0, "
           "0}\n"
           "MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n";
}

std::string of_many_resources() {
    std::string text = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL TEMP[0..1]\n", body = "MOV TEMP[1], CONST[0]\n";
    for (uint32_t i = 0; i < 32; i++) {
        text += fmt::format("DCL BUFFER[{}]\nDCL SAMP[{}]\nDCL SVIEW[{}], 2D, FLOAT\n", i, i, i);
        body += fmt::format("LOAD TEMP[0], BUFFER[{}], IMM[0].xxxx\nADD TEMP[1], TEMP[1], TEMP[0]\n", i);
        body += fmt::format("TXF TEMP[0], IMM[0], SAMP[{}], 2D\nADD TEMP[1], TEMP[1], TEMP[0]\n", i);
    }
    return text + "IMM[0] UINT32 {0, 0, 0, 0}\n" + body + "MOV OUT[0], TEMP[1]\nEND\n";
}

/// What a batch has to hold.
TEST_F(Peaks, OfOneSubmissionStayNearTheLimit) {
    constexpr uint32_t kDepth = 21, kZ24S8 = 18;
    const Buffer sampled = use(23,
                               "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
                               "IMM[0] INT32 {0, 0, 0, 0}\nTXF OUT[0], IMM[0], SAMP[0], 2D\nEND\n");
    const struct {
        const char* name;
        Buffer first;
        uint32_t count, most;
        std::function<Buffer(uint32_t)> make;
    } kinds[] = {
        // Swizzles of depths are state of pipelines.
        {"pipelines", sampled, 1000, 64,
         [](uint32_t i) {
             const uint32_t swizzle = i % 6 | i / 6 % 6 << 3 | i / 36 % 6 << 6 | i / 216 % 6 << 9;
             return sample(100, kDepth, kZ24S8, swizzle) + triangle();
         }},
        // As long as the sets of one batch are recorded, lavapipe executes another one: up to 36 MiB for each of two
        // scenes.
        {"descriptor sets", use(24, of_many_resources()) + command(Id::SetScissorState, {0, 0, 1 | 1 << 16}), 60'000,
         128, [](uint32_t i) { return constants(static_cast<float>(i), 0, 0, 0) + triangle(); }},
    };
    for (const auto& kind : kinds) {
        renderer_ = nullptr;
        options_ = {.device = "llvmpipe", .memory_limit = 32 * kMiB};
        Queries::start();
        ASSERT_EQ(make_resource({kDepth, 2, kZ24S8, kBindSamplerView, 16, 16, 1, 1, 0, 0}), Outcome::Done);
        Buffer commands = scene() + kind.first;
        for (uint32_t i = 0; i < kind.count; i++) {
            const Buffer one = kind.make(i);
            commands.insert(commands.end(), one.begin(), one.end());
        }
        EXPECT_LT(peak([&](uint32_t i) { return i == 0 ? renderer_->submit(commands) : Outcome::Refused; }),
                  kind.most + kKeptByAsan)
            << kind.name;
    }
}

/// Few words, of which each makes the host record many commands.
TEST_F(Peaks, OfOneSubmissionAreSmall) {
    constexpr uint32_t kImage = 21, kLayers = 2048, kDraws = 1 << 19, kLines = 1;
    const Buffer lines =
        bind_new(O::Rasterizer, {22, kRasterizer | kLines << 10 | kLines << 12, bits(1), 0, 0, bits(1), 0, 0, 0});
    const Buffer clears = many(0, [](uint32_t) {
        return command(Id::ClearTexture, {kImage, 0, 0, 0, 0, 1, 1, kLayers, 1, 0, 0, 0});
    });
    const struct {
        const char* name;
        Names without;
        const Buffer& commands;
    } kinds[] = {{"clears of layers", {}, clears},
                 {"draws of lists", {"fillModeNonSolid"}, lines + draw_indirect(kDraws)}};
    for (const auto& kind : kinds) {
        ASSERT_NO_FATAL_FAILURE(open_limited(kind.without));
        ASSERT_EQ(make_resource({kImage, 7, kBgra, kBindRenderTarget, 1, 1, 1, kLayers, 0, 0}), Outcome::Done);
        make_buffer(kBig, kBindVertexBuffer, Buffer(4 * kDraws, 3));
        ASSERT_EQ(renderer_->submit(scene()), Outcome::Done);
        const auto once = [&](uint32_t i) { return i == 0 ? renderer_->submit(kind.commands) : Outcome::Refused; };
        // 2^17 commands may wait for a slow device.
        EXPECT_LT(peak(once), 96 * kBlocksOfAsan + kKeptByAsan) << kind.name;
    }
}

TEST_F(Peaks, StayNearTheLimit) {
    const auto submit = [&](const Buffer& commands) { return renderer_->submit(commands); };
    const auto anew = [&](const std::function<Buffer(uint32_t)>& make) {
        return [=](uint32_t i) { return submit(many(i, make)); };
    };
    const auto fragment = [](uint32_t i) {
        return use(kFirst + i,
                   fmt::format("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{{}, 0, 0, 1}}\nMOV OUT[0], IMM[0]\nEND\n", i));
    };
    const struct {
        const char* name;
        std::function<Outcome(uint32_t)> make;
    } kinds[] = {
        {"buffers",
         [&](uint32_t i) {
             return make_resource({kFirst + i, 0, 64, kBindVertexBuffer, 1 << 20, 1, 1, 1, 0, 0});
         }},
        {"small buffers",
         [&](uint32_t i) {
             return make_resource({kFirst + i, 0, 64, kBindVertexBuffer, 4, 1, 1, 1, 0, 0});
         }},
        {"images",
         [&](uint32_t i) {
             return make_resource({kFirst + i, 2, kBgra, kBindSamplerView, 512, 512, 1, 1, 0, 0});
         }},
        {"states", anew([](uint32_t i) {
             return object(O::DepthStencilAlpha, {i, 0, 0, 0, 0});
         })},
        {"views", anew([](uint32_t i) {
             return object(O::Surface, {i, kTarget, kBgra, 0, 0});
         })},
        {"queries", anew([](uint32_t i) { return query(QueryType::OcclusionCounter, i) + end(i) + get(i); })},
        {"texts", [&](uint32_t i) { return submit(fragment(i)); }},
        {"programs", [&](uint32_t i) { return submit(fragment(i) + triangle()); }},
        {"sub-contexts",
         [&](uint32_t i) { return submit(command(Id::CreateSubCtx, {i}) + command(Id::SetSubCtx, {i}) + scene()); }},
        {"draws", [&](uint32_t) { return submit(many(0, [](uint32_t) { return triangle(); })); }},
        {"large indirect draws", [&](uint32_t) { return submit(draw_indirect(kBigBytes / 16)); }},
        {"misaligned vertices",
         [&](uint32_t i) {
             return submit(command(Id::SetVertexBuffers, {33, 1, kBig}) +
                           command(Id::DrawVbo, {kBigBytes / 34 - i, 3, 4, 0, 1, 0, 0, 0, 0, 0, ~0U, 0}));
         }},
        {"geometry",
         [&](uint32_t i) {
             return submit(use(kFirst + i, geometry()) +
                           command(Id::DrawVbo, {0, 30'000, 4, 0, 1, 0, 0, 0, 0, 0, ~0U, 0}) + draw_indirect(1000));
         }},
    };
    for (const Names& without :
         {Names{},
          {"geometryShader", "tessellationShader", "VK_EXT_transform_feedback", "vertexPipelineStoresAndAtomics"}})
        for (const auto& kind : kinds) {
            ASSERT_NO_FATAL_FAILURE(open_limited(without));
            ASSERT_EQ(make_resource({kBig, 0, 64, kBindVertexBuffer, kBigBytes, 1, 1, 1, 0, 0}), Outcome::Done);
            ASSERT_EQ(submit(scene()), Outcome::Done);
            EXPECT_LT(peak(kind.make), kLimit + 64 + kKeptByAsan) << kind.name << (without.empty() ? "" : ", emulated");
        }
}

}  // namespace
}  // namespace tgsi2spv::host
