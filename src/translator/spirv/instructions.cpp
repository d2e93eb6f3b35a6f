// Instructions from values to a value: one table for those that SPIR-V has directly, then the rest.
#include <spirv/unified1/GLSL.std.450.h>

#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

/// The SPIR-V equivalent of an IR operation.
struct Simple {
    spv::Op op{};
    uint16_t glsl = 0;            ///< number of this instruction in GLSL.std.450; 0: it is none
    bool no_contraction = false;  ///< an instruction that NoContraction may decorate
    bool always = false;          ///< has a row below
};

struct Row {
    ir::Op op;
    Simple as;
};
constexpr Row arithmetic(ir::Op op, spv::Op as) {
    return {op, {as, 0, true, true}};
}
constexpr Row core(ir::Op op, spv::Op as) {
    return {op, {as, 0, false, true}};
}
constexpr Row glsl(ir::Op op, GLSLstd450 as) {
    // Fract is not an arithmetic instruction, but Mesa would take it for 0 after a floor(), even of NaN. glslang
    // decorates it, too.
    const bool decorated = as == GLSLstd450Fma || as == GLSLstd450Fract;
    return {op, {spv::Op::OpNop, static_cast<uint16_t>(as), decorated, true}};
}

/// Every integer is a uint: signed operations take the same bits and interpret them as signed, but for those of
/// emit_signed().
constexpr Row kRows[] = {
    arithmetic(ir::Op::FAdd, spv::Op::OpFAdd),
    arithmetic(ir::Op::FSub, spv::Op::OpFSub),
    arithmetic(ir::Op::FMul, spv::Op::OpFMul),
    arithmetic(ir::Op::FDiv, spv::Op::OpFDiv),
    arithmetic(ir::Op::FNegate, spv::Op::OpFNegate),
    glsl(ir::Op::FAbs, GLSLstd450FAbs),
    glsl(ir::Op::Fma, GLSLstd450Fma),
    glsl(ir::Op::FMin, GLSLstd450NMin),
    glsl(ir::Op::FMax, GLSLstd450NMax),
    glsl(ir::Op::FClamp, GLSLstd450NClamp),
    glsl(ir::Op::FFloor, GLSLstd450Floor),
    glsl(ir::Op::FCeil, GLSLstd450Ceil),
    glsl(ir::Op::FTrunc, GLSLstd450Trunc),
    glsl(ir::Op::FRoundEven, GLSLstd450RoundEven),
    glsl(ir::Op::FFract, GLSLstd450Fract),
    glsl(ir::Op::FSqrt, GLSLstd450Sqrt),
    glsl(ir::Op::FRsqrt, GLSLstd450InverseSqrt),
    glsl(ir::Op::FExp2, GLSLstd450Exp2),
    glsl(ir::Op::FLog2, GLSLstd450Log2),
    glsl(ir::Op::FSin, GLSLstd450Sin),
    glsl(ir::Op::FCos, GLSLstd450Cos),
    glsl(ir::Op::FPow, GLSLstd450Pow),
    arithmetic(ir::Op::FDot, spv::Op::OpDot),
    core(ir::Op::FOEq, spv::Op::OpFOrdEqual),
    core(ir::Op::FUNe, spv::Op::OpFUnordNotEqual),
    core(ir::Op::FOLt, spv::Op::OpFOrdLessThan),
    core(ir::Op::FOLe, spv::Op::OpFOrdLessThanEqual),
    core(ir::Op::FOGt, spv::Op::OpFOrdGreaterThan),
    core(ir::Op::FOGe, spv::Op::OpFOrdGreaterThanEqual),
    core(ir::Op::IsNan, spv::Op::OpIsNan),
    core(ir::Op::IAdd, spv::Op::OpIAdd),
    core(ir::Op::ISub, spv::Op::OpISub),
    core(ir::Op::IMul, spv::Op::OpIMul),
    core(ir::Op::UDiv, spv::Op::OpUDiv),
    core(ir::Op::UMod, spv::Op::OpUMod),
    core(ir::Op::SDiv, spv::Op::OpSDiv),
    core(ir::Op::INegate, spv::Op::OpSNegate),
    glsl(ir::Op::SAbs, GLSLstd450SAbs),
    glsl(ir::Op::SSign, GLSLstd450SSign),
    glsl(ir::Op::UMin, GLSLstd450UMin),
    glsl(ir::Op::UMax, GLSLstd450UMax),
    core(ir::Op::And, spv::Op::OpBitwiseAnd),
    core(ir::Op::Or, spv::Op::OpBitwiseOr),
    core(ir::Op::Xor, spv::Op::OpBitwiseXor),
    core(ir::Op::Not, spv::Op::OpNot),
    core(ir::Op::Shl, spv::Op::OpShiftLeftLogical),
    core(ir::Op::LShr, spv::Op::OpShiftRightLogical),
    core(ir::Op::AShr, spv::Op::OpShiftRightArithmetic),
    core(ir::Op::BitInsert, spv::Op::OpBitFieldInsert),
    core(ir::Op::SBitExtract, spv::Op::OpBitFieldSExtract),
    core(ir::Op::UBitExtract, spv::Op::OpBitFieldUExtract),
    core(ir::Op::BitReverse, spv::Op::OpBitReverse),
    core(ir::Op::BitCount, spv::Op::OpBitCount),
    glsl(ir::Op::FindLsb, GLSLstd450FindILsb),
    glsl(ir::Op::FindSMsb, GLSLstd450FindSMsb),
    glsl(ir::Op::FindUMsb, GLSLstd450FindUMsb),
    core(ir::Op::IEq, spv::Op::OpIEqual),
    core(ir::Op::INe, spv::Op::OpINotEqual),
    core(ir::Op::SLt, spv::Op::OpSLessThan),
    core(ir::Op::SLe, spv::Op::OpSLessThanEqual),
    core(ir::Op::SGt, spv::Op::OpSGreaterThan),
    core(ir::Op::SGe, spv::Op::OpSGreaterThanEqual),
    core(ir::Op::ULt, spv::Op::OpULessThan),
    core(ir::Op::ULe, spv::Op::OpULessThanEqual),
    core(ir::Op::UGt, spv::Op::OpUGreaterThan),
    core(ir::Op::UGe, spv::Op::OpUGreaterThanEqual),
    core(ir::Op::LAnd, spv::Op::OpLogicalAnd),
    core(ir::Op::LOr, spv::Op::OpLogicalOr),
    core(ir::Op::LNot, spv::Op::OpLogicalNot),
    core(ir::Op::LEq, spv::Op::OpLogicalEqual),
    core(ir::Op::LNe, spv::Op::OpLogicalNotEqual),
    core(ir::Op::Any, spv::Op::OpAny),
    core(ir::Op::All, spv::Op::OpAll),
    core(ir::Op::Bitcast, spv::Op::OpBitcast),
    core(ir::Op::FToU, spv::Op::OpConvertFToU),
    core(ir::Op::UToF, spv::Op::OpConvertUToF),
    core(ir::Op::FConvert, spv::Op::OpFConvert),
    core(ir::Op::UConvert, spv::Op::OpUConvert),
    core(ir::Op::SConvert, spv::Op::OpSConvert),
    glsl(ir::Op::PackHalf, GLSLstd450PackHalf2x16),
    glsl(ir::Op::UnpackHalf, GLSLstd450UnpackHalf2x16),
    core(ir::Op::DPdx, spv::Op::OpDPdx),
    core(ir::Op::DPdy, spv::Op::OpDPdy),
    core(ir::Op::DPdxFine, spv::Op::OpDPdxFine),
    core(ir::Op::DPdyFine, spv::Op::OpDPdyFine),
    core(ir::Op::SparseResident, spv::Op::OpImageSparseTexelsResident),
};

