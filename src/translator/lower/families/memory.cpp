// LOAD, STORE and RESQ on words: BUFFER, MEMORY, HWATOMIC, CONSTBUF, RES. Semantics, Memory: addresses are bytes; each
// component is checked separately; reads outside give 0, and writes outside are dropped.
#include "lower/families/memory.h"

#include <string>

#include "lower/context/values.h"
#include "lower/families/families.h"
#include "lower/families/memory_images.h"
#include "lower/interface/own_memory.h"
#include "lower/interface/resources.h"
#include "lower/registers/addressing.h"
#include "lower/registers/constant_buffers.h"
#include "lower/registers/range_tests.h"
#include "tgsi/program/resource_numbers.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using ir::VariableKind;
using tgsi::File;
using tgsi::MemoryKind;
using tgsi::Opcode;

namespace {

MemoryKind kind_of(const Operation& op, const tgsi::Operand& operand) {
    switch (operand.file) {
        case File::ResGlobal:
            return MemoryKind::Global;
        case File::ResLocal:
            return MemoryKind::Shared;
        case File::ResPrivate:
            return MemoryKind::Private;
        case File::ResInput:
            return MemoryKind::Input;
        default:
            break;
    }
    const tgsi::Declaration* d =
        tgsi::declaration_of(op.program, op.context.registers.find(File::Memory, operand.index));
    if (d == nullptr) return MemoryKind::Unwritten;
    return d->memory_kind;
}

/// A register file that is memory of the module itself: one variable per register.
bool own_words(Operation& op, const tgsi::Operand& operand, MemoryKind kind, WordMemory& memory) {
    Context& w = op.context;
    const bool is_private = kind == MemoryKind::Private;
    if (!is_private && op.program.stage != tgsi::Stage::Compute) {
        fail(w, "unsupported-memory", op.instruction.position, "only COMP has shared memory");
        return false;
    }
    if (operand.index_is_relative) {
        fail(w, "unsupported-operand", operand.position, "MEMORY cannot be chosen by a register");
        return false;
    }
    const uint32_t words = is_private ? w.options.private_words : w.options.shared_words;
    memory.length = op.b.const_u32(words);
    memory.ref.variable = ir::kNone;
    if (words == 0) return true;
    memory.ref.variable = own_memory(w, operand.file, static_cast<uint32_t>(operand.index), is_private);
    return true;
}

bool storage_words(Operation& op, const tgsi::Operand& operand, WordMemory& memory) {
    Context& w = op.context;
    memory.ref = resource(op, operand, VariableKind::StorageBuffer, {});
    if (const tgsi::Relative* relative = op.program.index_relative(operand))
        memory.selected = in_range(w, operand.file, 0, operand.array_id, relative_index(w, *relative, operand.index));
    if (!w.ok) return false;
    return select_from(op, memory.ref, memory.descriptors);
}

bool counter_words(Operation& op, const tgsi::Operand& operand, WordMemory& memory) {
    Context& w = op.context;
    ir::Builder& b = op.b;
    if (operand.dim_is_relative) {
        fail(w, "unsupported-operand", operand.position,
             "the buffer of a HWATOMIC cannot be chosen by a register, only the counter in it");
        return false;
    }
    const auto dim = static_cast<uint32_t>(operand.dim);
    memory.ref.variable = storage_buffer(w, File::HwAtomic, tgsi::kFirstCounter + dim,
                                         w.plan.memory_uses[static_cast<size_t>(File::HwAtomic)].of(dim));
    if (const tgsi::Relative* relative = op.program.index_relative(operand)) {
        memory.counter = relative_index(w, *relative, operand.index);
        memory.selected = in_range(w, File::HwAtomic, operand.dim, operand.array_id, memory.counter);
    } else {
        memory.counter = b.const_u32(static_cast<uint32_t>(operand.index));
    }
    return w.ok;
}

WordMemory constant_words(Operation& op, int32_t buffer) {
    WordMemory memory;
    memory.ref.variable = constant_buffer(op.context, buffer);
    memory.vectors = true;
    memory.length = op.b.const_u32(4 * op.b.module().variables[memory.ref.variable].array[1]);
    return memory;
}

}  // namespace

bool select_from(Operation& op, const ResourceRef& ref, uint32_t& descriptors) {
    descriptors = one_by_one(op, ref);
    if (descriptors <= kMaxDescriptors) return true;
    const DescriptorArrays arrays = arrays_of(op, ref);
    refuse_lacking(
        op, std::string(arrays.feature) + "Array" + (arrays.indexing.dynamic ? "NonUniform" : "Dynamic") + "Indexing",
        std::string("an index of this many ").append(arrays.name));
    return false;
}

