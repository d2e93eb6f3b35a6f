#include <array>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "api/append.h"
#include "api/passthrough.h"
#include "lower/interface/locations.h"
#include "tgsi/names.h"

namespace tgsi2spv::api {
namespace {

using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;

/// An output of the previous stage. GEOM reads it as IN[v][reg] and writes it as OUT[reg].
struct Output {
    Semantic semantic{};
    uint32_t index = 0;
    uint8_t mask = 0;  ///< components that are written
    bool flat = false;
};

using Name = std::pair<Semantic, uint32_t>;

/// Components of each OUT register that some instruction writes.
std::pmr::vector<uint8_t> written(const tgsi::Program& program, const tgsi::Registers& registers,
                                  std::pmr::memory_resource* memory) {
    std::pmr::vector<uint8_t> masks(static_cast<size_t>(registers.count(File::Output)), 0, memory);
    uint8_t anywhere = 0;
    for (const tgsi::Instruction& i : program.instructions)
        for (const tgsi::Operand& o : program.dsts(i)) {
            if (o.file != File::Output) continue;
            if (o.index_is_relative)
                anywhere |= o.write_mask;
            else if (o.index >= 0 && static_cast<size_t>(o.index) < masks.size())
                masks[static_cast<size_t>(o.index)] |= o.write_mask;
        }
    for (uint8_t& m : masks) m |= anywhere;
    return masks;
}

/// Collects the inputs that FRAG does not interpolate.
void gather_flat_inputs(const tgsi::Program& fragment, bool flat_shade, std::pmr::set<Name>& flat) {
    for (const tgsi::Declaration& d : fragment.declarations) {
        if (d.file != File::Input || !d.has_semantic) continue;
        const bool color = d.interpolation == tgsi::Interpolation::Color;
        const bool constant =
            d.interpolation == tgsi::Interpolation::Constant || d.interpolation == tgsi::Interpolation::Unwritten;
        if (!constant && !(color && flat_shade)) continue;
        for (int32_t i = d.first; i <= d.last; ++i) {
            const uint32_t index = d.semantic_index + static_cast<uint32_t>(i - d.first);
            flat.insert({d.semantic, index});
            if (d.semantic == Semantic::Color) flat.insert({Semantic::BColor, index});
        }
    }
}

bool reads_primitive_id(const tgsi::Program& fragment) {
    for (const tgsi::Declaration& d : fragment.declarations)
        if ((d.file == File::Input || d.file == File::SystemValue) && d.semantic == Semantic::PrimId) return true;
    return false;
}

bool is_line(Topology t) {
    return t == Topology::Lines || t == Topology::LineStrip;
}

bool makes_points(const PassthroughGeometry& what) {
    return what.topology == Topology::Points || (!is_line(what.topology) && what.polygon_mode == PolygonMode::Point);
}

constexpr std::string_view kNone;

std::string letters(uint8_t mask) {
    std::string s;
    for (size_t c = 0; c < 4; ++c)
        if (mask >> c & 1) s += "xyzw"[c];
    return mask == 0xf ? std::string(kNone) : "." + s;
}

/// Writes the shader; registers have the order of `outputs`.
class Writer {
  public:
    Writer(std::span<const Output> outputs, const PassthroughGeometry& what, bool primitive_id,
           std::pmr::memory_resource* memory)
        : outputs_(outputs), what_(what), primitive_id_(primitive_id), head_(memory), body_(memory) {
        for (size_t i = 0; i < outputs_.size(); ++i) {
            if (outputs_[i].semantic == Semantic::Position) position_ = i;
            if (outputs_[i].semantic == Semantic::EdgeFlag) edge_flag_ = i;
        }
    }