/// Indexed by ir::Op. Operations without a row are empty; emit_instruction() handles them.
constexpr auto kSimple = [] {
    std::array<Simple, ir::kOpCount> table{};
    for (const Row& row : kRows) table[static_cast<size_t>(row.op)] = row.as;
    return table;
}();
constexpr const Simple& simple(ir::Op op) {
    return kSimple[static_cast<size_t>(op)];
}

/// Emits `op type result operands`, the form of most instructions.
void emit_simple(Emitter& emitter, const Simple& simple, const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = emitter.function->args_of(instruction);
    const uint32_t head = simple.glsl ? 5 : 3;
    const uint32_t count = head + static_cast<uint32_t>(args.size());
    // The operands' ids are emitted into other sections, so nothing else grows this one meanwhile.
    uint32_t* p = emitter.w.code.grow(count);
    p[0] = count << 16 | static_cast<uint32_t>(simple.glsl ? spv::Op::OpExtInst : simple.op);
    for (uint32_t a = 0; a < args.size(); ++a) p[head + a] = emitter.id_of(args[a]);
    p[1] = emitter.type(instruction.type);
    const Id result = p[2] = emitter.result_id(self);
    if (simple.glsl) {
        p[3] = emitter.glsl_set();
        p[4] = simple.glsl;
    }
    if (instruction.precise && simple.no_contraction) emitter.decorate(result, spv::Decoration::NoContraction);
}

