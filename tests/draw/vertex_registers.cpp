// IN[v][i] and OUT[v][i] of GEOM, TESS_CTRL and TESS_EVAL on a device, where indices choose the vertex and the
// register.
#include <gtest/gtest.h>

#include <string>

#include "draw/linked.h"

namespace tgsi2spv::test {
namespace {

/// The registers that every vertex has, as the stages after VERT declare them.
constexpr const char* kInputs = R"(DCL IN[][0], POSITION
    DCL IN[][1..2], ARRAY(1), GENERIC
    DCL IN[][3], PSIZE
    DCL IN[][4], CLIPDIST
    DCL IN[][5], CULLDIST
    )";
/// Two clip distances, then two cull distances. IN[2] and IN[3] go to the next stage as they are.
constexpr const char* kVertex = R"(VERT
    PROPERTY NUM_CLIPDIST_ENABLED 2
    PROPERTY NUM_CULLDIST_ENABLED 2
    DCL IN[0..3]
    DCL OUT[0], POSITION
    DCL OUT[1..2], GENERIC
    DCL OUT[3], PSIZE
    DCL OUT[4], CLIPDIST
    DCL OUT[5..6], GENERIC[10]
    IMM[0] FLT32 {2.0, 4.0, 8.0, 0.0}
    MOV OUT[0], IN[0]
    MOV OUT[1], IN[1]
    MUL OUT[2], IN[1], IMM[0].xxxx
    MUL OUT[3].x, IN[1].xxxx, IMM[0].yyyy
    MUL OUT[4], IN[1], IMM[0].zzzz
    MOV OUT[5], IN[2]
    MOV OUT[6], IN[3]
    END)";
constexpr const char* kFragment = R"(FRAG
    DCL IN[0..3], GENERIC[20], CONSTANT
    DCL OUT[0..3], COLOR
    MOV OUT[0], IN[0]
    MOV OUT[1], IN[1]
    MOV OUT[2], IN[2]
    MOV OUT[3], IN[3]
    END)";

/// The choice of a patch: a register, a vertex, and a register of the patch.
struct Choice {
    float reg = 0, vertex = 0, patch_reg = 0;
};

class VertexRegisters : public LinkedDrawing {
  protected:
    static Pixel position(uint32_t v) { return {static_cast<float>(v) + 1, 10, static_cast<float>(v), 1}; }
    static Pixel value(uint32_t v) {
        const auto x = static_cast<float>(v);
        return {x + 0.25f, x + 1.5f, 20 - x, 3};
    }
    static Pixel times(float factor, Pixel p) {
        for (float& c : p) c *= factor;
        return p;
    }
    /// The value that kVertex writes to a register, and its number of components.
    static std::pair<Pixel, size_t> written(uint32_t v, uint32_t reg) {
        const Pixel distances = times(8, value(v));
        if (v > 2) return {{}, 4};
        switch (reg) {
            case 0:
                return {position(v), 4};
            case 1:
                return {value(v), 4};
            case 2:
                return {times(2, value(v)), 4};
            case 3:
                return {{4 * value(v)[0], 0, 0, 0}, 1};
            case 4:
                return {distances, 4};
            case 5:
                return {{distances[2], distances[3], 0, 0}, 2};
            default:
                return {{}, 4};
        }
    }
    /// Where the result of patch n is drawn.
    static Pixel place(size_t n) {
        const auto x = static_cast<float>(n % kSize), y = static_cast<float>(n / kSize);
        return {(2 * x + 1) / kSize - 1, (2 * y + 1) / kSize - 1, 0, 1};
    }
    static void expect_components(const Pixel& got, const Pixel& expected, size_t n) {
        for (size_t c = 0; c < n; c++) EXPECT_EQ(got[c], expected[c]) << c;
    }

    /// Four targets whose clear value nothing overwrites.
    static void use_targets(vulkan::Job& job) {
        job.attachments.resize(4);
        for (auto& a : job.attachments) a.clear = {.float32 = {-99, -99, -99, -99}};
    }

