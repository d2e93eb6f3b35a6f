// Features: how the texels of textures that FRAG reads are found, converted and filtered.
#include "features.h"
#include "textures.h"

namespace scenes {

namespace {

/// Sixteen times whole numbers below 128, which halves have, and so have their sums by quarters.
std::vector<float> coarse(Random& random, int count, float unit) {
    std::vector<float> list(static_cast<size_t>(count));
    for (float& number : list) number = static_cast<float>(random.below(128)) * unit;
    return list;
}

struct TexelFormat {
    GLenum internal, format, type;
    int bytes;
    float most;  ///< what 1.0 stands for; 0: whole numbers
    const char* sampler = "sampler2D";
};
constexpr TexelFormat kTexelFormats[] = {
    {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 255},
    {GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, 4, 255},
    {GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 3, 255},
    {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, 255},
    {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 255},
    {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8, 65535},
    {GL_R16, GL_RED, GL_UNSIGNED_SHORT, 2, 65535},
    {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4, 1023},
    {GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, 31 * 63},
    {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2, 31},
    {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2, 15},
    {GL_ALPHA8, GL_ALPHA, GL_UNSIGNED_BYTE, 1, 255},
    {GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE, 1, 255},
    {GL_LUMINANCE8_ALPHA8, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 2, 255},
    {GL_INTENSITY8, GL_RED, GL_UNSIGNED_BYTE, 1, 255},
    {GL_LUMINANCE16, GL_LUMINANCE, GL_UNSIGNED_SHORT, 2, 65535},
    {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, 4, 127},
    {GL_RG8_SNORM, GL_RG, GL_BYTE, 2, 127},
    {GL_RGBA16_SNORM, GL_RGBA, GL_SHORT, 8, 32767},
    {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, 4, 0, "usampler2D"},
    {GL_RGB8UI, GL_RGB_INTEGER, GL_UNSIGNED_BYTE, 3, 0, "usampler2D"},
    {GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV, 4, 0, "usampler2D"},
    {GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, 4, 0, "usampler2D"},
    {GL_R32I, GL_RED_INTEGER, GL_INT, 4, 0, "isampler2D"},
    {GL_RGB16I, GL_RGB_INTEGER, GL_SHORT, 6, 0, "isampler2D"},
    {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, 4, 0, "isampler2D"},
    {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 0, "srgb"},
};

}  // namespace

/// Texels of each format, as whole numbers again.
void add_texture_formats(Scene& scene) {
    Random random = scene.random("texture_formats");
    const TexelFormat& format = random.of(kTexelFormats);
    const GLuint texture = new_texture(GL_TEXTURE_2D);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format.internal), 8, 8, 0, format.format, format.type,
                 words(random, 16 * format.bytes).data());
    be_nearest(GL_TEXTURE_2D);
    bind(scene, "formatted", GL_TEXTURE_2D, texture);
    const bool encoded = format.sampler == std::string_view("srgb");
    scene.texts.frag_head += std::string("uniform ") + (encoded ? "sampler2D" : format.sampler) + " formatted;\n";
    const std::string texel = "texelFetch(formatted, at & 7, 0)";
    if (encoded)
        scene.texts.frag_body +=
            "    vec4 linear = " + texel +
            ";\n    linear.rgb = mix(1.055 * pow(linear.rgb, vec3(1.0 / 2.4)) - 0.055, linear.rgb * "
            "12.92, lessThanEqual(linear.rgb, vec3(0.0031308)));\n"
            "    c += uvec4(round(linear * 255.0));\n";
    else if (format.most > 0)
        scene.texts.frag_body += "    c += uvec4(ivec4(round(" + texel + " * " + std::to_string(format.most) + ")));\n";
    else
        scene.texts.frag_body += "    c += uvec4(" + texel + ");\n";
}

