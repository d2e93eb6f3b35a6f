// Builds texture instructions without text: each source i is TEMP[i], except for the texture operands.
#pragma once

#include "sampling/message.h"
#include "tgsi/tables/names.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::sampling {

struct Made {
    tgsi::Program program;
    tgsi::Instruction& instruction() { return program.instructions[0]; }
    tgsi::Operand& dst() { return program.operands[0]; }
    tgsi::Operand& src(int i) { return program.operands[static_cast<size_t>(1 + i)]; }
    /// Appends a texture offset operand.
    tgsi::Operand& offset(tgsi::File file, int32_t index) {
        tgsi::Operand o;
        o.file = file;
        o.index = index;
        program.operands.push_back(o);
        ++instruction().num_offsets;
        return program.operands.back();
    }
    void immediate(uint32_t x, uint32_t y = 0, uint32_t z = 0, uint32_t w = 0) {
        program.immediates.push_back({tgsi::ImmediateType::Int32, {x, y, z, w}, 0});
    }
    std::optional<Message> message() {
        refusal = {};
        return message_of(program, instruction(), refusal);
    }
    /// Returns the printed message, or "refused: " and the reason.
    std::string text() {
        std::optional<Message> m = message();
        return m ? print(*m) : "refused: " + refusal.reason;
    }
    Refusal refusal;
};

/// Makes `op` on `target` in `stage`, with the destination OUT[0] and the texture operand SAMP[0], or SVIEW[0] and
/// SAMP[0].
inline Made make(tgsi::Opcode op, tgsi::Target target, tgsi::Stage stage = tgsi::Stage::Fragment) {
    Made made;
    tgsi::Program& p = made.program;
    p.stage = stage;
    const tgsi::OpcodeInfo& row = tgsi::info(op);
    tgsi::Instruction i;
    i.op = op;
    i.num_dst = row.num_dst;
    i.num_src = row.num_src;
    i.position = 77;
    tgsi::Operand dst;
    dst.file = tgsi::File::Output;
    p.operands.push_back(dst);
    for (int s = 0; s < row.num_src; ++s) {
        tgsi::Operand o;
        o.file = row.src[static_cast<size_t>(s)] == tgsi::OperandType::Sampler       ? tgsi::File::Sampler
                 : row.src[static_cast<size_t>(s)] == tgsi::OperandType::SamplerView ? tgsi::File::SamplerView
                                                                                     : tgsi::File::Temp;
        o.index = o.file == tgsi::File::Temp ? s : 0;
        p.operands.push_back(o);
    }
    if (row.form == tgsi::Form::sample) {
        tgsi::Declaration d;
        d.file = tgsi::File::SamplerView;
        d.target = target;
        p.declarations.push_back(d);
    } else {
        i.target = target;
    }
    p.instructions.push_back(i);
    return made;
}

}  // namespace tgsi2spv::sampling