const tgsi::Operand& resource_operand(const Operation& op) {
    return op.instruction.op == Opcode::STORE ? op.program.dsts(op.instruction)[0] : op.program.srcs(op.instruction)[0];
}

bool word_memory(Operation& op, const tgsi::Operand& operand, WordMemory& memory) {
    switch (operand.file) {
        case File::Buffer:
        case File::Resource:
            return storage_words(op, operand, memory);
        case File::HwAtomic:
            return counter_words(op, operand, memory);
        case File::ConstBuf:
            if (operand.index_is_relative) {
                refuse(op, "unsupported-operand", "only LOAD takes a CONSTBUF by an index");
                return false;
            }
            memory = constant_words(op, operand.index);
            return true;
        case File::Memory:
        case File::ResGlobal:
        case File::ResLocal:
        case File::ResPrivate:
        case File::ResInput: {
            const MemoryKind kind = kind_of(op, operand);
            if (kind != MemoryKind::Global && kind != MemoryKind::Input) return own_words(op, operand, kind, memory);
            const uint8_t uses =
                op.context.plan.memory_uses[static_cast<size_t>(operand.file)].of(static_cast<uint32_t>(operand.index));
            memory.ref.variable = storage_buffer(
                op.context, File::Memory, kind == MemoryKind::Global ? tgsi::kGlobalMemory : tgsi::kInputMemory, uses);
            return true;
        }
        default:
            refuse(op, "unsupported-operand", std::string(tgsi::name(operand.file)) + " is not memory");
            return false;
    }
}

bool device_checks(const Operation& op, bool buffer) {
    if (is_atomic(op.instruction.op)) return false;
    return buffer ? op.capabilities.robust_buffers : op.capabilities.robust_images;
}

namespace {

/// False for the module's own memory, which no device checks.
bool is_robust(const Operation& op, const WordMemory& memory) {
    if (memory.ref.variable == ir::kNone || !device_checks(op, true)) return false;
    const VariableKind kind = op.b.module().variables[memory.ref.variable].kind;
    return kind == VariableKind::StorageBuffer || kind == VariableKind::ConstantBuffer;
}

/// Whether 16 bytes at the address end before address 0 begins again: it is a multiple of 16.
bool is_multiple_of_16(const ir::Builder& b, Value address, int depth = 4) {
    if (b.is_plain_constant(address)) return b.constant(address).words[0] % 16 == 0;
    if (ir::is_constant(address) || depth == 0) return false;
    const auto args = b.args_of(address);
    const auto holds = [&](Value v) { return is_multiple_of_16(b, v, depth - 1); };
    switch (b.instruction(address).op) {
        case Op::IAdd:
            return holds(args[0]) && holds(args[1]);
        case Op::IMul:
        case Op::And:
            return holds(args[0]) || holds(args[1]);
        case Op::Shl:
            return b.is_plain_constant(args[1]) && b.constant(args[1]).words[0] >= 4;
        default:
            return false;
    }
}

}  // namespace

Value word_of(Operation& op, const WordMemory& memory, Value address, int component) {
    ir::Builder& b = op.b;
    Value word = memory.counter;
    if (word == ir::kNone) {
        word = b.is_plain_constant(address) ? b.const_u32(b.constant(address).words[0] >> 2)
                                            : b.lshr(address, b.const_u32(2));
        // The device's byte addresses have 32 bits: the words after this one must not begin again at 0.
        constexpr uint32_t kLast = (1u << 30) - 4;
        if (is_robust(op, memory) && (op.mask > 1 || component != 0) && !is_multiple_of_16(b, address))
            word = b.umin(word, b.const_u32(kLast));
    }
    if (component != 0) {
        const Value by = b.const_u32(static_cast<uint32_t>(component));
        const bool known = b.is_plain_constant(word);
        word = known ? b.const_u32(b.constant(word).words[0] + static_cast<uint32_t>(component)) : b.iadd(word, by);
    }
    if (policy(op.options, &Bounds::buffers) != OutOfRange::Clamp) return word;
    // For an empty buffer this is word 0, which every bound buffer has.
    const Value length = b.umax(memory.length, b.const_u32(1));
    return b.umin(word, b.isub(length, b.const_u32(1)));
}

