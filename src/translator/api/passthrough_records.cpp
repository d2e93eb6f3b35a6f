#include "api/append.h"
#include "api/passthrough.h"
#include "lower/lower.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::api {

using tgsi::File;
using tgsi::Semantic;

namespace {

void append_mask(std::pmr::string& text, uint8_t mask) {
    if (mask == 0xf) return;
    text += '.';
    for (uint8_t c = 0; c < 4; ++c)
        if (mask >> c & 1) text += "xyzw"[c];
}

/// The components of each OUT by all of its declarations: packed varyings have several.
std::pmr::vector<uint8_t> output_masks(const tgsi::Program& program, int32_t count, std::pmr::memory_resource* memory) {
    std::pmr::vector<uint8_t> masks(static_cast<size_t>(count), memory);
    for (const tgsi::Declaration& d : program.declarations)
        for (int32_t i = d.first; d.file == File::Output && i <= d.last; ++i)
            masks[static_cast<size_t>(i)] |= d.usage_mask;
    return masks;
}

/// The properties that decide how the outputs draw.
void append_properties(std::pmr::string& text, const tgsi::Program& before) {
    using tgsi::Property;
    for (const auto& [property, name] : {std::pair(Property::NumClipDistEnabled, "NUM_CLIPDIST_ENABLED"),
                                         std::pair(Property::NumCullDistEnabled, "NUM_CULLDIST_ENABLED"),
                                         std::pair(Property::VsWindowSpacePosition, "VS_WINDOW_SPACE_POSITION")})
        if (const uint32_t value = before.property(property); value != 0) append(text, "PROPERTY {} {}\n", name, value);
}

}  // namespace

tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_records(const tgsi::Program& before,
                                                                     const tgsi::Registers& registers,
                                                                     std::pmr::memory_resource* memory) {
    using enum tgsi::Stage;
    if (before.stage != Vertex && before.stage != TessEval && before.stage != Geometry)
        return refused("invalid-argument", 0, "records of vertices are written by VERT, TESS_EVAL and GEOM");
    if (registers.count(File::Output) > lower::kMostRecordSlots)
        return refused("too-many-varyings", 0, "the shader has too many outputs for a record");
    std::pmr::string outputs(memory), immediates(memory), moves(memory);
    uint32_t count = 0;
    const uint32_t slots = lower::io_slots(before, registers).output;
    const bool numbered = before.stage != Geometry;
    bool has_primitive = false;
    const auto masks = output_masks(before, registers.count(File::Output), memory);
    for (int32_t i = 0; i < registers.count(File::Output); ++i) {
        const tgsi::Range* range = registers.find(File::Output, i);
        if (range == nullptr) continue;
        const tgsi::Declaration& d = before.declarations[range->declaration];
        if (d.semantic == Semantic::PrimId) {
            if (numbered) continue;
            has_primitive = true;
        }
        const uint8_t mask = masks[static_cast<size_t>(i)];
        append(outputs, "DCL OUT[{}]", i);
        append_mask(outputs, mask);
        append(outputs, ", {}[{}]\n", tgsi::name(d.semantic), d.semantic_index + static_cast<uint32_t>(i - d.first));
        append(immediates, "IMM[{}] UINT32 {{{}, 0, 0, 0}}\n", ++count, 16 * i);
        append(moves, "UADD TEMP[1].x, TEMP[0].xxxx, IMM[{}].xxxx\nLOAD TEMP[1], BUFFER[0], TEMP[1].xxxx\nMOV OUT[{}]",
               count, i);
        append_mask(moves, mask);
        moves += ", TEMP[1]\n";
    }
    if (!has_primitive) {
        append(outputs, "DCL OUT[{}].x, PRIMID\n", slots);
        append(moves, "MOV OUT[{}].x, TEMP[0].yyyy\n", slots);
    }
    std::pmr::string text("VERT\n", memory);
    append_properties(text, before);
    append(text, "{}DCL SV[0], VERTEXID\nDCL BUFFER[0]\n{}DCL TEMP[0..1]\nIMM[0] UINT32 {{{}, 8, 0, 0}}\n{}", outputs,
           numbered ? "DCL BUFFER[1]\n" : "", 16 * slots, immediates);
    text += numbered ? "UMUL TEMP[0].x, SV[0].xxxx, IMM[0].yyyy\nLOAD TEMP[0].xy, BUFFER[1], TEMP[0].xxxx\n"
                     : "MOV TEMP[0].x, SV[0].xxxx\nMOV TEMP[0].y, IMM[0].zzzz\n";
    append(text, "UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx\n{}END\n", moves);
    return text;
}

}  // namespace tgsi2spv::api
