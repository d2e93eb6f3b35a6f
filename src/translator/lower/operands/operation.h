// An opcode family's view of the walk: it gets one instruction, asks for the sources, and hands back the result. The
// core handles registers and flow; the families (families.h) define the meaning of opcodes.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "ir/builder.h"
#include "lower/context/components.h"
#include "lower/options/capabilities.h"
#include "lower/options/options.h"
#include "sampling/message.h"
#include "tgsi/program/program.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::lower {

struct Context;  ///< the core's state (context.h)

struct Operation {
    Context& context;
    ir::Builder& b;
    const Options& options;
    const Capabilities& capabilities;
    const tgsi::Program& program;
    const tgsi::Instruction& instruction;
    uint8_t mask;      ///< write mask of destination 0 (0xf without destination); never 0
    int width;         ///< components in mask
    bool legacy_math;  ///< LEGACY_MATH_RULES: 0 * anything = 0
    /// The program's SVIEW declarations, gathered once; nullptr: gathered for each texture instruction.
    const sampling::Views* views = nullptr;
    /// A message that no instruction makes; it replaces the one from the views and the text.
    const sampling::Message* message = nullptr;

    /// The same for another instruction, with a write mask of its own.
    Operation with(const tgsi::Instruction& other, uint8_t its_mask) const {
        return {context,     b,    options, capabilities, program, other, its_mask, std::popcount(its_mask),
                legacy_math, views};
    }
};

/// Returns source i as a vector (a scalar where width is 1) of `scalar` (F32 or U32): the components of the write mask,
/// in rising order, with swizzle and modifiers applied. Modifiers follow the opcode table's operand type.
ir::Value source(Operation& op, int i, ir::Scalar scalar);
/// The same for the components `comps` (0..3 each, after the swizzle), in that order.
ir::Value source(Operation& op, int i, ir::Scalar scalar, std::span<const uint8_t> comps);
/// One component.
ir::Value source_component(Operation& op, int i, ir::Scalar scalar, int component);
/// The value, passed through the loaded zero if Workarounds::opaque_integers is set.
ir::Value opaque_integer(Operation& op, ir::Value value);
/// A zero that the opcode itself produces: passed through the loaded zero if Workarounds::opaque_immediates is set.
ir::Value opaque_zero(Operation& op);
/// Texture offset operand i, components 0..n-1, as u32 (signed integers).
ir::Value offset_source(Operation& op, int i, int n);

/// The result of a family function: a vector of `width` components in mask order, or a scalar that the core replicates.
/// `value` is kNone if the operation writes nothing. It may have any 32-bit type, but never bool.
struct Outcome {
    bool ok = true;  ///< false: refused; a diagnostic was added
    ir::Value value = ir::kNone;
};

/// Adds an error at the instruction that names the opcode. Returns an Outcome with ok == false.
[[gnu::cold]] Outcome refuse(Operation& op, tgsi::Code code, std::string_view message);
/// The same for a feature that the device lacks, by Vulkan's name. `needing` names the text that needs it; empty: the
/// opcode.
[[gnu::cold]] Outcome refuse_lacking(Operation& op, std::string_view feature, std::string_view needing = {});
/// For an opcode that the table assigns to a family that has no case for it: our mistake, not the text's. Tests walk
/// all opcodes, so that no user sees this.
[[gnu::cold]] Outcome no_case(Operation& op);

}  // namespace tgsi2spv::lower
