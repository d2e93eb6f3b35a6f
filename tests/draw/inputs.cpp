// Inputs and system values of VERT and FRAG on a device, through the interface that Vulkan has for them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "draw/linked.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::test {
namespace {

namespace spec = lower::spec;

class StageInputs : public LinkedDrawing {
  protected:
    /// Draws a triangle that lies inside of a viewport of twice the target's size, so that no device clips it, and that
    /// covers the whole target. At (x, y), in pixels, attribute 1 is place(x, y).
    static vulkan::Job unclipped(std::span<const uint32_t> vertex, std::span<const uint32_t> fragment) {
        constexpr float kFar = 2 * kSize;
        vulkan::Job job = job_of(vertex, fragment, {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}},
                                 {place(0, 0), place(kFar, 0), place(0, kFar)});
        job.viewport_width = job.viewport_height = 2 * kSize;
        return job;
    }
    static Pixel place(float x, float y) { return {x + 1, y + 2, x - y + 20, 3}; }
    /// The same at the centre of a pixel, or at an offset from it.
    static Pixel at(uint32_t x, uint32_t y, float dx = 0, float dy = 0) {
        return place(static_cast<float>(x) + 0.5f + dx, static_cast<float>(y) + 0.5f + dy);
    }
    static Pixel times(float factor, Pixel p) {
        for (float& c : p) c *= factor;
        return p;
    }
    /// Expects every pixel to be near the result of `expected`.
    static void expect_near(const std::vector<uint8_t>& bytes, float tolerance,
                            const std::function<Pixel(uint32_t x, uint32_t y)>& expected) {
        const Pixels all = pixels(bytes);
        for (uint32_t y = 0; y < kSize; y++)
            for (uint32_t x = 0; x < kSize; x++)
                for (size_t c = 0; c < 4; c++)
                    EXPECT_NEAR(all[y * kSize + x][c], expected(x, y)[c], tolerance) << x << ", " << y << ": " << c;
    }
};

/// Five clip distances, then three cull distances: those begin at the second component of CLIPDIST[1].
TEST_F(StageInputs, FragmentsReadClipAndCullDistances) {
    const std::string numbers = "PROPERTY NUM_CLIPDIST_ENABLED 5\nPROPERTY NUM_CULLDIST_ENABLED 3\n";
    const std::string vertex = "VERT\n" + numbers + R"(DCL IN[0..1]
        DCL OUT[0], POSITION
        DCL OUT[1], CLIPDIST
        DCL OUT[2], CLIPDIST[1]
        MOV OUT[0], IN[0]
        MOV OUT[1], IN[1]
        ADD OUT[2], IN[1], IN[1]
        END)";
    const std::string declarations = R"(DCL IN[0], CLIPDIST, PERSPECTIVE
        DCL IN[1], CLIPDIST[1], PERSPECTIVE
        DCL IN[2], CULLDIST, PERSPECTIVE
        DCL OUT[0..2], COLOR
        MOV OUT[0], IN[0]
        MOV OUT[1], IN[1]
        MOV OUT[2].xyz, IN[2]
        END)";
    std::vector<std::vector<std::vector<uint32_t>>> pairs{convert_all({vertex, "FRAG\n" + declarations})};
    api::Options options;
    options.lower.convert_depth_range = false;
    pairs.push_back({convert(vertex, options), convert("FRAG\n" + numbers + declarations, options)});
    for (const auto& words : pairs) {
        auto job = unclipped(words[0], words[1]);
        job.attachments.resize(3);
        run(job, [&](const vulkan::Outputs& out) {
            expect_near(out.attachments[0], 1e-4f, [](uint32_t x, uint32_t y) { return at(x, y); });
            expect_near(out.attachments[1], 1e-4f, [](uint32_t x, uint32_t y) { return times(2, at(x, y)); });
            expect_near(out.attachments[2], 1e-4f, [](uint32_t x, uint32_t y) {
                const Pixel p = at(x, y);
                return Pixel{2 * p[1], 2 * p[2], 2 * p[3], 0};
            });
        });
    }
}