Value is_inside(Operation& op, const WordMemory& memory, Value word) {
    ir::Builder& b = op.b;
    if (policy(op.options, &Bounds::buffers) != OutOfRange::Zero) return memory.selected;
    if (is_robust(op, memory)) return memory.selected;
    // Known lengths and words are compared now: shared memory at fixed places needs no run-time checks.
    if (ir::is_constant(memory.length) && b.is_plain_constant(word)) {
        const bool fits = b.constant(word).words[0] < b.constant(memory.length).words[0];
        return fits ? memory.selected : b.const_bool(false);
    }
    return both(b, memory.selected, b.ult(word, memory.length));
}

void select_descriptor(Operation& op, WordMemory& memory, Value descriptor) {
    ir::Builder& b = op.b;
    memory.ref.index = descriptor;
    if (memory.length != ir::kNone) return;
    if (descriptor == ir::kNone) {
        memory.length = b.emit(Op::ArrayLength, ir::u32(), {}, memory.ref.variable);
        return;
    }
    memory.length = b.emit(Op::ArrayLength, ir::u32(), {descriptor}, memory.ref.variable);
    mark_divergent(op, memory, memory.length);
}

void mark_divergent(Operation& op, const WordMemory& memory, Value instruction) {
    if (memory.ref.non_uniform && memory.descriptors == 0) op.b.function().instructions[instruction].aux2 = 1;
}

namespace {

/// An IMAGE, or a RES that is not a buffer of raw words.
bool is_image(const Operation& op, const tgsi::Operand& operand) {
    if (!is_memory(operand.file)) return true;  // a handle
    if (operand.file != File::Resource) return operand.file == File::Image;
    const tgsi::Declaration* d = tgsi::declaration_of(op.program, op.context.registers.naming(operand, operand.file));
    return d != nullptr && (d->target != tgsi::Target::Buffer || !d->raw);
}

Value load_at(Operation& op, const WordMemory& memory, Value word) {
    ir::Builder& b = op.b;
    const Value descriptor = memory.ref.index;
    if (memory.vectors) {
        const Value element = b.lshr(word, b.const_u32(2));
        const Value component = b.bit_and(word, b.const_u32(3));
        return b.bitcast(b.load(memory.ref.variable, {element, component}, ir::f32()), Scalar::U32);
    }
    if (descriptor == ir::kNone) return b.load(memory.ref.variable, {word}, ir::u32());
    const Value value = b.load(memory.ref.variable, {descriptor, word}, ir::u32());
    mark_divergent(op, memory, value);
    return value;
}

bool is_known_true(ir::Builder& builder, Value v) {
    return v == ir::kNone || (builder.is_plain_constant(v) && builder.constant(v).words[0] != 0);
}

}  // namespace

Value load_word(Operation& op, const WordMemory& memory, Value word) {
    ir::Builder& b = op.b;
    const Value zero = b.const_u32(0);
    if (memory.ref.variable == ir::kNone) return zero;
    const Value inside = is_inside(op, memory, word);
    if (is_known_true(b, inside)) return load_at(op, memory, word);
    if (ir::is_constant(inside)) return zero;
    // No control flow: word 0, which every bound buffer has, is read instead.
    const Value value = load_at(op, memory, b.select(inside, word, zero));
    return b.select(inside, value, zero);
}

