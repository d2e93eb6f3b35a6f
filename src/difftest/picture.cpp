#include "difftest/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "api/convert.h"
#include "api/stage.h"
#include "difftest/bind.h"
#include "difftest/run_parts.h"
#include "difftest/run_vulkan.h"
#include "tgsi/check.h"
#include "tgsi/formats.h"
#include "tgsi/names.h"
#include "tgsi/survey.h"
#include "vulkan/job.h"

namespace tgsi2spv::difftest {

uint8_t to_byte(uint32_t word) {
    const auto value = std::bit_cast<float>(word);
    if (!(value > 0)) return 0;
    return static_cast<uint8_t>(std::lrint(std::min(value, 1.0f) * 255.0f));
}

namespace {

using Error = tl::unexpected<std::string>;

struct Corner {
    float x, y, u, v;
};
/// A strip of two triangles; y points down, as in the framebuffer.
constexpr Corner kCorners[] = {{-1, -1, 0, 0}, {1, -1, 1, 0}, {-1, 1, 0, 1}, {1, 1, 1, 1}};

/// Returns the first error as tgsi2spv shows it.
std::string rendered_error(const std::vector<tgsi::Diagnostic>& diagnostics, std::string_view what,
                           std::string_view text) {
    const auto* const error = find_error(diagnostics);
    return error != nullptr ? tgsi::render(*error, what, text) : fmt::format("{}: rejected without a reason", what);
}

vulkan::Attribute attribute(uint32_t location, float Corner::*first, float Corner::*second) {
    vulkan::Attribute a;
    a.location = location;
    for (const Corner& c : kCorners) {
        const float value[4] = {c.*first, c.*second, 0, 1};
        const auto* bytes = reinterpret_cast<const uint8_t*>(value);
        a.data.insert(a.data.end(), bytes, bytes + sizeof value);
    }
    return a;
}

struct Parsed {
    tgsi::Program program;
    tgsi::Registers registers;
};

/// Refuses shaders of another stage, with which Vulkan cannot make a pipeline.
tl::expected<void, std::string> expect_stage(const tgsi::Program& program, tgsi::Stage stage, std::string_view what) {
    if (program.stage == stage) return {};
    return Error(fmt::format("{}: found a {} shader, expected {}", what, tgsi::name(program.stage), tgsi::name(stage)));
}

tl::expected<Parsed, std::string> parse(std::string_view text, tgsi::Stage stage, std::string_view what) {
    Parsed p;
    std::vector<tgsi::Diagnostic> diagnostics;
    if (!tgsi::parse(text, {}, p.program, diagnostics) || !tgsi::check(p.program, {}, diagnostics))
        return Error(rendered_error(diagnostics, what, text));
    if (auto right = expect_stage(p.program, stage, what); !right) return Error(right.error());
    p.registers = tgsi::gather(p.program);
    return p;
}

/// Refuses a VERT that reads more than its attributes: the scene's resources are those of FRAG.
tl::expected<void, std::string> expect_no_resources(const tgsi::Registers& registers, std::string_view what) {
    constexpr tgsi::FileSet kResources =
        tgsi::file_set({tgsi::File::Const, tgsi::File::Sampler, tgsi::File::SamplerView, tgsi::File::Image,
                        tgsi::File::Buffer, tgsi::File::ConstBuf, tgsi::File::HwAtomic, tgsi::File::Resource});
    for (const tgsi::Range& r : registers.ranges)
        if (tgsi::contains(kResources, r.file))
            return Error(fmt::format("{}: reads {}, but a picture has resources for FRAG alone; tgsi-draw draws scenes",
                                     what, tgsi::name(r.file)));
    return {};
}

/// Returns the register of a file that has a semantic; -1 if there is none.
int32_t find(const Parsed& p, tgsi::File file, tgsi::Semantic semantic, uint32_t index) {
    for (const auto& d : p.program.declarations)
        if (d.file == file && d.semantic == semantic && index >= d.semantic_index &&
            index - d.semantic_index <= static_cast<uint32_t>(d.last - d.first))
            return d.first + static_cast<int32_t>(index - d.semantic_index);
    return -1;
}

reference::Vec4 floats(float x, float y, float z, float w) {
    return {std::bit_cast<uint32_t>(x), std::bit_cast<uint32_t>(y), std::bit_cast<uint32_t>(z),
            std::bit_cast<uint32_t>(w)};
}

/// Returns the value of a varying at (u, v) in the square. Corners have w = 1, so it is affine.
reference::Vec4 interpolate(const reference::OutputLanes& corners, float u, float v) {
    reference::Vec4 out{};
    for (size_t c = 0; c < 4; c++) {
        const auto at = [&](size_t i) { return double{std::bit_cast<float>(corners[i][c].value)}; };
        const double value = at(0) + u * (at(1) - at(0)) + v * (at(2) - at(0));
        out[c] = std::bit_cast<uint32_t>(static_cast<float>(value));
    }
    return out;
}

/// Returns the value at the provoking vertex, the first of each triangle of the strip. On the diagonal either triangle
/// may be drawn.
reference::Vec4 provoked(const reference::OutputLanes& corners, float u, float v) {
    reference::Vec4 out{};
    for (size_t c = 0; c < 4; c++) out[c] = corners[u + v < 1 ? 0 : 1][c].value;
    return out;
}
bool differ_on_diagonal(const reference::OutputLanes& corners) {
    for (size_t c = 0; c < 4; c++)
        if (corners[0][c].value != corners[1][c].value) return true;
    return false;
}

/// Whether POSITION of each vertex is its corner; its depth, within the clip volume, does not matter.
bool fills_the_picture(const Parsed& vertex, const reference::Result& result) {
    const auto written = result.outputs.find(find(vertex, tgsi::File::Output, tgsi::Semantic::Position, 0));
    if (written == result.outputs.end()) return false;
    for (size_t i = 0; i < std::size(kCorners); i++) {
        const auto component = [&](size_t c) { return std::bit_cast<float>(written->second[i][c].value); };
        const float depth = component(2);
        if (component(0) != kCorners[i].x || component(1) != kCorners[i].y || component(3) != 1) return false;
        if (!(depth >= 0 && depth <= 1)) return false;
    }
    return true;
}

/// Returns POSITION of a pixel of the square, which is at depth 0 with w = 1.
reference::Vec4 position(const tgsi::Program& program, uint32_t size, uint32_t x, uint32_t y) {
    const bool lower_left = program.property(tgsi::Property::FsCoordOrigin) == 1;
    const float centre = program.property(tgsi::Property::FsCoordPixelCenter) == 1 ? 0.0f : 0.5f;
    const uint32_t row = lower_left ? size - 1 - y : y;
    return floats(static_cast<float>(x) + centre, static_cast<float>(row) + centre, 0, 1);
}

}  // namespace

tl::expected<Picture, std::string> draw(vulkan::Device& device, const Scene& scene) {
    api::Options options;
    options.capabilities = capabilities_of(device.report());
    options.lower.convert_depth_range = false;
    api::Context vertex, fragment;
    if (!api::convert(vertex, scene.vertex, options))
        return Error(rendered_error(vertex.diagnostics, scene.vertex_name, scene.vertex));
    if (!api::convert(fragment, scene.fragment, options))
        return Error(rendered_error(fragment.diagnostics, scene.fragment_name, scene.fragment));
    if (auto right = expect_stage(vertex.program, tgsi::Stage::Vertex, scene.vertex_name); !right)
        return Error(right.error());
    if (auto right = expect_stage(fragment.program, tgsi::Stage::Fragment, scene.fragment_name); !right)
        return Error(right.error());

    if (auto right = expect_no_resources(vertex.registers, scene.vertex_name); !right) return Error(right.error());

    vulkan::Job job;
    job.vertex.words = vertex.words;
    job.fragment.words = fragment.words;
    job.fragment.constants = {
        {lower::spec::kFramebufferHeight, std::bit_cast<uint32_t>(static_cast<float>(scene.size))}};
    job.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    job.vertex_count = 4;
    job.attributes = {attribute(0, &Corner::x, &Corner::y), attribute(1, &Corner::u, &Corner::v)};
    job.width = job.height = job.viewport_width = job.viewport_height = scene.size;
    job.attachments = {{VK_FORMAT_R8G8B8A8_UNORM, 4, {}}};
    if (auto bound = bind_resources(fragment.program, api::reflect(fragment, options), scene.inputs, job, {}); !bound)
        return Error(bound.error().message);
    auto ran = vulkan::run(device, job);
    if (!ran) return Error(sentence(ran.error()));
    return Picture{scene.size, scene.size, std::move(ran->attachments[0])};
}

namespace {

/// What the reference computes for the corners: VERT's outputs.
tl::expected<reference::Result, std::string> run_vertex(const Parsed& vertex, const Scene& scene) {
    reference::Inputs corners;
    corners.lanes = 4;
    for (const Corner& c : kCorners) {
        corners.inputs[{0, 0}].push_back(floats(c.x, c.y, 0, 1));
        corners.inputs[{0, 1}].push_back(floats(c.u, c.v, 0, 1));
    }
    reference::Options options;
    options.exact = false;
    options.fast_values = true;
    options.most_instructions = reference::patience_for(corners.lanes);
    auto varyings = reference::run(vertex.program, vertex.registers, corners, options);
    if (!varyings.error.empty()) return Error(reference::refusal(varyings, scene.vertex_name, scene.vertex));
    if (!fills_the_picture(vertex, varyings))
        return Error(fmt::format("{}: its POSITION is not IN[0], the corner of a square; tgsi-draw draws scenes",
                                 scene.vertex_name));
    return varyings;
}

struct Pixel {
    uint32_t x, y;
};
/// Lanes come in quads, one row of quads after another.
Pixel pixel_of(uint32_t lane, uint32_t size) {
    const uint32_t quad = lane / 4, row = size / 2;
    return {quad % row * 2 + (lane & 1), quad / row * 2 + (lane >> 1 & 1)};
}

/// FRAG's inputs, a lane for each pixel.
struct PixelInputs {
    reference::Inputs inputs;
    /// Whether each flat varying is alike in both triangles, so that it does not matter which is drawn on the diagonal.
    bool diagonal_is_known = true;
};

PixelInputs inputs_of_pixels(const Parsed& vertex, const reference::Result& varyings, const Parsed& fragment,
                             const Scene& scene) {
    const uint32_t size = scene.size;
    PixelInputs made{scene.inputs};
    reference::Inputs& inputs = made.inputs;
    inputs.lanes = size * size;
    inputs.framebuffer_width = inputs.framebuffer_height = size;
    for (const auto& d : fragment.program.declarations) {
        if (d.file != tgsi::File::Input) continue;
        if (d.semantic == tgsi::Semantic::Position) {
            auto& values = inputs.inputs[{0, d.first}];
            for (uint32_t lane = 0; lane < inputs.lanes; lane++) {
                const Pixel at = pixel_of(lane, size);
                values.push_back(position(fragment.program, size, at.x, at.y));
            }
            continue;
        }
        const bool flat = d.interpolation == tgsi::Interpolation::Constant;
        for (int32_t i = d.first; i <= d.last; i++) {
            const int32_t from =
                find(vertex, tgsi::File::Output, d.semantic, d.semantic_index + static_cast<uint32_t>(i - d.first));
            const auto written = varyings.outputs.find(from);
            if (from < 0 || written == varyings.outputs.end()) continue;
            const auto value = flat ? provoked : interpolate;
            made.diagonal_is_known = made.diagonal_is_known && !(flat && differ_on_diagonal(written->second));
            auto& values = inputs.inputs[{0, i}];
            for (uint32_t lane = 0; lane < inputs.lanes; lane++) {
                const Pixel at = pixel_of(lane, size);
                const auto scale = 1.0f / static_cast<float>(size);
                values.push_back(value(written->second, (static_cast<float>(at.x) + 0.5f) * scale,
                                       (static_cast<float>(at.y) + 0.5f) * scale));
            }
        }
    }
    return made;
}

Picture picture_of(const reference::Result& result, const reference::OutputLanes& colour, uint32_t size,
                   bool diagonal_is_known) {
    Picture picture{size, size, std::vector<uint8_t>(size_t{size} * size * 4), std::vector<bool>(size_t{size} * size)};
    for (uint32_t lane = 0; lane < size * size; lane++) {
        const Pixel p = pixel_of(lane, size);
        const size_t at = size_t{p.y} * size + p.x;
        if (!diagonal_is_known && p.x + p.y == size - 1) picture.unknown[at] = true;
        if (lane < result.killed_unknown.size() && result.killed_unknown[lane]) picture.unknown[at] = true;
        if (lane < result.killed.size() && result.killed[lane]) continue;
        for (size_t c = 0; c < 4; c++) {
            const reference::Component& word = colour[lane][c];
            picture.rgba[at * 4 + c] = to_byte(word.value);
            if (word.kind == reference::Kind::Unknown) picture.unknown[at] = true;
        }
    }
    return picture;
}

}  // namespace

tl::expected<Picture, std::string> compute(const Scene& scene, bool bounds) {
    const auto vertex = parse(scene.vertex, tgsi::Stage::Vertex, scene.vertex_name);
    if (!vertex) return Error(vertex.error());
    if (auto right = expect_no_resources(vertex->registers, scene.vertex_name); !right) return Error(right.error());
    const auto fragment = parse(scene.fragment, tgsi::Stage::Fragment, scene.fragment_name);
    if (!fragment) return Error(fragment.error());
    const auto varyings = run_vertex(*vertex, scene);
    if (!varyings) return Error(varyings.error());

    const PixelInputs pixels = inputs_of_pixels(*vertex, *varyings, *fragment, scene);
    reference::Options options;
    options.exact = false;
    options.fast_values = !bounds;
    options.most_instructions = reference::patience_for(pixels.inputs.lanes);
    const auto result = reference::run(fragment->program, fragment->registers, pixels.inputs, options);
    if (!result.error.empty()) return Error(reference::refusal(result, scene.fragment_name, scene.fragment));
    const auto colour = result.outputs.find(find(*fragment, tgsi::File::Output, tgsi::Semantic::Color, 0));
    if (colour == result.outputs.end()) return Error("the fragment shader writes no COLOR output");
    return picture_of(result, colour->second, scene.size, pixels.diagonal_is_known);
}

uint32_t difference(const Picture& expected, const Picture& got) {
    if (expected.rgba.size() != got.rgba.size()) return 255;
    uint32_t largest = 0;
    for (size_t i = 0; i < got.rgba.size(); i++)
        if (expected.unknown.empty() || !expected.unknown[i / 4])
            largest = std::max(largest, static_cast<uint32_t>(std::abs(int{expected.rgba[i]} - int{got.rgba[i]})));
    return largest;
}

size_t unknown_pixels(const Picture& picture) {
    return static_cast<size_t>(std::count(picture.unknown.begin(), picture.unknown.end(), true));
}

reference::Texture example_texture(uint32_t size) {
    reference::Texture t;
    t.target = tgsi::Target::T2D;
    t.format = *tgsi::format_from_name("R8G8B8A8_UNORM");
    t.width = t.height = size;
    t.data.emplace_back();
    for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++) {
            const float u = static_cast<float>(x) / static_cast<float>(size - 1);
            const float v = static_cast<float>(y) / static_cast<float>(size - 1);
            const float ground = ((x / 4 + y / 4) & 1) != 0 ? 1.0f : 0.45f;
            for (const float f : {u * ground, v * ground, (1 - 0.5f * (u + v)) * ground, 1.0f})
                t.data[0].push_back(std::bit_cast<uint32_t>(std::round(f * 255.0f) / 255.0f));
        }
    return t;
}

}  // namespace tgsi2spv::difftest
