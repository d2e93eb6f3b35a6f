#include "lower/variables/inputs.h"

#include "lower/context/names.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;

uint32_t builtin_input(Context& context, BuiltIn builtin, ir::Type type, uint32_t length) {
    uint32_t& variable = context.inputs.builtins[static_cast<size_t>(builtin)];
    if (variable == 0)
        variable =
            1 + context.b.add_variable({.kind = ir::VariableKind::Input,
                                        .element = type,
                                        .array = {length, 0},
                                        .builtin = builtin,
                                        .interpolation = context.program.stage == tgsi::Stage::Fragment && type.is_int()
                                                             ? ir::Interpolation::Flat
                                                             : ir::Interpolation::Smooth});
    return variable - 1;
}

ir::Value load_builtin_input(Context& context, BuiltIn builtin, ir::Type type) {
    return context.b.load(builtin_input(context, builtin, type), {}, type);
}

ir::Value read_attachment(Context& context, uint32_t color, bool multisampled, uint32_t& variable) {
    ir::Builder& b = context.b;
    if (variable == kNoIndex)
        variable = b.add_variable({.kind = ir::VariableKind::InputAttachment,
                                   .index = color,
                                   .image = {.dim = ir::ImageDim::SubpassData, .ms = multisampled},
                                   .name = indexed("COLOR", color)});
    const uint32_t kHere[2] = {0, 0};  // relative to the fragment
    const ir::Value at = b.const_words(ir::u32(2), kHere);
    if (!multisampled) return b.image(ir::Op::ImageRead, ir::f32(4), {.image = variable}, {at});
    const ir::Value sample = load_builtin_input(context, BuiltIn::SampleId, ir::u32());
    return b.image(ir::Op::ImageRead, ir::f32(4), {.image = variable, .sample = true}, {at, sample});
}

ir::Value load_io_parameter(Context& context, uint32_t word) {
    return context.b.load(context.io.variables[2], {context.b.const_u32(word)}, ir::u32());
}

}  // namespace tgsi2spv::lower