    std::pmr::string text(const tgsi::Program& before) {
        const bool line = is_line(what_.topology), point = what_.topology == Topology::Points;
        const uint32_t vertices = point ? 1 : line ? 2 : 3;
        const bool edges = vertices == 3 && what_.polygon_mode == PolygonMode::Line;
        const bool corners = vertices == 3 && what_.polygon_mode == PolygonMode::Point;
        const uint32_t most = edges ? 6 : vertices;
        append(head_,
               "GEOM\nPROPERTY GS_INPUT_PRIMITIVE {}\nPROPERTY GS_OUTPUT_PRIMITIVE {}\nPROPERTY GS_MAX_OUTPUT_VERTICES "
               "{}\n",
               point  ? "POINTS"
               : line ? "LINES"
                      : "TRIANGLES",
               point || corners ? "POINTS"
               : line || edges  ? "LINE_STRIP"
                                : "TRIANGLE_STRIP",
               most);
        for (const auto property :
             {Property::NumClipDistEnabled, Property::NumCullDistEnabled, Property::VsProhibitUcps})
            if (const uint32_t value = before.property(property); value != 0)
                append(head_, "PROPERTY {} {}\n", tgsi::name(property), value);
        for (size_t i = 0; i < outputs_.size(); ++i) {
            const Output& o = outputs_[i];
            append(head_, "DCL IN[][{}], {}[{}]\n", i, tgsi::name(o.semantic), o.index);
            if (i != edge_flag_) append(head_, "DCL OUT[{}], {}[{}]\n", i, tgsi::name(o.semantic), o.index);
        }
        stippled_ = what_.line_stipple && (line || edges) && position_ < outputs_.size();
        const size_t extra = outputs_.size();
        if (stippled_) append(head_, "DCL OUT[{}], TEXCOORD[{}]\n", extra, lower::kStippleTexCoord);
        strip_ = what_.provoking_last && what_.topology == Topology::TriangleStrip;
        if (primitive_id_ || strip_) append(head_, "DCL IN[{}], PRIM_ID\n", extra + 1);
        if (primitive_id_) append(head_, "DCL OUT[{}], PRIM_ID\n", extra + 1);
        head_ += "DCL TEMP[0..2]\nIMM[0] UINT32 {0, 1, 0, 0}\nIMM[1] FLT32 {0.0, 0.0, 0.0, 0.0}\n";
        if (strip_) append(body_, "AND TEMP[0].x, IN[{}].xxxx, IMM[0].yyyy\n", extra + 1);
        if (edges) {
            for (uint32_t i = 0; i < 3; ++i) edge(i, (i + 1) % 3, true);
        } else if (line) {
            edge(0, 1, false);
        } else {
            for (uint32_t i = 0; i < vertices; ++i) {
                const bool drawn_by_flag = corners && begin_flag(i);
                vertex(i, kNone);
                if (corners) body_ += "ENDPRIM IMM[0].xxxx\n";
                if (drawn_by_flag) body_ += "ENDIF\n";
            }
            if (!corners) body_ += "ENDPRIM IMM[0].xxxx\n";
        }
        head_.append(body_).append("END\n");
        return std::move(head_);
    }

  private:
    /// Only independent triangles have edge flags: all edges of strips and fans are drawn.
    bool begin_flag(uint32_t vertex) {
        if (edge_flag_ >= outputs_.size() || what_.topology != Topology::Triangles) return false;
        append(body_, "FSNE TEMP[1].x, IN[{}][{}].xxxx, IMM[1].xxxx\nUIF TEMP[1].xxxx\n", vertex, edge_flag_);
        return true;
    }

    /// A line from vertex to vertex. A stippled one carries the distance from its start, in window halves in each
    /// direction, as FRAG expects it.
    void edge(uint32_t from, uint32_t to, bool of_polygon) {
        const bool flagged = of_polygon && begin_flag(from);
        if (stippled_)
            append(body_,
                   "RCP TEMP[1].x, IN[{0}][{2}].wwww\nMUL TEMP[1].xy, IN[{0}][{2}], TEMP[1].xxxx\n"
                   "RCP TEMP[2].x, IN[{1}][{2}].wwww\nMUL TEMP[2].xy, IN[{1}][{2}], TEMP[2].xxxx\n"
                   "ADD TEMP[2].xy, TEMP[2], -TEMP[1]\nMOV TEMP[2].xy, |TEMP[2]|\n",
                   from, to, position_);
        vertex(from, "IMM[1].xyyy");
        vertex(to, "TEMP[2].xyyy");
        body_ += "ENDPRIM IMM[0].xxxx\n";
        if (flagged) body_ += "ENDIF\n";
    }