// Each of the rest is a call of its own, so that emit_instruction() only jumps to it.

/// Emits an instruction that returns a struct of (result, second): the result is member 0.
[[gnu::noinline]] void emit_pair(Emitter& emitter, spv::Op op, const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = emitter.function->args_of(instruction);
    const Id type = emitter.type(instruction.type);
    const Id a = emitter.id_of(args[0]), b = emitter.id_of(args[1]);
    const Id pair = emitter.new_id();
    put(emitter.w.code, op, {emitter.pair_type(type, type), pair, a, b});
    put(emitter.w.code, spv::Op::OpCompositeExtract, {type, emitter.result_id(self), pair, 0});
    emitter.w.pair_ids[self] = pair;
}

bool returns_signed(ir::Op op) {
    return op == ir::Op::SMin || op == ir::Op::SMax || op == ir::Op::FToS;
}

/// SMin, SMax, SToF and FToS on ints. SPIR-V permits uints too, but spirv-opt folds these by the type, not by the
/// instruction: SMax of 3 and -2 became -2. Drivers contain it (SwiftShader), and GLSL compilers emit ints.
[[gnu::noinline]] void emit_signed(Emitter& emitter, const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = emitter.function->args_of(instruction);
    if (instruction.op == ir::Op::SToF) {
        const Id from = emitter.as_signed(args[0]);
        return put(emitter.w.code, spv::Op::OpConvertSToF,
                   {emitter.type(instruction.type), emitter.result_id(self), from});
    }
    const Id type =
        emitter.signed_type(instruction.type.components, instruction.type.scalar == ir::Scalar::U64 ? 64 : 32);
    Id result = 0;
    if (instruction.op == ir::Op::FToS) {
        const Id from = emitter.id_of(args[0]);
        result = emitter.new_id();
        put(emitter.w.code, spv::Op::OpConvertFToS, {type, result, from});
    } else {
        const Id a = emitter.as_signed(args[0]), b = emitter.as_signed(args[1]);
        const uint32_t which = instruction.op == ir::Op::SMin ? GLSLstd450SMin : GLSLstd450SMax;
        result = emitter.new_id();
        put(emitter.w.code, spv::Op::OpExtInst, {type, result, emitter.glsl_set(), which, a, b});
    }
    emitter.w.pair_ids[self] = result;
    put(emitter.w.code, spv::Op::OpBitcast, {emitter.type(instruction.type), emitter.result_id(self), result});
}

[[gnu::noinline]] void emit_select(Emitter& emitter, const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = emitter.function->args_of(instruction);
    Id condition = emitter.id_of(args[0]);
    const Id a = emitter.id_of(args[1]), b = emitter.id_of(args[2]);
    // Scalar conditions for vectors were added in 1.4.
    if (emitter.type_of(args[0]).components != instruction.type.components && emitter.version < kSpirv14)
        condition = emitter.splat(condition, ir::boolean(instruction.type.components));
    put(emitter.w.code, spv::Op::OpSelect, {emitter.type(instruction.type), emitter.result_id(self), condition, a, b});
}

[[gnu::noinline]] void emit_undef(Emitter& emitter, const ir::Instruction& instruction, ir::Value self) {
    emitter.alias(self, emitter.undef(emitter.type(instruction.type)));
}

[[gnu::noinline]] void emit_phi(Emitter& emitter, const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = emitter.function->args_of(instruction);
    const Id result_type = emitter.type(instruction.type);
    const Id result = emitter.result_id(self);
    WordBuffer& code = emitter.w.code;
    const size_t start = code.size();
    uint32_t* p = code.grow(3 + args.size());  // the values' ids are emitted into other sections
    p[1] = result_type;
    p[2] = result;
    p += 3;
    for (size_t a = 0; a + 1 < args.size(); a += 2) {
        *p++ = emitter.id_of(args[a]);
        *p++ = emitter.label(args[a + 1]);
    }
    emitter.close(start, spv::Op::OpPhi, instruction.offset_plus_one, "a phi");
}

