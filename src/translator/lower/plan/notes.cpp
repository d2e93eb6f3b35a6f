// Notes on operands that an index selects or that are in an interface with vertices, and on memory.
#include "lower/plan/notes.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Opcode;

void OperandNotes::indirect(const tgsi::Operand& operand, bool write) {
    IndirectFile& f = p.indirect[static_cast<size_t>(operand.file)];
    f.some = true;
    f.write |= write;
    const tgsi::Range* range = operand.array_id != 0 ? registers.array(operand.file, operand.array_id) : nullptr;
    if (range == nullptr)
        f.all = true;
    else
        p.indirect_ranges[static_cast<size_t>(range - registers.ranges.data())] |= write ? 3 : 1;
}

void OperandNotes::relative(const tgsi::Operand& operand) {
    for (const tgsi::Relative* r : {program.dim_relative(operand), program.index_relative(operand)}) {
        if (r == nullptr) continue;
        const auto swizzle = static_cast<uint8_t>(0x55 * r->component);
        if (has_vertices(program.stage, r->file))
            interface({.file = r->file, .swizzle = swizzle, .has_dim = r->has_dim, .index = r->index}, false);
        else
            read(r->file, r->index, r->dim, swizzle);
    }
}

/// Files that have arrays over vertices. A register that exists once per primitive or patch is read as usual (unless
/// through an index); all others are loaded and stored where they are accessed.
void OperandNotes::interface(const tgsi::Operand& operand, bool write) {
    relative(operand);
    const auto masks = operand.file == File::Input ? p.input_masks : p.output_masks;
    const uint8_t mask = write ? operand.write_mask : kSelected[operand.swizzle];
    if (operand.index_is_relative) return interface_range(operand, masks);
    if (static_cast<size_t>(operand.index) >= masks.size()) return;
    if (operand.file == File::Input && !is_per_vertex(program, registers, operand.file, operand.index))
        use(File::Input, masks, operand.index, operand.swizzle);
    else
        masks[static_cast<size_t>(operand.index)] |= mask;
}

/// The notes on an array (none: on the file), as bits: each range is gone through once for each of them.
uint8_t& OperandNotes::noted(const tgsi::Operand& operand, const tgsi::Range* range) {
    const auto place = range != nullptr ? static_cast<size_t>(range - registers.ranges.data())
                                        : registers.ranges.size() + (operand.file == File::Input ? 0 : 1);
    return p.scratch.interface_ranges[place];
}

/// An index may select any register of the array, or of the file, that has the same number of brackets.
void OperandNotes::interface_range(const tgsi::Operand& operand, std::span<uint8_t> masks) {
    const tgsi::Range* range = operand.array_id != 0 ? registers.array(operand.file, operand.array_id) : nullptr;
    uint8_t& seen = noted(operand, range);
    const uint8_t bit = operand.has_dim ? 2 : 1;
    if (seen & bit) return;
    seen = static_cast<uint8_t>(seen | bit);
    auto mark = [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i)
            if (is_per_vertex(program, registers, operand.file, i) == operand.has_dim)
                masks[static_cast<size_t>(i)] = 0xf;
    };
    if (range != nullptr)
        mark(range->first, range->last);
    else
        registers.for_each_run(operand.file, 0, mark);
}

void OperandNotes::general_source(const tgsi::Operand& operand) {
    if (has_vertices(program.stage, operand.file)) return interface(operand, false);
    relative(operand);
    if (operand.file != File::Const) return indirect(operand, false);
    p.indirect[static_cast<size_t>(File::Const)].some |= operand.index_is_relative;
    if (operand.dim_is_relative) {
        p.indirect[static_cast<size_t>(File::Const)].all = true;
    } else if (static_cast<size_t>(operand.dim) < p.const_counts.size()) {
        auto& count = p.const_counts[static_cast<size_t>(operand.dim)];
        count = std::max(count, 0);
    }
}

void OperandNotes::general_destination(const tgsi::Operand& operand) {
    if (has_vertices(program.stage, operand.file)) return interface(operand, true);
    relative(operand);
    indirect(operand, true);
    if (operand.file == File::Output) output_range(operand);
}

void OperandNotes::output_range(const tgsi::Operand& operand) {
    const tgsi::Range* range = operand.array_id != 0 ? registers.array(operand.file, operand.array_id) : nullptr;
    uint8_t& seen = noted(operand, range);
    if ((operand.write_mask & ~seen) == 0) return;
    seen |= operand.write_mask;
    auto mark = [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) p.output_masks[static_cast<size_t>(i)] |= operand.write_mask;
    };
    if (range != nullptr)
        mark(range->first, range->last);
    else
        registers.for_each_run(File::Output, 0, mark);
}

void OperandNotes::memory(const tgsi::Instruction& instruction) {
    const bool stores = instruction.op == Opcode::STORE;
    if (!stores && instruction.num_src == 0) return;
    const tgsi::Operand& o = stores ? program.dsts(instruction)[0] : program.srcs(instruction)[0];
    uint8_t bits = 0;
    switch (instruction.op) {
        case Opcode::STORE:
            bits = access::kWrite;
            break;
        case Opcode::LOAD:
            bits = access::kRead;
            break;
        case Opcode::RESQ:
        case Opcode::MEMBAR:
        case Opcode::LFENCE:
        case Opcode::SFENCE:
        case Opcode::MFENCE:
            return;
        default:
            bits = static_cast<uint8_t>((instruction.op == Opcode::ATOMFADD ? access::kFloatAdd : access::kAtomic) |
                                        access::kRead | access::kWrite);
            break;
    }
    if (instruction.qualifiers & tgsi::qualifier::kCoherent) bits |= access::kCoherent;
    if (instruction.qualifiers & tgsi::qualifier::kVolatile) bits |= access::kVolatile;
    if (!(instruction.qualifiers & tgsi::qualifier::kRestrict)) bits |= access::kUnrestricted;
    if (!is_memory(o.file)) {
        p.handle_uses |= bits;
        return;
    }
    MemoryUses& uses = p.memory_uses[static_cast<size_t>(o.file)];
    p.uses_memory = true;
    uses.all |= bits;
    const bool counter = o.file == File::HwAtomic;
    if (counter ? o.dim_is_relative : o.index_is_relative) {
        uses.indexed |= bits;
        return;
    }
    const auto index = static_cast<size_t>(std::max(0, counter ? o.dim : o.index));
    if (uses.by_index.size() <= index) uses.by_index.resize(index + 1, 0);
    uses.by_index[index] |= bits;
}

void outputs_to_memory(Plan& plan) {
    std::fill(plan.in_memory.begin() + plan.slots.output, plan.in_memory.begin() + plan.slots.killed, uint8_t{1});
    plan.in_memory[plan.slots.emitted] = plan.in_memory[plan.slots.primitives] = 1;
}

}  // namespace tgsi2spv::lower
