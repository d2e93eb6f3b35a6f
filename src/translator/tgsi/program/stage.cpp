#include "tgsi/program/stage.h"

#include <algorithm>

namespace tgsi2spv::tgsi {

uint32_t vertices_of(Primitive primitive) {
    switch (primitive) {
        case Primitive::Points:
            return 1;
        case Primitive::Lines:
        case Primitive::LineLoop:
        case Primitive::LineStrip:
            return 2;
        case Primitive::Triangles:
        case Primitive::TriangleStrip:
        case Primitive::TriangleFan:
            return 3;
        case Primitive::LinesAdjacency:
        case Primitive::LineStripAdjacency:
            return 4;
        case Primitive::TrianglesAdjacency:
        case Primitive::TriangleStripAdjacency:
            return 6;
        default:
            return 0;
    }
}

uint32_t input_vertices(const Program& program) {
    if (program.stage == Stage::TessControl || program.stage == Stage::TessEval) return kMaxPatchVertices;
    if (program.stage != Stage::Geometry) return 0;
    return vertices_of(static_cast<Primitive>(program.property(Property::GsInputPrimitive)));
}

uint32_t output_vertices(const Program& program) {
    if (program.stage != Stage::TessControl) return 0;
    const uint32_t written = program.property(Property::TcsVerticesOut);
    if (written != 0) return written;
    // Without an array over vertices no length is needed: producers leave it out of shaders that write levels only.
    for (const Declaration& d : program.declarations)
        if (d.file == File::Output && d.has_dim) return 0;
    return 1;
}

bool is_per_vertex(const Program& program, const Registers& registers, File file, int32_t index) {
    if (!has_vertices(program.stage, file)) return false;
    const Declaration* d = declaration_of(program, registers.find(file, index));
    return d != nullptr && d->has_dim && d->semantic != Semantic::PrimId;
}

uint8_t output_components(const Program& program, const Registers& registers, int32_t index) {
    constexpr uint8_t kAll = 0xf;
    if (program.stage != Stage::TessControl) return kAll;
    const Declaration* d = declaration_of(program, registers.find(File::Output, index));
    if (d == nullptr) return kAll;
    const uint8_t of_semantic = d->semantic == Semantic::TessInner ? 0x3 : d->semantic == Semantic::PSize ? 0x1 : kAll;
    return d->usage_mask & of_semantic;
}

std::optional<uint32_t> stream_of(const Program& program, const Instruction& instruction) {
    if (instruction.num_src == 0) return 0;
    const Operand& o = program.srcs(instruction)[0];
    if (o.file != File::Immediate || o.index_is_relative || o.dim_is_relative || o.negate || o.absolute) return {};
    if (o.index < 0 || static_cast<size_t>(o.index) >= program.immediates.size()) return {};
    const uint32_t stream = program.immediates[static_cast<size_t>(o.index)].words[o.component(0)];
    return stream < 4 ? std::optional(stream) : std::nullopt;
}

uint32_t most_emitted_vertices(const Program& program) {
    constexpr uint32_t kUnlessSet = 32;
    return program.property(Property::GsMaxOutputVertices, kUnlessSet);
}

uint32_t invocations(const Program& program) {
    return std::max(1u, program.property(Property::GsInvocations));
}

bool may_lack_end(const Program& program) {
    const auto& all = program.instructions;
    return program.stage == Stage::Compute && !all.empty() &&
           (all.back().op == Opcode::RET || all.back().op == Opcode::ENDSUB);
}

}  // namespace tgsi2spv::tgsi
