// ATOM* on words. Semantics, Memory: they act on address.x and return the old value. They happen even if nothing uses
// the result. Outside, they return 0 and do nothing.
#include "lower/families/memory.h"

#include "lower/interface/resources.h"

namespace tgsi2spv::lower {

using ir::AtomicOp;
using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

std::optional<AtomicOp> atomic_operation(Opcode opcode) {
    switch (opcode) {
        case Opcode::ATOMUADD:
            return AtomicOp::IAdd;
        case Opcode::ATOMAND:
            return AtomicOp::And;
        case Opcode::ATOMOR:
            return AtomicOp::Or;
        case Opcode::ATOMXOR:
            return AtomicOp::Xor;
        case Opcode::ATOMUMIN:
            return AtomicOp::UMin;
        case Opcode::ATOMUMAX:
            return AtomicOp::UMax;
        case Opcode::ATOMIMIN:
            return AtomicOp::SMin;
        case Opcode::ATOMIMAX:
            return AtomicOp::SMax;
        case Opcode::ATOMXCHG:
            return AtomicOp::Exchange;
        case Opcode::ATOMCAS:
            return AtomicOp::CompareExchange;
        default:
            return std::nullopt;
    }
}

bool is_atomic(Opcode opcode) {
    return atomic_operation(opcode) || opcode == Opcode::ATOMFADD || opcode == Opcode::ATOMINC_WRAP ||
           opcode == Opcode::ATOMDEC_WRAP;
}

Value replaced(Operation& op, Value old, Value data) {
    ir::Builder& b = op.b;
    const Value zero = b.const_u32(0), one = b.const_u32(1);
    switch (op.instruction.op) {
        case Opcode::ATOMFADD:
            return b.bitcast(b.fadd(b.bitcast(old, Scalar::F32), b.bitcast(data, Scalar::F32)), Scalar::U32);
        case Opcode::ATOMINC_WRAP: {
            const Value next = b.iadd(old, one);  // ~0 + 1 gives 0, as required
            return b.select(b.op(Op::ULe, next, data), next, zero);
        }
        default: {
            const Value next = b.isub(old, one);
            if (op.options.dialect == tgsi::Dialect::Newest) {
                const Value positive = b.ine(old, zero);
                return b.select(b.land(positive, b.ult(old, data)), next, zero);
            }
            const Value is_zero = b.ieq(old, zero);
            return b.select(b.lor(is_zero, b.ult(data, old)), data, next);
        }
    }
}

namespace {

/// The word that an atomic instruction stores, for places where it need not be atomic.
Value combined(Operation& op, AtomicOp o, Value old, Value data, Value desired) {
    ir::Builder& b = op.b;
    switch (o) {
        case AtomicOp::IAdd:
            return b.iadd(old, data);
        case AtomicOp::SMin:
            return b.smin(old, data);
        case AtomicOp::SMax:
            return b.smax(old, data);
        case AtomicOp::UMin:
            return b.umin(old, data);
        case AtomicOp::UMax:
            return b.umax(old, data);
        case AtomicOp::And:
            return b.bit_and(old, data);
        case AtomicOp::Or:
            return b.bit_or(old, data);
        case AtomicOp::Xor:
            return b.bit_xor(old, data);
        case AtomicOp::CompareExchange: {
            const Value equal = b.ieq(old, data);
            return b.select(equal, desired, old);
        }
        case AtomicOp::Exchange:
        case AtomicOp::FAdd:
            break;
    }
    return data;
}

/// The indices of a word, followed by operands.
struct Arguments {
    Value values[4];
    size_t count = 0;
    void push(Value v) { values[count++] = v; }
    std::span<const Value> all() const { return {values, count}; }
};

Arguments place(Value descriptor, Value word) {
    Arguments a;
    if (descriptor != ir::kNone) a.push(descriptor);
    a.push(word);
    return a;
}

Value atomic_at(Operation& op, const WordMemory& memory, const Arguments& args, AtomicOp sub) {
    const ir::Type type = sub == AtomicOp::FAdd ? ir::f32() : ir::u32();
    const Value value = op.b.emit(Op::Atomic, type, args.all(), memory.ref.variable, static_cast<uint8_t>(sub));
    mark_divergent(op, memory, value);
    return value;
}

/// Vulkan has an instruction for it. (It also has one for shared memory, but there words and floats cannot share
/// memory.)
bool adds_floats(const Operation& op, const WordMemory& memory) {
    return op.instruction.op == Opcode::ATOMFADD && op.capabilities.buffer_float32_atomic_add &&
           op.b.module().variables[memory.ref.variable].kind == ir::VariableKind::StorageBuffer;
}

}  // namespace

Outcome lower_atomic(Operation& op) {
    ir::Builder& b = op.b;
    const tgsi::Operand& o = resource_operand(op);
    WordMemory memory;
    if (!word_memory(op, o, memory)) return {.ok = false};
    if (memory.vectors) return refuse(op, "unsupported-operand", "a constant buffer cannot be written");
    const Value address = memory.counter == ir::kNone ? source_component(op, 1, Scalar::U32, 0) : ir::kNone;
    const Value data = source_component(op, 2, Scalar::U32, 0);
    const bool swaps = op.instruction.op == Opcode::ATOMCAS;
    const Value desired = swaps ? source_component(op, 3, Scalar::U32, 0) : ir::kNone;
    if (memory.ref.variable == ir::kNone) return done(b.const_u32(0));
    const bool is_private = b.module().variables[memory.ref.variable].kind == ir::VariableKind::Private;
    const Value allowed = may_write(op.context);

    const auto act = [&](const WordMemory& here) {
        const Value word = word_of(op, here, address, 0);
        return where(b, both(b, allowed, is_inside(op, here, word)), ir::u32(), [&] {
            Arguments args = place(here.ref.index, word);
            const auto atomic = atomic_operation(op.instruction.op);
            if (is_private) {  // private memory: no other lane sees it
                const Value old = b.load(here.ref.variable, {word}, ir::u32());
                b.store(here.ref.variable, {word},
                        atomic ? combined(op, *atomic, old, data, desired) : replaced(op, old, data));
                return old;
            }
            if (atomic) {
                args.push(data);
                if (swaps) args.push(desired);
                return atomic_at(op, here, args, *atomic);
            }
            if (adds_floats(op, here)) {
                args.push(b.bitcast(data, Scalar::F32));
                WordMemory floats = here;
                floats.ref.variable = as_floats(op.context, here.ref.variable);
                return b.bitcast(atomic_at(op, floats, args, AtomicOp::FAdd), Scalar::U32);
            }
            return compare_loop(op, data, [&](Value expected, Value next) {
                Arguments swap = args;
                swap.push(expected);
                swap.push(next);
                return atomic_at(op, here, swap, AtomicOp::CompareExchange);
            });
        });
    };
    return done(for_descriptor(op, memory, ir::u32(), act));
}

}  // namespace tgsi2spv::lower