    /// Draws a patch for each choice; the result of patch n is in pixel (n % kSize, n / kSize) of each target.
    void draw_patches(const std::vector<std::string>& texts, const std::vector<Choice>& choices,
                      const std::function<void(size_t n, const std::array<Pixel, 4>& targets)>& check,
                      lower::OutOfRange out_of_range = lower::OutOfRange::Zero) {
        Pixels positions, values, chosen, places;
        for (size_t n = 0; n < choices.size(); n++)
            for (uint32_t v = 0; v < 3; v++) {
                positions.push_back(position(v));
                values.push_back(value(v));
                chosen.push_back({choices[n].reg, choices[n].vertex, choices[n].patch_reg, 0});
                places.push_back(place(n));
            }
        api::Options options;
        options.lower.bounds.registers = out_of_range;
        const auto words = convert_all(texts, nullptr, {}, options);
        auto job = job_of_all(words, positions, values);
        job.attributes.push_back(attribute(2, chosen));
        job.attributes.push_back(attribute(3, places));
        use_targets(job);
        run(job, [&](const vulkan::Outputs& out) {
            Pixels all[4];
            for (size_t t = 0; t < 4; t++) all[t] = pixels(out.attachments[t]);
            for (size_t n = 0; n < choices.size(); n++) {
                SCOPED_TRACE("register " + std::to_string(choices[n].reg) + ", vertex " +
                             std::to_string(choices[n].vertex) + ", of the patch " +
                             std::to_string(choices[n].patch_reg));
                check(n, {all[0][n], all[1][n], all[2][n], all[3][n]});
            }
        });
    }
};

/// Column n is register n. Rows 0 to 3 are vertices, of which the last does not exist; row 4 is vertex 1, but only the
/// registers of the array; row 5 has no vertex: only PRIMID, which belongs to the primitive. Rows 6 and 7 have no
/// index: a vertex that does not exist, and PRIMID of a vertex. Where accesses are clamped, missing vertices and
/// registers are the last ones.
TEST_F(VertexRegisters, GeometryReadsInputsByTwoIndices) {
    std::string geometry = R"(GEOM
        PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
        PROPERTY GS_OUTPUT_PRIMITIVE POINTS
        PROPERTY GS_MAX_OUTPUT_VERTICES 64
        )" + std::string(kInputs) +
                           R"(DCL IN[][6], PRIMID
        DCL OUT[0], POSITION
        DCL OUT[1], GENERIC[20]
        DCL TEMP[0..1]
        DCL ADDR[0]
        IMM[0] UINT32 {0, 1, 8, 0}
        IMM[1] FLT32 {-0.875, 0.25, 0.0, 1.0}
        MOV OUT[0], IMM[1].zzzw
        )";
    for (uint32_t row = 0; row < kSize; row++) {
        const std::string chosen = row == 7   ? "U2F OUT[1], IN[1][6]"
                                   : row == 6 ? "MOV OUT[1], IN[7][1]"
                                   : row == 5 ? "U2F OUT[1], IN[ADDR[0].x]"
                                   : row == 4 ? "MOV OUT[1], IN[ADDR[0].y-3][ADDR[0].x](1)"
                                              : "MOV OUT[1], IN[ADDR[0].y][ADDR[0].x]";
        geometry +=
            R"(MOV TEMP[0].y, IMM[0].xxxx
MOV OUT[0].x, IMM[1].xxxx
MAD OUT[0].y, IMM[1].yyyy, TEMP[1].xxxx, IMM[1].xxxx
BGNLOOP
USGE TEMP[0].z, TEMP[0].yyyy, IMM[0].zzzz
UIF TEMP[0].zzzz
BRK
ENDIF
UARL ADDR[0].xy, TEMP[0].yxxx
)" + chosen +
            "\nEMIT IMM[0].xxxx\nADD OUT[0].x, OUT[0].xxxx, IMM[1].yyyy\nUADD TEMP[0].y, TEMP[0].yyyy, "
            "IMM[0].yyyy\nENDLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nADD TEMP[1].x, TEMP[1].xxxx, "
            "IMM[1].wwww\n";
    }
    // The second triangle draws over the first.
    Pixels positions, values;
    for (uint32_t v = 0; v < 6; v++) {
        positions.push_back(position(v % 3));
        values.push_back(value(v % 3));
    }
    for (const auto out_of_range : {lower::OutOfRange::Zero, lower::OutOfRange::Clamp}) {
        const bool clamps = out_of_range == lower::OutOfRange::Clamp;
        api::Options options;
        options.lower.bounds.registers = out_of_range;
        const auto words = convert_all({kVertex, geometry + "END\n", kFragment}, nullptr, {}, options);
        auto job = job_of_all(words, positions, values);
        job.attributes.push_back(attribute(2, Pixels(6)));
        job.attributes.push_back(attribute(3, Pixels(6)));
        use_targets(job);
        draw(job, [&](const Pixels& all) {
            for (uint32_t row = 0; row < kSize; row++)
                for (uint32_t reg = 0; reg < kSize; reg++) {
                    SCOPED_TRACE(std::to_string(clamps) + ": " + std::to_string(row) + ", " + std::to_string(reg));
                    if (reg == 6 && row < 4) continue;  // PRIMID of a vertex
                    const uint32_t none = clamps ? 2 : 99, vertex = clamps ? std::min(row, 2u) : row;
                    auto [expected, n] = written(vertex, clamps ? std::min(reg, 5u) : reg);
                    if (row == 4) std::tie(expected, n) = written(1, reg == 1 || reg == 2 ? reg : none);
                    if (row > 4) std::tie(expected, n) = written(99, 0);
                    if (row == 7 || (row == 5 && (clamps || reg == 6))) expected[0] = 1;
                    expect_components(all[row * kSize + reg], expected, n);
                }
        });
    }
}

