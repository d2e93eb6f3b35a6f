#include "lower/registers/named.h"

#include <string>

#include "lower/context/values.h"
#include "lower/registers/cells.h"
#include "lower/registers/constant_buffers.h"
#include "lower/registers/temp_arrays.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

Ref immediate(Context& context, uint32_t bits) {
    if (context.opaque_zero == ir::kNone) return constant_ref(context.b, bits);
    return {context.b.bit_xor(context.b.const_u32(bits), context.opaque_zero), 0};
}

}  // namespace

bool refuse_two_indices(Context& context, const tgsi::Operand& operand) {
    fail(context, "unsupported-operand", operand.position,
         std::string(tgsi::name(operand.file)) + " cannot have two indices here");
    return false;
}

bool read_named(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    if (const Ref* cells = cells_of(context, operand)) {
        for (const uint8_t c : comps) *out++ = cells[c];
        return true;
    }
    if (operand.file == File::Const) {
        const ir::Value value = named_constant(context, operand);
        for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
        return context.ok;
    }
    if (stands_in_interface(context, operand)) return context.interface_operands.read(context, operand, comps, out);
    if (operand.file == File::TempArray) {
        const Bracket array = named_bracket(context, operand.has_dim ? operand.dim : 0);
        return read_temp_array(context, operand, array, named_bracket(context, operand.index), comps, out);
    }
    if (operand.has_dim) return refuse_two_indices(context, operand);
    const size_t n = comps.size();
    const auto index = static_cast<size_t>(operand.index);
    switch (operand.file) {
        case File::Null:
            for (size_t k = 0; k < n; ++k) out[k] = immediate(context, 0);
            return true;
        case File::Temp:
        case File::Address:
        case File::Output:
        case File::Predicate: {
            const uint32_t slot = slot_of(context.plan.slots, operand.file, operand.index);
            if (slot == kNoIndex) break;
            read_slot(context, slot, comps, out);
            return true;
        }
        case File::Input:
        case File::SystemValue:
            break;
        case File::Immediate:
            for (size_t k = 0; k < n; ++k)
                out[k] = context.opaque_zero != ir::kNone
                             ? immediate(context, context.program.immediates[index].words[comps[k]])
                             : Ref{known_immediate(context, index, comps[k], ir::Scalar::U32), 0};
            return true;
        case File::ImmediateArray: {
            const tgsi::Range* range = context.registers.find(operand.file, operand.index);
            if (range == nullptr) break;
            const tgsi::Declaration& d = context.program.declarations[range->declaration];
            const auto row = d.immediates + static_cast<uint32_t>(operand.index - d.first);
            for (size_t k = 0; k < n; ++k)
                out[k] = immediate(context, context.program.immediate_rows[row].words[comps[k]]);
            return true;
        }
        default:
            fail(context, "unsupported-file", operand.position,
                 std::string(tgsi::name(operand.file)) + " cannot be read here");
            return false;
    }
    fail(context, "undeclared-register", operand.position, "the register is not declared");
    return false;
}

}  // namespace tgsi2spv::lower
