// Instructions that take values and give a value: one table for those that SPIR-V has as they are, then the rest.
#include <spirv/unified1/GLSL.std.450.h>

#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

/// What an IR operation is called. Neither: it needs its own code.
struct Simple {
    spv::Op op{};
    uint16_t glsl = 0;            ///< instruction of GLSL.std.450
    bool no_contraction = false;  ///< an arithmetic instruction, which NoContraction may decorate
    bool always = false;          ///< whatever its operands are
};

constexpr Simple arithmetic(spv::Op op) {
    return {op, 0, true};
}
constexpr Simple core(spv::Op op) {
    return {op, 0, false};
}
constexpr Simple glsl(GLSLstd450 instruction) {
    return {spv::Op::OpNop, static_cast<uint16_t>(instruction), instruction == GLSLstd450Fma};
}

/// Every integer is a uint: the signed operations take the same bits and read them as signed.
constexpr Simple simple(ir::Op op) {
    switch (op) {
        case ir::Op::FAdd:
            return arithmetic(spv::Op::OpFAdd);
        case ir::Op::FSub:
            return arithmetic(spv::Op::OpFSub);
        case ir::Op::FMul:
            return arithmetic(spv::Op::OpFMul);
        case ir::Op::FDiv:
            return arithmetic(spv::Op::OpFDiv);
        case ir::Op::FNegate:
            return arithmetic(spv::Op::OpFNegate);
        case ir::Op::FAbs:
            return glsl(GLSLstd450FAbs);
        case ir::Op::Fma:
            return glsl(GLSLstd450Fma);
        case ir::Op::FMin:
            return glsl(GLSLstd450NMin);
        case ir::Op::FMax:
            return glsl(GLSLstd450NMax);
        case ir::Op::FClamp:
            return glsl(GLSLstd450NClamp);
        case ir::Op::FFloor:
            return glsl(GLSLstd450Floor);
        case ir::Op::FCeil:
            return glsl(GLSLstd450Ceil);
        case ir::Op::FTrunc:
            return glsl(GLSLstd450Trunc);
        case ir::Op::FRoundEven:
            return glsl(GLSLstd450RoundEven);
        case ir::Op::FFract:
            return glsl(GLSLstd450Fract);
        case ir::Op::FSqrt:
            return glsl(GLSLstd450Sqrt);
        case ir::Op::FRsqrt:
            return glsl(GLSLstd450InverseSqrt);
        case ir::Op::FExp2:
            return glsl(GLSLstd450Exp2);
        case ir::Op::FLog2:
            return glsl(GLSLstd450Log2);
        case ir::Op::FSin:
            return glsl(GLSLstd450Sin);
        case ir::Op::FCos:
            return glsl(GLSLstd450Cos);
        case ir::Op::FPow:
            return glsl(GLSLstd450Pow);
        case ir::Op::FDot:
            return arithmetic(spv::Op::OpDot);
        case ir::Op::FLdexp:
            return glsl(GLSLstd450Ldexp);
        case ir::Op::FOEq:
            return core(spv::Op::OpFOrdEqual);
        case ir::Op::FUNe:
            return core(spv::Op::OpFUnordNotEqual);
        case ir::Op::FOLt:
            return core(spv::Op::OpFOrdLessThan);
        case ir::Op::FOLe:
            return core(spv::Op::OpFOrdLessThanEqual);
        case ir::Op::FOGt:
            return core(spv::Op::OpFOrdGreaterThan);
        case ir::Op::FOGe:
            return core(spv::Op::OpFOrdGreaterThanEqual);
        case ir::Op::IsNan:
            return core(spv::Op::OpIsNan);
        case ir::Op::IAdd:
            return core(spv::Op::OpIAdd);
        case ir::Op::ISub:
            return core(spv::Op::OpISub);
        case ir::Op::IMul:
            return core(spv::Op::OpIMul);
        case ir::Op::UDiv:
            return core(spv::Op::OpUDiv);
        case ir::Op::UMod:
            return core(spv::Op::OpUMod);
        case ir::Op::SDiv:
            return core(spv::Op::OpSDiv);
        case ir::Op::SRem:
            return core(spv::Op::OpSRem);
        case ir::Op::INegate:
            return core(spv::Op::OpSNegate);
        case ir::Op::SAbs:
            return glsl(GLSLstd450SAbs);
        case ir::Op::SSign:
            return glsl(GLSLstd450SSign);
        case ir::Op::SMin:
            return glsl(GLSLstd450SMin);
        case ir::Op::SMax:
            return glsl(GLSLstd450SMax);
        case ir::Op::UMin:
            return glsl(GLSLstd450UMin);
        case ir::Op::UMax:
            return glsl(GLSLstd450UMax);
        case ir::Op::And:
            return core(spv::Op::OpBitwiseAnd);
        case ir::Op::Or:
            return core(spv::Op::OpBitwiseOr);
        case ir::Op::Xor:
            return core(spv::Op::OpBitwiseXor);
        case ir::Op::Not:
            return core(spv::Op::OpNot);
        case ir::Op::BitInsert:
            return core(spv::Op::OpBitFieldInsert);
        case ir::Op::SBitExtract:
            return core(spv::Op::OpBitFieldSExtract);
        case ir::Op::UBitExtract:
            return core(spv::Op::OpBitFieldUExtract);
        case ir::Op::BitReverse:
            return core(spv::Op::OpBitReverse);
        case ir::Op::BitCount:
            return core(spv::Op::OpBitCount);
        case ir::Op::FindLsb:
            return glsl(GLSLstd450FindILsb);
        case ir::Op::FindSMsb:
            return glsl(GLSLstd450FindSMsb);
        case ir::Op::FindUMsb:
            return glsl(GLSLstd450FindUMsb);
        case ir::Op::IEq:
            return core(spv::Op::OpIEqual);
        case ir::Op::INe:
            return core(spv::Op::OpINotEqual);
        case ir::Op::SLt:
            return core(spv::Op::OpSLessThan);
        case ir::Op::SLe:
            return core(spv::Op::OpSLessThanEqual);
        case ir::Op::SGt:
            return core(spv::Op::OpSGreaterThan);
        case ir::Op::SGe:
            return core(spv::Op::OpSGreaterThanEqual);
        case ir::Op::ULt:
            return core(spv::Op::OpULessThan);
        case ir::Op::ULe:
            return core(spv::Op::OpULessThanEqual);
        case ir::Op::UGt:
            return core(spv::Op::OpUGreaterThan);
        case ir::Op::UGe:
            return core(spv::Op::OpUGreaterThanEqual);
        case ir::Op::LAnd:
            return core(spv::Op::OpLogicalAnd);
        case ir::Op::LOr:
            return core(spv::Op::OpLogicalOr);
        case ir::Op::LNot:
            return core(spv::Op::OpLogicalNot);
        case ir::Op::LEq:
            return core(spv::Op::OpLogicalEqual);
        case ir::Op::LNe:
            return core(spv::Op::OpLogicalNotEqual);
        case ir::Op::FToS:
            return core(spv::Op::OpConvertFToS);
        case ir::Op::FToU:
            return core(spv::Op::OpConvertFToU);
        case ir::Op::SToF:
            return core(spv::Op::OpConvertSToF);
        case ir::Op::UToF:
            return core(spv::Op::OpConvertUToF);
        case ir::Op::FConvert:
            return core(spv::Op::OpFConvert);
        case ir::Op::UConvert:
            return core(spv::Op::OpUConvert);
        case ir::Op::SConvert:
            return core(spv::Op::OpSConvert);
        case ir::Op::PackHalf:
            return glsl(GLSLstd450PackHalf2x16);
        case ir::Op::UnpackHalf:
            return glsl(GLSLstd450UnpackHalf2x16);
        case ir::Op::DPdx:
            return core(spv::Op::OpDPdx);
        case ir::Op::DPdy:
            return core(spv::Op::OpDPdy);
        case ir::Op::DPdxFine:
            return core(spv::Op::OpDPdxFine);
        case ir::Op::DPdyFine:
            return core(spv::Op::OpDPdyFine);
        case ir::Op::SparseResident:
            return core(spv::Op::OpImageSparseTexelsResident);
        default:
            return {};
    }
}

