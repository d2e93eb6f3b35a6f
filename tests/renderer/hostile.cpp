// Commands of guests against Vulkan's rules, on lavapipe: they are refused, or drawn as OpenGL defines; the validation
// layer reports nothing, and others' objects stay unchanged.
#include <fmt/format.h>
#include <volk.h>

#include <ctime>

#include "queries.h"

namespace tgsi2spv::host {
namespace {

using testing::Each;

constexpr uint32_t kDxt5 = 108;

class Hostile : public Queries {
  protected:
    void make_image(uint32_t handle, uint32_t width, uint32_t height, uint32_t layers = 1, uint32_t format = kBgra) {
        const uint32_t bind = format == kBgra ? kBindRenderTarget | kBindSamplerView : uint32_t{kBindSamplerView};
        create({handle, layers == 1 ? 2U : 7U, format, bind, width, height, 1, layers, 0, 0});
    }
    /// A new renderer with a budget of so many MiB.
    void open_with(uint64_t mib) {
        renderer_ = nullptr;
        auto made = make_renderer({.device = "llvmpipe", .validate = true, .memory_limit = mib << 20});
        ASSERT_TRUE(made) << made.error();
        renderer_ = std::move(*made);
    }
};

Buffer copy(uint32_t dst, std::array<uint32_t, 3> at, uint32_t src, Box box) {
    return command(Id::ResourceCopyRegion,
                   {dst, 0, at[0], at[1], at[2], src, 0, box.x, box.y, box.z, box.width, box.height, box.depth});
}

TEST_F(Hostile, CopiesBeyondTheDestination) {
    make_image(20, 512, 512);
    write(20, {0, 0, 0, 512, 512, 1}, Buffer(512 * 512, 0xaaaaaaaa));
    make_image(21, 4, 4);
    make_image(22, 64, 64);
    refuse(copy(21, {0, 0, 0}, 20, {0, 0, 0, 512, 512, 1}));
    EXPECT_THAT(texels(22, {0, 0, 0, 64, 64, 1}), Each(0u));
}

TEST_F(Hostile, CopiesOfPartsOfBlocks) {
    make_image(20, 16, 16, 1, kDxt5);
    make_image(21, 16, 16, 1, kDxt5);
    run(copy(21, {4, 0, 0}, 20, {0, 4, 0, 8, 8, 1}));
    refuse(copy(21, {2, 0, 0}, 20, {0, 0, 0, 8, 8, 1}));
}

TEST_F(Hostile, CopiesThatOverlap) {
    make_image(20, 16, 1);
    write(20, {0, 0, 0, 16, 1, 1}, virgl::test::counting(16, 0));
    run(copy(20, {2, 0, 0}, 20, {0, 0, 0, 12, 1, 1}));
    EXPECT_THAT(texels(20, {0, 0, 0, 16, 1, 1}),
                testing::ElementsAre(0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15));
}

TEST_F(Hostile, BlitsOfLayersFromTheLastToTheFirst) {
    constexpr uint32_t kBack = static_cast<uint32_t>(-4);
    make_image(20, 1, 1, 8);
    make_image(21, 1, 1, 8);
    write(20, {0, 0, 0, 1, 1, 8}, std::array{0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u});
    const auto layers = [](uint32_t z, uint32_t depth) {
        return blit(kBlitColor, {21, kBgra, {0, 0, z, 1, 1, depth}}, {20, kBgra, {0, 0, 4, 1, 1, kBack}});
    };
    run(layers(4, kBack));
    EXPECT_THAT(texels(21, {0, 0, 0, 1, 1, 8}), testing::ElementsAre(0, 1, 2, 3, 0, 0, 0, 0));
    run(layers(4, 4));
    EXPECT_THAT(texels(21, {0, 0, 0, 1, 1, 8}), testing::ElementsAre(0, 1, 2, 3, 3, 2, 1, 0));
}

TEST_F(Hostile, BlitsInsideOneLevel) {
    make_image(20, 16, 1);
    write(20, {0, 0, 0, 16, 1, 1}, virgl::test::counting(16, 0));
    // Mirrored over itself.
    run(blit(kBlitColor, {20, kBgra, {0, 0, 0, 8, 1, 1}}, {20, kBgra, {8, 0, 0, static_cast<uint32_t>(-8), 1, 1}}));
    EXPECT_THAT(texels(20, {0, 0, 0, 16, 1, 1}),
                testing::ElementsAre(7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15));
}

/// A surface of more layers than framebuffers have (VUID-VkRenderingInfo-layerCount-07817).
TEST_F(Hostile, ClearsOfMoreLayersThanFramebuffersHave) {
    constexpr uint32_t kVolume = 3, kLayers = 4096, kOpaqueRed = 0xffff0000;
    for (const Names& without : {Names{}, Names{"dynamicRendering"}}) {
        restart_without(without);
        create({20, kVolume, kBgra, kBindRenderTarget, 1, 1, kLayers, 1, 0, 0});
        run(object(O::Surface, {21, 20, kBgra, 0, 1 | (kLayers - 2) << 16}) +
            command(Id::ClearSurface, {0, 21, bits(1), 0, 0, bits(1), 0, 0, 1, 1}));
        const auto all = texels(20, {0, 0, 0, 1, 1, kLayers});
        EXPECT_EQ(all.front(), 0u);
        EXPECT_EQ(all.back(), 0u);
        EXPECT_EQ(std::ranges::count(all, kOpaqueRed), kLayers - 2);
    }
}

/// FRAG reads zeros beyond the constants that were sent, not other clients' uploads in the same memory: with
/// robustBufferAccess alone, a device may return anything in the buffer.
TEST_F(Hostile, ConstantsBeyondThoseThatWereSent) {
    static PFN_vkUpdateDescriptorSets update;
    static VkDeviceSize range;
    constexpr uint32_t kLength = 32, kWide = 1024;
    for (const Names& without : {Names{}, Names{"robustBufferAccess2"}}) {
        restart_without(without);
        update = std::exchange(vkUpdateDescriptorSets, [](auto device, auto count, auto* writes, auto copies, auto* p) {
            for (uint32_t i = 0; i < count; i++)
                if (writes[i].descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER) range = writes[i].pBufferInfo->range;
            update(device, count, writes, copies, p);
        });
        make_image(20, kWide, kWide);
        for (int i = 0; i < 2; i++) {
            write(20, {0, 0, 0, kWide, kWide, 1}, Buffer(size_t{kWide} * kWide, ~0U));
            pixels(kTarget);  // the memory of the upload is free again
        }
        range = 0;
        EXPECT_EQ(first_pixel(scene() + constants(1, 1, 1, 1) +
                              use(21, fmt::format("FRAG\nDCL OUT[0], COLOR\nDCL CONST[0..{0}]\n"
                                                  "MOV OUT[0], CONST[{0}]\nEND\n",
                                                  kLength - 1)) +
                              triangle()),
                  0u);
        if (without.empty())
            EXPECT_EQ(range % 256, 0u) << "the largest robustUniformBufferAccessSizeAlignment";
        else
            EXPECT_GE(range, 16 * kLength);
        vkUpdateDescriptorSets = update;
    }
}

/// VUID-VkWriteDescriptorSet-descriptorType-00333
TEST_F(Hostile, GeometryShadersThatEmitMoreThanABufferHas) {
    restart_without({"geometryShader"});
    constexpr int kOutputs = 70;
    std::string text =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
        "PROPERTY GS_INVOCATIONS 127\nPROPERTY GS_MAX_OUTPUT_VERTICES 1024\nDCL IN[][0], POSITION\n"
        "DCL OUT[0], POSITION\nIMM[0] UINT32 {0, 0, 0, 0}\n";
    for (int i = 1; i < kOutputs; i++) text += fmt::format("DCL OUT[{}], GENERIC[{}]\n", i, i);
    for (int corner = 0; corner < 3; corner++) {
        text += fmt::format("MOV OUT[0], IN[{}][0]\n", corner);
        for (int i = 1; i < kOutputs; i++) text += fmt::format("MOV OUT[{}], IN[0][0]\n", i);
        text += "EMIT IMM[0].xxxx\n";
    }
    EXPECT_EQ(first_pixel(scene() + use(20, text + "END\n") + triangle()), kGreen);
}

/// VUID-VkGraphicsPipelineCreateInfo-pStages-00738
TEST_F(Hostile, GeometryShadersOfOtherPrimitivesThanTheDraws) {
    constexpr std::pair<const char*, uint32_t> kInputs[] = {
        {"POINTS", 1}, {"LINES", 2}, {"TRIANGLES", 3}, {"LINES_ADJACENCY", 4}, {"TRIANGLES_ADJACENCY", 6}};
    constexpr std::array<uint32_t, 5> kModes{0, 1, 4, 10, 12};  // gallium's numbers of these primitives
    for (const Names& without : {Names{}, Names{"geometryShader"}}) {
        restart_without(without);
        run(scene() + whole_target());
        for (size_t input = 0; input < kModes.size(); input++) {
            const auto& [name, corners] = kInputs[input];
            run(use(20 + static_cast<uint32_t>(input),
                    fmt::format("GEOM\nPROPERTY GS_INPUT_PRIMITIVE {}\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
                                "PROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\n"
                                "DCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {{0, 0, 0, 0}}\nIMM[1] FLT32 {{-1, 3, 0, 1}}\n"
                                "MOV OUT[1], IN[{}][0]\nMOV OUT[0], IMM[1].xxzw\nEMIT IMM[0].xxxx\n"
                                "MOV OUT[0], IMM[1].yxzw\nEMIT IMM[0].xxxx\nMOV OUT[0], IMM[1].xyzw\n"
                                "EMIT IMM[0].xxxx\nEND\n",
                                name, corners - 1)));
            for (size_t mode = 0; mode < kModes.size(); mode++) {
                run(clear(0, 1, 0, 1) + command(Id::DrawVbo, {0, 6, kModes[mode], 0, 1, 0, 0, 0, 0, 0, ~0u, 0}));
                EXPECT_EQ(pixels()[17] != kGreen, input == mode) << name << ", mode " << kModes[mode];
            }
        }
    }
}

/// VUID-vkCmdDrawIndirect-drawCount-02718
TEST_F(Hostile, SeveralIndirectDrawsWithoutTheFeature) {
    restart_without({"multiDrawIndirect"});
    make_buffer(20, kBindCommandArgs, Buffer(8));
    const auto draws = [](uint32_t n) {
        return command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, 0, 0, 20, 0, 16, n, 0, 0});
    };
    run(scene() + draws(1));
    refuse(draws(2));
}

