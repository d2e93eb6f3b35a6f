#include "tgsi/virgl.h"

#include <algorithm>
#include <array>
#include <map>

namespace tgsi2spv::tgsi {
namespace {

constexpr uint8_t kXyxy = 0x44, kXyzw = 0xe4, kZw = 0xc;

bool is_wide(OperandType type) {
    return type == OperandType::Double || type == OperandType::Int64 || type == OperandType::Uint64;
}

std::span<Operand> operands_of(Program& program, uint32_t first, uint32_t count) {
    return std::span(program.operands).subspan(first, count);
}

/// Whether the driver's rewriting may have printed it.
bool is_plain(const Operand& operand) {
    return operand.file == File::Temp && !operand.index_is_relative && operand.swizzle == kXyzw &&
           operand.swizzle_letters == 0;
}

template <class Function>
void for_each_plain_wide_source(Program& program, const Function& function) {
    for (const Instruction& i : program.instructions) {
        const OpcodeInfo& opcode = info(i.op);
        if (!opcode.is_wide) continue;
        const auto sources = operands_of(program, i.first_operand + i.num_dst, i.num_src);
        for (size_t n = 0; n < std::min(sources.size(), opcode.src.size()); n++)
            if (is_wide(opcode.src[n]) && is_plain(sources[n])) function(sources[n]);
    }
}

void mend_wide_sources(Program& program) {
    bool any = false;
    for_each_plain_wide_source(program, [&](const Operand&) { any = true; });
    if (!any) return;
    // In z or w. Of the registers from the 64th on, it has those between two written ones, too; the driver's own have
    // the highest numbers.
    Survey::Used written;
    for (const Instruction& i : program.instructions)
        for (const Operand& o : program.dsts(i)) {
            if (o.file != File::Temp || (o.write_mask & kZw) == 0) continue;
            if (o.index_is_relative) return;
            written.add(o.index);
        }
    for_each_plain_wide_source(program, [&](Operand& o) {
        if (written.meets(o.index, o.index)) return;
        o.swizzle = kXyxy;
        o.swizzle_letters = 4;
    });
}

/// The vertices of TEMPs that an instruction writes.
using Vertices = std::pmr::map<int32_t, Operand>;

/// Whether it is the MOV of such a TEMP to its output, which gets the vertex.
bool take_vertex(Program& program, const Instruction& i, const Vertices& vertices) {
    if (i.op != Opcode::MOV || i.num_dst != 1 || i.num_src != 1) return false;
    Operand& out = program.operands[i.first_operand];
    const Operand& from = program.operands[i.first_operand + 1];
    const auto at = vertices.find(from.index);
    if (out.file != File::Output || out.has_dim || out.index_is_relative || from.file != File::Temp ||
        from.index_is_relative || at == vertices.end())
        return false;
    out.has_dim = true;
    out.dim = at->second.dim;
    out.dim_is_relative = at->second.dim_is_relative;
    out.dim_array_id = at->second.dim_array_id;
    out.relative = at->second.relative;
    return true;
}

/// Whether a vertex was moved. Only to the next instruction: another one may change its index.
bool mend_clip_vertex(Program& program) {
    Vertices vertices(program.operands.get_allocator());
    bool any = false;
    for (const Instruction& i : program.instructions) {
        if (take_vertex(program, i, vertices)) continue;
        vertices.clear();
        for (Operand& o : operands_of(program, i.first_operand, i.num_dst)) {
            if (o.file != File::Temp || !o.has_dim || o.index_is_relative) continue;
            vertices[o.index] = o;
            o.has_dim = o.dim_is_relative = false;
            o.dim = 0;
            o.dim_array_id = 0;
            any = true;
        }
    }
    return any;
}

void mend_usage_masks(Program& program) {
    std::array<uint8_t, 80> written{};  // gallium's most outputs
    for (const Instruction& i : program.instructions)
        for (const Operand& o : program.dsts(i))
            if (o.file == File::Output && !o.index_is_relative && static_cast<size_t>(o.index) < written.size())
                written[static_cast<size_t>(o.index)] |= o.write_mask;
    for (Declaration& d : program.declarations)
        for (size_t i = 0; d.file == File::Output && i < written.size(); i++)
            if (d.first <= static_cast<int32_t>(i) && static_cast<int32_t>(i) <= d.last) d.usage_mask |= written[i];
}

}  // namespace

void mend_virgl(Program& program, Survey& found) {
    mend_wide_sources(program);
    if (program.stage == Stage::TessControl) mend_usage_masks(program);
    // The checker has to look at the operands again, so no instruction counts as simple any more.
    if (program.stage == Stage::TessControl && mend_clip_vertex(program)) survey(program, found);
}

}  // namespace tgsi2spv::tgsi