constexpr auto kSimple = [] {
    std::array<Simple, ir::kOpCount> table{};
    for (size_t i = 0; i < table.size(); ++i) {
        const auto op = static_cast<ir::Op>(i);
        Simple& s = table[i] = simple(op);
        s.always = (s.op != spv::Op::OpNop || s.glsl != 0) && op != ir::Op::FDot && op != ir::Op::UConvert &&
                   op != ir::Op::SConvert && op != ir::Op::FConvert;
    }
    return table;
}();

/// `op type result operands`, as most are.
void emit_simple(Emitter& e, const Simple& s, const ir::Instruction& i, ir::Value self) {
    const std::span<const uint32_t> args = e.function->args_of(i);
    const uint32_t head = s.glsl ? 5 : 3;
    const uint32_t count = head + static_cast<uint32_t>(args.size());
    // What the ids stand for is made in other sections: nothing else grows this one meanwhile.
    uint32_t* p = e.w.code.grow(count);
    p[0] = count << 16 | static_cast<uint32_t>(s.glsl ? spv::Op::OpExtInst : s.op);
    for (uint32_t a = 0; a < args.size(); ++a) p[head + a] = e.id_of(args[a]);
    p[1] = e.type(i.type);
    const Id result = p[2] = e.id_of(self);
    if (s.glsl) {
        p[3] = e.glsl_set();
        p[4] = s.glsl;
    }
    if (i.precise && s.no_contraction) e.decorate(result, spv::Decoration::NoContraction);
}

