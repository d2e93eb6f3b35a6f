#include "scene/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "tgsi/names.h"

namespace tgsi2spv::scene {

using json = nlohmann::json;

namespace {

constexpr uint32_t kMostPixels = 4096;
constexpr size_t kMostPlanes = 8;
constexpr int kMostDepth = 64;

constexpr tgsi::Stage kPipeline[] = {tgsi::Stage::Vertex, tgsi::Stage::TessControl, tgsi::Stage::TessEval,
                                     tgsi::Stage::Geometry, tgsi::Stage::Fragment};

/// What is wrong with a scene; leaves read_scene() as its message, as what the JSON library throws does.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string shown(const json& j) {
    return j.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 40);
}

template <class T, size_t N>
T by_name(const std::pair<std::string_view, T> (&names)[N], const json& j, const char* what) {
    const auto name = j.get<std::string>();
    for (const auto& [known, value] : names)
        if (known == name) return value;
    throw Wrong(fmt::format("{}: {} is none", what, name));
}

constexpr std::pair<std::string_view, Topology> kTopologies[] = {{"points", Topology::Points},
                                                                 {"lines", Topology::Lines},
                                                                 {"line_strip", Topology::LineStrip},
                                                                 {"triangles", Topology::Triangles},
                                                                 {"triangle_strip", Topology::TriangleStrip},
                                                                 {"triangle_fan", Topology::TriangleFan},
                                                                 {"patches", Topology::Patches}};
constexpr std::pair<std::string_view, NumericType> kTypes[] = {
    {"float", NumericType::Float},     {"uint", NumericType::UInt},       {"sint", NumericType::SInt},
    {"uscaled", NumericType::UScaled}, {"sscaled", NumericType::SScaled}, {"fixed", NumericType::Fixed}};
constexpr std::pair<std::string_view, ResourceKind> kResourceKinds[] = {
    {"constant_buffer", ResourceKind::ConstantBuffer},
    {"combined_image", ResourceKind::CombinedImage},
    {"sampled_image", ResourceKind::SampledImage},
    {"sampler", ResourceKind::Sampler}};
constexpr std::pair<std::string_view, PolygonMode> kPolygonModes[] = {
    {"fill", PolygonMode::Fill}, {"line", PolygonMode::Line}, {"point", PolygonMode::Point}};
constexpr std::pair<std::string_view, Factor> kFactors[] = {{"zero", Factor::Zero},
                                                            {"one", Factor::One},
                                                            {"src_alpha", Factor::SrcAlpha},
                                                            {"inv_src_alpha", Factor::InvSrcAlpha},
                                                            {"src1_color", Factor::Src1Color},
                                                            {"inv_src1_color", Factor::InvSrc1Color},
                                                            {"src1_alpha", Factor::Src1Alpha},
                                                            {"inv_src1_alpha", Factor::InvSrc1Alpha}};

/// An integer that T holds; what the JSON library makes of others is no number, or undefined.
template <class T>
T whole(const json& j, std::string_view what) {
    const bool fits = j.is_number_unsigned() ? std::in_range<T>(j.get<uint64_t>())
                                             : j.is_number_integer() && std::in_range<T>(j.get<int64_t>());
    if (!fits) throw Wrong(fmt::format("{}: expected an integer that fits, found {}", what, shown(j)));
    return j.get<T>();
}
uint32_t whole_or(const json& j, const char* name, uint32_t standard) {
    return j.contains(name) ? whole<uint32_t>(j.at(name), name) : standard;
}

/// Numbers in arrays of any depth, in order.
void flatten(const json& value, std::vector<json>& out) {
    if (value.is_array())
        for (const json& v : value) flatten(v, out);
    else
        out.push_back(value);
}

std::vector<float> floats(const json& value) {
    std::vector<json> numbers;
    flatten(value, numbers);
    std::vector<float> out;
    for (const json& n : numbers) out.push_back(n.get<float>());
    return out;
}

