#include "difftest/quirks.h"

#include <algorithm>

#include "tgsi/names.h"

namespace tgsi2spv::difftest {

namespace {

bool uses(const tgsi::Program& program, std::initializer_list<tgsi::Opcode> opcodes) {
    return std::any_of(program.instructions.begin(), program.instructions.end(), [&](const tgsi::Instruction& i) {
        return std::find(opcodes.begin(), opcodes.end(), i.op) != opcodes.end();
    });
}

}  // namespace

Quirks quirks_of(std::string_view device_name) {
    Quirks q;
    q.demote_is_lost_in_loops = q.cube_gradients_are_not_projected = q.storage_arrays_are_not_indexed =
        device_name.find("SwiftShader") != std::string_view::npos;
    q.helper_query_crashes = device_name.find("llvmpipe") != std::string_view::npos;
    return q;
}

void avoid(const Quirks& quirks, const tgsi::Program& program, lower::Capabilities& capabilities) {
    using tgsi::Opcode;
    if (quirks.demote_is_lost_in_loops && uses(program, {Opcode::BGNLOOP}) &&
        uses(program, {Opcode::KILL, Opcode::KILL_IF, Opcode::KIL, Opcode::KILP, Opcode::DEMOTE}))
        capabilities.demote = false;
    if (quirks.helper_query_crashes && uses(program, {Opcode::READ_HELPER})) capabilities.demote = false;
    if (quirks.storage_arrays_are_not_indexed) {
        capabilities.storage_buffer_dynamic_indexing = capabilities.storage_buffer_non_uniform_indexing = false;
        capabilities.storage_image_dynamic_indexing = capabilities.storage_image_non_uniform_indexing = false;
    }
}

namespace {

std::optional<std::string> cube_levels_by_gradients(const reference::Inputs& inputs) {
    for (const auto& [index, texture] : inputs.textures)
        if (tgsi::shape(texture.target).cube && texture.levels > 1)
            return "levels of cubes by gradients, which this driver computes wrongly";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> unusable(const Quirks& quirks, const tgsi::Program& program,
                                    const reference::Inputs& inputs) {
    if (quirks.cube_gradients_are_not_projected && uses(program, {tgsi::Opcode::TXD, tgsi::Opcode::SAMPLE_D}))
        return cube_levels_by_gradients(inputs);
    return std::nullopt;
}

std::optional<std::string> unusable(const Quirks& quirks, const sampling::Message& message,
                                    const reference::Inputs& inputs) {
    if (quirks.cube_gradients_are_not_projected && message.ddx[0].present()) return cube_levels_by_gradients(inputs);
    return std::nullopt;
}

}  // namespace tgsi2spv::difftest
