// Options::records: words that a stage reads from the buffers (records.h), and the numbers of their parameters.
#pragma once

#include <cstdint>
#include <span>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// The parameter with the vertices of a patch.
inline constexpr uint32_t kPatchVertices = 5;
/// VERT's parameters.
inline constexpr uint32_t kBaseVertex = 5, kBaseInstance = 6, kListedVertices = 7, kDraw = 8, kInvocationWords = 9,
                          kVertexWords = 10, kPlaces = 11;

/// TESS_EVAL: the slots of a vertex in a patch's record.
uint32_t slots_before(const Context& context);
/// The value of a component that no stage before wrote.
inline uint32_t unwritten(uint32_t component) {
    return component == 3 ? 0x3f80'0000 : 0;
}
/// The first word of the record of a vertex of the primitive or patch.
ir::Value find_record(Context& context, ir::Value vertex);
/// TESS_EVAL: word `word` of its point.
ir::Value load_point_word(Context& context, uint32_t word);

/// The value of a builtin that compute shaders lack. kNone: they have it.
ir::Value record_builtin(Context& context, ir::BuiltIn builtin);
/// TESS_EVAL: the levels that its patch has; unchanged if TESS_CTRL writes none.
void load_record_levels(Context& context, tgsi::Semantic semantic, std::span<Ref> out);
/// TESS_EVAL: the four components of IN[reg], which belongs to the patch.
void load_patch_data(Context& context, uint32_t reg, Ref* out);
/// Word `component` of IN[vertex][reg], where `operand` names the registers.
ir::Value load_record_word(Context& context, const tgsi::Operand& operand, ir::Value vertex, ir::Value reg,
                           int component);
/// VERT: word `component` of attribute `slot` (a u32 value).
ir::Value load_attribute_word(Context& context, ir::Value slot, uint32_t component);

}  // namespace tgsi2spv::lower
