// Instructions on floats with arbitrary bits: infinities, NaN, denormals, zeros of either sign.
#include <fmt/format.h>

#include <algorithm>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

/// Opcodes that are defined for every float, or for which the judge knows the undefined floats. Without LG2: lavapipe
/// computes it for denormals from the exponent alone (driver-bugs.md).
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

/// Returns an operand with arbitrary bits: an input, or else words that may be large (small numbers are denormals as
/// floats, and vanish in sums).
std::string any_bits(Shader& shader) {
    if (!shader.raw_floats.empty() && !shader.chance(3)) return shader.any_of(shader.raw_floats);
    const auto from = source(shader, {Kind::Int, kMinInt, kMaxUint, 0, false, false}, 15);
    const bool wide = std::all_of(from.values.begin(), from.values.end(), [](const Value& v) { return v.lo < 0; });
    return wide || shader.raw_floats.empty() ? from.text : shader.any_of(shader.raw_floats);
}

std::string with_sign(Shader& shader, std::string text) {
    if (text.front() == '-') return text;
    if (shader.chance(6)) text = "|" + text + "|";
    return shader.chance(4) ? "-" + text : text;
}

}  // namespace

bool edge_instruction(Shader& shader) {
    const auto& info = tgsi::info(kOpcodes[shader.random.below(std::size(kOpcodes))]);
    const bool floats = info.dst[0] == tgsi::OperandType::Float;
    Value v = floats ? float_of(0, 0) : any_int();
    v.fuzz = kOnlyShown;
    Values values;
    values.fill(v);
    std::string operands;
    // One literal at most, since NaN and infinities hide other operands.
    const int literal = shader.chance(2) && info.num_src > 1 ? static_cast<int>(shader.random.below(info.num_src)) : -1;
    for (int i = 0; i < info.num_src; i++)
        operands += ", " + with_sign(shader, i == literal ? imm_float_bits(
                                                                shader, kEdges[shader.random.below(std::size(kEdges))])
                                                          : any_bits(shader));
    const Dest to = dest(shader, static_cast<uint8_t>(shader.random.below(15) + 1), values);
    const char* const saturate = floats && info.mnemonic != "MOV" && shader.chance(8) ? "_SAT" : "";
    emit(shader, fmt::format("{}{} {}{}", info.mnemonic, saturate, to.text(shader), operands));
    written(shader, to, values);
    return true;
}

}  // namespace tgsi2spv::difftest::generate