/// A texture that FRAG could read, and does not: it is no load operation's clear then, for which the read could not
/// wait.
TEST_F(Hostile, TexturesThatAreClearedTargets) {
    restart_without({"dynamicRendering"});  // the layer knows the hazards of render passes alone
    make_image(20, kSize, kSize);
    make_image(21, 1, 1);
    write(21, {0, 0, 0, 1, 1, 1}, std::array{0xff123456u});
    run(scene() + object(O::SamplerView, {22, 20, kBgra, 0, 0, kXyzw}) +
        object(O::SamplerView, {23, 21, kBgra, 0, 0, kXyzw}) + command(Id::SetSamplerViews, {1, 0, 22, 23}) +
        framebuffer(24, 20, kBgra) + clear(0, 0, 0, 0) +
        use(25,
            "FRAG; DCL OUT[0], COLOR; DCL SAMP[0..1]; DCL SVIEW[0..1], 2D, FLOAT; DCL CONST[0]; DCL ADDR[0]; "
            "DCL TEMP[0]; F2U TEMP[0].x, CONST[0].yyyy; UARL ADDR[0].x, TEMP[0].xxxx; "
            "TEX_LZ OUT[0], CONST[0], SAMP[ADDR[0].x], 2D; END") +
        triangle());
    EXPECT_EQ(pixels(20)[0], 0xff123456u);
}

