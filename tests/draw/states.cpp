// State that gallium bakes into shader keys (lower/state.h): each change of a specialization constant changes the
// picture of the same module as the state demands.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "api/stage.h"
#include "draw/draw.h"
#include "draw/draw_job.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::test {
namespace {

namespace spec = lower::spec;

constexpr const char* kPassColor =
    R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)";
constexpr const char* kShowColor = R"(FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)";
constexpr const char* kShowPlace = R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)";

class States : public Drawing {
  protected:
    std::vector<uint32_t> convert(std::string_view shader, const lower::State& state = {}) {
        api::Options options;
        options.lower.state = state;
        options.lower.convert_depth_range = false;
        return Drawing::convert(shader, options);
    }

    /// Binds the state's constant buffer at the default binding of a stage.
    static void bind_state(vulkan::Job& job, uint32_t set, std::vector<uint32_t> words) {
        words.resize(size_t{4} * lower::state_buffer::kElements);
        const auto buffer = static_cast<uint32_t>(job.buffers.size());
        job.descriptors.push_back({set, 31, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {buffer}, {}});
        job.buffers.push_back({std::move(words), false});
    }
};

/// Two of the four standard sample locations have a fraction of x below a half with a quarter added. At the centre it
/// is 0.75. Colours are read back as the mean of the samples.
TEST_F(States, InputsAreInterpolatedAtSamples) {
    for (const bool at_samples : {false, true}) {
        lower::State state;
        state.sample_shading = at_samples;
        const auto vertex = convert(kPassColor);
        const auto fragment = convert(R"(FRAG
            DCL IN[0], COLOR, PERSPECTIVE
            DCL OUT[0], COLOR
            DCL TEMP[0]
            IMM[0] FLT32 {0.25, 0.5, 0.0, 0.0}
            ADD TEMP[0], IN[0], IMM[0].xxxx
            FRC TEMP[0], TEMP[0]
            SLT OUT[0], TEMP[0].xxxx, IMM[0].yyyy
            END)",
                                      state);
        auto job = job_of(vertex, fragment, kWhole, {{0, 0, 0, 0}, {2 * kSize, 0, 0, 0}, {0, 0, 0, 0}});
        job.samples = 4;
        const float mean = at_samples ? 0.5f : 0.0f;
        draw(job, [&](const Pixels& all) {
            expect(all, [&](uint32_t, uint32_t) { return Pixel{mean, mean, mean, mean}; });
        });
    }
}

/// A driver chooses the stipple only for polygons and sprites only for points.
TEST(DrawState, BelongsToAKindOfPrimitive) {
    const auto chosen = [](scene::Topology topology, uint32_t id) -> uint32_t {
        scene::Scene scene;
        scene.topology = topology;
        scene.prepared.polygon_stipple = scene.prepared.sprites = true;
        scene.state.polygon_stipple = true;
        scene.state.sprite_mask = 6;
        for (const auto& c : drawing::spec_values(scene, scene.state))
            if (c.id == id) return c.value;
        return ~0u;
    };
    EXPECT_EQ(chosen(scene::Topology::TriangleFan, spec::kPolygonStipple), 1u);
    EXPECT_EQ(chosen(scene::Topology::TriangleFan, spec::kSpriteMask), 0u);
    EXPECT_EQ(chosen(scene::Topology::LineStrip, spec::kPolygonStipple), 0u);
    EXPECT_EQ(chosen(scene::Topology::Points, spec::kPolygonStipple), 0u);
    EXPECT_EQ(chosen(scene::Topology::Points, spec::kSpriteMask), 6u);
}

