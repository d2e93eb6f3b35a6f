#include "scene/stages.h"

#include <algorithm>
#include <array>
#include <bit>

#include "reference/run.h"
#include "tgsi/prepare.h"
#include "tgsi/program/semantics.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::scene {

using reference::Vec4;
using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;
using tgsi::Stage;

namespace {

using Error = tl::unexpected<std::string>;

uint32_t word(float x) {
    return std::bit_cast<uint32_t>(x);
}

/// If constants are clamped, this many vectors like the last one follow them: as far as a scene may go out of bounds.
constexpr int32_t kBehind = 64;

/// The element of a vertex buffer in a register: PIPE_FORMAT_*_UINT and _SINT as they are, _USCALED and _SSCALED as
/// floats of their value, _FIXED as 16.16, _UNORM and _SNORM of b bits as a part of 2^b - 1 and 2^(b-1) - 1 (OpenGL,
/// "Conversion from Normalized Fixed-Point to Floating-Point"); w is 1 where the buffer has none; B8G8R8A8 and its like
/// have blue first.
Vec4 fetched(Vec4 v, const Fixed& fixed, size_t reg, bool bgra) {
    const NumericType type = fixed.attributes[reg];
    for (uint32_t& w : v) {
        const double s = static_cast<int32_t>(w);
        switch (type) {
            case NumericType::Float:
            case NumericType::UInt:
            case NumericType::SInt:
            case NumericType::Double:
                break;
            case NumericType::UScaled:
                w = word(static_cast<float>(w));
                break;
            case NumericType::SScaled:
                w = word(static_cast<float>(s));
                break;
            case NumericType::Fixed:
                w = word(static_cast<float>(s / 65536));
                break;
            case NumericType::UNorm32:
                w = word(static_cast<float>(w / 4294967295.0));
                break;
            case NumericType::SNorm32:
                w = word(static_cast<float>(std::max(s / 2147483647, -1.0)));
                break;
        }
    }
    const bool integers = type == NumericType::UInt || type == NumericType::SInt;
    if ((fixed.widened_attributes >> reg & 1) != 0) v[3] = integers ? 1 : word(1);
    if (bgra) std::swap(v[0], v[2]);
    return v;
}

/// The vertices of a primitive, by number, in the order of Vulkan's primitive topologies ("Drawing: Primitive
/// Topologies").
using Cut = std::vector<uint32_t>;

void cut(Topology topology, uint32_t patch, const std::vector<uint32_t>& run, std::vector<Cut>& primitives) {
    const auto n = static_cast<uint32_t>(run.size());
    const auto add = [&](std::initializer_list<uint32_t> places) {
        Cut& c = primitives.emplace_back();
        for (const uint32_t p : places) c.push_back(run[p]);
    };
    switch (topology) {
        case Topology::Points:
            for (uint32_t i = 0; i < n; i++) add({i});
            break;
        case Topology::Lines:
            for (uint32_t i = 0; i + 1 < n; i += 2) add({i, i + 1});
            break;
        case Topology::LineStrip:
            for (uint32_t i = 0; i + 1 < n; i++) add({i, i + 1});
            break;
        case Topology::Triangles:
            for (uint32_t i = 0; i + 2 < n; i += 3) add({i, i + 1, i + 2});
            break;
        case Topology::TriangleStrip:
            for (uint32_t i = 0; i + 2 < n; i++) add({i, i + 1 + i % 2, i + 2 - i % 2});
            break;
        case Topology::TriangleFan:
            for (uint32_t i = 0; i + 2 < n; i++) add({i + 1, i + 2, 0});
            break;
        case Topology::Patches:
            for (uint32_t i = 0; i + patch <= n; i += patch)
                primitives.emplace_back(run.begin() + i, run.begin() + i + patch);
            break;
    }
}

/// The primitives of a draw, from its strips, fans and indices.
std::vector<Cut> cut(const Scene& scene) {
    std::vector<Cut> primitives;
    std::vector<uint32_t> run;
    if (scene.indices.empty())
        for (uint32_t i = 0; i < scene.vertices(); i++) run.push_back(i);
    for (const uint32_t i : scene.indices) {
        if (i != ~0u) {
            run.push_back(i);
            continue;
        }
        cut(scene.topology, scene.patch_vertices, run, primitives);
        run.clear();
    }
    cut(scene.topology, scene.patch_vertices, run, primitives);
    return primitives;
}

using Lanes = std::map<int32_t, reference::OutputLanes>;

Vec4 plain(const std::array<reference::Component, 4>& c) {
    return {c[0].value, c[1].value, c[2].value, c[3].value};
}

Vertex vertex_of(const Lanes& outputs, size_t lane) {
    Vertex v;
    for (const auto& [reg, lanes] : outputs) v[reg] = plain(lanes[lane]);
    return v;
}

/// The value that a stage reads from a vertex of `from`.
Vec4 handed_on(const Parsed& from, const Vertex& v, Semantic semantic, uint32_t index) {
    const auto found = v.find(find(from, File::Output, semantic, index));
    return found == v.end() ? Vec4{0, 0, 0, word(1)} : found->second;
}

/// IN[v][i] of each primitive.
void give_vertices(const Parsed& from, const Parsed& to, const std::vector<std::vector<Vertex>>& primitives,
                   reference::Inputs& inputs) {
    tgsi::for_each_semantic(to.program, File::Input, [&](int32_t reg, const tgsi::Declaration& d, uint32_t index) {
        if (!tgsi::is_per_vertex(to.program, to.registers, File::Input, reg)) return;
        for (const auto& primitive : primitives)
            for (size_t v = 0; v < primitive.size(); v++)
                inputs.inputs[{static_cast<int32_t>(v), reg}].push_back(
                    handed_on(from, primitive[v], d.semantic, index));
    });
}

tl::expected<std::vector<Vertex>, std::string> run_vertices(const Scene& scene, const State& state,
                                                            const Shader& shader, Parsed& parsed) {
    reference::Inputs inputs = resources(state, shader, parsed);
    inputs.lanes = scene.vertices();
    for (size_t reg = 0; reg < scene.attributes.size(); reg++)
        for (uint32_t v = 0; v < inputs.lanes; v++) {
            Vec4 value;
            std::copy_n(scene.attributes[reg].begin() + 4 * v, 4, value.begin());
            inputs.inputs[{0, static_cast<int32_t>(reg)}].push_back(
                fetched(value, scene.fixed, reg, (state.bgra_attributes >> reg & 1) != 0));
        }
    const auto ran = execute(scene, parsed, inputs);
    if (!ran) return Error(ran.error());
    const reference::Result& result = *ran;
    parsed.written = result.written;
    std::vector<Vertex> vertices;
    for (uint32_t v = 0; v < inputs.lanes; v++) vertices.push_back(vertex_of(result.outputs, v));
    return vertices;
}

Domain domain_of(const tgsi::Program& evaluation) {
    Domain d;
    d.mode = static_cast<tgsi::Primitive>(evaluation.property(Property::TesPrimMode));
    if (d.mode != tgsi::Primitive::Quads && d.mode != tgsi::Primitive::Lines) d.mode = tgsi::Primitive::Triangles;
    d.spacing = static_cast<Spacing>(std::min(evaluation.property(Property::TesSpacing), 2u));
    d.clockwise = evaluation.property(Property::TesVertexOrderCw) != 0;
    d.points = evaluation.property(Property::TesPointMode) != 0;
    return d;
}

struct Patches {
    std::vector<std::vector<Vertex>> vertices;
    Lanes data;
};

/// Default levels are 1 (the default values of the specialization constants).
tl::expected<Patches, std::string> control(const Scene& scene, const State& state, const Shader& shader,
                                           const Parsed& parsed, const Parsed& from,
                                           const std::vector<std::vector<Vertex>>& patches) {
    reference::Inputs inputs = resources(state, shader, parsed);
    inputs.patches = inputs.lanes = static_cast<uint32_t>(patches.size());
    give_vertices(from, parsed, patches, inputs);
    tgsi::for_each_semantic(parsed.program, File::SystemValue, [&](int32_t reg, const tgsi::Declaration& d, uint32_t) {
        if (d.semantic == Semantic::TessDefaultOuterLevel || d.semantic == Semantic::TessDefaultInnerLevel)
            inputs.system_values[reg].assign(patches.size(), Vec4{word(1), word(1), word(1), word(1)});
    });
    const auto ran = execute(scene, parsed, inputs);
    if (!ran) return Error(ran.error());
    const reference::Result& result = *ran;
    Patches out{{}, result.outputs};
    const uint32_t vertices = tgsi::output_vertices(parsed.program);
    for (size_t p = 0; p < patches.size(); p++) {
        out.vertices.emplace_back(vertices);
        for (const auto& [key, values] : result.vertex_outputs)
            if (key.first >= 0 && static_cast<uint32_t>(key.first) < vertices)
                out.vertices[p][static_cast<size_t>(key.first)][key.second] = plain(values[p]);
    }
    return out;
}

/// The levels of a patch that its domain uses. Without a TESS_CTRL they are the defaults, 1.
tl::expected<Levels, std::string> levels_of(const Domain& domain, const Lanes& data, const Parsed& from, size_t patch) {
    Levels levels;
    const auto read = [&](Semantic semantic, float* to, uint32_t count) {
        const auto found = data.find(find(from, File::Output, semantic, 0));
        for (uint32_t i = 0; i < count; i++) {
            if (found == data.end() || !is_exact(found->second[patch][i])) return false;
            to[i] = std::bit_cast<float>(found->second[patch][i].value);
            // An outer level that is NaN discards the patch (tessellate()).
            const bool discards = semantic == Semantic::TessOuter && std::isnan(to[i]);
            if (!discards && !(to[i] <= kMaxLevel)) return false;
        }
        return true;
    };
    if (from.program.stage != Stage::TessControl) return levels;
    if (!read(Semantic::TessOuter, levels.outer.data(), outer_levels(domain.mode)) ||
        !read(Semantic::TessInner, levels.inner.data(), inner_levels(domain.mode)))
        return Error("the reference needs tessellation levels that are known, numbers and at most 64");
    return levels;
}

/// TESS_EVAL's inputs from the patch of each lane (`patch_of`): PATCH data, its levels (1 without a TESS_CTRL), its
/// number, and where in it the lane is.
void give_patches(const Parsed& from, const Parsed& evaluation, const Patches& made,
                  const std::vector<Tessellated>& tessellated, const std::vector<size_t>& patch_of,
                  reference::Inputs& inputs) {
    tgsi::for_each_semantic(
        evaluation.program, File::Input, [&](int32_t reg, const tgsi::Declaration& d, uint32_t index) {
            if (d.semantic != Semantic::Patch) return;
            const auto found = made.data.find(find(from, File::Output, d.semantic, index));
            // An input that no stage writes is (0, 0, 0, 1): tgsi2spv_linkage_create().
            for (const size_t p : patch_of)
                inputs.inputs[{0, reg}].push_back(found == made.data.end() ? Vec4{0, 0, 0, word(1)}
                                                                           : plain(found->second[p]));
        });
    for (const File file : {File::Input, File::SystemValue})
        tgsi::for_each_semantic(evaluation.program, file, [&](int32_t reg, const tgsi::Declaration& d, uint32_t) {
            if (d.semantic != Semantic::TessOuter && d.semantic != Semantic::TessInner &&
                d.semantic != Semantic::PrimId)
                return;
            const auto levels = made.data.find(find(from, File::Output, d.semantic, 0));
            auto& values = file == File::Input ? inputs.inputs[{0, reg}] : inputs.system_values[reg];
            values.clear();
            for (const size_t p : patch_of)
                values.push_back(d.semantic == Semantic::PrimId ? Vec4{static_cast<uint32_t>(p), 0, 0, 0}
                                 : levels == made.data.end()    ? Vec4{word(1), word(1), word(1), word(1)}
                                                                : plain(levels->second[p]));
        });
    tgsi::for_each_semantic(evaluation.program, File::SystemValue,
                            [&](int32_t reg, const tgsi::Declaration& d, uint32_t) {
                                if (d.semantic != Semantic::TessCoord) return;
                                for (const Tessellated& t : tessellated)
                                    for (const auto& p : t.places)
                                        inputs.system_values[reg].push_back({word(p[0]), word(p[1]), word(p[2]), 0});
                            });
}

tl::expected<Assembled, std::string> evaluate_patches(const Scene& scene, const State& state, const Parsed& vertex,
                                                      const std::vector<Vertex>& vertices, size_t& stage) {
    std::vector<std::vector<Vertex>> patches;
    for (const Cut& c : cut(scene)) {
        patches.emplace_back();
        for (const uint32_t i : c) patches.back().push_back(vertices[i]);
    }
    Patches made{patches, {}};
    Parsed from = vertex;
    if (scene.shaders[stage].stage == Stage::TessControl) {
        const auto parsed = parse(scene.shaders[stage]);
        if (!parsed) return Error(parsed.error());
        auto controlled = control(scene, state, scene.shaders[stage], *parsed, vertex, patches);
        if (!controlled) return Error(controlled.error());
        made = std::move(*controlled);
        from = *parsed;
        stage++;
    }
    if (scene.shaders[stage].stage != Stage::TessEval) return Error("TESS_CTRL needs a TESS_EVAL after it");
    auto parsed = parse(scene.shaders[stage]);
    if (!parsed) return Error(parsed.error());
    const Domain domain = domain_of(parsed->program);
    std::vector<Tessellated> tessellated;
    std::vector<size_t> patch_of;  // by lane
    for (size_t p = 0; p < patches.size(); p++) {
        const auto levels = levels_of(domain, made.data, from, p);
        if (!levels) return Error(levels.error());
        tessellated.push_back(tessellate(domain, *levels, scene.freedom));
        patch_of.insert(patch_of.end(), tessellated[p].places.size(), p);
    }
    reference::Inputs inputs = resources(state, scene.shaders[stage], *parsed);
    inputs.lanes = static_cast<uint32_t>(patch_of.size());
    std::vector<std::vector<Vertex>> of_lane;
    for (const size_t p : patch_of) of_lane.push_back(made.vertices[p]);
    give_vertices(from, *parsed, of_lane, inputs);
    give_patches(from, *parsed, made, tessellated, patch_of, inputs);
    reference::Result result;
    if (inputs.lanes > 0) {
        auto ran = execute(scene, *parsed, inputs);
        if (!ran) return Error(ran.error());
        result = std::move(*ran);
    }
    parsed->written = result.written;
    Assembled out{std::move(*parsed), {}};
    size_t first = 0;
    for (size_t p = 0; p < patches.size(); p++) {
        for (const auto& places : tessellated[p].primitives) {
            Primitive primitive;
            primitive.number = static_cast<uint32_t>(p);
            for (const uint32_t i : places) primitive.vertices.push_back(vertex_of(result.outputs, first + i));
            out.primitives.push_back(std::move(primitive));
        }
        first += tessellated[p].places.size();
    }
    stage++;
    return out;
}

/// Turns the strips that GEOM emits into lists.
tl::expected<Assembled, std::string> run_geometry(const Scene& scene, const State& state, const Shader& shader,
                                                  const Assembled& in) {
    auto parsed = parse(shader);
    if (!parsed) return Error(parsed.error());
    reference::Inputs inputs = resources(state, shader, *parsed);
    inputs.lanes = static_cast<uint32_t>(in.primitives.size());
    std::vector<std::vector<Vertex>> primitives;
    for (const Primitive& p : in.primitives) primitives.push_back(p.vertices);
    give_vertices(in.last, *parsed, primitives, inputs);
    for (const File file : {File::Input, File::SystemValue})
        tgsi::for_each_semantic(parsed->program, file, [&](int32_t reg, const tgsi::Declaration& d, uint32_t) {
            if (d.semantic != Semantic::PrimId) return;
            auto& values = file == File::Input ? inputs.inputs[{0, reg}] : inputs.system_values[reg];
            for (const Primitive& p : in.primitives) values.push_back({p.number, 0, 0, 0});
        });
    const auto ran = execute(scene, *parsed, inputs);
    if (!ran) return Error(ran.error());
    const reference::Result& result = *ran;
    parsed->written = result.written;
    Assembled out{std::move(*parsed), {}};
    const auto made = static_cast<tgsi::Primitive>(out.last.program.property(Property::GsOutputPrimitive));
    const Topology topology = made == tgsi::Primitive::Points      ? Topology::Points
                              : made == tgsi::Primitive::LineStrip ? Topology::LineStrip
                                                                   : Topology::TriangleStrip;
    for (size_t lane = 0; lane < result.emitted.size(); lane++) {
        if (lane < result.emitted_unknown.size() && result.emitted_unknown[lane])
            return Error("the reference cannot determine the vertices that GEOM emits");
        std::map<uint32_t, std::vector<Vertex>> strips;
        for (const auto& e : result.emitted[lane]) {
            if (e.stream != 0) continue;
            Vertex v;
            for (const auto& [reg, value] : e.outputs) v[reg] = plain(value);
            strips[e.primitive].push_back(std::move(v));
        }
        for (const auto& [number, strip] : strips) {
            std::vector<uint32_t> run(strip.size());
            for (uint32_t i = 0; i < run.size(); i++) run[i] = i;
            std::vector<Cut> cuts;
            cut(topology, 1, run, cuts);
            for (const Cut& c : cuts) {
                Primitive p;
                p.number = in.primitives[lane].number;
                for (const uint32_t i : c) p.vertices.push_back(strip[i]);
                out.primitives.push_back(std::move(p));
            }
        }
    }
    return out;
}

/// Registers of one semantic are one output: producers pack several arrays into it, each register with other
/// components. If two write the same component, the one declared last wins (semantics: System values, inputs, outputs,
/// properties): the other one does not write it.
void join_outputs(Parsed& parsed) {
    std::map<std::pair<Semantic, uint32_t>, std::vector<int32_t>> outputs;  // find() returns the last one
    tgsi::for_each_semantic(parsed.program, File::Output, [&](int32_t reg, const tgsi::Declaration& d, uint32_t index) {
        outputs[{d.semantic, index}].push_back(reg);
    });
    const auto named = [](const tgsi::Operand& o) { return o.file == File::Output && !o.index_is_relative; };
    std::map<int32_t, uint8_t> masks;  // the components that the text writes to registers by number
    for (const tgsi::Instruction& i : parsed.program.instructions)
        for (const tgsi::Operand& o : parsed.program.dsts(i))
            if (named(o)) masks[o.index] |= o.write_mask;
    struct Joined {
        int32_t reg = 0;
        uint8_t kept = 0;  ///< components that no register declared later writes
    };
    std::map<int32_t, Joined> joined;
    for (const auto& [semantic, registers] : outputs) {
        uint8_t later = 0;
        for (size_t i = registers.size(); i-- > 0;) {
            joined.try_emplace(registers[i], Joined{registers.back(), static_cast<uint8_t>(~later)});
            later |= masks[registers[i]];
        }
    }
    for (tgsi::Operand& o : parsed.program.operands)
        if (const auto to = joined.find(o.index); named(o) && to != joined.end()) {
            o.index = to->second.reg;
            o.write_mask &= to->second.kept;
        }
}

}  // namespace

