#include "lower/variables/declared.h"

#include <string>

#include "lower/context/names.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Semantic;

bool fog_is_scalar(const Context& context) {
    return context.program.stage == tgsi::Stage::Fragment && tgsi::is_earlier(context.options.dialect);
}

Declared declared_as(const tgsi::Program& program, const tgsi::Registers& registers, File file, int32_t index) {
    const tgsi::Range* range = registers.find(file, index);
    if (range == nullptr) return {};
    const tgsi::Declaration& d = program.declarations[range->declaration];
    if (!d.has_semantic) return {Semantic::None, 0, &d};
    return {d.semantic, d.semantic_index + static_cast<uint32_t>(index - d.first), &d};
}

Declared declared_as(const Context& context, File file, int32_t index) {
    return declared_as(context.program, context.registers, file, index);
}

ir::Name display_name(const Declared& declared) {
    const std::string_view word = tgsi::name(declared.semantic);
    return declared.index != 0 ? indexed(word, declared.index) : ir::Name(word);
}

uint32_t position_of(const Declared& declared) {
    return declared.declaration != nullptr ? declared.declaration->position : 0;
}

bool refuse_semantic(Context& context, const Declared& declared, std::string_view use) {
    fail(context, "unsupported-semantic", position_of(declared),
         declared.semantic == Semantic::None
             ? std::string(use) + " without a semantic"
             : std::string(display_name(declared)) + " is not supported as " + std::string(use));
    return false;
}

}  // namespace tgsi2spv::lower
