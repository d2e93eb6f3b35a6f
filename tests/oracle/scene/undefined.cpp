#include "scene/undefined.h"
#include "tgsi/program/semantics.h"

#include <algorithm>

namespace tgsi2spv::scene {

using tgsi::File;
using tgsi::Semantic;

namespace {

/// The components of an input that some operand may read.
uint8_t components_read(const tgsi::Program& program, int32_t reg) {
    uint8_t read = 0;
    for (const tgsi::Instruction& i : program.instructions)
        for (const tgsi::Operand& o : program.all_operands(i).subspan(i.num_dst)) {
            if (o.file != File::Input || (!o.index_is_relative && o.index != reg)) continue;
            for (int c = 0; c < 4; c++) read |= static_cast<uint8_t>(1u << o.component(c));
        }
    return read;
}

/// Semantics, Machine: "a component of OUT is … undefined if none does" write it. FOG has only x.
bool is_unwritten(const Parsed& last, Semantic semantic, uint32_t index, uint8_t read) {
    if (semantic != Semantic::Generic && semantic != Semantic::Color && semantic != Semantic::TexCoord) return false;
    const int32_t reg = find(last, File::Output, semantic, index);
    const auto written = last.written.find(reg);
    return reg >= 0 && (read & ~(written != last.written.end() ? written->second : 0)) != 0;
}

bool is_no_distance(const Parsed& last, Semantic semantic, uint32_t index, uint8_t read) {
    const DistanceCounts counts = counts_of(last);
    if (!counts.culls_in_clip) return false;
    if (semantic == Semantic::CullDist) return true;
    if (semantic != Semantic::ClipDist) return false;
    for (uint32_t c = 0; c < 4; c++)
        if ((read >> c & 1) != 0 && 4 * index + c >= counts.clip + counts.cull) return true;
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
    tgsi::for_each_semantic(
        fragment.program, File::Input, [&](int32_t reg, const tgsi::Declaration& d, uint32_t index) {
            const uint8_t read = components_read(fragment.program, reg);
            if (read == 0) return;
            if (d.semantic == Semantic::PCoord && !rastered.point && (read & 0b0011) != 0)
                undefined = true;  // Vulkan, "PointCoord"
            if (is_unwritten(last, d.semantic, index, read) || is_no_distance(last, d.semantic, index, read))
                undefined = true;
            const int32_t from = find(last, File::Output, d.semantic, index);
            if (is_flat(scene, d) && last.program.stage == tgsi::Stage::TessEval && from >= 0 &&
                vertices_differ(primitive, from))
                undefined = true;
        });
    return undefined;
}

}  // namespace tgsi2spv::scene