/// A struct of (result, second): the result is member 0.
void emit_pair(Emitter& e, spv::Op op, const ir::Instruction& i, ir::Value self) {
    const std::span<const uint32_t> args = e.function->args_of(i);
    const Id type = e.type(i.type);
    const Id a = e.id_of(args[0]), b = e.id_of(args[1]);
    const Id pair = e.new_id();
    put(e.w.code, op, {e.pair_type(type, type), pair, a, b});
    put(e.w.code, spv::Op::OpCompositeExtract, {type, e.id_of(self), pair, 0});
    e.w.pair_ids[self] = pair;
}

void emit_shift(Emitter& e, spv::Op op, const ir::Instruction& i, ir::Value self) {
    const std::span<const uint32_t> args = e.function->args_of(i);
    const Id base = e.id_of(args[0]);
    Id count = e.id_of(args[1]);
    const ir::Type count_type = e.type_of(args[1]);
    if (count_type.components != i.type.components) count = e.splat(count, count_type.with(i.type.components));
    put(e.w.code, op, {e.type(i.type), e.id_of(self), base, count});
}

void emit_select(Emitter& e, const ir::Instruction& i, ir::Value self) {
    const std::span<const uint32_t> args = e.function->args_of(i);
    Id condition = e.id_of(args[0]);
    const Id a = e.id_of(args[1]), b = e.id_of(args[2]);
    // A scalar condition for a vector came with 1.4.
    if (e.type_of(args[0]).components != i.type.components && e.version < kSpirv14)
        condition = e.splat(condition, ir::boolean(i.type.components));
    put(e.w.code, spv::Op::OpSelect, {e.type(i.type), e.id_of(self), condition, a, b});
}

}  // namespace

Id Emitter::splat(Id scalar, ir::Type t) {
    const Id result_type = type(t);
    const Id result = new_id();
    uint32_t* p = w.code.grow(3u + t.components);
    p[0] = (3u + t.components) << 16 | static_cast<uint32_t>(spv::Op::OpCompositeConstruct);
    p[1] = result_type;
    p[2] = result;
    for (int c = 0; c < t.components; ++c) p[3 + c] = scalar;
    return result;
}

Id Emitter::bitcast(Id result_type, Id value) {
    const Id result = new_id();
    put(w.code, spv::Op::OpBitcast, {result_type, result, value});
    return result;
}

void Emitter::alias(ir::Value self, Id value) {
    Id& id = w.value_ids[self];
    if (id == 0)
        id = value;
    else  // a phi before has named it
        put(w.code, spv::Op::OpCopyObject, {type(function->instructions[self].type), id, value});
}

void Emitter::emit_instruction(const ir::Instruction& i, ir::Value self) {
    w.requirements.op(i.op);
    const Simple& s = kSimple[static_cast<size_t>(i.op)];
    if (s.always) return emit_simple(*this, s, i, self);
    emit_special(i, self);
}

