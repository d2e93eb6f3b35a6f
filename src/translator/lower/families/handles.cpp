// SAMP2HND and IMG2HND. A handle is 64 bits in xy. Its low word is the number of the register; the caller fills the
// arrays of descriptors by that number (handle() in resources.cpp).
#include "lower/families/families.h"
#include "lower/operands/family.h"
#include "lower/registers/addressing.h"

namespace tgsi2spv::lower {

Outcome lower_handle(Operation& op) {
    Context& w = op.context;
    const tgsi::Operand& o = op.program.srcs(op.instruction)[0];
    const tgsi::Relative* relative = op.program.index_relative(o);
    const ir::Value index =
        relative != nullptr ? relative_index(w, *relative, o.index) : op.b.const_u32(static_cast<uint32_t>(o.index));
    return done(per_component(op, [&](int c) { return c == 0 ? index : op.b.const_u32(0); }));
}

}  // namespace tgsi2spv::lower
