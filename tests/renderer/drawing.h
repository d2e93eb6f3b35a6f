// A renderer on lavapipe with a target of 16 x 16 texels, and commands that fill it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../virgl/encode.h"
#include "renderer/renderer.h"

namespace tgsi2spv::host {
using namespace virgl;
using virgl::test::bits;
using virgl::test::Buffer;
using virgl::test::command;
using virgl::test::operator+;
using virgl::test::text_words;
using Id = CommandId;
using O = ObjectType;
using Names = std::vector<std::string>;

inline constexpr uint32_t kSize = 16, kBgra = 1, kFloats = 31;
inline constexpr uint32_t kGreen = 0xff00ff00, kDrawn = 0xff8000ff;  // the clear of scene(), and its triangle
inline constexpr uint32_t kTarget = 1, kVertices = 2;
inline constexpr uint32_t kRasterizer = 1u << 1 | 1u << 14 | 1u << 29;  // depth clip, scissor, half-pixel centres
inline constexpr uint32_t kXyzw = 0 | 1 << 3 | 2 << 6 | 3 << 9;         // the swizzle of a sampler view

inline constexpr Box kWhole{0, 0, 0, kSize, kSize, 1};

inline constexpr const char* kVert =
    "VERT; DCL IN[0]; DCL IN[1]; DCL OUT[0], POSITION; DCL OUT[1], GENERIC[0]; MOV OUT[0], IN[0]; MOV OUT[1], IN[1]; "
    "END";
inline constexpr const char* kFrag =
    "FRAG; DCL IN[0], GENERIC[0], PERSPECTIVE; DCL OUT[0], COLOR; DCL CONST[0]; MUL OUT[0], IN[0], CONST[0]; END";

inline Buffer object(ObjectType type, const Buffer& words) {
    return virgl::test::create(type, words);
}

/// The number of the stage that a text begins with.
inline uint32_t stage_of(std::string_view text) {
    uint32_t stage = 0;
    for (const char* name : {"VERT", "FRAG", "GEOM", "TESS_CTRL", "TESS_EVAL", "COMP"}) {
        if (text.starts_with(name)) return stage;
        stage++;
    }
    ADD_FAILURE() << text;
    return 0;
}
/// A shader from a text of lines, which `; ` separates. `more`: what it captures, or the shared memory of COMP.
inline Buffer shader(uint32_t handle, std::string text, const Buffer& more = {0}) {
    for (size_t at = text.find("; "); at != std::string::npos; at = text.find("; ", at)) text.replace(at, 2, "\n");
    const auto bytes = static_cast<uint32_t>(text.size() + 1);
    return object(O::Shader,
                  Buffer{handle, stage_of(text), bytes, 300} + more + text_words(std::string(text.c_str(), bytes)));
}
inline Buffer bind_shader(uint32_t handle, uint32_t stage) {
    return command(Id::BindShader, {handle, stage});
}
/// A new shader, bound.
inline Buffer use(uint32_t handle, const std::string& text, const Buffer& more = {0}) {
    return shader(handle, text, more) + bind_shader(handle, stage_of(text));
}

inline Buffer bind(ObjectType type, uint32_t handle) {
    return command(Id::BindObject, {handle}, static_cast<uint32_t>(type));
}

/// GEOM that makes `strips` triangles of each, with OUT[0] at POSITION. `corner`: writes the corner @.
inline std::string geometry_of_triangles(const std::string& declared, const std::string& corner, uint32_t strips = 1) {
    std::string text =
        "GEOM; PROPERTY GS_INPUT_PRIMITIVE TRIANGLES; PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP; "
        "PROPERTY GS_MAX_OUTPUT_VERTICES 6; DCL IN[][0], POSITION; DCL OUT[0], POSITION; " +
        declared + "IMM[0] UINT32 {0, 0, 0, 0}; ";
    for (uint32_t i = 0; i < 3 * strips; i++) {
        text += corner + "EMIT IMM[0].xxxx; " + (i % 3 == 2 ? "ENDPRIM IMM[0].xxxx; " : "");
        for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) text[at] = "012"[i % 3];
    }
    return text + "END";
}

/// A new object, bound.
inline Buffer bind_new(ObjectType type, const Buffer& words) {
    return object(type, words) + bind(type, words[0]);
}
/// The constants of FRAG.
inline Buffer constants(float x, float y, float z, float w) {
    return command(Id::SetConstantBuffer, {1, 0, bits(x), bits(y), bits(z), bits(w)});
}
inline Buffer clear(float red, float green, float blue, float alpha) {
    return command(Id::Clear, {kClearColor0, bits(red), bits(green), bits(blue), bits(alpha), 0, 0, 0});
}
/// FRAG samples from a new view of a resource.
inline Buffer sample(uint32_t view, uint32_t resource, uint32_t format, uint32_t swizzle = kXyzw) {
    return object(O::SamplerView, {view, resource, format, 0, 0, swizzle}) + command(Id::SetSamplerViews, {1, 0, view});
}
/// Draws go to a new surface of a resource. `layers`: the first one, and the last one in the upper half.
inline Buffer framebuffer(uint32_t surface, uint32_t resource, uint32_t format, uint32_t layers = 0) {
    return object(O::Surface, {surface, resource, format, 0, layers}) +
           command(Id::SetFramebufferState, {1, 0, surface});
}

