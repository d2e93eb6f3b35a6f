// GEOM and TESS_*: inputs with several vertices, emitted vertices, outputs that a patch shares.
#include <fmt/format.h>

#include <algorithm>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Stage;

constexpr char kLetters[] = "xyzw";
constexpr int kVertexInputs = 2;

void vertex_inputs(Shader& s, int vertices) {
    s.vertices = vertices;
    for (int i = 0; i < kVertexInputs; i++) s.declarations.push_back(fmt::format("DCL IN[][{}], GENERIC[{}]", i, i));
    for (int v = 0; v < std::min(vertices, 3); v++)
        for (int i = 0; i < kVertexInputs; i++) {
            const std::string file = fmt::format("IN[{}]", v);
            Values values{};
            for (int c = 0; c < 4; c++) {
                // All vertices of an input are used in the same way.
                if ((c + i) % 2 == 0)
                    values[static_cast<size_t>(c)] = any_int();
                else
                    s.raw_floats.push_back(fmt::format("{}[{}].{}", file, i, std::string(4, kLetters[c])));
            }
            add_register(s, file, i, false, values);
        }
}

/// Writes every component of an output.
void fill(Shader& s, const std::string& output) {
    const bool floats = s.chance(2);
    const auto from = floats ? source(s, {Kind::Float, -kMaxFloat, kMaxFloat, 6, false, false}, 15)
                             : source(s, {Kind::Int, kMinInt, kMaxUint, 1, false, false}, 15);
    emit(s, fmt::format("MOV {}, {}", output, from.text));
}

void begin_geometry(Shader& s) {
    struct Primitive {
        const char* name;
        int vertices;
    };
    constexpr Primitive kInputs[] = {
        {"POINTS", 1}, {"LINES", 2}, {"TRIANGLES", 3}, {"LINES_ADJACENCY", 4}, {"TRIANGLES_ADJACENCY", 6}};
    constexpr const char* kOutputs[] = {"POINTS", "LINE_STRIP", "TRIANGLE_STRIP"};
    const auto& input = kInputs[s.random.below(5)];
    const auto output = s.random.below(3);
    s.properties.push_back(fmt::format("PROPERTY GS_INPUT_PRIMITIVE {}", input.name));
    s.properties.push_back(fmt::format("PROPERTY GS_OUTPUT_PRIMITIVE {}", kOutputs[output]));
    s.properties.push_back(fmt::format("PROPERTY GS_MAX_OUTPUT_VERTICES {}", 4 + s.random.below(6)));
    const auto invocations = 1 + static_cast<int>(s.random.below(3));
    if (invocations > 1 || s.chance(2)) s.properties.push_back(fmt::format("PROPERTY GS_INVOCATIONS {}", invocations));
    vertex_inputs(s, input.vertices);
    s.declarations.emplace_back("DCL SV[0], INVOCATIONID");
    s.declarations.emplace_back("DCL SV[1], PRIM_ID");
    add_register(s, "SV", 0, false, {int_of(0, invocations - 1), {}, {}, {}});
    add_register(s, "SV", 1, false, {int_of(0, 63), {}, {}, {}});
    s.two_streams = output == 0 && s.chance(2);
    // A register without a stream belongs to all vertices, but nothing reads it in those of the second stream.
    s.declarations.emplace_back(s.two_streams ? "DCL OUT[0], POSITION, STREAM(0, 0, 0, 0)" : "DCL OUT[0], POSITION");
    s.outputs_of_stream[0].push_back(0);
    for (int i = 1; i < 6; i++) {
        const bool second = s.two_streams && i >= 4;
        const char* const stream = second ? ", STREAM(1, 1, 1, 1)" : s.two_streams ? ", STREAM(0, 0, 0, 0)" : "";
        s.declarations.push_back(fmt::format("DCL OUT[{}], GENERIC[{}]{}", i, i, stream));
        s.outputs_of_stream[second ? 1 : 0].push_back(i);
    }
}

void begin_control(Shader& s) {
    // A few vertices, or more than any subgroup has, so that a missing barrier shows.
    constexpr int kMany[] = {9, 16, 32};
    const bool many = s.chance(s.featured == tgsi::Opcode::BARRIER ? 2 : 6);
    const int vertices = many ? kMany[s.random.below(3)] : 1 + static_cast<int>(s.random.below(4));
    s.properties.push_back(fmt::format("PROPERTY TCS_VERTICES_OUT {}", vertices));
    vertex_inputs(s, 3);
    s.declarations.emplace_back("DCL SV[0], INVOCATIONID");
    add_register(s, "SV", 0, false, {int_of(0, vertices - 1), {}, {}, {}});
    for (int i = 0; i < 4; i++) s.declarations.push_back(fmt::format("DCL OUT[][{}], GENERIC[{}]", i, i));
    s.declarations.emplace_back("DCL OUT[4], TESSOUTER");
    s.declarations.emplace_back("DCL OUT[5], TESSINNER");
    s.declarations.emplace_back("DCL OUT[6], PATCH[0]");
    s.declarations.emplace_back("DCL ADDR[1]");
    emit(s, "UARL ADDR[1].x, SV[0].xxxx");
    s.patch_vertices = vertices;
}

