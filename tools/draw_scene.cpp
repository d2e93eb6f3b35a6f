#include "draw_scene.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "files.h"
#include "lower/spec_constants.h"
#include "tgsi/names.h"

namespace tools {

using namespace tgsi2spv;
using json = nlohmann::json;

namespace {

constexpr size_t kMostText = 16u << 20;
constexpr uint32_t kMostPixels = 4096;

constexpr tgsi::Stage kPipeline[] = {tgsi::Stage::Vertex, tgsi::Stage::TessControl, tgsi::Stage::TessEval,
                                     tgsi::Stage::Geometry, tgsi::Stage::Fragment};

uint32_t word(float x) {
    return std::bit_cast<uint32_t>(x);
}

/// Numbers in arrays of any depth, in order.
void flatten(const json& value, std::vector<float>& out) {
    if (value.is_array()) {
        for (const json& v : value) flatten(v, out);
    } else {
        out.push_back(value.get<float>());
    }
}

std::vector<float> floats(const json& value) {
    std::vector<float> out;
    flatten(value, out);
    return out;
}

SceneTexture texture(const json& j) {
    SceneTexture t;
    t.width = j.value("width", 1u);
    t.height = j.value("height", 1u);
    t.linear = j.value("filter", "nearest") == "linear";
    t.clamp = j.value("wrap", "repeat") == "clamp";
    if (j.contains("data")) t.rgba = floats(j.at("data"));
    return t;
}

/// Text as it stands (a string of several lines, an array of lines), or a file's name.
std::string shader_text(const json& j, const std::string& folder, std::string& error) {
    if (j.is_array()) {
        std::string text;
        for (const json& line : j) text += line.get<std::string>() + "\n";
        return text;
    }
    auto text = j.get<std::string>();
    if (text.find('\n') != std::string::npos) return text;
    return read_file(folder.empty() ? text : folder + "/" + text, kMostText, error).value_or("");
}

const std::map<std::string, VkPrimitiveTopology>& topologies() {
    static const std::map<std::string, VkPrimitiveTopology> names{
        {"points", VK_PRIMITIVE_TOPOLOGY_POINT_LIST},
        {"lines", VK_PRIMITIVE_TOPOLOGY_LINE_LIST},
        {"line_strip", VK_PRIMITIVE_TOPOLOGY_LINE_STRIP},
        {"triangles", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
        {"triangle_strip", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP},
        {"triangle_fan", VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN},
        {"patches", VK_PRIMITIVE_TOPOLOGY_PATCH_LIST},
    };
    return names;
}

void read_state(const json& j, Scene& scene) {
    namespace spec = lower::spec;
    lower::State& s = scene.state;
    const auto set = [&](uint32_t id, uint32_t value) { scene.constants.push_back({id, value}); };
    // A switch that is a flag or a mask.
    const auto flag = [&](const char* name, bool& on, uint32_t id) {
        if (!j.contains(name)) return;
        on = true;
        const json& v = j.at(name);
        set(id, v.is_boolean() ? v.get<bool>() : v.get<uint32_t>());
    };
    flag("two_sided", s.two_sided, spec::kTwoSided);
    flag("depth_range", s.depth_range, spec::kDepthRange);
    flag("flip_y", s.flip_y, spec::kFlipY);
    flag("coord_origin", s.coord_origin, spec::kInvertOrigin);
    flag("pixel_center", s.pixel_center, spec::kOtherPixelCenter);
    flag("clip_enable", s.clip_enable, spec::kClipEnable);
    flag("clamp_vertex_color", s.clamp_vertex_color, spec::kClampVertexColor);
    flag("clamp_fragment_color", s.clamp_fragment_color, spec::kClampFragmentColor);
    flag("alpha_to_one", s.alpha_to_one, spec::kAlphaToOne);
    flag("sample_mask", s.sample_mask, spec::kSampleMask);
    flag("bgra_attributes", s.bgra_attributes, spec::kBgraAttributes);
    flag("bgra_targets", s.bgra_targets, spec::kBgraTargets);
    s.flat_shade = j.value("flat_shade", false);
    if (j.contains("alpha_test")) {
        s.alpha_test = true;
        set(spec::kAlphaFunc, j.at("alpha_test").at("func").get<uint32_t>());
        set(spec::kAlphaReference, word(j.at("alpha_test").at("ref").get<float>()));
    }
    if (j.contains("point_size")) {
        s.point_size = true;
        set(spec::kPointSize, word(j.at("point_size").get<float>()));
        set(spec::kPointSizePerVertex, 0);
    }
    if (j.contains("sprites")) {
        const json& sprites = j.at("sprites");
        s.sprites =
            sprites.value("semantic", "GENERIC") == "TEXCOORD" ? lower::Sprites::TexCoord : lower::Sprites::Generic;
        set(spec::kSpriteMask, sprites.at("mask").get<uint32_t>());
        set(spec::kSpriteLowerLeft, sprites.value("lower_left", false));
    }
    scene.state_words.resize(size_t{4} * lower::state_buffer::kElements);
    if (j.contains("clip_planes")) {
        const std::vector<float> planes = floats(j.at("clip_planes"));
        s.clip_planes = static_cast<uint8_t>(std::min<size_t>(planes.size() / 4, 8));
        for (size_t i = 0; i < size_t{4} * s.clip_planes; ++i)
            scene.state_words[4 * lower::state_buffer::kClipPlanes + i] = word(planes[i]);
        set(spec::kClipEnable, (1u << s.clip_planes) - 1);
    }
    if (j.contains("polygon_stipple")) {
        s.polygon_stipple = true;
        set(spec::kPolygonStipple, 1);
        const json& rows = j.at("polygon_stipple");
        for (size_t i = 0; i < 32 && !rows.empty(); ++i)
            scene.state_words[4 * lower::state_buffer::kStipple + i] =
                static_cast<uint32_t>(std::stoul(rows.at(i % rows.size()).get<std::string>(), nullptr, 16));
    }
}

bool read_shaders(const json& j, const std::string& folder, Scene& scene, std::string& error) {
    const json& shaders = j.at("shaders");
    for (const tgsi::Stage stage : kPipeline) {
        const std::string name(tgsi::name(stage));
        if (!shaders.contains(name)) continue;
        SceneShader shader;
        shader.stage = stage;
        shader.text = shader_text(shaders.at(name), folder, error);
        if (!error.empty()) return false;
        const json none = json::object();
        const auto of_stage = [&](const char* what) { return j.value(what, none).value(name, none); };
        const json constants = of_stage("constants"), textures = of_stage("textures");
        for (const auto& [index, values] : constants.items())
            shader.constants[static_cast<uint32_t>(std::stoul(index))] = floats(values);
        for (const auto& [index, values] : textures.items()) {
            const SceneTexture t = texture(values);
            if (t.rgba.size() != size_t{4} * t.width * t.height || t.rgba.empty()) {
                error = fmt::format("texture {} of {}: {} numbers are not four for each of {} x {} texels", index, name,
                                    t.rgba.size(), t.width, t.height);
                return false;
            }
            shader.textures[static_cast<uint32_t>(std::stoul(index))] = t;
        }
        scene.shaders.push_back(std::move(shader));
    }
    return true;
}

bool read_vertices(const json& j, Scene& scene, std::string& error) {
    if (!j.contains("vertices")) return true;
    for (const json& attribute : j.at("vertices")) {
        scene.attributes.push_back(floats(attribute));
        if (scene.attributes.back().size() == scene.attributes[0].size() && scene.attributes[0].size() % 4 == 0)
            continue;
        error = "vertices: each attribute has four numbers a vertex, of as many vertices";
        return false;
    }
    return true;
}

}  // namespace

tl::expected<Scene, std::string> read_scene(const std::string& text, const std::string& folder) {
    Scene scene;
    std::string error;
    try {
        const json j = json::parse(text);
        scene.width = j.value("width", 64u);
        scene.height = j.value("height", 64u);
        if (scene.width == 0 || scene.height == 0 || scene.width > kMostPixels || scene.height > kMostPixels)
            return tl::unexpected<std::string>("width and height are from 1 to 4096");
        if (j.contains("clear")) scene.clear = j.at("clear").get<std::array<float, 4>>();
        const auto topology = topologies().find(j.value("topology", "triangles"));
        if (topology == topologies().end())
            return tl::unexpected<std::string>("topology: " + j.at("topology").get<std::string>() + " is none");
        scene.topology = topology->second;
        read_state(j.value("state", json::object()), scene);
        if (!read_shaders(j, folder, scene, error) || !read_vertices(j, scene, error))
            return tl::unexpected<std::string>(error);
    } catch (const std::exception& e) {  // what the JSON library throws
        return tl::unexpected<std::string>(e.what());
    }
    return scene;
}

}  // namespace tools
