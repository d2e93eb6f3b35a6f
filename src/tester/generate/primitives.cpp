// GEOM and TESS_*: inputs with several vertices, emitted vertices, outputs that a patch shares.
#include <fmt/format.h>

#include <algorithm>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Stage;

constexpr char kLetters[] = "xyzw";
constexpr int kVertexInputs = 2;

void vertex_inputs(Shader& shader, int vertices) {
    shader.vertices = vertices;
    for (int i = 0; i < kVertexInputs; i++)
        shader.declarations.push_back(fmt::format("DCL IN[][{}], GENERIC[{}]", i, i));
    for (int v = 0; v < std::min(vertices, 3); v++)
        for (int i = 0; i < kVertexInputs; i++) {
            const std::string file = fmt::format("IN[{}]", v);
            Values values{};
            for (int c = 0; c < 4; c++) {
                // All vertices of an input are used in the same way.
                if ((c + i) % 2 == 0)
                    values[static_cast<size_t>(c)] = any_int();
                else
                    shader.raw_floats.push_back(fmt::format("{}[{}].{}", file, i, std::string(4, kLetters[c])));
            }
            add_register(shader, file, i, false, values);
        }
}

/// Writes every component of an output.
void fill(Shader& shader, const std::string& output) {
    const bool floats = shader.chance(2);
    const auto from = floats ? source(shader, {Kind::Float, -kMaxFloat, kMaxFloat, 6, false, false}, 15)
                             : source(shader, {Kind::Int, kMinInt, kMaxUint, 1, false, false}, 15);
    emit(shader, fmt::format("MOV {}, {}", output, from.text));
}

void begin_geometry(Shader& shader) {
    struct Primitive {
        const char* name;
        int vertices;
    };
    constexpr Primitive kInputs[] = {
        {"POINTS", 1}, {"LINES", 2}, {"TRIANGLES", 3}, {"LINES_ADJACENCY", 4}, {"TRIANGLES_ADJACENCY", 6}};
    constexpr const char* kOutputs[] = {"POINTS", "LINE_STRIP", "TRIANGLE_STRIP"};
    const auto& input = kInputs[shader.random.below(5)];
    const auto output = shader.random.below(3);
    shader.properties.push_back(fmt::format("PROPERTY GS_INPUT_PRIMITIVE {}", input.name));
    shader.properties.push_back(fmt::format("PROPERTY GS_OUTPUT_PRIMITIVE {}", kOutputs[output]));
    shader.properties.push_back(fmt::format("PROPERTY GS_MAX_OUTPUT_VERTICES {}", 4 + shader.random.below(6)));
    const auto invocations = 1 + static_cast<int>(shader.random.below(3));
    if (invocations > 1 || shader.chance(2))
        shader.properties.push_back(fmt::format("PROPERTY GS_INVOCATIONS {}", invocations));
    vertex_inputs(shader, input.vertices);
    shader.declarations.emplace_back("DCL SV[0], INVOCATIONID");
    shader.declarations.emplace_back("DCL SV[1], PRIM_ID");
    add_register(shader, "SV", 0, false, {int_of(0, invocations - 1), {}, {}, {}});
    add_register(shader, "SV", 1, false, {int_of(0, 63), {}, {}, {}});
    shader.two_streams = output == 0 && shader.chance(2);
    // A register without a stream belongs to all vertices, but nothing reads it in those of the second stream.
    shader.declarations.emplace_back(shader.two_streams ? "DCL OUT[0], POSITION, STREAM(0, 0, 0, 0)"
                                                        : "DCL OUT[0], POSITION");
    shader.outputs_of_stream[0].push_back(0);
    for (int i = 1; i < 6; i++) {
        const bool second = shader.two_streams && i >= 4;
        const char* const stream = second ? ", STREAM(1, 1, 1, 1)" : shader.two_streams ? ", STREAM(0, 0, 0, 0)" : "";
        shader.declarations.push_back(fmt::format("DCL OUT[{}], GENERIC[{}]{}", i, i, stream));
        shader.outputs_of_stream[second ? 1 : 0].push_back(i);
    }
}

void begin_control(Shader& shader) {
    // A few vertices, or more than any subgroup has, so that a missing barrier shows.
    constexpr int kMany[] = {9, 16, 32};
    const bool many = shader.chance(shader.featured == tgsi::Opcode::BARRIER ? 2 : 6);
    const int vertices = many ? kMany[shader.random.below(3)] : 1 + static_cast<int>(shader.random.below(4));
    shader.properties.push_back(fmt::format("PROPERTY TCS_VERTICES_OUT {}", vertices));
    vertex_inputs(shader, 3);
    shader.declarations.emplace_back("DCL SV[0], INVOCATIONID");
    add_register(shader, "SV", 0, false, {int_of(0, vertices - 1), {}, {}, {}});
    for (int i = 0; i < 4; i++) shader.declarations.push_back(fmt::format("DCL OUT[][{}], GENERIC[{}]", i, i));
    shader.declarations.emplace_back("DCL OUT[4], TESSOUTER");
    shader.declarations.emplace_back("DCL OUT[5], TESSINNER");
    shader.declarations.emplace_back("DCL OUT[6], PATCH[0]");
    shader.declarations.emplace_back("DCL ADDR[1]");
    emit(shader, "UARL ADDR[1].x, SV[0].xxxx");
    shader.patch_vertices = vertices;
}