/// In each stage, an input that no earlier stage writes is (0, 0, 0, 1).
TEST_F(StageInputs, UnwrittenInputsAreOpaqueBlack) {
    const std::vector<std::string> texts{
        R"(VERT
        DCL IN[0..1]
        DCL OUT[0], POSITION
        MOV OUT[0], IN[0]
        END)",
        R"(TESS_CTRL
        PROPERTY TCS_VERTICES_OUT 3
        DCL IN[][0], POSITION
        DCL IN[][1], GENERIC[10]
        DCL OUT[][0], POSITION
        DCL OUT[][1], GENERIC[1]
        DCL OUT[2], TESSOUTER
        DCL OUT[3], TESSINNER
        DCL SV[0], INVOCATIONID
        DCL ADDR[0]
        IMM[0] FLT32 {1.0, 2.0, 4.0, 8.0}
        UARL ADDR[0].x, SV[0].xxxx
        MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
        ADD OUT[ADDR[0].x][1], IN[ADDR[0].x][1], IMM[0]
        MOV OUT[2], IMM[0].xxxx
        MOV OUT[3], IMM[0].xxxx
        END)",
        R"(TESS_EVAL
        PROPERTY TES_PRIM_MODE 4
        PROPERTY TES_SPACING 2
        PROPERTY TES_VERTEX_ORDER_CW 1
        DCL IN[][0], POSITION
        DCL IN[][1], GENERIC[1]
        DCL IN[][2], GENERIC[11]
        DCL IN[3], PATCH[4]
        DCL SV[0], TESSCOORD
        DCL OUT[0], POSITION
        DCL OUT[1], GENERIC[1]
        DCL OUT[2], GENERIC[2]
        DCL OUT[3], GENERIC[3]
        DCL TEMP[0]
        MUL TEMP[0], SV[0].xxxx, IN[0][0]
        MAD TEMP[0], SV[0].yyyy, IN[1][0], TEMP[0]
        MAD OUT[0], SV[0].zzzz, IN[2][0], TEMP[0]
        MOV OUT[1], IN[2][1]
        MOV OUT[2], IN[1][2]
        MOV OUT[3], IN[3]
        END)",
        R"(GEOM
        PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
        PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
        PROPERTY GS_MAX_OUTPUT_VERTICES 3
        DCL IN[][0], POSITION
        DCL IN[][1..3], GENERIC[1]
        DCL IN[][4], GENERIC[12]
        DCL OUT[0], POSITION
        DCL OUT[1..3], GENERIC[1]
        DCL OUT[4], GENERIC[4]
        DCL TEMP[0]
        DCL ADDR[0]
        IMM[0] UINT32 {0, 1, 3, 0}
        BGNLOOP
        USGE TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
        UIF TEMP[0].yyyy
        BRK
        ENDIF
        UARL ADDR[0].x, TEMP[0].xxxx
        MOV OUT[0], IN[ADDR[0].x][0]
        MOV OUT[1], IN[ADDR[0].x][1]
        MOV OUT[2], IN[ADDR[0].x][2]
        MOV OUT[3], IN[ADDR[0].x][3]
        MOV OUT[4], IN[ADDR[0].x][4]
        EMIT IMM[0].xxxx
        UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
        ENDLOOP
        END)",
        R"(FRAG
        DCL IN[0..3], GENERIC[1], PERSPECTIVE
        DCL IN[4], GENERIC[13], PERSPECTIVE
        DCL IN[5], PRIMID, CONSTANT
        DCL OUT[0], COLOR
        DCL OUT[1], COLOR[1]
        DCL OUT[2], COLOR[2]
        DCL OUT[3], COLOR[3]
        DCL TEMP[0]
        IMM[0] FLT32 {0.25, 0.25, 16.0, 0.0}
        MOV OUT[0], IN[0]
        MAD OUT[1], IN[1], IMM[0].zzzz, IN[2]
        INTERP_OFFSET TEMP[0], IN[4], IMM[0]
        MAD OUT[2], TEMP[0], IMM[0].zzzz, IN[3]
        MOV OUT[3], IN[5].xxxx
        END)"};
    const auto words = convert_all(texts);
    auto job = job_of_all(words, kWhole, {3, Pixel{}});
    job.attachments.resize(4);
    run(job, [&](const vulkan::Outputs& out) {
        const Pixel expected[4] = {{1, 2, 4, 9}, {0, 0, 0, 17}, {0, 0, 0, 17}, {0, 0, 0, 0}};
        for (size_t t = 0; t < 4; t++)
            expect_near(out.attachments[t], 1e-5f, [&](uint32_t, uint32_t) { return expected[t]; });
    });
}