/// VUID-VkPipelineLayoutCreateInfo-descriptorType-03016, 03018
TEST_F(Hostile, MoreResourcesThanTheDeviceHas) {
    const std::pair<const char*, const char*> kinds[] = {
        {"DCL SAMP[@]\nDCL SVIEW[@], 2D, FLOAT\n", "TXF TEMP[1], TEMP[0], SAMP[@], 2D\n"},
        {"DCL BUFFER[@]\n", "LOAD TEMP[1], BUFFER[@], TEMP[0].xxxx\n"}};
    for (const auto& [declaration, read] : kinds) {
        std::string declared, body;
        const auto add = [](std::string& text, std::string line, uint32_t n) {
            for (size_t at = 0; (at = line.find('@')) != std::string::npos;) line.replace(at, 1, std::to_string(n));
            text += line;
        };
        for (uint32_t i = 0; i < 40; i++) {
            add(declared, declaration, i);
            add(body, read + std::string("ADD TEMP[2], TEMP[2], TEMP[1]\n"), i);
        }
        start();
        EXPECT_THAT(pixels_after(scene() +
                                 use(21, "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..2]\n" + declared + body +
                                             "MOV OUT[0], TEMP[2]\nEND\n") +
                                 triangle()),
                    Each(kGreen));
    }
}

