#include "reference/machine/operands.h"

#include <algorithm>

#include "reference/machine/tessellation.h"
#include "reference/numbers/float_math.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::File;
using tgsi::Operand;
using tgsi::Relative;

bool uniform_word(const Machine& machine, File file, int32_t dim, int32_t index, int component, uint32_t& word) {
    return uniform_word(machine.program, machine.registers, machine.inputs, file, dim, index, component, word);
}

/// The column of a register component that is stored in columns; nullptr: all zero.
const Value* stored(Machine& machine, File file, int32_t dim, int32_t index, int component) {
    const Value* block = nullptr;
    if (RegisterFile* f = machine.files.writable(file, dim)) {
        if (index < 0 || index >= f->count()) return nullptr;
        block = machine.any_lost ? machine.make(*f, index) : f->at(index);
    } else if (file == File::Input) {
        if (dim < 0 || dim >= static_cast<int32_t>(machine.files.inputs_of_vertex.size())) return nullptr;
        block = machine.files.inputs_of_vertex[static_cast<size_t>(dim)].at(index);
    } else if (file == File::SystemValue) {
        block = machine.files.system_values.at(index);
    }
    return block ? block + static_cast<size_t>(component) * machine.lanes : nullptr;
}

/// Whether a vertex of IN exists whose contents nothing defines.
bool undefined_vertex(const Machine& machine, File file, int32_t dim) {
    return file == File::Input && machine.files.may_have_more &&
           dim >= static_cast<int32_t>(machine.files.vertices_in) && dim < kMaxPatch;
}

/// A directly addressed component, as a column.
const Value* direct(Machine& machine, File file, int32_t dim, int32_t index, int component) {
    dim = machine.files.space(file, dim, index);
    if (undefined_vertex(machine, file, dim)) {
        Value* out = machine.scratch();
        std::fill_n(out, machine.lanes, unknown());
        return out;
    }
    if (machine.files.lacks_output(file, index, component)) {
        Value* out = machine.scratch();
        std::fill_n(out, machine.lanes, exact(0u));
        return out;
    }
    if (machine.files.outputs_are_shared && file == File::Output && index >= 0 &&
        index < machine.files.outputs().count()) {
        Value* out = machine.scratch();
        for (uint32_t lane : machine.active) out[lane] = read_shared(machine, dim, index, component, lane);
        return out;
    }
    uint32_t word = 0;
    if (!uniform_word(machine, file, dim, index, component, word))
        if (const Value* column = stored(machine, file, dim, index, component)) return column;
    Value* out = machine.scratch();
    std::fill_n(out, machine.lanes, exact(word));
    return out;
}

/// Whether an indirect access is inside the declared registers (semantics: Addressing), or inside the array if one is
/// named. One bracket never reaches an array over vertices; two never reach data of the whole primitive or patch.
bool inside(const Machine& machine, const Operand& operand, int32_t dim, int32_t index) {
    if (tgsi::has_vertices(machine.program.stage, operand.file) &&
        machine.files.is_array(operand.file, index) != operand.has_dim)
        return false;
    if (operand.array_id != 0) {
        const tgsi::Range* r = machine.registers.array(operand.file, operand.array_id);
        return r && r->contains(index);
    }
    const bool spaces = operand.file == File::Const || operand.file == File::TempArray;
    return machine.registers.declared(operand.file, index, spaces ? dim : 0);
}

const Value* index_column(Machine& machine, const Relative* r) {
    return r ? direct(machine, r->file, r->has_dim ? r->dim : 0, r->index, r->component) : nullptr;
}

struct NamedRegister {
    int32_t dim, index;
};

/// The registers that an operand may name in a lane; false if they cannot be determined.
struct NamedRegisters {
    NamedRegister list[16];
    int count = 0;
    NamedRegister nominal{};
};
bool places(const Operand& operand, const Value* dim, const Value* index, NamedRegisters& registers) {
    auto sum = [](int32_t offset, uint32_t word) { return static_cast<int32_t>(static_cast<uint32_t>(offset) + word); };
    const int32_t direct_dim = operand.has_dim ? operand.dim : 0;
    registers.nominal = {dim ? sum(operand.dim, dim->value) : direct_dim,
                         index ? sum(operand.index, index->value) : operand.index};
    WordList d, i;
    d.count = i.count = 1;
    d.words[0] = i.words[0] = 0;
    if (dim && !enumerate(*dim, d)) return false;
    if (index && !enumerate(*index, i)) return false;
    registers.count = 0;
    for (int k = 0; k < d.count; ++k)
        for (int l = 0; l < i.count; ++l)
            registers.list[registers.count++] = {dim ? sum(operand.dim, d.words[k]) : direct_dim,
                                                 sum(operand.index, i.words[l])};
    return true;
}