/// Two registers with one semantic are one varying.
TEST_F(StageInputs, RegistersOfOneSemanticAreOneVarying) {
    const std::string vertex = R"(VERT
        DCL IN[0..1]
        DCL OUT[0], POSITION
        DCL OUT[1].xy, GENERIC[3]
        DCL OUT[2].zw, GENERIC[3]
        MOV OUT[0], IN[0]
        MOV OUT[1].xy, IN[1]
        ADD OUT[2].zw, IN[1], IN[1]
        END)";
    const std::string fragment = R"(FRAG
        DCL IN[0], GENERIC[3], CONSTANT
        DCL IN[1], GENERIC[3], CONSTANT
        DCL OUT[0..1], COLOR
        MOV OUT[0], IN[0]
        MOV OUT[1], IN[1].wzyx
        END)";
    for (const auto& words : {convert_all({vertex, fragment}), {convert(vertex, {}), convert(fragment, {})}}) {
        auto job = unclipped(words[0], words[1]);
        job.attachments.resize(2);
        run(job, [&](const vulkan::Outputs& out) {
            const Pixel p = place(0, 0);
            expect(pixels(out.attachments[0]), [&](uint32_t, uint32_t) {
                return Pixel{p[0], p[1], 2 * p[2], 2 * p[3]};
            });
            expect(pixels(out.attachments[1]), [&](uint32_t, uint32_t) {
                return Pixel{2 * p[3], 2 * p[2], p[1], p[0]};
            });
        });
    }
}

/// FRAG reads (F, 0, 0, 1) in texts of the older editions, and the whole vector in others; at other places, too.
TEST_F(StageInputs, FogIsOneNumberInOlderTexts) {
    for (const auto dialect : {tgsi::Dialect::Oldest, tgsi::Dialect::Newest}) {
        api::Options options;
        options.lower.dialect = dialect;
        const auto words = convert_all({R"(VERT
            DCL IN[0..1]
            DCL OUT[0], POSITION
            DCL OUT[1], FOG
            MOV OUT[0], IN[0]
            MOV OUT[1], IN[1]
            END)",
                                        R"(FRAG
            DCL IN[0], FOG, PERSPECTIVE
            DCL SV[0], POSITION
            DCL OUT[0..2], COLOR
            DCL ADDR[0]
            IMM[0] FLT32 {0.25, 0.25, 0.0, 0.0}
            MOV OUT[0], IN[0]
            INTERP_OFFSET OUT[1], IN[0], IMM[0]
            ARL ADDR[0].x, SV[0].xxxx
            MOV OUT[2], IN[ADDR[0].x-3]
            END)"},
                                       nullptr, {}, options);
        auto job = unclipped(words[0], words[1]);
        job.attachments.resize(3);
        const auto fog = [&](Pixel p) { return dialect == tgsi::Dialect::Oldest ? Pixel{p[0], 0, 0, 1} : p; };
        run(job, [&](const vulkan::Outputs& out) {
            expect_near(out.attachments[0], 1e-4f, [&](uint32_t x, uint32_t y) { return fog(at(x, y)); });
            expect_near(out.attachments[1], 1e-3f, [&](uint32_t x, uint32_t y) { return fog(at(x, y, 0.25f, 0.25f)); });
            expect_near(out.attachments[2], 1e-4f,
                        [&](uint32_t x, uint32_t y) { return x == 3 ? fog(at(x, y)) : Pixel{}; });
        });
    }
}

/// The vertex shader of FRAGs that choose inputs: GENERIC[n] is attribute 1 times 2 to the power of n.
constexpr const char* kThreeVaryings = R"(VERT
    DCL IN[0..1]
    DCL OUT[0], POSITION
    DCL OUT[1..3], GENERIC
    DCL TEMP[0]
    MOV OUT[0], IN[0]
    MOV OUT[1], IN[1]
    ADD TEMP[0], IN[1], IN[1]
    MOV OUT[2], TEMP[0]
    ADD OUT[3], TEMP[0], TEMP[0]
    END)";