/// The second result of an instruction that has two.
[[gnu::noinline]] void emit_second(Emitter& emitter, const ir::Instruction& instruction, ir::Value self) {
    const ir::Value first = emitter.function->args_of(instruction)[0];
    const uint32_t member = ir::is_image_op(emitter.function->instructions[first].op) ? 0 : 1;
    put(emitter.w.code, spv::Op::OpCompositeExtract,
        {emitter.type(instruction.type), emitter.result_id(self), emitter.w.pair_ids[first], member});
}

}  // namespace

Id Emitter::splat(Id scalar, ir::Type t) {
    const Id result_type = type(t);
    const Id result = new_id();
    const std::array<Id, 4> parts{scalar, scalar, scalar, scalar};
    construct(result_type, result, std::span(parts).first(t.components));
    return result;
}

Id Emitter::bitcast(Id result_type, Id value) {
    const Id result = new_id();
    put(w.code, spv::Op::OpBitcast, {result_type, result, value});
    return result;
}

Id Emitter::as_signed(ir::Value v) {
    const ir::Type t = type_of(v);
    const int bits = t.scalar == ir::Scalar::U64 ? 64 : 32;
    if (ir::is_constant(v)) {
        const ir::Constant& c = module.constant(v);
        if (bits == 32 && c.spec_id < 0) return signed_constant({c.words.data(), t.components});
    } else if (returns_signed(function->instructions[v].op)) {
        return w.pair_ids[v];
    }
    const Id value = id_of(v);
    return bitcast(signed_type(t.components, bits), value);
}

void Emitter::alias(ir::Value self, Id value) {
    Id& id = w.value_ids[self];
    if (id == 0)
        id = value;
    else  // an earlier phi has already named it
        put(w.code, spv::Op::OpCopyObject, {type(function->instructions[self].type), id, value});
}

void Emitter::emit_instruction(const ir::Instruction& instruction, ir::Value self) {
    w.requirements.op(instruction.op);
    // Most have a row, but one jump for all is predicted better than a branch and then a jump.
    switch (instruction.op) {
        case ir::Op::Param:
            return alias(self, first_parameter + instruction.aux);
        case ir::Op::Undef:
            return emit_undef(*this, instruction, self);
        case ir::Op::Phi:
            return emit_phi(*this, instruction, self);
        case ir::Op::Compose:
            return emit_compose(instruction, self);
        case ir::Op::Second:
            return emit_second(*this, instruction, self);
        case ir::Op::Select:
            return emit_select(*this, instruction, self);
        case ir::Op::SMin:
        case ir::Op::SMax:
        case ir::Op::SToF:
        case ir::Op::FToS:
            return emit_signed(*this, instruction, self);
        case ir::Op::UMulExt:
            return instruction.second ? emit_pair(*this, spv::Op::OpUMulExtended, instruction, self)
                                      : emit_simple(*this, simple(ir::Op::IMul), instruction, self);
        case ir::Op::SMulExt:
            return instruction.second ? emit_pair(*this, spv::Op::OpSMulExtended, instruction, self)
                                      : emit_simple(*this, simple(ir::Op::IMul), instruction, self);
        case ir::Op::InterpCentroid:
        case ir::Op::InterpSample:
        case ir::Op::InterpOffset:
            return emit_interpolation(instruction, self);
        case ir::Op::Load:
        case ir::Op::Store:
        case ir::Op::ArrayLength:
        case ir::Op::Atomic:
            return emit_memory(instruction, self);
        case ir::Op::GroupAll:
        case ir::Op::GroupAny:
        case ir::Op::GroupAllEqual:
        case ir::Op::GroupBallot:
        case ir::Op::GroupFirst:
        case ir::Op::GroupShuffle:
        case ir::Op::GroupBroadcast:
            return emit_subgroup(instruction, self);
        default:
            break;
    }
    const Simple& s = simple(instruction.op);
    if (s.always) return emit_simple(*this, s, instruction, self);
    if (ir::is_image_op(instruction.op)) return emit_image(instruction, self);
    emit_stage_operation(instruction, self);
}

}  // namespace tgsi2spv::spirv