Value load(Machine& machine, const Operand& operand, NamedRegister p, int component, uint32_t lane) {
    uint32_t word = 0;
    p.dim = machine.files.space(operand.file, p.dim, p.index);
    if (!inside(machine, operand, p.dim, p.index)) {
        // The words between two declared ranges of a constant buffer are the buffer's own (semantics: Addressing).
        if (operand.file != File::Const || operand.array_id != 0) return exact(0u);
        const int32_t declared = machine.registers.count(File::Const, p.dim);
        if (machine.options.constants_as_bound && operand.index_is_relative && declared != 0) {
            // The device's byte offsets may have 32 bits only, of which a vector takes four.
            constexpr uint32_t kVectors = 1u << 28;
            const uint32_t index = static_cast<uint32_t>(p.index);
            uniform_word(machine, operand.file, p.dim, static_cast<int32_t>(index % kVectors), component, word);
            return index < kVectors ? exact(word) : join(exact(0u), exact(word));
        }
        if (p.index < 0 || p.index >= declared) return exact(0u);
        uniform_word(machine, operand.file, p.dim, p.index, component, word);
        return exact(word);
    }
    if (uniform_word(machine, operand.file, p.dim, p.index, component, word)) return exact(word);
    if (machine.files.lacks_output(operand.file, p.index, component)) return exact(0u);
    if (undefined_vertex(machine, operand.file, p.dim)) return unknown();
    if (machine.files.outputs_are_shared && operand.file == File::Output)
        return read_shared(machine, p.dim, p.index, component, lane);
    const Value* column = stored(machine, operand.file, p.dim, p.index, component);
    return column ? column[lane] : exact(0u);
}

}  // namespace

bool uniform_word(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs, File file,
                  int32_t dim, int32_t index, int component, uint32_t& word) {
    word = 0;
    switch (file) {
        case File::Null:
            return true;
        case File::Const: {
            auto it = inputs.constants.find(static_cast<uint32_t>(dim));
            size_t at = static_cast<size_t>(index) * 4 + static_cast<size_t>(component);
            if (index >= 0 && it != inputs.constants.end() && at < it->second.size()) word = it->second[at];
            return true;
        }
        case File::Immediate:
            if (index >= 0 && static_cast<size_t>(index) < program.immediates.size())
                word = program.immediates[static_cast<size_t>(index)].words[component];
            return true;
        case File::ImmediateArray: {
            const tgsi::Range* r = registers.find(file, index);
            if (!r) return true;
            const tgsi::Declaration& d = program.declarations[r->declaration];
            word = program.immediate_rows[d.immediates + static_cast<uint32_t>(index - d.first)].words[component];
            return true;
        }
        default:
            return false;
    }
}

const Value* read(Machine& machine, const Operand& operand, int component) {
    if (!operand.index_is_relative && !operand.dim_is_relative)
        return direct(machine, operand.file, operand.has_dim ? operand.dim : 0, operand.index, component);
    const Value* dims = index_column(machine, machine.program.dim_relative(operand));
    const Value* indices = index_column(machine, machine.program.index_relative(operand));
    Value* out = machine.scratch();
    for (uint32_t lane : machine.active) {
        NamedRegisters p;
        if (!places(operand, dims ? &dims[lane] : nullptr, indices ? &indices[lane] : nullptr, p)) {
            out[lane] = unknown(load(machine, operand, p.nominal, component, lane).value);
            continue;
        }
        Value v = load(machine, operand, p.list[0], component, lane);
        for (int k = 1; k < p.count; ++k) v = join(v, load(machine, operand, p.list[k], component, lane));
        if (p.count > 1) v.value = load(machine, operand, p.nominal, component, lane).value;
        out[lane] = v;
    }
    return out;
}

const Value* predicate_column(Machine& machine, const tgsi::Instruction& in, int component) {
    const Operand* predicate = machine.program.predicate(in);
    if (!predicate) return nullptr;
    const Value* column = read(machine, *predicate, predicate->component(component));
    Value* out = machine.scratch();
    for (uint32_t lane : machine.active) {
        const Truth t = any_bit(column[lane]);
        out[lane] = select(in.predicate_inverted ? !t : t, exact(~0u), exact(0u));
    }
    return out;
}

Value predicate_of_float(const Value& v) {
    const Truth bits = any_bit(v), value = not_zero(v);
    return select({value.nominal, bits.may_be_true || value.may_be_true, bits.may_be_false || value.may_be_false},
                  exact(~0u), exact(0u));
}