/// TESS_CTRL and TESS_EVAL declare these for the choices of their patch.
constexpr const char* kControl = R"(TESS_CTRL
    PROPERTY TCS_VERTICES_OUT 3
    PROPERTY NUM_CLIPDIST_ENABLED 2
    PROPERTY NUM_CULLDIST_ENABLED 2
    DCL IN[][6..7], GENERIC[10]
    DCL SV[0], INVOCATIONID
    DCL ADDR[0..1]
    DCL TEMP[0..1]
    IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}
    IMM[1] UINT32 {0, 1, 3, 100}
    UARL ADDR[0].x, SV[0].xxxx
    ARL ADDR[1].xyz, IN[0][6]
    )";
/// Points of quads, all at the place of the patch.
constexpr const char* kEvaluation = R"(TESS_EVAL
    PROPERTY TES_PRIM_MODE 7
    PROPERTY TES_SPACING 2
    PROPERTY TES_VERTEX_ORDER_CW 1
    PROPERTY TES_POINT_MODE 1
    DCL OUT[0], POSITION
    DCL OUT[1..4], GENERIC[20]
    )";

TEST_F(VertexRegisters, ControlReadsInputsByTwoIndices) {
    const std::string control = std::string(kControl) + kInputs + R"(DCL OUT[][0], GENERIC
        DCL OUT[1], PATCH
        DCL OUT[2], TESSOUTER
        DCL OUT[3], TESSINNER
        MOV OUT[1], IN[0][7]
        MOV OUT[2], IMM[0].xxxx
        MOV OUT[3], IMM[0].xxxx
        MOV OUT[ADDR[0].x][0], IN[ADDR[1].y][ADDR[1].x]
        END)";
    const std::string evaluation = std::string(kEvaluation) + R"(DCL IN[][0], GENERIC
        DCL IN[1], PATCH
        MOV OUT[0], IN[1]
        MOV OUT[1], IN[0][0]
        MOV OUT[2], IN[1][0]
        MOV OUT[3], IN[2][0]
        END)";
    std::vector<Choice> choices;
    for (const float reg : {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 8.0f, -1.0f})
        for (const float v : {0.0f, 1.0f, 2.0f, 3.0f}) choices.push_back({reg, v, 0});
    const std::vector<std::string> texts{kVertex, control, evaluation, kFragment};
    const auto of_choice = [&](size_t n) {
        return written(static_cast<uint32_t>(choices[n].vertex), static_cast<uint32_t>(choices[n].reg + 1) - 1);
    };
    draw_patches(texts, choices, [&](size_t n, const std::array<Pixel, 4>& targets) {
        const auto [expected, size] = of_choice(n);
        for (size_t t = 0; t < 3; t++) expect_components(targets[t], expected, size);
    });
    // The last vertex of IN is beyond those of the patch, and is not read.
    std::erase_if(choices, [](const Choice& c) { return c.vertex > 2; });
    draw_patches(
        texts, choices,
        [&](size_t n, const std::array<Pixel, 4>& targets) {
            auto [expected, size] = of_choice(n);
            if (choices[n].reg < 0 || choices[n].reg > 7) expected = place(n);
            for (size_t t = 0; t < 3; t++) expect_components(targets[t], expected, size);
        },
        lower::OutOfRange::Clamp);
}

