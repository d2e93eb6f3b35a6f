#include "api/passthrough.h"

#include <set>

#include "api/append.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::api {

using tgsi::File;
using tgsi::Semantic;

tl::unexpected<tgsi::Diagnostic> refused(tgsi::Code code, uint32_t position, std::string message) {
    tgsi::Diagnostic d;
    d.code = code;
    d.offset = position;
    d.message = std::move(message);
    return tl::unexpected<tgsi::Diagnostic>(std::move(d));
}

tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_tess_ctrl(const tgsi::Program& evaluation,
                                                                       const tgsi::Registers& registers,
                                                                       uint32_t vertices,
                                                                       std::pmr::memory_resource* memory) {
    if (evaluation.stage != tgsi::Stage::TessEval)
        return refused("invalid-argument", 0, "a pass-through TESS_CTRL shader needs a TESS_EVAL shader after it");
    if (vertices == 0 || vertices > tgsi::kMaxPatchVertices)
        return refused("bad-patch", 0, "a patch must have 1 to 32 vertices");
    std::pmr::string inputs(memory), outputs(memory), moves(memory);
    std::pmr::set<std::pair<Semantic, uint32_t>> seen(memory);
    for (int32_t i = 0; i < registers.count(File::Input); ++i) {
        const tgsi::Range* range = registers.find(File::Input, i);
        if (range == nullptr) continue;
        const tgsi::Declaration& d = evaluation.declarations[range->declaration];
        if (d.semantic == Semantic::Patch)
            return refused("no-patch-data", d.position, "PATCH data has no source without a TESS_CTRL shader");
        if (!tgsi::is_per_vertex(evaluation, registers, File::Input, i)) continue;
        const uint32_t index = d.semantic_index + static_cast<uint32_t>(i - d.first);
        if (!seen.insert({d.semantic, index}).second) continue;
        // Far more than any device has locations and built-in variables.
        constexpr size_t kMaxRegisters = 64;
        if (seen.size() > kMaxRegisters)
            return refused("too-many-varyings", d.position,
                           "TESS_EVAL reads more per vertex than any device can pass on");
        const std::string_view name = tgsi::name(d.semantic);
        const size_t n = seen.size() - 1;
        append(inputs, "DCL IN[][{}], {}[{}]\n", n, name, index);
        append(outputs, "DCL OUT[][{}], {}[{}]\n", n + 2, name, index);
        append(moves, "MOV OUT[SV[0].x][{}], IN[SV[0].x][{}]\n", n + 2, n);
    }
    std::pmr::string text(memory);
    append(text,
           "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT {}\n{}DCL OUT[0], TESSOUTER\nDCL OUT[1], TESSINNER\n{}"
           "DCL SV[0], INVOCATIONID\nDCL SV[1], TESS_DEFAULT_OUTER_LEVEL\nDCL SV[2], "
           "TESS_DEFAULT_INNER_LEVEL\n{}MOV OUT[0], SV[1]\nMOV OUT[1].xy, SV[2]\nEND\n",
           vertices, inputs, outputs, moves);
    return text;
}

}  // namespace tgsi2spv::api
