// What scenes draw to, and how it is read.
#include <algorithm>
#include <cstring>

#include "scene.h"

namespace scenes {

namespace {

constexpr int kCubeSize = kWidth;

int height_of(GLenum layout) {
    return layout == GL_TEXTURE_CUBE_MAP || layout == GL_TEXTURE_CUBE_MAP_ARRAY ? kCubeSize : kHeight;
}

/// OpenGL leaves the sign of a zero to the driver.
template <typename Word>
void drop_signs_of_zeros(std::vector<std::byte>& bytes, Word negative) {
    for (size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
        Word word = 0;
        std::memcpy(&word, &bytes[at], sizeof word);
        if (word == negative) std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), sizeof word, std::byte{});
    }
}

void read_image(Scene& scene, const char* what, GLenum attachment, GLuint texture, GLenum layout, int layer, int pixel,
                GLenum format, GLenum type) {
    attach(attachment, texture, layout, layer);
    if (attachment == GL_COLOR_ATTACHMENT0) glReadBuffer(GL_COLOR_ATTACHMENT0);
    const int height = height_of(layout);
    std::vector<std::byte> bytes(static_cast<size_t>(kWidth * height * pixel));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, kWidth, height, format, type, bytes.data());
    if (type == GL_FLOAT) drop_signs_of_zeros<uint32_t>(bytes, 0x80000000);
    if (type == GL_HALF_FLOAT) drop_signs_of_zeros<uint16_t>(bytes, 0x8000);
    scene.read(what, bytes.data(), bytes.size());
}

GLenum layout_of_depth(const Scene& scene) {
    if (scene.samples > 1) return GL_TEXTURE_2D_MULTISAMPLE;
    if (scene.layout == GL_RENDERBUFFER) return GL_RENDERBUFFER;
    return scene.layers > 1 && scene.layer_drawn < 0 ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D;
}

constexpr const char* kOfSamples = R"(#version 330
out uvec4 words;
uniform TYPE image;
uniform uvec4 most;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    words = uvec4(AS(texelFetch(image, ivec2(at.x / SAMPLES, at.y), at.x % SAMPLES)));
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
    return text;
}

GLuint reader_of_samples(Kind kind, int samples) {
    static constexpr const char* kTypes[] = {"sampler2DMS", "sampler2DMS", "isampler2DMS", "usampler2DMS"};
    static constexpr const char* kConversions[] = {"round(vec4(most) * ", "(4.0 * ", "(", "("};
    const auto number = static_cast<size_t>(kind);
    std::string text = replaced(kOfSamples, "TYPE", kTypes[number]);
    text = replaced(replaced(text, "AS(", kConversions[number]), "SAMPLES", std::to_string(samples));
    const GLuint program = glCreateProgram();
    for (const auto& [stage, source] :
         {std::pair{
              GL_VERTEX_SHADER,
              std::string("#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) "
                          "* 4.0 - 1.0, 0, 1); }")},
          std::pair{GL_FRAGMENT_SHADER, text}}) {
        const GLuint shader = glCreateShader(stage);
        const char* const part = source.c_str();
        glShaderSource(shader, 1, &part, nullptr);
        glCompileShader(shader);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program);
    return program;
}

/// Draws each sample as a pixel of whole numbers.
void read_samples(Scene& scene, const char* what, GLuint texture, Kind kind, const std::array<uint32_t, 4>& most) {
    const int width = kWidth * scene.samples;
    GLuint words = 0, framebuffer = 0;
    glGenTextures(1, &words);
    glBindTexture(GL_TEXTURE_2D, words);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32UI, width, kHeight);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, words, 0);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
    const GLuint program = reader_of_samples(kind, scene.samples);
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "image"), 0);
    glUniform4uiv(glGetUniformLocation(program, "most"), 1, most.data());
    glViewport(0, 0, width, kHeight);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    std::vector<uint32_t> pixels(static_cast<size_t>(width * kHeight) * 4);
    glReadPixels(0, 0, width, kHeight, GL_RGBA_INTEGER, GL_UNSIGNED_INT, pixels.data());
    scene.read(what, pixels.data(), pixels.size() * 4);
    glDeleteFramebuffers(1, &framebuffer);
}

}  // namespace

void reset_state() {
    for (const GLenum name : {GL_BLEND,
                              GL_SCISSOR_TEST,
                              GL_STENCIL_TEST,
                              GL_DEPTH_TEST,
                              GL_CULL_FACE,
                              GL_COLOR_LOGIC_OP,
                              GL_ALPHA_TEST,
                              GL_SAMPLE_MASK,
                              GL_SAMPLE_ALPHA_TO_COVERAGE,
                              GL_SAMPLE_ALPHA_TO_ONE,
                              GL_RASTERIZER_DISCARD,
                              GL_POLYGON_STIPPLE,
                              GL_FRAMEBUFFER_SRGB,
                              GL_PRIMITIVE_RESTART,
                              GL_DEPTH_CLAMP,
                              GL_CLIP_DISTANCE0,
                              GL_CLIP_DISTANCE1,
                              GL_CLIP_DISTANCE2,
                              GL_POLYGON_OFFSET_FILL,
                              GL_POLYGON_OFFSET_LINE,
                              GL_POLYGON_OFFSET_POINT})
        glDisable(name);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glActiveTexture(GL_TEXTURE0);
    glBindSampler(0, 0);
}