/// Between texels, by quarters: Vulkan has at least four bits of a fraction.
void add_filters(Scene& scene) {
    static constexpr GLint kWraps[] = {GL_REPEAT, GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_BORDER};
    static constexpr GLenum kTargets[] = {GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY};
    Random random = scene.random("filters");
    const GLenum target = random.of(kTargets);
    const GLuint texture = new_texture(target);
    const std::vector<float> texels = coarse(random, 8 * 8 * 4 * 4, target == GL_TEXTURE_3D ? 64 : 16);
    const bool halves = target != GL_TEXTURE_3D && random.one_in(2);
    const GLint internal = halves ? GL_RGBA16F : GL_RGBA32F;
    if (target == GL_TEXTURE_2D)
        glTexImage2D(target, 0, internal, 8, 8, 0, GL_RGBA, GL_FLOAT, texels.data());
    else
        glTexImage3D(target, 0, internal, 8, 8, 4, 0, GL_RGBA, GL_FLOAT, texels.data());
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    for (const GLenum name : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
        glTexParameteri(target, name, random.of(kWraps));
    bind(scene, "filtered", target, texture);
    const char* const type = target == GL_TEXTURE_2D   ? "sampler2D"
                             : target == GL_TEXTURE_3D ? "sampler3D"
                                                       : "sampler2DArray";
    scene.texts.frag_head += std::string("uniform ") + type + " filtered;\n";
    const std::string places = "vec2((at & 63) - 16) / 32.0";
    scene.texts.frag_body += "    c += uvec4(round(textureLod(filtered, " +
                             (target == GL_TEXTURE_2D   ? places
                              : target == GL_TEXTURE_3D ? "vec3(" + places + ", float(at.x & 15) / 16.0)"
                                                        : "vec3(" + places + ", float(at.x & 3))") +
                             ", 0.0)));\n";
}

/// OpenGL requires no filter of levels; Mesa's guests draw them on the host: sums of four texels, by quarters.
void add_mipmaps(Scene& scene) {
    Random random = scene.random("mipmaps");
    static constexpr GLint kInternal[] = {GL_R32F, GL_RGBA32F, GL_RG16F};
    const GLuint texture = new_texture(GL_TEXTURE_2D);
    std::vector<float> texels = coarse(random, 256, 64);
    for (float& texel : texels) texel = texel > 1984 ? 1984 : texel;
    glTexImage2D(GL_TEXTURE_2D, 0, random.of(kInternal), 8, 8, 0, GL_RGBA, GL_FLOAT, texels.data());
    be_nearest(GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST);
    glGenerateMipmap(GL_TEXTURE_2D);
    bind(scene, "mipmap", GL_TEXTURE_2D, texture);
    scene.texts.frag_head += "uniform sampler2D mipmap;\n";
    scene.texts.frag_body +=
        "    c += uvec4(round(textureLod(mipmap, (vec2(at & 7) + 0.5) / 8.0 + 1.0 / 64.0, float(at.x & 3))));\n";
}

/// Four comparisons at a time.
void add_gather_compare(Scene& scene) {
    static constexpr GLint kComparisons[] = {GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL};
    static constexpr GLint kFormats[] = {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT32F};
    Random random = scene.random("gather_compare");
    const GLuint texture = new_compared_texture(random, kFormats, kComparisons);
    bind(scene, "compared", GL_TEXTURE_2D, texture);
    scene.texts.frag_head += "uniform sampler2DShadow compared;\n";
    static constexpr const char* kReads[] = {"textureGather(compared, vec2(at & 7) / 8.0, ",
                                             "textureGatherOffset(compared, vec2(at & 7) / 8.0, "};
    const int read = random.below(2);
    scene.texts.frag_body += std::string("    c += uvec4(") + kReads[read] + "float(at.y & 15) / 16.0 + 1.0 / 32.0" +
                             (read == 1 ? ", ivec2(3, -2)" : "") + ")) * 23u;\n";
}

/// Levels and layers of a texture as another format and target. Directions into cubes are away from edges of texels.
void add_texture_views(Scene& scene) {
    struct View {
        GLenum target, format;
        const char *type, *read;
        int layers;
    };
    static constexpr View kViews[] = {
        {GL_TEXTURE_2D, GL_R32UI, "usampler2D", "texelFetch(viewed, at & 3, at.x >> 2 & 1)", 1},
        {GL_TEXTURE_2D, GL_RG16I, "isampler2D", "texelFetch(viewed, at & 3, at.x >> 2 & 1)", 1},
        {GL_TEXTURE_2D, GL_RGBA8, "sampler2D", "round(texelFetch(viewed, at & 3, at.x >> 2 & 1) * 255.0)", 1},
        {GL_TEXTURE_2D_ARRAY, GL_RGBA8UI, "usampler2DArray", "texelFetch(viewed, ivec3(at, at.y >> 2) & 3, 0)", 4},
        {GL_TEXTURE_2D_ARRAY, GL_RGBA8I, "isampler2DArray", "texelFetch(viewed, ivec3(at & 3, at.y & 1), 1)", 2},
        {GL_TEXTURE_CUBE_MAP, GL_R32I, "isamplerCube",
         "textureLod(viewed, (vec3(at.x & 3, at.y & 3, (at.x >> 2) & 3) - 1.5) / vec3(3, 5, 7), 0.0)", 6}};
    Random random = scene.random("texture_views");
    const View& view = random.of(kViews);
    const GLuint texture = new_texture(GL_TEXTURE_2D_ARRAY);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 4, GL_RGBA8UI, 16, 16, 8);
    for (GLint level = 0; level < 4; level++)
        glTexSubImage3D(GL_TEXTURE_2D_ARRAY, level, 0, 0, 0, 16 >> level, 16 >> level, 8, GL_RGBA_INTEGER,
                        GL_UNSIGNED_BYTE, words(random, 2048).data());
    GLuint viewed = 0;
    glGenTextures(1, &viewed);
    glTextureView(viewed, view.target, texture, view.format, static_cast<GLuint>(random.below(2)), 2,
                  static_cast<GLuint>(random.below(9 - view.layers)), static_cast<GLuint>(view.layers));
    glBindTexture(view.target, viewed);
    be_nearest(view.target);
    bind(scene, "viewed", view.target, viewed);
    scene.texts.frag_head += "uniform " + std::string(view.type) + " viewed;\n";
    scene.texts.frag_body += std::string("    c += uvec4(") + view.read + ");\n";
}

}  // namespace scenes
