// Features: primitives, calls that draw them, and vertices.
#include <algorithm>
#include <cstring>

#include "features.h"

namespace scenes {

namespace {

GLsizei count_of(const Draw& draw) {
    return static_cast<GLsizei>(draw.vertices.size());
}

void upload(GLenum point, const void* data, size_t size) {
    glBufferData(point, static_cast<GLsizeiptr>(size), data, GL_STREAM_DRAW);
}

const void* offset(size_t bytes) {
    return reinterpret_cast<const void*>(bytes);
}  // NOLINT(performance-no-int-to-ptr)

/// Indices of 8, 16 or 32 bits, from an offset.
GLenum upload_indices(const std::vector<uint32_t>& indices, int size, size_t at) {
    std::vector<std::byte> bytes(at + indices.size() * static_cast<size_t>(size), std::byte{0xFF});
    for (size_t i = 0; i < indices.size(); i++)  // little endian
        std::memcpy(&bytes[at + i * static_cast<size_t>(size)], &indices[i], static_cast<size_t>(size));
    upload(GL_ELEMENT_ARRAY_BUFFER, bytes.data(), bytes.size());
    return size == 1 ? GL_UNSIGNED_BYTE : size == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT;
}

/// The vertices in order: a primitive's first vertex, and its place among the others, stay the same.
std::vector<uint32_t> in_order(const Draw& draw, uint32_t from = 0) {
    std::vector<uint32_t> indices(draw.vertices.size());
    for (size_t i = 0; i < indices.size(); i++) indices[i] = static_cast<uint32_t>(i) + from;
    return indices;
}

/// The vertices of a primitive of a list, or 0.
int vertices_of_primitive(const Scene& scene) {
    switch (scene.mode) {
        case GL_POINTS:
            return 1;
        case GL_LINES:
        case GL_PATCHES:
            return 2;
        case GL_TRIANGLES:
            return scene.whole_pixels ? 6 : 3;
        case GL_LINES_ADJACENCY:
        case GL_QUADS:
            return 4;
        case GL_TRIANGLES_ADJACENCY:
            return 6;
        default:
            return 0;
    }
}

/// Primitives again, in another order.
std::vector<uint32_t> shuffled(const Scene& scene, const Draw& draw, Random& random) {
    const int size = vertices_of_primitive(scene);
    if (size == 0) return in_order(draw);
    std::vector<uint32_t> indices;
    const int primitives = static_cast<int>(draw.vertices.size()) / size;
    for (int n = 0; n < primitives + 2; n++) {
        const int first = random.below(primitives) * size;
        for (int i = 0; i < size; i++) indices.push_back(static_cast<uint32_t>(first + i));
    }
    return indices;
}

}  // namespace

void add_points(Scene& scene) {
    scene.mode = GL_POINTS;
    Random random = scene.random("points");
    static constexpr int kSizes[] = {1, 1, 3, 5};
    const int size = random.of(kSizes);
    const bool by_shader = random.one_in(2);
    if (by_shader) scene.texts.vert_end += "    gl_PointSize = " + std::to_string(size) + ".0;\n";
    scene.before_draw.emplace_back([size, by_shader](size_t) {
        glPointSize(static_cast<float>(size));
        if (by_shader) glEnable(GL_PROGRAM_POINT_SIZE);
        glEnable(GL_POINT_SPRITE);
    });
    if (random.one_in(2))  // the centre of a pixel is half a unit away from the next number
        scene.texts.frag_body += "    c.xy += uvec2(floor(gl_PointCoord * " + std::to_string(size) + ".0)) * 7u;\n";
}

void add_lines(Scene& scene) {
    static constexpr GLenum kModes[] = {GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP};
    scene.mode = scene.random("lines").of(kModes);
}

void add_triangle_strips(Scene& scene) {
    static constexpr GLenum kModes[] = {GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
    scene.mode = scene.random("triangle_strips").of(kModes);
}

void add_quads(Scene& scene) {
    static constexpr GLenum kModes[] = {GL_QUADS, GL_QUAD_STRIP, GL_POLYGON};
    scene.mode = scene.random("quads").of(kModes);
}

void add_adjacency(Scene& scene) {
    static constexpr GLenum kModes[] = {GL_LINES_ADJACENCY, GL_LINE_STRIP_ADJACENCY, GL_TRIANGLES_ADJACENCY};
    scene.mode = scene.random("adjacency").of(kModes);
    scene.texts.geom |= scene.random("adjacency", 1).one_in(2);
}

void add_tessellation(Scene& scene) {
    Random random = scene.random("tessellation");
    scene.mode = GL_PATCHES;
    const std::string inner = std::to_string(1 << random.below(3)), outer = std::to_string(1 << random.below(3));
    static constexpr const char* kDirections[] = {"cw", "ccw"};
    scene.texts.control = R"(layout(vertices = 2) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    o[gl_InvocationID].where = i[gl_InvocationID].where;
    o[gl_InvocationID].value = i[gl_InvocationID].value;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = )" +
                          inner + R"(.0;
    for (int n = 0; n < 4; n++) gl_TessLevelOuter[n] = )" +
                          outer + R"(.0;
}
)";
    scene.texts.evaluation = "layout(quads, equal_spacing, " + std::string(random.of(kDirections)) + R"() in;
