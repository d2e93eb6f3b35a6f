// Features: queries, and what moves pixels between draws.
#include <algorithm>
#include <cstddef>
#include <memory>

#include "features.h"

namespace scenes {

namespace {

/// Another texture like the first target's, for a way there and back.
GLuint second_texture(const Scene& scene) {
    return make_texture(GL_TEXTURE_2D, scene.targets[0].internal, 1, 1);
}

int some_layer(const Scene& scene, Random& random) {
    return random.below(scene.layers);
}

/// Blits and clears are cut by the scissor, clears by the masks; the next draw sets both again.
void disable_cuts() {
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

}  // namespace

void add_queries(Scene& scene) {
    struct Asked {
        GLuint samples = 0, primitives = 0;
    };
    const auto asked = std::make_shared<Asked>();
    static constexpr GLenum kKinds[] = {GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED};
    const GLenum kind = scene.random("queries").of(kKinds);
    scene.before_draw.emplace_back([asked, kind](size_t) {
        glGenQueries(1, &asked->samples);
        glGenQueries(1, &asked->primitives);
        glBeginQuery(kind, asked->samples);
        glBeginQuery(GL_PRIMITIVES_GENERATED, asked->primitives);
    });
    scene.after_draw.emplace_back([&scene, asked, kind](size_t) {
        glEndQuery(kind);
        glEndQuery(GL_PRIMITIVES_GENERATED);
        std::array<GLuint, 2> results{};
        glGetQueryObjectuiv(asked->samples, GL_QUERY_RESULT, results.data());
        // Whether a quad is one primitive or several, OpenGL leaves to the driver.
        if (!scene.has("quads")) glGetQueryObjectuiv(asked->primitives, GL_QUERY_RESULT, &results[1]);
        scene.read("queries", results.data(), sizeof results);
    });
}

/// Draws, if the draw before it drew anything, or nothing.
void add_condition(Scene& scene) {
    const auto query = std::make_shared<GLuint>(0);
    scene.before_draw.emplace_back([query](size_t n) {
        if (n % 2 == 0) {
            glGenQueries(1, query.get());
            glBeginQuery(GL_ANY_SAMPLES_PASSED, *query);
        } else {
            glBeginConditionalRender(*query, GL_QUERY_WAIT);
        }
    });
    scene.after_draw.emplace_back([](size_t n) {
        if (n % 2 == 0)
            glEndQuery(GL_ANY_SAMPLES_PASSED);
        else
            glEndConditionalRender();
    });
}

/// To another texture, twice as large, and back, turned around.
void add_blits(Scene& scene) {
    scene.after_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("blits", n);
        std::array<GLuint, 2> framebuffers{};
        glGenFramebuffers(2, framebuffers.data());
        const GLuint other = second_texture(scene);
        const int layer = some_layer(scene, random);
        disable_cuts();
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
        attach(GL_COLOR_ATTACHMENT0, scene.colours[0], scene.layout, layer);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
        attach(GL_COLOR_ATTACHMENT0, other, GL_TEXTURE_2D, -1);
        clear_target(scene.targets[0], 0, {1, 2, 3, 4});
        const PixelBox box = some_pixels(random, 1);
        const int factor = random.between(1, 2), width = box.width * factor, height = box.height * factor;
        const bool turned = random.one_in(2), upside = random.one_in(2);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[0]);
        glBlitFramebuffer(box.x, box.y, box.x + box.width, box.y + box.height, turned ? width : 0, upside ? height : 0,
                          turned ? 0 : width, upside ? 0 : height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[1]);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers[0]);
        const PixelBox to = some_pixels(random, 1);
        glBlitFramebuffer(0, 0, to.width, to.height, to.x, to.y, to.x + to.width, to.y + to.height, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
        glDeleteFramebuffers(2, framebuffers.data());
    });
}

