// Floats of any bits: infinities, NaN, denormals, zeros of either sign.
#include <fmt/format.h>

#include "difftest/generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

/// What is defined for every float, or of which the judge knows where it is not. Not here: LG2, which lavapipe takes of
/// denormals by their exponent alone (README).
constexpr Opcode kOpcodes[] = {
    Opcode::MOV,   Opcode::ABS,  Opcode::MIN,   Opcode::MAX,   Opcode::ADD,  Opcode::SUB,  Opcode::MUL,  Opcode::MAD,
    Opcode::FLR,   Opcode::CEIL, Opcode::TRUNC, Opcode::ROUND, Opcode::FRC,  Opcode::SSG,  Opcode::SLT,  Opcode::SGE,
    Opcode::SEQ,   Opcode::SNE,  Opcode::SGT,   Opcode::SLE,   Opcode::FSLT, Opcode::FSGE, Opcode::FSEQ, Opcode::FSNE,
    Opcode::CMP,   Opcode::CND,  Opcode::F2I,   Opcode::F2U,   Opcode::RCP,  Opcode::SQRT, Opcode::RSQ,  Opcode::DIV,
    Opcode::CLAMP, Opcode::LRP,  Opcode::DST,   Opcode::DP2,   Opcode::DP3,  Opcode::EX2,  Opcode::ARL,
};

constexpr uint32_t kEdges[] = {
    0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x807fffff,
    0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x4f000000,
};

std::string operand(Shader& s) {
    std::string text;
    if (!s.raw_floats.empty() && !s.chance(3))
        text = s.any_of(s.raw_floats);
    else if (s.chance(2))
        text = imm_float_bits(s, kEdges[s.random.below(std::size(kEdges))]);
    else
        text = source(s, {Kind::Int, kMinInt, kMaxUint, 0, false, false}, 15).text;
    if (text.front() == '-') return text;
    if (s.chance(6)) text = "|" + text + "|";
    return s.chance(4) ? "-" + text : text;
}

}  // namespace

bool edge_instruction(Shader& s) {
    const auto& info = tgsi::info(kOpcodes[s.random.below(std::size(kOpcodes))]);
    const bool floats = info.dst[0] == tgsi::OperandType::Float;
    Value v = floats ? float_of(0, 0) : any_int();
    v.fuzz = kOnlyShown;
    Values values;
    values.fill(v);
    std::string operands;
    for (int i = 0; i < info.num_src; i++) operands += ", " + operand(s);
    const Dest to = dest(s, static_cast<uint8_t>(s.random.below(15) + 1), values);
    const char* const saturate = floats && info.mnemonic != "MOV" && s.chance(8) ? "_SAT" : "";
    emit(s, fmt::format("{}{} {}{}", info.mnemonic, saturate, to.text(s), operands));
    written(s, to, values);
    return true;
}

}  // namespace tgsi2spv::difftest::generate
