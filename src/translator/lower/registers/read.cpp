#include "lower/registers/read.h"

#include "lower/registers/addressing.h"
#include "lower/registers/cells.h"
#include "lower/registers/constant_buffers.h"
#include "lower/registers/named.h"
#include "lower/registers/temp_arrays.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

bool read_constant(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    const tgsi::Relative* relative = walk.program.index_relative(operand);
    const tgsi::Relative* selecting = walk.program.dim_relative(operand);
    const ir::Value index = relative != nullptr ? relative_index(walk, *relative, operand.index)
                                                : walk.b.const_u32(static_cast<uint32_t>(operand.index));
    const ir::Value selector =
        selecting != nullptr ? relative_index(walk, *selecting, operand.has_dim ? operand.dim : 0) : ir::kNone;
    const ir::Value value = load_constant(walk, operand, selector, index);
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
    return walk.ok;
}

}  // namespace

bool read(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    if (const Ref* cells = cells_of(walk, operand)) {
        for (const uint8_t c : comps) *out++ = cells[c];
        return true;
    }
    if (!operand.index_is_relative && !operand.dim_is_relative) return read_named(walk, operand, comps, out);
    if (operand.file == File::Const) return read_constant(walk, operand, comps, out);
    if (stands_in_interface(walk, operand)) return walk.interface_operands.read(walk, operand, comps, out);
    if (operand.file != File::TempArray) return read_indirect(walk, operand, comps, out);
    const Bracket array = array_bracket(walk, operand);
    return read_temp_array(walk, operand, array, index_bracket(walk, operand), comps, out);
}

}  // namespace tgsi2spv::lower
