// Features: textures that FRAG reads. All filters are nearest, and places are in the middle of texels.
#include "features.h"
#include "textures.h"

namespace scenes {

int bind(Scene& scene, const char* name, GLenum target, GLuint texture) {
    const int unit = ++scene.units;
    scene.with_program.emplace_back([&scene, name, unit] { glUniform1i(scene.uniform(name), unit); });
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(target, texture);
    return unit;
}

std::vector<uint32_t> words(Random& random, int count) {
    std::vector<uint32_t> list(static_cast<size_t>(count));
    for (uint32_t& word : list) word = random.next();
    return list;
}

void be_nearest(GLenum target, GLenum minify) {
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, static_cast<GLint>(minify));
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

GLuint new_texture(GLenum target) {
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(target, texture);
    return texture;
}

GLuint new_compared_texture(Random& random, std::span<const GLint> formats, std::span<const GLint> functions) {
    const GLuint texture = new_texture(GL_TEXTURE_2D);
    std::vector<float> depths(64);
    for (float& depth : depths) depth = some_depth(random);
    glTexImage2D(GL_TEXTURE_2D, 0, random.of(formats), 8, 8, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths.data());
    be_nearest(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, random.of(functions));
    return texture;
}

namespace {

struct Target {
    GLenum target;
    const char *type, *fetch;
    int width, height, depth;  // 0: has fewer dimensions
};
// NOLINTBEGIN(bugprone-suspicious-missing-comma)
const Target kTargets[] = {
    {GL_TEXTURE_1D, "usampler1D", "texelFetch(SAMPLER, at.x & 7, 0)", 8, 0, 0},
    {GL_TEXTURE_2D, "usampler2D", "texelFetch(SAMPLER, at & 7, 0)", 8, 8, 0},
    {GL_TEXTURE_3D, "usampler3D", "texelFetch(SAMPLER, ivec3(at, at.x + at.y) & 3, 0)", 4, 4, 4},
    {GL_TEXTURE_1D_ARRAY, "usampler1DArray", "texelFetch(SAMPLER, at & 3, 0)", 4, 4, 0},
    {GL_TEXTURE_2D_ARRAY, "usampler2DArray", "texelFetch(SAMPLER, ivec3(at, at.x >> 2) & 3, 0)", 4, 4, 4},
    {GL_TEXTURE_RECTANGLE, "usampler2DRect", "texelFetch(SAMPLER, at % ivec2(5, 3))", 5, 3, 0},
    {GL_TEXTURE_CUBE_MAP, "usamplerCube",
     "texture(SAMPLER, (vec3(at.x & 3, at.y & 3, (at.x >> 2) & 3) - 1.5) / vec3(3, 4, 5))", 4, 4, 6},
    {GL_TEXTURE_CUBE_MAP_ARRAY, "usamplerCubeArray",
     "texture(SAMPLER, vec4((vec3(at.x & 3, at.y & 3, (at.x >> 2) & 3) - 1.5) / vec3(3, 4, 5), at.y >> 2 & 1))", 4, 4,
     12},
};
// NOLINTEND(bugprone-suspicious-missing-comma)

void fill(const Target& target, Random& random) {
    const int faces = target.target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    const auto data = words(
        random, target.width * (target.height != 0 ? target.height : 1) * (target.depth != 0 ? target.depth : 1) * 4);
    for (int face = 0; face < faces; face++) {
        const GLenum where = faces == 6 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(face) : target.target;
        const void* const from = &data[static_cast<size_t>(face * target.width * target.height * 4)];
        if (target.height == 0)
            glTexImage1D(where, 0, GL_RGBA32UI, target.width, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, from);
        else if (target.depth == 0 || faces == 6)
            glTexImage2D(where, 0, GL_RGBA32UI, target.width, target.height, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, from);
        else
            glTexImage3D(where, 0, GL_RGBA32UI, target.width, target.height, target.depth, 0, GL_RGBA_INTEGER,
                         GL_UNSIGNED_INT, from);
    }
}

}  // namespace

/// Whole numbers, with swizzles, from each target.
void add_fetches(Scene& scene) {
    static constexpr GLint kSwizzles[] = {GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE};
    Random random = scene.random("fetches");
    const Target& target = random.of(kTargets);
    const GLuint texture = new_texture(target.target);
    fill(target, random);
    be_nearest(target.target);
    if (random.one_in(2))
        for (GLenum i = 0; i < 4; i++) glTexParameteri(target.target, GL_TEXTURE_SWIZZLE_R + i, random.of(kSwizzles));
    bind(scene, "fetched", target.target, texture);
    std::string fetch = target.fetch;
    fetch.replace(fetch.find("SAMPLER"), 7, "fetched");
    scene.texts.frag_head += "uniform " + std::string(target.type) + " fetched;\n";
    scene.texts.frag_body += "    c += " + fetch + ";\n";
}

void add_gathers(Scene& scene) {
    Random random = scene.random("gathers");
    const GLuint texture = new_texture(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, 8, 8, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words(random, 256).data());
    be_nearest(GL_TEXTURE_2D);
    bind(scene, "gathered", GL_TEXTURE_2D, texture);
    scene.texts.frag_head += "uniform usampler2D gathered;\n";
    // Between the four texels.
    static constexpr const char* kReads[] = {"textureGather(gathered, vec2(at & 7) / 8.0, 1)",
                                             "textureGather(gathered, vec2(at & 7) / 8.0, 3)",
                                             "textureGatherOffset(gathered, vec2(at & 7) / 8.0, ivec2(2, -3), 2)",
                                             ("textureGatherOffsets(gathered, vec2(at & 7) / 8.0, "
                                              "ivec2[4](ivec2(1, 0), ivec2(-4, 2), ivec2(0, 5), ivec2(3, 3)), 0)"),
                                             "textureOffset(gathered, (vec2(at & 7) + 0.5) / 8.0, ivec2(-3, 2))"};
    scene.texts.frag_body += std::string("    c += ") + random.of(kReads) + ";\n";
}

void add_levels(Scene& scene) {
    Random random = scene.random("levels");
    const GLuint texture = new_texture(GL_TEXTURE_2D);
    for (GLint level = 0; level < 4; level++)
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA32UI, 8 >> level, 8 >> level, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                     words(random, 256).data());
    be_nearest(GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST);
    const int base = random.below(2);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, base);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, random.between(base, 3));
    bind(scene, "levels", GL_TEXTURE_2D, texture);
    scene.texts.frag_head += "uniform usampler2D levels;\n";
    // Away from the halves between levels.
    scene.texts.frag_body +=
        "    c += textureLod(levels, (vec2(at & 7) + 0.5) / 8.0 + 1.0 / 64.0, float(at.x & 3) + 0.25) + "
        "uint(textureQueryLevels(levels));\n";
}

