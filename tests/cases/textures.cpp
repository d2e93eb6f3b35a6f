// The texture opcodes of the table on every target that each accepts, on the software devices, compared with the
// reference's bounds. Coordinates, sampler states and offsets are drawn at random, once per (opcode, target).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <iostream>

#include "cases/compare.h"
#include "cases/run/drawn_options.h"
#include "cases/run/run_vulkan.h"
#include "cases/run/tex_samplers.h"
#include "harness/devices.h"
#include "inputs/random.h"
#include "inputs/texels.h"
#include "reference/run.h"
#include "sampling/message.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {
namespace {

using tgsi::Target;

constexpr uint32_t kLanes = 16;

struct Case {
    std::string text;
    reference::Inputs inputs;
};

/// Draws one case at random.
struct Draw {
    Random random;
    std::string op;
    Target target;
    bool from_register = false;  ///< whether the offset comes from a register, and is large
    const char* colours = nullptr;
    tgsi::TargetShape shape{};
    reference::Texture texture{};
    reference::SamplerState sampler{};
    bool offset = false;

    float between(double lo, double hi) { return static_cast<float>(lo + (hi - lo) * random.unit()); }
    bool one_in(uint32_t n) { return random.below(n) == 0; }
    bool fetches() const { return op.starts_with("TXF") || op.starts_with("SAMPLE_I"); }
    bool asks_levels() const { return op.starts_with("LOD"); }
    bool asks() const {
        return asks_levels() || op.starts_with("TXQ") || op == "SVIEWINFO" || op == "SAMPLE_POS" || op == "SAMPLE_INFO";
    }

    void draw_texture() {
        static constexpr const char* kColours[] = {"R32G32B32A32_FLOAT", "R16G16_FLOAT", "R8G8B8A8_UNORM",
                                                   "R8G8B8A8_SNORM", "R32_FLOAT"};
        reference::Texture& t = texture;
        t.target = target;
        t.format = *tgsi::format_from_name(colours        ? colours
                                           : shape.shadow ? "Z32_FLOAT"
                                           : shape.buffer ? "R32G32B32A32_FLOAT"
                                                          : kColours[random.below(std::size(kColours))]);
        t.width = 8;
        t.height = shape.cube ? 8 : shape.coords > 1 ? 5 : 1;
        t.depth = shape.coords > 2 && !shape.cube ? 3 : 1;
        t.layers = (shape.cube ? 6 : 1) * (shape.array ? 3 : 1);
        t.samples = shape.ms ? 4 : 1;
        t.levels = shape.rect || shape.buffer || shape.ms || one_in(3) ? 1 : 3;
        const auto components = static_cast<uint32_t>(shape.shadow ? 1 : tgsi::format_info(t.format).components);
        for (uint32_t l = 0; l < t.levels; ++l) {
            std::vector<uint32_t> words((t.width >> l) * std::max(1u, t.height >> l) * std::max(1u, t.depth >> l) *
                                        t.layers * t.samples * components);
            for (uint32_t& w : words) w = std::bit_cast<uint32_t>(between(0, 1));
            t.data.push_back(decode_texels(t.format, encode_texels(t.format, words)));
        }
    }

    void draw_sampler() {
        using namespace reference;
        static constexpr Wrap kWraps[] = {Wrap::Repeat, Wrap::ClampToEdge, Wrap::ClampToBorder, Wrap::MirrorRepeat};
        SamplerState& s = sampler;
        for (Wrap& w : s.wrap) w = shape.rect ? Wrap::ClampToEdge : kWraps[random.below(4)];
        // Border colours of these formats are unknown.
        for (Wrap& w : s.wrap)
            if (colours != nullptr && w == Wrap::ClampToBorder) w = Wrap::ClampToEdge;
        s.min_filter = one_in(2) ? Filter::Linear : Filter::Nearest;
        s.mag_filter = one_in(4) ? Filter::Linear : s.min_filter;
        offset = !shape.cube && !shape.buffer && !shape.ms && !asks() && (from_register || one_in(2));
        // SwiftShader reads a wrong texel of the second level if it blends levels and an offset is given.
        s.mip_filter = texture.levels == 1 ? MipFilter::None
                       : offset            ? MipFilter::Nearest
                                           : static_cast<MipFilter>(random.below(3));
        s.lod_bias = !from_register && one_in(3) ? 0.5f : 0;
        if (one_in(2)) s.border_color = {1, 1, 1, 1};
        s.unnormalized = shape.rect;
        if (shape.shadow) s.compare = static_cast<Compare>(random.below(8));
    }