tl::expected<Parsed, std::string> parse(const Shader& shader) {
    Parsed p;
    std::vector<tgsi::Diagnostic> diagnostics;
    tgsi::Survey survey;
    if (tgsi::read_text(shader.text, {}, p.program, survey, p.registers, diagnostics)) {
        if (shader.clamps_constants)
            for (tgsi::Declaration& d : p.program.declarations)
                if (d.file == File::Const) d.last += kBehind;
        join_outputs(p);
        p.registers = tgsi::gather(p.program);
        p.shader = &shader;
        return p;
    }
    for (const auto& d : diagnostics)
        if (d.severity == tgsi::Severity::Error) {
            std::string text = tgsi::render(d, shader.name, shader.text);
            while (text.ends_with('\n')) text.pop_back();
            return Error(text);
        }
    return Error(shader.name + ": rejected without a reason");
}

int32_t find(const Parsed& parsed, File file, Semantic semantic, uint32_t index) {
    int32_t found = -1;
    tgsi::for_each_semantic(parsed.program, file, [&](int32_t reg, const tgsi::Declaration& d, uint32_t i) {
        if (d.semantic == semantic && i == index) found = reg;
    });
    return found;
}

reference::Options reference_options(const Scene& scene) {
    reference::Options options;
    options.sub_texel_bits = scene.precision.sub_texel_bits;
    options.rounding_filters = true;
    options.mipmap_bits = scene.precision.mipmap_bits;
    options.exact = false;
    options.functions_keep_nan = false;
    options.swizzled_comparisons = true;  // scenes compare in the shader (compare_in_shader)
    return options;
}