/// In column n, the index is n − 2. Inputs 0 and 1 are interpolated at the place, input 2 is that of the first vertex,
/// and there are no others; where accesses are clamped, they read the last one.
TEST_F(StageInputs, InterpolatedInputsAreChosenByAnIndex) {
    for (const bool array : {false, true})
        for (const uint32_t samples : {1u, 4u})
            for (const bool clamps : {false, true}) {
                SCOPED_TRACE(std::string(array ? "array, " : "") + (clamps ? "clamped, " : "") +
                             std::to_string(samples));
                const std::string chosen = array ? "IN[ADDR[0].x-2](1)" : "IN[ADDR[0].x-2]";
                const std::string declared =
                    array ? "FRAG\nDCL IN[0..1], ARRAY(1), GENERIC, PERSPECTIVE\n"
                          : "FRAG\nDCL IN[0], GENERIC, PERSPECTIVE\nDCL IN[1], GENERIC[1], LINEAR\n";
                const std::string fragment = declared + R"(DCL IN[2], GENERIC[2], CONSTANT
                    DCL SV[0], POSITION
                    DCL OUT[0..2], COLOR
                    DCL ADDR[0]
                    IMM[0] FLT32 {0.25, -0.375, 0.0, 0.0}
                    IMM[1] UINT32 {0, 2, 0, 0}
                    ARL ADDR[0].x, SV[0].xxxx
                    INTERP_CENTROID OUT[0], )" +
                                             chosen + "\nINTERP_SAMPLE OUT[1], -" + chosen + ".yxzw, IMM[1]." +
                                             (samples == 1 ? "xxxx" : "yyyy") + "\nINTERP_OFFSET OUT[2], " + chosen +
                                             ", IMM[0]\nEND\n";
                api::Options options;
                if (clamps) options.lower.bounds.registers = lower::OutOfRange::Clamp;
                const auto words = convert_all({kThreeVaryings, fragment}, nullptr, {}, options);
                auto job = unclipped(words[0], words[1]);
                job.samples = samples;
                job.attachments.resize(3);
                const uint32_t last = array ? 3 : 4;  // its column
                const auto expected = [&](uint32_t x, uint32_t y, float dx, float dy) {
                    const uint32_t column = clamps && (x < 2 || x > last) ? last : x;
                    if (column == 2 || column == 3) return times(column == 2 ? 1 : 2, at(x, y, dx, dy));
                    return column == 4 && !array ? times(4, place(0, 0)) : Pixel{};
                };
                run(job, [&](const vulkan::Outputs& out) {
                    // The centroid of a pixel that is covered may be anywhere in it.
                    expect_near(out.attachments[0], samples == 1 ? 1e-3f : 2.001f,
                                [&](uint32_t x, uint32_t y) { return expected(x, y, 0, 0); });
                    expect_near(out.attachments[1], 1e-3f, [&](uint32_t x, uint32_t y) {
                        // Sample 2 of the standard locations is at (0.125, 0.625).
                        const Pixel p = samples == 1 ? expected(x, y, 0, 0) : expected(x, y, -0.375f, 0.125f);
                        return Pixel{-p[1], -p[0], -p[2], -p[3]};
                    });
                    expect_near(out.attachments[2], 1e-3f,
                                [&](uint32_t x, uint32_t y) { return expected(x, y, 0.25f, -0.375f); });
                });
            }
}

