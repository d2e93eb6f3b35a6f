// Features: stages before the rasterizer, and what they hand on.
#include <algorithm>

#include "features.h"

namespace scenes {

void add_flat(Scene& scene) {
    scene.texts.reads_value = true;
}

void add_first_vertex(Scene& scene) {
    scene.texts.reads_value = true;
    scene.before_draw.emplace_back([&scene](size_t n) {
        glProvokingVertex(scene.random("first_vertex", n).one_in(3) ? GL_LAST_VERTEX_CONVENTION
                                                                    : GL_FIRST_VERTEX_CONVENTION);
    });
}

/// A w for each primitive: dividing by it is exact. Shape knows of it.
void add_constant_w(Scene& scene) {
    if (scene.random("constant_w").one_in(2) && scene.samples == 1) scene.texts.where = "noperspective";
}

/// The picture upside down, and depths of 0 to 1 in the place of -1 to 1.
void add_clip_control(Scene& scene) {
    scene.texts.vert_head += "uniform bool halves;\n";
    scene.texts.vert_body += "    if (halves) p.z = p.z * 0.5 + 0.5;\n";
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("clip_control", n);
        const bool halves = random.one_in(2);
        glUniform1i(scene.uniform("halves"), halves ? 1 : 0);
        glClipControl(random.one_in(2) ? GL_UPPER_LEFT : GL_LOWER_LEFT,
                      halves ? GL_ZERO_TO_ONE : GL_NEGATIVE_ONE_TO_ONE);
    });
    scene.after_draw.emplace_back([](size_t) { glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE); });
}

/// Cuts along edges of pixels.
void add_clip_distance(Scene& scene) {
    Random random = scene.random("clip_distance");
    const int count = random.between(1, 3);
    static constexpr const char* kAxes[] = {"p.x", "p.y"};
    static constexpr int kMost[] = {kWidth, kHeight};
    scene.texts.vert_head += "out float gl_ClipDistance[" + std::to_string(count) + "];\n";
    for (int n = 0; n < count; n++) {
        const int axis = random.below(2);
        const std::string edge = std::to_string(random.between(2, kMost[axis] - 2)) + ".0";
        scene.texts.vert_end += "    gl_ClipDistance[" + std::to_string(n) + "] = " +
                                (random.one_in(2) ? kAxes[axis] + (" - " + edge) : edge + " - " + kAxes[axis]) + ";\n";
    }
    scene.before_draw.emplace_back([&scene, count](size_t n) {
        Random each = scene.random("clip_distance", n + 1);
        for (int i = 0; i < count; i++) {
            const GLenum plane = GL_CLIP_DISTANCE0 + static_cast<GLenum>(i);
            if (each.one_in(3))
                glDisable(plane);
            else
                glEnable(plane);
        }
    });
}

void add_cull_distance(Scene& scene) {
    Random random = scene.random("cull_distance");
    scene.texts.vert_head += "out float gl_CullDistance[1];\n";
    scene.texts.vert_end += "    gl_CullDistance[0] = p.x - " + std::to_string(random.between(8, 24)) + ".0;\n";
}

/// Each primitive several times, at other places.
void add_geometry(Scene& scene) {
    Random random = scene.random("geometry");
    scene.texts.geom = true;
    scene.texts.geom_copies = std::max(scene.texts.geom_copies, random.between(1, 3));
    scene.texts.geom_body += "            o.value += uvec4(copy * 3);\n";
    scene.texts.geom_head += "uniform vec2 grid;\n";
    // Whole pixels: edges keep their distances from centres. In FRAG, the place stays that of the vertex.
    scene.texts.geom_body += "            gl_Position.xy += grid * vec2(copy * 2, -copy) * gl_Position.w;\n";
}

void add_viewports(Scene& scene) {
    Random random = scene.random("viewports");
    const int count = random.between(2, 4);
    scene.texts.geom = true;
    scene.texts.geom_body +=
        "            gl_ViewportIndex = (gl_PrimitiveIDIn + copy) % " + std::to_string(count) + ";\n";
    if (random.one_in(2)) scene.texts.frag_body += "    c.z += uint(gl_ViewportIndex) * 29u;\n";
    scene.before_draw.emplace_back([&scene, count](size_t n) {
        Random each = scene.random("viewports", n + 1);
        for (int i = 0; i < count; i++) {
            const int x = each.between(-4, 4), y = each.between(-4, 4);
            glViewportIndexedf(static_cast<GLuint>(i), static_cast<float>(x), static_cast<float>(y), kWidth, kHeight);
        }
    });
}

void add_primitive_id(Scene& scene) {
    scene.texts.frag_body += scene.whole_pixels ? "    c.x += uint(gl_PrimitiveID >> 1) * 13u;\n"
                                                : "    c.x += uint(gl_PrimitiveID) * 13u;\n";
}

/// Outputs of the last stage before the rasterizer, with a pause, drawn from again.
void add_capture(Scene& scene) {
    static GLuint buffer = 0, query = 0;
    const std::string from = scene.texts.geom ? "FromGeom" : "FromVert";
    scene.captured = {from + ".value", from + ".where"};
    if (scene.random("capture").one_in(2)) scene.captured.emplace_back("gl_Position");
    constexpr size_t kSize = 16384;
    scene.before_draw.emplace_back([&scene](size_t n) {
        if (n == 0) {
            glGenBuffers(1, &buffer);
            glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffer);
            const std::vector<uint32_t> filled(kSize / 4, 0xABCDEF01);
            glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, kSize, filled.data(), GL_STREAM_READ);
            glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
            glGenQueries(1, &query);
            glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
            glBeginTransformFeedback(rasterized(scene));
        } else if (scene.random("capture", n).one_in(3)) {
            glPauseTransformFeedback();
        }
    });
    scene.after_draw.emplace_back([&scene](size_t n) {
        if (n != 0 && scene.random("capture", n).one_in(3)) glResumeTransformFeedback();
        if (n + 1 != scene.draws.size()) return;
        glEndTransformFeedback();
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    });
    scene.at_end.emplace_back([&scene] {
        GLuint written = 0;
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
        scene.read("primitives written", &written, 4);
        std::vector<std::byte> bytes(kSize);
        glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffer);
        glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, kSize, bytes.data());
        scene.read("captured", bytes.data(), bytes.size());
    });
}

}  // namespace scenes