/// The other components of a register that is chosen by an index stay unchanged, and so do all other registers.
TEST_F(VertexRegisters, ControlWritesOutputsByAnIndex) {
    const std::string control = std::string(kControl) + kInputs + R"(DCL OUT[][0..1], GENERIC
        DCL OUT[][2], PSIZE
        DCL OUT[][3], CLIPDIST
        DCL OUT[4], PATCH[7]
        DCL OUT[5..6], PATCH
        DCL OUT[7], TESSOUTER
        DCL OUT[8], TESSINNER
        MOV OUT[ADDR[0].x][0], IMM[0]
        MOV OUT[ADDR[0].x][1], IMM[0]
        MOV OUT[ADDR[0].x][2].x, IMM[0].xxxx
        MOV OUT[ADDR[0].x][3], IMM[0]
        MOV OUT[4], IN[0][7]
        MOV OUT[5], IMM[0]
        MOV OUT[6], IMM[0]
        MOV OUT[7], IMM[0]
        MOV OUT[8], IMM[0]
        ARL TEMP[0].x, IN[0][6].yyyy
        UADD TEMP[0].x, TEMP[0].xxxx, SV[0].xxxx
        UARL ADDR[0].y, TEMP[0].xxxx
        MOV OUT[ADDR[0].y][ADDR[1].x].xz, IN[ADDR[0].x][1]
        MOV OUT[ADDR[1].z].xyz, IMM[0].zwyy
        END)";
    const std::string evaluation = std::string(kEvaluation) + R"(DCL IN[][0..1], GENERIC
        DCL IN[][2], PSIZE
        DCL IN[][3], CLIPDIST
        DCL IN[4..5], PATCH
        DCL IN[6], PATCH[7]
        DCL SV[0], TESSOUTER
        DCL SV[1], TESSINNER
        DCL TEMP[0]
        IMM[0] FLT32 {100.0, 10.0, 1000.0, 0.0}
        MOV OUT[0], IN[6]
        MAD OUT[1], IN[2][1], IMM[0].xxxx, IN[2][0]
        MAD OUT[2], IN[1][3], IMM[0].xxxx, IN[1][2].xxxx
        MAD OUT[3], IN[5], IMM[0].xxxx, IN[4]
        MUL TEMP[0].xy, SV[1], IMM[0].xxxx
        ADD OUT[4], TEMP[0], SV[0]
        END)";
    std::vector<Choice> choices;
    for (const float reg : {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, -1.0f}) choices.push_back({reg, 0, -7});
    for (const float reg : {3.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f}) choices.push_back({-1, 0, reg});
    choices.push_back({0, 100, 99});  // beyond the vertices
    for (const auto out_of_range : {lower::OutOfRange::Zero, lower::OutOfRange::Clamp}) {
        const bool clamps = out_of_range == lower::OutOfRange::Clamp;
        if (clamps) choices.pop_back();  // all invocations would write the last vertex
        const auto check = [&](size_t n, const std::array<Pixel, 4>& targets) {
            Choice c = choices[n];
            if (clamps && (c.reg < 0 || c.reg > 3)) c.reg = 3;
            if (clamps && (c.patch_reg < 4 || c.patch_reg > 8)) c.patch_reg = 8;
            const auto vertex_reg = [&](float reg, uint32_t v) {
                const bool chosen = c.reg == reg && c.vertex == 0;
                return chosen ? Pixel{value(v)[0], 2, value(v)[2], 4} : Pixel{1, 2, 3, 4};
            };
            const auto patch_reg = [&](float reg) {
                return c.patch_reg == reg ? Pixel{3, 4, 2, 4} : Pixel{1, 2, 3, 4};
            };
            for (size_t k = 0; k < 4; k++) {
                EXPECT_EQ(targets[0][k], 100 * vertex_reg(1, 2)[k] + vertex_reg(0, 2)[k]) << k;
                EXPECT_EQ(targets[1][k], 100 * vertex_reg(3, 1)[k] + vertex_reg(2, 1)[0]) << k;
                EXPECT_EQ(targets[2][k], 100 * patch_reg(6)[k] + patch_reg(5)[k]) << k;
                EXPECT_EQ(targets[3][k], (k < 2 ? 100 * patch_reg(8)[k] : 0) + patch_reg(7)[k]) << k;
            }
        };
        draw_patches({kVertex, control, evaluation, kFragment}, choices, check, out_of_range);
    }
}