TEST_F(StageInputs, ColorsOfTheFaceAreInterpolatedAndChosenByAnIndex) {
    api::Options options;
    options.lower.state.two_sided = true;
    const auto words = convert_all({R"(VERT
        DCL IN[0..1]
        DCL OUT[0], POSITION
        DCL OUT[1], COLOR
        DCL OUT[2], COLOR[1]
        DCL OUT[3], BCOLOR
        DCL OUT[4], BCOLOR[1]
        IMM[0] FLT32 {2.0, 4.0, 8.0, 0.0}
        MOV OUT[0], IN[0]
        MOV OUT[1], IN[1]
        MUL OUT[2], IN[1], IMM[0].xxxx
        MUL OUT[3], IN[1], IMM[0].yyyy
        MUL OUT[4], IN[1], IMM[0].zzzz
        END)",
                                    R"(FRAG
        DCL IN[0], COLOR, PERSPECTIVE
        DCL IN[1], COLOR[1], PERSPECTIVE
        DCL SV[0], POSITION
        DCL OUT[0], COLOR
        DCL OUT[1], COLOR[1]
        DCL ADDR[0]
        IMM[0] FLT32 {-0.25, 0.375, 0.0, 0.0}
        ARL ADDR[0].x, SV[0].xxxx
        INTERP_OFFSET OUT[0], IN[ADDR[0].x], IMM[0]
        INTERP_OFFSET OUT[1], IN[1], IMM[0]
        END)"},
                                   nullptr, {}, options);
    for (const bool two_sided : {false, true})
        for (const bool turned : {false, true}) {
            auto job = unclipped(words[0], words[1]);
            if (turned) job.indices = {0, 2, 1};
            job.fragment.constants = {{spec::kTwoSided, two_sided}};
            job.attachments.resize(2);
            const float side = two_sided && turned ? 4 : 1;
            run(job, [&](const vulkan::Outputs& out) {
                expect_near(out.attachments[0], 1e-3f, [&](uint32_t x, uint32_t y) {
                    const float factor = x == 0 ? side : x == 1 ? 2 * side : 0;
                    return times(factor, at(x, y, -0.25f, 0.375f));
                });
                expect_near(out.attachments[1], 1e-3f,
                            [&](uint32_t x, uint32_t y) { return times(2 * side, at(x, y, -0.25f, 0.375f)); });
            });
        }
}

/// In column n, the index is n − 2.
TEST_F(StageInputs, RegistersOfFragmentsAreChosenByAnIndex) {
    api::Options options;
    options.lower.state.targets[2] = lower::NumericType::UInt;
    const auto words = convert_all({kThreeVaryings, R"(FRAG
        DCL IN[0], GENERIC, PERSPECTIVE
        DCL IN[1], GENERIC[1], LINEAR
        DCL IN[2], GENERIC[2], CONSTANT
        DCL SV[0], POSITION
        DCL SV[1], FACE
        DCL OUT[0..3], COLOR
        DCL ADDR[0]
        DCL IMMX[0..1] {{ 0.5, 0.25, 0.0, 1.0 }, { 2.0, 4.0, 8.0, -1.0 }}
        IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}
        IMM[1] FLT32 {5.0, 6.0, 7.0, 8.0}
        IMM[2] FLT32 {-1.0, -2.0, -3.0, -4.0}
        ARL ADDR[0].x, SV[0].xxxx
        MOV OUT[0], IN[ADDR[0].x-2]
        MOV OUT[1], IMM[ADDR[0].x-2].wzyx
        MOV OUT[2], SV[ADDR[0].x-2]
        MOV OUT[3], IMMX[ADDR[0].x-2]
        END)"},
                                   nullptr, {}, options);
    auto job = unclipped(words[0], words[1]);
    job.attachments.resize(4);
    job.attachments[2].format = VK_FORMAT_R32G32B32A32_UINT;
    run(job, [&](const vulkan::Outputs& out) {
        expect_near(out.attachments[0], 1e-3f, [&](uint32_t x, uint32_t y) {
            return x == 2 ? at(x, y) : x == 3 ? times(2, at(x, y)) : x == 4 ? times(4, place(0, 0)) : Pixel{};
        });
        expect(pixels(out.attachments[1]), [&](uint32_t x, uint32_t) {
            return x == 2 ? Pixel{4, 3, 2, 1} : x == 3 ? Pixel{8, 7, 6, 5} : x == 4 ? Pixel{-4, -3, -2, -1} : Pixel{};
        });
        const Pixels third = pixels(out.attachments[2]);
        for (uint32_t y = 0; y < kSize; y++)
            for (uint32_t x = 0; x < kSize; x++) {
                using Words = std::array<uint32_t, 4>;
                const Words position{word(static_cast<float>(x) + 0.5f), word(static_cast<float>(y) + 0.5f), 0,
                                     word(1)};
                const Words expected = x == 2 ? position : x == 3 ? Words{~0u, 0, 0, 1} : Words{};
                EXPECT_EQ(std::bit_cast<Words>(third[y * kSize + x]), expected) << x << ", " << y;
            }
        expect(pixels(out.attachments[3]), [&](uint32_t x, uint32_t) {
            return x == 2 ? Pixel{0.5f, 0.25f, 0, 1} : x == 3 ? Pixel{2, 4, 8, -1} : Pixel{};
        });
    });
}

