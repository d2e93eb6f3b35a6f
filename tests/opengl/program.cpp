// Composes the program of a scene from its pieces.
#include <cstdio>

#include "scene.h"

namespace scenes {

namespace {

bool add_stage(GLuint program, GLenum stage, const std::string& text) {
    const GLuint shader = glCreateShader(stage);
    const char* const part = text.c_str();
    glShaderSource(shader, 1, &part, nullptr);
    glCompileShader(shader);
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        std::array<char, 2000> log{};
        glGetShaderInfoLog(shader, log.size(), nullptr, log.data());
        std::fprintf(stderr, "%s\n%s\n", text.c_str(), log.data());
    }
    glAttachShader(program, shader);
    glDeleteShader(shader);
    return good != 0;
}

GLuint checked(GLuint program, bool good) {
    GLint linked = 0;
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (good && linked) return program;
    std::array<char, 2000> log{};
    glGetProgramInfoLog(program, log.size(), nullptr, log.data());
    std::fprintf(stderr, "not linked: %s\n", log.data());
    glDeleteProgram(program);
    return 0;
}

// What a version of 3.3 lacks; devices that offer no more draw most scenes. Features name the extensions that they
// need.
constexpr const char* kHead = R"(#version 330 compatibility
#extension GL_ARB_gpu_shader5 : enable
#extension GL_ARB_tessellation_shader : enable
#extension GL_ARB_shading_language_420pack : enable
#extension GL_ARB_shader_image_load_store : enable
#extension GL_ARB_shader_storage_buffer_object : enable
#extension GL_ARB_shader_atomic_counters : enable
#extension GL_ARB_compute_shader : enable
#extension GL_ARB_viewport_array : enable
#extension GL_ARB_fragment_layer_viewport : enable
#extension GL_ARB_texture_cube_map_array : enable
#extension GL_ARB_texture_gather : enable
#extension GL_ARB_texture_query_levels : enable
#extension GL_ARB_cull_distance : enable
)";

std::string block(const Scene& scene, const char* direction, const char* name, const char* instance) {
    return std::string(direction) + " " + name + " {\n    " + scene.texts.where +
           " vec2 where;\n    flat uvec4 value;\n} " + instance + ";\n";
}

std::string vert(const Scene& scene) {
    const Texts& texts = scene.texts;
    return kHead + std::string(R"(layout(location = 0) in vec4 place;
layout(location = 1) in uvec4 value;
layout(location = 2) in uvec4 shift;
uniform vec2 grid;
vec4 clip(vec4 p) { return vec4(p.xy * grid - 1.0, p.z * 2.0 - 1.0, 1.0) * p.w; }
)") + block(scene, "out", "FromVert", "o") +
           texts.vert_head + "void main() {\n    vec4 p = place;\n    uvec4 v = value;\n" + texts.vert_body +
           "    gl_Position = clip(p);\n    o.where = vec2(p.x + p.y + 0.5, p.x - p.y + 64.5);\n    o.value = v;\n" +
           texts.vert_end + "}\n";
}

const char* geom_input(GLenum mode) {
    switch (mode) {
        case GL_POINTS:
            return "points";
        case GL_LINES:
        case GL_LINE_STRIP:
        case GL_LINE_LOOP:
            return "lines";
        case GL_LINES_ADJACENCY:
        case GL_LINE_STRIP_ADJACENCY:
            return "lines_adjacency";
        case GL_TRIANGLES_ADJACENCY:
        case GL_TRIANGLE_STRIP_ADJACENCY:
            return "triangles_adjacency";
        default:
            return "triangles";
    }
}

/// The vertices of a GEOM's input that belong to the primitive itself.
struct Corners {
    int first, step, count;
};
Corners corners(GLenum mode) {
    const std::string_view input = geom_input(mode);
    if (input == "points") return {0, 1, 1};
    if (input == "lines") return {0, 1, 2};
    if (input == "lines_adjacency") return {1, 1, 2};
    if (input == "triangles_adjacency") return {0, 2, 3};
    return {0, 1, 3};
}

std::string geom(const Scene& scene) {
    const Corners used = corners(scene.mode);
    const char* const out = used.count == 1 ? "points" : used.count == 2 ? "line_strip" : "triangle_strip";
    const std::string from = scene.texts.evaluation.empty() ? "FromVert" : "FromTess";
    const std::string copies = std::to_string(scene.texts.geom_copies);
    return kHead + std::string("layout(") + geom_input(scene.mode) + ") in;\nlayout(" + out +
           ", max_vertices = " + std::to_string(used.count * scene.texts.geom_copies) + ") out;\n" +
           block(scene, "in", from.c_str(), "i[]") + block(scene, "out", "FromGeom", "o") + scene.texts.geom_head +
           "void main() {\n    for (int copy = 0; copy < " + copies +
           "; copy++) {\n        for (int corner = " + std::to_string(used.first) + ", n = 0; n < " +
           std::to_string(used.count) + "; n++, corner += " + std::to_string(used.step) + R"() {
            gl_Position = gl_in[corner].gl_Position;
            gl_PointSize = gl_in[corner].gl_PointSize;
            gl_PrimitiveID = gl_PrimitiveIDIn;
            o.where = i[corner].where;
            o.value = i[corner].value;
)" + scene.texts.geom_body +
           "            EmitVertex();\n        }\n        EndPrimitive();\n    }\n}\n";
}