    /// Coordinates vary within a quad by up to about two texels; all lanes of a quad have the same layer.
    reference::Inputs draw_inputs() {
        reference::Inputs in;
        in.lanes = kLanes;
        in.textures[0] = texture;
        in.samplers[0] = sampler;
        auto& first = in.inputs[{0, 0}];
        auto& second = in.inputs[{0, 1}];
        auto& third = in.inputs[{0, 2}];
        first.resize(kLanes), second.resize(kLanes), third.resize(kLanes);
        for (uint32_t q = 0; q < kLanes; q += 4) {
            std::array<float, 4> base{}, dx{}, dy{};
            for (int c = 0; c < shape.coords; ++c) {
                base[c] = shape.cube ? between(-0.8, 0.8) : between(-1.2, 2.2);
                if (shape.rect) base[c] *= 4;
                const double step = (shape.rect ? 8 : 1) * std::exp2(between(-6, -2));
                dx[c] = between(-step, step), dy[c] = between(-step, step);
            }
            if (shape.cube) base[random.below(3)] = one_in(2) ? 1.2f : -1.2f;
            const float layer = one_in(3) ? between(-1, 3) : static_cast<float>(random.below(4));
            for (uint32_t i = 0; i < 4; ++i) {
                std::array<float, 4> v{}, w{};
                for (int c = 0; c < shape.coords; ++c) v[c] = base[c] + (i & 1 ? dx[c] : 0) + (i & 2 ? dy[c] : 0);
                if (shape.array) v[shape.coords] = layer;
                const float reference = one_in(4) ? 0.5f : between(0, 1), extra = between(-1, 3);
                const bool far = target == Target::ShadowCubeArray;
                if (far || op == "TEX2" || op.starts_with("SAMPLE_C"))
                    w[0] = reference;
                else if (shape.shadow)
                    v[target == Target::Shadow2DArray || target == Target::ShadowCube ? 3 : 2] = reference;
                if (op == "TXP") v[3] = one_in(2) ? 2.0f : 0.7f;
                if (op == "TXB" || op == "TXL") v[3] = extra;
                if (op == "TXB2" || op == "TXL2") w[far ? 1 : 0] = extra;
                if (op == "SAMPLE_B" || op == "SAMPLE_L") w[0] = extra;
                for (size_t c = 0; c < 4; ++c) {
                    first[q + i][c] = std::bit_cast<uint32_t>(v[c]);
                    second[q + i][c] = std::bit_cast<uint32_t>(op == "TXD" || op == "SAMPLE_D" ? dx[c] : w[c]);
                    third[q + i][c] = std::bit_cast<uint32_t>(dy[c]);
                }
                if (fetches()) {
                    auto within = [&](uint32_t n) {
                        return static_cast<uint32_t>(random.between(-1, static_cast<int32_t>(n)));
                    };
                    const uint32_t depth = shape.coords > 2 && !shape.cube ? texture.depth : texture.layers;
                    first[q + i] = {within(texture.width),
                                    shape.coords == 1 ? within(texture.layers) : within(texture.height), within(depth),
                                    random.below(shape.ms ? texture.samples : texture.levels)};
                    if (op == "SAMPLE_I_MS") second[q + i].fill(random.below(texture.samples));
                }
                if (op == "TXQ" || op == "SVIEWINFO")
                    first[q + i].fill(random.below(texture.levels + 1));  // up to one past the last level
                if (op == "SAMPLE_POS") first[q + i].fill(random.below(texture.samples));
            }
        }
        return in;
    }

    /// Returns the write mask of the components that the opcode defines.
    const char* defined() const { return op == "TXQS" ? ".x" : asks_levels() || op == "SAMPLE_POS" ? ".xy" : ""; }

    /// Writes operands for the opcode's signature; those that are not textures are IN[0], IN[1], IN[2].
    std::string operands() {
        const auto& row = tgsi::info(*tgsi::opcode_from_name(op));
        std::string text;
        int next = 0;
        for (int i = 0; i < (op == "SAMPLE_INFO" ? 1 : row.num_src); ++i) {
            if (row.src[i] == tgsi::OperandType::Sampler)
                text += op == "GATHER4" ? fmt::format(", SAMP[0].{}", "xyzw"[random.below(4)]) : ", SAMP[0]";
            else if (row.src[i] == tgsi::OperandType::SamplerView)
                text += ", SVIEW[0]";
            else if (op == "TG4" && i == 1 && target != Target::ShadowCubeArray)
                text += ", IMM[1].xxxx";
            else
                text += fmt::format(", IN[{}]", next++);
        }
        if (row.form == tgsi::Form::tex) text += fmt::format(", {}", tgsi::name(target));
        return text;
    }