uniform vec2 grid;
void main() {
    vec4 low = gl_in[0].gl_Position, high = gl_in[1].gl_Position;
    gl_Position = vec4(mix(low.xy, high.xy, gl_TessCoord.xy), low.zw);
    vec2 p = (gl_Position.xy / low.w + 1.0) / grid;
    o.where = vec2(p.x + p.y + 0.5, p.x - p.y + 64.5);
    o.value = i[0].value;
}
)";
    scene.before_draw.emplace_back([](size_t) { glPatchParameteri(GL_PATCH_VERTICES, 2); });
}

void add_indices(Scene& scene) {
    scene.call = [&scene](size_t n) {
        const Draw& draw = scene.draws[n];
        Random random = scene.random("indices", n + 1);
        const int size = 1 << random.below(3);
        const size_t at = static_cast<size_t>(random.below(3) * 4);
        const std::vector<uint32_t> indices = shuffled(scene, draw, random);
        const GLenum type = upload_indices(indices, size, at);
        glDrawElements(scene.mode, static_cast<GLsizei>(indices.size()), type, offset(at));
    };
}

void add_restart(Scene& scene) {
    scene.call = [&scene](size_t n) {
        const Draw& draw = scene.draws[n];
        Random random = scene.random("restart", n + 1);
        const int size = 1 << random.below(3);
        const uint32_t most = size == 1 ? 0xFF : size == 2 ? 0xFFFF : 0xFFFFFFFF;
        const bool fixed = random.one_in(2);
        const uint32_t restart = fixed ? most : static_cast<uint32_t>(draw.vertices.size()) + 3;
        std::vector<uint32_t> indices = in_order(draw);
        indices.push_back(restart);
        const std::vector<uint32_t> again = shuffled(scene, draw, random);
        if (const int part = vertices_of_primitive(scene); part > 1) {  // begins a primitive, and does not end it
            indices.insert(indices.end(), again.begin(),
                           again.begin() + random.between(1, scene.whole_pixels ? 2 : part - 1));
            indices.push_back(restart);
        }
        indices.insert(indices.end(), again.begin(), again.end());
        if (scene.mode == GL_TRIANGLE_STRIP || scene.mode == GL_LINE_STRIP)
            indices.insert(indices.begin() + random.below(static_cast<int>(indices.size())), restart);
        const GLenum type = upload_indices(indices, size, 0);
        const GLenum name = fixed ? GL_PRIMITIVE_RESTART_FIXED_INDEX : GL_PRIMITIVE_RESTART;
        glEnable(name);
        if (!fixed) glPrimitiveRestartIndex(restart);
        glDrawElements(scene.mode, static_cast<GLsizei>(indices.size()), type, nullptr);
        glDisable(name);
    };
}

void add_base_vertex(Scene& scene) {
    scene.call = [&scene](size_t n) {
        const Draw& draw = scene.draws[n];
        Random random = scene.random("base_vertex", n + 1);
        const int base = -random.between(1, 100);
        const GLenum type = upload_indices(in_order(draw, static_cast<uint32_t>(-base)), random.one_in(2) ? 2 : 4, 0);
        if (random.one_in(2))
            glDrawElementsBaseVertex(scene.mode, count_of(draw), type, nullptr, base);
        else
            glDrawRangeElementsBaseVertex(scene.mode, static_cast<GLuint>(-base),
                                          static_cast<GLuint>(count_of(draw) - base), count_of(draw), type, nullptr,
                                          base);
    };
}