/// Points at (v, instance) for vertex v, which is where attribute 0 is for instance 0.
struct Points {
    Pixels places, values;
    explicit Points(uint32_t before) : places(before), values(before) {
        for (uint32_t v = 0; v < kSize; v++) {
            places.push_back({(static_cast<float>(2 * v) + 1) / kSize - 1, 1.0f / kSize - 1, 0, 1});
            values.push_back({static_cast<float>(v), static_cast<float>(v * v) + 0.5f, -1, 7});
        }
    }
};

/// Point v reads register v − 2.
TEST_F(StageInputs, RegistersOfVerticesAreChosenByAnIndex) {
    api::Options options;
    options.lower.draws_points = true;
    options.capabilities.draw_parameters = false;  // for INSTANCEID: SwiftShader has none
    const auto words = convert_all({R"(VERT
        DCL IN[0..2]
        DCL SV[0], VERTEXID
        DCL SV[1], INSTANCEID
        DCL SV[2], VERTEXID
        DCL OUT[0], POSITION
        DCL OUT[1..3], GENERIC
        DCL TEMP[0]
        DCL ADDR[0]
        IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}
        IMM[1] FLT32 {5.0, 6.0, 7.0, 8.0}
        MOV OUT[0], IN[0]
        ARL ADDR[0].x, IN[1].xxxx
        MOV OUT[1], IN[ADDR[0].x-2]
        MOV OUT[2], IMM[ADDR[0].x-2]
        U2F OUT[3], SV[ADDR[0].x-2]
        END)",
                                    R"(FRAG
        DCL IN[0..2], GENERIC, CONSTANT
        DCL OUT[0..2], COLOR
        MOV OUT[0], IN[0]
        MOV OUT[1], IN[1]
        MOV OUT[2], IN[2]
        END)"},
                                   nullptr, {}, options);
    const Points points(0);
    auto job = job_of(words[0], words[1], points.places, points.values);
    Pixels third;
    for (uint32_t v = 0; v < kSize; v++) third.push_back({static_cast<float>(v), 9, 8, 7});
    job.attributes.push_back(attribute(2, third));
    job.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    job.attachments.resize(3);
    run(job, [&](const vulkan::Outputs& out) {
        const Pixels first = pixels(out.attachments[0]), second = pixels(out.attachments[1]),
                     systems = pixels(out.attachments[2]);
        for (uint32_t v = 0; v < kSize; v++) {
            EXPECT_EQ(first[v], v == 2   ? points.places[v]
                                : v == 3 ? points.values[v]
                                : v == 4 ? third[v]
                                         : Pixel{})
                << v;
            EXPECT_EQ(second[v], v == 2 ? (Pixel{1, 2, 3, 4}) : v == 3 ? (Pixel{5, 6, 7, 8}) : Pixel{}) << v;
            EXPECT_EQ(systems[v], (Pixel{v == 2 || v == 4 ? static_cast<float>(v) : 0, 0, 0, 0})) << v;
        }
    });
}