std::string output(const Scene& scene, size_t n) {
    static constexpr const char* kTypes[] = {"vec4", "vec4", "ivec4", "uvec4"};
    const std::string k = std::to_string(n);
    const bool pair = scene.texts.second_source;
    std::string text = "layout(location = " + k + (pair ? ", index = 0" : "") + ") out " +
                       kTypes[static_cast<size_t>(scene.targets[n].kind)] + " out" + k + ";\n";
    if (pair) text += "layout(location = 0, index = 1) out vec4 second;\n";
    return text;
}

/// What FRAG writes to a target: whole numbers that the format has, or their fractions.
std::string written(const Scene& scene, size_t n) {
    const std::string k = std::to_string(n), masked = "((c + " + k + "u) & most[" + k + "])";
    const std::string out = "    out" + k + " = ";
    switch (scene.targets[n].kind) {
        case Kind::Norm:
            return out + "vec4" + masked + " / vec4(most[" + k + "] | uvec4(equal(most[" + k + "], uvec4(0))));\n";
        case Kind::Float:
            return out + "vec4" + masked + " * 0.25;\n";
        case Kind::Signed:
            return out + "ivec4" + masked + " - ivec4(most[" + k + "] >> 1);\n";
        case Kind::Unsigned:
            return out + masked + ";\n";
    }
    return {};
}

/// Samples are at places that each driver chooses, and so is the place in a pixel whose value FRAG gets: only the pixel
/// is certain, and that the value is near. Features move primitives by some pixels.
std::string found_place(const Scene& scene) {
    if (scene.samples == 1) return "    ivec2 at = ivec2(floor(i.where));\n";
    return R"(    ivec2 pixel = ivec2(floor(gl_FragCoord.xy));
    ivec2 at = ivec2(pixel.x + pixel.y + 1, pixel.x - pixel.y + 64);
    if (any(greaterThan(abs(i.where - vec2(at)), vec2(16.0)))) at += 100;
)";
}

std::string frag(const Scene& scene) {
    const Texts& texts = scene.texts;
    const char* const from = texts.geom ? "FromGeom" : texts.evaluation.empty() ? "FromVert" : "FromTess";
    std::string text = kHead + texts.frag_head + block(scene, "in", from, "i") +
                       "uniform uvec4 tone;\nuniform uvec4 most[" + std::to_string(kMostTargets) + "];\n";
    for (size_t n = 0; n < scene.targets.size(); n++) text += output(scene, n);
    text += "void main() {\n" + found_place(scene) + "    uvec4 c = tone + uvec4(at, at.y * 3, at.x * 5);\n";
    if (texts.reads_value) text += "    c = c * 5u + i.value;\n";
    text += texts.frag_body;
    for (size_t n = 0; n < scene.targets.size(); n++) text += written(scene, n);
    return text + texts.frag_end + "}\n";
}

}  // namespace

GLenum rasterized(const Scene& scene) {
    const int count = corners(scene.mode).count;
    return count == 1 ? GL_POINTS : count == 2 ? GL_LINES : GL_TRIANGLES;
}

GLuint link_stages(const Scene& scene) {
    const GLuint program = glCreateProgram();
    bool good = add_stage(program, GL_VERTEX_SHADER, vert(scene));
    const Texts& texts = scene.texts;
    if (!texts.evaluation.empty()) {
        good &= add_stage(
            program, GL_TESS_CONTROL_SHADER,
            kHead + block(scene, "in", "FromVert", "i[]") + block(scene, "out", "FromControl", "o[]") + texts.control);
        good &= add_stage(
            program, GL_TESS_EVALUATION_SHADER,
            kHead + block(scene, "in", "FromControl", "i[]") + block(scene, "out", "FromTess", "o") + texts.evaluation);
    }
    if (texts.geom) good &= add_stage(program, GL_GEOMETRY_SHADER, geom(scene));
    good &= add_stage(program, GL_FRAGMENT_SHADER, frag(scene));
    if (!scene.captured.empty()) {
        std::vector<const char*> names;
        for (const std::string& name : scene.captured) names.push_back(name.c_str());
        glTransformFeedbackVaryings(program, static_cast<GLsizei>(names.size()), names.data(), GL_INTERLEAVED_ATTRIBS);
    }
    return checked(program, good);
}

GLuint program_of(const std::vector<std::pair<GLenum, const char*>>& stages, std::vector<const char*> captured) {
    const GLuint program = glCreateProgram();
    bool good = true;
    for (const auto& [stage, text] : stages) good &= add_stage(program, stage, std::string(kHead) + text);
    if (!captured.empty())
        glTransformFeedbackVaryings(program, static_cast<GLsizei>(captured.size()), captured.data(),
                                    GL_INTERLEAVED_ATTRIBS);
    return checked(program, good);
}

GLuint compute_program(const std::string& text) {
    const GLuint program = glCreateProgram();
    return checked(program, add_stage(program, GL_COMPUTE_SHADER, kHead + text));
}

}  // namespace scenes