    void vertex(uint32_t v, std::string_view distance) {
        for (size_t i = 0; i < outputs_.size(); ++i) {
            const Output& o = outputs_[i];
            if (i == edge_flag_) continue;
            const std::string mask = letters(o.mask);
            if (!o.flat)
                append(body_, "MOV OUT[{0}]{1}, IN[{2}][{0}]\n", i, mask, v);
            else if (strip_)
                // The vertex that came last in the draw: Vulkan swaps vertices of every second triangle of a strip.
                append(body_, "UCMP OUT[{0}]{1}, TEMP[0].xxxx, IN[1][{0}], IN[2][{0}]\n", i, mask);
            else
                append(body_, "MOV OUT[{0}]{1}, IN[{2}][{0}]\n", i, mask, provoking());
        }
        if (stippled_) append(body_, "MOV OUT[{}].xy, {}\n", outputs_.size(), distance);
        if (primitive_id_) append(body_, "MOV OUT[{0}].x, IN[{0}].xxxx\n", outputs_.size() + 1);
        body_ += "EMIT IMM[0].xxxx\n";
    }

    /// To Vulkan, the triangles of a fan are (i + 1, i + 2, 0).
    uint32_t provoking() const {
        if (!what_.provoking_last || what_.topology == Topology::Points) return 0;
        return what_.topology == Topology::Triangles ? 2 : 1;
    }

    std::span<const Output> outputs_;
    const PassthroughGeometry& what_;
    bool primitive_id_ = false, stippled_ = false, strip_ = false;
    size_t position_ = SIZE_MAX, edge_flag_ = SIZE_MAX;
    std::pmr::string head_, body_;
};

/// The distances that are used: by the properties, else those that are written.
uint8_t distance_mask(const tgsi::Program& before, Semantic semantic, uint32_t index, uint8_t mask) {
    const uint32_t clip = before.property(Property::NumClipDistEnabled);
    const uint32_t cull = before.property(Property::NumCullDistEnabled);
    if (clip + cull == 0) return mask;
    const uint32_t most = semantic == Semantic::ClipDist ? clip + cull : cull;
    uint8_t counted = 0;
    for (uint32_t c = 0; c < 4; ++c)
        if (4 * index + c < most) counted |= static_cast<uint8_t>(1u << c);
    return counted;
}

}  // namespace

tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_geometry(const tgsi::Program& before,
                                                                      const tgsi::Registers& registers,
                                                                      const tgsi::Program* fragment,
                                                                      const PassthroughGeometry& what,
                                                                      std::pmr::memory_resource* memory) {
    if (before.stage != tgsi::Stage::Vertex && before.stage != tgsi::Stage::TessEval)
        return refused("invalid-argument", 0, "a pass-through GEOM shader needs a VERT or TESS_EVAL shader before it");
    if (fragment != nullptr && fragment->stage != tgsi::Stage::Fragment)
        return refused("invalid-argument", 0, "a pass-through GEOM shader needs a FRAG shader after it");
    std::pmr::set<Name> flat(memory);
    if (fragment != nullptr) gather_flat_inputs(*fragment, what.flat_shade, flat);
    const std::pmr::vector<uint8_t> masks = written(before, registers, memory);
    std::pmr::vector<Output> outputs(memory);
    std::pmr::map<Name, size_t> places(memory);  // in `outputs`
    for (size_t i = 0; i < masks.size(); ++i) {
        const tgsi::Range* range = masks[i] == 0 ? nullptr : registers.find(File::Output, static_cast<int32_t>(i));
        if (range == nullptr) continue;
        const tgsi::Declaration& d = before.declarations[range->declaration];
        Output o{d.semantic, d.semantic_index + static_cast<uint32_t>(i) - static_cast<uint32_t>(d.first), masks[i]};
        if (d.semantic == Semantic::Layer || d.semantic == Semantic::ViewportIndex ||
            d.semantic == Semantic::ViewportMask)
            return refused("no-such-input", d.position,
                           std::string(tgsi::name(d.semantic)) + " of the preceding stage cannot be read by GEOM");
        if (d.semantic == Semantic::PSize && !makes_points(what)) continue;
        if (d.semantic == Semantic::ClipDist || d.semantic == Semantic::CullDist)
            o.mask = distance_mask(before, d.semantic, o.index, o.mask);
        if (d.semantic == Semantic::PSize || d.semantic == Semantic::EdgeFlag) o.mask = 1;
        if (o.mask == 0) continue;
        const auto [place, is_new] = places.try_emplace({o.semantic, o.index}, outputs.size());
        if (!is_new) {  // another declaration of the same semantic: other components
            outputs[place->second].mask |= o.mask;
            continue;
        }
        o.flat = flat.contains({o.semantic, o.index});
        outputs.push_back(o);
    }
    return Writer(outputs, what, fragment != nullptr && reads_primitive_id(*fragment), memory).text(before);
}

}  // namespace tgsi2spv::api
