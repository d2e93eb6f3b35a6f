// The device operations of texture instructions and messages, and the use of their results: run on the host, with
// textures that answer by a rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "lower/lowered.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::test {
namespace {

namespace spec = lower::spec;
using sampling::Call;
using sampling::SampleOp;

// ---- messages

Call sample(SampleOp op) {
    Call call;
    call.message.sample = op;
    call.message.surface = sampling::surface(call.target);
    place_parameters(call.message);
    return call;
}

Call gather() {
    Call call;
    call.message.cls = sampling::Class::Tld4;
    call.message.immediate_component = 0;
    call.message.surface = sampling::surface(call.target);
    place_parameters(call.message, true);
    return call;
}

struct Answered {
    Words result{};
    uint32_t residency = 0;
};

/// Runs the message in the first lane, with `words` as its IN[0], IN[1] and so on.
Answered answered(const Call& call, const std::vector<uint32_t>& words, Surroundings surroundings,
                  const lower::Capabilities& capabilities = {}, int32_t pool = 1) {
    const Lowered l = lower_messages({&call, 1}, tgsi::Stage::Fragment, pool, capabilities);
    EXPECT_TRUE(l.ok) << l.error;
    if (!l.ok) return {};
    surroundings.io_inputs = words;
    surroundings.io_parameters = {0, 2, 4, 0, 0};  // two pixels wide, four lanes
    surroundings.builtins[ir::BuiltIn::FragCoord] = floats(0.5f, 0.5f, 0, 1);
    const Evaluation e = evaluate(l.module, {}, surroundings);
    EXPECT_EQ(e.error, "");
    EXPECT_THAT(e.undefined, testing::IsEmpty());
    const auto word = [&](uint32_t n) { return e.io_outputs.contains(n) ? e.io_outputs.at(n) : 0xdeadu; };
    return {{word(0), word(1), word(2), word(3)}, call.message.sparse ? word(4) : 0};
}

constexpr uint32_t kYes = 0xffff'ffff, kNo = 0;              // of a sample: every texel was resident, or not
constexpr uint32_t kGatherYes = 0, kGatherNo = 0xffff'ffff;  // of a gather, whose bit reports missing texels

TEST(LowerTextureRun, ResidencyIsThatOfTheChosenTexture) {
    Call call = sample(SampleOp::sample_lz);
    call.message.sparse = call.message.separate = call.message.non_uniform_surface = true;
    call.texture_index = {1, 0};
    for (uint32_t resident = 0; resident < 3; ++resident)
        for (uint32_t index = 0; index < 3; ++index) {
            const Answered a =
                answered(call, {0, 0, 0, 0, index},
                         {.image =
                              [&](const ImageAccess& i) {
                                  return ImageAnswer{all(f(static_cast<float>(i.texture))), i.texture == resident};
                              }},
                         {}, 3);
            EXPECT_EQ(a.result, all(f(static_cast<float>(index))));
            EXPECT_EQ(a.residency, index == resident ? kYes : kNo) << index;
        }
}

TEST(LowerTextureRun, ResidencyIsThatOfTheChosenSampler) {
    Call call = sample(SampleOp::sample_lz);
    call.message.sparse = call.message.separate = call.message.non_uniform = true;
    call.sampler_index = {1, 0};
    for (uint32_t index = 0; index < 3; ++index) {
        const Answered a = answered(call, {0, 0, 0, 0, index},
                                    {.image =
                                         [](const ImageAccess& i) {
                                             return ImageAnswer{all(f(static_cast<float>(i.sampler))), i.sampler == 1};
                                         }},
                                    {}, 3);
        EXPECT_EQ(a.result, all(f(static_cast<float>(index))));
        EXPECT_EQ(a.residency, index == 1 ? kYes : kNo) << index;
    }
}

/// SPIR-V's component is a constant, so four gathers replace one, and each reports the residency of the pages it reads.
TEST(LowerTextureRun, ResidencyOfAGatherByARegisterCountsEveryGather) {
    Call call = gather();
    call.message.sparse = true;
    call.message.immediate_component = -1;
    place_parameters(call.message, true);
    call.message.component = {1, 0};
    for (const uint32_t missing : {0u, 1u, 2u, 3u, 9u})
        for (uint32_t component = 0; component < 4; ++component) {
            const Answered a = answered(
                call, {0, 0, 0, 0, component}, {.image = [&](const ImageAccess& i) {
                    return ImageAnswer{all(f(static_cast<float>(i.image->component))), i.image->component != missing};
                }});
            EXPECT_EQ(a.result, all(f(static_cast<float>(component))));
            EXPECT_EQ(a.residency, missing == 9 ? kGatherYes : kGatherNo) << missing;
        }
}

TEST(LowerTextureRun, AHandleAfterThePoolReadsResidentZeros) {
    Call call = gather();
    call.message.bindless = call.message.separate = call.message.sparse = true;
    place_parameters(call.message);
    const sampling::Param handle = call.message.handle;
    ASSERT_TRUE(handle.present());
    lower::Capabilities indexes;
    indexes.sampled_images.non_uniform = true;
    const auto read = [&](uint32_t texture, uint32_t sampler, bool resident, const lower::Capabilities& device) {
        std::vector<uint32_t> words(8, 0);
        words.at(4u * handle.source + handle.component) = sampler << 20 | texture;
        return answered(call, words,
                        {.image =
                             [&](const ImageAccess& i) {
                                 return ImageAnswer{
                                     floats(static_cast<float>(i.texture), static_cast<float>(i.sampler), 7, 8),
                                     resident};
                             }},
                        device, 2);
    };
    for (const lower::Capabilities& device : {lower::Capabilities{}, indexes}) {
        for (const auto& [texture, sampler] : {std::pair(0u, 0u), {0u, 1u}, {1u, 0u}, {1u, 1u}})
            for (const bool resident : {true, false}) {
                const Answered a = read(texture, sampler, resident, device);
                EXPECT_EQ(a.result, floats(static_cast<float>(texture), static_cast<float>(sampler), 7, 8));
                EXPECT_EQ(a.residency, resident ? kGatherYes : kGatherNo);
            }
        for (const auto& [texture, sampler] : {std::pair(2u, 0u), {0u, 2u}, {0xf'ffffu, 0xfffu}}) {
            const Answered a = read(texture, sampler, false, device);
            EXPECT_EQ(a.result, Words{}) << texture << " " << sampler;
            EXPECT_EQ(a.residency, kGatherYes) << texture << " " << sampler;
        }
    }
}

/// Coarse pixels of 2 by 4: their derivatives are at least twice those of full-rate pixels, so one level is taken back.
TEST(LowerTextureRun, CoarsePixelsReadTheLevelOfFullOnes) {
    const auto asked = [](const Call& call, uint32_t rate, const std::vector<uint32_t>& words,
                          int ir::ImageArguments::*what) {
        float found = -99;
        answered(call, words, {.builtins = {{ir::BuiltIn::ShadingRate, all(rate)}}, .image = [&](const ImageAccess& i) {
                                   found = std::bit_cast<float>(i.arg(i.at.*what)[0]);
                                   return ImageAnswer{};
                               }});
        return found;
    };
    struct Row {
        uint32_t rate;  // log2 of the height in bits 0 and 1, of the width in bits 2 and 3
        float levels;
    };
    for (const Row& row : {Row{0b0000, 0}, {0b0110, 1}, {0b1001, 1}, {0b1010, 2}, {0b0001, 0}, {0b0100, 0}}) {
        Call plain = sample(SampleOp::sample), biased = sample(SampleOp::sample_b), level = sample(SampleOp::LOD);
        plain.message.cps_compensation = biased.message.cps_compensation = level.message.cps_compensation = true;
        EXPECT_EQ(asked(plain, row.rate, {0, 0}, &ir::ImageArguments::bias), -row.levels) << row.rate;
        ASSERT_EQ(biased.message.bias, (sampling::Param{0, 0}));
        EXPECT_EQ(asked(biased, row.rate, {f(3.5f)}, &ir::ImageArguments::bias), 3.5f - row.levels) << row.rate;
        ASSERT_EQ(level.message.coord[0], (sampling::Param{0, 0}));
        EXPECT_EQ(asked(level, row.rate, {f(12)}, &ir::ImageArguments::coordinate),
                  std::ldexp(12, -static_cast<int>(row.levels)))
            << row.rate;
    }
}

TEST(LowerTextureRun, NarrowResultsAreExtendedByTheirType) {
    const auto result = [](sampling::ResultType type, tgsi::ReturnType returns, const Words& texel) {
        Call call = sample(SampleOp::sample_lz);
        call.message.result = type;
        call.returns = returns;
        return answered(call, {}, {.image = [&](const ImageAccess&) { return ImageAnswer{texel}; }}).result;
    };
    const Words texel{0x0001'8001, 0xffff'7fff, 0x8000, 0xffff'ffff};
    EXPECT_EQ(result(sampling::ResultType::Int16, tgsi::ReturnType::Sint, texel),
              (Words{0xffff'8001, 0x7fff, 0xffff'8000, 0xffff'ffff}));
    EXPECT_EQ(result(sampling::ResultType::Uint16, tgsi::ReturnType::Uint, texel),
              (Words{0x8001, 0x7fff, 0x8000, 0xffff}));
    EXPECT_EQ(result(sampling::ResultType::Half, tgsi::ReturnType::Float, floats(1, -2, 0.5f, 0)),
              (Words{0x3c00, 0xc000, 0x3800, 0}));
}

TEST(LowerTextureRun, ASamplerThatAloneDiffersBetweenLanesSaysSo) {
    Call call = sample(SampleOp::sample);
    call.message.separate = call.message.non_uniform = true;
    call.sampler_index = {1, 0};
    lower::Capabilities indexes;
    indexes.sampled_images.non_uniform = indexes.quad_divergent_implicit_lod = true;
    const Lowered l = lower_messages({&call, 1}, tgsi::Stage::Fragment, 3, indexes);
    ASSERT_TRUE(l.ok) << l.error;
    ASSERT_EQ(l.module.image_ops.size(), 1u);
    EXPECT_TRUE(l.module.image_ops[0].non_uniform);
}

// ---- instructions

const std::string kHead = R"(VERT
DCL IN[0..2]
DCL OUT[0], GENERIC[7]
DCL SAMP[0..31]
IMM[0] INT32 {1, 2, 3, 0}
)";

struct Asked {
    Words result{};
    std::vector<ImageAccess> accesses;  ///< without queries
};

/// Runs `body`, whose declarations come first, on textures of 8 by 4 texels.
Asked asked(const std::string& body, const std::vector<Words>& inputs, const lower::Options& options = {},
            const std::map<int32_t, uint32_t>& specialized = {},
            const std::function<Words(const ImageAccess&)>& texels = {}) {
    const Lowered l = lower_text(kHead + body + "\nEND\n", options);
    EXPECT_TRUE(l.ok) << l.error << "\n" << body;
    if (!l.ok) return {};
    Asked result;
    std::map<uint32_t, Words> by_location;
    for (uint32_t i = 0; i < 3; ++i) by_location[i] = i < inputs.size() ? inputs[i] : Words{};
    const Evaluation e =
        evaluate(l.module, by_location, {.specialized = specialized, .image = [&](const ImageAccess& i) -> ImageAnswer {
                                             if (i.op == ir::Op::ImageQuerySize) return {{8, 4}};
                                             if (i.op == ir::Op::ImageQueryLevels) return {all(3)};
                                             if (i.op == ir::Op::ImageQuerySamples) return {all(4)};
                                             result.accesses.push_back(i);
                                             return {texels ? texels(i) : Words{}};
                                         }});
    EXPECT_EQ(e.error, "") << body;
    EXPECT_THAT(e.undefined, testing::IsEmpty()) << body;
    const auto out = e.outputs.find(7);
    if (out != e.outputs.end()) result.result = out->second;
    return result;
}

/// A view's swizzle as the specialization constant has it: 0 to 3 are xyzw, 4 zero, 5 one.
std::map<int32_t, uint32_t> swizzle(uint32_t reg, uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
    return {{static_cast<int32_t>(spec::kViewSwizzle + reg), x | y << 3 | z << 6 | w << 9}};
}

TEST(LowerTextureRun, OneOfAViewIsOneOfItsType) {
    lower::Options options;
    options.state.swizzled_views = 1;
    const auto read = [&](const char* type) {
        return asked("DCL SVIEW[0], 2D, " + std::string(type) + "\nTXF OUT[0], IN[0], SAMP[0], 2D", {{1, 1, 0, 0}},
                     options, swizzle(0, 3, 5, 4, 0),
                     [](const ImageAccess&) {
                         return Words{11, 12, 13, 14};
                     })
            .result;
    };
    for (const char* type : {"UINT", "SINT"}) EXPECT_EQ(read(type), (Words{14, 1, 0, 11})) << type;
    EXPECT_EQ(read("FLOAT"), (Words{14, f(1), 0, 11}));
}

TEST(LowerTextureRun, SampleIOutsideIsZeroWithAnySwizzle) {
    lower::Options options;
    options.state.swizzled_views = 1;
    const auto read = [&](uint32_t x) {
        return asked("DCL SVIEW[0], 2D, FLOAT\nSAMPLE_I OUT[0], IN[0], SVIEW[0]", {{x, 1, 0, 0}}, options,
                     swizzle(0, 0, 5, 5, 5), [](const ImageAccess&) { return all(f(3)); })
            .result;
    };
    EXPECT_EQ(read(7), floats(3, 1, 1, 1));
    EXPECT_EQ(read(8), Words{});
    EXPECT_EQ(read(kAllOnes), Words{});
}

Words by_component(const ImageAccess& i) {
    return all(f(10.0f + static_cast<float>(i.image->component)));
}

TEST(LowerTextureRun, GathersReadTheComponentThatTheViewShows) {
    lower::Options options;
    options.state.swizzled_views = 1;
    const auto shown = swizzle(0, 2, 5, 0, 4);  // zx: components 2 and 0; y is one, w is zero
    for (const auto& [component, expected] : {std::pair(0u, 12.0f), {1u, 1.0f}, {2u, 10.0f}, {3u, 0.0f}}) {
        EXPECT_EQ(
            asked("TG4 OUT[0], IN[0], IN[1].xxxx, SAMP[0], 2D", {{}, all(component)}, options, shown, by_component)
                .result,
            all(f(expected)))
            << component;
        const std::string letter(4, "xyzw"[component]);
        EXPECT_EQ(asked("TG4 OUT[0], IN[0], SAMP[0]." + letter + ", 2D", {}, options, shown, by_component).result,
                  all(f(expected)))
            << letter;
        // The operand's swizzle comes first: its letter for the component is a component of the view.
        const std::string reversed(4, "wzyx"[component]);
        EXPECT_EQ(asked("DCL SVIEW[0], 2D, FLOAT\nGATHER4 OUT[0], IN[0], SVIEW[0].wzyx, SAMP[1]." + reversed, {},
                        options, shown, by_component)
                      .result,
                  all(f(expected)))
            << reversed;
    }
}

TEST(LowerTextureRun, DerivativesAreInTexelsWhereCoordinatesAre) {
    lower::Options options;
    options.state.unnormalized = 1;
    for (const bool texels : {true, false}) {
        const Asked a = asked("TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], 2D",
                              {floats(16, 8, 0, 0), floats(24, 12, 0, 0), floats(32, 20, 0, 0)}, options,
                              {{static_cast<int32_t>(spec::kUnnormalized), texels}});
        ASSERT_EQ(a.accesses.size(), 1u);
        const ImageAccess& i = a.accesses[0];
        const float x = texels ? 8 : 1, y = texels ? 4 : 1;
        const auto is = [&](int where, float u, float v) {
            EXPECT_EQ(i.arg(where)[0], f(u / x));
            EXPECT_EQ(i.arg(where)[1], f(v / y));
        };
        is(i.at.coordinate, 16, 8);
        is(i.at.grad, 24, 12);
        is(i.at.grad + 1, 32, 20);
    }
}

/// Half a texel of 8 by 4, of 4 by 2 and of 2 by 1. The coordinate y is not mirrored.
TEST(LowerTextureRun, MirroredCoordinatesStayHalfATexelFromZero) {
    lower::Options options;
    options.state.mirrored_coordinates[0] = 1;
    const auto read = [&](const std::string& text, float x, const Words& lod = {}) {
        const Asked a = asked(text, {floats(x, -0.25f, 0, 0), lod, Words{}}, options);
        EXPECT_EQ(a.accesses.size(), 1u);
        const Words at = a.accesses[0].arg(a.accesses[0].at.coordinate);
        EXPECT_EQ(at[1], f(-0.25f));
        return std::bit_cast<float>(at[0]);
    };
    const std::string level = "TXL2 OUT[0], IN[0], IN[1], SAMP[0], 2D",
                      gradients = "TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], 2D";
    constexpr float kLittleMore = 1 + 0x1p-22f;
    EXPECT_EQ(read(level, -3), 3);
    EXPECT_EQ(read(level, -0.25f), 0.25f);
    for (const float x : {-0.01f, 0.0f, 0.01f}) EXPECT_EQ(read(level, x, all(f(2))), kLittleMore / 16);
    options.state.clamped_coordinates[0] = 1;
    EXPECT_EQ(read(level, -3), 1);
    options.state.mirrored_levels = 1;
    EXPECT_EQ(read(level, 0, all(f(-1))), kLittleMore / 16);
    EXPECT_EQ(read(level, 0, all(f(0.25f))), kLittleMore / 8);
    EXPECT_EQ(read(level, 0, all(f(9))), kLittleMore / 4) << "there are three levels";
    EXPECT_EQ(read(gradients, 0, floats(2.0f / 8, 0, 0, 0)), kLittleMore / 8) << "two texels of 8";
    EXPECT_EQ(read("TG4 OUT[0], IN[0], SAMP[0].x, 2D", 0), kLittleMore / 16);
}

TEST(LowerTextureRun, BuffersOfNormalizedNumbersAreIntegers) {
    const auto texel = [](const lower::Options& options, const Words& fetched,
                          const std::map<int32_t, uint32_t>& swizzles) {
        return asked("TXF OUT[0], IN[0], SAMP[0], BUFFER", {Words{1, 0, 0, 0}}, options, swizzles,
                     [&](const ImageAccess&) { return fetched; })
            .result;
    };
    lower::Options options;
    options.state.unorm16_buffers = options.state.swizzled_views = 1;
    EXPECT_EQ(texel(options, {65535, 32768, 0, 1}, swizzle(0, 0, 1, 2, 5)), floats(1, 32768 / 65535.0f, 0, 1));
    options.state = {};
    options.state.snorm16_buffers = 1;
    EXPECT_EQ(texel(options, {32767, 0xffff'8000, 0xffff'8001, 1}, {}), floats(1, -1, -1, 1 / 32767.0f));
}

TEST(LowerTextureRun, TheLastSamplerHasStateToo) {
    lower::Options options;
    options.state.unnormalized = options.state.swizzled_views = 1u << 31;
    auto specialized = swizzle(31, 1, 0, 5, 4);
    specialized[static_cast<int32_t>(spec::kUnnormalized)] = 1u << 31;
    const Asked a = asked("TXL OUT[0], IN[0], SAMP[31], 2D", {floats(16, 8, 0, 0)}, options, specialized,
                          [](const ImageAccess&) { return floats(5, 6, 7, 8); });
    EXPECT_EQ(a.result, floats(6, 5, 1, 0));
    ASSERT_EQ(a.accesses.size(), 1u);
    EXPECT_EQ(a.accesses[0].arg(a.accesses[0].at.coordinate)[0], f(2));
}

/// No device reads another level than the nearest one, and each still distinguishes minification from magnification.
TEST(LowerTextureRun, ALevelBesideAWholeOneIsAtMostAQuarterAway) {
    lower::Options options;
    options.offsets_read_one_level = true;
    struct Row {
        float given, read;
    };
    for (const Row& row : {Row{0.625f, 0.75f},
                           {0.875f, 0.875f},
                           {1, 1},
                           {1.125f, 1.125f},
                           {1.375f, 1.25f},
                           {-3, -0.25f},
                           {-0.125f, -0.125f},
                           {0.375f, 0.25f},
                           {9, 2.25f},
                           {1.75f, 1.75f}}) {
        const Asked a = asked("TXL OUT[0], IN[0], SAMP[0], 2D, IN[1].xyzz", {floats(0, 0, 0, row.given)}, options);
        ASSERT_EQ(a.accesses.size(), 1u);
        EXPECT_EQ(std::bit_cast<float>(a.accesses[0].arg(a.accesses[0].at.lod)[0]), row.read) << row.given;
    }
}

// ---- samples

struct Location {
    float x, y;
};
/// Vulkan, "Multisampling", standard sample locations, in sixteenths of a pixel.
constexpr Location kTwo[] = {{12, 12}, {4, 4}};
constexpr Location kFour[] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
constexpr Location kEight[] = {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}};
constexpr Location kSixteen[] = {{9, 9},  {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
                                 {6, 14}, {8, 1}, {4, 2},  {2, 12}, {0, 8}, {15, 4},  {14, 15}, {1, 0}};

Words of_samples(const std::string& body, uint32_t index, uint32_t texture_samples, uint32_t target_samples,
                 tgsi::Dialect dialect = tgsi::Dialect::Auto) {
    const Lowered l = lower_text(
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
DCL SVIEW[0], 2D_MSAA, FLOAT
DCL SVIEW[1], 2D, FLOAT
)" + body + "\nEND\n",
        {.dialect = dialect});
    EXPECT_TRUE(l.ok) << l.error;
    uint32_t location = 0;
    for (const ir::Variable& v : l.module.variables)
        if (v.kind == ir::VariableKind::Input) location = v.location;
    const Evaluation e = evaluate(l.module, {{location, all(index)}},
                                  {.specialized = {{static_cast<int32_t>(spec::kTargetSamples), target_samples}},
                                   .image = [&](const ImageAccess&) { return ImageAnswer{all(texture_samples)}; }});
    EXPECT_EQ(e.error, "");
    return e.outputs.at(0);
}

TEST(LowerTextureRun, SamplesStandWhereVulkanPutsThem) {
    for (const std::span<const Location> table :
         std::initializer_list<std::span<const Location>>{kTwo, kFour, kEight, kSixteen}) {
        const auto n = static_cast<uint32_t>(table.size());
        for (uint32_t i = 0; i < n; ++i) {
            const Words at = floats(table[i].x / 16, table[i].y / 16, 0, 0);
            EXPECT_EQ(of_samples("SAMPLE_POS OUT[0], SVIEW[0], IN[0].xxxx", i, n, 1), at) << n << " " << i;
            EXPECT_EQ(of_samples("SAMPLE_POS OUT[0], TEMP[0], IN[0].xxxx", i, 1, n), at) << n << " " << i;
        }
        for (const uint32_t missing : {n, n + 1, 16u, 17u, 63u, kAllOnes})
            EXPECT_EQ(of_samples("SAMPLE_POS OUT[0], SVIEW[0], IN[0].xxxx", missing, n, 1), Words{}) << n;
    }
}

TEST(LowerTextureRun, OneSampleIsNoneInTheMiddleEditionExceptInARenderTarget) {
    using tgsi::Dialect;
    const auto info = [](const char* what, uint32_t texture, uint32_t target, Dialect dialect) {
        return of_samples("SAMPLE_INFO OUT[0], " + std::string(what), 0, texture, target, dialect)[0];
    };
    const auto position = [](const char* what, uint32_t texture, uint32_t target, Dialect dialect) {
        return of_samples("SAMPLE_POS OUT[0], " + std::string(what) + ", IN[0].xxxx", 0, texture, target, dialect);
    };
    for (const Dialect dialect : {Dialect::Middle, Dialect::Newest}) {
        const bool middle = dialect == Dialect::Middle;
        EXPECT_EQ(info("TEMP[0]", 9, 1, dialect), 1u);
        EXPECT_EQ(info("TEMP[0]", 9, 4, dialect), 4u);
        EXPECT_EQ(info("SVIEW[0]", 4, 9, dialect), 4u);
        EXPECT_EQ(info("SVIEW[0]", 1, 9, dialect), middle ? 0u : 1u);
        EXPECT_EQ(info("SVIEW[1]", 9, 9, dialect), middle ? 0u : 1u);
        EXPECT_EQ(position("TEMP[0]", 9, 1, dialect), floats(0.5f, 0.5f, 0, 0));
        EXPECT_EQ(position("SVIEW[1]", 9, 9, dialect), middle ? Words{} : floats(0.5f, 0.5f, 0, 0));
    }
}

}  // namespace
}  // namespace tgsi2spv::test