TEST_F(States, AlphaTestHasEightFunctions) {
    lower::State state;
    state.alpha_test = true;
    const auto vertex = convert(kPassColor);
    // Alpha is the column's number, and NaN in the last column. Two registers are one colour.
    const auto fragment = convert(
        R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0].w, COLOR
DCL OUT[1].xyz, COLOR
DCL TEMP[0]
IMM[0] FLT32 {7.0, 1.0, 0, 0}
IMM[1] UINT32 {0x7fc00000, 0, 0, 0}
FLR TEMP[0], IN[0].xxxx
FSEQ TEMP[0].y, TEMP[0].xxxx, IMM[0].xxxx
UCMP TEMP[0].x, TEMP[0].yyyy, IMM[1].xxxx, TEMP[0].xxxx
MOV OUT[1].xyz, IMM[0].yyyy
MOV OUT[0].w, TEMP[0].xxxx
END
)",
        state);
    for (uint32_t function = 0; function < 8; function++) {
        SCOPED_TRACE(function);
        auto job = job_of(vertex, fragment, kWhole, {3, Pixel{}});
        job.fragment.constants = {{spec::kAlphaFunc, function}, {spec::kAlphaReference, word(3)}};
        draw(job, [&](const Pixels& all) {
            for (uint32_t x = 0; x < kSize; x++) {
                const float alpha = x == 7 ? std::nanf("") : static_cast<float>(x);
                const bool passes[8] = {false, alpha<3, alpha == 3, alpha <= 3, alpha> 3, alpha != 3, alpha >= 3, true};
                EXPECT_EQ(all[x][0], passes[function] ? 1.0f : 0.0f) << x;
            }
        });
    }
    // Without constants, every fragment passes.
    draw(job_of(vertex, fragment, kWhole, {3, Pixel{}}), [&](const Pixels& all) {
        for (const Pixel& p : all) EXPECT_EQ(p[0], 1.0f);
    });
}

TEST_F(States, TwoSidedColorsAreChosenByTheFace) {
    lower::State state;
    state.two_sided = true;
    const auto vertex = convert(
        R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], BCOLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
ADD OUT[2], IN[1], IN[1]
END
)");
    const auto fragment = convert(kShowColor, state);
    const Pixel front{1, 2, 3, 4}, back{2, 4, 6, 8};
    for (const bool two_sided : {false, true})
        for (const bool turned : {false, true}) {
            Pixels corners = kWhole;
            if (turned) std::swap(corners[1], corners[2]);
            auto job = job_of(vertex, fragment, corners, {3, front});
            job.fragment.constants = {{spec::kTwoSided, two_sided}};
            draw(job, [&](const Pixels& all) {
                expect(all, [&](uint32_t, uint32_t) { return two_sided && turned ? back : front; });
            });
        }
}

TEST_F(States, FlatColorsAreThoseOfTheFirstVertex) {
    for (const bool flat : {false, true}) {
        lower::State state;
        state.flat_shade = flat;
        const auto vertex = convert(kPassColor), fragment = convert(kShowColor, state);
        const Pixel first{1, 0, 0, 1};
        draw(job_of(vertex, fragment, kWhole, {first, {0, 1, 0, 1}, {0, 0, 1, 1}}), [&](const Pixels& all) {
            size_t same = 0;
            for (const Pixel& p : all) same += p == first;
            EXPECT_EQ(same, flat ? all.size() : 0u);
        });
    }
}

TEST_F(States, PositionsChangeTheirDepthRangeAndTheirRow) {
    lower::State state;
    state.depth_range = state.flip_y = true;
    const auto vertex = convert(kPassColor, state), fragment = convert(kShowPlace);
    // The upper left half, at depth −0.5 of −1..1, which is in front of Vulkan's near plane.
    const Pixels corners{{-1, -1, -0.5f, 1}, {1, -1, -0.5f, 1}, {-1, 1, -0.5f, 1}};
    for (const uint32_t range : {0u, 1u})
        for (const uint32_t flip : {0u, 1u}) {
            auto job = job_of(vertex, fragment, corners, {3, Pixel{}});
            job.vertex.constants = {{spec::kDepthRange, range}, {spec::kFlipY, flip}};
            draw(job, [&](const Pixels& all) {
                EXPECT_EQ(all[(flip ? 7 : 0) * kSize][2], range ? 0.25f : 0.0f);
                EXPECT_EQ(all[(flip ? 0 : 7) * kSize + 7][2], 0.0f);
            });
        }
}

