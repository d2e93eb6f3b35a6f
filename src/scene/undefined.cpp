#include "scene/undefined.h"

#include <algorithm>

namespace tgsi2spv::scene {

using tgsi::File;
using tgsi::Interpolation;
using tgsi::Property;
using tgsi::Semantic;

namespace {

/// The components of a register that some operand of the instructions may read (`file` IN) or write (OUT).
uint8_t components_used(const tgsi::Program& program, File file, int32_t reg) {
    uint8_t used = 0;
    for (const tgsi::Instruction& i : program.instructions) {
        const auto operands = program.all_operands(i);
        for (size_t n = 0; n < operands.size(); n++) {
            const tgsi::Operand& o = operands[n];
            const bool written = n < i.num_dst;
            if (o.file != file || written != (file == File::Output)) continue;
            if (!o.index_is_relative && o.index != reg) continue;
            if (written) used |= o.write_mask;
            for (int c = 0; c < 4 && !written; c++) used |= static_cast<uint8_t>(1u << o.component(c));
        }
    }
    return used;
}

/// Semantics, Machine: "a component of OUT is … undefined if none does" write it. FOG has only x.
bool is_unwritten(const Parsed& last, Semantic semantic, uint32_t index, uint8_t read) {
    if (semantic != Semantic::Generic && semantic != Semantic::Color && semantic != Semantic::TexCoord) return false;
    const int32_t reg = find(last, File::Output, semantic, index);
    return reg >= 0 && (read & ~components_used(last.program, File::Output, reg)) != 0;
}

/// Semantics, Interface: "CLIPDIST[0..1] hold NUM_CLIPDIST clip values, then NUM_CULLDIST cull values".
bool is_no_distance(const Parsed& last, Semantic semantic, uint32_t index, uint8_t read) {
    const uint32_t clip = last.program.property(Property::NumClipDistEnabled);
    const uint32_t cull = last.program.property(Property::NumCullDistEnabled);
    if (clip + cull == 0) return false;
    if (semantic == Semantic::CullDist) return true;
    if (semantic != Semantic::ClipDist) return false;
    for (uint32_t c = 0; c < 4; c++)
        if ((read >> c & 1) != 0 && 4 * index + c >= clip + cull) return true;
    return false;
}

/// Whether the vertices differ in a register: then it matters which one is the provoking vertex.
bool vertices_differ(const Primitive& primitive, int32_t reg) {
    const auto value_of = [reg](const Vertex& v) {
        const auto found = v.find(reg);
        return found != v.end() ? found->second : reference::Vec4{};
    };
    return std::ranges::any_of(primitive.vertices,
                               [&](const Vertex& v) { return value_of(v) != value_of(primitive.vertices[0]); });
}

}  // namespace

bool reads_undefined(const Scene& scene, const Parsed& last, const Parsed& fragment, const Primitive& primitive,
                     const Rastered& rastered) {
    bool undefined = false;
    for_each_semantic(fragment, File::Input, [&](int32_t reg, const tgsi::Declaration& d, uint32_t index) {
        const uint8_t read = components_used(fragment.program, File::Input, reg);
        if (read == 0) return;
        if (d.semantic == Semantic::PCoord && !rastered.point) undefined = true;  // Vulkan, "PointCoord"
        if (is_unwritten(last, d.semantic, index, read) || is_no_distance(last, d.semantic, index, read))
            undefined = true;
        const bool flat = d.interpolation == Interpolation::Constant || d.interpolation == Interpolation::Unwritten ||
                          (d.interpolation == Interpolation::Color && scene.fixed.flat_shade);
        const int32_t from = find(last, File::Output, d.semantic, index);
        if (flat && last.program.stage == tgsi::Stage::TessEval && from >= 0 && vertices_differ(primitive, from))
            undefined = true;
    });
    return undefined;
}

}  // namespace tgsi2spv::scene
