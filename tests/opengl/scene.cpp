// Makes, draws and reads a scene.
#include "scene.h"

#include <cstdio>

namespace scenes {

namespace {

constexpr GLuint kPlace = 0, kValue = 1;

void make_draws(Scene& scene) {
    Random random = scene.random("draws");
    for (int n = random.between(2, 4), i = 0; i < n; i++) {
        Draw draw;
        draw.vertices = shape(scene, scene.random("shape", static_cast<uint64_t>(i)));
        for (uint32_t& word : draw.tone) word = random.next() >> 24;
        scene.draws.push_back(draw);
    }
}

void bind_vertices(Scene& scene) {
    glGenBuffers(1, &scene.vertex_buffer);
    glGenBuffers(1, &scene.index_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, scene.vertex_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, scene.index_buffer);
    glVertexAttribPointer(kPlace, 4, GL_FLOAT, GL_FALSE, sizeof(Vertex), nullptr);
    glVertexAttribIPointer(
        kValue, 4, GL_UNSIGNED_INT, sizeof(Vertex),
        reinterpret_cast<const void*>(offsetof(Vertex, value)));  // NOLINT(performance-no-int-to-ptr)
    glEnableVertexAttribArray(kPlace);
    glEnableVertexAttribArray(kValue);
}

void draw(Scene& scene, size_t n) {
    const Draw& draw = scene.draws[n];
    glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
    GLint current = 0;
    glGetIntegerv(GL_CURRENT_PROGRAM, &current);  // while outputs are captured, it must not be used again
    if (static_cast<GLuint>(current) != scene.program) glUseProgram(scene.program);
    glBindBuffer(GL_ARRAY_BUFFER, scene.vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(draw.vertices.size() * sizeof(Vertex)), draw.vertices.data(),
                 GL_STATIC_DRAW);
    glUniform4uiv(scene.uniform("tone"), 1, draw.tone.data());
    for (const auto& before : scene.before_draw) before(n);
    if (scene.call)
        scene.call(n);
    else
        glDrawArrays(scene.mode, 0, static_cast<GLsizei>(draw.vertices.size()));
    for (const auto& after : scene.after_draw) after(n);
}

bool set_constants(Scene& scene) {
    scene.program = link_stages(scene);
    if (scene.program == 0) return false;
    glUseProgram(scene.program);
    glUniform2f(scene.uniform("grid"), 2.0F / kWidth, 2.0F / kHeight);
    std::array<uint32_t, 4 * kMostTargets> most{};
    for (size_t n = 0; n < scene.targets.size(); n++)
        for (size_t i = 0; i < 4; i++) most[4 * n + i] = scene.targets[n].most[i];
    glUniform4uiv(scene.uniform("most"), kMostTargets, most.data());
    for (const auto& set : scene.with_program) set();
    return true;
}

}  // namespace

bool Scene::has(std::string_view name) const {
    for (const Feature* feature : features)
        if (feature->name == name) return true;
    return false;
}

void Scene::read(const char* what, const void* bytes, size_t size) {
    const auto* const data = static_cast<const unsigned char*>(bytes);
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 0x100000001B3;
    if (!prints) return;
    std::printf("  %s", what);
    for (size_t i = 0; i < size; i++) std::printf("%s%02x", i % 64 == 0 ? "\n    " : i % 4 == 0 ? " " : "", data[i]);
    std::printf("\n");
}

bool run(Scene& scene) {
    scene.targets = {kRgba8};
    for (const Feature* feature : scene.features) feature->add(scene);
    make_draws(scene);
    make_targets(scene);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        std::fprintf(stderr, "the framebuffer is not complete: %x\n", glCheckFramebufferStatus(GL_FRAMEBUFFER));
        return false;
    }
    clear_targets(scene);
    bind_vertices(scene);
    if (!set_constants(scene)) return false;
    for (size_t n = 0; n < scene.draws.size(); n++)
        if ((scene.drawn >> n & 1) != 0) draw(scene, n);
    for (const auto& last : scene.at_end) last();
    read_targets(scene);
    const GLenum error = glGetError();
    if (error != GL_NO_ERROR) std::fprintf(stderr, "OpenGL's error %x\n", error);
    return error == GL_NO_ERROR;
}

}  // namespace scenes