void add_copies(Scene& scene) {
    scene.after_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("copies", n);
        const GLuint other = second_texture(scene);
        const PixelBox from = some_pixels(random, 1), to = some_pixels(random, 1);
        const int layer = some_layer(scene, random), width = std::min(from.width, to.width);
        const int height = std::min(from.height, to.height), to_layer = some_layer(scene, random);
        if (random.one_in(2)) {
            glCopyImageSubData(scene.colours[0], scene.layout, 0, from.x, from.y, layer, other, GL_TEXTURE_2D, 0, 0, 0,
                               0, width, height, 1);
        } else {
            GLuint framebuffer = 0;
            glGenFramebuffers(1, &framebuffer);
            glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
            attach(GL_COLOR_ATTACHMENT0, scene.colours[0], scene.layout, layer);
            glActiveTexture(GL_TEXTURE0);
            glBindTexture(GL_TEXTURE_2D, other);
            glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, from.x, from.y, width, height);
            glDeleteFramebuffers(1, &framebuffer);
        }
        glCopyImageSubData(other, GL_TEXTURE_2D, 0, 0, 0, 0, scene.colours[0], scene.layout, 0, to.x, to.y, to_layer,
                           width, height, 1);
        glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
    });
}

/// Parts of targets, by a scissor and masks.
void add_clears(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        if (n == 0) return;
        Random random = scene.random("clears", n);
        std::array<GLint, 4> before{};
        glGetIntegerv(GL_SCISSOR_BOX, before.data());
        const bool scissored = glIsEnabled(GL_SCISSOR_TEST) != 0;
        const PixelBox box = some_pixels(random, 1);
        glEnable(GL_SCISSOR_TEST);
        glScissor(box.x, box.y, box.width, box.height);
        const auto index = static_cast<int>(random.below(static_cast<int>(scene.targets.size())));
        clear_target(scene.targets[static_cast<size_t>(index)], index,
                     {random.next(), random.next(), random.next(), random.next()});
        const GLfloat depth = some_depth(random);
        const GLint stencil = random.below(256);
        if (scene.depth != nullptr && random.one_in(2)) glClearBufferfv(GL_DEPTH, 0, &depth);
        if (scene.depth != nullptr && scene.depth->stencil && random.one_in(2))
            glClearBufferiv(GL_STENCIL, 0, &stencil);
        glScissor(before[0], before[1], before[2], before[3]);
        if (!scissored) glDisable(GL_SCISSOR_TEST);
    });
}

/// Pixels of a buffer to the target, which the next draw finds there.
void add_uploads(Scene& scene) {
    scene.after_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("uploads", n);
        const Format& format = scene.targets[0];
        if (format.kind == Kind::Float) return;  // bits of some floats are not numbers
        const PixelBox box = some_pixels(random, 1);
        std::vector<std::byte> bytes(static_cast<size_t>(box.width * box.height * format.bytes) + 16);
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next() >> 24);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        GLuint buffer = 0;
        const bool buffered = random.one_in(2);
        const void* from = bytes.data();
        if (buffered) {
            glGenBuffers(1, &buffer);
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
            glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(bytes.size()), bytes.data(), GL_STREAM_DRAW);
            from = nullptr;
        }
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(scene.layout, scene.colours[0]);
        const int layer = some_layer(scene, random);
        if (scene.layout == GL_TEXTURE_2D || scene.layout == GL_TEXTURE_CUBE_MAP)
            glTexSubImage2D(scene.layout == GL_TEXTURE_2D ? GL_TEXTURE_2D
                                                          : GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(layer),
                            0, box.x, box.y, box.width, box.height, format.format, format.type, from);
        else
            glTexSubImage3D(scene.layout, 0, box.x, box.y, layer, box.width, box.height, 1, format.format, format.type,
                            from);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    });
}