/// Some primitives of a list twice, and an empty draw between them.
void add_multi_draw(Scene& scene) {
    scene.call = [&scene](size_t n) {
        const Draw& draw = scene.draws[n];
        Random random = scene.random("multi_draw", n + 1);
        const int size = vertices_of_primitive(scene), all = count_of(draw);
        const int cut = size == 0 ? all : random.between(0, all / size) * size,
                  back = size == 0 ? cut : cut / 2 / size * size;
        const std::array<GLint, 3> firsts{0, 1, back};
        const std::array<GLsizei, 3> counts{cut, 0, all - back};
        const uint32_t base = static_cast<uint32_t>(random.below(9));
        if (random.one_in(2)) {
            glMultiDrawArrays(scene.mode, firsts.data(), counts.data(), 3);
            return;
        }
        const GLenum type = upload_indices(in_order(draw, base), 2, 0);
        const std::array<const void*, 3> offsets{offset(0), offset(2), offset(static_cast<size_t>(back) * 2)};
        const std::array<GLint, 3> bases{-static_cast<GLint>(base), 3, -static_cast<GLint>(base)};
        glMultiDrawElementsBaseVertex(scene.mode, counts.data(), type, offsets.data(), 3, bases.data());
    };
}

void add_instances(Scene& scene) {
    scene.texts.vert_body += "    v += shift * 3u;\n    p.xy += vec2(shift.xy & 3u);\n";
    scene.texts.reads_value = true;
    scene.call = [&scene](size_t n) {
        const Draw& draw = scene.draws[n];
        Random random = scene.random("instances", n + 1);
        GLuint buffer = 0;
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        std::array<uint8_t, 64> shifts;
        for (uint8_t& byte : shifts) byte = static_cast<uint8_t>(random.below(256));
        upload(GL_ARRAY_BUFFER, shifts.data(), shifts.size());
        glVertexAttribIPointer(2, 4, GL_UNSIGNED_BYTE, 4, nullptr);
        glVertexAttribDivisor(2, static_cast<GLuint>(random.between(1, 3)));
        glEnableVertexAttribArray(2);
        const int instances = random.between(1, 5);
        const GLuint base = static_cast<GLuint>(random.below(4));
        if (random.one_in(2)) {
            const GLenum type = upload_indices(in_order(draw), 2, 0);
            glDrawElementsInstancedBaseInstance(scene.mode, count_of(draw), type, nullptr, instances, base);
        } else {
            glDrawArraysInstancedBaseInstance(scene.mode, 0, count_of(draw), instances, base);
        }
    };
}

void add_indirect(Scene& scene) {
    scene.call = [&scene](size_t n) {
        const Draw& draw = scene.draws[n];
        Random random = scene.random("indirect", n + 1);
        const bool indexed = random.one_in(2);
        const auto count = static_cast<uint32_t>(draw.vertices.size());
        std::vector<uint32_t> words{0xFFFFFFFF};
        const uint32_t from = static_cast<uint32_t>(random.below(20));
        const int draws = random.between(1, 3);
        for (int i = 0; i < draws; i++) {
            const uint32_t instances = i == 0 ? 1 : static_cast<uint32_t>(random.below(2));
            if (indexed)
                words.insert(words.end(), {count, instances, 0, 0U - from, 0});
            else
                words.insert(words.end(), {count, instances, 0, 0});
        }
        GLuint buffer = 0;
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_DRAW_INDIRECT_BUFFER, buffer);
        upload(GL_DRAW_INDIRECT_BUFFER, words.data(), words.size() * 4);
        const GLenum type = upload_indices(in_order(draw, from), 2, 0);
        if (indexed && draws == 1)
            glDrawElementsIndirect(scene.mode, type, offset(4));
        else if (indexed)
            glMultiDrawElementsIndirect(scene.mode, type, offset(4), draws, 20);
        else if (draws == 1)
            glDrawArraysIndirect(scene.mode, offset(4));
        else
            glMultiDrawArraysIndirect(scene.mode, offset(4), draws, 16);
    };
}