    Case draw() {
        shape = tgsi::shape(target);
        draw_texture();
        draw_sampler();
        Case c;
        c.inputs = draw_inputs();
        c.text = "FRAG\n";
        for (uint32_t lane = 0; from_register && lane < kLanes; ++lane) {
            auto word = [&] { return static_cast<uint32_t>(random.between(-12, 12)); };
            c.inputs.inputs[{0, 3}].push_back({word(), word(), word(), 0});
        }
        for (int i = 0; i < 4; ++i) c.text += fmt::format("DCL IN[{0}], GENERIC[{0}], CONSTANT\n", i);
        c.text += fmt::format(R"(DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], {}, FLOAT
DCL TEMP[0]
)",
                              tgsi::name(target));
        c.text += fmt::format("IMM[0] INT32 {{{}, {}, {}, 0}}\n", random.between(-4, 4), random.between(-4, 4),
                              random.between(-4, 4));
        c.text += fmt::format("IMM[1] UINT32 {{{}, 0, 0, 0}}\n", random.below(4));
        c.text += fmt::format("{0} TEMP[0]{1}{2}{3}\nMOV OUT[0]{1}, TEMP[0]\nEND\n", op, defined(), operands(),
                              !offset         ? ""
                              : from_register ? ", IN[3].xyz"
                                              : ", IMM[0].xyz");
        return c;
    }
};

struct Campaign : test::Devices {
    api::Context context;
    int legal = 0;
    std::map<std::string, uint64_t> known;  ///< known words, by opcode
    uint64_t words = 0, unknown = 0, number = 0;
    std::map<std::string, int> skipped;
    VulkanOptions running;

    void open() const { ASSERT_FALSE(devices.empty()); }
    void run(const char* op, Target target, bool from_register, const char* colours = nullptr);
    void close();
};

void Campaign::run(const char* op, Target target, bool from_register, const char* colours) {
    if (target == Target::Unknown) return;
    const Case c = Draw{Random(++number), op, target, from_register, colours}.draw();
    api::Options options;
    const bool checked = api::parse(context, c.text, options);
    sampling::Refusal refusal;
    if (!sampling::message_of(context.program, context.program.instructions[0], refusal)) return;
    ASSERT_TRUE(checked) << c.text;
    ++legal;
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name + "\n" + c.text);
        const tgsi::Registers registers = tgsi::gather(context.program);
        const auto permitted = reference::run(context.program, registers, c.inputs,
                                              reference_options(device->report(), tgsi::Dialect::Auto));
        ASSERT_EQ(permitted.error, "");
        const auto got = run_vulkan(*device, context, c.inputs, running);
        if (!got && got.error().kind == Trouble::Missing) {
            ++skipped[device->report().info.name + ": " + got.error().message];
            continue;
        }
        ASSERT_TRUE(got) << got.error().message;
        const Comparison comparison = compare(permitted, *got, kLanes);
        words += comparison.words;
        known[op] += comparison.words - comparison.unknown;
        unknown += comparison.unknown;
        for (const Mismatch& m : comparison.mismatches) ADD_FAILURE() << describe(m);
    }
}

void Campaign::close() {
    for (const auto& [why, count] : skipped) std::cout << count << " skipped: " << why << "\n";
    EXPECT_LT(static_cast<double>(unknown), 0.05 * static_cast<double>(words)) << unknown << " of " << words;
}

TEST(Textures, EveryOpcodeOnEveryTargetAgreesWithTheDevices) {
    Campaign campaign;
    ASSERT_NO_FATAL_FAILURE(campaign.open());
    for (const tgsi::OpcodeInfo& row : tgsi::kOpcodes) {
        // Any 64 bits are a handle; shaders/frag/handles.tgsi and comp/image-handles.tgsi read through handles.
        if (row.family != tgsi::Family::texture || row.mnemonic == "SAMP2HND" || row.mnemonic == "IMG2HND") continue;
        const std::string op(row.mnemonic);
        for (int t = 1; t < tgsi::kTargetCount; ++t) {
            // For views, the opcode decides whether to compare (a view of SHADOW2D is one of 2D), so only SAMPLE_C
            // opcodes take shadow targets.
            const bool view = row.form == tgsi::Form::sample;
            if (view && tgsi::shape(static_cast<Target>(t)).shadow != op.starts_with("SAMPLE_C")) continue;
            campaign.run(op.c_str(), static_cast<Target>(t), false);
        }
        EXPECT_GE(campaign.known[op], 2 * kLanes) << op;
    }
    EXPECT_GT(campaign.legal, 260);
    campaign.close();
}