/// Words of a vertex buffer: floats, or integers as they are.
std::vector<uint32_t> words(const json& value, NumericType type) {
    std::vector<json> numbers;
    flatten(value, numbers);
    std::vector<uint32_t> out;
    for (const json& n : numbers)
        out.push_back(type == NumericType::Float ? std::bit_cast<uint32_t>(n.get<float>())
                                                 : static_cast<uint32_t>(whole<int64_t>(n, "vertices")));
    return out;
}

uint32_t number(const std::string& text, int base = 10) {
    return static_cast<uint32_t>(std::stoul(text, nullptr, base));
}

uint32_t sampler(const std::string& text) {
    const uint32_t n = number(text);
    if (n >= 32) throw Wrong("state of samplers is of those below 32");
    return n;
}

std::array<uint8_t, 4> swizzle(const std::string& letters) {
    constexpr std::string_view kLetters = "xyzw01";
    std::array<uint8_t, 4> s{};
    for (size_t c = 0; c < 4; c++) {
        const size_t at = c < letters.size() ? kLetters.find(letters[c]) : std::string::npos;
        if (letters.size() != 4 || at == std::string::npos) throw Wrong("a swizzle is four letters of xyzw01");
        s[c] = static_cast<uint8_t>(at);
    }
    return s;
}

Texture texture(const json& j) {
    Texture t;
    t.width = whole_or(j, "width", 1);
    t.height = whole_or(j, "height", 1);
    t.linear = j.value("filter", "nearest") == "linear";
    t.clamp = j.value("wrap", "repeat") == "clamp";
    if (j.contains("data")) t.rgba = floats(j.at("data"));
    if (t.width > kMostPixels || t.height > kMostPixels)
        throw Wrong(fmt::format("a texture has {} texels a side at most", kMostPixels));
    if (t.rgba.empty() || t.rgba.size() != size_t{4} * t.width * t.height)
        throw Wrong(fmt::format("a texture's {} numbers are not four for each of {} x {} texels", t.rgba.size(),
                                t.width, t.height));
    return t;
}

void read_flags(const json& j, Scene& scene) {
    Ready& ready = scene.ready;
    State& on = scene.state;
    const auto read = [&](const char* name, bool& is_ready, auto& value) {
        if (!j.contains(name)) return;
        is_ready = true;
        using T = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
            value = whole<T>(j.at(name), name);
        else
            value = j.at(name).get<T>();
    };
    read("two_sided", ready.two_sided, on.two_sided);
    read("flip_y", ready.flip_y, on.flip_y);
    read("coord_origin", ready.coord_origin, on.coord_origin);
    read("pixel_center", ready.pixel_center, on.pixel_center);
    read("clip_enable", ready.clip_enable, on.clip_enable);
    read("clamp_vertex_color", ready.clamp_vertex_color, on.clamp_vertex_color);
    read("clamp_fragment_color", ready.clamp_fragment_color, on.clamp_fragment_color);
    read("alpha_to_one", ready.alpha_to_one, on.alpha_to_one);
    read("sample_mask", ready.sample_mask, on.sample_mask);
    read("bgra_attributes", ready.bgra_attributes, on.bgra_attributes);
    read("bgra_targets", ready.bgra_targets, on.bgra_targets);
    if (j.contains("depth_range")) {
        ready.depth_range = scene.neutral.depth_halfz = true;
        on.depth_halfz = !j.at("depth_range").get<bool>();
    }
    if (j.contains("alpha_test")) {
        ready.alpha_test = true;
        on.alpha_func = whole<uint32_t>(j.at("alpha_test").at("func"), "alpha_test.func");
        on.alpha_ref = j.at("alpha_test").at("ref").get<float>();
    }
    if (j.contains("point_size")) {
        on.point_size_per_vertex = j.value("point_size_per_vertex", false);
        read("point_size", ready.point_size, on.point_size);
    }
    if (j.contains("sprites")) {
        const json& sprites = j.at("sprites");
        ready.sprites = true;
        ready.sprites_are_texcoords = sprites.value("semantic", "GENERIC") == "TEXCOORD";
        on.sprite_mask = whole<uint32_t>(sprites.at("mask"), "sprites.mask");
        on.sprite_lower_left = sprites.value("lower_left", false);
    }
}