void begin_evaluation(Shader& shader) {
    constexpr const char* kDomains[] = {"LINES", "TRIANGLES", "QUADS"};
    const auto domain = shader.random.below(3);
    shader.properties.push_back(fmt::format("PROPERTY TES_PRIM_MODE {}", kDomains[domain]));
    shader.properties.push_back(fmt::format("PROPERTY TES_SPACING {}", shader.random.below(3)));
    vertex_inputs(shader, 3);
    shader.declarations.emplace_back("DCL IN[2], PATCH[0]");
    add_register(shader, "IN", 2, false, {any_int(), any_int(), any_int(), any_int()});
    shader.declarations.emplace_back("DCL SV[0], TESSCOORD");
    add_register(shader, "SV", 0, false, {float_of(0, 1), float_of(0, 1), float_of(0, domain == 1 ? 1 : 0), {}});
}

/// Emits a vertex. Outputs that no path has written are undefined, so all outputs of the stream are written first.
void emit_vertex(Shader& shader, int stream) {
    for (const int i : shader.outputs_of_stream[static_cast<size_t>(stream)])
        if (!shader.emitted_before || !shader.chance(3)) fill(shader, fmt::format("OUT[{}]", i));
    emit(shader, fmt::format("EMIT {}", imm_int(shader, static_cast<uint32_t>(stream))));
}

}  // namespace

bool is_primitive_stage(const Shader& shader) {
    return shader.stage == Stage::Geometry || shader.stage == Stage::TessControl || shader.stage == Stage::TessEval;
}

void begin_primitives(Shader& shader) {
    switch (shader.stage) {
        case Stage::Geometry:
            return begin_geometry(shader);
        case Stage::TessControl:
            return begin_control(shader);
        default:
            return begin_evaluation(shader);
    }
}

bool primitive_instruction(Shader& shader, tgsi::Opcode op) {
    if (shader.stage == Stage::Geometry && op == tgsi::Opcode::EMIT) {
        emit_vertex(shader, shader.two_streams && shader.chance(2) ? 1 : 0);
        return true;
    }
    if (shader.stage == Stage::Geometry && op == tgsi::Opcode::ENDPRIM) {
        // Between two vertices, since otherwise nothing shows whether a primitive ended. At least one vertex follows at
        // the end of main.
        const int stream = shader.two_streams && shader.chance(2) ? 1 : 0;
        if (!shader.chance(8)) emit_vertex(shader, stream);
        emit(shader, fmt::format("ENDPRIM {}", imm_int(shader, static_cast<uint32_t>(stream))));
        if (shader.chance(2)) emit_vertex(shader, stream);
        return true;
    }
    if (shader.stage != Stage::TessControl || op != tgsi::Opcode::BARRIER || !shader.uniform || shader.depth > 0 ||
        shader.turns > 1 || shader.exchanged)
        return false;
    // Each invocation writes its entry once; the others read it after the barrier.
    shader.exchanged = true;
    fill(shader, "OUT[ADDR[1].x][3]");
    emit(shader, "BARRIER");
    const int reg = fresh_temp(shader);
    emit(shader, fmt::format("MOV {}, OUT[{}][3]", name(shader, reg),
                             shader.random.below(static_cast<uint64_t>(shader.patch_vertices))));
    Values v;
    v.fill(any_int());
    for (auto& c : v) c.fuzz = 1;
    written(shader, {reg, 15}, v);
    return true;
}

std::string whole(const Shader& shader, int reg) {
    const auto& v = shader.state[static_cast<size_t>(reg)];
    const auto known = [&](size_t c) { return v[c].kind != Kind::None; };
    size_t first = 0;
    while (first < 3 && !known(first)) first++;
    std::string swizzle;
    for (size_t c = 0; c < 4; c++) swizzle += kLetters[known(c) ? c : first];
    return name(shader, reg) + (swizzle == "xyzw" ? "" : "." + swizzle);
}

void end_geometry(Shader& shader, const std::vector<int>& results) {
    for (const int stream : {0, 1}) {
        if (stream == 1 && !shader.two_streams) break;
        size_t next = 0;
        for (const int i : shader.outputs_of_stream[static_cast<size_t>(stream)]) {
            if (next < results.size())
                emit(shader, fmt::format("MOV OUT[{}], {}", i, whole(shader, results[next++])));
            else
                fill(shader, fmt::format("OUT[{}]", i));
        }
        emit(shader, fmt::format("EMIT {}", imm_int(shader, static_cast<uint32_t>(stream))));
    }
}

void end_control(Shader& shader, const std::vector<int>& results) {
    for (int i = 0; i < 3; i++) {
        const std::string to = fmt::format("OUT[ADDR[1].x][{}]", i);
        if (static_cast<size_t>(i) < results.size())
            emit(shader, fmt::format("MOV {}, {}", to, whole(shader, results[static_cast<size_t>(i)])));
        else
            fill(shader, to);
    }
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    emit(shader, fmt::format("USEQ {}.x, SV[0].xxxx, {}", name(shader, reg), imm_int(shader, 0)));
    emit(shader, fmt::format("UIF {}.xxxx", name(shader, reg)));
    for (int i = 4; i < 7; i++) fill(shader, fmt::format("OUT[{}]", i));
    emit(shader, "ENDIF");
}

}  // namespace tgsi2spv::difftest::generate
