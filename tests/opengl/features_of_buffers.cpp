// Features: buffers and images that shaders read and write, and computing between draws.
#include <memory>

#include "features.h"

namespace scenes {

namespace {

GLuint new_buffer(GLenum point, size_t words, const uint32_t* data) {
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(point, buffer);
    glBufferData(point, static_cast<GLsizeiptr>(words * 4), data, GL_DYNAMIC_COPY);
    return buffer;
}

void read_buffer(Scene& scene, const char* what, GLuint buffer, size_t words) {
    std::vector<uint32_t> data(words);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(words * 4), data.data());
    scene.read(what, data.data(), words * 4);
}

}  // namespace

void add_uniform_blocks(Scene& scene) {
    Random random = scene.random("uniform_blocks");
    std::array<uint32_t, 1024> words;
    for (uint32_t& word : words) word = random.next();
    const GLuint buffer = new_buffer(GL_UNIFORM_BUFFER, words.size(), words.data());
    scene.texts.frag_head += "layout(std140) uniform Numbers { uvec4 numbers[8]; } blocks[3];\nuniform int which;\n";
    scene.texts.frag_body += "    c += blocks[which].numbers[at.x & 7];\n";
    scene.with_program.emplace_back([&scene] {
        for (GLuint i = 0; i < 3; i++) {
            const std::string name = "Numbers[" + std::to_string(i) + "]";
            glUniformBlockBinding(scene.program, glGetUniformBlockIndex(scene.program, name.c_str()), i + 1);
        }
    });
    scene.before_draw.emplace_back([&scene, buffer](size_t n) {
        Random each = scene.random("uniform_blocks", n + 1);
        for (GLuint i = 0; i < 3; i++) glBindBufferRange(GL_UNIFORM_BUFFER, i + 1, buffer, each.below(8) * 256, 256);
        glUniform1i(scene.uniform("which"), each.below(3));
        if (!each.one_in(2)) return;
        const uint32_t word = each.next();  // between draws that read it
        glBindBuffer(GL_UNIFORM_BUFFER, buffer);
        glBufferSubData(GL_UNIFORM_BUFFER, each.below(64) * 16, 4, &word);
    });
}

/// Each vertex stores to a place of its own; the same word each time that it runs.
void add_vertex_stores(Scene& scene) {
    constexpr size_t kWords = 64;
    const std::array<uint32_t, kWords> none{};
    const GLuint buffer = new_buffer(GL_SHADER_STORAGE_BUFFER, kWords, none.data());
    scene.texts.vert_head += "layout(std430, binding = 2) buffer Stored { uint stored[]; };\nuniform uvec4 tone;\n";
    scene.texts.vert_end +=
        "    stored[gl_VertexID & 63] = tone.y + uint(gl_VertexID & 63) * 3u + uint(stored.length());\n";
    scene.before_draw.emplace_back([buffer](size_t) { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, buffer); });
    scene.at_end.emplace_back([&scene, buffer] { read_buffer(scene, "stored by vertices", buffer, kWords); });
}

/// Adds up, in an image, what each pixel's fragments have.
void add_pixel_counts(Scene& scene) {
    const auto texture = std::make_shared<GLuint>(0);
    Random random = scene.random("pixel_counts");
    glGenTextures(1, texture.get());
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, *texture);
    const std::vector<uint32_t> none(static_cast<size_t>(kWidth * kHeight));
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32UI, kWidth, kHeight, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, none.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    if (random.one_in(3) && !scene.has("frag_depth")) scene.texts.frag_head += "layout(early_fragment_tests) in;\n";
    scene.texts.frag_head += "layout(r32ui, binding = 1) uniform uimage2D counts;\n";
    scene.texts.frag_body += "    imageAtomicAdd(counts, ivec2(gl_FragCoord.xy), c.x & 0xFFu);\n";
    scene.before_draw.emplace_back(
        [texture](size_t) { glBindImageTexture(1, *texture, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI); });
    scene.at_end.emplace_back([&scene, texture] {
        std::vector<uint32_t> words(static_cast<size_t>(kWidth * kHeight));
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, *texture);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, words.data());
        scene.read("counts", words.data(), words.size() * 4);
    });
}