/// With draw parameters, which only some devices have, and with specialization constants, which the caller sets.
TEST_F(StageInputs, NumbersOfTheDraw) {
    for (const bool parameters : {false, true})
        for (const bool indexed : {false, true}) {
            SCOPED_TRACE(std::string(parameters ? "parameters " : "constants ") + (indexed ? "indexed" : ""));
            api::Options options;
            options.lower.draws_points = true;
            options.capabilities.draw_parameters = parameters;
            const auto words = convert_all({R"(VERT
                DCL IN[0..1]
                DCL SV[0], VERTEXID
                DCL SV[1], VERTEXID_NOBASE
                DCL SV[2], INSTANCEID
                DCL SV[3], BASEVERTEX
                DCL SV[4], BASEINSTANCE
                DCL SV[5], DRAWID
                DCL OUT[0], POSITION
                DCL OUT[1..2], GENERIC
                DCL TEMP[0]
                IMM[0] FLT32 {0.25, 0.0, 0.0, 0.0}
                U2F OUT[1].x, SV[0].xxxx
                U2F OUT[1].y, SV[1].xxxx
                U2F OUT[1].z, SV[2].xxxx
                U2F OUT[1].w, SV[3].xxxx
                U2F OUT[2].x, SV[4].xxxx
                U2F OUT[2].y, SV[5].xxxx
                MOV OUT[2].zw, IN[1].xxxx
                MOV OUT[0], IN[0]
                U2F TEMP[0].x, SV[2].xxxx
                MAD OUT[0].y, TEMP[0].xxxx, IMM[0].xxxx, IN[0].yyyy
                END)",
                                            R"(FRAG
                DCL IN[0..1], GENERIC, CONSTANT
                DCL OUT[0..1], COLOR
                MOV OUT[0], IN[0]
                MOV OUT[1], IN[1]
                END)"},
                                           nullptr, {}, options);
            constexpr uint32_t kFirst = 5, kFirstInstance = 3, kInstances = 2;
            const Points points(kFirst);
            auto job = job_of(words[0], words[1], points.places, points.values);
            job.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
            job.first_vertex = kFirst;
            job.vertex_count = kSize;
            job.first_instance = kFirstInstance;
            job.instance_count = kInstances;
            if (indexed)
                for (uint32_t v = 0; v < kSize; v++) job.indices.push_back(v);
            // There is one draw: without draw parameters, the caller may give it any number.
            const uint32_t draw = parameters ? 0 : 6;
            if (!parameters)
                job.vertex.constants = {
                    {spec::kBaseVertex, kFirst}, {spec::kBaseInstance, kFirstInstance}, {spec::kDrawId, draw}};
            job.attachments.resize(2);
            run(job, [&](const vulkan::Outputs& out) {
                const Pixels first = pixels(out.attachments[0]), second = pixels(out.attachments[1]);
                for (uint32_t y = 0; y < kSize; y++)
                    for (uint32_t x = 0; x < kSize; x++) {
                        const bool drawn = y < kInstances;
                        const auto v = static_cast<float>(x);
                        EXPECT_EQ(first[y * kSize + x],
                                  drawn ? (Pixel{kFirst + v, v, static_cast<float>(y), kFirst}) : Pixel{})
                            << x << ", " << y;
                        EXPECT_EQ(second[y * kSize + x],
                                  drawn ? (Pixel{kFirstInstance, static_cast<float>(draw), v, v}) : Pixel{})
                            << x << ", " << y;
                    }
            });
        }
}

/// The right edge of the triangle goes between the two columns of a quad. There, derivatives need helper invocations:
/// the value in the last column minus that in the last but one is 1. In the middle of the triangle no invocation is a
/// helper.
TEST_F(StageInputs, HelpersAreSeenInDerivatives) {
    for (const bool subroutine : {false, true}) {
        const std::string read = "AND TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n";
        const std::string fragment = std::string("FRAG\n") + R"(DCL SV[0], HELPER_INVOCATION
            DCL OUT[0], COLOR
            DCL TEMP[0]
            IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}
            )" + (subroutine ? "CAL :4\n" : read) +
                                     R"(DDX_FINE TEMP[0].y, TEMP[0].xxxx
            MOV OUT[0], TEMP[0]
            )" + (subroutine ? "END\nBGNSUB\n" + read + "RET\nENDSUB\n" : "END\n");
        const auto words = convert_all({kThreeVaryings, fragment});
        const Pixels corners{{0.75f, -1, 0, 1}, {0.75f, 1, 0, 1}, {-1, 0, 0, 1}};
        draw(job_of(words[0], words[1], corners, {3, Pixel{}}), [&](const Pixels& all) {
            for (uint32_t y = 1; y < kSize - 1; y++) EXPECT_EQ(all[y * kSize + 6], (Pixel{0, 1, 0, 0})) << y;
            for (uint32_t y = 3; y < 5; y++) EXPECT_EQ(all[y * kSize + 4], Pixel{}) << y;
        });
    }
}

}  // namespace
}  // namespace tgsi2spv::test
