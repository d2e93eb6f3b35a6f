#include "lower/registers/named.h"

#include <string>

#include "lower/registers/cells.h"
#include "lower/registers/constant_buffers.h"
#include "lower/registers/temp_arrays.h"
#include "lower/walk/values.h"
#include "tgsi/names.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

Ref immediate(Walk& walk, uint32_t bits) {
    if (walk.opaque_zero == ir::kNone) return constant_ref(walk.b, bits);
    return {walk.b.bit_xor(walk.b.const_u32(bits), walk.opaque_zero), 0};
}

}  // namespace

bool refuse_two_indices(Walk& walk, const tgsi::Operand& operand) {
    fail(walk, "unsupported-operand", operand.position,
         std::string(tgsi::name(operand.file)) + " cannot have two indices here");
    return false;
}

bool read_named(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    if (const Ref* cells = cells_of(walk, operand)) {
        for (const uint8_t c : comps) *out++ = cells[c];
        return true;
    }
    if (operand.file == File::Const) {
        const ir::Value value = named_constant(walk, operand);
        for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
        return walk.ok;
    }
    if (stands_in_interface(walk, operand)) return walk.interface_operands.read(walk, operand, comps, out);
    if (operand.file == File::TempArray) {
        const Bracket array = named_bracket(walk, operand.has_dim ? operand.dim : 0);
        return read_temp_array(walk, operand, array, named_bracket(walk, operand.index), comps, out);
    }
    if (operand.has_dim) return refuse_two_indices(walk, operand);
    const size_t n = comps.size();
    const auto index = static_cast<size_t>(operand.index);
    switch (operand.file) {
        case File::Null:
            for (size_t k = 0; k < n; ++k) out[k] = immediate(walk, 0);
            return true;
        case File::Temp:
        case File::Address:
        case File::Output:
        case File::Predicate: {
            const uint32_t slot = slot_of(walk.plan.slots, operand.file, operand.index);
            if (slot == kNoIndex) break;
            read_slot(walk, slot, comps, out);
            return true;
        }
        case File::Input:
        case File::SystemValue:
            break;
        case File::Immediate:
            for (size_t k = 0; k < n; ++k)
                out[k] = walk.opaque_zero != ir::kNone
                             ? immediate(walk, walk.program.immediates[index].words[comps[k]])
                             : Ref{known_immediate(walk, index, comps[k], ir::Scalar::U32), 0};
            return true;
        case File::ImmediateArray: {
            const tgsi::Range* range = walk.registers.find(operand.file, operand.index);
            if (range == nullptr) break;
            const tgsi::Declaration& d = walk.program.declarations[range->declaration];
            const auto row = d.immediates + static_cast<uint32_t>(operand.index - d.first);
            for (size_t k = 0; k < n; ++k) out[k] = immediate(walk, walk.program.immediate_rows[row].words[comps[k]]);
            return true;
        }
        default:
            fail(walk, "unsupported-file", operand.position,
                 std::string(tgsi::name(operand.file)) + " cannot be read here");
            return false;
    }
    fail(walk, "undeclared-register", operand.position, "the register is not declared");
    return false;
}

}  // namespace tgsi2spv::lower