/// After a barrier, each invocation reads the others' outputs.
TEST_F(VertexRegisters, ControlReadsOutputsByTwoIndices) {
    const std::string control = std::string(kControl) + kInputs + R"(DCL OUT[][0..1], ARRAY(2), GENERIC
        DCL OUT[][2], GENERIC[2]
        DCL OUT[3], PATCH[7]
        DCL OUT[4], TESSOUTER
        DCL OUT[5], TESSINNER
        DCL OUT[6], PATCH
        DCL OUT[][7], GENERIC[7]
        MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][1]
        MOV OUT[ADDR[0].x][1], IN[ADDR[0].x][2]
        MOV OUT[3], IN[0][7]
        MOV OUT[4], IMM[0].xyxz
        MOV OUT[5].xy, IMM[0].zwww
        MOV OUT[6], IN[0][6].yyyx
        BARRIER
        MOV OUT[ADDR[0].x][2], OUT[ADDR[1].y][ADDR[1].x](2)
        MOV OUT[ADDR[0].x][7], OUT[ADDR[1].z]
        END)";
    const std::string evaluation = std::string(kEvaluation) + R"(DCL IN[][0], GENERIC[2]
        DCL IN[][1], GENERIC[7]
        DCL IN[2], PATCH[7]
        MOV OUT[0], IN[2]
        MOV OUT[1], IN[0][0]
        MOV OUT[2], IN[2][0]
        MOV OUT[3], IN[1][1]
        END)";
    std::vector<Choice> choices;
    for (const float reg : {0.0f, 1.0f, 2.0f})
        for (const float v : {0.0f, 1.0f, 2.0f, 3.0f}) choices.push_back({reg, v, 2 + v});
    for (const float reg : {2.0f, 6.0f, 8.0f, -1.0f}) choices.push_back({-1, 2, reg});
    draw_patches(
        {kVertex, control, evaluation, kFragment}, choices, [&](size_t n, const std::array<Pixel, 4>& targets) {
            const Choice& c = choices[n];
            const bool exists = (c.reg == 0 || c.reg == 1) && c.vertex < 3;
            const Pixel of_vertex = exists ? times(1 + c.reg, value(static_cast<uint32_t>(c.vertex))) : Pixel{};
            EXPECT_EQ(targets[0], of_vertex);
            EXPECT_EQ(targets[1], of_vertex);
            const Pixel of_patch = c.patch_reg == 3   ? place(n)
                                   : c.patch_reg == 4 ? Pixel{1, 2, 1, 3}
                                   : c.patch_reg == 5 ? Pixel{3, 4, 0, 0}
                                   : c.patch_reg == 6 ? Pixel{c.vertex, c.vertex, c.vertex, c.reg}
                                                      : Pixel{};
            expect_components(targets[2], of_patch, c.patch_reg == 5 ? 2 : 4);
        });
}