namespace {

struct VertexType {
    GLenum type;
    int bytes;  ///< of a component, or of all
    bool packed;
    float one;  ///< what 1.0 stands for if it is normalised; else 0
};
constexpr VertexType kVertexTypes[] = {
    {GL_UNSIGNED_BYTE, 1, false, 255},
    {GL_BYTE, 1, false, 127},
    {GL_UNSIGNED_SHORT, 2, false, 65535},
    {GL_SHORT, 2, false, 32767},
    {GL_UNSIGNED_BYTE, 1, false, 0},
    {GL_BYTE, 1, false, 0},
    {GL_UNSIGNED_SHORT, 2, false, 0},
    {GL_SHORT, 2, false, 0},
    {GL_UNSIGNED_INT_2_10_10_10_REV, 4, true, 1023},
    {GL_INT_2_10_10_10_REV, 4, true, 511},
    {GL_UNSIGNED_INT_2_10_10_10_REV, 4, true, 0},
    {GL_INT_2_10_10_10_REV, 4, true, 0},
    {GL_FIXED, 4, false, 0},
    {GL_FLOAT, 4, false, 0},
    {GL_DOUBLE, 8, false, 0},
};

void fetch_type(const VertexType& type, size_t vertices, Random random) {
    const int components = type.packed ? 4 : random.between(1, 4);
    const size_t size = static_cast<size_t>(type.packed ? 4 : type.bytes * components);
    const size_t step = static_cast<size_t>(type.bytes);
    const size_t at = static_cast<size_t>(random.below(3)) * step,
                 stride = size + static_cast<size_t>(random.below(3)) * step;
    std::vector<std::byte> data(at + stride * vertices + 16);
    for (size_t i = 0; i < vertices; i++)
        for (size_t k = 0; k < size / step; k++) {
            const uint32_t word = random.next();
            const auto number = static_cast<float>(word >> 24);
            const auto wide = static_cast<double>(number);
            const uint32_t fixed = word >> 24 << 16;
            const void* const from = type.type == GL_FLOAT    ? static_cast<const void*>(&number)
                                     : type.type == GL_DOUBLE ? static_cast<const void*>(&wide)
                                     : type.type == GL_FIXED  ? static_cast<const void*>(&fixed)
                                                              : &word;
            std::memcpy(&data[at + stride * i + step * k], from, step);
        }
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    upload(GL_ARRAY_BUFFER, data.data(), data.size());
    glVertexAttribPointer(3, components, type.type, type.one > 0, static_cast<GLsizei>(stride), offset(at));
    glEnableVertexAttribArray(3);
}

}  // namespace

/// Numbers of each type, with offsets and strides; what VERT gets is rounded to whole numbers.
void add_vertex_formats(Scene& scene) {
    scene.texts.reads_value = true;
    scene.texts.vert_head += "layout(location = 3) in vec4 number;\nuniform float one;\n";
    scene.texts.vert_body += "    v += uvec4(ivec4(round(number * one)));\n";
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("vertex_formats", n);
        const VertexType& type = random.of(kVertexTypes);
        fetch_type(type, scene.draws[n].vertices.size(), random);
        glUniform1f(scene.uniform("one"), type.one > 0 ? type.one : 1);
    });
}

/// Whole numbers of each type, signed or not.
void add_integer_vertices(Scene& scene) {
    const bool is_signed = scene.random("integer_vertices").one_in(2);
    scene.texts.reads_value = true;
    scene.texts.vert_head += std::string("layout(location = 4) in ") + (is_signed ? "ivec4" : "uvec4") + " whole;\n";
    scene.texts.vert_body += "    v += uvec4(whole);\n";
    scene.before_draw.emplace_back([&scene, is_signed](size_t n) {
        Random random = scene.random("integer_vertices", n + 1);
        const int size = 1 << random.below(3), components = random.between(1, 4);
        const GLenum types[] = {GL_BYTE, GL_SHORT, 0, GL_INT};
        const int stride = size * (components + random.below(3)), at = size * random.below(3);
        std::vector<uint32_t> words(scene.draws[n].vertices.size() * static_cast<size_t>(stride) / 4 + 8);
        for (uint32_t& word : words) word = random.next();
        GLuint buffer = 0;
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        upload(GL_ARRAY_BUFFER, words.data(), words.size() * 4);
        glVertexAttribIPointer(4, components, types[size - 1] + (is_signed ? 0 : 1), stride,
                               offset(static_cast<size_t>(at)));
        glEnableVertexAttribArray(4);
    });
}

/// Attributes without an array: the same for each vertex.
void add_constant_attribute(Scene& scene) {
    scene.texts.reads_value = true;
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("constant_attribute", n);
        if (random.one_in(3)) {
            glEnableVertexAttribArray(1);
            return;
        }
        glDisableVertexAttribArray(1);
        const std::array<uint32_t, 4> words{random.next(), random.next(), random.next(), random.next()};
        glVertexAttribI4uiv(1, words.data());
    });
}

}  // namespace scenes
