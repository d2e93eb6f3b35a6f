#include "lower/variables/inputs.h"

#include "lower/walk/names.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;

uint32_t builtin_input(Walk& walk, BuiltIn builtin, ir::Type type, uint32_t length) {
    uint32_t& variable = walk.inputs.builtins[static_cast<size_t>(builtin)];
    if (variable == 0)
        variable =
            1 + walk.b.add_variable({.kind = ir::VariableKind::Input,
                                     .element = type,
                                     .array = {length, 0},
                                     .builtin = builtin,
                                     .interpolation = walk.program.stage == tgsi::Stage::Fragment && type.is_int()
                                                          ? ir::Interpolation::Flat
                                                          : ir::Interpolation::Smooth});
    return variable - 1;
}

ir::Value load_builtin_input(Walk& walk, BuiltIn builtin, ir::Type type) {
    return walk.b.load(builtin_input(walk, builtin, type), {}, type);
}

ir::Value read_attachment(Walk& walk, uint32_t color, bool multisampled, uint32_t& variable) {
    ir::Builder& b = walk.b;
    if (variable == kNoIndex)
        variable = b.add_variable({.kind = ir::VariableKind::InputAttachment,
                                   .index = color,
                                   .image = {.dim = ir::ImageDim::SubpassData, .ms = multisampled},
                                   .name = indexed("COLOR", color)});
    const uint32_t kHere[2] = {0, 0};  // relative to the fragment
    const ir::Value at = b.const_words(ir::u32(2), kHere);
    if (!multisampled) return b.image(ir::Op::ImageRead, ir::f32(4), {.image = variable}, {at});
    const ir::Value sample = load_builtin_input(walk, BuiltIn::SampleId, ir::u32());
    return b.image(ir::Op::ImageRead, ir::f32(4), {.image = variable, .sample = true}, {at, sample});
}

ir::Value load_io_parameter(Walk& walk, uint32_t word) {
    return walk.b.load(walk.io.variables[2], {walk.b.const_u32(word)}, ir::u32());
}

}  // namespace tgsi2spv::lower