/// Registers of the patch are also the levels and PRIMID, as inputs.
TEST_F(VertexRegisters, EvaluationReadsInputsByTwoIndices) {
    const std::string control = std::string(kControl) + kInputs + R"(DCL OUT[][0], POSITION
        DCL OUT[][1..2], GENERIC
        DCL OUT[][3], PSIZE
        DCL OUT[][4], CLIPDIST
        DCL OUT[5], TESSOUTER
        DCL OUT[6], TESSINNER
        DCL OUT[7], PATCH
        DCL OUT[8], PATCH[7]
        MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
        MOV OUT[ADDR[0].x][1], IN[ADDR[0].x][1]
        MOV OUT[ADDR[0].x][2], IN[ADDR[0].x][2]
        MOV OUT[ADDR[0].x][3].x, IN[ADDR[0].x][3]
        MOV OUT[ADDR[0].x][4], IN[ADDR[0].x][4]
        MOV OUT[5], IMM[0]
        MOV OUT[6], IMM[0].zwww
        MOV OUT[7], IN[0][6]
        MOV OUT[8], IN[0][7]
        END)";
    const std::string evaluation = std::string(kEvaluation) + kInputs + R"(DCL IN[6], PATCH
        DCL IN[7], PATCH[7]
        DCL IN[8], TESSOUTER
        DCL IN[9], TESSINNER
        DCL IN[10], PRIMID
        DCL SV[0], VERTICESIN
        DCL ADDR[0]
        DCL TEMP[0]
        MOV OUT[0], IN[7]
        ARL ADDR[0].xyz, IN[6]
        MOV OUT[1], IN[ADDR[0].y][ADDR[0].x]
        MOV TEMP[0], IN[ADDR[0].z]
        MOV OUT[2], TEMP[0]
        U2F OUT[3].x, TEMP[0].xxxx
        U2F OUT[3].y, IN[10].xxxx
        U2F OUT[3].z, SV[0].xxxx
        MOV OUT[4], IN[ADDR[0].y][ADDR[0].x](1)
        END)";
    std::vector<Choice> choices;
    for (const float reg : {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 8.0f})
        for (const float v : {0.0f, 1.0f, 2.0f, 3.0f}) choices.push_back({reg, v, reg + 5});
    draw_patches({kVertex, control, evaluation, kFragment}, choices,
                 [&](size_t n, const std::array<Pixel, 4>& targets) {
                     const Choice& c = choices[n];
                     const auto v = static_cast<uint32_t>(c.vertex), reg = static_cast<uint32_t>(c.reg);
                     const auto [expected, size] = written(v, reg);
                     expect_components(targets[0], expected, size);
                     const Pixel of_patch = c.patch_reg == 6   ? Pixel{c.reg, c.vertex, c.patch_reg, 0}
                                            : c.patch_reg == 7 ? place(n)
                                            : c.patch_reg == 8 ? Pixel{1, 2, 3, 4}
                                            : c.patch_reg == 9 ? Pixel{3, 4, 0, 0}
                                                               : Pixel{};
                     if (c.patch_reg == 10) {
                         EXPECT_EQ(targets[2][0], static_cast<float>(n));
                     } else {
                         expect_components(targets[1], of_patch, c.patch_reg == 9 ? 2 : 4);
                     }
                     EXPECT_EQ(targets[2][1], static_cast<float>(n));
                     EXPECT_EQ(targets[2][2], 3.0f);
                     EXPECT_EQ(targets[3], reg == 1 || reg == 2 ? expected : Pixel{});
                 });
}

}  // namespace
}  // namespace tgsi2spv::test