/// The number of fragments: atomic, so without an order.
void add_atomic_counters(Scene& scene) {
    static constexpr std::array<uint32_t, 4> kStart{5, 0, 100, 7};
    const GLuint buffer = new_buffer(GL_ATOMIC_COUNTER_BUFFER, kStart.size(), kStart.data());
    scene.texts.frag_head += "layout(binding = 0, offset = 4) uniform atomic_uint some, others;\n";
    scene.texts.frag_body +=
        "    if ((at.x & 1) == 0) atomicCounterIncrement(some); else atomicCounterDecrement(others);\n";
    scene.before_draw.emplace_back([buffer](size_t) { glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, buffer); });
    scene.at_end.emplace_back([&scene, buffer] { read_buffer(scene, "counters", buffer, kStart.size()); });
}

/// Between draws, turns the target around.
void add_compute_image(Scene& scene) {
    const char* const layout = scene.targets[0].image;
    if (layout == nullptr) return;
    static constexpr const char* kTypes[][2] = {
        {"image2D", "vec4"}, {"image2D", "vec4"}, {"iimage2D", "ivec4"}, {"uimage2D", "uvec4"}};
    const auto& types = kTypes[static_cast<size_t>(scene.targets[0].kind)];
    const GLuint program = compute_program(std::string("layout(local_size_x = 8, local_size_y = 4) in;\nlayout(") +
                                           layout + ") uniform " + types[0] + R"( picture;
void main() {
    ivec2 a = ivec2(gl_GlobalInvocationID.xy);
    ivec2 b = ivec2(31 - a.x, a.y);
    )" + types[1] + R"( word = imageLoad(picture, a);
    imageStore(picture, a, imageLoad(picture, b));
    imageStore(picture, b, word);
}
)");
    scene.after_draw.emplace_back([&scene, program](size_t) {
        glUseProgram(program);
        glBindImageTexture(0, scene.colours[0], 0, GL_FALSE, 0, GL_READ_WRITE, scene.targets[0].internal);
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
        glDispatchCompute(kWidth / 16, kHeight / 4, 1);
        glMemoryBarrier(GL_ALL_BARRIER_BITS);
        glUseProgram(scene.program);
    });
}

/// Between draws, changes numbers that FRAG reads.
void add_compute(Scene& scene) {
    const GLuint program = compute_program(R"(layout(local_size_x = 16) in;
layout(std430, binding = 3) buffer Results { uint results[]; };
shared uint partial[16];
uniform uint factor;
void main() {
    uint i = gl_LocalInvocationIndex;
    partial[i] = (gl_GlobalInvocationID.x + 1u) * factor;
    barrier();
    for (uint step = 8u; step > 0u; step >>= 1) {
        if (i < step) partial[i] += partial[i + step];
        barrier();
    }
    if (i == 0u) results[gl_WorkGroupID.x] += partial[0];
    atomicAdd(results[4], i);
}
)");
    constexpr size_t kWords = 8;
    const std::array<uint32_t, kWords> none{};
    const GLuint buffer = new_buffer(GL_SHADER_STORAGE_BUFFER, kWords, none.data());
    scene.texts.frag_head += "layout(std430, binding = 3) readonly buffer Results { uint results[]; };\n";
    scene.texts.frag_body += "    c.x += results[at.x & 7];\n";
    scene.before_draw.emplace_back([&scene, buffer, program](size_t n) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, buffer);
        glUseProgram(program);
        glUniform1ui(glGetUniformLocation(program, "factor"), scene.random("compute", n).next() >> 20);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);  // the draw before this one has read
        glDispatchCompute(4, 1, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
        glUseProgram(scene.program);
    });
    scene.at_end.emplace_back([&scene, buffer] { read_buffer(scene, "computed", buffer, kWords); });
}

}  // namespace scenes