TEST_F(States, ClipPlanesAndDistancesAreEnabledOneByOne) {
    lower::State state;
    state.clip_enable = true;
    state.clip_planes = 3;
    const auto fragment = convert(kShowColor);
    const Pixel value{1, 1, 1, 1};
    // Plane 0 keeps x > 0 and plane 2 keeps y > 0, of CLIPVERTEX if the text writes it, otherwise of POSITION; the
    // CLIPDIST text does the same with distances.
    const std::pair<const char*, bool> texts[] = {{kPassColor, true},
                                                  {R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], CLIPVERTEX
IMM[0] FLT32 {-1.0, -1.0, 1.0, 1.0}
MUL OUT[0], IN[0], IMM[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[0]
END
)",
                                                   true},
                                                  {R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], CLIPDIST
IMM[0] FLT32 {1.0, 0, 0, 0}
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2].xz, IN[0].xxyy
MOV OUT[2].y, IMM[0].xxxx
END
)",
                                                   false}};
    for (const auto& [text, planes] : texts) {
        SCOPED_TRACE(text);
        const auto vertex = convert(text, state);
        const bool negated = std::strstr(text, "CLIPVERTEX") != nullptr;
        const Pixels square{{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {-1, 1, 0, 1}, {1, -1, 0, 1}, {1, 1, 0, 1}};
        for (uint32_t enable = 0; enable < 8; enable++) {
            auto job = job_of(vertex, fragment, square, {6, value});
            job.vertex.constants = {{spec::kClipEnable, enable}};
            if (planes) {
                std::vector<uint32_t> words(12);
                words[0] = words[9] = word(1);
                words[7] = word(1);  // plane 1 clips nothing
                bind_state(job, 0, words);
            }
            draw(job, [&](const Pixels& all) {
                expect(all, [&](uint32_t x, uint32_t y) {
                    const bool right = (x >= kSize / 2) != negated, low = (y >= kSize / 2) != negated;
                    const bool seen = ((enable & 1) == 0 || right) && ((enable & 4) == 0 || low);
                    return seen ? value : Pixel{};
                });
            });
        }
    }
}

TEST_F(States, FragmentsReadDistancesThatDoNotClip) {
    lower::State state;
    state.clip_enable = true;
    const auto vertex = convert(
        R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], CLIPDIST
IMM[0] FLT32 {0.25, -1.0, 0.5, 1.0}
MOV OUT[0], IN[0]
MOV OUT[1], IMM[0]
END
)",
        state);
    const auto fragment = convert(R"(FRAG
DCL IN[0], CLIPDIST, PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)");
    auto job = job_of(vertex, fragment, {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}, {3, Pixel{}});
    job.vertex.constants = {{spec::kClipEnable, 0xc}};
    // A negative distance that is off becomes 0, since it would clip; the others are as they were written.
    draw(job, [&](const Pixels& all) { expect(all, [](uint32_t, uint32_t) { return Pixel{0.25f, 0, 0.5f, 1}; }); });
}

TEST_F(States, ColorsAreClampedSwappedAndMadeOpaque) {
    lower::State before, after;
    before.clamp_vertex_color = before.bgra_attributes = true;
    after.clamp_fragment_color = after.alpha_to_one = after.bgra_targets = after.alpha_test = true;
    const auto vertex = convert(kPassColor, before), fragment = convert(kShowColor, after);
    const Pixel value{2, 0.5f, -1, 0.25f};
    struct Row {
        std::vector<vulkan::SpecValue> vertex, fragment;
        Pixel expected;
    };
    const Row rows[] = {
        {{}, {}, value},
        {{{spec::kClampVertexColor, 1}}, {}, {1, 0.5f, 0, 0.25f}},
        {{{spec::kBgraAttributes, 2}}, {}, {-1, 0.5f, 2, 0.25f}},
        {{{spec::kBgraAttributes, 4}}, {}, value},
        {{}, {{spec::kClampFragmentColor, 1}}, {1, 0.5f, 0, 0.25f}},
        {{}, {{spec::kAlphaToOne, 1}}, {2, 0.5f, -1, 1}},
        {{}, {{spec::kBgraTargets, 1}}, {-1, 0.5f, 2, 0.25f}},
        {{}, {{spec::kBgraTargets, 2}}, value},
        // The alpha test uses the alpha before it becomes 1.
        {{}, {{spec::kAlphaToOne, 1}, {spec::kAlphaFunc, 4}, {spec::kAlphaReference, word(0.5f)}}, {}},
        {{}, {{spec::kClampFragmentColor, 1}, {spec::kAlphaToOne, 1}, {spec::kBgraTargets, 1}}, {0, 0.5f, 1, 1}},
    };
    for (const Row& row : rows) {
        auto job = job_of(vertex, fragment, kWhole, {3, value});
        job.vertex.constants = row.vertex;
        job.fragment.constants = row.fragment;
        draw(job, [&](const Pixels& all) { expect(all, [&](uint32_t, uint32_t) { return row.expected; }); });
    }
}