void add_shadows(Scene& scene) {
    static constexpr GLint kComparisons[] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                             GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
    static constexpr GLint kFormats[] = {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT32F};
    Random random = scene.random("shadows");
    const GLuint texture = new_compared_texture(random, kFormats, kComparisons);
    bind(scene, "shadow", GL_TEXTURE_2D, texture);
    scene.texts.frag_head += "uniform sampler2DShadow shadow;\n";
    // 1/32 between two depths.
    scene.texts.frag_body +=
        "    c += uint(texture(shadow, vec3((vec2(at & 7) + 0.5) / 8.0, "
        "float(at.y & 15) / 16.0 + 1.0 / 32.0))) * 19u;\n";
}

void add_borders(Scene& scene) {
    static constexpr GLint kWraps[] = {GL_CLAMP_TO_BORDER, GL_CLAMP_TO_BORDER, GL_REPEAT, GL_MIRRORED_REPEAT,
                                       GL_CLAMP_TO_EDGE};
    Random random = scene.random("borders");
    const GLuint texture = new_texture(GL_TEXTURE_2D);
    const bool whole = random.one_in(2);
    if (whole)
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8UI, 4, 4, 0, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE,
                     words(random, 16).data());
    else
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, words(random, 16).data());
    be_nearest(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, random.of(kWraps));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, random.of(kWraps));
    const std::array<GLuint, 4> numbers{random.next() >> 24, random.next() >> 24, random.next() >> 24,
                                        random.next() >> 24};
    std::array<GLfloat, 4> floats;
    for (size_t i = 0; i < 4; i++) floats[i] = static_cast<float>(numbers[i]) / 255;
    if (whole)
        glTexParameterIuiv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, numbers.data());
    else
        glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, floats.data());
    bind(scene, "bordered", GL_TEXTURE_2D, texture);
    scene.texts.frag_head += whole ? "uniform usampler2D bordered;\n" : "uniform sampler2D bordered;\n";
    const std::string read = "texture(bordered, (vec2(at & 7) - 1.5) / 4.0)";
    scene.texts.frag_body += whole ? "    c += " + read + ";\n" : "    c += uvec4(round(" + read + " * 255.0));\n";
}

void add_texture_buffers(Scene& scene) {
    Random random = scene.random("texture_buffers");
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_TEXTURE_BUFFER, buffer);
    glBufferData(GL_TEXTURE_BUFFER, 512, words(random, 128).data(), GL_STATIC_DRAW);
    struct Of {
        GLenum format;
        const char *type, *read;
    };
    static constexpr Of kFormats[] = {
        {GL_RGBA32UI, "usamplerBuffer", "texelFetch(buffered, at.x & 15)"},
        {GL_RG16UI, "usamplerBuffer", "texelFetch(buffered, at.x & 63)"},
        {GL_R8UI, "usamplerBuffer", "texelFetch(buffered, at.x & 63)"},
        {GL_RGBA8I, "isamplerBuffer", "uvec4(texelFetch(buffered, at.y & 31))"},
        {GL_RGBA8, "samplerBuffer", "uvec4(round(texelFetch(buffered, at.x & 31) * 255.0))"},
        {GL_R16, "samplerBuffer", "uvec4(round(texelFetch(buffered, at.x & 31) * 65535.0))"}};
    const Of& of = random.of(kFormats);
    const GLuint texture = new_texture(GL_TEXTURE_BUFFER);
    if (random.one_in(2))
        glTexBuffer(GL_TEXTURE_BUFFER, of.format, buffer);
    else
        glTexBufferRange(GL_TEXTURE_BUFFER, of.format, buffer, 256, 256);
    bind(scene, "buffered", GL_TEXTURE_BUFFER, texture);
    scene.texts.frag_head += "uniform " + std::string(of.type) + " buffered;\n";
    scene.texts.frag_body += std::string("    c += ") + of.read + ";\n";
}

}  // namespace scenes