void Emitter::emit_special(const ir::Instruction& i, ir::Value self) {
    const std::span<const uint32_t> args = function->args_of(i);
    switch (i.op) {
        case ir::Op::Param:
            break;  // emit_function has done it
        // The same type again, or a dot product of scalars: SPIR-V has no such instruction.
        case ir::Op::UConvert:
        case ir::Op::SConvert:
        case ir::Op::FConvert:
            if (type_of(args[0]) == i.type) return alias(self, id_of(args[0]));
            return emit_simple(*this, kSimple[static_cast<size_t>(i.op)], i, self);
        case ir::Op::FDot: {
            const ir::Op op = type_of(args[0]).components == 1 ? ir::Op::FMul : ir::Op::FDot;
            return emit_simple(*this, kSimple[static_cast<size_t>(op)], i, self);
        }
        case ir::Op::Undef:
            return alias(self, undef(type(i.type)));
        case ir::Op::Phi: {
            const Id result_type = type(i.type);
            const Id result = id_of(self);
            const size_t start = w.code.size();
            w.code.grow(3);
            w.code[start + 1] = result_type;
            w.code[start + 2] = result;
            for (size_t a = 0; a + 1 < args.size(); a += 2) {
                const Id value = id_of(args[a]);
                uint32_t* p = w.code.grow(2);
                p[0] = value;
                p[1] = label(args[a + 1]);
            }
            return close(start, spv::Op::OpPhi, i.line, "a phi");
        }
        case ir::Op::Compose:
            return emit_compose(i, self);
        case ir::Op::Second: {
            const ir::Instruction& first = function->instructions[args[0]];
            const uint32_t member = ir::is_image_op(first.op) ? 0 : 1;
            put(w.code, spv::Op::OpCompositeExtract, {type(i.type), id_of(self), w.pair_ids[args[0]], member});
            return;
        }
        case ir::Op::Select:
            return emit_select(*this, i, self);
        case ir::Op::Bitcast:
            if (type_of(args[0]) == i.type) return alias(self, id_of(args[0]));
            {
                const Id value = id_of(args[0]);
                put(w.code, spv::Op::OpBitcast, {type(i.type), id_of(self), value});
            }
            return;
        case ir::Op::Frexp: {
            const Id value = id_of(args[0]);
            const Id fraction = type(i.type);
            const Id pair = new_id();
            put(w.code, spv::Op::OpExtInst,
                {pair_type(fraction, type(ir::u32(i.type.components))), pair, glsl_set(), GLSLstd450FrexpStruct,
                 value});
            put(w.code, spv::Op::OpCompositeExtract, {fraction, id_of(self), pair, 0});
            w.pair_ids[self] = pair;
            return;
        }
        case ir::Op::UMulExt:
            return i.second ? emit_pair(*this, spv::Op::OpUMulExtended, i, self)
                            : emit_simple(*this, kSimple[static_cast<size_t>(ir::Op::IMul)], i, self);
        case ir::Op::SMulExt:
            return i.second ? emit_pair(*this, spv::Op::OpSMulExtended, i, self)
                            : emit_simple(*this, kSimple[static_cast<size_t>(ir::Op::IMul)], i, self);
        case ir::Op::AddCarry:
            return i.second ? emit_pair(*this, spv::Op::OpIAddCarry, i, self)
                            : emit_simple(*this, kSimple[static_cast<size_t>(ir::Op::IAdd)], i, self);
        case ir::Op::Shl:
            return emit_shift(*this, spv::Op::OpShiftLeftLogical, i, self);
        case ir::Op::LShr:
            return emit_shift(*this, spv::Op::OpShiftRightLogical, i, self);
        case ir::Op::AShr:
            return emit_shift(*this, spv::Op::OpShiftRightArithmetic, i, self);
        case ir::Op::Any:
        case ir::Op::All: {
            const Id value = id_of(args[0]);
            if (type_of(args[0]).components == 1) return alias(self, value);
            put(w.code, i.op == ir::Op::Any ? spv::Op::OpAny : spv::Op::OpAll, {type(i.type), id_of(self), value});
            return;
        }
        case ir::Op::InterpCentroid:
        case ir::Op::InterpSample:
        case ir::Op::InterpOffset:
            return emit_interpolation(i, self);
        case ir::Op::Load:
        case ir::Op::Store:
        case ir::Op::ArrayLength:
        case ir::Op::Atomic:
            return emit_memory(i, self);
        case ir::Op::ImageSample:
        case ir::Op::ImageSampleLod:
        case ir::Op::ImageGather:
        case ir::Op::ImageFetch:
        case ir::Op::ImageRead:
        case ir::Op::ImageWrite:
        case ir::Op::ImageAtomic:
        case ir::Op::ImageQuerySize:
        case ir::Op::ImageQueryLevels:
        case ir::Op::ImageQuerySamples:
        case ir::Op::ImageQueryLod:
            return emit_image(i, self);
        case ir::Op::GroupAll:
        case ir::Op::GroupAny:
        case ir::Op::GroupAllEqual:
        case ir::Op::GroupBallot:
        case ir::Op::GroupFirst:
        case ir::Op::GroupShuffle:
        case ir::Op::GroupBroadcast:
            return emit_subgroup(i, self);
        default:
            return emit_stage_operation(i, self);
    }
}

}  // namespace tgsi2spv::spirv
