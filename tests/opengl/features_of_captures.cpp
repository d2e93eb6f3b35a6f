// Features: captured outputs of several streams, and draws of what was captured. They draw to a target of their own.
#include "features.h"

namespace scenes {

namespace {

constexpr const char* kMakesPoints = R"(flat out uint id;
void main() {
    id = uint(gl_VertexID);
    gl_Position = vec4(0.0);
}
)";
/// One or two points to stream 0, and every third time one to stream 1.
constexpr const char* kMakesStreams = R"(layout(points) in;
layout(points, max_vertices = 3) out;
flat in uint id[];
layout(stream = 0) out vec4 even;
layout(stream = 1) out vec4 odd;
void main() {
    for (uint k = 0u; k <= (id[0] & 1u); k++) {
        even = vec4(float((id[0] * 5u + k * 3u) & 31u) + 0.5, float((id[0] * 7u + k) & 15u) + 0.5, 1.0, float(id[0]));
        EmitStreamVertex(0);
        EndStreamPrimitive(0);
    }
    if (id[0] % 3u == 0u) {
        odd = vec4(float(id[0] * 11u & 31u) + 0.5, float(id[0] * 3u & 15u) + 0.5, 2.0, float(id[0] + 1u));
        EmitStreamVertex(1);
        EndStreamPrimitive(1);
    }
}
)";
constexpr const char* kPlaces = R"(layout(location = 0) in vec4 captured;
flat out vec2 value;
void main() {
    value = captured.zw;
    gl_Position = vec4(captured.xy / vec2(16.0, 8.0) - 1.0, 0.0, 1.0);
}
)";
constexpr const char* kWrites = R"(flat in vec2 value;
layout(location = 0) out uvec4 words;
void main() { words = uvec4(value, gl_FragCoord.xy); }
)";

}  // namespace

/// Streams to buffers of different sizes: the protocol knows them by these alone (docs/host.md).
void add_streams(Scene& scene) {
    scene.at_end.emplace_back([&scene] {
        Random random = scene.random("streams");
        const GLuint capturing = program_of({{GL_VERTEX_SHADER, kMakesPoints},
                                             {GL_GEOMETRY_SHADER, kMakesStreams},
                                             {GL_FRAGMENT_SHADER, "void main() {}\n"}},
                                            {"even", "gl_NextBuffer", "odd"});
        const GLuint drawing = program_of({{GL_VERTEX_SHADER, kPlaces}, {GL_FRAGMENT_SHADER, kWrites}}, {});
        std::array<GLuint, 2> buffers{}, generated{}, written{};
        const std::array<GLsizeiptr, 2> sizes{random.between(4, 40) * 16, random.between(41, 50) * 16};
        GLuint feedback = 0, array = 0, framebuffer = 0;
        glGenVertexArrays(1, &array);
        glBindVertexArray(array);
        glGenTransformFeedbacks(1, &feedback);
        glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback);
        glGenBuffers(2, buffers.data());
        glGenQueries(2, generated.data());
        glGenQueries(2, written.data());
        const std::vector<uint32_t> filled(200, 0xABCDEF01);
        for (GLuint i = 0; i < 2; i++) {
            glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i]);
            glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizes[i], filled.data(), GL_STREAM_COPY);
            glBeginQueryIndexed(GL_PRIMITIVES_GENERATED, i, generated[i]);
            glBeginQueryIndexed(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, i, written[i]);
        }
        reset_state();
        glUseProgram(capturing);
        glEnable(GL_RASTERIZER_DISCARD);
        glBeginTransformFeedback(GL_POINTS);
        glDrawArrays(GL_POINTS, 0, random.between(1, 9));
        glPauseTransformFeedback();
        if (random.one_in(2)) glDrawArrays(GL_POINTS, 2, 5);
        glResumeTransformFeedback();
        glDrawArrays(GL_POINTS, random.between(3, 20), random.between(1, 12));
        glEndTransformFeedback();
        glDisable(GL_RASTERIZER_DISCARD);
        for (GLuint i = 0; i < 2; i++) {
            glEndQueryIndexed(GL_PRIMITIVES_GENERATED, i);
            glEndQueryIndexed(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, i);
        }
        const GLuint target = make_texture(GL_TEXTURE_2D, GL_RGBA32UI, 1, 1);
        glGenFramebuffers(1, &framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        attach(GL_COLOR_ATTACHMENT0, target, GL_TEXTURE_2D, -1);
        glViewport(0, 0, kWidth, kHeight);
        const std::array<GLuint, 4> none{};
        glClearBufferuiv(GL_COLOR, 0, none.data());
        glUseProgram(drawing);
        glPointSize(1);
        glEnableVertexAttribArray(0);
        for (GLuint i = 0; i < 2; i++) {
            glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
            glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 16, nullptr);
            glDrawTransformFeedbackStream(GL_POINTS, feedback, i);
        }
        std::array<GLuint, 4> counts{};
        for (GLuint i = 0; i < 2; i++) {
            glGetQueryObjectuiv(generated[i], GL_QUERY_RESULT, &counts[2 * i]);
            glGetQueryObjectuiv(written[i], GL_QUERY_RESULT, &counts[2 * i + 1]);
        }
        scene.read("primitives of streams", counts.data(), sizeof counts);
        std::vector<uint32_t> pixels(static_cast<size_t>(kWidth * kHeight) * 4);
        glReadPixels(0, 0, kWidth, kHeight, GL_RGBA_INTEGER, GL_UNSIGNED_INT, pixels.data());
        scene.read("points of streams", pixels.data(), pixels.size() * 4);
        glBindVertexArray(0);
        glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
        glDeleteFramebuffers(1, &framebuffer);
    });
}

}  // namespace scenes
