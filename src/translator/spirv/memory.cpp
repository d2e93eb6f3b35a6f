// Access through pointers: loads, stores, atomics, lengths, interpolation.
#include <spirv/unified1/GLSL.std.450.h>

#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

bool is_block(ir::VariableKind kind) {
    return kind == ir::VariableKind::ConstantBuffer || kind == ir::VariableKind::StorageBuffer ||
           kind == ir::VariableKind::IoBuffer || kind == ir::VariableKind::PushConstant;
}

/// Kinds whose outer array level is an array of descriptors.
bool has_descriptors(ir::VariableKind kind) {
    return kind == ir::VariableKind::ConstantBuffer || kind == ir::VariableKind::StorageBuffer;
}

spv::Op atomic_op(ir::AtomicOp op) {
    switch (op) {
        case ir::AtomicOp::IAdd:
            return spv::Op::OpAtomicIAdd;
        case ir::AtomicOp::SMin:
            return spv::Op::OpAtomicSMin;
        case ir::AtomicOp::SMax:
            return spv::Op::OpAtomicSMax;
        case ir::AtomicOp::UMin:
            return spv::Op::OpAtomicUMin;
        case ir::AtomicOp::UMax:
            return spv::Op::OpAtomicUMax;
        case ir::AtomicOp::And:
            return spv::Op::OpAtomicAnd;
        case ir::AtomicOp::Or:
            return spv::Op::OpAtomicOr;
        case ir::AtomicOp::Xor:
            return spv::Op::OpAtomicXor;
        case ir::AtomicOp::Exchange:
            return spv::Op::OpAtomicExchange;
        case ir::AtomicOp::CompareExchange:
            return spv::Op::OpAtomicCompareExchange;
        case ir::AtomicOp::FAdd:
            return spv::Op::OpAtomicFAddEXT;
    }
    return spv::Op::OpNop;
}

}  // namespace

Emitter::Access Emitter::access(const ir::Instruction& instruction, std::span<const uint32_t> indices) {
    const ir::Variable& v = module.variables[instruction.aux];
    const Id base = variable(instruction.aux);
    const bool mask = is_array_of_one(v.builtin);
    const ir::Type t = indices.size() > static_cast<size_t>(ir::access_levels(v)) ? v.element.with(1) : v.element;
    if (indices.empty() && !mask) return {base, t};

    Id chain[4];  // at most a struct member and three indices
    size_t n = 0, next = 0;
    bool divergent = false;
    if (has_descriptors(v.kind) && v.array[0]) {
        if (!ir::is_constant(indices[next])) {
            divergent = instruction.aux2 & 1;
            w.requirements.descriptor_index(v, divergent);
        }
        chain[n++] = id_of(indices[next++]);
    }
    if (is_block(v.kind) || mask) chain[n++] = u32_constant(0);
    while (next < indices.size() && n < 4) chain[n++] = id_of(indices[next++]);

    const Id pointer = pointer_type(storage_class(v), t);
    const Id result = new_id();
    const auto words = static_cast<uint32_t>(4 + n);
    uint32_t* p = w.code.grow(words);
    *p++ = words << 16 | static_cast<uint32_t>(spv::Op::OpAccessChain);
    *p++ = pointer;
    *p++ = result;
    *p++ = base;
    for (size_t k = 0; k < n; ++k) *p++ = chain[k];
    if (divergent) decorate(result, spv::Decoration::NonUniform);
    return {result, t};
}

void Emitter::atomic(const ir::Instruction& instruction, Id result_type, Id result, Id pointer, ir::VariableKind kind,
                     std::span<const Id> operands) {
    const auto op = static_cast<ir::AtomicOp>(instruction.sub);
    if (op == ir::AtomicOp::FAdd) w.requirements.add(spv::Capability::AtomicFloat32AddEXT);
    const auto scope_value = kind == ir::VariableKind::Shared ? spv::Scope::Workgroup : spv::Scope::Device;
    const Id scope = u32_constant(static_cast<uint32_t>(scope_value));
    const Id relaxed = u32_constant(0);
    if (op == ir::AtomicOp::CompareExchange)
        put(w.code, atomic_op(op), {result_type, result, pointer, scope, relaxed, relaxed, operands[1], operands[0]});
    else
        put(w.code, atomic_op(op), {result_type, result, pointer, scope, relaxed, operands[0]});
}