void read_state(const json& j, Scene& scene) {
    Ready& ready = scene.ready;
    State& on = scene.state;
    read_flags(j, scene);
    if (j.contains("clip_planes")) {
        const std::vector<float> planes = floats(j.at("clip_planes"));
        scene.clip_planes.resize(std::min(planes.size() / 4, kMostPlanes));
        for (size_t i = 0; i < scene.clip_planes.size(); ++i)
            for (size_t c = 0; c < 4; ++c) scene.clip_planes[i][c] = planes[4 * i + c];
        ready.clip_planes = true;
        on.plane_enable = (1u << scene.clip_planes.size()) - 1;
    }
    if (j.contains("polygon_stipple")) {
        ready.polygon_stipple = on.polygon_stipple = true;
        const json& rows = j.at("polygon_stipple");
        for (size_t i = 0; i < 32 && !rows.empty(); ++i)
            scene.stipple[i] = number(rows.at(i % rows.size()).get<std::string>(), 16);
    }
    if (j.contains("line_stipple")) {
        ready.line_stipple = true;
        on.line_stipple_pattern = number(j.at("line_stipple").at("pattern").get<std::string>(), 16);
        on.line_stipple_factor = whole_or(j.at("line_stipple"), "factor", 0);
    }
    if (j.contains("unnormalized")) ready.unnormalized = on.unnormalized = whole_or(j, "unnormalized", 0);
    const json none = json::object();
    const json comparisons = j.value("compare_in_shader", none), swizzles = j.value("swizzled_views", none);
    for (const auto& [name, func] : comparisons.items()) {
        const uint32_t n = sampler(name);
        ready.compare |= 1u << n;
        scene.neutral.compare[n] = 3;
        on.compare[n] = whole<uint32_t>(func, "compare_in_shader");
    }
    for (const auto& [name, letters] : swizzles.items()) {
        const uint32_t n = sampler(name);
        ready.swizzles |= 1u << n;
        on.swizzles[n] = swizzle(letters.get<std::string>());
    }
}

void read_fixed(const json& j, Scene& scene) {
    Fixed& fixed = scene.fixed;
    fixed.flat_shade = j.value("flat_shade", false);
    fixed.provoking_last = j.value("provoking_last", false);
    if (j.contains("polygon_mode")) fixed.polygon_mode = by_name(kPolygonModes, j.at("polygon_mode"), "polygon_mode");
    fixed.dual_source = j.value("dual_source", false);
    if (j.contains("target")) fixed.target = by_name(kTypes, j.at("target"), "target");
    if (fixed.target > NumericType::SInt) throw Wrong("target: float, uint or sint");
    if (j.contains("attributes"))
        for (const auto& [name, type] : j.at("attributes").items())
            fixed.attributes.at(number(name)) = by_name(kTypes, type, "attributes");
}

void read_shaders(const json& j, const ReadShader& read_shader, Scene& scene) {
    const json& shaders = j.at("shaders");
    for (const tgsi::Stage stage : kPipeline) {
        const std::string name(tgsi::name(stage));
        if (!shaders.contains(name)) continue;
        Shader shader;
        shader.stage = stage;
        const json& text = shaders.at(name);
        // Text as it stands (a string of several lines, an array of lines), or a file's name.
        if (text.is_array()) {
            for (const json& line : text) shader.text += line.get<std::string>() + "\n";
        } else if (text.get<std::string>().find('\n') != std::string::npos) {
            shader.text = text.get<std::string>();
        } else {
            auto read = read_shader(text.get<std::string>());
            if (!read) throw Wrong(read.error());
            shader.text = std::move(*read);
        }
        const json none = json::object();
        const json constants = j.value("constants", none).value(name, none);
        const json textures = j.value("textures", none).value(name, none);
        shader.clamps_constants = j.value("state", none).value("clamp_constants", false);
        for (const auto& [index, values] : constants.items()) shader.constants[number(index)] = floats(values);
        for (const auto& [index, values] : textures.items()) shader.textures[number(index)] = texture(values);
        scene.shaders.push_back(std::move(shader));
    }
}

