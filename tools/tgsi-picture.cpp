// tgsi-picture: a square with a FRAG shader, as a scene: drawn on a Vulkan device, computed with the reference,
// compared.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "complain.h"
#include "device_main.h"
#include "draw_job.h"
#include "files/files.h"
#include "files/png.h"
#include "harness/device.h"
#include "options.h"
#include "paths.h"
#include "scene/render.h"
#include "scene/stages.h"
#include "tgsi/names.h"
#include "tgsi/semantics.h"
#include "vulkan/floats.h"
#include "vulkan/instance.h"

namespace {

using namespace tgsi2spv;

constexpr int kAgree = 0, kRefused = 1, kUsage = 2;
constexpr size_t kMaxText = 16u << 20;
constexpr unsigned kMaxConstant = 4095;

struct Arguments {
    std::string fragment, vertex, out, device;
    std::vector<std::string> constants;  ///< "1=0.5,0,0,1"
    uint32_t size = 256;
};

int complain(int status, const std::string& message) {
    return tools::complain("tgsi-picture", status, message);
}

/// A texture to look at: a smooth gradient over a checkerboard.
scene::SceneTexture example_texture() {
    constexpr uint32_t kSize = 32;
    scene::SceneTexture t{kSize, kSize, {}, true, scene::Wrap::ClampToEdge};
    for (uint32_t y = 0; y < kSize; y++)
        for (uint32_t x = 0; x < kSize; x++) {
            const float u = static_cast<float>(x) / (kSize - 1), v = static_cast<float>(y) / (kSize - 1);
            const float ground = ((x / 4 + y / 4) & 1) != 0 ? 1.0f : 0.45f;
            for (const float f : {u * ground, v * ground, (1 - 0.5f * (u + v)) * ground, 1.0f})
                t.rgba.push_back(std::round(f * 255.0f) / 255.0f);
        }
    return t;
}

/// A strip of two triangles that fills the picture. IN[0] of VERT is its corner (−1 or 1, −1 or 1, 0, 1), IN[1] its
/// texture coordinate (0 or 1, 0 or 1, 0, 1), with (0, 0) at the top left.
scene::Scene square(uint32_t size) {
    scene::Scene s;
    s.width = s.height = size;
    s.clear = {0, 0, 0, 0};
    s.topology = scene::Topology::TriangleStrip;
    s.attributes.resize(2);
    for (const auto& [x, y] : {std::array{-1.0f, -1.0f}, {1, -1}, {-1, 1}, {1, 1}})
        for (const auto& [in, values] :
             {std::pair{0, std::array{x, y, 0.0f, 1.0f}}, {1, {(x + 1) / 2, (y + 1) / 2, 0, 1}}})
            for (const float value : values)
                s.attributes[static_cast<size_t>(in)].push_back(std::bit_cast<uint32_t>(value));
    s.prepared.depth_range = s.state.depth_halfz = true;  // depth 0 stays 0
    return s;
}

/// Reads a shader into the scene. Only FRAG has resources: SAMP[0] is the example texture.
tl::expected<void, std::string> add_shader(scene::Scene& scene, const std::string& path, tgsi::Stage stage) {
    scene::Shader shader;
    shader.stage = stage;
    shader.name = path;
    auto text = read_file(path, kMaxText);
    if (!text) return tl::unexpected(cannot_read(path, text.error()));
    shader.text = std::move(*text);
    if (stage == tgsi::Stage::Fragment) shader.textures[0] = example_texture();
    scene.shaders.push_back(std::move(shader));
    return {};
}

/// A VERT that gives every input of FRAG the texture coordinate.
tl::expected<scene::Shader, std::string> passthrough(const scene::Shader& fragment) {
    const auto parsed = scene::parse(fragment);
    if (!parsed) return tl::unexpected(parsed.error());
    std::string declarations = "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\n", moves = "MOV OUT[0], IN[0]\n";
    int out = 0;
    tgsi::for_each_semantic(
        parsed->program, tgsi::File::Input, [&](int32_t, const tgsi::Declaration& d, uint32_t index) {
            using enum tgsi::Semantic;
            if (d.semantic == Position || d.semantic == Face || d.semantic == PCoord) return;  // not the vertices'
            declarations += fmt::format("DCL OUT[{}], {}[{}]\n", ++out, tgsi::name(d.semantic), index);
            moves += fmt::format("MOV OUT[{}], IN[1]\n", out);
        });
    scene::Shader shader;
    shader.stage = tgsi::Stage::Vertex;
    shader.name = "the built-in vertex shader";
    shader.text = declarations + moves + "END\n";
    return shader;
}

/// Takes registers of constant buffer 0, each "I=X,Y,Z,W"; values that are left out are 0. Returns the error, or an
/// empty string.
std::string add_constants(scene::Shader& shader, const std::vector<std::string>& constants) {
    for (const std::string& given : constants) {
        unsigned number = 0;
        int at = 0;
        std::array<float, 4> v{};
        const int read = std::sscanf(given.c_str(), "%4u=%f%n,%f%n,%f%n,%f%n", &number, &v[0], &at, &v[1], &at, &v[2],
                                     &at, &v[3], &at);
        if (read < 2 || static_cast<size_t>(at) != given.size() || number > kMaxConstant)
            return fmt::format("--constant {}: expected I=X,Y,Z,W with I up to {}", given, kMaxConstant);
        std::vector<float>& words = shader.constants[0];
        words.resize(std::max<size_t>(words.size(), 4 * (number + 1)));
        std::copy(v.begin(), v.end(), words.begin() + 4 * static_cast<ptrdiff_t>(number));
    }
    return {};
}

/// Why the shaders cannot draw the square; empty if they can. Stages are compared here, since the scene's JSON, which
/// names them, is missing.
std::string why_not(const scene::Scene& scene) {
    for (const scene::Shader& shader : scene.shaders) {
        const auto parsed = scene::parse(shader);
        if (!parsed) return parsed.error();
        if (parsed->program.stage != shader.stage)
            return fmt::format("{}: found a {} shader, expected {}", shader.name, tgsi::name(parsed->program.stage),
                               tgsi::name(shader.stage));
    }
    return {};
}

int write(const std::string& path, uint32_t size, const std::vector<uint8_t>& rgba) {
    const auto png = png_bytes(size, size, rgba);
    if (!png) return complain(kUsage, path + ": " + png.error());
    if (const std::string error = write_file(path, *png); !error.empty())
        return complain(kUsage, cannot_write(path, error));
    fmt::print("{}\n", path);
    return kAgree;
}

int report(const std::string& device, uint32_t size, const scene::Verdict& verdict) {
    const size_t all = size_t{size} * size;
    if (verdict.unknown == all)
        return complain(kRefused,
                        fmt::format("nothing could be compared: all {} pixels are unknown to the reference", all));
    const std::string unknown =
        verdict.unknown == 0 ? "" : fmt::format("; {} pixels are unknown to the reference", verdict.unknown);
    if (verdict.wrong == 0) {
        fmt::print("{} and the reference agree: {} x {} pixels{}\n", device, size, size, unknown);
        return kAgree;
    }
    fmt::print("{} and the reference DISAGREE: {} of {} x {} pixels differ, the first at {}{}\n", device, verdict.wrong,
               size, size, verdict.first, unknown);
    return kRefused;
}

int draw(const Arguments& arguments) {
    if (arguments.fragment.empty()) return complain(kUsage, "expected a FRAG shader (see --help)");
    const std::string drawn_path = arguments.out + "-vulkan.png", computed_path = arguments.out + "-reference.png";
    if (const std::string why = tools::conflict({arguments.fragment, arguments.vertex}, {drawn_path, computed_path});
        !why.empty())
        return complain(kUsage, why);
    scene::Scene scene = square(arguments.size & ~1u);
    if (!arguments.vertex.empty())
        if (auto read = add_shader(scene, arguments.vertex, tgsi::Stage::Vertex); !read)
            return complain(kUsage, read.error());
    if (auto read = add_shader(scene, arguments.fragment, tgsi::Stage::Fragment); !read)
        return complain(kUsage, read.error());
    if (const std::string why = add_constants(scene.shaders.back(), arguments.constants); !why.empty())
        return complain(kUsage, why);
    if (arguments.vertex.empty()) {
        auto vertex = passthrough(scene.shaders.back());
        if (!vertex) return complain(kRefused, vertex.error());
        scene.shaders.insert(scene.shaders.begin(), std::move(*vertex));
    }
    auto instance = vulkan::Instance::create({});
    if (!instance) return complain(kUsage, instance.error().message);
    auto info = (*instance)->find_or_default(arguments.device);
    if (!info) return complain(kUsage, info.error().message);
    auto device = vulkan::Device::create(**instance, *info);
    if (!device) return complain(kUsage, device.error().message);
    const auto& limits = (*device)->report().limits;
    scene.precision = {limits.subTexelPrecisionBits, limits.mipmapPrecisionBits};

    if (const std::string why = why_not(scene); !why.empty()) return complain(kRefused, why);
    // The reference first, since a driver that draws a shader without an end cannot be stopped.
    const auto computed = scene::render(scene, scene.state);
    if (!computed) return complain(kRefused, computed.error());
    const auto modules = tools::convert_scene(scene);
    if (!modules) return complain(kRefused, modules.error());
    const auto drawn = tools::draw_scene(**device, scene, *modules, tools::spec_values(scene, scene.state));
    if ((*device)->changed_floats) complain(kAgree, info->name + ": " + vulkan::kChangesFloats);
    if (!drawn) return complain(kRefused, sentence(drawn.error()));
    if (const int failed = write(drawn_path, scene.width, *drawn)) return failed;
    if (const int failed = write(computed_path, scene.width, scene::plain_bytes(*computed))) return failed;
    return report(info->name, scene.width, scene::compare(*computed, *drawn));
}

int run_tool(int argc, char** argv) {
    tools::App app{
        "Draw a square with a FRAG shader on Vulkan and with the reference, and compare the pictures.\n\n"
        "  tgsi-picture shaders/frag/textured.tgsi -o out\n\n"
        "This writes out-vulkan.png and out-reference.png. SAMP[0] is an example texture, filtered linearly."};
    Arguments a;
    app.add_option("FRAG,--fragment", a.fragment, "Fragment shader");
    app.add_option(
           "--vertex", a.vertex,
           "Vertex shader: IN[0] is the corner, IN[1] the texture coordinate (default: every input of FRAG is the "
           "texture coordinate)")
        .type_name("FILE");
    app.add_option("--constant", a.constants, "CONST[I] of FRAG; repeatable").type_name("I=X,Y,Z,W").repeatable();
    app.add_option("-o,--output", a.out, "Prefix of the two PNG files").type_name("PREFIX").required();
    app.add_option("--size", a.size, "Width and height in pixels, rounded down to an even number (default: 256)")
        .check(tools::NumberRange{2, 1024});
    app.add_option("--device", a.device, "Vulkan device: its number, UUID or a part of its name").type_name("DEVICE");
    app.set_version_flag("--version", "tgsi-picture " TGSI2SPV_TOOL_VERSION);
    app.footer(
        "Exit status: 0 the pictures agree; 1 they differ, nothing could be compared, or a shader was rejected or does "
        "not\nend; 2 usage or I/O error, or no such device.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return draw(a);
}

}  // namespace

int main(int argc, char** argv) {
    return tools::device_main("tgsi-picture", [&] { return run_tool(argc, argv); });
}