tl::expected<reference::Result, std::string> execute(const Scene& scene, const Parsed& parsed,
                                                     const reference::Inputs& inputs) {
    reference::Options options = reference_options(scene);
    options.most_instructions = reference::patience_for(inputs.lanes);
    auto result = reference::run(parsed.program, parsed.registers, inputs, options);
    if (result.error.empty()) return result;
    return Error(reference::refusal(result, parsed.shader->name, parsed.shader->text));
}

namespace {

reference::Wrap wrap_of(const SceneTexture& texture) {
    switch (texture.wrap) {
        case Wrap::Repeat:
            return reference::Wrap::Repeat;
        case Wrap::ClampToEdge:
            break;
        case Wrap::GLClamp:
            return texture.linear ? reference::Wrap::Clamp : reference::Wrap::ClampToEdge;
        case Wrap::MirrorClamp:
            return texture.linear ? reference::Wrap::MirrorClamp : reference::Wrap::MirrorClampToEdge;
        case Wrap::MirrorClampToBorder:
            return reference::Wrap::MirrorClampToBorder;
    }
    return reference::Wrap::ClampToEdge;
}

}  // namespace

reference::Inputs resources(const State& state, const Shader& shader, const Parsed& parsed) {
    reference::Inputs inputs;
    for (const auto& [buffer, values] : shader.constants) {
        std::vector<uint32_t>& words = inputs.constants[buffer];
        for (const float f : values) words.push_back(word(f));
        if (!shader.clamps_constants || words.size() < 4) continue;
        for (size_t i = 0; i < size_t{4} * kBehind; i++) words.push_back(words[words.size() - 4]);
    }
    for (const auto& [index, t] : shader.textures) {
        reference::Texture& made = inputs.textures[index];
        made.target = tgsi::Target::T2D;
        made.width = t.width;
        made.height = t.height;
        const auto compare = state.compare.find(index);
        // A compared texture holds depth, also where the shader compares.
        const bool depth = compare != state.compare.end();
        made.format = tgsi::format_from_name(depth ? "Z32_FLOAT" : "R32G32B32A32_FLOAT").value_or(0);
        made.data.emplace_back();
        for (size_t texel = 0; texel < t.rgba.size(); texel += 4)
            for (size_t c = 0; c < (depth ? 1u : 4u); c++) made.data[0].push_back(word(t.rgba[texel + c]));
        if (const auto swizzle = state.swizzles.find(index); swizzle != state.swizzles.end())
            inputs.views[index] = {index, swizzle->second};
        reference::SamplerState& s = inputs.samplers[index];
        s.min_filter = s.mag_filter = t.linear ? reference::Filter::Linear : reference::Filter::Nearest;
        std::ranges::fill(s.wrap, wrap_of(t));
        s.max_lod = 0;
        s.unnormalized = (state.unnormalized >> index & 1) != 0;
        if (depth) s.compare = static_cast<reference::Compare>(compare->second);
    }
    for (const auto& in : parsed.program.instructions) {
        // The target of a texture is the one that the instruction names.
        if (in.target != tgsi::Target::Rect && in.target != tgsi::Target::ShadowRect) continue;
        for (const auto& o : parsed.program.srcs(in))
            if (o.file == File::Sampler && inputs.textures.contains(static_cast<uint32_t>(o.index)))
                inputs.textures[static_cast<uint32_t>(o.index)].target = tgsi::Target::Rect;
    }
    return inputs;
}