TEST_F(States, PointsHaveASizeAndAPlaceInside) {
    lower::State before, after;
    before.point_size = true;
    const char* texts[] = {
        R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)",
        R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3]
DCL OUT[2], PSIZE
IMM[0] FLT32 {2.0, 0, 0, 0}
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2].x, IMM[0]
END
)"};
    after.sprites = lower::Sprites::Generic;
    const auto fragment = convert(R"(FRAG
DCL IN[0], GENERIC[3], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)",
                                  after);
    const Pixel value{5, 6, 7, 8};
    for (const bool writes : {false, true})
        for (const bool per_vertex : {false, true})
            for (const uint32_t mask : {0u, 8u, 4u})
                for (const bool lower_left : {false, true}) {
                    const auto vertex = convert(texts[writes], before);
                    auto job = job_of(vertex, fragment, {{0, 0, 0, 1}}, {value});
                    job.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
                    job.vertex.constants = {{spec::kPointSize, word(4)}, {spec::kPointSizePerVertex, per_vertex}};
                    job.fragment.constants = {{spec::kSpriteMask, mask}, {spec::kSpriteLowerLeft, lower_left}};
                    const uint32_t size = writes && per_vertex ? 2 : 4, first = (kSize - size) / 2;
                    draw(job, [&](const Pixels& all) {
                        expect(all, [&](uint32_t x, uint32_t y) -> Pixel {
                            if (x - first >= size || y - first >= size) return {};
                            if (mask != 8) return value;
                            const float s = (static_cast<float>(x - first) + 0.5f) / static_cast<float>(size);
                            const float t = (static_cast<float>(y - first) + 0.5f) / static_cast<float>(size);
                            return {s, lower_left ? 1 - t : t, 0, 1};
                        });
                    });
                }
}

TEST_F(States, SampleMasksAreLimitedOrIgnored) {
    lower::State state;
    state.sample_mask = true;
    const auto vertex = convert(kPassColor);
    for (const bool writes : {false, true}) {
        // The text masks off the left half.
        const auto fragment = convert(writes ? R"(FRAG
DCL IN[0], COLOR, COLOR
DCL IN[1], POSITION, LINEAR
DCL OUT[0], COLOR
DCL OUT[1], SAMPLEMASK
IMM[0] FLT32 {4.0, 0, 0, 0}
FSGE OUT[1].x, IN[1].xxxx, IMM[0].xxxx
MOV OUT[0], IN[0]
END
)"
                                             : kShowColor,
                                      state);
        for (const bool ignored : {false, true})
            for (const uint32_t mask : {0u, 1u}) {
                auto job = job_of(vertex, fragment, kWhole, {3, {1, 1, 1, 1}});
                job.fragment.constants = {{spec::kSampleMask, mask}, {spec::kSampleMaskIgnored, ignored}};
                draw(job, [&](const Pixels& all) {
                    expect(all, [&](uint32_t x, uint32_t) -> Pixel {
                        const bool seen = mask && (!writes || ignored || x >= 4);
                        return seen ? Pixel{1, 1, 1, 1} : Pixel{};
                    });
                });
            }
    }
}

TEST_F(States, WindowPositionsTakeTheOtherConvention) {
    lower::State state;
    state.coord_origin = state.pixel_center = true;
    const auto vertex = convert(kPassColor);
    for (const bool lower_left : {false, true})
        for (const bool integer : {false, true}) {
            const auto fragment =
                convert("FRAG\nPROPERTY FS_COORD_ORIGIN " + std::string(lower_left ? "LOWER_LEFT" : "UPPER_LEFT") +
                            "\nPROPERTY FS_COORD_PIXEL_CENTER " + (integer ? "INTEGER" : "HALF_INTEGER") +
                            "\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0].xy, IN[0]\nEND\n",
                        state);
            for (const uint32_t inverted : {0u, 1u})
                for (const uint32_t other : {0u, 1u}) {
                    auto job = job_of(vertex, fragment, kWhole, {3, Pixel{}});
                    job.fragment.constants = {{spec::kFramebufferHeight, word(kSize)},
                                              {spec::kInvertOrigin, inverted},
                                              {spec::kOtherPixelCenter, other}};
                    draw(job, [&](const Pixels& all) {
                        for (uint32_t y = 0; y < kSize; y++)
                            for (uint32_t x = 0; x < kSize; x++) {
                                const float half = integer != (other != 0) ? 0 : 0.5f;
                                const uint32_t row = lower_left != (inverted != 0) ? kSize - 1 - y : y;
                                EXPECT_EQ(all[y * kSize + x][0], static_cast<float>(x) + half);
                                EXPECT_EQ(all[y * kSize + x][1], static_cast<float>(row) + half);
                            }
                    });
                }
        }
}

