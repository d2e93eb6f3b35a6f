#include "lower/registers/read.h"

#include "lower/registers/addressing.h"
#include "lower/registers/cells.h"
#include "lower/registers/constant_buffers.h"
#include "lower/registers/named.h"
#include "lower/registers/temp_arrays.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

bool read_constant(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    const tgsi::Relative* relative = context.program.index_relative(operand);
    const tgsi::Relative* selecting = context.program.dim_relative(operand);
    const ir::Value index = relative != nullptr ? relative_index(context, *relative, operand.index)
                                                : context.b.const_u32(static_cast<uint32_t>(operand.index));
    const ir::Value selector =
        selecting != nullptr ? relative_index(context, *selecting, operand.has_dim ? operand.dim : 0) : ir::kNone;
    const ir::Value value = load_constant(context, operand, selector, index);
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
    return context.ok;
}

}  // namespace

bool read(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    if (const Ref* cells = cells_of(context, operand)) {
        for (const uint8_t c : comps) *out++ = cells[c];
        return true;
    }
    if (!operand.index_is_relative && !operand.dim_is_relative) return read_named(context, operand, comps, out);
    if (operand.file == File::Const) return read_constant(context, operand, comps, out);
    if (stands_in_interface(context, operand)) return context.interface_operands.read(context, operand, comps, out);
    if (operand.file != File::TempArray) return read_indirect(context, operand, comps, out);
    const Bracket array = array_bracket(context, operand);
    return read_temp_array(context, operand, array, index_bracket(context, operand), comps, out);
}

}  // namespace tgsi2spv::lower
