#include "api/append.h"
#include "api/passthrough.h"
#include "lower/lower.h"
#include "tgsi/names.h"

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

}  // namespace

tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_records(const tgsi::Program& before,
                                                                     const tgsi::Registers& registers,
                                                                     std::pmr::memory_resource* memory) {
    if (before.stage != tgsi::Stage::Vertex && before.stage != tgsi::Stage::Geometry)
        return refused("invalid-argument", 0, "records are written by VERT and GEOM");
    std::pmr::string outputs(memory), immediates(memory), moves(memory);
    uint32_t count = 0;
    const uint32_t slots = lower::io_slots(before, registers).output;
    for (int32_t i = 0; i < registers.count(File::Output); ++i) {
        const tgsi::Range* range = registers.find(File::Output, i);
        if (range == nullptr) continue;
        const tgsi::Declaration& d = before.declarations[range->declaration];
        if (d.semantic == Semantic::PrimId) continue;  // no output of VERT
        append(outputs, "DCL OUT[{}]", i);
        append_mask(outputs, d.usage_mask);
        append(outputs, ", {}[{}]\n", tgsi::name(d.semantic), d.semantic_index + static_cast<uint32_t>(i - d.first));
        append(immediates, "IMM[{}] UINT32 {{{}, 0, 0, 0}}\n", ++count, 16 * i);
        append(moves, "UADD TEMP[1].x, TEMP[0].xxxx, IMM[{}].xxxx\nLOAD TEMP[1], BUFFER[0], TEMP[1].xxxx\nMOV OUT[{}]",
               count, i);
        append_mask(moves, d.usage_mask);
        moves += ", TEMP[1]\n";
    }
    std::pmr::string text(memory);
    append(text,
           "VERT\n{}DCL SV[0], VERTEXID\nDCL BUFFER[0]\nDCL TEMP[0..1]\nIMM[0] UINT32 {{{}, 0, 0, 0}}\n{}"
           "UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n{}END\n",
           outputs, 16 * slots, immediates, moves);
    return text;
}

}  // namespace tgsi2spv::api