DestinationIndex destination_index(Machine& machine, const Operand& operand) {
    auto copied = [&](const Relative* r) -> const Value* {
        const Value* column = index_column(machine, r);
        if (column == nullptr) return nullptr;
        Value* copy = machine.scratch();
        for (uint32_t lane : machine.active) copy[lane] = column[lane];
        return copy;
    };
    const Value* dims = copied(machine.program.dim_relative(operand));
    return {dims, copied(machine.program.index_relative(operand))};
}

void write(Machine& machine, const Operand& operand, const DestinationIndex& index, int component, const Value* column,
           const Value* predicate) {
    if (operand.file == File::Null) return;
    const bool shared = machine.files.outputs_are_shared && operand.file == File::Output;
    auto presence = [&](uint32_t lane) {
        return predicate ? restrict(machine.exec[lane], any_bit(predicate[lane])) : machine.exec[lane];
    };
    // PRED holds truth values (semantics: Addressing, predicates).
    auto stored_value = [&](uint32_t lane) {
        if (operand.file != File::Predicate) return column[lane];
        return select(any_bit(column[lane]), exact(~0u), exact(0u));
    };
    // Other invocations may read a patch's shared memory, so there the sides of a branch are not separated.
    const bool has_sides = machine.sides.any() && !shared;
    auto put_value = [&](Value& to, uint32_t lane, Presence here, bool is_one_place) {
        if (!has_sides || (here & kMust) || machine.lost[lane]) return assign(to, stored_value(lane), here);
        const bool sure = is_one_place && !(predicate && any_bit(predicate[lane]).may_be_false);
        if (here) machine.sides.assign_within(to, lane, stored_value(lane), here, sure);
    };
    if (!operand.index_is_relative && !operand.dim_is_relative) {
        const int32_t dim = machine.files.space(operand.file, operand.has_dim ? operand.dim : 0, operand.index);
        RegisterFile* f = machine.files.writable(operand.file, dim);
        if (!f || operand.index < 0 || operand.index >= f->count() ||
            machine.files.lacks_output(operand.file, operand.index, component))
            return;
        Value* to = machine.make(*f, operand.index) + static_cast<size_t>(component) * machine.lanes;
        const bool is_plain = !predicate && !has_sides && operand.file != File::Predicate;
        for (uint32_t lane : machine.active)
            is_plain ? assign(to[lane], column[lane], machine.exec[lane])
                     : put_value(to[lane], lane, presence(lane), true);
        if (shared)
            for (uint32_t lane : machine.active)
                if (presence(lane)) wrote_shared(machine, dim, operand.index, component, lane);
        return;
    }
    const auto [dims, indices] = index;
    for (uint32_t lane : machine.active) {
        const Presence here = presence(lane);
        auto slot = [&](NamedRegister at) -> Value* {
            at.dim = machine.files.space(operand.file, at.dim, at.index);
            const bool there = inside(machine, operand, at.dim, at.index) &&
                               !machine.files.lacks_output(operand.file, at.index, component);
            RegisterFile* f = there ? machine.files.writable(operand.file, at.dim) : nullptr;
            return f ? &machine.make(*f, at.index)[static_cast<size_t>(component) * machine.lanes + lane] : nullptr;
        };
        auto put = [&](NamedRegister at, Presence where, bool is_one_place) {
            Value* to = slot(at);
            if (!to) return;
            put_value(*to, lane, where, is_one_place);
            if (shared && where)
                wrote_shared(machine, machine.files.space(operand.file, at.dim, at.index), at.index, component, lane);
        };
        NamedRegisters p;
        const bool known = places(operand, dims ? &dims[lane] : nullptr, indices ? &indices[lane] : nullptr, p);
        if (known && p.count == 1) {
            put(p.list[0], here, true);
            continue;
        }
        const Presence maybe = static_cast<Presence>(here & kMay);
        if (known) {
            for (int k = 0; k < p.count; ++k) put(p.list[k], maybe, false);
        } else if (maybe && shared) {
            machine.lose(lane);
        } else if (maybe) {
            // Any register that the operand can reach.
            for (int32_t dim = 0; dim < machine.files.spaces(operand.file); ++dim) {
                RegisterFile* f = machine.files.writable(operand.file, dim);
                for (int32_t i = 0; f && i < f->count(); ++i)
                    if (Value* to = slot({dim, i})) make_unknown(*to);
            }
        }
        if (here & kNominal)
            if (Value* to = slot(p.nominal)) to->value = stored_value(lane).value;
    }
}

}  // namespace tgsi2spv::reference