uint32_t drawn_vertices(const Scene& scene) {
    uint32_t n = scene.topology == Topology::Points                                           ? 1
                 : scene.topology == Topology::Lines || scene.topology == Topology::LineStrip ? 2
                                                                                              : 3;
    if (scene.shaders.size() > 1)
        if (const auto last = parse(scene.shaders[scene.shaders.size() - 2])) {
            if (last->program.stage == Stage::Geometry) {
                const auto out = static_cast<tgsi::Primitive>(last->program.property(Property::GsOutputPrimitive));
                n = out == tgsi::Primitive::Points ? 1 : out == tgsi::Primitive::LineStrip ? 2 : 3;
            } else if (last->program.stage == Stage::TessEval) {
                const Domain domain = domain_of(last->program);
                n = domain.points ? 1 : domain.mode == tgsi::Primitive::Lines ? 2 : 3;
            }
        }
    return n;
}

tl::expected<Assembled, std::string> assemble(const Scene& scene, const State& state) {
    if (scene.shaders.size() < 2 || scene.shaders[0].stage != Stage::Vertex ||
        scene.shaders.back().stage != Stage::Fragment)
        return Error("a scene needs at least VERT and FRAG");
    auto vertex = parse(scene.shaders[0]);
    if (!vertex) return Error(vertex.error());
    const auto vertices = run_vertices(scene, state, scene.shaders[0], *vertex);
    if (!vertices) return Error(vertices.error());
    size_t stage = 1;
    Assembled out;
    if (scene.shaders[stage].stage == Stage::TessControl || scene.shaders[stage].stage == Stage::TessEval) {
        auto made = evaluate_patches(scene, state, *vertex, *vertices, stage);
        if (!made) return made;
        out = std::move(*made);
    } else {
        if (scene.topology == Topology::Patches) return Error("topology 'patches' needs a TESS_EVAL shader");
        out.last = std::move(*vertex);
        for (const Cut& c : cut(scene)) {
            Primitive p;
            p.number = static_cast<uint32_t>(out.primitives.size());
            for (const uint32_t i : c) p.vertices.push_back((*vertices)[i]);
            out.primitives.push_back(std::move(p));
        }
    }
    if (scene.shaders[stage].stage == Stage::Geometry) {
        auto made = run_geometry(scene, state, scene.shaders[stage], out);
        if (!made) return made;
        out = std::move(*made);
    }
    return out;
}

}  // namespace tgsi2spv::scene
