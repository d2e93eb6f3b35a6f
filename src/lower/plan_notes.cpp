// Notes on operands that an index selects or that are in an interface with vertices, and on memory.
#include "lower/plan_notes.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Opcode;

void OperandNotes::indirect(const tgsi::Operand& o, bool write) {
    IndirectFile& f = p.indirect[static_cast<size_t>(o.file)];
    f.some = true;
    f.write |= write;
    const tgsi::Range* range = o.array_id != 0 ? registers.array(o.file, o.array_id) : nullptr;
    if (range == nullptr)
        f.all = true;
    else
        p.indirect_ranges[static_cast<size_t>(range - registers.ranges.data())] |= write ? 3 : 1;
}

void OperandNotes::relative(const tgsi::Operand& o) {
    for (const tgsi::Relative* r : {program.dim_relative(o), program.index_relative(o)}) {
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
void OperandNotes::interface(const tgsi::Operand& o, bool write) {
    relative(o);
    const auto masks = o.file == File::Input ? p.input_masks : p.output_masks;
    const uint8_t mask = write ? o.write_mask : kSelected[o.swizzle];
    if (o.index_is_relative) return interface_range(o, masks);
    if (static_cast<size_t>(o.index) >= masks.size()) return;
    if (o.file == File::Input && !is_per_vertex(program, registers, o.file, o.index))
        use(File::Input, masks, o.index, o.swizzle);
    else
        masks[static_cast<size_t>(o.index)] |= mask;
}

/// An index may select any register of the array, or of the file, that has the same number of brackets. Each range is
/// noted once.
void OperandNotes::interface_range(const tgsi::Operand& o, std::span<uint8_t> masks) {
    const tgsi::Range* range = o.array_id != 0 ? registers.array(o.file, o.array_id) : nullptr;
    const auto place = range != nullptr ? static_cast<size_t>(range - registers.ranges.data())
                                        : registers.ranges.size() + (o.file == File::Input ? 0 : 1);
    uint8_t& seen = p.scratch.interface_ranges[place];
    const uint8_t bit = o.has_dim ? 2 : 1;
    if (seen & bit) return;
    seen = static_cast<uint8_t>(seen | bit);
    auto mark = [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i)
            if (is_per_vertex(program, registers, o.file, i) == o.has_dim) masks[static_cast<size_t>(i)] = 0xf;
    };
    if (range != nullptr)
        mark(range->first, range->last);
    else
        registers.for_each_run(o.file, 0, mark);
}

void OperandNotes::general_source(const tgsi::Operand& o) {
    if (has_vertices(program.stage, o.file)) return interface(o, false);
    relative(o);
    if (o.file != File::Const) return indirect(o, false);
    if (o.dim_is_relative) {
        p.indirect[static_cast<size_t>(File::Const)].all = true;
    } else if (static_cast<size_t>(o.dim) < p.const_counts.size()) {
        auto& count = p.const_counts[static_cast<size_t>(o.dim)];
        count = std::max(count, 0);
    }
}

void OperandNotes::general_destination(const tgsi::Operand& o) {
    if (has_vertices(program.stage, o.file)) return interface(o, true);
    relative(o);
    indirect(o, true);
    if (o.file == File::Output) output_range(o);
}

void OperandNotes::output_range(const tgsi::Operand& o) {
    const tgsi::Range* range = o.array_id != 0 ? registers.array(o.file, o.array_id) : nullptr;
    auto mark = [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) p.output_masks[static_cast<size_t>(i)] |= o.write_mask;
    };
    if (range != nullptr)
        mark(range->first, range->last);
    else
        registers.for_each_run(File::Output, 0, mark);
}

void OperandNotes::memory(const tgsi::Instruction& i) {
    const bool stores = i.op == Opcode::STORE;
    if (!stores && i.num_src == 0) return;
    const tgsi::Operand& o = stores ? program.dsts(i)[0] : program.srcs(i)[0];
    uint8_t bits = 0;
    switch (i.op) {
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
            bits = static_cast<uint8_t>((i.op == Opcode::ATOMFADD ? access::kFloatAdd : access::kAtomic) |
                                        access::kRead | access::kWrite);
            break;
    }
    if (i.qualifiers & tgsi::qualifier::kCoherent) bits |= access::kCoherent;
    if (i.qualifiers & tgsi::qualifier::kVolatile) bits |= access::kVolatile;
    if (!(i.qualifiers & tgsi::qualifier::kRestrict)) bits |= access::kUnrestricted;
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

void outputs_to_memory(Plan& p) {
    std::fill(p.in_memory.begin() + p.slots.output, p.in_memory.begin() + p.slots.killed, uint8_t{1});
    p.in_memory[p.slots.emitted] = p.in_memory[p.slots.primitives] = 1;
}

}  // namespace tgsi2spv::lower