namespace {

/// CONSTBUF by an index: each buffer is read, and one is chosen. Devices need not be able to index arrays of uniform
/// buffers.
Outcome load_of_any_buffer(Operation& op, const tgsi::Operand& operand, uint8_t wanted) {
    ir::Builder& b = op.b;
    const Value index = relative_index(op.context, *op.program.index_relative(operand), operand.index);
    const Value address = source_component(op, 1, Scalar::U32, 0);
    Value words[4];
    for (Value& word : words) word = b.const_u32(0);
    for (const int32_t buffer : indexed_buffers(op.context, operand)) {
        const WordMemory memory = constant_words(op, buffer);
        const Value chosen = b.ieq(index, b.const_u32(static_cast<uint32_t>(buffer)));
        for (int k = 0; k < 4; ++k) {
            if ((wanted >> k & 1) == 0) continue;
            const Value word = load_word(op, memory, word_of(op, memory, address, k));
            words[k] = b.select(chosen, word, words[k]);
        }
    }
    if (!op.context.ok) return {.ok = false};
    return done(per_component(op, [&](int c) { return words[operand.component(c)]; }));
}

Outcome lower_load(Operation& op) {
    const tgsi::Operand& o = resource_operand(op);
    // A swizzle on the resource permutes the loaded words, before the write mask applies.
    uint8_t wanted = 0;
    for (int c = 0; c < 4; ++c)
        if (op.mask >> c & 1) wanted |= static_cast<uint8_t>(1u << o.component(c));
    if (o.file == File::ConstBuf && o.index_is_relative) return load_of_any_buffer(op, o, wanted);
    WordMemory memory;
    if (!word_memory(op, o, memory)) return {.ok = false};
    const Value address = memory.counter == ir::kNone ? source_component(op, 1, Scalar::U32, 0) : ir::kNone;
    const auto read = [&](const WordMemory& here) {
        Value words[4] = {};
        for (int k = 0; k < 4; ++k)
            if (wanted >> k & 1) words[k] = load_word(op, here, word_of(op, here, address, k));
        return per_component(op, [&](int c) { return words[o.component(c)]; });
    };
    return done(for_descriptor(op, memory, ir::u32(op.width), read));
}

Outcome lower_store(Operation& op) {
    ir::Builder& b = op.b;
    const tgsi::Operand& o = resource_operand(op);
    if (o.write_mask == 0) return {};
    WordMemory memory;
    if (!word_memory(op, o, memory)) return {.ok = false};
    if (memory.vectors) return refuse(op, "unsupported-operand", "a constant buffer cannot be written");
    const Value address = memory.counter == ir::kNone ? source_component(op, 0, Scalar::U32, 0) : ir::kNone;
    Value data[4] = {};
    for (int c = 0; c < 4; ++c)
        if (o.write_mask >> c & 1) data[c] = source_component(op, 1, Scalar::U32, c);
    if (memory.ref.variable == ir::kNone) return {};
    const Value allowed = may_write(op.context);
    const auto write = [&](const WordMemory& here) {
        for (int c = 0; c < 4; ++c) {
            if ((o.write_mask >> c & 1) == 0) continue;
            const Value word = word_of(op, here, address, c);
            where(b, both(b, allowed, is_inside(op, here, word)), ir::kVoid, [&] {
                Value args[3];
                size_t n = 0;
                if (here.ref.index != ir::kNone) args[n++] = here.ref.index;
                args[n++] = word;
                args[n++] = data[c];
                const Value store = b.emit(Op::Store, ir::kVoid, std::span<const Value>(args, n), here.ref.variable);
                mark_divergent(op, here, store);
                return ir::kNone;
            });
        }
        return ir::kNone;
    };
    for_descriptor(op, memory, ir::kVoid, write);
    return {};
}

/// The size of a buffer in bytes.
Outcome lower_query(Operation& op) {
    ir::Builder& b = op.b;
    WordMemory memory;
    if (!word_memory(op, resource_operand(op), memory)) return {.ok = false};
    const auto query = [&](const WordMemory& here) {
        const Value bytes = b.shl(here.length, b.const_u32(2));
        return memory.selected == ir::kNone ? bytes : b.select(memory.selected, bytes, b.const_u32(0));
    };
    const Value bytes = for_descriptor(op, memory, ir::u32(), query);
    return done(per_component(op, [&](int c) { return c == 0 ? bytes : b.const_u32(0); }));
}

}  // namespace

Outcome lower_memory(Operation& op) {
    switch (op.instruction.op) {
        case Opcode::MEMBAR:
        case Opcode::LFENCE:
        case Opcode::SFENCE:
        case Opcode::MFENCE:
        case Opcode::BARRIER:
            return lower_memory_barrier(op);
        default:
            break;
    }
    if (op.instruction.op != Opcode::LOAD && op.instruction.op != Opcode::RESQ) {
        const bool fragment = op.program.stage == tgsi::Stage::Fragment;
        const bool compute = op.program.stage == tgsi::Stage::Compute || op.options.records;
        if (!compute && !(fragment ? op.capabilities.fragment_stores : op.capabilities.vertex_stores))
            return refuse_lacking(op, fragment ? "fragmentStoresAndAtomics" : "vertexPipelineStoresAndAtomics");
    }
    if (is_image(op, resource_operand(op))) return lower_image(op);
    switch (op.instruction.op) {
        case Opcode::LOAD:
            return lower_load(op);
        case Opcode::STORE:
            return lower_store(op);
        case Opcode::RESQ:
            return lower_query(op);
        default:
            return lower_atomic(op);
    }
}

}  // namespace tgsi2spv::lower