/// A triangle over all of the target, of which the scissor leaves the left half; the rest keeps the clear's colour.
inline Buffer scene() {
    return bind_new(O::Blend, {1, 0, 0, 0x78000000, 0, 0, 0, 0, 0, 0, 0}) +
           bind_new(O::Rasterizer, {2, kRasterizer, bits(1), 0, 0, bits(1), 0, 0, 0}) +
           bind_new(O::DepthStencilAlpha, {3, 0, 0, 0, 0}) +
           bind_new(O::VertexElements, {4, 0, 0, 0, kFloats, 16, 0, 0, kFloats}) + use(5, kVert) + use(6, kFrag) +
           framebuffer(7, kTarget, kBgra) +
           command(Id::SetViewportState, {0, bits(8), bits(8), bits(0.5F), bits(8), bits(8), bits(0.5F)}) +
           command(Id::SetScissorState, {0, 0, 8 | 16 << 16}) + command(Id::SetVertexBuffers, {32, 0, kVertices}) +
           constants(0.5F, 1, 1, 1) + clear(0, 1, 0, 1);
}
/// One side of a blit.
struct Side {
    uint32_t resource = kTarget, format = kBgra;
    Box box = kWhole;
};
/// `what`: the first word, kBlitColor and more. `scissor`: its end in x and y.
inline Buffer blit(uint32_t what, const Side& dst, const Side& src, uint32_t scissor = 0) {
    Buffer words{what, 0, scissor};
    for (const auto& [resource, format, box] : {dst, src})
        words = words + Buffer{resource, 0, format, box.x, box.y, box.z, box.width, box.height, box.depth};
    return command(Id::Blit, words);
}
inline Buffer whole_target() {
    return command(Id::SetScissorState, {0, 0, 16 | 16 << 16});
}
inline Buffer triangle() {
    return command(Id::DrawVbo, {0, 3, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
}

class Draws : public testing::Test {
  protected:
    void SetUp() override {
        testing::internal::CaptureStderr();
        start();
    }
    void TearDown() override {
        renderer_ = nullptr;
        const std::string log = testing::internal::GetCapturedStderr();
        EXPECT_THAT(log, testing::Not(testing::HasSubstr("validation:")));
    }
    void open() {
        auto made = make_renderer(options_);
        ASSERT_TRUE(made) << made.error();
        renderer_ = std::move(*made);
    }
    /// A new client of a device that lacks these.
    void restart_without(Names names) {
        options_.without = std::move(names);
        renderer_ = nullptr;  // one device in a process
        start();
    }
    /// A new client.
    virtual void start() {
        ASSERT_NO_FATAL_FAILURE(open());
        ASSERT_NO_FATAL_FAILURE(fill());
    }
    /// The target and the vertices.
    void fill() {
        make_texture(kTarget, kBgra);
        const std::array<std::array<float, 8>, 3> vertices = {
            {{-1, -1, 0, 1, 1, 0, 1, 1}, {3, -1, 0, 1, 1, 0, 1, 1}, {-1, 3, 0, 1, 1, 0, 1, 1}}};
        create({kVertices, 0, 64, kBindVertexBuffer, sizeof vertices, 1, 1, 1, 0, 0});
        write(kVertices, {0, 0, 0, sizeof vertices, 1, 1}, vertices);
    }
    using Place = std::source_location;
    /// Submits commands, which the renderer takes, or refuses.
    void run(const Buffer& commands, Place at = Place::current()) {
        expect(renderer_->submit(commands), Outcome::Done, at);
    }
    void refuse(const Buffer& commands, Place at = Place::current()) {
        expect(renderer_->submit(commands), Outcome::Refused, at);
    }
    static void expect(Outcome is, Outcome expected, Place at) {
        const testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "");
        EXPECT_EQ(is, expected);
    }
    void create(const ResourceRequest& request, Place at = Place::current()) {
        expect(renderer_->create_resource(request, nullptr), Outcome::Done, at);
    }
    /// A texture of the target's size.
    void make_texture(uint32_t handle, uint32_t format, uint32_t bind = kBindRenderTarget, uint32_t samples = 0) {
        create({handle, 2, format, bind, kSize, kSize, 1, 1, 0, samples});
    }
    void write(uint32_t handle, const Box& box, const auto& values, Place at = Place::current()) {
        expect(renderer_->write({handle, 0, 0, 0, box}, std::as_bytes(std::span(values))), Outcome::Done, at);
    }
    template <class T = uint32_t>
    std::vector<T> texels(uint32_t handle, const Box& box = kWhole, Place at = Place::current()) {
        std::vector<T> read(size_t{box.width} * box.height * box.depth);
        expect(renderer_->read({handle, 0, 0, 0, box}, std::as_writable_bytes(std::span(read))), Outcome::Done, at);
        return read;
    }
    std::vector<uint32_t> pixels(uint32_t handle = kTarget) { return texels(handle); }
    /// After these commands.
    std::vector<uint32_t> pixels_after(const Buffer& commands, Place at = Place::current()) {
        run(commands, at);
        return pixels();
    }
    uint32_t first_pixel(const Buffer& commands, Place at = Place::current()) { return pixels_after(commands, at)[0]; }
    void make_buffer(uint32_t handle, uint32_t bind, const Buffer& words) {
        const auto bytes = static_cast<uint32_t>(4 * words.size());
        create({handle, 0, 64, bind, bytes, 1, 1, 1, 0, 0});
        write(handle, {0, 0, 0, bytes, 1, 1}, words);
    }
    std::vector<uint32_t> words_of(uint32_t handle, uint32_t count) {
        std::vector<uint32_t> words(count);
        const TransferRequest all{handle, 0, 0, 0, {0, 0, 0, 4 * count, 1, 1}};
        EXPECT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(words))), Outcome::Done);
        return words;
    }
    HostOptions options_{.device = "llvmpipe", .validate = true};
    std::unique_ptr<Renderer> renderer_;
};

}  // namespace tgsi2spv::host