/// Depth and stencil to another texture and back, by blits or copies.
void add_depth_blits(Scene& scene) {
    scene.after_draw.emplace_back([&scene](size_t n) {
        if (scene.depth == nullptr) return;
        Random random = scene.random("depth_blits", n);
        const GLuint other = make_texture(GL_TEXTURE_2D, scene.depth->internal, 1, 1);
        const PixelBox from = some_pixels(random, 1), to = some_pixels(random, 1);
        if (random.one_in(3)) {
            const int width = std::min(from.width, to.width), height = std::min(from.height, to.height);
            glCopyImageSubData(scene.depth_texture, GL_TEXTURE_2D, 0, from.x, from.y, 0, other, GL_TEXTURE_2D, 0, 0, 0,
                               0, width, height, 1);
            glCopyImageSubData(other, GL_TEXTURE_2D, 0, 0, 0, 0, scene.depth_texture, GL_TEXTURE_2D, 0, to.x, to.y, 0,
                               width, height, 1);
            return;
        }
        GLuint framebuffer = 0;
        glGenFramebuffers(1, &framebuffer);
        disable_cuts();
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        attach(scene.depth->stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT, other, GL_TEXTURE_2D, -1);
        const GLfloat depth = 0.25F;
        const GLint stencil = 5;
        glDepthMask(GL_TRUE);
        glStencilMask(0xFF);
        glClearBufferfv(GL_DEPTH, 0, &depth);
        glClearBufferiv(GL_STENCIL, 0, &stencil);
        GLbitfield which = GL_DEPTH_BUFFER_BIT;
        if (scene.depth->stencil && random.one_in(2)) which = GL_STENCIL_BUFFER_BIT;
        if (scene.depth->stencil && random.one_in(2)) which |= GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;
        const bool upside = random.one_in(2);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, scene.framebuffer);
        glBlitFramebuffer(from.x, from.y, from.x + from.width, from.y + from.height, 0, upside ? from.height : 0,
                          from.width, upside ? 0 : from.height, which, GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene.framebuffer);
        const int twice = 2 * from.width <= kWidth - to.x ? 2 : 1;
        glBlitFramebuffer(0, 0, from.width, to.height, to.x, to.y, to.x + twice * from.width, to.y + to.height, which,
                          GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
        glDeleteFramebuffers(1, &framebuffer);
    });
}

/// Boxes of the target, without a framebuffer.
void add_texture_clears(Scene& scene) {
    scene.after_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("texture_clears", n);
        const Format& format = scene.targets[0];
        const PixelBox box = some_pixels(random, 1);
        std::array<uint32_t, 4> texel{};
        if (format.kind != Kind::Float)  // bits of some floats are not numbers
            for (uint32_t& word : texel) word = random.next();
        glClearTexSubImage(scene.colours[0], 0, box.x, box.y, some_layer(scene, random), box.width, box.height, 1,
                           format.format, format.type, random.one_in(4) ? nullptr : texel.data());
    });
}

/// Vertices that the device copies, in parts, over those that are there.
void add_buffer_copies(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("buffer_copies", n);
        const auto& vertices = scene.draws[n].vertices;
        const auto size = static_cast<GLsizeiptr>(vertices.size() * sizeof(Vertex));
        const GLsizeiptr cut = size / 8 * random.below(9) / 4 * 4, shift = 4 * random.below(9);
        std::vector<std::byte> shifted(static_cast<size_t>(size + shift));
        std::copy_n(reinterpret_cast<const std::byte*>(vertices.data()), size, shifted.begin() + shift);
        GLuint buffer = 0;
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_COPY_READ_BUFFER, buffer);
        glBufferData(GL_COPY_READ_BUFFER, size + shift, shifted.data(), GL_STREAM_COPY);
        glBindBuffer(GL_ARRAY_BUFFER, scene.vertex_buffer);
        const GLuint word = random.next();
        glClearBufferData(GL_ARRAY_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, &word);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_ARRAY_BUFFER, shift, 0, cut);
        if (random.one_in(2)) {
            glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_ARRAY_BUFFER, shift + cut, cut, size - cut);
            return;
        }
        if (size == cut) return;
        void* const mapped = glMapBufferRange(GL_ARRAY_BUFFER, cut, size - cut, GL_MAP_WRITE_BIT);
        std::copy_n(shifted.begin() + shift + cut, size - cut, static_cast<std::byte*>(mapped));
        glUnmapBuffer(GL_ARRAY_BUFFER);
    });
}

}  // namespace scenes
