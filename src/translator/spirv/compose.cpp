// Compose: selects components with the fewest SPIR-V instructions.
#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

uint32_t selected(const ir::Instruction& instruction, size_t component) {
    return instruction.aux >> (2 * component) & 3;
}

/// Component `c` of constant `v`, as a scalar constant.
Id constant_component(Emitter& emitter, ir::Value v, uint32_t c) {
    const ir::Constant& constant = emitter.module.constant(v);
    if (constant.type.components == 1) return emitter.id_of(v);
    const size_t width = constant.type.is_wide() ? 2 : 1;
    return emitter.scalar_constant(constant.type.scalar, {constant.words.data() + c * width, width});
}

void shuffle(Emitter& emitter, const ir::Instruction& instruction, ir::Value self, Id a, Id b,
             std::span<const uint32_t> literals) {
    const Id type = emitter.type(instruction.type);
    const Id result = emitter.result_id(self);
    const auto count = static_cast<uint32_t>(5 + literals.size());
    uint32_t* p = emitter.w.code.grow(count);
    *p++ = count << 16 | static_cast<uint32_t>(spv::Op::OpVectorShuffle);
    *p++ = type;
    *p++ = result;
    *p++ = a;
    *p++ = b;
    for (uint32_t l : literals) *p++ = l;
}

}  // namespace

Id Emitter::component_of(ir::Value v, uint32_t component) {
    if (ir::is_constant(v)) return constant_component(*this, v, component);
    const ir::Type t = type_of(v);
    const Id value = id_of(v);
    if (t.components == 1) return value;
    const Id result_type = type(t.with(1));
    const Id result = new_id();
    put(w.code, spv::Op::OpCompositeExtract, {result_type, result, value, component});
    return result;
}

void Emitter::construct(Id result_type, Id result, std::span<const Id> parts) {
    const auto words = static_cast<uint32_t>(3 + parts.size());
    uint32_t* p = w.code.grow(words);
    *p++ = words << 16 | static_cast<uint32_t>(spv::Op::OpCompositeConstruct);
    *p++ = result_type;
    *p++ = result;
    for (const Id part : parts) *p++ = part;
}

namespace {

/// The sources of a shuffle: two vectors at most; all constants together are one.
struct Vectors {
    ir::Value values[2] = {ir::kNone, ir::kNone};
    size_t count = 0;
};

void compose_by_shuffle(Emitter& e, const ir::Instruction& instruction, ir::Value self, const Vectors& vectors) {
    const std::span<const uint32_t> args = e.function->args_of(instruction);
    const size_t n = args.size();
    Id constants[4];
    uint32_t literals[4];
    size_t used = 0;
    const uint32_t first_size = vectors.count != 0 ? e.type_of(vectors.values[0]).components : 0;
    for (size_t c = 0; c < n; ++c) {
        if (ir::is_constant(args[c])) {
            constants[used] = constant_component(e, args[c], selected(instruction, c));
            literals[c] = first_size + static_cast<uint32_t>(used++);
        } else {
            literals[c] = selected(instruction, c) + (args[c] == vectors.values[0] ? 0 : first_size);
        }
    }
    if (used == n) return e.alias(self, e.composite_constant(e.type(instruction.type), {constants, n}));
    const Id a = e.id_of(vectors.values[0]);
    if (used == 1) constants[used++] = constants[0];  // a vector needs at least two components
    const Id b = used ? e.composite_constant(e.type(instruction.type.with(static_cast<int>(used))), {constants, used})
                 : vectors.count == 2 ? e.id_of(vectors.values[1])
                                      : a;
    shuffle(e, instruction, self, a, b, {literals, n});
}

/// Composes from whole vectors where they are in order, else from scalars.
void compose_of_parts(Emitter& e, const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = e.function->args_of(instruction);
    const size_t n = args.size();
    Id parts[4];
    size_t count = 0;
    for (size_t c = 0; c < n;) {
        const size_t size = e.type_of(args[c]).components;
        bool whole = size > 1 && c + size <= n && !ir::is_constant(args[c]);
        for (size_t k = 0; whole && k < size; ++k) whole = args[c + k] == args[c] && selected(instruction, c + k) == k;
        if (whole) {
            parts[count++] = e.id_of(args[c]);
            c += size;
        } else {
            parts[count++] = e.component_of(args[c], selected(instruction, c));
            c++;
        }
    }
    const Id result_type = e.type(instruction.type);
    e.construct(result_type, e.result_id(self), {parts, count});
}

}  // namespace

void Emitter::emit_compose(const ir::Instruction& instruction, ir::Value self) {
    const std::span<const uint32_t> args = function->args_of(instruction);
    const size_t n = args.size();
    if (n == 1) {
        const ir::Value v = args[0];
        if (ir::is_constant(v) || type_of(v).components == 1)
            return alias(self, component_of(v, selected(instruction, 0)));
        const Id value = id_of(v);
        put(w.code, spv::Op::OpCompositeExtract,
            {type(instruction.type), result_id(self), value, selected(instruction, 0)});
        return;
    }

    // Up to two vectors: a shuffle. The same vector in order: the vector itself.
    Vectors vectors;
    size_t num_constants = 0;
    bool scalars = false, in_order = true;
    for (size_t c = 0; c < n; ++c) {
        const ir::Value v = args[c];
        in_order = in_order && v == args[0] && selected(instruction, c) == c;
        const bool constant = ir::is_constant(v);
        // OpConstantComposite does not accept specialization constants.
        if (constant && module.constant(v).spec_id < 0) {
            num_constants++;
        } else if (constant || type_of(v).components == 1) {
            scalars = true;
        } else if (v != vectors.values[0] && v != vectors.values[1]) {
            if (vectors.count < 2) vectors.values[vectors.count] = v;
            vectors.count++;
        }
    }
    if (in_order && type_of(args[0]).components == n) return alias(self, id_of(args[0]));
    if (num_constants == n || (!scalars && vectors.count >= 1 && vectors.count + (num_constants ? 1 : 0) <= 2))
        return compose_by_shuffle(*this, instruction, self, vectors);
    compose_of_parts(*this, instruction, self);
}

}  // namespace tgsi2spv::spirv
