#include "scene/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "files/json_shape.h"
#include "scene/members.h"
#include "tgsi/parse/parse.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::scene {

using json = nlohmann::json;

namespace {

constexpr uint32_t kMaxPixels = 4096;
constexpr size_t kMaxPlanes = 8;
constexpr size_t kMaxDepth = 64;
constexpr uint32_t kLastFunction = 7;  ///< PIPE_FUNC_ALWAYS
constexpr uint32_t kSamplers = 32, kViews = 128, kConstantBuffers = 128;
/// More than any device has or any scene needs: drivers have tables as long as the largest binding.
constexpr uint32_t kLastSet = 31, kLastBinding = 65535, kLastPushConstant = 65532;

constexpr tgsi::Stage kPipeline[] = {tgsi::Stage::Vertex, tgsi::Stage::TessControl, tgsi::Stage::TessEval,
                                     tgsi::Stage::Geometry, tgsi::Stage::Fragment};

constexpr std::pair<std::string_view, Topology> kTopologies[] = {{"points", Topology::Points},
                                                                 {"lines", Topology::Lines},
                                                                 {"line_strip", Topology::LineStrip},
                                                                 {"triangles", Topology::Triangles},
                                                                 {"triangle_strip", Topology::TriangleStrip},
                                                                 {"triangle_fan", Topology::TriangleFan},
                                                                 {"patches", Topology::Patches}};
constexpr std::pair<std::string_view, NumericType> kTypes[] = {
    {"float", NumericType::Float},     {"uint", NumericType::UInt},       {"sint", NumericType::SInt},
    {"uscaled", NumericType::UScaled}, {"sscaled", NumericType::SScaled}, {"fixed", NumericType::Fixed},
    {"unorm32", NumericType::UNorm32}, {"snorm32", NumericType::SNorm32}, {"double", NumericType::Double}};
constexpr std::pair<std::string_view, NumericType> kTargets[] = {
    {"float", NumericType::Float}, {"uint", NumericType::UInt}, {"sint", NumericType::SInt}};
constexpr std::pair<std::string_view, bool> kFilters[] = {{"nearest", false}, {"linear", true}};
constexpr std::pair<std::string_view, Wrap> kWraps[] = {{"repeat", Wrap::Repeat}, {"clamp", Wrap::ClampToEdge}};
constexpr std::pair<std::string_view, bool> kSprites[] = {{"GENERIC", false}, {"TEXCOORD", true}};
constexpr std::pair<std::string_view, ResourceKind> kResourceKinds[] = {
    {"constant_buffer", ResourceKind::ConstantBuffer},
    {"combined_image", ResourceKind::CombinedImage},
    {"sampled_image", ResourceKind::SampledImage},
    {"sampler", ResourceKind::Sampler}};
constexpr std::pair<std::string_view, Factor> kFactors[] = {{"zero", Factor::Zero},
                                                            {"one", Factor::One},
                                                            {"src_alpha", Factor::SrcAlpha},
                                                            {"inv_src_alpha", Factor::InvSrcAlpha},
                                                            {"src1_color", Factor::Src1Color},
                                                            {"inv_src1_color", Factor::InvSrc1Color},
                                                            {"src1_alpha", Factor::Src1Alpha},
                                                            {"inv_src1_alpha", Factor::InvSrc1Alpha}};

std::array<uint8_t, 4> swizzle(const Member& member) {
    constexpr std::string_view kLetters = "xyzw01";
    const std::string letters = text(member);
    std::array<uint8_t, 4> s{};
    for (size_t c = 0; c < 4; c++) {
        const size_t at = c < letters.size() ? kLetters.find(letters[c]) : std::string::npos;
        if (letters.size() != 4 || at == std::string::npos) unexpected(member, "a string of four of 'xyzw01'");
        s[c] = static_cast<uint8_t>(at);
    }
    return s;
}

uint32_t extent(const Member& object, std::string_view name, uint32_t standard) {
    const auto member = find(object, name);
    return member ? static_cast<uint32_t>(whole(*member, 1, kMaxPixels)) : standard;
}

SceneTexture texture(const Member& member) {
    only(member, {"width", "height", "filter", "wrap", "data"});
    SceneTexture t;
    t.width = extent(member, "width", 1);
    t.height = extent(member, "height", 1);
    if (const auto filter = find(member, "filter")) t.linear = by_name(kFilters, *filter);
    if (const auto wrap = find(member, "wrap")) t.wrap = by_name(kWraps, *wrap);
    if (const auto data = find(member, "data")) t.rgba = reals(*data);
    if (t.rgba.size() != size_t{4} * t.width * t.height)
        wrong(member, fmt::format("expected four numbers for each of {1} x {2} texels, found {0} numbers",
                                  t.rgba.size(), t.width, t.height));
    return t;
}

void read_flags(const Member& state, Scene& scene) {
    Prepared& prepared = scene.prepared;
    State& on = scene.state;
    const auto read = [&](const char* name, bool& is_ready, auto& value) {
        is_ready = find(state, name).has_value();
        take(state, name, value);
    };
    read("two_sided", prepared.two_sided, on.two_sided);
    read("flip_y", prepared.flip_y, on.flip_y);
    read("coord_origin", prepared.coord_origin, on.coord_origin);
    read("pixel_center", prepared.pixel_center, on.pixel_center);
    read("clip_enable", prepared.clip_enable, on.clip_enable);
    read("clamp_vertex_color", prepared.clamp_vertex_color, on.clamp_vertex_color);
    read("clamp_fragment_color", prepared.clamp_fragment_color, on.clamp_fragment_color);
    read("alpha_to_one", prepared.alpha_to_one, on.alpha_to_one);
    read("sample_mask", prepared.sample_mask, on.sample_mask);
    read("bgra_attributes", prepared.bgra_attributes, on.bgra_attributes);
    read("bgra_targets", prepared.bgra_targets, on.bgra_targets);
    if (const auto range = find(state, "depth_range")) {
        prepared.depth_range = scene.neutral.depth_halfz = true;
        on.depth_halfz = !flag(*range);
    }
    if (const auto test = find(state, "alpha_test")) {
        only(*test, {"func", "ref"});
        prepared.alpha_test = true;
        on.alpha_func = whole<uint32_t>(at(*test, "func"), kLastFunction);
        on.alpha_ref = real(at(*test, "ref"));
    }
    read("point_size", prepared.point_size, on.point_size);
    if (prepared.point_size) on.point_size_per_vertex = false;
    if (prepared.point_size && !(on.point_size > 0)) wrong(at(state, "point_size"), "must be above 0");
    if (const auto own = find(state, "point_size_per_vertex")) {
        if (!prepared.point_size) wrong(*own, "needs \"point_size\"");
        on.point_size_per_vertex = flag(*own);
    }
    if (const auto sprites = find(state, "sprites")) {
        only(*sprites, {"semantic", "mask", "lower_left"});
        prepared.sprites = true;
        if (const auto semantic = find(*sprites, "semantic"))
            prepared.sprites_are_texcoords = by_name(kSprites, *semantic);
        on.sprite_mask = whole<uint32_t>(at(*sprites, "mask"));
        take(*sprites, "lower_left", on.sprite_lower_left);
    }
}

void read_planes(const Member& member, Scene& scene) {
    if (scene.prepared.clip_enable)
        wrong(member,
              "\"clip_planes\" and \"clip_enable\" exclude each other: clip_enable selects among distances that the "
              "shader writes");
    const std::vector<float> planes = reals(member);
    if (planes.empty() || planes.size() % 4 != 0 || planes.size() / 4 > kMaxPlanes)
        wrong(member, fmt::format("expected four numbers for each of 1 to {} planes, found {} numbers", kMaxPlanes,
                                  planes.size()));
    scene.clip_planes.resize(planes.size() / 4);
    for (size_t i = 0; i < scene.clip_planes.size(); ++i)
        for (size_t c = 0; c < 4; ++c) scene.clip_planes[i][c] = planes[4 * i + c];
    scene.prepared.clip_planes = true;
    scene.state.plane_enable = (1u << scene.clip_planes.size()) - 1;
}

void read_stipple(const Member& state, Scene& scene) {
    Prepared& prepared = scene.prepared;
    State& on = scene.state;
    if (const auto stipple = find(state, "polygon_stipple")) {
        const std::vector<Member> rows = elements(*stipple);
        if (rows.empty() || rows.size() > scene.stipple.size()) wrong(*stipple, "expected 1 to 32 rows");
        for (size_t i = 0; i < scene.stipple.size(); ++i) scene.stipple[i] = hexadecimal(rows[i % rows.size()]);
        prepared.polygon_stipple = on.polygon_stipple = true;
    }
}

void read_state(const Member& state, Scene& scene) {
    only(state, {"alpha_target",
                 "alpha_test",
                 "alpha_to_one",
                 "attributes",
                 "bgra_attributes",
                 "bgra_targets",
                 "clamp_constants",
                 "clamp_fragment_color",
                 "clamp_vertex_color",
                 "clip_enable",
                 "clip_planes",
                 "compare_in_shader",
                 "coord_origin",
                 "depth_range",
                 "dual_source",
                 "flat_shade",
                 "flip_y",
                 "gl_clamp",
                 "mirror",
                 "pixel_center",
                 "point_size",
                 "point_size_per_vertex",
                 "polygon_stipple",
                 "sample_mask",
                 "sprites",
                 "swizzled_views",
                 "target",
                 "two_sided",
                 "unnormalized",
                 "widened_attributes"});
    Prepared& prepared = scene.prepared;
    State& on = scene.state;
    read_flags(state, scene);
    if (const auto planes = find(state, "clip_planes")) read_planes(*planes, scene);
    read_stipple(state, scene);
    take(state, "unnormalized", on.unnormalized);
    prepared.unnormalized = on.unnormalized;
    if (const auto functions = find(state, "compare_in_shader"))
        for (const auto& [n, function] : numbered(*functions, kSamplers)) {
            prepared.compare |= 1u << n;
            scene.neutral.compare[n] = 3;
            on.compare[n] = whole<uint32_t>(function, kLastFunction);
        }
    if (const auto swizzles = find(state, "swizzled_views"))
        for (const auto& [n, letters] : numbered(*swizzles, kSamplers)) {
            prepared.swizzles |= 1u << n;
            on.swizzles[n] = swizzle(letters);
        }
    Fixed& fixed = scene.fixed;
    take(state, "flat_shade", fixed.flat_shade);
    take(state, "dual_source", fixed.dual_source);
    take(state, "alpha_target", fixed.alpha_target);
    take(state, "widened_attributes", fixed.widened_attributes);
    take(state, "gl_clamp", fixed.gl_clamp);
    take(state, "mirror", fixed.mirror);
    if (const auto target = find(state, "target")) fixed.target = by_name(kTargets, *target);
    if (const auto attributes = find(state, "attributes"))
        for (const auto& [n, type] : numbered(*attributes, static_cast<uint32_t>(fixed.attributes.size())))
            fixed.attributes[n] = by_name(kTypes, type);
}

/// Errors show the line. If the file that a scene names is something else, its contents must not be shown.
bool is_shader(const std::string& text) {
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    if (tgsi::parse(text, {}, program, diagnostics)) return true;
    return std::none_of(diagnostics.begin(), diagnostics.end(), [](const tgsi::Diagnostic& d) {
        return d.code.name() == "missing-stage" || d.code.name() == "empty-text";
    });
}

/// The text itself (a string of several lines, or an array of lines), or the name of a file.
std::string shader_text(const Member& member, const ReadShader& read_shader, std::string& name) {
    if (!member.value->is_array()) {
        std::string all = text(member);
        if (all.find('\n') != std::string::npos) return all;
        auto read = read_shader(all);
        if (!read) wrong(member, read.error());
        if (!is_shader(*read)) wrong(member, all + ": is not a shader");
        name = std::move(all);
        return std::move(*read);
    }
    std::string lines;
    for (const Member& line : elements(member)) lines += text(line) + "\n";
    return lines;
}

void choose_wrap(const Fixed& fixed, uint32_t sampler, Wrap& wrap) {
    const bool clamps = (fixed.gl_clamp >> sampler & 1) != 0, mirrors = (fixed.mirror >> sampler & 1) != 0;
    if (clamps || mirrors) wrap = !mirrors ? Wrap::GLClamp : clamps ? Wrap::MirrorClamp : Wrap::MirrorClampToBorder;
}

void read_shaders(const Member& root, const ReadShader& read_shader, Scene& scene) {
    const std::initializer_list<std::string_view> stages = {"VERT", "TESS_CTRL", "TESS_EVAL", "GEOM", "FRAG"};
    const Member shaders = at(root, "shaders");
    const std::optional<Member> constants = find(root, "constants"), textures = find(root, "textures"),
                                state = find(root, "state");
    only(shaders, stages);
    if (constants) only(*constants, stages);
    if (textures) only(*textures, stages);
    for (const tgsi::Stage stage : kPipeline) {
        const std::string_view name = tgsi::name(stage);
        const auto given = find(shaders, name);
        if (!given) continue;
        Shader shader;
        shader.stage = stage;
        shader.name = given->place;
        shader.text = shader_text(*given, read_shader, shader.name);
        if (state) take(*state, "clamp_constants", shader.clamps_constants);
        if (const auto own = constants ? find(*constants, name) : std::nullopt)
            for (const auto& [n, values] : numbered(*own, kConstantBuffers)) shader.constants[n] = reals(values);
        if (const auto own = textures ? find(*textures, name) : std::nullopt)
            for (const auto& [n, values] : numbered(*own, kViews)) {
                shader.textures[n] = texture(values);
                if (n < kSamplers) choose_wrap(scene.fixed, n, shader.textures[n].wrap);
            }
        scene.shaders.push_back(std::move(shader));
    }
}

/// Reports layouts that no device accepts here, with their place: drivers end the process if two resources have the
/// same place.
void read_layout(const Member& layout, Layout& wishes) {
    only(layout, {"separate_samplers", "push_constants", "bindings"});
    take(layout, "separate_samplers", wishes.separate_samplers);
    if (const auto buffers = find(layout, "push_constants"))
        for (const auto& [n, offset] : numbered(*buffers, kConstantBuffers))
            wishes.push_constants[n] = whole<uint32_t>(offset, kLastPushConstant);
    const auto bindings = find(layout, "bindings");
    if (!bindings) return;
    for (const Member& b : elements(*bindings)) {
        only(b, {"kind", "index", "set", "binding"});
        const Layout::Binding place{by_name(kResourceKinds, at(b, "kind")), whole<uint32_t>(at(b, "index")),
                                    whole<uint32_t>(at(b, "set"), kLastSet),
                                    whole<uint32_t>(at(b, "binding"), kLastBinding)};
        for (size_t i = 0; i < wishes.bindings.size(); ++i) {
            const Layout::Binding& other = wishes.bindings[i];
            if (place.kind == other.kind && place.index == other.index)
                wrong(b, fmt::format("same resource as layout.bindings[{}]", i));
            if (place.set == other.set && place.binding == other.binding)
                wrong(b, fmt::format("set {}, binding {} is already used by layout.bindings[{}]", place.set,
                                     place.binding, i));
        }
        wishes.bindings.push_back(place);
    }
}

void read_vertices(const Member& root, Scene& scene) {
    if (const auto vertices = find(root, "vertices"))
        for (const Member& attribute : elements(*vertices)) {
            const size_t n = scene.attributes.size();
            if (n >= scene.fixed.attributes.size()) wrong(*vertices, "expected at most 32 attributes");
            std::vector<uint32_t> words;
            const NumericType type = scene.fixed.attributes[n];
            if (type == NumericType::Float || type == NumericType::Double)
                for (const float f : reals(attribute)) words.push_back(std::bit_cast<uint32_t>(f));
            else
                for (const int64_t i : integers(attribute, INT32_MIN, UINT32_MAX))
                    words.push_back(static_cast<uint32_t>(i));
            scene.attributes.push_back(std::move(words));
            if (scene.attributes[n].size() != scene.attributes[0].size() || scene.attributes[0].size() % 4 != 0)
                wrong(attribute,
                      "expected four numbers per vertex, for the same number of vertices in every attribute");
        }
    take(root, "primitive_restart", scene.primitive_restart);
    const bool strips = scene.topology == Topology::LineStrip || scene.topology == Topology::TriangleStrip ||
                        scene.topology == Topology::TriangleFan;
    if (scene.primitive_restart && !strips) wrong(at(root, "primitive_restart"), "needs a topology of strips or fans");
    const auto indices = find(root, "indices");
    if (!indices) return;
    if (elements(*indices).empty()) wrong(*indices, "expected at least one index");
    for (const Member& index : elements(*indices)) {
        const int64_t i = whole(index, scene.primitive_restart ? -1 : 0, int64_t{scene.vertices()} - 1);
        scene.indices.push_back(i < 0 ? ~0u : static_cast<uint32_t>(i));
    }
}

void read_target(const Member& root, Scene& scene) {
    scene.width = extent(root, "width", 64);
    scene.height = extent(root, "height", 64);
    const bool integers = scene.fixed.target != NumericType::Float;
    if (const auto clear = find(root, "clear")) {
        const std::vector<float> color = reals(*clear);
        if (color.size() != scene.clear.size()) unexpected(*clear, "four numbers");
        std::copy(color.begin(), color.end(), scene.clear.begin());
        for (const float c : color)
            if (integers && !(c >= INT8_MIN && c <= UINT8_MAX))
                wrong(*clear, "expected 8-bit integers (-128 to 255) for an integer target");
    }
    const auto given = find(root, "blend");
    if (!given) return;
    if (integers) wrong(*given, "integer targets cannot be blended");
    only(*given, {"source", "target"});
    scene.blend = Blend{by_name(kFactors, at(*given, "source")), by_name(kFactors, at(*given, "target"))};
}

void read_root(const Member& root, const ReadShader& read_shader, Scene& scene) {
    only(root, {"width", "height", "clear", "topology", "patch_vertices", "shaders", "vertices", "indices",
                "primitive_restart", "constants", "textures", "state", "blend", "layout", "without"});
    if (const auto topology = find(root, "topology")) scene.topology = by_name(kTopologies, *topology);
    if (const auto count = find(root, "patch_vertices"))
        scene.patch_vertices = static_cast<uint32_t>(whole(*count, 1, 32));
    if (const auto state = find(root, "state")) read_state(*state, scene);
    read_target(root, scene);
    if (const auto layout = find(root, "layout")) read_layout(*layout, scene.layout);
    read_shaders(root, read_shader, scene);
    read_vertices(root, scene);
}

json parsed(const std::string& text) {
    if (const std::string fault = json_shape_fault<json>(text, kMaxDepth); !fault.empty()) throw Wrong(fault);
    try {
        return json::parse(text);
    } catch (const json::exception& e) {
        // The message without the library's own number in brackets, and without the file's contents, which may not be
        // meant for us.
        std::string message = e.what();
        message.erase(0, message.find("] ") + 2);
        message.erase(std::min(message.size(), message.find("; last read: ")));
        throw Wrong("not valid JSON: " + message);
    }
}

}  // namespace

tl::expected<Scene, std::string> read_scene(const std::string& text, const ReadShader& read_shader, bool without) {
    Scene scene;
    try {
        json j = parsed(text);
        if (const auto patch = find({&j, {}}, "without")) {
            scene.has_without = true;
            scene.has_options = find(*patch, "state").has_value();
            if (without) j.merge_patch(json(*patch->value));
        }
        read_root({&j, {}}, read_shader, scene);
    } catch (const Wrong& e) {
        return tl::unexpected<std::string>(e.what());
    }
    return scene;
}

}  // namespace tgsi2spv::scene