GLuint make_texture(GLenum layout, GLenum internal, int layers, int samples) {
    GLuint texture = 0;
    if (layout == GL_RENDERBUFFER) {
        glGenRenderbuffers(1, &texture);
        glBindRenderbuffer(GL_RENDERBUFFER, texture);
        glRenderbufferStorage(GL_RENDERBUFFER, internal, kWidth, kHeight);
        return texture;
    }
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(layout, texture);
    switch (layout) {
        case GL_TEXTURE_2D_MULTISAMPLE:
            glTexImage2DMultisample(layout, samples, internal, kWidth, kHeight, GL_TRUE);
            break;
        case GL_TEXTURE_2D_ARRAY:
        case GL_TEXTURE_3D:
        case GL_TEXTURE_CUBE_MAP_ARRAY:
            glTexStorage3D(layout, 1, internal, kWidth, height_of(layout), layers);
            break;
        default:
            glTexStorage2D(layout, 1, internal, kWidth, height_of(layout));
    }
    return texture;
}

/// One layer, or all of them: -1.
void attach(GLenum attachment, GLuint texture, GLenum layout, int layer) {
    if (layout == GL_RENDERBUFFER)
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, texture);
    else if (layer < 0 || layout == GL_TEXTURE_2D || layout == GL_TEXTURE_2D_MULTISAMPLE)
        glFramebufferTexture(GL_FRAMEBUFFER, attachment, texture, 0);
    else if (layout == GL_TEXTURE_CUBE_MAP)
        glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(layer),
                               texture, 0);
    else
        glFramebufferTextureLayer(GL_FRAMEBUFFER, attachment, texture, 0, layer);
}

void clear_target(const Format& format, int index, const std::array<uint32_t, 4>& values) {
    std::array<GLfloat, 4> floats{};
    std::array<GLint, 4> numbers{};
    std::array<GLuint, 4> words{};
    for (size_t i = 0; i < 4; i++) {
        words[i] = values[i] & format.most[i];
        numbers[i] = static_cast<GLint>(words[i]) - static_cast<GLint>(format.most[i] >> 1);
        const float one = format.kind == Kind::Float ? 4 : static_cast<float>(format.most[i] != 0 ? format.most[i] : 1);
        floats[i] = static_cast<float>(words[i]) / one;
    }
    if (format.kind == Kind::Signed)
        glClearBufferiv(GL_COLOR, index, numbers.data());
    else if (format.kind == Kind::Unsigned)
        glClearBufferuiv(GL_COLOR, index, words.data());
    else
        glClearBufferfv(GL_COLOR, index, floats.data());
}

void make_targets(Scene& scene) {
    for (const Format& format : scene.targets)
        scene.colours.push_back(make_texture(scene.layout, format.internal, scene.layers, scene.samples));
    if (scene.depth != nullptr)
        scene.depth_texture = make_texture(layout_of_depth(scene), scene.depth->internal, scene.layers, scene.samples);
    glGenFramebuffers(1, &scene.framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
    std::vector<GLenum> buffers;
    for (size_t n = 0; n < scene.colours.size(); n++) {
        buffers.push_back(GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(n));
        attach(buffers.back(), scene.colours[n], scene.layout, scene.layer_drawn);
    }
    if (scene.depth != nullptr)
        attach(scene.depth->stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT, scene.depth_texture,
               layout_of_depth(scene), -1);
    glDrawBuffers(static_cast<GLsizei>(buffers.size()), buffers.data());
    glViewport(0, 0, kWidth, kHeight);
}

void clear_targets(Scene& scene) {
    Random random = scene.random("clear");
    GLuint framebuffer = 0;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    for (size_t n = 0; n < scene.colours.size(); n++)
        for (int layer = 0; layer < scene.layers; layer++) {
            attach(GL_COLOR_ATTACHMENT0, scene.colours[n], scene.layout, layer);
            clear_target(scene.targets[n], 0, {random.next(), random.next(), random.next(), random.next()});
        }
    glDeleteFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
    if (scene.depth == nullptr) return;
    const GLfloat depth = some_depth(random);
    glClearBufferfv(GL_DEPTH, 0, &depth);
    const GLint stencil = random.below(256);
    if (scene.depth->stencil) glClearBufferiv(GL_STENCIL, 0, &stencil);
}

void read_targets(Scene& scene) {
    reset_state();
    if (scene.samples > 1) {
        for (size_t n = 0; n < scene.colours.size(); n++)
            read_samples(scene, "colour", scene.colours[n], scene.targets[n].kind, scene.targets[n].most);
        if (scene.depth != nullptr) read_samples(scene, "depth", scene.depth_texture, Kind::Norm, {0xFFFF, 0, 0, 0});
        return;
    }
    GLuint framebuffer = 0;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    for (size_t n = 0; n < scene.colours.size(); n++)
        for (int layer = 0; layer < scene.layers; layer++)
            read_image(scene, "colour", GL_COLOR_ATTACHMENT0, scene.colours[n], scene.layout, layer,
                       scene.targets[n].bytes, scene.targets[n].format, scene.targets[n].type);
    glDeleteFramebuffers(1, &framebuffer);
    if (scene.depth == nullptr) return;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    const GLenum layout = layout_of_depth(scene);
    for (int layer = 0; layer < (layout == GL_TEXTURE_2D ? 1 : scene.layers); layer++) {
        const GLenum point = scene.depth->stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT;
        read_image(scene, "depth", point, scene.depth_texture, layout, layer, scene.depth->bytes, scene.depth->format,
                   scene.depth->type);
        if (scene.depth->stencil)
            read_image(scene, "stencil", point, scene.depth_texture, layout, layer, 1, GL_STENCIL_INDEX,
                       GL_UNSIGNED_BYTE);
    }
    glDeleteFramebuffers(1, &framebuffer);
}

}  // namespace scenes