/// A seed of options that include separate samplers.
uint64_t seed_of_separate_samplers() {
    for (uint64_t seed = 1;; ++seed) {
        api::Options options;
        draw_options(seed, VK_API_VERSION_1_1, true, options);
        if (options.lower.separate_samplers) return seed;
    }
}

/// Textures and samplers of their own, of which a sampler has to fit each texture that it meets: comparisons, texel
/// coordinates, borders of integers.
TEST(Textures, SeparateSamplersGiveTheSameAnswers) {
    Campaign campaign;
    ASSERT_NO_FATAL_FAILURE(campaign.open());
    campaign.running.settings.options_seed = seed_of_separate_samplers();
    for (const char* op : {"TEX", "TXP", "TXB", "TXL", "TXD", "TEX2", "TXL2", "TG4", "TXF", "TXQ"})
        for (int t = 1; t < tgsi::kTargetCount; ++t) campaign.run(op, static_cast<Target>(t), false);
    EXPECT_GT(campaign.legal, 100);
    campaign.close();
    api::Options options;
    draw_options(campaign.running.settings.options_seed, VK_API_VERSION_1_1, false, options);
    EXPECT_FALSE(options.lower.separate_samplers);
}

TEST(Textures, ASampThatImpliesItsViewMayBeSeparate) {
    api::Context context;
    const auto program = [&](const char* line) -> const tgsi::Program& {
        EXPECT_TRUE(api::parse(context, std::string(R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..2]
DCL SVIEW[0..2], SHADOW2D, FLOAT
DCL ADDR[0]
)") + line + "\nEND\n",
                               {}));
        return context.program;
    };
    EXPECT_TRUE(samplers_imply_views(program("TEX OUT[0], IN[0], SAMP[1], SHADOW2D")));
    EXPECT_TRUE(Comparing(context.program).has(1));
    EXPECT_FALSE(Comparing(context.program).has(0));
    EXPECT_TRUE(Comparing(program("TEX OUT[0], IN[0], SAMP[ADDR[0].x+1], SHADOW2D")).has(2));
    EXPECT_FALSE(Comparing(program("TXQ OUT[0], IN[0], SAMP[1], 2D")).has(1));
    EXPECT_FALSE(samplers_imply_views(program("SAMPLE_C OUT[0], IN[0], SVIEW[0], SAMP[1], IN[0].xxxx")));
}

/// Views get the swizzle that makes A, L, LA and I of R and RG.
TEST(Textures, FormatsThatVulkanLacksAreOthersWithASwizzle) {
    Campaign campaign;
    ASSERT_NO_FATAL_FAILURE(campaign.open());
    for (const char* colours :
         {"A8_UNORM", "A16_FLOAT", "L8_SNORM", "L32_FLOAT", "L8A8_UNORM", "L32A32_FLOAT", "I8_UNORM", "I16_FLOAT"}) {
        ASSERT_TRUE(vulkan_format(*tgsi::format_from_name(colours))) << colours;
        for (const char* op : {"TEX", "TXL", "TXF", "TG4"}) campaign.run(op, Target::T2D, false, colours);
    }
    EXPECT_EQ(campaign.legal, 32);
    campaign.close();
}

/// No Vulkan operand accepts such offsets; the samplers do not blend levels.
TEST(Textures, OffsetsFromRegistersMoveByTexelsOfTheLevel) {
    Campaign campaign;
    ASSERT_NO_FATAL_FAILURE(campaign.open());
    for (const char* op : {"TEX", "TXP", "TXB", "TXL", "TEX_LZ", "TXD", "TXF", "TG4"})
        for (const Target target : {Target::T1D, Target::T2D, Target::T3D, Target::Rect, Target::Shadow1D,
                                    Target::Shadow2D, Target::T1DArray, Target::T2DArray})
            campaign.run(op, target, true);
    EXPECT_GT(campaign.legal, 50);
    campaign.close();
}

}  // namespace
}  // namespace tgsi2spv::difftest