void Emitter::emit_memory(const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = function->args_of(instruction);
    const ir::Variable& v = module.variables[instruction.aux];
    const auto is_volatile = static_cast<uint32_t>(spv::MemoryAccessMask::Volatile);
    switch (instruction.op) {
        case ir::Op::Load: {
            if (v.builtin == ir::BuiltIn::WorkgroupSize) {  // a constant, not a variable
                return alias(self, work_group_size());
            }
            if (v.is_signed) {
                const Id value = new_id();
                put(w.code, spv::Op::OpLoad,
                    {signed_type(instruction.type.components), value, variable(instruction.aux)});
                put(w.code, spv::Op::OpBitcast, {type(instruction.type), result_id(self), value});
                return;
            }
            const Access a = access(instruction, args);
            if (v.is_volatile)
                put(w.code, spv::Op::OpLoad, {type(instruction.type), result_id(self), a.pointer, is_volatile});
            else
                put(w.code, spv::Op::OpLoad, {type(instruction.type), result_id(self), a.pointer});
            return;
        }
        case ir::Op::Store: {
            Id value = id_of(args.back());
            if (v.is_signed) value = bitcast(signed_type(v.element.components), value);
            const Access a = access(instruction, args.first(args.size() - 1));
            if (v.is_volatile)
                put(w.code, spv::Op::OpStore, {a.pointer, value, is_volatile});
            else
                put(w.code, spv::Op::OpStore, {a.pointer, value});
            return;
        }
        case ir::Op::ArrayLength: {
            Id structure = variable(instruction.aux);
            if (v.array[0] && !args.empty()) {
                const bool divergent = !ir::is_constant(args[0]) && (instruction.aux2 & 1);
                if (!ir::is_constant(args[0])) w.requirements.descriptor_index(v, divergent);
                const Id index = id_of(args[0]);
                const Id pointer = pointer_type(storage_class(v), variable_type(v));
                const Id chain = new_id();
                put(w.code, spv::Op::OpAccessChain, {pointer, chain, structure, index});
                if (divergent) decorate(chain, spv::Decoration::NonUniform);
                structure = chain;
            }
            put(w.code, spv::Op::OpArrayLength, {type(instruction.type), result_id(self), structure, 0});
            return;
        }
        case ir::Op::Atomic: {
            const auto op = static_cast<ir::AtomicOp>(instruction.sub);
            const size_t count = static_cast<size_t>(ir::atomic_operands(op));
            Id operands[2] = {};
            for (size_t k = 0; k < count; ++k) operands[k] = id_of(args[args.size() - count + k]);
            const Access a = access(instruction, args.first(args.size() - count));
            return atomic(instruction, type(instruction.type), result_id(self), a.pointer, v.kind, {operands, count});
        }
        default:
            return;
    }
}

void Emitter::emit_interpolation(const ir::Instruction& instruction, ir::Value self) {
    std::span<const uint32_t> indices = function->args_of(instruction);
    Id operand = 0;
    if (instruction.op != ir::Op::InterpCentroid) {
        operand = id_of(indices.back());
        indices = indices.first(indices.size() - 1);
    }
    const Access a = access(instruction, indices);
    const Id result_type = type(instruction.type);
    const Id set = glsl_set();
    switch (instruction.op) {
        case ir::Op::InterpCentroid:
            put(w.code, spv::Op::OpExtInst,
                {result_type, result_id(self), set, GLSLstd450InterpolateAtCentroid, a.pointer});
            return;
        case ir::Op::InterpSample:
            put(w.code, spv::Op::OpExtInst,
                {result_type, result_id(self), set, GLSLstd450InterpolateAtSample, a.pointer, operand});
            return;
        default:
            put(w.code, spv::Op::OpExtInst,
                {result_type, result_id(self), set, GLSLstd450InterpolateAtOffset, a.pointer, operand});
            return;
    }
}

}  // namespace tgsi2spv::spirv