TEST_F(States, PolygonsAreStippled) {
    lower::State state;
    state.polygon_stipple = state.coord_origin = true;
    const auto vertex = convert(kPassColor), fragment = convert(kShowColor, state);
    std::vector<uint32_t> words(size_t{4} * lower::state_buffer::kStipple);
    for (uint32_t row = 0; row < 32; row++) words.push_back(0x9e3779b9u * (row + 1));
    const Pixel value{1, 2, 3, 4};
    for (const uint32_t on : {0u, 1u})
        for (const uint32_t inverted : {0u, 1u}) {
            auto job = job_of(vertex, fragment, kWhole, {3, value});
            job.fragment.constants = {
                {spec::kPolygonStipple, on}, {spec::kInvertOrigin, inverted}, {spec::kFramebufferHeight, word(kSize)}};
            bind_state(job, 1, words);
            draw(job, [&](const Pixels& all) {
                expect(all, [&](uint32_t x, uint32_t y) {
                    const uint32_t row = words[4 * lower::state_buffer::kStipple + (inverted ? kSize - 1 - y : y)];
                    return !on || (row << x & 0x8000'0000u) != 0 ? value : Pixel{};
                });
            });
        }
}

TEST_F(States, AttributesAndTargetsOfIntegers) {
    using lower::NumericType;
    const std::array<int32_t, 4> given{-7, 3, 1 << 20, -1};
    const std::array<uint32_t, 4> bits = std::bit_cast<std::array<uint32_t, 4>>(given);
    struct Row {
        NumericType attribute, target;
        VkFormat in, out;
        std::array<uint32_t, 4> expected;
    };
    auto floats = [&](bool is_signed, float scale) {
        std::array<uint32_t, 4> words{};
        for (size_t i = 0; i < 4; i++)
            words[i] = word((is_signed ? static_cast<float>(given[i]) : static_cast<float>(bits[i])) * scale);
        return words;
    };
    constexpr VkFormat kUInt = VK_FORMAT_R32G32B32A32_UINT, kSInt = VK_FORMAT_R32G32B32A32_SINT,
                       kFloat = VK_FORMAT_R32G32B32A32_SFLOAT;
    const Row rows[] = {
        {NumericType::UInt, NumericType::UInt, kUInt, kUInt, bits},
        {NumericType::SInt, NumericType::SInt, kSInt, kSInt, bits},
        {NumericType::SInt, NumericType::UInt, kSInt, kUInt, bits},
        {NumericType::UScaled, NumericType::Float, kUInt, kFloat, floats(false, 1)},
        {NumericType::SScaled, NumericType::Float, kSInt, kFloat, floats(true, 1)},
        {NumericType::Fixed, NumericType::Float, kSInt, kFloat, floats(true, 1.0f / 65536)},
    };
    for (const Row& row : rows) {
        lower::State before, after;
        before.attributes[1] = row.attribute;
        after.targets[0] = row.target;
        after.alpha_test = after.clamp_fragment_color = after.alpha_to_one = true;  // these apply to float targets only
        const auto vertex = convert(
            R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)",
            before);
        const auto fragment = convert(R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)",
                                      after);
        auto job = job_of(vertex, fragment, kWhole, {3, std::bit_cast<Pixel>(given)});
        job.attributes[1].format = row.in;
        job.attachments[0].format = row.out;
        draw(job, [&](const Pixels& all) {
            for (const Pixel& p : all) EXPECT_EQ((std::bit_cast<std::array<uint32_t, 4>>(p)), row.expected);
        });
    }
}

}  // namespace
}  // namespace tgsi2spv::test