void begin_evaluation(Shader& s) {
    constexpr const char* kDomains[] = {"LINES", "TRIANGLES", "QUADS"};
    const auto domain = s.random.below(3);
    s.properties.push_back(fmt::format("PROPERTY TES_PRIM_MODE {}", kDomains[domain]));
    s.properties.push_back(fmt::format("PROPERTY TES_SPACING {}", s.random.below(3)));
    vertex_inputs(s, 3);
    s.declarations.emplace_back("DCL IN[2], PATCH[0]");
    add_register(s, "IN", 2, false, {any_int(), any_int(), any_int(), any_int()});
    s.declarations.emplace_back("DCL SV[0], TESSCOORD");
    add_register(s, "SV", 0, false, {float_of(0, 1), float_of(0, 1), float_of(0, domain == 1 ? 1 : 0), {}});
}

/// Emits a vertex. Outputs that no path has written are undefined, so all outputs of the stream are written first.
void emit_vertex(Shader& s, int stream) {
    for (const int i : s.outputs_of_stream[static_cast<size_t>(stream)])
        if (!s.emitted_before || !s.chance(3)) fill(s, fmt::format("OUT[{}]", i));
    emit(s, fmt::format("EMIT {}", imm_int(s, static_cast<uint32_t>(stream))));
}

}  // namespace

bool is_primitive_stage(const Shader& s) {
    return s.stage == Stage::Geometry || s.stage == Stage::TessControl || s.stage == Stage::TessEval;
}

void begin_primitives(Shader& s) {
    switch (s.stage) {
        case Stage::Geometry:
            return begin_geometry(s);
        case Stage::TessControl:
            return begin_control(s);
        default:
            return begin_evaluation(s);
    }
}

bool primitive_instruction(Shader& s, tgsi::Opcode op) {
    if (s.stage == Stage::Geometry && op == tgsi::Opcode::EMIT) {
        emit_vertex(s, s.two_streams && s.chance(2) ? 1 : 0);
        return true;
    }
    if (s.stage == Stage::Geometry && op == tgsi::Opcode::ENDPRIM) {
        // Between two vertices, since otherwise nothing shows whether a primitive ended. At least one vertex follows at
        // the end of main.
        const int stream = s.two_streams && s.chance(2) ? 1 : 0;
        if (!s.chance(8)) emit_vertex(s, stream);
        emit(s, fmt::format("ENDPRIM {}", imm_int(s, static_cast<uint32_t>(stream))));
        if (s.chance(2)) emit_vertex(s, stream);
        return true;
    }
    if (s.stage != Stage::TessControl || op != tgsi::Opcode::BARRIER || !s.uniform || s.depth > 0 || s.turns > 1 ||
        s.exchanged)
        return false;
    // Each invocation writes its entry once; the others read it after the barrier.
    s.exchanged = true;
    fill(s, "OUT[ADDR[1].x][3]");
    emit(s, "BARRIER");
    const int reg = fresh_temp(s);
    emit(s, fmt::format("MOV {}, OUT[{}][3]", name(s, reg), s.random.below(static_cast<uint64_t>(s.patch_vertices))));
    Values v;
    v.fill(any_int());
    for (auto& c : v) c.fuzz = 1;
    written(s, {reg, 15}, v);
    return true;
}

std::string whole(const Shader& s, int reg) {
    const auto& v = s.state[static_cast<size_t>(reg)];
    const auto known = [&](size_t c) { return v[c].kind != Kind::None; };
    size_t first = 0;
    while (first < 3 && !known(first)) first++;
    std::string swizzle;
    for (size_t c = 0; c < 4; c++) swizzle += kLetters[known(c) ? c : first];
    return name(s, reg) + (swizzle == "xyzw" ? "" : "." + swizzle);
}

void end_geometry(Shader& s, const std::vector<int>& results) {
    for (const int stream : {0, 1}) {
        if (stream == 1 && !s.two_streams) break;
        size_t next = 0;
        for (const int i : s.outputs_of_stream[static_cast<size_t>(stream)]) {
            if (next < results.size())
                emit(s, fmt::format("MOV OUT[{}], {}", i, whole(s, results[next++])));
            else
                fill(s, fmt::format("OUT[{}]", i));
        }
        emit(s, fmt::format("EMIT {}", imm_int(s, static_cast<uint32_t>(stream))));
    }
}

void end_control(Shader& s, const std::vector<int>& results) {
    for (int i = 0; i < 3; i++) {
        const std::string to = fmt::format("OUT[ADDR[1].x][{}]", i);
        if (static_cast<size_t>(i) < results.size())
            emit(s, fmt::format("MOV {}, {}", to, whole(s, results[static_cast<size_t>(i)])));
        else
            fill(s, to);
    }
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    emit(s, fmt::format("USEQ {}.x, SV[0].xxxx, {}", name(s, reg), imm_int(s, 0)));
    emit(s, fmt::format("UIF {}.xxxx", name(s, reg)));
    for (int i = 4; i < 7; i++) fill(s, fmt::format("OUT[{}]", i));
    emit(s, "ENDIF");
}

}  // namespace tgsi2spv::difftest::generate