void read_layout(const json& j, Layout& layout) {
    layout.separate_samplers = j.value("separate_samplers", false);
    const json none = json::object();
    const json push_constants = j.value("push_constants", none);
    for (const auto& [buffer, offset] : push_constants.items())
        layout.push_constants[number(buffer)] = whole<uint32_t>(offset, "push_constants");
    for (const json& b : j.value("bindings", json::array()))
        layout.bindings.push_back({by_name(kResourceKinds, b.at("kind"), "kind"),
                                   whole<uint32_t>(b.at("index"), "index"), whole<uint32_t>(b.at("set"), "set"),
                                   whole<uint32_t>(b.at("binding"), "binding")});
}

void read_vertices(const json& j, Scene& scene) {
    if (j.contains("vertices"))
        for (const json& attribute : j.at("vertices")) {
            const size_t n = scene.attributes.size();
            if (n >= scene.fixed.attributes.size()) throw Wrong("vertices: 32 attributes are the most");
            scene.attributes.push_back(words(attribute, scene.fixed.attributes[n]));
            if (scene.attributes[n].size() != scene.attributes[0].size() || scene.attributes[0].size() % 4 != 0)
                throw Wrong("vertices: each attribute has four numbers a vertex, of as many vertices");
        }
    scene.primitive_restart = j.value("primitive_restart", false);
    if (!j.contains("indices")) return;
    for (const json& index : j.at("indices")) {
        const auto i = whole<int64_t>(index, "indices");
        if (i >= scene.vertices() || (i < 0 && !scene.primitive_restart))
            throw Wrong(fmt::format("indices: there is no vertex {}", i));
        scene.indices.push_back(i < 0 ? ~0u : static_cast<uint32_t>(i));
    }
}

}  // namespace

tl::expected<Scene, std::string> read_scene(const std::string& text, const ReadShader& read_shader, bool without) {
    Scene scene;
    try {
        json j = json::parse(text, [](int depth, json::parse_event_t, const json&) {
            if (depth > kMostDepth) throw Wrong(fmt::format("arrays and objects nest deeper than {}", kMostDepth));
            return true;
        });
        scene.has_without = j.contains("without");
        scene.has_options = scene.has_without && j.at("without").contains("state");
        if (without && scene.has_without) j.merge_patch(json(j.at("without")));
        scene.width = whole_or(j, "width", 64);
        scene.height = whole_or(j, "height", 64);
        if (scene.width == 0 || scene.height == 0 || scene.width > kMostPixels || scene.height > kMostPixels)
            return tl::unexpected<std::string>("width and height are from 1 to 4096");
        if (j.contains("clear")) scene.clear = j.at("clear").get<std::array<float, 4>>();
        if (j.contains("topology")) scene.topology = by_name(kTopologies, j.at("topology"), "topology");
        scene.patch_vertices = whole_or(j, "patch_vertices", 3);
        if (scene.patch_vertices == 0 || scene.patch_vertices > 32)
            return tl::unexpected<std::string>("patch_vertices: 1 to 32");
        const json state = j.value("state", json::object());
        read_fixed(state, scene);
        read_state(state, scene);
        if (j.contains("blend")) {
            Blend blend;
            blend.source = by_name(kFactors, j.at("blend").at("source"), "blend");
            blend.target = by_name(kFactors, j.at("blend").at("target"), "blend");
            scene.blend = blend;
        }
        read_layout(j.value("layout", json::object()), scene.layout);
        read_shaders(j, read_shader, scene);
        read_vertices(j, scene);
    } catch (const std::exception& e) {  // what the JSON library throws, numbers that are none, Wrong
        return tl::unexpected<std::string>(e.what());
    }
    return scene;
}

}  // namespace tgsi2spv::scene