/// VUID-VkWriteDescriptorSet-descriptorType-00332: buffers have some bytes more there.
/// Hundreds of thousands, in one of four megabytes: each must not look for the line's end.
TEST_F(Hostile, ImagesInOneLongLine) {
    const std::string declaration = "DCL IMAGE[0], 2D ";
    std::string part;
    while (part.size() < 200'000) part += declaration;
    part.resize(part.size() / 4 * 4);
    constexpr uint32_t kParts = 20;
    const auto bytes = static_cast<uint32_t>(part.size());
    Buffer all;
    for (uint32_t i = 0; i < kParts; i++)
        all = all + object(O::Shader, Buffer{21, 1, i == 0 ? kParts * bytes + 4 : i * bytes | 1U << 31, 300, 0} +
                                          text_words(part));
    const std::clock_t begin = std::clock();
    run(all + object(O::Shader, {21, 1, kParts * bytes | 1U << 31, 300, 0, 0}));
    EXPECT_LT(std::clock() - begin, 3 * CLOCKS_PER_SEC);
}

TEST_F(Hostile, UniformBuffersThatAreNotBound) {
    restart_without({"nullDescriptor", "VK_FORMAT_R8G8B8_UNORM"});
    run(scene() + use(21, "FRAG; DCL OUT[0], COLOR; DCL CONST[1][0]; MOV OUT[0], CONST[1][0]; END") + triangle());
    EXPECT_EQ(pixels()[0], 0U);
}

/// Equal texts share their programs.
TEST_F(Hostile, TextsThatFoundNoMemoryAreDrawnWithLater) {
    open_with(32);
    fill();
    const Buffer blue = use(21, "FRAG; DCL OUT[0], COLOR; IMM[0] FLT32 {0, 0, 1, 1}; MOV OUT[0], IMM[0]; END");
    auto& shared = dynamic_cast<SharedRenderer&>(*renderer_);
    for (const uint32_t context : {1U, 2U}) {
        ASSERT_EQ(shared.create_context(context), Outcome::Done);
        for (const uint32_t resource : {kTarget, kVertices}) ASSERT_EQ(shared.attach(context, resource), Outcome::Done);
        ASSERT_EQ(shared.submit(context, scene()), Outcome::Done);
    }
    constexpr int64_t kLeft = 1500;  // for the object, and not for the program
    int64_t filled = 0;
    for (int64_t bytes = 32 << 20; bytes > 0; bytes /= 2)
        for (; shared.charge(bytes); filled += bytes) continue;
    shared.charge(-kLeft);
    EXPECT_EQ(shared.submit(1, blue + triangle()), Outcome::Refused);
    shared.charge(kLeft - filled);
    ASSERT_EQ(shared.submit(2, blue + triangle()), Outcome::Done);
    EXPECT_EQ(pixels()[0], 0xff0000ffU);
}

/// VUID-vkCreateSampler-maxSamplerAllocationCount-04110: lavapipe has 32,768.
TEST_F(Hostile, ManySamplersInOneCommandBuffer) {
    constexpr uint32_t kStates = 32, kDraws = 1050;
    std::string text = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\n", body;
    for (uint32_t i = 0; i < kStates; i++) {
        text += fmt::format("DCL SAMP[{}]\nDCL SVIEW[{}], 2D, FLOAT\n", i, i);
        body += fmt::format("TXF TEMP[1], TEMP[0], SAMP[{}], 2D\nADD TEMP[0], TEMP[0], TEMP[1]\n", i);
    }
    Buffer all = scene() + use(21, text + body + "MOV OUT[0], TEMP[0]\nEND\n");
    for (uint32_t draw = 0; draw < kDraws; draw++) {
        Buffer handles{1, 0}, draws;
        for (uint32_t i = 0; i < kStates; i++) {
            draws = draws + object(O::SamplerState, {100 + i, 0, 0, 0, 0, 2 + i, draw, 0, 0});
            handles.push_back(100 + i);
        }
        draws = draws + command(Id::BindSamplerStates, handles) + triangle();
        all.insert(all.end(), draws.begin(), draws.end());
    }
    run(all);
}

/// Between two words would be a number without end.
TEST_F(Hostile, GridsBetweenWords) {
    make_buffer(20, kBindCommandArgs, Buffer(8));
    run(command(Id::LaunchGrid, {1, 1, 1, 0, 0, 0, 20, 4}));
    refuse(command(Id::LaunchGrid, {1, 1, 1, 0, 0, 0, 20, 3}));
}

TEST_F(Hostile, CapturedCountsOfIndexedDraws) {
    make_buffer(kCaptured, kBindStreamOutput, Buffer(36, 0));
    const Buffer capturing =
        use(70, kVert, {1, 2, 2, 0, 0, 2u << 10, 0}) + capture_to(kTargetObject, kCaptured, 0, 144);
    run(scene() + capturing + triangle() + command(Id::SetStreamoutTargets, {0}));
    // Without an index buffer; then the counters are destroyed, and another draw is ordered after the rest.
    run(command(Id::DrawVbo, {0, 3, 4, 1, 1, 0, 0, 0, 0, 0, ~0u, 144}) +
        command(Id::DestroyObject, {kTargetObject}, static_cast<uint32_t>(O::StreamoutTarget)));
    pixels();  // waits
    EXPECT_EQ(first_pixel(triangle()), kDrawn);
}

TEST_F(Hostile, CompressedTexturesBeginAsZerosHoweverLittleMemoryThereIs) {
    constexpr uint32_t kBytes = 4096 * 2048;
    open_with(32);
    const auto make = [&](uint32_t handle) {
        return renderer_->create_resource({handle, 2, kDxt5, kBindSamplerView, 4096, 2048, 1, 1, 0, 0}, nullptr);
    };
    const Box whole{0, 0, 0, 4096, 2048, 1};
    ASSERT_EQ(make(1), Outcome::Done);
    write(1, whole, std::vector<std::byte>(kBytes, std::byte{0xab}));
    texels(1, {0, 0, 0, 4, 4, 1});  // waits
    ASSERT_EQ(renderer_->destroy_resource(1), Outcome::Done);
    uint32_t created = 0;
    for (uint32_t mib = 24; mib > 4; mib -= 2) {
        if (renderer_->create_resource({2, 0, 64, kBindVertexBuffer, mib << 20, 1, 1, 1, 0, 0}, nullptr) !=
            Outcome::Done)
            continue;
        const bool made = make(3) == Outcome::Done;
        ASSERT_EQ(renderer_->destroy_resource(2), Outcome::Done);
        if (!made) continue;
        created++;
        std::vector<std::byte> read(kBytes, std::byte{1});
        ASSERT_EQ(renderer_->read({3, 0, 0, 0, whole}, read), Outcome::Done);
        EXPECT_EQ(std::ranges::count(read, std::byte{0}), kBytes) << mib;
        ASSERT_EQ(renderer_->destroy_resource(3), Outcome::Done);
    }
    EXPECT_GT(created, 0u);
}

TEST_F(Hostile, MemoryOfDroppedResourcesIsGivenBack) {
    open_with(160);
    for (uint32_t i = 0; i < 12; i++) {  // buffers and images of a block's size in turn, and not quite
        const uint32_t mib = 64 - i % 4 / 2;
        if (i % 2 == 0)
            create({1, 0, 64, kBindVertexBuffer, mib << 20, 1, 1, 1, 0, 0});
        else
            make_image(1, 4096, mib * 64);
        ASSERT_EQ(renderer_->destroy_resource(1), Outcome::Done);
    }
}

/// Sample masks have 32 bits here (VkPipelineMultisampleStateCreateInfo reads one word for each 32).
TEST_F(Hostile, TexturesOf64Samples) {
    static PFN_vkGetPhysicalDeviceImageFormatProperties ask;
    ask = std::exchange(vkGetPhysicalDeviceImageFormatProperties,
                        [](auto device, auto format, auto type, auto tiling, auto usage, auto flags, auto* told) {
                            const VkResult result = ask(device, format, type, tiling, usage, flags, told);
                            told->sampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_64_BIT;
                            return result;
                        });
    for (const uint32_t samples : {2U, 33U, 64U})
        EXPECT_EQ(renderer_->create_resource({20, 2, kBgra, kBindRenderTarget, 4, 4, 1, 1, 0, samples}, nullptr),
                  Outcome::Refused);
    vkGetPhysicalDeviceImageFormatProperties = ask;
}

/// Samplers that are there, of which a device makes no more than 4,000.
struct FewSamplers {
    FewSamplers() {
        count = 0;
        create = std::exchange(vkCreateSampler, [](auto... p) {
            if (count >= 4000) return VK_ERROR_TOO_MANY_OBJECTS;
            count++;
            return create(p...);
        });
        destroy = std::exchange(vkDestroySampler, [](auto device, auto sampler, auto callbacks) {
            count--;
            destroy(device, sampler, callbacks);
        });
    }
    ~FewSamplers() {
        vkCreateSampler = create;
        vkDestroySampler = destroy;
    }
    FewSamplers(const FewSamplers&) = delete;
    FewSamplers& operator=(const FewSamplers&) = delete;
    static inline PFN_vkCreateSampler create;
    static inline PFN_vkDestroySampler destroy;
    static inline uint32_t count;
};

constexpr const char* kTextured =
    "FRAG; DCL IN[0], GENERIC[0], PERSPECTIVE; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], 2D, FLOAT; "
    "TEX OUT[0], IN[0], SAMP[0], 2D; END";

TEST_F(Hostile, SamplersWithoutEnd) {
    make_image(20, 16, 16);
    {
        const FewSamplers few;
        run(scene() + use(21, kTextured) + sample(22, 20, kBgra | 2u << 24));
        for (uint32_t n = 0; n < 4200; n++) {  // more than there may be
            const uint32_t bias = bits(0.0005F * static_cast<float>(n));
            run(object(O::SamplerState, {23, 1u << 9 | 1u << 11 | 1u << 13, bias, bits(0), bits(1000), 0, 0, 0, 0}) +
                command(Id::BindSamplerStates, {1, 0, 23}) + triangle());
        }
        renderer_ = nullptr;
        EXPECT_EQ(few.count, 0u);
    }
}

TEST_F(Hostile, DrawsWithoutSamplersAreSkipped) {
    make_image(20, 16, 16);
    const Buffer textured = scene() + use(21, kTextured);
    {
        const FewSamplers few;
        FewSamplers::count = 4000;
        run(textured + triangle());
        FewSamplers::count = 0;
    }
    EXPECT_EQ(pixels()[0], kGreen) << "nothing is drawn";
    create({30, 0, 64, kBindVertexBuffer, 96, 1, 1, 1, 0, 0});
}

TEST_F(Hostile, SamplersApartFromViews) {
    make_image(20, 16, 16);
    write(20, {0, 0, 0, 16, 16, 1}, Buffer(256, kGreen));
    const char* text =
        "FRAG; DCL IN[0], GENERIC[0], PERSPECTIVE; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], 2D, FLOAT; "
        "SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[0]; END";
    EXPECT_EQ(first_pixel(scene() + use(21, text) + sample(22, 20, kBgra | 2u << 24) + triangle()), kGreen);
}

TEST_F(Hostile, SamplesWithoutAttachments) {
    const auto samples = [](uint32_t count) {
        return command(Id::SetFramebufferStateNoAttach, {16 | 16 << 16, 1 | count << 16});
    };
    run(scene() + command(Id::SetFramebufferState, {0, 0}) + samples(3) +
        triangle());  // as many as the device has next
    refuse(samples(65535) + triangle());
}

TEST_F(Hostile, TexelBuffersOffTheirAlignment) {
    make_buffer(20, kBindSamplerView, Buffer(64, 0));
    constexpr uint32_t kR8 = 64;
    refuse(scene() + object(O::SamplerView, {21, 20, kR8, 1, 40, kXyzw}));
}

TEST_F(Hostile, VerticesOffTheirAlignment) {
    // As the scene's, one byte later and with a stride of 33.
    const std::array<std::array<float, 8>, 3> vertices = {
        {{-1, -1, 0, 1, 1, 0, 1, 1}, {3, -1, 0, 1, 1, 0, 1, 1}, {-1, 3, 0, 1, 1, 0, 1, 1}}};
    std::vector<std::byte> shifted(104);
    for (size_t i = 0; i < vertices.size(); i++) std::memcpy(shifted.data() + 1 + 33 * i, &vertices[i], 32);
    create({20, 0, 64, kBindVertexBuffer, 104, 1, 1, 1, 0, 0});
    write(20, {0, 0, 0, 104, 1, 1}, shifted);
    EXPECT_EQ(first_pixel(scene() + command(Id::SetVertexBuffers, {33, 1, 20}) + triangle()), kDrawn);
    EXPECT_EQ(pixels()[15], kGreen);
    // Each copy is an object.
    Buffer elements{21, 0, 0, 0, kFloats, 16, 0, 0, kFloats};
    for (uint32_t i = 2; i < 32; i++) elements = elements + Buffer{0, 0, 0, kFloats};
    const Buffer many = clear(0, 1, 0, 1) + bind_new(O::VertexElements, elements) + triangle();
    EXPECT_EQ(first_pixel(many), kDrawn);
    auto& shared = dynamic_cast<SharedRenderer&>(*renderer_);
    for (int64_t bytes = int64_t{1} << 40; bytes > 0; bytes /= 2)
        for (; shared.charge(bytes);) continue;
    shared.charge(-16 << 10);
    EXPECT_EQ(first_pixel(many), kGreen) << "there is no room for 32 copies";
}

/// At the end of 32 MiB: the copies take nearly as much, and a draw for which that is too much is skipped.
TEST_F(Hostile, VerticesOffTheirAlignmentInALargeBuffer) {
    constexpr uint32_t kBytes = 32U << 20, kFirst = kBytes / 33 - 4;
    const Buffer large = command(Id::SetVertexBuffers, {33, 1, 20});
    for (const uint64_t mib : {96U, 48U}) {
        open_with(mib);
        Draws::fill();
        create({20, 0, 64, kBindVertexBuffer, kBytes, 1, 1, 1, 0, 0});
        for (uint32_t i = 0; i < 3; i++) {
            const std::array<float, 8> vertex{i == 1 ? 3.F : -1.F, i == 2 ? 3.F : -1.F, 0, 1, 1, 0, 1, 1};
            write(20, {1 + 33 * (kFirst + i), 0, 0, 32, 1, 1}, vertex);
        }
        EXPECT_EQ(first_pixel(scene() + large + command(Id::DrawVbo, {kFirst, 3, 4, 0, 1, 0, 0, 0, 0, 0, ~0U, 0})),
                  mib == 96 ? kDrawn : kGreen);
        EXPECT_EQ(first_pixel(scene() + triangle()), kDrawn);
    }
}

TEST_F(Hostile, ObjectsWithoutEnd) {
    open_with(32);
    Outcome last = Outcome::Done;
    uint32_t handle = 1;
    for (; handle < 100'000 && last == Outcome::Done; handle += 1000) {
        Buffer many;
        for (uint32_t i = 0; i < 1000; i++) {
            const Buffer one = object(O::DepthStencilAlpha, {handle + i, 0, 0, 0, 0});
            many.insert(many.end(), one.begin(), one.end());
        }
        last = renderer_->submit(many);
    }
    EXPECT_EQ(last, Outcome::Refused);
    EXPECT_GT(handle, 10'000u);
}

TEST_F(Hostile, ProgramsWithoutEndAreForgotten) {
    static PFN_vkCreateGraphicsPipelines real_create;
    static PFN_vkDestroyPipeline real_destroy;
    static int64_t alive, most;
    alive = most = 0;
    open_with(32);
    real_create = std::exchange(vkCreateGraphicsPipelines, [](auto... p) {
        most = std::max(most, ++alive);
        return real_create(p...);
    });
    real_destroy = std::exchange(vkDestroyPipeline, [](auto device, auto pipeline, auto callbacks) {
        alive -= pipeline != VK_NULL_HANDLE;
        real_destroy(device, pipeline, callbacks);
    });
    fill();
    run(scene());
    for (uint32_t i = 0; i < 120; i++) {
        const std::string text =
            "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0, 0, 1, " + std::to_string(i) + "}\nMOV OUT[0], IMM[0]\nEND\n";
        run(use(6, text) + triangle());
        if (i % 10 == 0) pixels();  // waits
    }
    renderer_ = nullptr;
    vkCreateGraphicsPipelines = real_create;
    vkDestroyPipeline = real_destroy;
    EXPECT_EQ(alive, 0);
    EXPECT_LT(most, 100);
}

// The second draw's indices are rewritten, for which it waits: dispatches before it have made its program an old one.
TEST_F(Hostile, ForgottenProgramsDraw) {
    open_with(32);
    fill();
    constexpr uint32_t kIndices = 8, kWords = 9;
    make_buffer(kIndices, kBindIndexBuffer, {0, 1, 2});
    make_buffer(kWords, kBindShaderBuffer, Buffer(4));
    const auto draw = [](uint32_t restarts) {
        return command(Id::DrawVbo, {0, 3, 4, 1, 1, 0, 0, restarts, 5, 0, ~0u, 0});
    };
    Buffer commands = scene() + command(Id::SetIndexBuffer, {kIndices, 4, 0}) + draw(0) +
                      command(Id::SetShaderBuffers, {5, 0, 0, 16, kWords});
    for (uint32_t i = 0; i < 60; i++) {
        const std::string text =
            "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH "
            "1\nDCL BUFFER[0]\nIMM[0] UINT32 {0, " +
            std::to_string(i) + ", 0, 0}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\nEND\n";
        commands = commands + use(70, text) + command(Id::LaunchGrid, {1, 1, 1, 1, 1, 1, 0, 0});
    }
    EXPECT_EQ(first_pixel(commands + draw(1)), kDrawn);
}

}  // namespace
}  // namespace tgsi2spv::host
